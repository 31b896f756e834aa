//! Application of a layer to a batch.
//!
//! ```text
//! x ← sum_norm(x + scale ⊙ output_norm(f(input_norm(x))))      f: attention, attention to an encoder, feed-forward
//! ```

use ndarray::{Array2, ArrayView2, s};
use std::rc::Rc;

use super::{
    AttentionObserver, Batch, BlockWeights, ForwardError, HeadPlace, LayerAttention, NormWeights,
    block_weights::{AttentionWeights, FeedForwardMaps, FeedForwardWeights, ResidualWeights},
    position_terms::PositionTerms,
};
use crate::math::matrix_product::product;

/// Cells of a score matrix between two pauses, which take about 10 ms.
const CELLS: usize = 1 << 20;

/// Applies a layer. `layer` is its index for the observer.
pub(super) async fn apply(
    block: &BlockWeights,
    batch: &mut Batch,
    layer: usize,
    observer: &mut impl AttentionObserver,
    pause: &impl AsyncFn(),
) -> Result<(), ForwardError> {
    let convolution = block.convolution.as_ref();
    let convolved = convolution.map(|convolution| (convolution, batch.clone()));
    let keys = KeyStates::Own;
    let attention = attend(&block.attention, batch, keys, layer, observer, pause).await;
    if block.is_parallel {
        let inner = feed_forward(&block.feed_forward, batch.rows().view(), pause).await;
        add(&block.attention.residual, batch, attention);
        add(&block.feed_forward.residual, batch, inner);
    } else {
        add(&block.attention.residual, batch, attention);
        if let Some(cross) = &block.cross_attention {
            let encoder = batch.encoder().ok_or(ForwardError::NoEncoder)?;
            let keys = KeyStates::Encoder(encoder);
            let attention = attend(cross, batch, keys, layer, &mut (), pause).await;
            add(&cross.residual, batch, attention);
        }
        let inner = feed_forward(&block.feed_forward, batch.rows().view(), pause).await;
        add(&block.feed_forward.residual, batch, inner);
    }
    if let Some((convolution, input)) = convolved {
        convolution.add(&input, batch, pause).await;
    }
    if batch.is_finite() {
        Ok(())
    } else {
        Err(ForwardError::Overflow { layer: Some(layer) })
    }
}

/// States of which keys and values are made.
#[derive(Clone, Copy)]
enum KeyStates<'a> {
    /// Those of the queries.
    Own,
    /// Those of an encoder, of the same number of texts.
    Encoder(&'a Batch),
}

/// Output of an attention, before it is added to the states.
async fn attend(
    weights: &AttentionWeights,
    batch: &Batch,
    keys: KeyStates<'_>,
    layer: usize,
    observer: &mut impl AttentionObserver,
    pause: &impl AsyncFn(),
) -> Array2<f32> {
    let scores = &weights.scores;
    let input = scores.attention_input(batch.rows().view());
    let key_input = match keys {
        KeyStates::Own => input.view(),
        KeyStates::Encoder(encoder) => encoder.rows().view(),
    };
    let queries = scores.query.apply(input.view(), pause).await;
    let all_keys = scores.key.apply(key_input, pause).await;
    let values = weights.value.apply(key_input, pause).await;
    let mut heads = Array2::zeros((queries.nrows(), queries.ncols()));
    // Texts of one length share their position terms.
    let mut terms: Option<(usize, Rc<PositionTerms>)> = None;
    for text in 0..batch.texts() {
        let rows = batch.range(text);
        let key_rows = match keys {
            KeyStates::Own => rows.clone(),
            KeyStates::Encoder(encoder) => encoder.range(text),
        };
        let n = key_rows.len();
        let shared = match terms.take() {
            Some((length, terms)) if length == n => terms,
            _ => Rc::new(PositionTerms::new(scores, n)),
        };
        terms = Some((n, Rc::clone(&shared)));
        let part = |all: &Array2<f32>, rows| all.slice(s![rows, ..]).to_owned();
        let attention = LayerAttention::from_products(
            scores,
            part(&queries, rows.clone()),
            part(&all_keys, key_rows.clone()),
            shared,
        );
        for head in 0..attention.heads() {
            let columns = scores.key_columns(head);
            let values = values.slice(s![key_rows.clone(), columns]);
            let place = HeadPlace { layer, text, head };
            let context = one_head(&attention, place, values, observer, pause).await;
            let columns = scores.query_columns(head);
            heads.slice_mut(s![rows.clone(), columns]).assign(&context);
        }
    }
    weights.output.apply(heads.view(), pause).await
}

/// Mean of the values under the attention of a head, [n, width].
async fn one_head(
    attention: &LayerAttention<'_>,
    place: HeadPlace,
    values: ArrayView2<'_, f32>,
    observer: &mut impl AttentionObserver,
    pause: &impl AsyncFn(),
) -> Array2<f32> {
    let (n, keys) = (attention.n(), values.nrows());
    let mut scores = Array2::zeros((n, keys));
    let step = (CELLS / keys.max(1)).max(1);
    let blocks = || (0..n).step_by(step).map(|first| first..n.min(first + step));
    for rows in blocks() {
        let cells = scores.slice_mut(s![rows.clone(), ..]);
        attention.write_scores(place.head, rows, cells);
        pause().await;
    }
    let mut cells = scores.clone();
    let mut context = Array2::zeros((n, values.ncols()));
    for rows in blocks() {
        let mut cells = cells.slice_mut(s![rows.clone(), ..]);
        attention.apply_softmax(place.head, rows.start, cells.view_mut());
        let some = product(cells.view(), values, 1.0);
        context.slice_mut(s![rows, ..]).assign(&some);
        pause().await;
    }
    observer.observe_head(place, scores.view(), cells.view());
    context
}

/// Output of a feed-forward part, before it is added to the states.
async fn feed_forward(
    weights: &FeedForwardWeights,
    states: ArrayView2<'_, f32>,
    pause: &impl AsyncFn(),
) -> Array2<f32> {
    let input = NormWeights::apply_optional(weights.input_norm.as_ref(), states);
    let activation = weights.activation;
    let (inner, gate, output) = match &weights.maps {
        FeedForwardMaps::Experts(experts) => {
            return experts.apply(input.view(), activation, pause).await;
        }
        FeedForwardMaps::Dense {
            inner,
            gate,
            output,
        } => (inner, gate, output),
    };
    let mut inner = inner.apply(input.view(), pause).await;
    match gate {
        None => activation.apply_to_rows(&mut inner),
        Some(gate) => {
            let mut gate = gate.apply(input.view(), pause).await;
            activation.apply_to_rows(&mut gate);
            inner *= &gate;
        }
    }
    pause().await;
    output.apply(inner.view(), pause).await
}

/// Adds the output of a part to the states.
fn add(residual: &ResidualWeights, batch: &mut Batch, mut output: Array2<f32>) {
    if let Some(norm) = &residual.output_norm {
        norm.apply(output.view_mut());
    }
    if let Some(scale) = &residual.output_scale {
        output *= &ndarray::ArrayView1::from(scale);
    }
    let states = batch.rows_mut();
    *states += &output;
    if let Some(norm) = &residual.sum_norm {
        norm.apply(states.view_mut());
    }
}
