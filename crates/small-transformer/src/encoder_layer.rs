//! A layer of BERT: attention and a feed-forward part, each added to its input and then normed (Devlin et al. 2019).

use crate::{
    Real, TransformerShape,
    encodings::PositionalEncoding,
    operations::{
        attention::{SelfAttention, SelfAttentionInput, SelfAttentionScratch, SelfAttentionState},
        linear::Linear,
        normalization::Normalization,
        relu,
    },
    parameters::ParameterLayout,
    pass_buffers::PassBuffers,
    real::add,
};

/// A layer without its weights.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EncoderLayer {
    /// Index of the layer.
    layer: usize,
    attention: SelfAttention,
    attention_norm: Normalization,
    intermediate: Linear,
    output: Linear,
    output_norm: Normalization,
}

/// A layer of a forward pass that has just been computed.
#[derive(Debug)]
pub(crate) struct LayerPass<'a, T> {
    /// Index of the layer.
    pub(crate) layer: usize,
    /// Its attention, with the input, state and scratch memory of the pass.
    pub(crate) attention: &'a SelfAttention,
    pub(crate) input: SelfAttentionInput<'a, T>,
    pub(crate) state: &'a SelfAttentionState<T>,
    pub(crate) scratch: &'a mut SelfAttentionScratch<T>,
}

impl<T: Real> LayerPass<'_, T> {
    /// Calls `observe` with each head and its attention in each sequence \[n, n\], sequence by sequence.
    pub(crate) fn for_each_attention(&mut self, observe: impl FnMut(usize, &[T])) {
        self.attention
            .for_each_attention(self.input, self.state, self.scratch, observe);
    }
}

/// Input and outcome of a layer \[tokens, d\].
fn layer_input<'a, T>(
    layer: usize,
    embedding: &'a [T],
    outcomes: &'a mut [Vec<T>],
) -> (&'a [T], &'a mut [T]) {
    let (before, rest) = outcomes.split_at_mut(layer);
    let x = before.last().map_or(embedding, |outcome| &outcome[..]);
    (x, &mut rest[0])
}

impl EncoderLayer {
    /// A layer of a model. Adds its parameters to the layout.
    pub(crate) fn new(
        layout: &mut ParameterLayout,
        shape: &TransformerShape,
        layer: usize,
    ) -> Self {
        let name = |part: &str| format!("bert.encoder.layer.{layer}.{part}");
        let (d, hidden) = (shape.d, shape.width_factor * shape.d);
        Self {
            layer,
            attention: SelfAttention::new(layout, shape, layer),
            attention_norm: Normalization::new(layout, &name("attention.output.LayerNorm"), d),
            intermediate: Linear::new(layout, &name("intermediate.dense"), d, hidden),
            output: Linear::new(layout, &name("output.dense"), hidden, d),
            output_norm: Normalization::new(layout, &name("output.LayerNorm"), d),
        }
    }

    /// The layer after [`Self::forward`] with the same arguments.
    pub(crate) fn pass<'a, T: Real>(
        &'a self,
        weights: &'a [T],
        encodings: &'a [Box<dyn PositionalEncoding<T>>],
        buffers: &'a mut PassBuffers<T>,
    ) -> LayerPass<'a, T> {
        let (x, _) = layer_input(self.layer, &buffers.embedding, &mut buffers.outcomes);
        let shared = buffers.states.len();
        LayerPass {
            layer: self.layer,
            attention: &self.attention,
            input: SelfAttentionInput {
                weights,
                encodings,
                n: buffers.n,
                x,
            },
            state: &buffers.states[self.layer % shared].attention,
            scratch: &mut buffers.attention,
        }
    }

    /// State and outcome of the layer, whose input is in `buffers`. Overwrites `sums` and `inner`.
    pub(crate) fn forward<T: Real>(
        &self,
        weights: &[T],
        encodings: &[Box<dyn PositionalEncoding<T>>],
        buffers: &mut PassBuffers<T>,
    ) {
        let shared = buffers.states.len();
        let state = &mut buffers.states[self.layer % shared];
        let (x, outcome) = layer_input(self.layer, &buffers.embedding, &mut buffers.outcomes);
        let (sums, inner) = (&mut buffers.sums, &mut buffers.inner);
        let input = SelfAttentionInput {
            weights,
            encodings,
            n: buffers.n,
            x,
        };
        let scratch = &mut buffers.attention;
        self.attention
            .forward(input, sums, &mut state.attention, scratch);
        add(sums, x);
        self.attention_norm
            .forward(weights, sums, &mut state.middle, &mut state.attention_norm);
        self.intermediate
            .forward(weights, &state.middle, &mut state.activations);
        relu::forward(&mut state.activations);
        self.output.forward(weights, &state.activations, inner);
        add(inner, &state.middle);
        self.output_norm
            .forward(weights, inner, outcome, &mut state.output_norm);
    }

    /// Turns the gradient of the layer's outcome, in `buffers.outer`, into that of its input, and adds to the gradients of
    /// the weights. `buffers` have the layer's state. `sums` becomes the gradient of a sum before a norm, `inner` that of
    /// the layer's middle.
    pub(crate) fn backward<T: Real>(
        &self,
        weights: &[T],
        encodings: &[Box<dyn PositionalEncoding<T>>],
        buffers: &mut PassBuffers<T>,
        gradients: &mut [T],
    ) {
        let shared = buffers.states.len();
        let state = &buffers.states[self.layer % shared];
        let (x, _) = layer_input(self.layer, &buffers.embedding, &mut buffers.outcomes);
        let (inner, outer) = (&mut buffers.inner, &mut buffers.outer);
        let hidden = state.activations.len();
        let wide = &mut buffers.wide[..hidden];
        buffers.sums.fill(T::ZERO);
        self.output_norm.backward(
            weights,
            outer,
            &state.output_norm,
            &mut buffers.sums,
            gradients,
        );
        wide.fill(T::ZERO);
        self.output
            .backward(weights, &state.activations, &buffers.sums, wide, gradients);
        relu::backward(&state.activations, wide);
        inner.copy_from_slice(&buffers.sums);
        self.intermediate
            .backward(weights, &state.middle, wide, inner, gradients);
        buffers.sums.fill(T::ZERO);
        self.attention_norm.backward(
            weights,
            inner,
            &state.attention_norm,
            &mut buffers.sums,
            gradients,
        );
        outer.copy_from_slice(&buffers.sums);
        let input = SelfAttentionInput {
            weights,
            encodings,
            n: buffers.n,
            x,
        };
        self.attention.backward(
            input,
            &buffers.sums,
            &state.attention,
            (&mut buffers.attention, &mut buffers.wide),
            outer,
            gradients,
        );
    }
}
