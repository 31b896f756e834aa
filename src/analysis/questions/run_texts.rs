//! Runs of a model over texts, layer by layer.

use super::prelude::*;
use crate::{
    analysis::{
        EnteringStates, TextHeadSummary, TextRunId, TextTokens,
        text::{KeyWindow, summarise_text_head},
        text_heads::text_shift,
    },
    checkpoint::{OpenRemote, Weights},
    forward::{AttentionObserver, Batch, BlockWeights, ForwardError, ForwardPass, HeadPlace},
    model::Note,
};
use futures_util::future::join;
use ndarray::ArrayView2;

/// Runs a model over texts, and stores the states of every layer for other questions. A chunk is a layer, as soon as
/// the texts have passed it. The layers before a failure stay usable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunTexts {
    /// The model.
    pub of: ModelVersion,
    /// Number of the run. The page gives every run a new one.
    pub run: TextRunId,
    /// The texts, which pass every layer together.
    pub texts: Vec<TextTokens>,
    /// Whether bytes that are fetched from a server are stored for later visits.
    pub stores_bytes: bool,
}

/// Layers that the texts of a run have passed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TextLayers {
    /// Number of layers of the model.
    pub of: usize,
    /// Number of layers that the texts have passed.
    pub passed_layers: usize,
    /// Summaries of the heads over the first text, layer by layer.
    pub heads: Vec<TextHeadSummary>,
}

impl Question for RunTexts {
    type Chunk = TextLayers;
    type Answer = TextLayers;
    const URGENCY: Urgency = Urgency::Now;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    fn fold(so_far: Option<TextLayers>, layer: TextLayers) -> TextLayers {
        let mut heads = so_far.map_or(Vec::new(), |layers| layers.heads);
        heads.extend(layer.heads);
        TextLayers { heads, ..layer }
    }

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<(), Failure> {
        let session = context.session;
        let model = session.model(self.of).await?;
        let (file, _) = model.weights_and_model()?;
        let storing = match file.checkpoint.is_remote() && self.stores_bytes {
            true => Some(Storing::begin(session.remote().await?)),
            false => None,
        };
        let checkpoint = &file.checkpoint;
        session.forget_other_layers(self.of.id);
        let pass = model.forward_pass().await?;
        let pause = async || context.pause().await;
        let shift = text_shift(&pass);
        let texts: Vec<TextTokens> = self.texts.iter().map(|text| shift.apply(text)).collect();
        let first = texts.first().cloned().unwrap_or_default();
        let lengths = texts.iter().map(TextTokens::len);
        let numbers = lengths.sum::<usize>() * pass.hidden_width() * (pass.layers() + 1);
        let ids_of_texts = ids(&texts);
        let embed = pass.embed(checkpoint, &ids_of_texts, &pause);
        let (embedding, first_weights) = join(embed, pass.read_layer(checkpoint, 0, &pause)).await;
        let mut batch = embedding?.states();
        if let Some(encoder) = pass.encoder() {
            batch = batch.with_encoder(self.encode(encoder, checkpoint, context).await?);
        }
        session.text_runs.begin(self.run, self.of, texts, numbers)?;
        let mut weights = first_weights?;
        for layer in 0..pass.layers() {
            context.progress(checkpoint.bytes_read(), checkpoint.size());
            let entering = (0..batch.texts()).map(|text| EnteringStates {
                x: batch.text(text).to_owned(),
                weights: pass.weights_of(layer),
            });
            session.text_runs.push_layer(self.run, entering)?;
            let mut observer = Summaries {
                tokens: &first,
                window: KeyWindow::new(&weights.attention.scores),
                heads: Vec::new(),
            };
            let apply = async {
                pass.apply(layer, &weights, &mut batch, &mut observer, &pause)
                    .await?;
                context.send(&TextLayers {
                    of: pass.layers(),
                    passed_layers: layer + 1,
                    heads: observer.heads,
                });
                Ok::<_, Failure>(())
            };
            let (result, next) = join(apply, next_layer(&pass, checkpoint, layer, &pause)).await;
            result?;
            if let Some(next) = next? {
                weights = next;
            }
        }
        if storing.is_some_and(|storing| storing.0.is_storage_full()) {
            context.note(Note::new(
                "Not stored",
                "The browser’s private storage has no space for this model, so a later visit fetches it again.",
            ));
        }
        let last = (0..batch.texts()).map(|text| batch.text(text).to_owned());
        session.text_runs.finish(self.run, last)
    }
}

impl RunTexts {
    /// States of the texts that left the encoder of a decoder.
    async fn encode<H: Host>(
        &self,
        encoder: &ForwardPass,
        checkpoint: &impl Weights,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Batch, Failure> {
        let pause = async || context.pause().await;
        let embedding = encoder.embed(checkpoint, &ids(&self.texts), &pause).await?;
        let mut batch = embedding.states();
        let mut weights = encoder.read_layer(checkpoint, 0, &pause).await?;
        for layer in 0..encoder.layers() {
            let mut unobserved = ();
            let apply = encoder.apply(layer, &weights, &mut batch, &mut unobserved, &pause);
            let (result, next) = join(apply, next_layer(encoder, checkpoint, layer, &pause)).await;
            result?;
            if let Some(next) = next? {
                weights = next;
            }
        }
        let rows = batch.rows().view();
        let last = encoder.last_states(checkpoint, rows, &pause).await?;
        let lengths: Vec<usize> = self.texts.iter().map(TextTokens::len).collect();
        Ok(Batch::new(last, &lengths))
    }
}

/// Reads the weights of the layer after one, while that one is applied. `None` for the last layer, and if both share
/// their weights.
async fn next_layer<W: Weights>(
    pass: &ForwardPass,
    checkpoint: &W,
    layer: usize,
    pause: &impl AsyncFn(),
) -> Result<Option<BlockWeights>, ForwardError> {
    let next = layer + 1;
    if next == pass.layers() || pass.weights_of(next) == pass.weights_of(layer) {
        return Ok(None);
    }
    pass.read_layer(checkpoint, next, pause).await.map(Some)
}

fn ids(texts: &[TextTokens]) -> Vec<Vec<u32>> {
    texts.iter().map(|text| text.ids.clone()).collect()
}

/// Stores bytes that are fetched from servers, until it is dropped.
struct Storing<'a>(&'a dyn OpenRemote);

impl<'a> Storing<'a> {
    fn begin(remote: &'a dyn OpenRemote) -> Self {
        remote.set_storing(true);
        Self(remote)
    }
}

impl Drop for Storing<'_> {
    fn drop(&mut self) {
        self.0.set_storing(false);
    }
}

/// Summarises the heads of a layer over the first text of a run.
struct Summaries<'a> {
    tokens: &'a TextTokens,
    window: KeyWindow,
    heads: Vec<TextHeadSummary>,
}

impl AttentionObserver for Summaries<'_> {
    fn observe_head(
        &mut self,
        place: HeadPlace,
        scores: ArrayView2<'_, f32>,
        attention: ArrayView2<'_, f32>,
    ) {
        if place.text == 0 {
            let head = (place.layer, place.head);
            let summary = summarise_text_head(head, self.tokens, scores, attention, self.window);
            self.heads.push(summary);
        }
    }
}
