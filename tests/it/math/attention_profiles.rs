//! How close heads are to a convolution: against slow reference implementations, and by laws that hold for all scores.

use super::laws::config;
use crate::support::oracles::random;
use diagonal::{
    analysis::{AttentionMask, profile_letter},
    math::{
        ALIKE, AttentionFit, AttentionProfile, ENOUGH_INSIDE, Grid, GridToeplitz, LowRank,
        ProfileReach, Scores, Toeplitz, reference, shared_profiles,
    },
};
use fastrand::Rng;
use ndarray::Array2;
use proptest::prelude::*;

/// Scores as a matrix in `f64`.
fn dense(scores: &Scores) -> Array2<f64> {
    scores.rows(0..scores.n()).mapv(f64::from)
}

/// Random scores of a product on a grid.
fn product(grid: Grid, width: usize, spread: f32, seed: u64) -> Scores {
    let mut rng = Rng::with_seed(seed);
    let mut factor = || random(&mut rng, grid.cells(), width) * spread;
    Scores::Product(LowRank::product(factor(), factor(), 0.3), Some(grid))
}

/// The share explained, from the reference implementation.
fn slowly(scores: &Scores, grid: Grid, cells: AttentionMask) -> f64 {
    of_matrix(&dense(scores), grid, cells)
}

pub(crate) fn of_matrix(scores: &Array2<f64>, grid: Grid, cells: AttentionMask) -> f64 {
    let attention = reference::softmax(scores, cells == AttentionMask::Causal);
    match cells {
        AttentionMask::Causal => reference::causal_toeplitz_r2(&attention),
        AttentionMask::Whole if grid.height == 1 => reference::toeplitz_r2(&attention),
        AttentionMask::Whole => reference::grid_r2(&attention, grid.width),
    }
}

proptest! {
    #![proptest_config(config(64))]

    #[test]
    fn the_share_is_that_of_the_slow_twin(
        height in 1..6_usize, width in 2..8_usize, spread in 0.05..2.0_f32, seed: u64,
    ) {
        let grid = Grid { height, width };
        let scores = product(grid, 3, spread, seed);
        let fit = AttentionFit::compute(&scores, grid, AttentionMask::Whole);
        let slow = slowly(&scores, grid, AttentionMask::Whole);
        prop_assert!((fit.explained_share - slow).abs() < 1e-6, "{} {slow}", fit.explained_share);
        let attention = reference::softmax(&dense(&scores), false);
        let means = reference::grid_mean(&attention, width);
        for (g, mean) in fit.g.iter().zip(means) {
            prop_assert!((g - mean).abs() < 1e-6);
        }
    }

    #[test]
    fn the_share_of_a_decoder_is_over_the_keys_that_it_sees(
        n in 2..30_usize, spread in 0.05..2.0_f32, seed: u64,
    ) {
        let grid = Grid::line(n);
        let scores = product(grid, 3, spread, seed);
        let fit = AttentionFit::compute(&scores, grid, AttentionMask::Causal);
        let slow = slowly(&scores, grid, AttentionMask::Causal);
        prop_assert!((fit.explained_share - slow).abs() < 1e-6, "{} {slow}", fit.explained_share);
        prop_assert!(fit.g[n..].iter().all(|g| *g == 0.0), "no later key is seen");
    }

    #[test]
    fn a_profile_moved_is_the_same_profile(dy in -2..=2_i64, dx in -2..=2_i64, seed: u64) {
        // Bumps at most two offsets from the centre, in a window that reaches five.
        let mut rng = Rng::with_seed(seed);
        let bump: Vec<f32> = (0..9).map(|_| 0.05 + rng.f32()).collect();
        let at = |down: i64, across: i64| profile(5, |y, x| {
            let (y, x) = (y - down, x - across);
            if y.abs() <= 1 && x.abs() <= 1 { bump[((y + 1) * 3 + x + 1) as usize] } else { 0.0 }
        });
        let (here, there) = (at(0, 0), at(dy, dx));
        prop_assert!((here.alikeness(&there) - 1.0).abs() < 1e-9);
        prop_assert_eq!(shared_profiles(&[here, there]), vec![Some(0), Some(0)]);
    }

    #[test]
    fn alikeness_is_that_of_the_slow_twin(down in 0..4_usize, across in 1..4_usize, seed: u64) {
        let reach = ProfileReach { down, across };
        let mut rng = Rng::with_seed(seed);
        let mut any = || AttentionProfile {
            reach,
            values: reach.offsets().map(|_| rng.f32().powi(4)).collect(),
            inside: 1.0,
        };
        let (a, b) = (any(), any());
        let picture = |of: &AttentionProfile| {
            let values = of.values.iter().map(|v| f64::from(*v)).collect();
            Array2::from_shape_vec(reach.size(), values).expect("a picture")
        };
        let slow = reference::alikeness(&picture(&a), &picture(&b));
        prop_assert!((a.alikeness(&b) - slow).abs() < 1e-9);
        prop_assert!((b.alikeness(&a) - slow).abs() < 1e-9, "both ways");
    }
}

/// A square profile.
fn profile(reach: usize, value: impl Fn(i64, i64) -> f32) -> AttentionProfile {
    let reach = ProfileReach {
        down: reach,
        across: reach,
    };
    let values = reach.offsets().map(|(dy, dx)| value(dy, dx));
    AttentionProfile {
        reach,
        values: values.collect(),
        inside: 1.0,
    }
}

#[test]
fn attention_without_an_edge_is_all_convolution() {
    // On a ring, softmax divides every row by the same sum, and with period n offsets k and k − n are the same.
    let n = 24;
    let ring = |k: i64| f64::from((k.rem_euclid(n as i64) as f32 * 0.7).cos());
    let scores = Scores::Toeplitz(Toeplitz::from_fn(n, ring));
    let fit = AttentionFit::compute(&scores, Grid::line(n), AttentionMask::Whole);
    assert!(
        (fit.explained_share - 1.0).abs() < 1e-9,
        "{}",
        fit.explained_share
    );
    // Uniform attention is constant.
    let flat = Scores::Toeplitz(Toeplitz::from_fn(n, |_| 3.0));
    let fit = AttentionFit::compute(&flat, Grid::line(n), AttentionMask::Whole);
    assert!(
        (fit.explained_share - 1.0).abs() < 1e-9,
        "{}",
        fit.explained_share
    );
}

#[test]
fn sharp_heads_lose_to_the_edge_alone() {
    // A head on its own pixel loses nothing; one on the neighbouring pixel loses at one edge.
    let grid = Grid {
        height: 9,
        width: 9,
    };
    let at = |y: i64, x: i64| {
        let score = move |dy: i64, dx: i64| -40.0 * ((dy - y).pow(2) + (dx - x).pow(2)) as f64;
        let scores = Scores::Grid(GridToeplitz::from_fn(grid, score));
        AttentionFit::compute(&scores, grid, AttentionMask::Whole)
    };
    let own = at(0, 0);
    assert!((own.explained_share - 1.0).abs() < 1e-9);
    assert_eq!(own.profile().peak(), (0, 0));
    let beside = at(-1, 2);
    assert!(
        (0.5..0.99).contains(&beside.explained_share),
        "{}",
        beside.explained_share
    );
    assert_eq!(beside.profile().peak(), (-1, 2));
    assert_eq!(
        shared_profiles(&[own.profile(), beside.profile()]),
        [Some(0), Some(0)]
    );
}

#[test]
fn random_scores_are_no_convolution() {
    let grid = Grid {
        height: 8,
        width: 8,
    };
    let scores = product(grid, 16, 0.5, 7);
    let fit = AttentionFit::compute(&scores, grid, AttentionMask::Whole);
    // Random attention explains about 225 of 4096 cells' variance: one share per offset.
    assert!(fit.explained_share < 0.15, "{}", fit.explained_share);
}

#[test]
fn scores_that_are_no_numbers_have_no_share() {
    let table = Array2::from_shape_fn((5, 2), |(i, _)| if i == 2 { f32::NAN } else { i as f32 });
    let scores = Scores::Product(LowRank::gram(table), None);
    let fit = AttentionFit::compute(&scores, Grid::line(5), AttentionMask::Whole);
    assert!(fit.explained_share.is_nan());
    let _ = fit.profile().peak();
    // A single position has one cell.
    let one = Scores::Toeplitz(Toeplitz::from_fn(1, |_| 2.0));
    let fit = AttentionFit::compute(&one, Grid::line(1), AttentionMask::Causal);
    assert_eq!((fit.explained_share, fit.g), (1.0, vec![1.0]));
}

/// A Gaussian of the given α, centred at (y, x), on a square, or on a line if there are no rows.
fn gaussian(alpha: f64, (y, x): (f64, f64), reach: ProfileReach) -> AttentionProfile {
    let weight = |(dy, dx): (i64, i64)| {
        let (dy, dx) = (dy as f64 - y, dx as f64 - x);
        (-alpha * (dy * dy + dx * dx)).exp()
    };
    let all: f64 = reach.offsets().map(weight).sum();
    AttentionProfile {
        reach,
        values: reach
            .offsets()
            .map(|at| (weight(at) / all) as f32)
            .collect(),
        inside: 1.0,
    }
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn one_letter_is_one_width_at_any_centres(
        alpha in 0.3..1.0_f64,
        wider in 1.0..2.0_f64,
        on_a_line: bool,
        (y, x) in (-2.0..2.0_f64, -2.0..2.0_f64),
    ) {
        let (down, y) = if on_a_line { (0, 0.0) } else { (8, y.round()) };
        let reach = ProfileReach { down, across: 12 };
        // Centres on whole offsets, because a narrow Gaussian between two offsets is another kernel.
        let here = gaussian(alpha, (0.0, 0.0), reach);
        let there = gaussian(alpha / wider.powi(2), (y, x.round()), reach);
        if wider > 1.3 {
            prop_assert_ne!(shared_profiles(&[here, there])[1], Some(0));
        } else if wider < 1.03 {
            prop_assert_eq!(shared_profiles(&[here, there])[1], Some(0));
        }
    }
}

#[test]
fn profiles_that_differ_have_their_own_letters() {
    let narrow = |y: i64, x: i64| {
        profile(5, move |dy, dx| {
            (-2.0 * ((dy - y).pow(2) + (dx - x).pow(2)) as f32).exp()
        })
    };
    let wide = |y: i64, x: i64| {
        profile(5, move |dy, dx| {
            (-0.25 * ((dy - y).pow(2) + (dx - x).pow(2)) as f32).exp()
        })
    };
    let far = AttentionProfile {
        inside: 0.9 * ENOUGH_INSIDE,
        ..narrow(0, 0)
    };
    assert!(narrow(0, 0).alikeness(&wide(0, 0)) < ALIKE);
    let heads = [
        wide(0, 0),
        narrow(1, 1),
        narrow(-2, 0),
        far,
        narrow(0, 2),
        wide(1, 0),
    ];
    let letters = shared_profiles(&heads);
    let letters: Vec<String> = letters
        .into_iter()
        .map(|group| group.map_or("–".to_owned(), profile_letter))
        .collect();
    assert_eq!(letters, ["B", "A", "A", "–", "A", "B"]);
    assert_eq!(profile_letter(25), "Z");
    assert_eq!(profile_letter(26), "AA");
    assert_eq!(profile_letter(27), "AB");
    assert!(shared_profiles(&[]).is_empty());
}
