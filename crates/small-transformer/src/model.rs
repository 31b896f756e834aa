//! BERT's architecture: words and positions, layers with the norm after each part, and the masked-token head (Devlin et
//! al. 2019). As a decoder, its queries see no keys ahead.

use crate::{
    ModelTensor, Real, TokenBatch, TransformerShape,
    encoder_layer::{EncoderLayer, LayerPass},
    encodings::{EncodingName, PositionalEncoding, TABLE_DEVIATION, encodings},
    operations::{
        embedding,
        loss::{self, LossSum},
        normalization::Normalization,
    },
    parameters::{LearningGroup, ParameterLayout, ParameterRange, StartValues},
    pass_buffers::PassBuffers,
    prediction_head::MaskedTokenHead,
};

/// A small transformer: its architecture and encodings, without its weights.
#[derive(Debug)]
pub struct SmallTransformer<T> {
    shape: TransformerShape,
    layout: ParameterLayout,
    encodings: Vec<Box<dyn PositionalEncoding<T>>>,
    words: ParameterRange,
    embedding_norm: Normalization,
    layers: Vec<EncoderLayer>,
    head: MaskedTokenHead,
}

impl<T: Real> SmallTransformer<T> {
    /// The model of a shape whose sizes passed [`crate::RecipeSize::check`].
    #[must_use]
    pub fn new(shape: TransformerShape, encoding: EncodingName) -> Self {
        let mut layout = ParameterLayout::default();
        let layout_ref = &mut layout;
        let d = shape.d;
        let words = layout_ref.add(
            "bert.embeddings.word_embeddings.weight",
            &[shape.symbols, d],
            StartValues::Normal(TABLE_DEVIATION),
            LearningGroup::Matrix,
        );
        let encodings = encodings(encoding, &shape, layout_ref);
        let embedding_norm = Normalization::new(layout_ref, "bert.embeddings.LayerNorm", d);
        let layers = (0..shape.layers).map(|at| EncoderLayer::new(layout_ref, &shape, at));
        let layers = layers.collect();
        let head = MaskedTokenHead::new(layout_ref, &shape, words);
        Self {
            shape,
            layout,
            encodings,
            words,
            embedding_norm,
            layers,
            head,
        }
    }

    /// Sizes.
    #[must_use]
    pub fn shape(&self) -> &TransformerShape {
        &self.shape
    }

    /// Names and places of the parameters.
    #[must_use]
    pub fn layout(&self) -> &ParameterLayout {
        &self.layout
    }

    /// The encodings; several add up.
    #[must_use]
    pub fn encodings(&self) -> &[Box<dyn PositionalEncoding<T>>] {
        &self.encodings
    }

    /// Greatest length of a sequence that all encodings can place.
    #[must_use]
    pub fn longest(&self) -> usize {
        let longest = self
            .encodings
            .iter()
            .map(|encoding| encoding.longest())
            .min();
        longest.unwrap_or(crate::encodings::MOST_LENGTHS * self.shape.n)
    }

    /// All tensors of the model as a caller stores them: the parameters, what the encodings store besides or in another
    /// form, and BERT's table of sentences, a row of zeros.
    #[must_use]
    pub fn tensors(&self, weights: &[T]) -> Vec<ModelTensor> {
        let names_of_converted: Vec<String> = self
            .encodings
            .iter()
            .flat_map(|encoding| encoding.names_of_converted())
            .collect();
        let entries = self
            .layout
            .entries()
            .iter()
            .filter(|entry| !names_of_converted.contains(&entry.name));
        let mut tensors: Vec<ModelTensor> = entries
            .map(|entry| ModelTensor::new(&entry.name, &entry.shape, entry.range.of(weights)))
            .collect();
        tensors.extend(
            self.encodings
                .iter()
                .flat_map(|encoding| encoding.tensors(weights)),
        );
        let name = "bert.embeddings.token_type_embeddings.weight";
        tensors.push(ModelTensor::new(
            name,
            &[1, self.shape.d],
            &vec![T::ZERO; self.shape.d],
        ));
        tensors
    }

    /// States of all tokens after each layer, in `buffers.outcomes`. `inputs` are sequences of the buffers' length.
    /// `observe` sees every layer once it is computed.
    fn encode(
        &self,
        weights: &[T],
        inputs: &[u32],
        buffers: &mut PassBuffers<T>,
        observe: &mut dyn FnMut(LayerPass<'_, T>),
    ) {
        let n = buffers.n;
        let sums = &mut buffers.sums;
        embedding::forward(weights, self.words, &self.encodings, inputs, n, sums);
        self.embedding_norm.forward(
            weights,
            sums,
            &mut buffers.embedding,
            &mut buffers.embedding_norm,
        );
        for layer in &self.layers {
            layer.forward(weights, &self.encodings, buffers);
            observe(layer.pass(weights, &self.encodings, buffers));
        }
    }

    /// Logits of every symbol at every place of a batch \[tokens, symbols\]; its targets do not matter. `buffers` are for
    /// batches of its shape.
    #[must_use]
    pub fn logits(
        &self,
        weights: &[T],
        batch: &TokenBatch,
        buffers: &mut PassBuffers<T>,
    ) -> Vec<T> {
        self.encode(weights, &batch.inputs, buffers, &mut |_| ());
        buffers.places.clear();
        buffers.places.extend(0..batch.inputs.len());
        self.head.forward(weights, buffers);
        buffers.logits[..batch.inputs.len() * self.shape.symbols].to_vec()
    }

    /// Sum of the losses over the symbols to predict, and number of right predictions. `buffers` then has the
    /// probabilities.
    pub(crate) fn forward(
        &self,
        weights: &[T],
        batch: &TokenBatch,
        buffers: &mut PassBuffers<T>,
    ) -> LossSum {
        self.forward_observed(weights, batch, buffers, &mut |_| ())
    }

    /// The same, with a function that sees every layer once it is computed.
    pub(crate) fn forward_observed(
        &self,
        weights: &[T],
        batch: &TokenBatch,
        buffers: &mut PassBuffers<T>,
        observe: &mut dyn FnMut(LayerPass<'_, T>),
    ) -> LossSum {
        self.encode(weights, &batch.inputs, buffers, observe);
        buffers.places.clear();
        buffers.targets.clear();
        for (place, target) in batch.targets.iter().enumerate() {
            if *target != TokenBatch::NO_TARGET {
                buffers.places.push(place);
                buffers.targets.push(*target);
            }
        }
        self.head.forward(weights, buffers);
        let logits = &mut buffers.logits[..buffers.targets.len() * self.shape.symbols];
        loss::forward(logits, &buffers.targets)
    }

    /// Gradient of the mean loss after [`Self::forward`] of the same batch and weights.
    pub(crate) fn backward(
        &self,
        weights: &[T],
        batch: &TokenBatch,
        buffers: &mut PassBuffers<T>,
        gradients: &mut [T],
    ) {
        let n = buffers.n;
        gradients.fill(T::ZERO);
        let logits = &mut buffers.logits[..buffers.targets.len() * self.shape.symbols];
        loss::backward(logits, &buffers.targets);
        self.head.backward(weights, buffers, gradients);
        for (at, layer) in self.layers.iter().enumerate().rev() {
            if buffers.states.len() < self.layers.len() && at + 1 < self.layers.len() {
                // The layers after it have overwritten its state.
                layer.forward(weights, &self.encodings, buffers);
            }
            layer.backward(weights, &self.encodings, buffers, gradients);
        }
        buffers.sums.fill(T::ZERO);
        self.embedding_norm.backward(
            weights,
            &buffers.outer,
            &buffers.embedding_norm,
            &mut buffers.sums,
            gradients,
        );
        embedding::backward(
            self.words,
            &self.encodings,
            &batch.inputs,
            n,
            &buffers.sums,
            gradients,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::SmallTransformer;
    use crate::{
        EncodingName, PassBuffers, RandomStream, TokenBatch, TransformerShape,
        gradient_check::{check, numbers},
    };

    fn batch(shape: &TransformerShape, sequences: usize) -> TokenBatch {
        let mut stream = RandomStream::new(5, "batch", 0);
        let mut batch = TokenBatch::new(shape.n);
        for _ in 0..sequences {
            let mut symbols = || {
                (0..shape.n)
                    .map(|_| stream.below(shape.symbols) as u32)
                    .collect::<Vec<_>>()
            };
            let (inputs, mut targets) = (symbols(), symbols());
            for at in (0..shape.n).step_by(3) {
                targets[at] = TokenBatch::NO_TARGET;
            }
            batch.push(&inputs, &targets);
        }
        batch
    }

    #[test]
    fn gradients_of_every_encoding_are_central_differences() {
        for (round, encoding) in EncodingName::ALL.into_iter().cycle().take(22).enumerate() {
            let mut stream = RandomStream::new(round as u64, "shape", 0);
            let heads = 1 + stream.below(2);
            let shape = TransformerShape {
                n: 4 + stream.below(3),
                d: heads * [6, 8][stream.below(2)],
                layers: 1 + stream.below(2),
                heads,
                width_factor: 1 + stream.below(2),
                symbols: 3 + stream.below(3),
                is_causal: round >= 11,
            };
            let model = SmallTransformer::<f64>::new(shape, encoding);
            // Far from the start, where nothing is small: tables and kernels differ from zero and from each other.
            let start: Vec<f64> = model.layout().start_values(round as u64);
            let noise = numbers(start.len());
            let weights: Vec<f64> = start
                .iter()
                .zip(noise)
                .map(|(w, noise)| w + 0.3 * noise)
                .collect();
            let sequences = 1 + stream.below(2);
            let batch = batch(&shape, sequences);
            let mut buffers = PassBuffers::new(&shape, sequences, shape.n);
            let count = batch.target_count() as f64;
            let forward = |weights: &[f64], buffers: &mut _| {
                model.forward(weights, &batch, buffers).loss / count
            };
            let mut others = buffers.clone();
            check(
                &weights,
                |weights| forward(weights, &mut others),
                |weights, gradient| {
                    forward(weights, &mut buffers);
                    model.backward(weights, &batch, &mut buffers, gradient);
                },
            );
        }
    }

    #[test]
    fn layers_that_share_a_state_have_the_same_bits() {
        for encoding in EncodingName::ALL {
            let shape = TransformerShape {
                n: 6,
                d: 8,
                layers: 3,
                heads: 2,
                width_factor: 2,
                symbols: 5,
                is_causal: false,
            };
            let model = SmallTransformer::<f32>::new(shape, encoding);
            let weights = model.layout().start_values(4);
            let batch = batch(&shape, 3);
            let pass = |most: usize| {
                let mut buffers = PassBuffers::with_state_bytes(&shape, 3, 6, most);
                assert_eq!(buffers.states.len(), if most == 0 { 1 } else { 3 });
                let mut gradients = vec![0.0_f32; weights.len()];
                let sum = model.forward(&weights, &batch, &mut buffers);
                model.backward(&weights, &batch, &mut buffers, &mut gradients);
                let bits: Vec<u32> = gradients.iter().map(|v| v.to_bits()).collect();
                (sum.loss.to_bits(), bits)
            };
            assert_eq!(pass(0), pass(usize::MAX), "{encoding}");
        }
    }

    #[test]
    fn a_causal_model_sees_nothing_ahead() {
        for encoding in EncodingName::ALL {
            let shape = TransformerShape {
                n: 6,
                d: 8,
                layers: 2,
                heads: 2,
                width_factor: 1,
                symbols: 5,
                is_causal: true,
            };
            let model = SmallTransformer::<f64>::new(shape, encoding);
            let weights = model.layout().start_values(1);
            let loss = |last: u32| {
                let mut batch = TokenBatch::new(6);
                let none = TokenBatch::NO_TARGET;
                batch.push(&[0, 1, 2, 3, 4, last], &[1, 2, 3, 4, 0, none]);
                model
                    .forward(&weights, &batch, &mut PassBuffers::new(&shape, 1, 6))
                    .loss
            };
            assert_eq!(loss(0), loss(3), "{encoding}");
        }
    }

    #[test]
    fn losses_are_those_of_the_logits() {
        let shape = TransformerShape {
            n: 6,
            d: 8,
            layers: 2,
            heads: 2,
            width_factor: 2,
            symbols: 5,
            is_causal: false,
        };
        let model = SmallTransformer::<f64>::new(shape, EncodingName::Learned);
        let weights = model.layout().start_values(2);
        let batch = batch(&shape, 3);
        let mut buffers = PassBuffers::new(&shape, 3, 6);
        let logits = model.logits(&weights, &batch, &mut buffers);
        assert_eq!(logits.len(), 3 * 6 * 5);
        let loss: f64 = logits
            .chunks_exact(5)
            .zip(&batch.targets)
            .filter(|(_, target)| **target != TokenBatch::NO_TARGET)
            .map(|(row, target)| {
                row.iter().map(|v| v.exp()).sum::<f64>().ln() - row[*target as usize]
            })
            .sum();
        let expected = model.forward(&weights, &batch, &mut buffers).loss;
        assert!((loss - expected).abs() < 1e-12 * expected);
    }

    #[test]
    fn names_are_those_of_the_transformers_library() {
        let shape = TransformerShape {
            n: 6,
            d: 8,
            layers: 1,
            heads: 2,
            width_factor: 4,
            symbols: 5,
            is_causal: false,
        };
        let model = SmallTransformer::<f32>::new(shape, EncodingName::Learned);
        let tensors = model.tensors(&model.layout().start_values(1));
        let shape_of = |name: &str| {
            tensors
                .iter()
                .find(|tensor| tensor.name == name)
                .map(|tensor| &tensor.shape[..])
        };
        for (name, shape) in [
            ("bert.embeddings.word_embeddings.weight", &[5, 8][..]),
            ("bert.embeddings.position_embeddings.weight", &[6, 8]),
            ("bert.embeddings.token_type_embeddings.weight", &[1, 8]),
            ("bert.embeddings.LayerNorm.weight", &[8]),
            ("bert.encoder.layer.0.attention.self.query.weight", &[8, 8]),
            ("bert.encoder.layer.0.attention.output.LayerNorm.bias", &[8]),
            ("bert.encoder.layer.0.intermediate.dense.weight", &[32, 8]),
            ("bert.encoder.layer.0.output.dense.weight", &[8, 32]),
            ("cls.predictions.transform.dense.bias", &[8]),
            ("cls.predictions.transform.LayerNorm.weight", &[8]),
            ("cls.predictions.bias", &[5]),
        ] {
            assert_eq!(shape_of(name), Some(shape), "{name}");
        }
        assert_eq!(tensors.len(), 26);
    }
}
