//! Self-attention of several heads: softmax(q·kᵀ/√`d_k` + positions)·v, and a linear map of all heads' outcomes.

use super::{
    linear::Linear,
    product::{HeadView, product},
};
use crate::{
    Real, TransformerShape,
    encodings::{HeadQueries, PositionalEncoding},
    parameters::ParameterLayout,
    real::{add, dot},
};
use gemmkit::{MatMut, MatRef};

/// The attention of one layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SelfAttention {
    query: Linear,
    key: Linear,
    value: Linear,
    output: Linear,
    layer: usize,
    heads: usize,
    width: usize,
    is_causal: bool,
}

/// Numbers of the forward pass that the backward pass needs. The attention is none of them: it would be the largest by
/// far, and its bits are computed again from queries and keys.
#[derive(Clone, Debug)]
pub(crate) struct SelfAttentionState<T> {
    /// Queries, keys and values \[tokens, d\], queries and keys as the encodings turned them.
    pub(crate) queries: Vec<T>,
    pub(crate) keys: Vec<T>,
    values: Vec<T>,
    /// The heads' outcomes \[tokens, d\].
    outcomes: Vec<T>,
}

/// Scratch memory of the passes, shared by the layers.
#[derive(Clone, Debug)]
pub(crate) struct SelfAttentionScratch<T> {
    /// Attention of one head in one sequence \[n, n\].
    attention: Vec<T>,
    /// Gradient of that head's scores \[n, n\].
    scores: Vec<T>,
    /// f(k) of each head \[heads, 2n − 1\].
    profiles: Vec<T>,
    /// Whether any encoding has an f(k).
    has_profile: bool,
    /// Gradient of f(k) \[heads, 2n − 1\].
    profile_gradients: Vec<T>,
    /// For the encodings.
    encoding: Vec<T>,
}

impl<T: Real> SelfAttentionState<T> {
    /// Buffers for sequences of n tokens.
    pub(crate) fn new(sequences: usize, n: usize, width: usize) -> Self {
        let rows = || vec![T::ZERO; sequences * n * width];
        Self {
            queries: rows(),
            keys: rows(),
            values: rows(),
            outcomes: rows(),
        }
    }
}

impl<T: Real> SelfAttentionScratch<T> {
    /// Number of numbers that [`SelfAttention::backward`] needs for each number of the outcome.
    pub(crate) const GRADIENTS: usize = 4;

    /// Buffers for sequences of n tokens.
    pub(crate) fn new(n: usize, heads: usize) -> Self {
        Self {
            attention: vec![T::ZERO; n * n],
            scores: vec![T::ZERO; n * n],
            profiles: vec![T::ZERO; heads * (2 * n - 1)],
            has_profile: false,
            profile_gradients: vec![T::ZERO; heads * (2 * n - 1)],
            encoding: Vec::new(),
        }
    }
}

/// The encodings of a model.
type EncodingList<T> = [Box<dyn PositionalEncoding<T>>];

/// Inputs of the attention of a layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SelfAttentionInput<'a, T> {
    /// All parameters.
    pub(crate) weights: &'a [T],
    /// The encodings of the model.
    pub(crate) encodings: &'a EncodingList<T>,
    /// Length of a sequence.
    pub(crate) n: usize,
    /// States of the tokens \[tokens, d\].
    pub(crate) x: &'a [T],
}

impl SelfAttention {
    /// The attention of a layer, under BERT's names.
    pub(crate) fn new(
        layout: &mut ParameterLayout,
        shape: &TransformerShape,
        layer: usize,
    ) -> Self {
        let d = shape.d;
        let mut linear = |part: &str| {
            Linear::new(
                layout,
                &format!("bert.encoder.layer.{layer}.attention.{part}"),
                d,
                d,
            )
        };
        Self {
            query: linear("self.query"),
            key: linear("self.key"),
            value: linear("self.value"),
            output: linear("output.dense"),
            layer,
            heads: shape.heads,
            width: d,
            is_causal: shape.is_causal,
        }
    }

    fn head_view(&self, n: usize) -> HeadView {
        HeadView {
            rows: n,
            width: self.width / self.heads,
            stride: self.width,
        }
    }

    /// Factor of the scores, 1/√`d_k`.
    fn scale<T: Real>(&self) -> T {
        T::from_f64((self.width as f64 / self.heads as f64).sqrt().recip())
    }

    /// y \[tokens, d\].
    pub(crate) fn forward<T: Real>(
        &self,
        input: SelfAttentionInput<'_, T>,
        y: &mut [T],
        state: &mut SelfAttentionState<T>,
        scratch: &mut SelfAttentionScratch<T>,
    ) {
        let SelfAttentionInput {
            weights,
            encodings,
            n,
            x,
        } = input;
        self.query.forward(weights, x, &mut state.queries);
        self.key.forward(weights, x, &mut state.keys);
        self.value.forward(weights, x, &mut state.values);
        self.turn(encodings, n, &mut state.queries, false);
        self.turn(encodings, n, &mut state.keys, false);
        self.fill_profiles(input, scratch);
        let view = self.head_view(n);
        for at in 0..self.matrices(input) {
            self.attend(input, state, at, scratch);
            let (_, start) = self.start_of(at, n);
            let outcomes = view.of_mut(&mut state.outcomes[start..]);
            let attention = MatRef::from_row_major(&scratch.attention, n, n);
            product(
                outcomes,
                attention,
                view.of(&state.values[start..]),
                T::ONE,
                T::ZERO,
            );
        }
        self.output.forward(weights, &state.outcomes, y);
    }

    /// Calls `observe` with each head and its attention in each sequence \[n, n\], sequence by sequence, after
    /// [`Self::forward`] of the same input.
    pub(crate) fn for_each_attention<T: Real>(
        &self,
        input: SelfAttentionInput<'_, T>,
        state: &SelfAttentionState<T>,
        scratch: &mut SelfAttentionScratch<T>,
        mut observe: impl FnMut(usize, &[T]),
    ) {
        self.fill_profiles(input, scratch);
        for at in 0..self.matrices(input) {
            self.attend(input, state, at, scratch);
            observe(at % self.heads, &scratch.attention);
        }
    }

    /// Number of attention matrices, one for each head and sequence.
    fn matrices<T>(&self, input: SelfAttentionInput<'_, T>) -> usize {
        self.heads * (input.x.len() / (input.n * self.width))
    }

    /// Computes f(k) of every head.
    fn fill_profiles<T: Real>(
        &self,
        input: SelfAttentionInput<'_, T>,
        scratch: &mut SelfAttentionScratch<T>,
    ) {
        scratch.profiles.fill(T::ZERO);
        scratch.has_profile = false;
        let profiles = scratch.profiles.chunks_exact_mut(2 * input.n - 1);
        for (head, profile) in profiles.enumerate() {
            for encoding in input.encodings {
                scratch.has_profile |=
                    encoding.add_to_profile(input.weights, self.layer, head, profile);
            }
        }
    }

    /// Computes the `at`-th attention matrix from queries, keys and profiles.
    fn attend<T: Real>(
        &self,
        input: SelfAttentionInput<'_, T>,
        state: &SelfAttentionState<T>,
        at: usize,
        scratch: &mut SelfAttentionScratch<T>,
    ) {
        let SelfAttentionInput {
            weights,
            encodings,
            n,
            ..
        } = input;
        let (head, start) = self.start_of(at, n);
        let queries = self.head_queries(state, start, n);
        let keys = queries.view.columns(&state.keys[start..]);
        let scores = &mut scratch.attention;
        let into = MatMut::from_row_major(scores, n, n);
        let rows = queries.view.of(queries.queries);
        product(into, rows, keys, queries.scale, T::ZERO);
        if scratch.has_profile {
            let reach = 2 * n - 1;
            let profile = &scratch.profiles[head * reach..][..reach];
            for (i, row) in scores.chunks_exact_mut(n).enumerate() {
                add(row, &profile[n - 1 - i..]);
            }
        }
        for encoding in encodings {
            encoding.add_to_scores(weights, &queries, scores, &mut scratch.encoding);
        }
        for (i, row) in scores.chunks_exact_mut(n).enumerate() {
            if self.is_causal {
                row[i + 1..].fill(T::from_f64(f64::NEG_INFINITY));
            }
            let share = T::from_f64(T::exponentiate(row).recip());
            for v in row {
                *v *= share;
            }
        }
    }

    /// The queries of a head in one sequence, whose first number is at `start`.
    fn head_queries<'a, T: Real>(
        &self,
        state: &'a SelfAttentionState<T>,
        start: usize,
        n: usize,
    ) -> HeadQueries<'a, T> {
        HeadQueries {
            layer: self.layer,
            view: self.head_view(n),
            queries: &state.queries[start..],
            scale: self.scale(),
        }
    }

    /// Adds to the gradients of x, of the weights and of the encodings' parameters, after [`Self::forward`] of the same
    /// input. `memory` has [`SelfAttentionScratch::GRADIENTS`] numbers for each of x.
    pub(crate) fn backward<T: Real>(
        &self,
        input: SelfAttentionInput<'_, T>,
        dy: &[T],
        state: &SelfAttentionState<T>,
        (scratch, memory): (&mut SelfAttentionScratch<T>, &mut [T]),
        dx: &mut [T],
        gradients: &mut [T],
    ) {
        let SelfAttentionInput {
            weights,
            encodings,
            n,
            x,
        } = input;
        let (outcome_gradients, memory) = memory.split_at_mut(x.len());
        let (query_gradients, memory) = memory.split_at_mut(x.len());
        let (key_gradients, memory) = memory.split_at_mut(x.len());
        let value_gradients = &mut memory[..x.len()];
        outcome_gradients.fill(T::ZERO);
        self.output
            .backward(weights, &state.outcomes, dy, outcome_gradients, gradients);
        self.fill_profiles(input, scratch);
        scratch.profile_gradients.fill(T::ZERO);
        let (view, reach) = (self.head_view(n), 2 * n - 1);
        for at in 0..self.matrices(input) {
            self.attend(input, state, at, scratch);
            let attention = &scratch.attention;
            let (head, start) = self.start_of(at, n);
            let outcomes = view.of(&outcome_gradients[start..]);
            let transposed = MatRef::from_col_major(attention, n, n);
            product(
                view.of_mut(&mut value_gradients[start..]),
                transposed,
                outcomes,
                T::ONE,
                T::ZERO,
            );
            let into = MatMut::from_row_major(&mut scratch.scores, n, n);
            product(
                into,
                outcomes,
                view.columns(&state.values[start..]),
                T::ONE,
                T::ZERO,
            );
            // Softmax: ∂s = p∘(∂p − Σ ∂p∘p).
            let profile = &mut scratch.profile_gradients[head * reach..][..reach];
            let rows = scratch
                .scores
                .chunks_exact_mut(n)
                .zip(attention.chunks_exact(n));
            for (i, (scores, attention)) in rows.enumerate() {
                let mean = dot(scores, attention);
                for (score, share) in scores.iter_mut().zip(attention) {
                    *score = (*score - mean) * *share;
                }
                add(&mut profile[n - 1 - i..], scores);
            }
            let queries = self.head_queries(state, start, n);
            let scores = MatRef::from_row_major(&scratch.scores, n, n);
            let into = view.of_mut(&mut query_gradients[start..]);
            product(
                into,
                scores,
                view.of(&state.keys[start..]),
                queries.scale,
                T::ZERO,
            );
            let transposed = MatRef::from_col_major(&scratch.scores, n, n);
            let into = view.of_mut(&mut key_gradients[start..]);
            product(
                into,
                transposed,
                view.of(queries.queries),
                queries.scale,
                T::ZERO,
            );
            for encoding in encodings {
                let (scores, into) = (&scratch.scores, &mut query_gradients[start..]);
                encoding.add_score_gradient(
                    weights,
                    &queries,
                    scores,
                    into,
                    gradients,
                    &mut scratch.encoding,
                );
            }
        }
        for (head, profile) in scratch.profile_gradients.chunks_exact(reach).enumerate() {
            for encoding in encodings {
                encoding.add_profile_gradient(weights, self.layer, head, profile, gradients);
            }
        }
        self.turn(encodings, n, query_gradients, true);
        self.turn(encodings, n, key_gradients, true);
        self.query
            .backward(weights, x, query_gradients, dx, gradients);
        self.key.backward(weights, x, key_gradients, dx, gradients);
        self.value
            .backward(weights, x, value_gradients, dx, gradients);
    }

    /// Head of the `at`-th attention matrix, and where the head's first number is among queries, keys and values.
    fn start_of(&self, at: usize, n: usize) -> (usize, usize) {
        let (sequence, head) = (at / self.heads, at % self.heads);
        (
            head,
            sequence * n * self.width + head * (self.width / self.heads),
        )
    }

    fn turn<T: Real>(
        &self,
        encodings: &EncodingList<T>,
        n: usize,
        rows: &mut [T],
        is_inverse: bool,
    ) {
        for sequence in rows.chunks_exact_mut(n * self.width) {
            for encoding in encodings {
                encoding.turn(self.layer, sequence, is_inverse);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SelfAttention, SelfAttentionInput, SelfAttentionScratch, SelfAttentionState};
    use crate::{
        EncodingName, RecipeSize, TransformerShape,
        encodings::encodings,
        gradient_check::{check, numbers},
        parameters::ParameterLayout,
    };

    #[test]
    fn gradients_are_central_differences() {
        let names = [
            EncodingName::None,
            EncodingName::Rotary,
            EncodingName::Tisa(2),
            EncodingName::Shaw,
        ];
        for (name, is_causal) in names
            .into_iter()
            .flat_map(|name| [(name, false), (name, true)])
        {
            let size = RecipeSize {
                n: 5,
                d: 8,
                layers: 1,
                heads: 2,
                width_factor: 1,
                batch: 2,
            };
            let shape = TransformerShape::new(&size, 3, is_causal);
            let mut layout = ParameterLayout::default();
            let encodings = encodings::<f64>(name, &shape, &mut layout);
            let attention = SelfAttention::new(&mut layout, &shape, 0);
            let split = size.tokens() * size.d;
            let arguments: Vec<f64> = numbers(split + layout.len())
                .iter()
                .map(|v| 0.5 * v)
                .collect();
            let sides = numbers(split);
            let forward = |arguments: &[f64], scratch: &mut _| {
                let (x, weights) = arguments.split_at(split);
                let mut state = SelfAttentionState::new(2, 5, 8);
                let mut y = vec![0.0; split];
                let input = SelfAttentionInput {
                    weights,
                    encodings: &encodings,
                    n: 5,
                    x,
                };
                attention.forward(input, &mut y, &mut state, scratch);
                (y, state)
            };
            let scratch = || SelfAttentionScratch::new(5, 2);
            check(
                &arguments,
                |arguments| {
                    let y = forward(arguments, &mut scratch()).0;
                    y.iter().zip(&sides).map(|(y, side)| y * side).sum()
                },
                |arguments, gradient| {
                    let mut scratch = scratch();
                    let state = forward(arguments, &mut scratch).1;
                    let (x, weights) = arguments.split_at(split);
                    let (dx, gradients) = gradient.split_at_mut(split);
                    let input = SelfAttentionInput {
                        weights,
                        encodings: &encodings,
                        n: 5,
                        x,
                    };
                    let mut memory = vec![0.0; SelfAttentionScratch::<f64>::GRADIENTS * split];
                    let scratch = (&mut scratch, &mut memory[..]);
                    attention.backward(input, &sides, &state, scratch, dx, gradients);
                },
            );
        }
    }
}
