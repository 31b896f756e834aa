//! Energy of the maps to queries and keys in each pair of columns that rotates.

use ndarray::ArrayView1;
use serde::{Deserialize, Serialize};

use super::{
    LinearMap, NormWeights, RotatedPair, ScoreWeights, position_weights::key_head,
    rotary_bounds::gain,
};

/// Energies of the columns of a head's map to queries or keys: squared Frobenius norms ‖W‖²_F of the parts of the map
/// that belong to them.
///
/// Of states whose numbers are independent with mean square 1, as a norm leaves them, the energy is the mean square of a
/// query's or key's part. Biases and the shifts of norms are left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ColumnEnergies {
    /// Energy of each pair. The scales of norms are multiplied into the map: those of the norm before it, by inputs, and
    /// those of the norm on queries or keys, by outputs. What such a norm divides by is left out; it is the same for all
    /// pairs of a head.
    pub pairs: Vec<f64>,
    /// The same of the stored map alone.
    pub stored_pairs: Vec<f64>,
    /// Energy of all columns that do not rotate, with scales.
    pub unrotated_energy: f64,
}

/// Energies of a layer's heads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RotaryEnergies {
    /// The pairs that rotate; none in a layer without rotation.
    pub pairs: Vec<RotatedPair>,
    /// Queries of each head.
    pub queries: Vec<ColumnEnergies>,
    /// Keys of each key head. Several heads share one where there are fewer key heads; see [`Self::key`].
    pub keys: Vec<ColumnEnergies>,
}

impl RotaryEnergies {
    /// Energies of the keys that a head's queries meet.
    #[must_use]
    pub fn key(&self, head: usize) -> Option<&ColumnEnergies> {
        self.keys
            .get(key_head(head, self.queries.len(), self.keys.len()))
    }
}

/// Map to the queries of all heads, or to the keys of all key heads, with the norms around it.
struct NormedMap<'a> {
    map: &'a LinearMap,
    /// Squared scales of the norm before it.
    input: Option<Vec<f64>>,
    norm: Option<&'a NormWeights>,
    is_per_head: bool,
    width: usize,
}

impl NormedMap<'_> {
    /// Energies of the columns of a head.
    fn energies(&self, head: usize, pairs: &[RotatedPair]) -> ColumnEnergies {
        let first = head * self.width;
        let columns = (0..self.width).map(|column| {
            let outputs = self.map.weight.column(first + column);
            let (stored, scaled) = energies(outputs, self.input.as_deref());
            let gain = |norm| gain(norm, self.is_per_head, first, column);
            (stored, scaled * self.norm.map_or(1.0, gain).powi(2))
        });
        let columns: Vec<(f64, f64)> = columns.collect();
        let sum = |pair: &RotatedPair, of: fn(&(f64, f64)) -> f64| -> f64 {
            let columns = pair.columns.iter().filter_map(|at| columns.get(*at));
            columns.map(of).sum()
        };
        let rotates = |at: usize| pairs.iter().any(|pair| pair.columns.contains(&at));
        let unrotated = columns.iter().enumerate().filter(|(at, _)| !rotates(*at));
        ColumnEnergies {
            pairs: pairs.iter().map(|pair| sum(pair, |of| of.1)).collect(),
            stored_pairs: pairs.iter().map(|pair| sum(pair, |of| of.0)).collect(),
            unrotated_energy: unrotated.map(|(_, (_, scaled))| scaled).sum(),
        }
    }
}

/// Sum of squares, without and with a factor for each.
fn energies(numbers: ArrayView1<'_, f32>, factors: Option<&[f64]>) -> (f64, f64) {
    let squares = numbers.iter().map(|number| f64::from(*number).powi(2));
    match factors {
        Some(factors) => squares
            .zip(factors)
            .fold((0.0, 0.0), |(stored, scaled), (square, factor)| {
                (stored + square, scaled + square * factor)
            }),
        None => {
            let stored = squares.sum();
            (stored, stored)
        }
    }
}

impl ScoreWeights {
    /// Energy of every pair of every head, for a text of `length` tokens, on which some angles depend. Without
    /// `is_scaled` the angles are those of training. Awaits `pause` after every head.
    ///
    /// It takes one pass over the maps and no products.
    pub async fn rotary_energies(
        &self,
        length: usize,
        is_scaled: bool,
        pause: &impl AsyncFn(),
    ) -> RotaryEnergies {
        let pairs = self.rotary_heads().rotated_pairs(length, is_scaled);
        let scales = self.input_norm.as_ref().map(|norm| &norm.scales);
        let square = |scale: &f32| f64::from(*scale).powi(2);
        let scales: Option<Vec<f64>> = scales.map(|scales| scales.iter().map(square).collect());
        let side = |map, norm| NormedMap {
            map,
            input: scales.clone(),
            norm,
            is_per_head: self.norms_heads,
            width: self.head_width,
        };
        let query = side(&self.query, self.query_norm.as_ref());
        let key = side(&self.key, self.key_norm.as_ref());
        let (mut queries, mut keys) = (Vec::new(), Vec::new());
        if !pairs.is_empty() {
            for head in 0..self.heads {
                queries.push(query.energies(head, &pairs));
                pause().await;
            }
            for head in 0..self.key_heads {
                keys.push(key.energies(head, &pairs));
                pause().await;
            }
        }
        RotaryEnergies {
            pairs,
            queries,
            keys,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        encoding::RotaryAngles,
        forward::{
            LayerAttention, LinearMap, NormWeights, RotaryEnergies, ScoreWeights,
            position_weights::PositionWeights, tensor_numbers::TensorNumbers,
        },
        math::AttentionMask,
        model::{AttentionPositions, NormKind, RotaryPairs, RotaryTensors, RotationDescription},
    };
    use ndarray::{Array2, s};
    use pollster::block_on;

    const INPUTS: usize = 12;
    const WIDTH: usize = 6;
    /// Rotated columns.
    const ROTARY_WIDTH: usize = 4;
    const HEADS: usize = 4;
    const KEY_HEADS: usize = 2;

    async fn no_pause() {}

    /// Numbers without a pattern.
    fn map(heads: usize, seed: usize) -> LinearMap {
        let cell =
            |(i, j): (usize, usize)| ((i * i * 7 + j * 5 + i * j * seed) % 19) as f32 / 8.0 - 1.0;
        LinearMap {
            weight: Array2::from_shape_fn((INPUTS, heads * WIDTH), cell),
            bias: None,
        }
    }

    fn norm(width: usize, seed: usize) -> NormWeights {
        let scale = |at: usize| 0.5 + ((at * at + seed) % 5) as f32 / 4.0;
        NormWeights {
            kind: NormKind::Rms,
            scales: (0..width).map(scale).collect(),
            shifts: None,
            epsilon: 0.0,
        }
    }

    fn layer(pairs: RotaryPairs) -> ScoreWeights {
        let description = RotationDescription {
            tensors: RotaryTensors {
                angles: RotaryAngles::new(ROTARY_WIDTH, 100.0),
                divisors: None,
            },
            pairs,
        };
        let positions = AttentionPositions::Rotation(description);
        let mut numbers = TensorNumbers::default();
        ScoreWeights {
            input_norm: None,
            query: map(HEADS, 3),
            key: map(KEY_HEADS, 4),
            query_norm: None,
            key_norm: None,
            norms_heads: false,
            positions: PositionWeights::take(&mut numbers, &positions, HEADS).expect("positions"),
            scale: 0.5,
            mask: AttentionMask::Causal,
            reach: None,
            sinks: None,
            heads: HEADS,
            key_heads: KEY_HEADS,
            head_width: WIDTH,
        }
    }

    fn energies(layer: &ScoreWeights) -> RotaryEnergies {
        block_on(layer.rotary_energies(8, true, &no_pause))
    }

    fn is_near(one: f64, other: f64) -> bool {
        (one - other).abs() <= 1e-5 * other.abs()
    }

    /// The energy of columns by its definition: over the queries or keys of unit vectors as states. Rotation, which
    /// differs from row to row, leaves the length of a pair, and of no other two columns.
    #[test]
    fn energies_are_those_of_rotated_unit_vectors() {
        for pairs in [RotaryPairs::Halves, RotaryPairs::Adjacent] {
            let layer = layer(pairs);
            let found = energies(&layer);
            let columns: Vec<[usize; 2]> = found.pairs.iter().map(|pair| pair.columns).collect();
            match pairs {
                RotaryPairs::Halves => assert_eq!(columns, [[0, 2], [1, 3]]),
                RotaryPairs::Adjacent => assert_eq!(columns, [[0, 1], [2, 3]]),
            }
            let units = Array2::eye(INPUTS);
            let attention = LayerAttention::new(&layer, units.view());
            for head in 0..HEADS {
                let key = found.key(head).expect("keys");
                for (rows, energies) in [
                    (attention.queries(head), &found.queries[head]),
                    (attention.keys(head), key),
                ] {
                    let sum = |columns: &[usize]| -> f64 {
                        let columns = columns.iter().map(|at| rows.column(*at));
                        columns
                            .map(|c| c.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>())
                            .sum()
                    };
                    for (columns, energy) in columns.iter().zip(&energies.pairs) {
                        assert!(is_near(*energy, sum(columns)), "{pairs:?}, {head}");
                    }
                    assert!(
                        is_near(energies.unrotated_energy, sum(&[4, 5])),
                        "{pairs:?}, {head}"
                    );
                    assert_eq!(energies.pairs, energies.stored_pairs, "there is no norm");
                }
            }
        }
    }

    /// A state that stands at every position turns by 2π/wavelength from one to the next.
    #[test]
    fn wavelengths_are_those_of_the_rotation() {
        for pairs in [RotaryPairs::Halves, RotaryPairs::Adjacent] {
            let layer = layer(pairs);
            let state = |(_, j): (usize, usize)| (j % 5) as f32 - 1.5;
            let states = Array2::from_shape_fn((2, INPUTS), state);
            let attention = LayerAttention::new(&layer, states.view());
            for pair in energies(&layer).pairs {
                let angle = |row: usize| {
                    let [x, y] = pair
                        .columns
                        .map(|at| f64::from(attention.keys(1)[(row, at)]));
                    y.atan2(x)
                };
                let turned = (angle(1) - angle(0)).rem_euclid(std::f64::consts::TAU);
                assert!(
                    is_near(std::f64::consts::TAU / turned, pair.wavelength),
                    "{pair:?}"
                );
            }
        }
    }

    /// Norms multiply the columns of the maps by their scales; inputs before them, outputs after them.
    #[test]
    fn scales_of_norms_are_part_of_the_maps() {
        for is_per_head in [true, false] {
            let mut normed = layer(RotaryPairs::Halves);
            let width = |heads| if is_per_head { WIDTH } else { heads * WIDTH };
            normed.input_norm = Some(norm(INPUTS, 1));
            normed.query_norm = Some(norm(width(HEADS), 2));
            normed.key_norm = Some(norm(width(KEY_HEADS), 3));
            normed.norms_heads = is_per_head;
            let mut plain = layer(RotaryPairs::Halves);
            let scale = |map: &mut LinearMap, after: &NormWeights| {
                for ((input, output), weight) in map.weight.indexed_iter_mut() {
                    let output = if is_per_head { output % WIDTH } else { output };
                    *weight *= norm(INPUTS, 1).scales[input] * after.scales[output];
                }
            };
            scale(&mut plain.query, &norm(width(HEADS), 2));
            scale(&mut plain.key, &norm(width(KEY_HEADS), 3));
            let (normed, plain) = (energies(&normed), energies(&plain));
            let unnormed = energies(&layer(RotaryPairs::Halves));
            let sides = [
                (&normed.queries, &plain.queries, &unnormed.queries),
                (&normed.keys, &plain.keys, &unnormed.keys),
            ];
            for (normed, plain, unnormed) in sides {
                for ((normed, plain), unnormed) in normed.iter().zip(plain).zip(unnormed) {
                    let pairs = normed.pairs.iter().zip(&plain.pairs);
                    assert!(
                        pairs.clone().count() == 2 && pairs.clone().all(|(a, b)| is_near(*a, *b))
                    );
                    assert!(is_near(normed.unrotated_energy, plain.unrotated_energy));
                    assert_eq!(normed.stored_pairs, unnormed.pairs);
                }
            }
        }
    }

    #[test]
    fn a_layer_without_rotation_has_no_pairs() {
        let mut layer = layer(RotaryPairs::Halves);
        layer.positions = PositionWeights::None;
        let found = energies(&layer);
        assert!(found.pairs.is_empty() && found.queries.is_empty() && found.key(0).is_none());
    }

    #[test]
    fn pairs_beyond_a_head_are_left_out() {
        let mut layer = layer(RotaryPairs::Halves);
        (layer.head_width, layer.heads) = (3, 2 * HEADS);
        layer.key_heads = 2 * KEY_HEADS;
        let found = energies(&layer);
        // Columns 1 and 3 are not both in a head of three.
        assert_eq!(found.pairs.len(), 1);
        assert_eq!(found.pairs[0].columns, [0, 2]);
        let column = layer.query.weight.slice(s![.., 1]);
        let sum: f64 = column.iter().map(|x| f64::from(*x).powi(2)).sum();
        assert!(is_near(found.queries[0].unrotated_energy, sum));
    }
}
