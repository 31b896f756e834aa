//! Relative schemes as scores: what a model stores by bucket or distance, laid out over positions.

use super::scores::Scores;
use crate::{
    encoding::{AuthorsLayer, Buckets, RelativeRows, WindowBias},
    math::{Grid, LowRank, Profile, Toeplitz},
    model::{LayerBias, Scheme, WindowRows},
};
use ndarray::{Array2, ArrayView1};

/// Positions looked at unless somebody asks for another number.
pub(super) const USUAL_LENGTH: usize = 128;

/// The window whose positions a scheme is about.
pub(super) fn grid(scheme: Scheme) -> Option<Grid> {
    match scheme {
        Scheme::Window { height, width, .. } => Some(Grid {
            height: height as usize,
            width: width as usize,
        }),
        Scheme::Buckets { .. } | Scheme::Distances { .. } | Scheme::Kernels => None,
    }
}

/// The kernels of a layer, where its scores are made of such.
pub(super) fn kernels(bias: &LayerBias) -> Option<AuthorsLayer> {
    let LayerBias::Kernels {
        offsets,
        amplitudes,
        sharpness,
    } = bias
    else {
        return None;
    };
    let numbers = |array: &Array2<f64>| array.iter().copied().collect();
    Some(AuthorsLayer {
        heads: offsets.ncols(),
        offsets: numbers(offsets),
        amplitudes: numbers(amplitudes),
        sharpness: numbers(sharpness),
    })
}

/// Scores of n positions in one head; `None` for a scheme whose numbers contradict one another.
pub(super) fn head(scheme: Scheme, bias: &LayerBias, head: usize, n: usize) -> Option<Scores> {
    let column = |columns: &Array2<f32>| columns.column(head).to_vec();
    match (scheme, bias) {
        (
            Scheme::Buckets {
                count,
                max_distance,
                bidirectional,
            },
            LayerBias::Stored(columns),
        ) => {
            let buckets = Buckets::new(count as usize, max_distance as usize, bidirectional)?;
            let f = buckets.profile(&column(columns), n);
            Some(Scores::Toeplitz(Toeplitz::new(Profile::new(f))))
        }
        (Scheme::Window { rows, .. }, LayerBias::Stored(columns)) => {
            let window = WindowBias {
                grid: grid(scheme)?,
                has_class: rows == WindowRows::Beit,
            };
            Some(of_window(&window, &column(columns)))
        }
        (Scheme::Distances { span, max_distance }, LayerBias::Content { c2p, p2c }) => {
            let span = span as usize;
            let rows = match max_distance {
                Some(farthest) => RelativeRows::new(farthest as usize, Some(span)),
                None => RelativeRows::new(span, None),
            }?;
            let at = |scores: &Option<Array2<f32>>, row: usize| {
                let cell = scores.as_ref().and_then(|scores| scores.get((row, head)));
                cell.map_or(0.0, |score| f64::from(*score))
            };
            let f = |k| at(c2p, rows.c2p_row(k)) + at(p2c, rows.p2c_row(k));
            Some(Scores::Toeplitz(Toeplitz::from_fn(n, f)))
        }
        (Scheme::Kernels, bias) => Some(Scores::Toeplitz(kernels(bias)?.head(head).scores(n))),
        _ => None,
    }
}

/// The mean over a layer's heads.
pub(super) fn mean(scheme: Scheme, bias: &LayerBias, n: usize) -> Option<Scores> {
    let mean = |columns: &Array2<f32>| {
        let row = |row: ArrayView1<'_, f32>| {
            let sum: f64 = row.iter().map(|value| f64::from(*value)).sum();
            (sum / row.len().max(1) as f64) as f32
        };
        Array2::from_shape_fn((columns.nrows(), 1), |(at, _)| row(columns.row(at)))
    };
    let bias = match bias {
        LayerBias::Kernels { .. } => {
            let layer = kernels(bias)?;
            let mut f = vec![0.0; 2 * n - 1];
            for head in 0..layer.heads {
                let scores = layer.head(head).scores(n);
                for (sum, value) in f.iter_mut().zip(scores.profile()) {
                    *sum += value / layer.heads as f64;
                }
            }
            return Some(Scores::Toeplitz(Toeplitz::new(Profile::new(f))));
        }
        LayerBias::Stored(columns) => LayerBias::Stored(mean(columns)),
        LayerBias::Content { c2p, p2c } => LayerBias::Content {
            c2p: c2p.as_ref().map(mean),
            p2c: p2c.as_ref().map(mean),
        },
    };
    head(scheme, &bias, 0, n)
}

/// Window scores are few, so the matrix is formed: as a product with the unit matrix it answers all that
/// others do.
fn of_window(window: &WindowBias, column: &[f32]) -> Scores {
    let scores = window.scores(column);
    let n = scores.n();
    let matrix = LowRank::product(scores.rows(0..n), Array2::eye(n), 0.0);
    Scores::Product(matrix, Some(window.grid))
}
