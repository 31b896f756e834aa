//! Properties of the objectives, on synthetic points.

use gaussian_fit::{FitError, Gaussian, GaussianFit, Objective, Points, Search};
use proptest::prelude::*;

/// Points with y at −reach … reach; the weight falls with |x|, as the lengths of diagonals do.
fn points(reach: i32, y: impl Fn(f64) -> f64) -> Vec<(f64, f64, f64)> {
    (-reach..=reach)
        .map(|k| {
            (
                f64::from(k),
                y(f64::from(k)),
                f64::from(reach + 1 - k.abs()),
            )
        })
        .collect()
}

/// The fits with 1, 2, … Gaussians.
fn fits(
    points: &[(f64, f64, f64)],
    most: usize,
    objective: Objective,
) -> Result<Vec<GaussianFit>, FitError> {
    let mut search = Search::new(Points::new(points.iter().copied())?, most, objective)?;
    let one_more = |_| {
        search.add();
        search.settle()
    };
    Ok((0..most).map(one_more).collect())
}

fn fit(points: &[(f64, f64, f64)], count: usize, objective: Objective) -> GaussianFit {
    let mut fits = fits(points, count, objective).expect("fits");
    fits.pop().expect("as many as were asked for")
}

fn range(points: &[(f64, f64, f64)]) -> f64 {
    let y = || points.iter().map(|point| point.1);
    y().fold(f64::MIN, f64::max) - y().fold(f64::MAX, f64::min)
}

fn tallest(fit: &GaussianFit) -> f64 {
    let heights = fit.gaussians.iter().map(|gaussian| gaussian.a.abs());
    heights.fold(0.0, f64::max)
}

/// Maximum penalty of least squares on the square of a height, relative to the points' weight: `PENALTY`.
const PENALTY: f64 = 1e-9;

/// Half the derivative of the objective by the height of a Gaussian: the weighted sum of squares plus the penalty. If
/// one wide Gaussian stands for a parabola, its height is a thousand times the range of y, and its penalty would be
/// noticeable in the sum of squares alone.
fn slope(points: &[(f64, f64, f64)], fit: &GaussianFit, of: &Gaussian) -> f64 {
    let one = Gaussian { a: 1.0, ..*of };
    let (mut slope, mut weight) = (0.0, 0.0);
    for (x, y, w) in points {
        slope += w * (fit.at(*x) - y) * one.at(*x);
        weight += w;
    }
    slope + PENALTY * weight * of.a
}

/// A peak with a hollow on either side. Least squares fits it with two opposite Gaussians of nearly equal width, the
/// higher the closer their widths.
fn hat(width: f64) -> impl Fn(f64) -> f64 {
    move |x| {
        let square = (x / width).powi(2);
        (1.0 - square) * (-square).exp()
    }
}

#[test]
fn a_pair_that_cancels_gives_way_to_one_that_can_be_read() {
    for width in [9.0, 14.0, 23.0] {
        let points = points(80, hat(width));
        let free = fit(&points, 2, Objective::LeastSquares);
        assert!(
            free.reading.cancels && free.reading.tallest > 4.0,
            "{free:?}"
        );
        assert!((free.reading.tallest - tallest(&free) / range(&points)).abs() < 1e-9);
        assert_eq!(free.given_up, 0.0);
        let readable = fit(&points, 2, Objective::Readable);
        assert!(readable.reading.is_readable(), "{readable:?}");
        assert!(tallest(&readable) <= 2.0 * range(&points));
        assert!((0.0..=0.01).contains(&readable.given_up), "{readable:?}");
        assert!((free.r2 - readable.r2 - readable.given_up).abs() < 1e-12);
    }
}

#[test]
fn what_cannot_be_read_says_so() {
    // Four peaks and three hollows. Two Gaussians explain most of it if they are very high.
    let points = points(80, |x| {
        let square = (x / 20.0).powi(2);
        let wave = 1.0 - 6.0 * square + 4.0 * square.powi(2) - 8.0 / 15.0 * square.powi(3);
        wave * (-square).exp()
    });
    let free = fit(&points, 2, Objective::LeastSquares);
    let found = fit(&points, 2, Objective::Readable);
    assert!(
        !found.reading.is_readable() && found.given_up <= 0.01,
        "{found:?}"
    );
    assert!(tallest(&found) < tallest(&free), "as moderate as it can be");
}

#[test]
fn gaussians_that_are_apart_are_found_exactly() {
    let planted = [(1.0, 6.0, -30.0), (-0.7, 3.0, 4.0), (0.5, 9.0, 41.0)].map(|(a, width, c)| {
        let b = 1.0 / f64::powi(width, 2);
        Gaussian { a, b, c }
    });
    let points = points(90, |x| {
        planted.iter().map(|one| one.at(x)).sum::<f64>() - 2.0
    });
    let found = fit(&points, 3, Objective::Readable);
    assert_eq!(found, fit(&points, 3, Objective::LeastSquares));
    assert!(found.r2 > 1.0 - 1e-10 && found.given_up == 0.0);
    for one in planted {
        let is_near = |other: &&Gaussian| (one.c - other.c).abs() < 1e-3;
        let other = found.gaussians.iter().find(is_near).expect("its place");
        assert!((one.a - other.a).abs() < 1e-3 && (one.b / other.b - 1.0).abs() < 1e-3);
    }
}

#[test]
fn scale_and_level_choose_nothing() {
    let plain = fit(&points(80, hat(14.0)), 2, Objective::Readable);
    assert!(plain.given_up > 0.0);
    for (scale, level) in [(1024.0, 0.0), (-0.25, 0.0), (3.0, -7.0), (1e-6, 1e-6)] {
        let moved = points(80, |x| scale * hat(14.0)(x) + level);
        let moved = fit(&moved, 2, Objective::Readable);
        assert!((moved.r2 - plain.r2).abs() < 1e-6, "{scale} {level}");
        assert!((moved.intercept - (scale * plain.intercept + level)).abs() < 1e-3 * scale.abs());
        // Both have the same centre, so rounding decides their order.
        let heights = |fit: &GaussianFit, scale: f64| {
            let mut heights: Vec<f64> = fit.gaussians.iter().map(|one| one.a * scale).collect();
            heights.sort_by(f64::total_cmp);
            heights
        };
        for (a, scaled) in heights(&plain, scale).iter().zip(heights(&moved, 1.0)) {
            assert!((a - scaled).abs() < 1e-3 * scale.abs(), "{a} {scaled}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_objective_keeps_its_promise(seed in any::<u64>(), reach in 50..120_i32) {
        let mut random = fastrand::Rng::with_seed(seed);
        let (mut level, mut step) = (0.0, 0.0);
        let walk: Vec<f64> = (0..=2 * reach).map(|_| {
            step = 0.9 * step + random.f64() - 0.5;
            level = 0.97 * level + step;
            level
        }).collect();
        let points = points(reach, |x| walk[(x as i32 + reach) as usize]);
        let free = fits(&points, 5, Objective::LeastSquares).expect("fits");
        let readable = fits(&points, 5, Objective::Readable).expect("fits");
        let non_negative = fits(&points, 5, Objective::NonNegative).expect("fits");
        let total: f64 = points.iter().map(|(_, y, w)| w * y.abs()).sum();
        for (free, (readable, non_negative)) in free.iter().zip(readable.iter().zip(&non_negative)) {
            for other in [readable, non_negative] {
                prop_assert!(other.given_up >= 0.0);
                prop_assert!((other.given_up - (free.r2 - other.r2).max(0.0)).abs() < 1e-12);
            }
            prop_assert!(readable.given_up <= 0.01 + 1e-12);
            if free.reading.is_readable() && free.r2 >= readable.r2 {
                prop_assert_eq!(free, readable);
            }
            // Heights are non-negative; moving one does not lower the cost, and neither does raising one at zero.
            for gaussian in &non_negative.gaussians {
                let slope = slope(&points, non_negative, gaussian) / total;
                prop_assert!(gaussian.a >= 0.0);
                prop_assert!(slope > -1e-10 && (gaussian.a == 0.0 || slope < 1e-10), "{} {}", slope, gaussian.a);
            }
        }
        for objective in [&readable, &non_negative] {
            for pair in objective.windows(2) {
                prop_assert!(pair[1].r2 >= pair[0].r2 - 1e-2, "{} after {}", pair[1].r2, pair[0].r2);
            }
        }
    }
}
