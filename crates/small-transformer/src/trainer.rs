//! A run: a model, its task, and the optimiser.

use crate::{
    EncodingName, ModelTensor, TokenBatch, TrainingError, TrainingRecipe, TransformerShape,
    model::SmallTransformer,
    optimizer::AdamW,
    pass_buffers::PassBuffers,
    random_stream::RandomStream,
    tasks::{DataSplit, TrainingTask, task},
};
use std::fmt::Write;

/// Number of batches that a model is evaluated on.
const HELD_OUT: u64 = 4;

/// A run of a recipe. It depends on nothing but the recipe and the text, so that it can be stopped and gone on with at
/// any step.
#[derive(Debug)]
pub struct Trainer {
    recipe: TrainingRecipe,
    task: Box<dyn TrainingTask>,
    model: SmallTransformer<f32>,
    weights: Vec<f32>,
    gradients: Vec<f32>,
    optimizer: AdamW<f32>,
    buffers: PassBuffers<f32>,
    batch: TokenBatch,
    held_out: Vec<TokenBatch>,
    step: u32,
}

/// How well a model predicts sequences that it never learned from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeldOutScore {
    /// Mean loss, in nats.
    pub loss: f64,
    /// Share of the targets that were the most probable symbol.
    pub accuracy: f64,
}

/// Losses that a model's can be compared to, on the sequences that it is evaluated on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReferenceLosses {
    /// Of the best possible predictor, in nats; `None` where it is unknown.
    pub best: Option<f64>,
    /// Of a predictor that knows a sequence as a bag of symbols, in nats.
    pub bag: f64,
}

/// The sequences of a batch of a task.
fn fill(
    task: &dyn TrainingTask,
    split: DataSplit,
    (seed, number): (u64, u64),
    sequences: usize,
    batch: &mut TokenBatch,
) {
    let name = match split {
        DataSplit::Training => "batches",
        DataSplit::HeldOut => "held-out",
    };
    let mut stream = RandomStream::new(seed, name, number);
    batch.clear();
    for _ in 0..sequences {
        task.sample(split, &mut stream, batch);
    }
}

impl Trainer {
    /// A run at step 0. Only tasks on texts use `text`.
    ///
    /// # Errors
    /// If the recipe is beyond the limits, or the task cannot use the text.
    pub fn new(recipe: &TrainingRecipe, text: &[u8]) -> Result<Self, TrainingError> {
        recipe.check()?;
        let size = &recipe.size;
        let task = task(&recipe.task, text, size.tokens())?;
        let shape = TransformerShape::new(size, task.symbols(), task.is_causal());
        let model = SmallTransformer::new(shape, recipe.encoding);
        let weights = model.layout().start_values(recipe.seed);
        let held_out = (0..HELD_OUT).map(|number| {
            let mut batch = TokenBatch::new(size.n);
            fill(
                &*task,
                DataSplit::HeldOut,
                (recipe.seed, number),
                size.batch,
                &mut batch,
            );
            batch
        });
        Ok(Self {
            held_out: held_out.collect(),
            gradients: vec![0.0; weights.len()],
            optimizer: AdamW::new(model.layout(), recipe.steps),
            buffers: PassBuffers::new(&shape, size.batch, size.n),
            batch: TokenBatch::new(size.n),
            recipe: recipe.clone(),
            weights,
            model,
            task,
            step: 0,
        })
    }

    /// The recipe.
    #[must_use]
    pub fn recipe(&self) -> &TrainingRecipe {
        &self.recipe
    }

    /// The task.
    #[must_use]
    pub fn task(&self) -> &dyn TrainingTask {
        &*self.task
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &SmallTransformer<f32> {
        &self.model
    }

    /// Values of all parameters, in the order of the model's layout.
    #[must_use]
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// Gradients of the last step, in the order of the model's layout.
    #[must_use]
    pub fn gradients(&self) -> &[f32] {
        &self.gradients
    }

    /// Parts that evaluations need: the model, its weights, buffers for batches of the recipe's shape, and the batches
    /// that the model never learns from.
    pub(crate) fn passes(
        &mut self,
    ) -> (
        &SmallTransformer<f32>,
        &[f32],
        &mut PassBuffers<f32>,
        &[TokenBatch],
    ) {
        (
            &self.model,
            &self.weights,
            &mut self.buffers,
            &self.held_out,
        )
    }

    /// Number of steps done.
    #[must_use]
    pub fn steps_done(&self) -> u32 {
        self.step
    }

    /// The sequences of the last step.
    #[must_use]
    pub fn batch(&self) -> &TokenBatch {
        &self.batch
    }

    /// The `number`-th batch of sequences of length n that the model never learns from.
    #[must_use]
    pub fn held_out_batch(&self, number: u64, n: usize) -> TokenBatch {
        let mut batch = TokenBatch::new(n);
        let sequences = self.recipe.size.batch;
        fill(
            &*self.task,
            DataSplit::HeldOut,
            (self.recipe.seed, number),
            sequences,
            &mut batch,
        );
        batch
    }

    /// Learns from the next batch, and returns its mean loss before the step, in nats.
    ///
    /// # Errors
    /// If the loss is infinite or no number: the weights stay as they were.
    pub fn step(&mut self) -> Result<f64, TrainingError> {
        let number = u64::from(self.step);
        let sequences = self.recipe.size.batch;
        fill(
            &*self.task,
            DataSplit::Training,
            (self.recipe.seed, number),
            sequences,
            &mut self.batch,
        );
        let sum = self
            .model
            .forward(&self.weights, &self.batch, &mut self.buffers);
        let loss = sum.loss / self.batch.target_count().max(1) as f64;
        if !loss.is_finite() {
            return Err(TrainingError::Loss {
                step: self.step + 1,
            });
        }
        self.model.backward(
            &self.weights,
            &self.batch,
            &mut self.buffers,
            &mut self.gradients,
        );
        self.optimizer
            .step(self.model.layout(), &mut self.weights, &self.gradients);
        self.step += 1;
        Ok(loss)
    }

    /// Losses of other predictors on the sequences of [`Self::evaluate`].
    #[must_use]
    pub fn reference_losses(&self) -> ReferenceLosses {
        let batches = self.held_out.len().max(1) as f64;
        let best = self.held_out.iter().map(|batch| self.task.best_loss(batch));
        let bag: f64 = self
            .held_out
            .iter()
            .map(|batch| self.task.bag_loss(batch))
            .sum();
        ReferenceLosses {
            best: best.sum::<Option<f64>>().map(|sum| sum / batches),
            bag: bag / batches,
        }
    }

    /// All tensors under BERT's names and, where an encoding has others, the field's. See
    /// [`SmallTransformer::tensors`].
    #[must_use]
    pub fn tensors(&self) -> Vec<ModelTensor> {
        self.model.tensors(&self.weights)
    }

    /// The parameters as they are learned: names, shapes and numbers.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &[usize], &[f32])> {
        let entries = self.model.layout().entries().iter();
        entries.map(|entry| {
            (
                &entry.name[..],
                &entry.shape[..],
                entry.range.of(&self.weights),
            )
        })
    }

    /// The model's `config.json`. With learned and sinusoidal positions, the transformers library loads
    /// [`Self::tensors`] with it, as `BertForMaskedLM`, and as `BertLMHeadModel` if queries see no keys ahead.
    #[must_use]
    pub fn config_json(&self) -> String {
        let shape = self.model.shape();
        let architecture = if shape.is_causal {
            "BertLMHeadModel"
        } else {
            "BertForMaskedLM"
        };
        let mut json =
            format!("{{\n  \"architectures\": [\"{architecture}\"],\n  \"model_type\": \"bert\"");
        let mut add = |name: &str, value: &str| {
            // Writing to a String cannot fail.
            let _ = write!(json, ",\n  \"{name}\": {value}");
        };
        for (name, value) in [
            ("vocab_size", shape.symbols),
            ("hidden_size", shape.d),
            ("num_hidden_layers", shape.layers),
            ("num_attention_heads", shape.heads),
            ("intermediate_size", shape.width_factor * shape.d),
            ("max_position_embeddings", shape.n),
            ("type_vocab_size", 1),
            ("mask_token_id", shape.symbols - 1),
        ] {
            add(name, &value.to_string());
        }
        add("hidden_act", "\"relu\"");
        add("layer_norm_eps", "1e-12");
        add("hidden_dropout_prob", "0.0");
        add("attention_probs_dropout_prob", "0.0");
        add("pad_token_id", "null");
        add("tie_word_embeddings", "true");
        add("is_decoder", if shape.is_causal { "true" } else { "false" });
        let encoding = self.recipe.encoding;
        add(
            "position_embedding_type",
            &format!("\"{}\"", encoding.position_embedding_type()),
        );
        match encoding {
            EncodingName::Rotary => add("rope_theta", "10000.0"),
            EncodingName::PartialRotary => {
                add("rope_theta", "10000.0");
                add("partial_rotary_factor", "0.5");
            }
            EncodingName::AlternateRotary => {
                add("rope_theta", "10000.0");
                let layers: Vec<&str> = (0..shape.layers)
                    .map(|layer| if layer % 2 == 0 { "1" } else { "0" })
                    .collect();
                add("no_rope_layers", &format!("[{}]", layers.join(", ")));
            }
            EncodingName::T5 => {
                add("relative_attention_num_buckets", "32");
                add("relative_attention_max_distance", "128");
            }
            EncodingName::Tisa(kernels) | EncodingName::LearnedAndTisa(kernels) => {
                add("num_kernels", &kernels.to_string());
            }
            EncodingName::None
            | EncodingName::Learned
            | EncodingName::Sinusoidal
            | EncodingName::Alibi
            | EncodingName::Shaw => {}
        }
        json.push_str("\n}\n");
        json
    }
}
