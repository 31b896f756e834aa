//! A small transformer that learns in a browser: BERT's architecture, with eleven ways to encode position, on tasks that
//! need positions.
//!
//! * `recipe`, `shape`: everything that a run depends on, its limits, and its form in links;
//! * `trainer`: a run, step by step; `evaluation`, `pair_energy`: what it has learned;
//! * `tasks`: sequences to learn from, with the losses of other predictors;
//! * `model`, `encoder_layer`, `prediction_head`, `pass_buffers`: the architecture, and memory for its passes;
//!   `operations`: its forward and backward passes; `encodings`: ways to encode position;
//! * `parameters`, `random_stream`, `optimizer`: names, start values and steps of what is learned.
//!
//! Everything is deterministic: a run depends on its recipe and text alone, digit by digit, on one machine and in all
//! browsers, however it is paused. Reductions have a fixed order, and there is no clock and no source of randomness but
//! the seed. A crate of its own, so that browsers get it compiled for speed; it knows nothing of pages.
//!
//! The passes are written by hand over products of gemmkit, because a library for gradients was too slow. In one thread of
//! WebAssembly with SIMD a step of recipe M (two layers, 1,024 tokens, learned positions) takes candle 0.11.1 393 ms and
//! these passes 43 ms; with other encodings 37 to 64 ms, recipe S 24 to 48 ms. Each is the least of 30 to 40 steps on a
//! machine with other work. candle predicted all tokens, these passes the masked ones, 30 %. At most 150 ms (S: 60 ms) are
//! wanted. Every gradient is checked in double precision against central differences, and against PyTorch's.

mod encoder_layer;
mod encodings;
mod error;
mod evaluation;
#[cfg(test)]
mod gradient_check;
mod model;
mod operations;
mod optimizer;
mod pair_energy;
mod parameters;
mod pass_buffers;
mod prediction_head;
mod random_stream;
mod real;
mod recipe;
mod shape;
mod tasks;
mod tensor;
mod token_batch;
mod trainer;

pub use encodings::{
    EncodingName, HeadQueries, MOST_KERNELS, MOST_LENGTHS, PositionalEncoding, TisaKernel,
};
pub use error::TrainingError;
pub use evaluation::{EvaluationReport, HeadOffsets, HeldOutEvaluation, MeanAttention};
pub use model::SmallTransformer;
pub use operations::product::HeadView;
pub use pair_energy::PairEnergy;
pub use parameters::{LearningGroup, ParameterEntry, ParameterLayout, ParameterRange, StartValues};
pub use pass_buffers::PassBuffers;
pub use random_stream::RandomStream;
pub use real::Real;
pub use recipe::{MOST_RUNS, MOST_STEPS, TrainingRecipe};
pub use shape::{RecipeSize, TransformerShape};
pub use tasks::{DataSplit, MOST_OFFSETS, MOST_TEXT_BYTES, TaskName, TrainingTask};
pub use tensor::ModelTensor;
pub use token_batch::TokenBatch;
pub use trainer::{HeldOutScore, ReferenceLosses, Trainer};
