//! Two heads: their difference cell by cell, and their correlation, against the slow formulas.

use crate::support::questions::{FIRST, ask, head_of_first, with_bert};
use diagonal::{
    analysis::{
        AttentionMask, HeadCorrelation, HeadId, HeadTile, MatrixId, MatrixTile, MemorySession,
        ScoreMode,
    },
    math::{PairMoments, Window, reference},
};
use ndarray::Array2;
use proptest::prelude::*;

fn scores(session: &MemorySession, of: HeadId) -> Array2<f64> {
    let window = Window::whole(2048, 2048);
    let tile = ask(
        session,
        HeadTile {
            of,
            window,
            limit: 2048,
        },
    )
    .expect("a tile");
    assert!(tile.is_exact());
    let values = tile.values.iter().map(|v| f64::from(*v)).collect();
    Array2::from_shape_vec((tile.height(), tile.width()), values).expect("a matrix")
}

#[test]
fn difference_and_correlation_are_those_of_all_cells() {
    let session = with_bert();
    for mode in [ScoreMode::Paper, ScoreMode::AsComputed] {
        let (of, with) = (head_of_first(mode, 0, 1), head_of_first(mode, 1, 3));
        let (a, b) = (scores(&session, of), scores(&session, with));
        for cells in [AttentionMask::Whole, AttentionMask::Causal] {
            let counts = |i: usize, j: usize| cells == AttentionMask::Whole || j <= i;
            let question = HeadCorrelation { of, with, cells };
            let found = ask(&session, question)
                .expect("an answer")
                .expect("a correlation");
            let expected = reference::correlation(&a, &b, counts);
            assert!(
                (found - expected).abs() < 1e-5,
                "{found} instead of {expected}"
            );

            let tile = MatrixTile {
                of: MatrixId::HeadDifference(of, with, cells),
                window: None,
                limit: 2048,
            };
            let tile = ask(&session, tile).expect("a tile");
            let size = a
                .iter()
                .chain(&b)
                .fold(0.0_f64, |most, v| most.max(v.abs()));
            for ((i, j), &v) in a.indexed_iter() {
                let found = f64::from(tile.at(i, j).expect("a cell"));
                let is_right = match counts(i, j) {
                    true => (found - (v - b[[i, j]])).abs() < 1e-5 * size,
                    false => found.is_nan(),
                };
                assert!(is_right, "({i}, {j}): {found}");
            }
        }
        // A head and itself.
        let cells = AttentionMask::Whole;
        let same = ask(
            &session,
            HeadCorrelation {
                of,
                with: of,
                cells,
            },
        )
        .expect("an answer");
        assert!(same.is_some_and(|r| (r - 1.0).abs() < 1e-9), "{same:?}");
    }
}

#[test]
fn a_head_that_is_not_there_is_a_sentence() {
    let (of, with) = (
        head_of_first(ScoreMode::Paper, 0, 0),
        head_of_first(ScoreMode::Paper, 7, 0),
    );
    assert_eq!(of.model, FIRST);
    let cells = AttentionMask::Whole;
    let failure = ask(&with_bert(), HeadCorrelation { of, with, cells }).expect_err("no answer");
    assert_eq!(failure.sentence, "The open model has no layer 8, head 1.");
}

proptest! {
    /// The parts in which pairs are added, and a large mean, do not change the correlation.
    #[test]
    fn moments_are_those_of_all_pairs(
        pairs in prop::collection::vec((-8.0..8.0_f32, -8.0..8.0_f32), 4..60),
        cut in 1..20_usize,
        mean in -100.0..100.0_f32,
    ) {
        let a: Vec<f32> = pairs.iter().map(|p| p.0 + mean).collect();
        let b: Vec<f32> = pairs.iter().map(|p| p.1 - mean).collect();
        let mut moments = PairMoments::default();
        for (a, b) in a.chunks(cut).zip(b.chunks(cut)) {
            moments.add(a, b);
        }
        let row = |values: &[f32]| Array2::from_shape_fn((1, values.len()), |(_, j)| f64::from(values[j]));
        let expected = reference::correlation(&row(&a), &row(&b), |_, _| true);
        let found = moments.correlation().expect("a correlation");
        prop_assert!((found - expected).abs() < 1e-9, "{found} instead of {expected}");
    }

    #[test]
    fn a_constant_has_no_correlation(value in -1e6..1e6_f32, count in 1..50_usize) {
        let mut moments = PairMoments::default();
        prop_assert_eq!(moments.correlation(), None);
        let varying: Vec<f32> = (0..count).map(|at| at as f32).collect();
        moments.add(&vec![value; count], &varying);
        prop_assert_eq!(moments.correlation(), None);
    }
}
