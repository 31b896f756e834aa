//! Values that questions about heads read from an open model.

use super::{
    Failure, HeadId, HeadWords, Progress, ScoreInput, ScoreMode, head_words::no_added_positions,
    loaded_model::LoadedModel, progress::ROWS_AT_ONCE, self_attention::FIRST_LAYER_POSITIONS,
    text_runs::LayerInput,
};
use crate::{
    checkpoint::Weights,
    math::{AttentionMask, Profile, Scores, ToeplitzFit},
    model::PositionKind,
};
use ndarray::{Array2, Axis};

/// Failure if the table of a model without one is requested.
pub(super) fn no_table() -> Failure {
    Failure::not_there(
        "This model has no position table: its positions act on scores by offset. Save its matrix instead.",
    )
}

/// Failure if waves are requested and positions have no rows.
pub(super) fn no_wave_table() -> Failure {
    Failure::not_there(
        "This model has no table of position embeddings: its positions act on scores by offset, so there are no columns to analyse for waves.",
    )
}

/// Failure if heads are requested of a computed table.
pub(super) fn no_heads() -> Failure {
    Failure::not_there("A computed table has no heads. Open a checkpoint to see some.")
}

/// Failure if kernels are to replace position embeddings below a text.
fn no_text_below() -> Failure {
    Failure::not_there(
        "Position embeddings can be replaced in the first layer only, with token ids as input. The states of a run over a text already contain positions.",
    )
}

impl<W: Weights> LoadedModel<W> {
    /// Numbers of layers and of heads per layer; `None` for a computed table.
    pub(super) fn size(&self, input: &LayerInput) -> Option<(usize, usize)> {
        let model = self.model()?;
        let layers = match input {
            LayerInput::Positions(_) => model.layers,
            LayerInput::Text(text) => text.layers(),
        };
        Some((layers, model.heads.count as usize))
    }

    /// Number of positions of the heads.
    pub(super) fn positions_of(&self, input: &LayerInput) -> usize {
        match input {
            LayerInput::Positions(_) => self.positions().n(),
            // The means over a text have scores at every offset of the model.
            LayerInput::Text(_) if self.positions().kind() == PositionKind::Rotary => {
                self.positions().n()
            }
            LayerInput::Text(text) => text.n(),
        }
    }

    /// Numbers of layers and of heads per layer; fails if there are no heads.
    pub(super) fn some_heads(&self, input: &LayerInput) -> Result<(usize, usize), Failure> {
        let size = self.size(input).ok_or_else(no_heads)?;
        if size.0 * size.1 > 0 {
            return Ok(size);
        }
        Err(Failure::not_there(
            "The queries and keys of this model cannot be read, so there are no heads to show.",
        ))
    }

    /// Scores of a head; fails if the model does not have it.
    pub(super) async fn head(
        &self,
        id: HeadId,
        input: &LayerInput,
        watch: &impl Progress,
    ) -> Result<Scores, Failure> {
        let there = |(layers, heads)| id.layer < layers && id.head < heads;
        if !self.size(input).is_some_and(there) {
            return Err(Failure::no_such_head(id));
        }
        self.head_of_layer(input, (id.layer, id.head), watch).await
    }

    /// Scores of a head of the first layer as the model computes them, among n positions: with its position embeddings,
    /// and with their mean at every position. `words` are rows of the word embeddings, one per position; if empty, the
    /// mean word is used at every position. Fails for a head over a text.
    pub(super) async fn first_layer(
        &self,
        of: HeadId,
        n: usize,
        words: &[u32],
        watch: &impl Progress,
    ) -> Result<[Scores; 2], Failure> {
        if let ScoreInput::Text(_) = of.input {
            return Err(no_text_below());
        }
        let of_table = self.weights_and_model().ok();
        let of_table = of_table.and_then(|(_, model)| Some((model, model.added_table()?)));
        let Some((model, table)) = of_table else {
            return Err(no_added_positions());
        };
        let requested = if words.is_empty() { n } else { words.len() };
        let n = requested.min(table.nrows()).clamp(1, FIRST_LAYER_POSITIONS);
        let inputs = self.inputs(watch).await?;
        let words = HeadWords::Ids(words.to_vec());
        let content = self.word_rows(&words, (n, table.ncols()), watch).await?;
        let weights = self.weights(0, watch).await?;
        let scores_with = |positions: Array2<f64>| -> Scores {
            let states = inputs.states(&content + &positions, ScoreMode::AsComputed);
            let last = model.heads.count as usize - 1;
            model
                .layer_scores(&states, &weights)
                .head(of.head.min(last))
        };
        let rows = table.slice(ndarray::s![..n, ..]).mapv(f64::from);
        let mean = table.mapv(f64::from).mean_axis(Axis(0)).unwrap_or_default();
        let alike = mean
            .insert_axis(Axis(0))
            .broadcast(rows.dim())
            .map(|rows| rows.to_owned());
        let with = scores_with(rows);
        watch.pause().await;
        Ok([with, scores_with(alike.unwrap_or_default())])
    }
}

/// Standard deviation along each diagonal of the matrix `a`, to which `fit` is the fit.
pub(super) async fn deviations(a: &Scores, fit: &ToeplitzFit, watch: &impl Progress) -> Profile {
    let mut spread = a.spread(fit);
    while spread.step(ROWS_AT_ONCE) {
        watch.pause().await;
    }
    spread.deviations()
}

/// Replaces masked cells by NaN; `first` is the query of the first row.
pub(super) fn hide_unseen(
    mut block: Array2<f32>,
    first: usize,
    cells: AttentionMask,
) -> Array2<f32> {
    if cells == AttentionMask::Causal {
        for ((i, j), value) in block.indexed_iter_mut() {
            if j > i + first {
                *value = f32::NAN;
            }
        }
    }
    block
}
