//! Value ranges of the cells behind block means.

use diagonal::{
    analysis::{
        BlockValueRange, HeadTile, MatrixId, MatrixPart, PositionTile, ScoreMode, Similarity,
    },
    figure::{ColorMap, Figure, Heatmap, Mark},
    math::{
        AttentionMask, Profile, RowBlocks, Tile, Toeplitz, Window, attention_rows,
        toeplitz_attention,
    },
};
use proptest::prelude::*;
use std::sync::Arc;

use crate::support::questions::{FIRST, ask, head_of_first, with_bert};

const LIMIT: usize = 6;

/// Random scores.
fn scores(n: usize, seed: u64) -> Toeplitz {
    let mut random = fastrand::Rng::with_seed(seed);
    Toeplitz::new(Profile::from_fn(n, |_| 4.0 * random.f64() - 2.0))
}

/// The attention map, row by row.
fn attention(scores: &Toeplitz, cells: AttentionMask) -> Vec<f32> {
    let n = scores.n();
    let mut rows = scores.rows(0..n).into_raw_vec_and_offset().0;
    attention_rows(&mut rows, n, 0, cells);
    rows
}

/// Minimum and maximum over the cells of a window, cell by cell.
fn looked_up(
    n: usize,
    matrix: &[f32],
    window: &Window,
    cells: AttentionMask,
) -> Option<(f32, f32)> {
    let each = window
        .rows
        .clone()
        .flat_map(|i| window.cols.clone().map(move |j| (i, j)));
    let counted = each.filter(|(i, j)| cells == AttentionMask::Whole || j <= i);
    counted
        .map(|(i, j)| matrix[i * n + j])
        .fold(None, |range, value| {
            let (low, high) = range.unwrap_or((value, value));
            Some((f32::min(low, value), f32::max(high, value)))
        })
}

fn window() -> impl Strategy<Value = (usize, Window, u64)> {
    (7..40_usize).prop_flat_map(|n| {
        let side = || (0..n, 1..=n).prop_map(move |(start, length)| start..(start + length).min(n));
        (
            Just(n),
            (side(), side()).prop_map(|(rows, cols)| Window { rows, cols }),
            any::<u64>(),
        )
    })
}

fn near(found: Option<(f32, f32)>, expected: Option<(f32, f32)>) -> bool {
    match (found, expected) {
        (Some(found), Some(expected)) => {
            let close = |a: f32, b: f32| (a - b).abs() <= 1e-5 * b.abs();
            close(found.0, expected.0) && close(found.1, expected.1)
        }
        (found, expected) => found == expected,
    }
}

proptest! {
    #[test]
    fn scores_by_offset_know_their_range((n, window, seed) in window()) {
        let scores = scores(n, seed);
        let matrix = scores.rows(0..n).into_raw_vec_and_offset().0;
        for cells in [AttentionMask::Whole, AttentionMask::Causal] {
            let expected = looked_up(n, &matrix, &window, cells);
            prop_assert_eq!(scores.cell_range(&window, cells), expected);
        }
        let tile = scores.tile(window.clone(), LIMIT);
        prop_assert_eq!(tile.cells, looked_up(n, &matrix, &window, AttentionMask::Whole));
    }

    #[test]
    fn attention_knows_its_range((n, window, seed) in window()) {
        let scores = scores(n, seed);
        for cells in [AttentionMask::Whole, AttentionMask::Causal] {
            let matrix = attention(&scores, cells);
            let expected = looked_up(n, &matrix, &window, cells);
            let tile = toeplitz_attention(&scores, cells, window.clone(), LIMIT);
            prop_assert!(near(tile.cells, expected), "{:?} and not {expected:?}", tile.cells);
            let mut blocks = RowBlocks::new(window.clone(), LIMIT, cells);
            for (i, row) in matrix.chunks_exact(n).enumerate() {
                blocks.add(i, row);
            }
            prop_assert_eq!(blocks.finish().cells, expected);
        }
    }
}

fn texts(figure: &impl Figure, width: f64) -> Vec<String> {
    let marks = figure.scene(width).marks.into_iter();
    let text = |mark| match mark {
        Mark::Text { text, .. } => Some(text),
        _ => None,
    };
    marks.filter_map(text).collect()
}

#[test]
fn a_bar_of_block_means_says_so() {
    let scores = Toeplitz::new(Profile::from_fn(64, |k| if k == -1 { 5.0 } else { 0.0 }));
    let tile = Arc::new(scores.tile(Window::whole(64, 64), 8));
    let greatest = tile.values.iter().copied().fold(0.0, f32::max);
    assert!(greatest < 1.0, "a mean of few high cells among many");
    let drawn = Heatmap::matrix(Arc::clone(&tile), ColorMap::Diverging, 0.0);
    let wide = texts(&drawn, 500.0);
    assert!(
        wide.contains(&"means of 8×8 cells; cells 0 to 5.00".to_owned()),
        "{wide:?}"
    );
    let narrow = texts(&drawn, 260.0);
    for line in ["means of 8×8 cells", "cells 0 to 5.00"] {
        assert!(narrow.contains(&line.to_owned()), "{narrow:?}");
    }
    let below = |width: f64| drawn.height(width) - drawn.frame(width).bottom();
    assert!(
        below(260.0) > below(500.0),
        "two lines need more room than one"
    );
    assert!(drawn.summary().contains("Single cells from 0 to 5.00."));
    let exact = Heatmap::matrix(
        Arc::new(scores.tile(Window::whole(64, 64), 64)),
        ColorMap::Hot,
        0.0,
    );
    assert!(
        texts(&exact, 500.0)
            .iter()
            .all(|text| !text.contains("means"))
    );
}

fn uniform(n: usize) -> Tile {
    let flat = Toeplitz::new(Profile::from_fn(n, |_| 0.0));
    toeplitz_attention(&flat, AttentionMask::Whole, Window::whole(n, n), n)
}

#[test]
fn uniform_attention_is_neither_bright_nor_dark() {
    let n = 16;
    let drawn = Heatmap::attention(
        Arc::new(uniform(n)),
        ColorMap::Viridis,
        n,
        AttentionMask::Whole,
    );
    let (low, high) = drawn.range().ends;
    assert_eq!((low, high), (0.0, 2.0 / n as f64));
    assert!(texts(&drawn, 400.0).contains(&"1/n".to_owned()));
    // One colour everywhere: the middle one.
    let pixels = drawn.raster().rgba.clone();
    let middle = [pixels[0], pixels[1], pixels[2]];
    assert!(pixels.chunks_exact(4).all(|pixel| pixel[..3] == middle));
    let ends = Heatmap::matrix(
        Arc::new(Toeplitz::new(Profile::from_fn(2, |k| k as f64)).tile(Window::whole(2, 2), 2)),
        ColorMap::Viridis,
        0.0,
    );
    let bright = ends.raster().rgba[4..7].to_vec();
    assert_ne!(middle.to_vec(), bright);
}

#[test]
fn what_the_first_queries_alone_reach_is_beyond_the_colours() {
    let n = 64;
    let flat = Toeplitz::new(Profile::from_fn(n, |_| 0.0));
    let tile = toeplitz_attention(&flat, AttentionMask::Causal, Window::whole(n, n), n);
    let drawn = Heatmap::attention(Arc::new(tile), ColorMap::Viridis, n, AttentionMask::Causal);
    let (_, high) = drawn.range().ends;
    assert!(
        high < 0.3,
        "the very first query's 1 would leave the others dark: {high}"
    );
    assert_eq!(drawn.range().values.1, 1.0);
}

#[test]
fn the_cells_of_a_model_lie_between_the_ends_that_are_said() {
    let session = with_bert();
    // Small enough for one cell per block.
    let window = Window {
        rows: 3..40,
        cols: 10..47,
    };
    for part in [
        MatrixPart::Whole,
        MatrixPart::Toeplitz,
        MatrixPart::Residual,
    ] {
        let similarity = Similarity::InnerProduct;
        let of = MatrixId::Positions(FIRST, similarity, part);
        let window = window.clone();
        let range = ask(
            &session,
            BlockValueRange {
                of,
                window: window.clone(),
            },
        );
        let tile = ask(
            &session,
            PositionTile {
                of: FIRST,
                similarity,
                part,
                window: Some(window),
                limit: 512,
            },
        );
        let tile = tile.expect("a tile");
        assert!(tile.is_exact());
        let cells = range.expect("a range");
        assert!(
            near(cells, lowest_and_highest(&tile)),
            "{part:?}: {cells:?}"
        );
    }
    let head = head_of_first(ScoreMode::Paper, 1, 2);
    let tile = HeadTile {
        of: head,
        window: window.clone(),
        limit: 512,
    };
    let tile = ask(&session, tile).expect("a tile");
    for (cells, map) in [
        (AttentionMask::Whole, tile.clone()),
        (AttentionMask::Causal, tile.causal()),
    ] {
        let of = MatrixId::Head(head, cells);
        let range = BlockValueRange {
            of,
            window: window.clone(),
        };
        let range = ask(&session, range).expect("a range");
        assert!(
            near(range, lowest_and_highest(&map)),
            "{cells:?}: {range:?}"
        );
    }
    // Above the diagonal a causal mask leaves no cell.
    let unseen = BlockValueRange {
        of: MatrixId::Head(head, AttentionMask::Causal),
        window: Window {
            rows: 0..4,
            cols: 10..20,
        },
    };
    assert_eq!(ask(&session, unseen), Ok(None));
}

/// Minimum and maximum of a tile's values, ignoring NaN.
fn lowest_and_highest(tile: &Tile) -> Option<(f32, f32)> {
    let numbers = tile.values.iter().copied().filter(|value| !value.is_nan());
    numbers.fold(None, |range, value| {
        let (low, high) = range.unwrap_or((value, value));
        Some((f32::min(low, value), f32::max(high, value)))
    })
}

#[test]
fn a_picture_has_as_many_lines_before_its_range_is_known_as_after() {
    let tile = Arc::new(uniform(64));
    let coarse = Arc::new(Tile {
        cells: None,
        row_step: 4,
        col_step: 4,
        values: tile.values[..256].to_vec(),
        ..tile.as_ref().clone()
    });
    for width in [120.0, 300.0, 640.0] {
        let before = Heatmap::matrix(Arc::clone(&coarse), ColorMap::Hot, 0.0);
        let after = before.clone().with_cells(Some((-0.25, 1.5)));
        assert_eq!(before.height(width), after.height(width), "{width}");
        let words = |figure: &Heatmap| format!("{:?}", figure.scene(width).marks);
        assert!(!words(&before).contains("1.5"), "{width}");
        assert!(words(&after).contains("1.5"), "{width}");
        assert!(after.summary().contains("Single cells from"));
    }
}
