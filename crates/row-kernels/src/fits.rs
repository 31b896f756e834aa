//! Sums over the visible cells of a row, for fits of a matrix by its diagonals. Hidden cells are NaN.

/// Adds the visible cells of a row to `sums`, and their number to `counts`, at the same places.
pub fn add_visible(sums: &mut [f64], counts: &mut [u32], row: &[f32]) {
    for ((sum, count), &cell) in sums.iter_mut().zip(counts).zip(row) {
        *sum += if cell.is_nan() { 0.0 } else { f64::from(cell) };
        *count += u32::from(!cell.is_nan());
    }
}

/// Sums of squares over the visible cells of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VisibleSquares {
    /// Of the differences from one mean.
    pub from_mean: f64,
    /// Of the differences from the means at the same places.
    pub from_means: f64,
    /// Of the cells.
    pub cells: f64,
}

impl VisibleSquares {
    /// Adds the squares of a row. `means` has a number for each of its cells.
    pub fn add(&mut self, row: &[f32], mean: f64, means: &[f64]) {
        // Four sums each, so that no addition waits for the one before.
        let mut sums = [[0.0_f64; 4]; 3];
        let mut add = |at: usize, cell: f32, of_place: f64| {
            let visible = |square: f64| if cell.is_nan() { 0.0 } else { square };
            let cell = f64::from(cell);
            sums[0][at] += visible((cell - mean) * (cell - mean));
            sums[1][at] += visible((cell - of_place) * (cell - of_place));
            sums[2][at] += visible(cell * cell);
        };
        let ((fours, rest), (fours_of_means, rest_of_means)) =
            (row.as_chunks::<4>(), means.as_chunks::<4>());
        for (four, means) in fours.iter().zip(fours_of_means) {
            for at in 0..4 {
                add(at, four[at], means[at]);
            }
        }
        for (at, (cell, of_place)) in rest.iter().zip(rest_of_means).enumerate() {
            add(at, *cell, *of_place);
        }
        let [from_mean, from_means, cells] = sums.map(|sums| sums.iter().sum::<f64>());
        self.from_mean += from_mean;
        self.from_means += from_means;
        self.cells += cells;
    }
}

#[cfg(test)]
mod tests {
    use super::{VisibleSquares, add_visible};

    #[test]
    fn hidden_cells_count_nothing() {
        for length in 0..=19_usize {
            let row: Vec<f32> = (0..length)
                .map(|i| {
                    if i % 3 == 1 {
                        f32::NAN
                    } else {
                        (i as f32).sin()
                    }
                })
                .collect();
            // Where a diagonal has no visible cell, its mean is no number.
            let means: Vec<f64> = (0..length)
                .map(|i| {
                    if i % 3 == 1 {
                        f64::NAN
                    } else {
                        0.25 * i as f64
                    }
                })
                .collect();
            let (mut sums, mut counts) = (vec![1.0; length], vec![2; length]);
            add_visible(&mut sums, &mut counts, &row);
            let mut squares = VisibleSquares::default();
            squares.add(&row, 0.5, &means);
            let mut slow = VisibleSquares::default();
            for (at, &cell) in row.iter().enumerate() {
                let is_visible = at % 3 != 1;
                let cell = f64::from(cell);
                assert_eq!(counts[at], 2 + u32::from(is_visible));
                assert_eq!(sums[at], if is_visible { 1.0 + cell } else { 1.0 });
                if is_visible {
                    slow.from_mean += (cell - 0.5).powi(2);
                    slow.from_means += (cell - means[at]).powi(2);
                    slow.cells += cell * cell;
                }
            }
            for (quick, slow) in [
                (squares.from_mean, slow.from_mean),
                (squares.from_means, slow.from_means),
                (squares.cells, slow.cells),
            ] {
                assert!(
                    (quick - slow).abs() <= 1e-12 * slow.abs(),
                    "{length}: {quick} {slow}"
                );
            }
        }
    }
}
