//! Feed-forward parts of blocks.

use super::{Activation, ExpertsDescription, LinearTensors, ResidualDescription};

/// Feed-forward part of a block, output(a(inner(x))), or output(a(gate(x)) ⊙ inner(x)) with a gate (Shazeer 2020).
#[derive(Clone, Debug, PartialEq)]
pub struct FeedForwardDescription {
    /// The activation a.
    pub activation: Activation,
    /// Map to the inner width.
    pub inner: LinearTensors,
    /// Map to the inner width whose activation the other map is multiplied by (`SwiGLU`, `GeGLU`).
    pub gate: Option<LinearTensors>,
    /// Map back to the width of the states.
    pub output: LinearTensors,
    /// Experts, whose maps [`Self::inner`] and [`Self::output`] then hold, without a gate of its own; `None` if all tokens
    /// pass the same maps.
    pub experts: Option<ExpertsDescription>,
    /// Norms around this part.
    pub residual: ResidualDescription,
}

impl FeedForwardDescription {
    /// A part with one inner map.
    #[must_use]
    pub fn plain(
        inner: LinearTensors,
        output: LinearTensors,
        activation: Activation,
        residual: ResidualDescription,
    ) -> Self {
        Self {
            activation,
            inner,
            gate: None,
            output,
            experts: None,
            residual,
        }
    }

    /// Multiplies the inner map by the activation of another one.
    #[must_use]
    pub fn gate(mut self, gate: LinearTensors) -> Self {
        self.gate = Some(gate);
        self
    }

    /// Takes inner map and output as stacks of those of experts.
    #[must_use]
    pub fn experts(mut self, experts: ExpertsDescription) -> Self {
        self.experts = Some(experts);
        self
    }
}
