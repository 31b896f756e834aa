//! The operations of the model. Each has a forward pass and, beside it, the backward pass.
//!
//! Matrices are row-major: one row for each token, sequences one after another. Backward passes *add* to the gradients
//! of their inputs and of their weights, so that branches and tied weights need no buffers of their own.

pub(crate) mod attention;
pub(crate) mod embedding;
pub(crate) mod linear;
pub(crate) mod loss;
pub(crate) mod normalization;
pub(crate) mod product;
pub(crate) mod relu;
