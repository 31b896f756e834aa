//! Scores by row and column of heads that rotate patches, against rotated queries and keys, and how much of them is a
//! score by row plus a score by column.

use diagonal::{
    encoding::{PairRotation, PatchAngles, PatchPairs, PatchScores},
    figure::patch_rotation_caption,
    math::{Grid, GridFit, reference},
};
use proptest::{collection::vec, prelude::*};

/// Columns of a head: three pairs, and one column that is not rotated.
const WIDTH: usize = 7;
const COLUMNS: [(usize, usize); 3] = [(0, 3), (4, 1), (2, 6)];
const SCALE: f64 = 0.37;

fn scores(query: &[f64], key: &[f64], frequencies: &[[f64; 2]]) -> PatchScores {
    let rotation = PairRotation {
        columns: &COLUMNS,
        frequencies,
        scale: SCALE,
    };
    PatchScores::new((query, key), &rotation)
}

fn grid() -> impl Strategy<Value = Grid> {
    (1_usize..5, 1_usize..5).prop_map(|(height, width)| Grid { height, width })
}

proptest! {
    #[test]
    fn scores_are_products_of_rotated_queries_and_keys(
        grid in grid(),
        query in vec(-2.0..2.0, WIDTH),
        key in vec(-2.0..2.0, WIDTH),
        frequencies in vec([-3.0..3.0, -3.0..3.0], 3),
    ) {
        let found = scores(&query, &key, &frequencies).scores(grid);
        let pairs: Vec<_> = COLUMNS.into_iter().zip(frequencies).collect();
        let slow = reference::rotated_patch_scores(grid, (&query, &key), &pairs);
        let n = grid.cells();
        for (at, product) in slow.iter().enumerate() {
            let score = found.cell(at / n, at % n);
            prop_assert!((score - SCALE * product).abs() < 1e-12, "{score} for {product}");
        }
        // How much of it is g(Δy) + h(Δx).
        let (fit, share) = (found.fit(), reference::axis_r2(grid, &slow));
        if n > 1 && fit.axis_r2().is_finite() {
            prop_assert!((fit.axis_r2() - share).abs() < 1e-9, "{} for {share}", fit.axis_r2());
            prop_assert!(fit.axis_r2() < 1.0 + 1e-12);
        }
    }

    /// Angles of rows or of columns give a score by row plus a score by column.
    #[test]
    fn axial_scores_are_sums_over_axes(
        query in vec(0.5..2.0, 12),
        key in vec(0.5..2.0, 12),
        order in prop::sample::select(vec![
            PatchPairs::RowsFirst, PatchPairs::ColumnsFirst, PatchPairs::Alternating, PatchPairs::SharedList,
        ]),
    ) {
        let angles = PatchAngles { width: 12, base: 100.0, order, steps: [1.0, 0.7] };
        let rotation = PairRotation {
            columns: &[(0, 6), (1, 7), (2, 8), (3, 9), (4, 10), (5, 11)],
            frequencies: &angles.frequencies(),
            scale: 1.0,
        };
        let fit = PatchScores::new((&query, &key), &rotation).scores(Grid { height: 4, width: 6 }).fit();
        prop_assert!((fit.axis_r2() - 1.0).abs() < 1e-12, "{}", fit.axis_r2());
        prop_assert!(patch_rotation_caption(&fit).contains("(axial)"));
    }
}

/// cos(Δy + Δx) on 2 by 2 patches: the means of rows and of columns are by hand.
#[test]
fn mixed_scores_are_no_sum_over_axes() {
    let grid = Grid {
        height: 2,
        width: 2,
    };
    let unit = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let head = PatchScores::new(
        (&unit, &unit),
        &PairRotation {
            columns: &COLUMNS[..1],
            frequencies: &[[1.0, 1.0]],
            scale: 1.0,
        },
    );
    let scores = head.scores(grid);
    let (one, two) = (1_f64.cos(), 2_f64.cos());
    let expected = [two, one, 1.0, one, 1.0, one, 1.0, one, two];
    for (f, expected) in scores.profile().iter().zip(expected) {
        assert!((f - expected).abs() < 1e-15);
    }
    // Weights of Δ = −1, 0, 1 are 1, 2, 1. By symmetry, rows and columns have the same means.
    let edge = (two + 2.0 * one + 1.0) / 4.0;
    let middle = (one + 1.0) / 2.0;
    let mean = (edge + middle) / 2.0;
    let squares = 2.0 * two * two + 8.0 * one * one + 6.0;
    let of_axis = 16.0 * ((edge - mean).powi(2) + (middle - mean).powi(2)) / 2.0;
    let share = 2.0 * of_axis / (squares - 16.0 * mean * mean);
    let fit = scores.fit();
    assert!((fit.axis_r2() - share).abs() < 1e-12, "{}", fit.axis_r2());
    let caption = patch_rotation_caption(&fit);
    assert!(caption.contains("(mixed)"), "{caption}");
    assert!(
        caption.contains(&format!("{:.1} %", 100.0 * share)),
        "{caption}"
    );
}

/// Keys without a shared part have a score of 0 everywhere.
#[test]
fn scores_that_do_not_vary_say_nothing_of_axes() {
    let grid = Grid {
        height: 3,
        width: 2,
    };
    let fit: GridFit = scores(&[1.0; WIDTH], &[0.0; WIDTH], &[[1.0, 0.5]; 3])
        .scores(grid)
        .fit();
    assert!(fit.axis_r2().is_nan());
    let caption = patch_rotation_caption(&fit);
    assert!(!caption.contains("axial") && !caption.contains("mixed"));
}
