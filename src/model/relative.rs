//! Reader of scores that depend on the offset between query and key, layer by layer.
//!
//! The encodings map offsets to rows; this module only reads rows.

use ndarray::{Array2, ArrayView1, s};

use super::{
    Correction, DistanceScores, Distances, Inputs, LayerWeights, ModelError, ModelOptions,
    OffsetRows, PositionSource, PositionTensors, SourceDescription, USUAL_LENGTH, WindowLayout,
    image_heads, kernels, linear,
    read::{self, narrow},
    read_inputs, wave_scores, window_index, window_scores,
};
use crate::{
    checkpoint::Weights,
    encoding::{Buckets, RelativeRows, WindowBias},
    math::{Grid, matrix_product::product},
};

/// Maximum number of rows of a table of distances.
const MOST_ROWS: u64 = 1 << 16;
/// Maximum number of heads of a layer.
const MOST_HEADS: u64 = 1024;

/// Positions of a source with scores by offset, and the number of heads if the tensors determine it; `None` for other
/// kinds of positions.
pub(super) async fn find<W: Weights>(
    checkpoint: &W,
    source: &SourceDescription,
    choice: &ModelOptions,
) -> Result<Option<(PositionSource, Option<u32>)>, ModelError> {
    let (tensors, sides) = (&source.positions, source.configured_sides);
    let n = choice.length.map_or(USUAL_LENGTH, |length| length as usize);
    let first = match tensors {
        PositionTensors::Buckets { tensors, .. } | PositionTensors::Window { tensors, .. } => {
            tensors.first()
        }
        PositionTensors::Distances(distances) => Some(&distances.tensor),
        PositionTensors::Vectors(vectors) => vectors.tensors.first(),
        PositionTensors::Kernels { layers } => {
            let heads = kernels::heads(checkpoint, layers).await?;
            return Ok(Some((PositionSource::Kernels(n), Some(heads))));
        }
        PositionTensors::Gaussians { layers } => {
            return image_heads::gaussian_grid(checkpoint, layers, sides).await;
        }
        PositionTensors::Axes { layers } => {
            return image_heads::axis_grid(checkpoint, layers, sides).await;
        }
        PositionTensors::Waves(waves) => {
            let heads = wave_scores::heads(checkpoint, waves).await?;
            let rows = RelativeRows::new(n, None).map(OffsetRows::Distances);
            return Ok(rows.map(|rows| (PositionSource::ByOffset(rows, n), Some(heads))));
        }
        PositionTensors::Table { .. }
        | PositionTensors::Rotary(_)
        | PositionTensors::RotaryPatches(_) => None,
    };
    let Some(first) = first else {
        return Ok(None);
    };
    let tensor = checkpoint.locate(first).await?;
    let refuse = |expected: &str| read::wrong_shape(&tensor, expected.to_owned());
    let shape = match tensors {
        PositionTensors::Window { layout, .. } => {
            let shape = window_scores::rows_and_heads(&tensor, *layout);
            shape.ok_or_else(|| refuse(window_scores::expected_shape(*layout)))?
        }
        _ => match tensor.shape[..] {
            [rows, columns] => (rows, columns),
            _ => return Err(refuse("one row per distance")),
        },
    };
    let (rows, columns) = shape;
    if !(2..=MOST_ROWS).contains(&rows) || columns == 0 {
        return Err(refuse("one row per distance, from 2 to 65536 rows"));
    }
    let is_embedded = matches!(
        tensors,
        PositionTensors::Distances(_) | PositionTensors::Vectors(_)
    );
    if columns > MOST_HEADS && !is_embedded {
        return Err(refuse("one row per distance and one column per head"));
    }
    let rows = rows as usize;
    let heads = Some(columns as u32);
    Ok(match tensors {
        &PositionTensors::Window {
            has_class, layout, ..
        } => {
            let window = match window_scores::stored_window(&tensor, layout) {
                Some(window) => Some(window),
                None => {
                    let by_rows = window(rows, has_class, sides);
                    window_index::check(checkpoint, &tensor, by_rows, has_class, sides).await?
                }
            };
            let window =
                window.ok_or_else(|| refuse("(2h − 1)(2w − 1) rows for a window of h × w"))?;
            Some((PositionSource::ByGridOffset(window), heads))
        }
        &PositionTensors::Buckets {
            max_distance,
            bidirectional,
            ..
        } => {
            let buckets = Buckets::new(rows, max_distance as usize, bidirectional);
            let buckets = buckets.ok_or_else(|| refuse(CONTRADICTION))?;
            let rows = OffsetRows::Buckets(buckets);
            Some((PositionSource::ByOffset(rows, n), heads))
        }
        PositionTensors::Distances(distances) => {
            let rows = match distances.max_distance {
                Some(farthest) => RelativeRows::new(farthest as usize, Some(rows / 2)),
                None => RelativeRows::new(rows / 2, None),
            };
            let rows = OffsetRows::Distances(rows.ok_or_else(|| refuse(CONTRADICTION))?);
            Some((PositionSource::ByOffset(rows, n), None))
        }
        PositionTensors::Vectors(_) => {
            let span = rows.div_ceil(2);
            let offset_rows = RelativeRows::new(span, None).filter(|_| rows % 2 == 1);
            let offset_rows =
                offset_rows.ok_or_else(|| refuse("2n − 1 rows, one for each offset"))?;
            let first = source.layers.first();
            let width = match first {
                Some(layer) => {
                    let query = checkpoint.locate(&layer.query.weight).await?;
                    linear::outputs(&query, layer.query.cut)
                }
                None => None,
            };
            // Every head has the width of a vector.
            let heads = width
                .map(|width| width as u64)
                .filter(|width| width.is_multiple_of(columns))
                .and_then(|width| u32::try_from(width / columns).ok());
            let rows = OffsetRows::Distances(offset_rows);
            Some((PositionSource::ByOffset(rows, n.min(span)), heads))
        }
        _ => None,
    })
}

/// Expected number of rows, for errors about buckets that do not fit.
const CONTRADICTION: &str =
    "one row per distance of its configuration: open it together with its own config.json";

/// The window of a table with `rows` rows: the configured one if it fits, else a square.
fn window(rows: usize, has_class: bool, sides: Option<(u32, u32)>) -> Option<WindowBias> {
    let window = |(height, width): (u32, u32)| WindowBias {
        grid: Grid {
            height: height.max(1) as usize,
            width: width.max(1) as usize,
        },
        has_class,
    };
    let square = WindowBias::from_rows(rows).filter(|square| square.has_class == has_class);
    let configured = sides.map(window).filter(|window| window.rows() == rows);
    configured.or(square)
}

/// Reads the scores of a window in one layer, [rows, heads].
pub(super) async fn read_window_scores<W: Weights>(
    checkpoint: &W,
    tensors: &[String],
    layout: WindowLayout,
    layer: usize,
    (window, heads): (WindowBias, usize),
) -> Result<Array2<f32>, ModelError> {
    let tensor = checkpoint.locate(of_layer(tensors, layer)?).await?;
    window_scores::read_scores(checkpoint, &tensor, layout, window, heads).await
}

/// The tensor of a layer: one for all layers, or one per layer.
fn of_layer(tensors: &[String], layer: usize) -> Result<&str, ModelError> {
    let name = tensors.get(layer).or(tensors.first());
    let name = name.ok_or(ModelError::NoSuchLayer {
        layer,
        layers: tensors.len(),
    })?;
    Ok(name)
}

/// Reads stored scores, [rows, heads].
pub(super) async fn read_stored_scores<W: Weights>(
    checkpoint: &W,
    tensors: &[String],
    layer: usize,
    (rows, heads): (usize, usize),
) -> Result<Array2<f32>, ModelError> {
    let tensor = checkpoint.locate(of_layer(tensors, layer)?).await?;
    // Every layer has the rows and heads of the first.
    if tensor.shape != [rows as u64, heads as u64] {
        return Err(read::wrong_shape(&tensor, format!("{rows} × {heads}")));
    }
    let numbers = checkpoint.read(&tensor).await?;
    read::refuse_non_numbers(&numbers, &tensor, 0, heads)?;
    read::array(numbers, &tensor, heads)
}

/// Scores by offset when every word is the mean word, from offset vectors that the heads of a layer share (Shaw et al.
/// 2018, eq. 4; with `meets_keys` also Huang et al. 2020, method 4). Row 0 of the scores belongs to no offset.
pub(super) async fn read_vector_scores<W: Weights>(
    checkpoint: &W,
    tensor: &str,
    meets_keys: bool,
    heads: usize,
    weights: &LayerWeights,
    inputs: &Inputs,
) -> Result<DistanceScores, ModelError> {
    let tensor = checkpoint.locate(tensor).await?;
    let width = weights.query.ncols() / heads.max(1);
    read::rows_of(&tensor, width)?;
    let rows = tensor.shape[0].min(MOST_ROWS);
    let numbers = checkpoint.read_rows(&tensor, 0..rows).await?;
    read::refuse_non_numbers(&numbers, &tensor, 0, width)?;
    let vectors = read::array(numbers, &tensor, width)?.mapv(f64::from);
    let scale = (width as f64).sqrt().recip();
    let content = ArrayView1::from(&inputs.content()).mapv(f64::from);
    let scores = |map: &Array2<f32>, bias: &Option<Vec<f32>>| {
        let mut row = content.dot(&map.mapv(f64::from));
        if let Some(bias) = bias
            .as_ref()
            .filter(|_| inputs.choice.does(Correction::Biases))
        {
            row += &ArrayView1::from(bias).mapv(f64::from);
        }
        Array2::from_shape_fn((vectors.nrows() + 1, heads), |(at, head)| {
            let meets = row.slice(s![head * width..(head + 1) * width]);
            let vector = at.checked_sub(1).map(|at| vectors.row(at));
            vector.map_or(0.0, |vector| narrow(scale * vector.dot(&meets)))
        })
    };
    Ok(DistanceScores {
        c2p: Some(scores(&weights.query, &weights.query_bias)),
        p2c: meets_keys.then(|| scores(&weights.key, &weights.key_bias)),
    })
}

/// Scores of relative embeddings in a layer (He et al., `DeBERTa`, eq. 4) when every word is the mean word.
pub(super) async fn content<W: Weights>(
    checkpoint: &W,
    distances: &Distances,
    layer: usize,
    heads: usize,
    epsilon: f64,
    weights: &LayerWeights,
    inputs: &Inputs,
) -> Result<DistanceScores, ModelError> {
    let choice: &ModelOptions = &inputs.choice;
    let content = inputs.content();
    let hidden = content.len();
    let tensor = checkpoint.locate(&distances.tensor).await?;
    read::rows_of(&tensor, hidden)?;
    let rows = tensor.shape[0].min(MOST_ROWS);
    let numbers = checkpoint.read_rows(&tensor, 0..rows).await?;
    read::refuse_non_numbers(&numbers, &tensor, 0, hidden)?;
    let mut table = read::array(numbers, &tensor, hidden)?.mapv(f64::from);
    if let Some(stem) = distances
        .norm
        .as_ref()
        .filter(|_| choice.does(Correction::LayerNorm))
    {
        read_inputs::norm(checkpoint, stem, hidden, epsilon)
            .await?
            .apply(&mut table);
    }
    let table = table.mapv(narrow);
    let both = [&distances.keys, &distances.queries];
    let kinds = both.iter().filter(|maps| !maps.is_empty()).count();
    let width = weights.query.ncols() / heads.max(1);
    // Each kind of term adds to the variance, so the scale accounts for their number.
    let scale = (width as f64 * (1 + kinds) as f64).sqrt().recip();
    let with_bias = |mut row: ndarray::Array1<f32>, bias: &Option<Vec<f32>>| {
        if let Some(bias) = bias.as_ref().filter(|_| choice.does(Correction::Biases)) {
            row += &ArrayView1::from(bias);
        }
        row
    };
    let content = ArrayView1::from(&content);
    let query = with_bias(content.dot(&weights.query), &weights.query_bias);
    let key = with_bias(content.dot(&weights.key), &weights.key_bias);
    let mut terms = Vec::new();
    for (maps, mean_row) in [(&distances.keys, &query), (&distances.queries, &key)] {
        let Some(named) = maps.get(layer) else {
            terms.push(None);
            continue;
        };
        let parts = linear::maps(checkpoint, &[named], hidden, heads).await?;
        let Some((map, bias)) = parts.into_iter().next() else {
            continue;
        };
        if map.ncols() != mean_row.len() {
            return Err(ModelError::WidthsDiffer {
                query: distances.tensor.clone(),
                key: named.weight.clone(),
                widths: [mean_row.len(), map.ncols()],
            });
        }
        let mut rows = product(table.view(), map.view(), 1.0);
        if let Some(bias) = bias.filter(|_| choice.does(Correction::Biases)) {
            rows += &ArrayView1::from(&bias);
        }
        let scores = Array2::from_shape_fn((rows.nrows(), heads), |(row, head)| {
            let columns = s![head * width..(head + 1) * width];
            let row = rows.row(row);
            let products = row
                .slice(columns)
                .iter()
                .zip(mean_row.slice(columns))
                .map(|(a, b)| f64::from(*a) * f64::from(*b))
                .sum::<f64>();
            narrow(products * scale)
        });
        terms.push(Some(scores));
    }
    let p2c = terms.pop().flatten();
    Ok(DistanceScores {
        c2p: terms.pop().flatten(),
        p2c,
    })
}
