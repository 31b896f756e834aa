//! Tests of `forward`; here is what its files share.

mod attention_sinks;
mod golden;
pub(crate) mod head_centers;
mod laws;
mod llama_cpp;
mod refusals;
pub(crate) mod rotary_pairs;

use crate::{checkpoint::checkpoints::open, support::models::data};
use diagonal::{
    checkpoint::{Checkpoint, MemorySource},
    forward::{AttentionObserver, Batch, Embedding, ForwardError, ForwardPass, HeadPlace},
    model::{Config, ModelOptions, PositionModel},
};
use ndarray::{Array2, ArrayView2};
use pollster::block_on;
use std::collections::BTreeMap;

type File = Checkpoint<MemorySource>;

/// A checkpoint of `tests/data/forward` and its pass, with the positions of a source.
fn open_pass(folder: &str, source: Option<&str>) -> (File, ForwardPass) {
    let path = data("forward").join(folder);
    let bytes = std::fs::read(path.join("model.safetensors")).expect(folder);
    let config = std::fs::read_to_string(path.join("config.json")).expect(folder);
    let config = Config::parse(&config).expect(folder);
    let file = open(bytes).expect(folder);
    let pass = pass_of(&file, &config, source).expect(folder);
    (file, pass)
}

fn pass_of(
    file: &File,
    config: &Config,
    source: Option<&str>,
) -> Result<ForwardPass, ForwardError> {
    let options = ModelOptions {
        source: source.map(str::to_owned),
        ..ModelOptions::default()
    };
    let model = block_on(PositionModel::open(file, Some(config), &options));
    block_on(ForwardPass::open(&model.expect("a model"), file))
}

async fn no_pause() {}

/// Heads that an observer saw, with their scores and attention.
#[derive(Default)]
struct ObservedHeads(BTreeMap<(usize, usize, usize), [Array2<f32>; 2]>);

impl AttentionObserver for ObservedHeads {
    fn observe_head(
        &mut self,
        place: HeadPlace,
        scores: ArrayView2<'_, f32>,
        attention: ArrayView2<'_, f32>,
    ) {
        let place = (place.layer, place.text, place.head);
        let matrices = [scores.to_owned(), attention.to_owned()];
        assert!(self.0.insert(place, matrices).is_none(), "{place:?} twice");
    }
}

/// All of a run.
struct Run {
    /// States that entered each layer, and those that left the last.
    states: Vec<Batch>,
    heads: ObservedHeads,
}

impl Run {
    fn new(file: &File, pass: &ForwardPass, embedding: &Embedding) -> Result<Self, ForwardError> {
        Self::from_states(file, pass, embedding.states())
    }

    fn from_states(
        file: &File,
        pass: &ForwardPass,
        mut batch: Batch,
    ) -> Result<Self, ForwardError> {
        let mut states = vec![batch.clone()];
        let mut heads = ObservedHeads::default();
        for layer in 0..pass.layers() {
            let weights = block_on(pass.read_layer(file, layer, &no_pause))?;
            block_on(pass.apply(layer, &weights, &mut batch, &mut heads, &no_pause))?;
            states.push(batch.clone());
        }
        Ok(Self { states, heads })
    }

    fn of_texts(file: &File, pass: &ForwardPass, texts: &[Vec<u32>]) -> Self {
        let embedding = block_on(pass.embed(file, texts, &no_pause)).expect("an embedding");
        Self::new(file, pass, &embedding).expect("a run")
    }

    fn last(&self) -> &Batch {
        &self.states[self.states.len() - 1]
    }
}

/// Ids without a pattern, above those of special words.
fn text(length: usize, seed: usize) -> Vec<u32> {
    let id = |i: usize| 6 + ((i * i * 7 + i * seed + 3 * seed) % 34) as u32;
    (0..length).map(id).collect()
}
