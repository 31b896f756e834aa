//! Energy of the pairs of numbers that rotary positions turn: how much of a head's queries and keys is at each wavelength.
//!
//! The energy of a pair is the mean over tokens of its squared length, E‖q‖² or E‖k‖²; it is the same before and after
//! turning. A pair contributes at most ‖q‖·‖k‖ to a score, so that its lengths say how much a head uses its wavelength
//! (Barbero et al. 2024, arXiv 2410.06205). A pair far longer than the sequences hardly turns: its scores depend on the
//! tokens, not on their offset.

use crate::{
    Real, TokenBatch, encoder_layer::LayerPass, model::SmallTransformer, pass_buffers::PassBuffers,
    trainer::Trainer,
};
use serde::{Deserialize, Serialize};

/// Energy of one pair of numbers of a head that turn together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairEnergy {
    /// Index of the layer.
    pub layer: usize,
    /// Index of the head.
    pub head: usize,
    /// Index of the pair, by wavelength.
    pub pair: usize,
    /// Number of tokens after which it has turned once, 2π/θ.
    pub wavelength: f64,
    /// Mean squared length of the queries' part, over tokens.
    pub query: f64,
    /// Mean squared length of the keys' part, over tokens.
    pub key: f64,
    /// Mean of the pair's shares of the energy of all numbers of the head's queries, and of its keys; NaN where either
    /// has none. Numbers that do not turn count too: the shares of a head's pairs add up to what turns. A factor between
    /// queries and keys, which leaves scores as they are, leaves shares as they are.
    pub share: f64,
}

/// Mean square of each number \[d\] over rows \[tokens, d\].
fn mean_squares<T: Real>(rows: &[T], d: usize) -> Vec<f64> {
    let mut means = vec![0.0; d];
    for row in rows.chunks_exact(d) {
        for (sum, number) in means.iter_mut().zip(row) {
            *sum += number.to_f64().powi(2);
        }
    }
    let tokens = (rows.len() / d) as f64;
    for sum in &mut means {
        *sum /= tokens;
    }
    means
}

impl<T: Real> SmallTransformer<T> {
    /// Wavelengths of the pairs that turn in each head of a layer; none where nothing turns.
    fn wavelengths(&self, layer: usize) -> Vec<f64> {
        let encodings = self.encodings().iter();
        encodings
            .flat_map(|encoding| encoding.wavelengths(layer))
            .collect()
    }

    /// Energies of the pairs of every head over the tokens of a batch, layer by layer, head by head, from the shortest
    /// wavelength on. Layers that do not turn have none.
    #[must_use]
    pub fn pair_energies(
        &self,
        weights: &[T],
        batch: &TokenBatch,
        buffers: &mut PassBuffers<T>,
    ) -> Vec<PairEnergy> {
        let mut energies = Vec::new();
        self.forward_observed(weights, batch, buffers, &mut |pass| {
            energies.extend(self.pair_energies_of(&pass));
        });
        energies
    }

    /// Energies of the pairs of every head of a layer that has just been computed.
    pub(crate) fn pair_energies_of(&self, pass: &LayerPass<'_, T>) -> Vec<PairEnergy> {
        let (layer, wavelengths) = (pass.layer, self.wavelengths(pass.layer));
        if wavelengths.is_empty() {
            return Vec::new();
        }
        let (d, width) = (self.shape().d, self.shape().head_width());
        let queries = mean_squares(&pass.state.queries, d);
        let keys = mean_squares(&pass.state.keys, d);
        let heads = queries.chunks_exact(width).zip(keys.chunks_exact(width));
        let mut energies = Vec::new();
        for (head, (queries, keys)) in heads.enumerate() {
            let totals = (queries.iter().sum::<f64>(), keys.iter().sum::<f64>());
            for (pair, wavelength) in wavelengths.iter().enumerate() {
                let partner = pair + wavelengths.len();
                let query = queries[pair] + queries[partner];
                let key = keys[pair] + keys[partner];
                energies.push(PairEnergy {
                    layer,
                    head,
                    pair,
                    wavelength: *wavelength,
                    query,
                    key,
                    share: f64::midpoint(query / totals.0, key / totals.1),
                });
            }
        }
        energies
    }
}

impl Trainer {
    /// Energies of the pairs of every head on a fixed batch that the model never learns from; none where the encoding
    /// turns nothing.
    #[must_use]
    pub fn pair_energies(&mut self) -> Vec<PairEnergy> {
        let (model, weights, buffers, held_out) = self.passes();
        let batch = held_out.first();
        batch.map_or(Vec::new(), |batch| {
            model.pair_energies(weights, batch, buffers)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::PairEnergy;
    use crate::{
        EncodingName, PassBuffers, RandomStream, RecipeSize, TokenBatch, Trainer, TransformerShape,
        gradient_check::numbers, model::SmallTransformer,
    };
    use std::f64::consts::TAU;

    const SHAPE: TransformerShape = TransformerShape {
        n: 5,
        d: 24,
        layers: 3,
        heads: 2,
        width_factor: 1,
        symbols: 4,
        is_causal: false,
    };
    const SEQUENCES: usize = 3;

    /// A model far from its start, and the batch that it reads.
    struct PlainHead {
        model: SmallTransformer<f64>,
        weights: Vec<f64>,
        batch: TokenBatch,
        buffers: PassBuffers<f64>,
    }

    impl PlainHead {
        fn new(encoding: EncodingName) -> Self {
            let model = SmallTransformer::new(SHAPE, encoding);
            let start = model.layout().start_values(7);
            let noise = numbers(start.len());
            let weights = start.iter().zip(noise).map(|(w, noise)| w + 0.3 * noise);
            let weights = weights.collect();
            let mut stream = RandomStream::new(3, "batch", 0);
            let mut batch = TokenBatch::new(SHAPE.n);
            for _ in 0..SEQUENCES {
                let tokens = (0..SHAPE.n).map(|_| stream.below(SHAPE.symbols) as u32);
                let tokens: Vec<u32> = tokens.collect();
                batch.push(&tokens, &tokens);
            }
            Self {
                model,
                weights,
                batch,
                buffers: PassBuffers::new(&SHAPE, SEQUENCES, SHAPE.n),
            }
        }

        fn energies(&mut self) -> Vec<PairEnergy> {
            self.model
                .pair_energies(&self.weights, &self.batch, &mut self.buffers)
        }

        /// Queries or keys of a token before they are turned, by their definition: W·x + b.
        fn rows(&self, layer: usize, part: &str, token: usize) -> Vec<f64> {
            let d = SHAPE.d;
            let tensors = self.model.tensors(&self.weights);
            let of = |kind: &str| {
                let name = format!("bert.encoder.layer.{layer}.attention.self.{part}.{kind}");
                let tensor = tensors.iter().find(|tensor| tensor.name == name);
                let values = &tensor.expect(&name).values;
                values.iter().map(|value| f64::from(*value)).collect()
            };
            let (matrix, bias): (Vec<f64>, Vec<f64>) = (of("weight"), of("bias"));
            let x = match layer {
                0 => &self.buffers.embedding[token * d..][..d],
                _ => &self.buffers.outcomes[layer - 1][token * d..][..d],
            };
            (0..d)
                .map(|row| bias[row] + (0..d).map(|at| matrix[row * d + at] * x[at]).sum::<f64>())
                .collect()
        }

        /// Mean over tokens of the sum of squares of some numbers of a head.
        fn energy(&self, layer: usize, part: &str, head: usize, of: &[usize]) -> f64 {
            let (tokens, start) = (SEQUENCES * SHAPE.n, head * SHAPE.head_width());
            let squares = (0..tokens).map(|token| {
                let row = self.rows(layer, part, token);
                of.iter().map(|at| row[start + at].powi(2)).sum::<f64>()
            });
            squares.sum::<f64>() / tokens as f64
        }
    }

    fn is_near(one: f64, other: f64) -> bool {
        // Tensors are stored in single precision.
        (one - other).abs() <= 1e-5 * other.abs()
    }

    #[test]
    fn energies_are_those_of_queries_and_keys_before_they_turn() {
        let all: Vec<usize> = (0..SHAPE.head_width()).collect();
        for (encoding, pairs, layers) in [
            (EncodingName::Rotary, 6, &[0, 1, 2][..]),
            (EncodingName::PartialRotary, 3, &[0, 1, 2]),
            (EncodingName::AlternateRotary, 6, &[0, 2]),
        ] {
            let mut plain = PlainHead::new(encoding);
            let energies = plain.energies();
            let places: Vec<_> = energies.iter().map(|e| (e.layer, e.head, e.pair)).collect();
            let heads = layers.iter().flat_map(|layer| [(*layer, 0), (*layer, 1)]);
            let expected =
                heads.flat_map(|(layer, head)| (0..pairs).map(move |pair| (layer, head, pair)));
            assert_eq!(places, expected.collect::<Vec<_>>(), "{encoding}");
            for energy in &energies {
                let (layer, head, pair) = (energy.layer, energy.head, energy.pair);
                let of = |part, numbers: &[usize]| plain.energy(layer, part, head, numbers);
                let query = of("query", &[pair, pair + pairs]);
                let key = of("key", &[pair, pair + pairs]);
                assert!(is_near(energy.query, query), "{energy:?}, {query}");
                assert!(is_near(energy.key, key), "{energy:?}, {key}");
                let share = (query / of("query", &all) + key / of("key", &all)) / 2.0;
                assert!(is_near(energy.share, share), "{energy:?}, {share}");
            }
        }
    }

    #[test]
    fn shares_add_up_to_what_turns() {
        let sums = |encoding| {
            let energies = PlainHead::new(encoding).energies();
            let heads = energies.chunk_by(|one, other| one.head == other.head);
            heads
                .map(|head| head.iter().map(|energy| energy.share).sum())
                .collect::<Vec<f64>>()
        };
        for encoding in [EncodingName::Rotary, EncodingName::AlternateRotary] {
            let sums = sums(encoding);
            assert!(sums.iter().all(|sum| is_near(*sum, 1.0)), "{sums:?}");
        }
        let sums = sums(EncodingName::PartialRotary);
        assert!(
            sums.iter().all(|sum| (0.1..0.9).contains(sum)),
            "half of the numbers do not turn: {sums:?}"
        );
    }

    #[test]
    fn wavelengths_are_geometric() {
        let of = |encoding| -> Vec<f64> {
            let energies = PlainHead::new(encoding).energies();
            let first = energies.iter().filter(|e| (e.layer, e.head) == (0, 0));
            first.map(|energy| energy.wavelength).collect()
        };
        for (encoding, width) in [
            (EncodingName::Rotary, 12.0),
            (EncodingName::PartialRotary, 6.0),
            (EncodingName::AlternateRotary, 12.0),
        ] {
            let wavelengths = of(encoding);
            assert_eq!(wavelengths.len(), width as usize / 2);
            for (pair, wavelength) in wavelengths.iter().enumerate() {
                let expected = TAU * 10_000_f64.powf(2.0 * pair as f64 / width);
                assert!(is_near(*wavelength, expected), "{encoding}, pair {pair}");
            }
        }
    }

    #[test]
    fn a_factor_between_queries_and_keys_leaves_shares() {
        let mut plain = PlainHead::new(EncodingName::Rotary);
        let before = plain.energies();
        let entries = plain.model.layout().entries().to_vec();
        for entry in entries {
            let factor = if entry.name.contains("self.query") {
                4.0
            } else if entry.name.contains("self.key") {
                0.25
            } else {
                continue;
            };
            for weight in entry.range.of_mut(&mut plain.weights) {
                *weight *= factor;
            }
        }
        let after = plain.energies();
        for (before, after) in before.iter().zip(&after) {
            assert!((after.query - 16.0 * before.query).abs() < 1e-9 * after.query);
            assert!((after.share - before.share).abs() < 1e-12);
        }
    }

    #[test]
    fn other_encodings_turn_nothing() {
        for encoding in EncodingName::ALL {
            let has_pairs = !PlainHead::new(encoding).energies().is_empty();
            let is_rotary = encoding.position_embedding_type() == "rotary";
            assert_eq!(has_pairs, is_rotary, "{encoding}");
        }
    }

    #[test]
    fn a_trainer_reports_the_same_energies_twice() {
        let recipe = crate::TrainingRecipe {
            task: crate::TaskName::Reverse,
            encoding: EncodingName::Rotary,
            size: RecipeSize {
                n: 8,
                d: 16,
                layers: 2,
                heads: 2,
                width_factor: 1,
                batch: 4,
            },
            seed: 1,
            steps: 20,
        };
        let mut trainer = Trainer::new(&recipe, &[]).expect("a recipe within the limits");
        let start = trainer.pair_energies();
        assert_eq!(start.len(), 2 * 2 * 4);
        trainer.step().expect("a finite loss");
        let energies = trainer.pair_energies();
        assert_eq!(trainer.pair_energies(), energies);
        assert_ne!(start, energies);
    }
}
