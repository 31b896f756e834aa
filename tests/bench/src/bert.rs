//! The layers of a BERT over a text, for a race against other libraries.

use crate::peers::{Numbers, mark};
use diagonal::{
    checkpoint::{Checkpoint, MemorySource},
    forward::{Batch, BlockWeights, ForwardPass},
    model::{Config, ModelOptions, PositionModel},
};
use futures_util::FutureExt;
use ndarray::Array2;
use std::fmt::Write;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen::prelude::wasm_bindgen;

/// Columns of the states, inner width, heads and layers of all-MiniLM-L6-v2.
const WIDTH: usize = 384;
const INNER: usize = 1536;
const HEADS: usize = 12;
const LAYERS: usize = 6;
const EPSILON: f64 = 1e-12;

/// A small BERT with random weights, and the states of a text that enter its first layer.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
#[derive(Debug)]
pub struct BertRace {
    /// Tensors of each layer in the order of [`LAYER`].
    tensors: Vec<Array2<f32>>,
    pass: ForwardPass,
    weights: Vec<BlockWeights>,
    states: Batch,
}

/// Tensors of a layer: name below the layer, rows, columns. One column stands for a vector, which is a list of numbers.
const LAYER: [(&str, usize, usize); 16] = [
    ("attention.self.query.weight", WIDTH, WIDTH),
    ("attention.self.query.bias", WIDTH, 1),
    ("attention.self.key.weight", WIDTH, WIDTH),
    ("attention.self.key.bias", WIDTH, 1),
    ("attention.self.value.weight", WIDTH, WIDTH),
    ("attention.self.value.bias", WIDTH, 1),
    ("attention.output.dense.weight", WIDTH, WIDTH),
    ("attention.output.dense.bias", WIDTH, 1),
    ("attention.output.LayerNorm.weight", WIDTH, 1),
    ("attention.output.LayerNorm.bias", WIDTH, 1),
    ("intermediate.dense.weight", INNER, WIDTH),
    ("intermediate.dense.bias", INNER, 1),
    ("output.dense.weight", WIDTH, INNER),
    ("output.dense.bias", WIDTH, 1),
    ("output.LayerNorm.weight", WIDTH, 1),
    ("output.LayerNorm.bias", WIDTH, 1),
];

#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
impl BertRace {
    /// Forms weights and a text of `n` tokens from fixed seeds.
    ///
    /// # Panics
    /// If the model cannot be run.
    #[cfg_attr(target_arch = "wasm32", wasm_bindgen(constructor))]
    #[must_use]
    pub fn new(n: usize) -> Self {
        let mut tensors = Vec::new();
        for layer in 0..LAYERS {
            for (at, (name, rows, columns)) in LAYER.into_iter().enumerate() {
                let seed = (1 + layer * LAYER.len() + at) as u64;
                // Products of normed states have a variance of about one.
                let most = if columns == 1 {
                    0.1
                } else {
                    (3.0 / columns as f32).sqrt()
                };
                let mut tensor = Numbers::table(seed, rows, columns, most);
                if name.ends_with("LayerNorm.weight") {
                    tensor += 1.0;
                }
                tensors.push(tensor);
            }
        }
        let ready = "reads from memory are ready at once";
        Self::open(tensors, n).now_or_never().expect(ready)
    }

    /// The states that enter the first layer row by row, and the tensors of all layers.
    #[must_use]
    pub fn numbers(&self) -> Vec<f32> {
        let tensors = self.tensors.iter().flatten();
        self.states.rows().iter().chain(tensors).copied().collect()
    }

    /// Hash of the bits of all numbers.
    #[must_use]
    pub fn mark(&self) -> f64 {
        mark(self.numbers().iter())
    }

    /// Columns of the states, inner width, heads, layers.
    #[must_use]
    pub fn sizes(&self) -> Vec<usize> {
        vec![WIDTH, INNER, HEADS, LAYERS]
    }

    /// States after the last layer, row by row.
    ///
    /// # Panics
    /// If a state is no finite number.
    #[must_use]
    pub fn run(&self) -> Vec<f32> {
        let mut batch = self.states.clone();
        let pause = async || ();
        for (layer, weights) in self.weights.iter().enumerate() {
            let apply = async {
                self.pass
                    .apply(layer, weights, &mut batch, &mut (), &pause)
                    .await
            };
            let applied = apply.now_or_never().expect("nothing to wait for");
            applied.expect("finite states");
        }
        batch.rows().iter().copied().collect()
    }
}

impl BertRace {
    async fn open(tensors: Vec<Array2<f32>>, n: usize) -> Self {
        let words = Numbers::table(0, n, WIDTH, 1.0);
        let checkpoint = Checkpoint::open(
            MemorySource::new(safetensors(&tensors, n)),
            "bert.safetensors",
        );
        let checkpoint = checkpoint.await.expect("a file");
        let config = Config::parse(&format!(
            r#"{{"model_type": "bert", "num_attention_heads": {HEADS}, "layer_norm_eps": {EPSILON}}}"#
        ));
        let config = config.expect("a configuration");
        let options = ModelOptions::default();
        let model = PositionModel::open(&checkpoint, Some(&config), &options).await;
        let model = model.expect("a BERT");
        let pass = ForwardPass::open(&model, &checkpoint)
            .await
            .expect("a BERT");
        let pause = async || ();
        let embedding = pass.embed_rows(&checkpoint, &[words.view()], &pause).await;
        let mut weights = Vec::new();
        for layer in 0..pass.layers() {
            let layer = pass.read_layer(&checkpoint, layer, &pause).await;
            weights.push(layer.expect("a layer"));
        }
        Self {
            states: embedding.expect("states").states(),
            tensors,
            pass,
            weights,
        }
    }
}

/// A safetensors file of the layers, and of an embedding of `n` positions that changes nothing but the scale of rows.
fn safetensors(tensors: &[Array2<f32>], n: usize) -> Vec<u8> {
    let embedding = [
        ("word_embeddings.weight", Array2::zeros((1, WIDTH))),
        ("position_embeddings.weight", Array2::zeros((n, WIDTH))),
        ("token_type_embeddings.weight", Array2::zeros((1, WIDTH))),
        ("LayerNorm.weight", Array2::ones((WIDTH, 1))),
        ("LayerNorm.bias", Array2::zeros((WIDTH, 1))),
    ];
    let embedding = embedding.map(|(name, tensor)| (format!("embeddings.{name}"), tensor));
    let layers = tensors.iter().enumerate().map(|(at, tensor)| {
        let (layer, name) = (at / LAYER.len(), LAYER[at % LAYER.len()].0);
        (format!("encoder.layer.{layer}.{name}"), tensor.clone())
    });
    let (mut header, mut data) = (String::from("{"), Vec::new());
    for (name, tensor) in embedding.into_iter().chain(layers) {
        let begin = data.len();
        data.extend(tensor.iter().flat_map(|number| number.to_le_bytes()));
        let shape = match tensor.dim() {
            (rows, 1) => format!("[{rows}]"),
            (rows, columns) => format!("[{rows}, {columns}]"),
        };
        let comma = if header.len() > 1 { ", " } else { "" };
        let end = data.len();
        // Writing to a string does not fail.
        let _ = write!(
            header,
            r#"{comma}"{name}": {{"dtype": "F32", "shape": {shape}, "data_offsets": [{begin}, {end}]}}"#
        );
    }
    header.push('}');
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.into_bytes());
    file.extend(data);
    file
}

#[cfg(test)]
mod tests {
    use super::{BertRace, WIDTH};

    #[test]
    fn a_text_passes_all_layers() {
        let race = BertRace::new(5);
        let states = race.run();
        assert_eq!(states.len(), 5 * WIDTH);
        // The last norm leaves rows of about unit variance.
        let square: f32 = states.iter().map(|state| state * state).sum();
        let share = square / states.len() as f32;
        assert!((0.5..2.0).contains(&share), "{share}");
        assert_eq!(race.mark(), BertRace::new(5).mark());
    }
}
