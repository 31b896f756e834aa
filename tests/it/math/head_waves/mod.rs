//! Waves in queries and keys of heads, one file per quantity; here is what the files share.

mod head_clusters;
mod query_key_svd;
mod rotation;

use crate::support::models::ModelVersion;
use ndarray::{Array2, s};
use pollster::block_on;

fn wide(m: &Array2<f32>) -> Array2<f64> {
    m.mapv(f64::from)
}

/// W_Q and W_K of one head of the preset.
fn head_weights(
    (checkpoint, model): &ModelVersion,
    layer: usize,
    head: usize,
) -> (Array2<f32>, Array2<f32>) {
    let weights = block_on(model.read_layer(checkpoint, layer)).expect("a layer");
    let width = weights.query.ncols() / model.heads.count as usize;
    let columns = s![.., head * width..(head + 1) * width];
    (
        weights.query.slice(columns).to_owned(),
        weights.key.slice(columns).to_owned(),
    )
}
