//! Scores by offset of Transformer-XL and `XLNet`, when every word is the mean word.
//!
//! ```text
//! score(i, j) = [(q_i + u)·k_j + (q_i + v)·r_{i−j}] / √d_k      r_o = W_R·[sin(o·θ_m) …, cos(o·θ_m) …]
//! ```

use ndarray::{Array1, Array2, ArrayView1, s};

use super::{
    Correction, DistanceScores, Inputs, LayerWeights, ModelError, OffsetWaves, WaveTensors,
    WaveTerm, linear,
    read::{self, narrow},
};
use crate::checkpoint::Weights;

/// Maximum number of heads of a layer.
const MOST_HEADS: u64 = 1024;
/// Base of the waves.
const BASE: f64 = 10_000.0;

/// Number of heads of a layer: the vectors v have one row for each.
pub(super) async fn heads<W: Weights>(
    checkpoint: &W,
    waves: &OffsetWaves,
) -> Result<u32, ModelError> {
    let first = layer_tensors(waves, 0)?;
    let bias = checkpoint.locate(&first.offset_bias).await?;
    match bias.shape[..] {
        [heads, width] if (1..=MOST_HEADS).contains(&heads) && width > 0 => Ok(heads as u32),
        _ => Err(read::wrong_shape(&bias, "one row per head".to_owned())),
    }
}

fn layer_tensors(waves: &OffsetWaves, layer: usize) -> Result<&WaveTensors, ModelError> {
    let layers = waves.layers.len();
    let tensors = waves.layers.get(layer);
    tensors.ok_or(ModelError::NoSuchLayer { layer, layers })
}

/// Reads the scores of a layer: [2·`span`, heads], where row r is for the offset r − `span`, query minus key.
pub(super) async fn read<W: Weights>(
    checkpoint: &W,
    waves: &OffsetWaves,
    layer: usize,
    (span, heads): (usize, usize),
    weights: &LayerWeights,
    inputs: &Inputs,
) -> Result<DistanceScores, ModelError> {
    let tensors = layer_tensors(waves, layer)?;
    let (hidden, columns) = weights.query.dim();
    let width = columns / heads.max(1);
    let maps = linear::maps(checkpoint, &[&tensors.map], hidden, heads).await?;
    let map = maps.into_iter().next().map(|(map, _)| map.mapv(f64::from));
    let Some(map) = map.filter(|map| map.ncols() == columns) else {
        let tensor = checkpoint.locate(&tensors.map.weight).await?;
        let expected = format!("a map from {hidden} to {columns} numbers, as queries have");
        return Err(read::wrong_shape(&tensor, expected));
    };
    let u = head_vectors(checkpoint, &tensors.content_bias, (heads, width)).await?;
    let v = head_vectors(checkpoint, &tensors.offset_bias, (heads, width)).await?;
    let content = ArrayView1::from(&inputs.content()).mapv(f64::from);
    let biases = inputs.choice.does(Correction::Biases);
    let mean_row = |map: &Array2<f32>, bias: &Option<Vec<f32>>| {
        let row = content.dot(&map.mapv(f64::from));
        match bias.as_ref().filter(|_| biases) {
            Some(bias) => row + ArrayView1::from(bias).mapv(f64::from),
            None => row,
        }
    };
    let query = mean_row(&weights.query, &weights.query_bias);
    let key = mean_row(&weights.key, &weights.key_bias);
    let scale = (width as f64).sqrt().recip();
    let shows = |term| f64::from(u8::from(waves.terms.contains(&term)));
    let mut scores = Array2::zeros((2 * span, heads));
    for head in 0..heads {
        let of_head = s![head * width..(head + 1) * width];
        let (query, key) = (query.slice(of_head), key.slice(of_head));
        let (u, v) = (u.row(head), v.row(head));
        let constant = shows(WaveTerm::ContentContent) * query.dot(&key)
            + shows(WaveTerm::BiasContent) * u.dot(&key);
        let meets = &query * shows(WaveTerm::ContentOffset) + &v * shows(WaveTerm::BiasOffset);
        // r·m = waves·(W·m), so that the map is multiplied once and not for every offset.
        let vector = map
            .slice(s![.., head * width..(head + 1) * width])
            .dot(&meets);
        for row in 0..2 * span {
            let offset = row as f64 - span as f64;
            let farthest = waves.farthest.map_or(f64::INFINITY, f64::from);
            let wave = wave(offset.clamp(-farthest, farthest), &vector);
            scores[[row, head]] = narrow(scale * (constant + wave));
        }
    }
    Ok(DistanceScores {
        c2p: Some(scores),
        p2c: None,
    })
}

/// The waves of an offset, sines before cosines, multiplied by a vector of their width.
fn wave(offset: f64, vector: &Array1<f64>) -> f64 {
    let pairs = vector.len() / 2;
    (0..pairs)
        .map(|pair| {
            let frequency = BASE.powf(-2.0 * pair as f64 / vector.len() as f64);
            let (sine, cosine) = (offset * frequency).sin_cos();
            sine * vector[pair] + cosine * vector[pairs + pair]
        })
        .sum()
}

/// A vector for every head, [heads, width].
async fn head_vectors<W: Weights>(
    checkpoint: &W,
    name: &str,
    (heads, width): (usize, usize),
) -> Result<Array2<f64>, ModelError> {
    let tensor = checkpoint.locate(name).await?;
    if tensor.shape != [heads as u64, width as u64] {
        return Err(read::wrong_shape(&tensor, format!("{heads} × {width}")));
    }
    let numbers = checkpoint.read(&tensor).await?;
    read::refuse_non_numbers(&numbers, &tensor, 0, width)?;
    Ok(read::array(numbers, &tensor, width)?.mapv(f64::from))
}
