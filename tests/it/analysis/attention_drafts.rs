//! Drafts of attention maps, and the number of blocks in a map.

use super::golden_minilm;
use crate::support::questions::{ask, head_of_first, with_bert};
use diagonal::{
    analysis::{
        AttentionPreview, BackendChoice, FINEST_TILE, HeadAttention, HeadTile, MemorySession,
        ScoreMode,
    },
    encoding::{Kernel, Kernels},
    math::{
        AttentionMask, Grid, GridToeplitz, LowRank, Profile, Scores, Tile, Toeplitz, Window,
        reference,
    },
};
use ndarray::{Array2, s};

/// Positions in the checkpoint.
const N: usize = 96;

fn attention_question(
    kernels: Kernels,
    n: usize,
    cells: AttentionMask,
    limit: usize,
) -> HeadAttention {
    HeadAttention {
        of: head_of_first(ScoreMode::AsComputed, 1, 2),
        kernels,
        n,
        cells,
        window: Window::whole(n, n),
        limit,
        by: BackendChoice::Cpu,
    }
}

fn kernels() -> Kernels {
    Kernels(vec![
        Kernel::new(3.0, 0.2, -2.0),
        Kernel::new(-1.5, 0.01, 4.0),
    ])
}

fn map(session: &MemorySession, question: HeadAttention) -> Tile {
    ask(session, question).expect("a map")
}

#[test]
fn attention_with_kernels_is_the_softmax_of_the_sum() {
    let session = with_bert();
    let scores = HeadTile {
        of: head_of_first(ScoreMode::AsComputed, 1, 2),
        window: Window::whole(N, N),
        limit: N,
    };
    let scores = ask(&session, scores).expect("scores");
    for (cells, causal) in [(AttentionMask::Whole, false), (AttentionMask::Causal, true)] {
        for n in [N, 10] {
            let sum = Array2::from_shape_fn((n, n), |(i, j)| {
                f64::from(scores.at(i, j).expect("a cell")) + kernels().at(j as f64 - i as f64)
            });
            let slow = reference::softmax(&sum, causal);
            let fast = map(&session, attention_question(kernels(), n, cells, N));
            for ((i, j), slow) in slow.indexed_iter() {
                let fast = fast.at(i, j).expect("a cell");
                if causal && j > i {
                    assert!(fast.is_nan());
                } else {
                    assert!(
                        (f64::from(fast) - slow).abs() < 1e-6,
                        "{i},{j}: {fast} {slow}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_draft_is_the_map_of_the_middle_queries() {
    let session = with_bert();
    for cells in [AttentionMask::Whole, AttentionMask::Causal] {
        // Also beyond the last position of the model.
        for n in [N, 17, 130] {
            let cell = map(&session, attention_question(kernels(), n, cells, n));
            for limit in [1, 3, 7, n] {
                let whole = attention_question(kernels(), n, cells, limit);
                let blocks = map(&session, whole.clone());
                let draft = ask(&session, AttentionPreview(whole)).expect("a draft");
                assert_eq!(draft.cells, None, "single cells are not known");
                assert_eq!(
                    (&draft.window, draft.row_step),
                    (&blocks.window, blocks.row_step)
                );
                assert_eq!(draft.values.len(), blocks.values.len());
                let step = draft.row_step;
                for (at, (value, mean)) in draft.values.iter().zip(&blocks.values).enumerate() {
                    assert_eq!(value.is_nan(), mean.is_nan(), "{n}, {limit}: block {at}");
                    if value.is_nan() {
                        continue;
                    }
                    let (p, q) = (at / draft.width(), at % draft.width());
                    let rows = p * step..((p + 1) * step).min(n.min(N));
                    let cols = q * step..((q + 1) * step).min(n.min(N));
                    let middle = rows.start + rows.len() / 2;
                    // Masked keys have no share.
                    let share = |j| cell.at(middle, j).filter(|v| !v.is_nan()).unwrap_or(0.0);
                    let sum: f32 = cols.clone().map(share).sum();
                    let expected = sum / cols.len() as f32;
                    assert!(
                        (value - expected).abs() < 1e-6,
                        "{n}, {limit}: {value} {expected}"
                    );
                }
                if limit == n {
                    let same = |(a, b): (&f32, &f32)| a == b || a.is_nan() && b.is_nan();
                    assert!(draft.values.iter().zip(&blocks.values).all(same));
                }
            }
        }
    }
}

#[test]
fn rows_come_in_any_order() {
    let grid = Grid {
        height: 3,
        width: 4,
    };
    let (height, width) = grid.reach();
    let table = Array2::from_shape_fn((12, 5), |(i, j)| ((i * 7 + j * 3) % 11) as f32 - 4.0);
    let by_offset = |length: usize| (0..length).map(|k| (k as f64 * 0.7).sin()).collect();
    let kinds = [
        Scores::Product(LowRank::gram(table.clone()), None),
        Scores::Product(LowRank::product(table.clone(), table * 0.5, 1.5), None),
        Scores::Toeplitz(Toeplitz::new(Profile::new(by_offset(23)))),
        Scores::Grid(GridToeplitz::new(grid, by_offset(height * width))),
    ];
    for scores in kinds {
        let all = scores.rows(0..12);
        let chosen = [7, 0, 11, 7];
        let rows = scores.rows_of(&chosen);
        for (row, i) in rows.rows().into_iter().zip(chosen) {
            assert_eq!(row, all.slice(s![i, ..]));
        }
        assert_eq!(scores.rows_of(&[]).dim(), (0, 12));
    }
}

/// Growing a picture by a pixel usually gives the same blocks, so the tile is not requested again.
#[test]
fn limits_that_cut_alike_are_one_limit() {
    for (height, width) in [(1, 1), (24, 24), (512, 768), (1000, 30), (4096, 4096)] {
        let window = Window::whole(height, width);
        for limit in [0, 1, 7, 255, 256, 257, 511, 512, 600, 1023, 5000] {
            let blocks = window.blocks(limit);
            assert!(blocks <= limit.max(1) && blocks >= 1);
            assert_eq!(
                window.step(blocks),
                window.step(limit),
                "{window:?}, {limit}"
            );
            assert_eq!(window.blocks(blocks), blocks);
            let steps = |limit: usize| {
                let stored = Array2::<f32>::zeros((height.min(64), width.min(64)));
                let tile = Tile::from_matrix(
                    stored.view(),
                    Window::whole(height.min(64), width.min(64)),
                    limit,
                );
                (tile.row_step, tile.col_step)
            };
            let small = Window::whole(height.min(64), width.min(64));
            assert_eq!(steps(small.blocks(limit)), steps(limit));
        }
    }
}

#[test]
fn matrices_are_as_fine_as_they_are_asked_for() {
    let (session, _) = golden_minilm::open();
    for (limit, exact) in [(256, false), (512, true), (FINEST_TILE + 1, true)] {
        let question = HeadAttention {
            of: head_of_first(ScoreMode::Paper, 0, 0),
            ..attention_question(Kernels::default(), 512, AttentionMask::Whole, limit)
        };
        assert_eq!(map(&session, question).is_exact(), exact, "{limit}");
    }
}
