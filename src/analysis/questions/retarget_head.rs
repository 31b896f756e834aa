//! A head that is made to attend further by a rotation of its keys, and its weights.

use super::prelude::*;
use crate::{
    analysis::{
        FailureKind, HeadInput, RETARGET_SHIFTS, RetargetedHead, Retargeting, TurnedKey,
        attention_stats::attention_of_scores,
        loaded_model::LoadedModel,
        text_runs::LayerInput,
        wave_matrices::LayerMatrices,
        waves::{retarget_key, score_share, wave_span},
    },
    checkpoint::Weights,
    math::{AttentionMask, LowRank, Scores, TRACED_POSITIONS, WaveSpan},
    safetensors_writer::SafetensorsWriter,
    short_text::short_name,
};
use ndarray::{Array2, s};

/// The attention of a head whose keys are turned in the space of the positions' waves, so that each key becomes that of a
/// position some tokens before it (Yamamoto & Matsuzaki 2023, Theorem 1). Over the first 512 positions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RetargetHead {
    /// The head, of positions alone.
    pub of: HeadId,
    /// Mask of the attention.
    pub cells: AttentionMask,
}

impl SingleAnswer for RetargetHead {
    /// A sentence instead of attention where the model has no position table or the file no weights.
    type Answer = Result<Retargeting, String>;
    const URGENCY: Urgency = Urgency::Later;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of.model)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Self::Answer, Failure> {
        match self.retarget(context).await {
            Err(failure) if failure.kind == FailureKind::NotThere => Ok(Err(failure.sentence)),
            answer => answer.map(Ok),
        }
    }
}

impl RetargetHead {
    async fn retarget<H: Host>(
        &self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Retargeting, Failure> {
        let of = self.of;
        let (model, input) = (context.session.model_with_input(of.model, of.input)).await?;
        let head = TurnableHead::read(&*model, of, &input, context).await?;
        let queries = head.queries(&*model, of, &input, context).await?;
        let score_share = score_share(&head.span, head.input(), queries.view()).await?;
        let most = (head.n() as i64 - 1) / 2;
        let mut shifts = Vec::new();
        for shift in RETARGET_SHIFTS.filter(|shift| shift.abs() <= most) {
            let TurnedKey { keys, error, .. } = head.turn(shift).await?;
            // Without the bias of the keys, which adds the same to all scores of a query.
            let scores = Scores::Product(LowRank::product(queries.clone(), keys, 0.0), None);
            let stats = attention_of_scores(&scores, self.cells, None, context).await;
            shifts.push(RetargetedHead::new(shift, error, &stats.share));
        }
        let (_, described) = model.weights_and_model()?;
        let layer = described.layer_tensors().get(of.layer);
        let key = &layer.ok_or_else(|| Failure::no_such_head(of))?.key;
        Ok(Retargeting {
            n: head.n(),
            tensor: short_name(&key.weight),
            directions: head.span.rank(),
            variance: head.span.share,
            score_share,
            shifts,
        })
    }
}

/// The weights of the keys of a layer in which one head is turned as in [`RetargetHead`], as a safetensors file with one
/// tensor, under the name and in the shape of the model's file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RetargetedWeights {
    /// The head, of positions alone.
    pub of: HeadId,
    /// Number of tokens by which it is to attend further.
    pub shift: i64,
}

impl SingleAnswer for RetargetedWeights {
    /// The bytes of the file.
    type Answer = Vec<u8>;
    const URGENCY: Urgency = Urgency::Now;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of.model)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Vec<u8>, Failure> {
        let of = self.of;
        let (model, input) = (context.session.model_with_input(of.model, of.input)).await?;
        let head = TurnableHead::read(&*model, of, &input, context).await?;
        let turned = head.turn(self.shift).await?;
        let all = head.matrices.with_key(of.head, turned.weight.view());
        let (file, described) = model.weights_and_model()?;
        let stored = described.replace_key(&file.checkpoint, of.layer, all.view());
        let stored = stored.await?;
        let place = format!(
            "layer {}, head {} attends {} tokens further",
            of.layer + 1,
            of.head + 1,
            self.shift
        );
        let mut writer = SafetensorsWriter::new()
            .with_metadata("source", concat!("Diagonal ", env!("CARGO_PKG_VERSION")))
            .with_metadata("change", &place);
        writer.add_f32(&stored.name, &stored.shape, stored.numbers);
        Ok(writer.into_bytes())
    }
}

/// A head, and the space in which its keys are turned.
pub(super) struct TurnableHead {
    matrices: LayerMatrices,
    head: usize,
    /// Hidden states of the first positions.
    states: Array2<f32>,
    span: WaveSpan,
}

impl TurnableHead {
    pub(super) async fn read<W: Weights>(
        model: &LoadedModel<W>,
        of: HeadId,
        input: &LayerInput,
        watch: &impl Progress,
    ) -> Result<Self, Failure> {
        let matrices = model.matrices_of(of, input, watch).await?;
        let states = matrices.of_head(of.head).states;
        let states = states
            .slice(s![..states.nrows().min(TRACED_POSITIONS), ..])
            .to_owned();
        let span = wave_span(states.view()).await?;
        let span = span.map_err(|why| Failure::not_there(why.to_string()))?;
        Ok(Self {
            matrices,
            head: of.head,
            states,
            span,
        })
    }

    /// Queries of the positions, scaled by 1/√`d_k`, [n, `d_k`].
    pub(super) async fn queries<W: Weights>(
        &self,
        model: &LoadedModel<W>,
        of: HeadId,
        input: &LayerInput,
        watch: &impl Progress,
    ) -> Result<Array2<f32>, Failure> {
        match model.head(of, input, watch).await? {
            Scores::Product(scores, _) => Ok(scores.left().slice(s![..self.n(), ..]).to_owned()),
            Scores::Toeplitz(_) | Scores::Grid(_) => Err(no_keys()),
        }
    }

    /// Number of positions.
    pub(super) fn n(&self) -> usize {
        self.states.nrows()
    }

    fn input(&self) -> HeadInput<'_> {
        HeadInput {
            states: self.states.view(),
            ..self.matrices.of_head(self.head)
        }
    }

    /// Turns the keys so that the head attends `shift` tokens further.
    pub(super) async fn turn(&self, shift: i64) -> Result<TurnedKey, Failure> {
        let turned = retarget_key(&self.span, self.input(), shift).await?;
        turned.map_err(|why| Failure::not_there(why.to_string()))
    }
}

fn no_keys() -> Failure {
    Failure::not_there(
        "This head has no keys for each position: its scores depend on the offset alone, so there is nothing to turn.",
    )
}
