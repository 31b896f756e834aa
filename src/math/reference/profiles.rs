//! Reference implementations of the similarity of attention profiles and of resampling.

use ndarray::Array2;

/// Greatest Σ a·b / √(Σ a²·Σ b²) over all shifts of one picture over the other for which at least three quarters of
/// both lie in the overlap. Both pictures have the same odd side lengths.
#[must_use]
pub fn alikeness(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    let (rows, columns) = (a.nrows() as i64, a.ncols() as i64);
    let mut best = 0.0_f64;
    for down in -rows..=rows {
        for across in -columns..=columns {
            let mut pairs = Vec::new();
            for y in 0..rows {
                for x in 0..columns {
                    let (there_y, there_x) = (y + down, x + across);
                    if (0..rows).contains(&there_y) && (0..columns).contains(&there_x) {
                        pairs.push((
                            a[[y as usize, x as usize]],
                            b[[there_y as usize, there_x as usize]],
                        ));
                    }
                }
            }
            let of_a: f64 = pairs.iter().map(|(a, _)| a).sum();
            let of_b: f64 = pairs.iter().map(|(_, b)| b).sum();
            let squares_a: f64 = pairs.iter().map(|(a, _)| a * a).sum();
            let squares_b: f64 = pairs.iter().map(|(_, b)| b * b).sum();
            let products: f64 = pairs.iter().map(|(a, b)| a * b).sum();
            if of_a >= 0.75 * a.sum() && of_b >= 0.75 * b.sum() && products > 0.0 {
                best = best.max(products / (squares_a * squares_b).sqrt());
            }
        }
    }
    best
}

/// Resamples a picture: every new value is the sum over all old places, including those beyond the edge, of the value
/// there times the kernel at the distance along each side.
#[must_use]
pub fn resample(
    picture: &Array2<f64>,
    (height, width): (usize, usize),
    is_cubic: bool,
) -> Array2<f64> {
    let kernel = |distance: f64| {
        let t = distance.abs();
        match (is_cubic, t) {
            (false, ..) => (1.0 - t).max(0.0),
            (true, 0.0..=1.0) => 1.25 * t.powi(3) - 2.25 * t.powi(2) + 1.0,
            (true, 1.0..=2.0) => -0.75 * (t.powi(3) - 5.0 * t.powi(2) + 8.0 * t - 4.0),
            _ => 0.0,
        }
    };
    let (rows, columns) = (picture.nrows() as i64, picture.ncols() as i64);
    Array2::from_shape_fn((height, width), |(y, x)| {
        let at_y = (y as f64 + 0.5) * rows as f64 / height as f64 - 0.5;
        let at_x = (x as f64 + 0.5) * columns as f64 / width as f64 - 0.5;
        let mut sum = 0.0;
        for from_y in -3..rows + 3 {
            for from_x in -3..columns + 3 {
                let value = picture[[
                    from_y.clamp(0, rows - 1) as usize,
                    from_x.clamp(0, columns - 1) as usize,
                ]];
                sum += value * kernel(at_y - from_y as f64) * kernel(at_x - from_x as f64);
            }
        }
        sum
    })
}

/// The lowest cosine of any two rows at each offset 0 … n−1 (Halvdansson 2025). Pairs with a row that is zero or not
/// finite do not count; NaN where no pair counts.
#[must_use]
pub fn lowest_cosines(e: &Array2<f64>) -> Vec<f64> {
    let n = e.nrows();
    let lowest = |k: usize| {
        let cosines = (0..n - k).map(|i| {
            let (a, b) = (e.row(i), e.row(i + k));
            a.dot(&b) / (a.dot(&a).sqrt() * b.dot(&b).sqrt())
        });
        // `min` returns the other operand if one is NaN.
        cosines.fold(f64::NAN, f64::min)
    };
    (0..n).map(lowest).collect()
}

/// The smallest C with ‖u_n − u_m‖² ≤ 2C·|n − m| for all pairs of rows scaled to length one (Halvdansson 2025).
#[must_use]
pub fn lipschitz_slope(e: &Array2<f64>) -> f64 {
    let unit = super::unit_rows(e);
    let n = unit.nrows();
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    let slopes = pairs.map(|(i, j)| {
        let difference = &unit.row(i) - &unit.row(j);
        difference.dot(&difference) / (2.0 * (j - i) as f64)
    });
    slopes.fold(0.0, f64::max)
}
