//! Interpretable: can the learned numbers be read?

use super::{Curve, DemonstrationPicture, EncodingMethod, Outcome, Quantity, REACH, SmallHead};
use crate::{
    analysis::criteria::small_head::{HEAD, r2, t5_buckets},
    encoding::{Kernel, Kernels},
};

/// Positions per side of the matrix of changes.
const MOVED_POSITIONS: usize = 24;

/// Change of all scores when the number with index `which` is moved by `by`.
pub(super) fn move_number(way: EncodingMethod, which: usize, by: f64) -> Outcome {
    let none = Kernels::default();
    // A rotary head has no positional numbers, so a number of its query is moved; the content is the same at all
    // positions.
    let own_nothing = way == EncodingMethod::Rotary;
    let which = if own_nothing { which % HEAD } else { which };
    let scores = |moved| {
        SmallHead {
            way,
            positions: MOVED_POSITIONS,
            queries: MOVED_POSITIONS,
            seed: 1,
            contents_differ: !own_nothing,
            change: moved,
            kernels: &none,
        }
        .scores()
    };
    let (before, mut change) = (scores(None), scores(Some((which, by))));
    for (after, before) in change.iter_mut().flatten().zip(before.iter().flatten()) {
        *after -= before;
    }
    let moving = change.iter().flatten().filter(|v| v.abs() > 1e-9).count();
    Outcome {
        words: match way {
            EncodingMethod::Sinusoidal => {
                "One number of the query map has changed. The picture shows the change of every score."
            }
            EncodingMethod::Rotary => {
                "One number of the query has changed. The picture shows the change of every score."
            }
            _ => "One learned number has changed. The picture shows the change of every score.",
        },
        numbers: vec![
            ("scores that change", Quantity::Count(moving as u64)),
            (
                "of",
                Quantity::Count((MOVED_POSITIONS * MOVED_POSITIONS) as u64),
            ),
            ("Toeplitz R² of the change", Quantity::Share(r2(&change))),
        ],
        picture: DemonstrationPicture::Matrix(change),
    }
}

/// Reads a kernel: its offset, its odds and its half-width.
pub(super) fn kernel(kernel: Kernel) -> Outcome {
    let half = (std::f64::consts::LN_2 / kernel.b).sqrt();
    Outcome {
        words: if kernel.a > 0.0 {
            "The head attends to this offset more than to others."
        } else if kernel.a < 0.0 {
            "The head attends to this offset less than to others."
        } else {
            "Without amplitude the kernel has no effect."
        },
        numbers: vec![
            ("its offset, c", Quantity::Number(kernel.c)),
            ("odds there, times eᵃ", Quantity::Number(kernel.a.exp())),
            ("half as much this far away", Quantity::Number(half)),
        ],
        picture: DemonstrationPicture::Curves {
            axis: super::CurveAxis::Offset,
            first: -REACH,
            curves: vec![Curve {
                name: "f(k)",
                values: (-REACH..=REACH).map(|k| kernel.at(k as f64)).collect(),
                is_reference: false,
            }],
        },
    }
}

/// Largest |offset| in the picture of buckets.
const FAR: i64 = 160;

/// Reads the bucket of offset `k`: the offsets that share it, and their score.
pub(super) fn bucket(k: i64) -> Outcome {
    let kernels = Kernels::default();
    let small = |queries, positions| SmallHead {
        way: EncodingMethod::T5,
        positions,
        queries,
        seed: 1,
        contents_differ: false,
        change: None,
        kernels: &kernels,
    };
    // The last query lies in the middle of the keys, so its offsets are −FAR … FAR.
    let scores = small(FAR as usize + 1, 2 * FAR as usize + 1).scores();
    let row = scores.into_iter().next_back().unwrap_or_default();
    let buckets = t5_buckets();
    let of = |k: i64| buckets.map_or(0, |buckets| buckets.bucket(k));
    let sharing: Vec<i64> = (-FAR..=FAR).filter(|&other| of(other) == of(k)).collect();
    let ends = (sharing.first().copied(), sharing.last().copied());
    let inside = |k: i64| ends.0.is_some_and(|l| l <= k) && ends.1.is_some_and(|h| k <= h);
    let score = row.get((k + FAR) as usize).copied().unwrap_or_default();
    Outcome {
        words: "All offsets of the bucket have this one score; the last buckets have no end.",
        numbers: vec![
            ("its bucket", Quantity::Count(of(k) as u64)),
            ("from offset", Quantity::Number(ends.0.unwrap_or(k) as f64)),
            ("to offset", Quantity::Number(ends.1.unwrap_or(k) as f64)),
            ("odds there, times", Quantity::Number(score.exp())),
        ],
        picture: DemonstrationPicture::Curves {
            axis: super::CurveAxis::Offset,
            first: -FAR,
            curves: vec![
                Curve {
                    name: "this bucket",
                    values: (-FAR..=FAR)
                        .zip(&row)
                        .map(|(k, v)| if inside(k) { *v } else { f64::NAN })
                        .collect(),
                    is_reference: false,
                },
                Curve {
                    name: "all buckets",
                    values: row,
                    is_reference: true,
                },
            ],
        },
    }
}
