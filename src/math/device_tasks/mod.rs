//! Tasks heavy enough for a GPU, with their cost and their CPU implementation.
//!
//! A task is a plain value. `here` and the methods that end in `_here` compute it on the CPU; `analysis::Gpu` is the
//! interface of GPUs, and `src/gpu/` implements it. Tests compare the two.
//!
//! | task | result | operations | numbers held besides the inputs |
//! |---|---|---|---|
//! | [`Product`] | A·Bᵀ of A \[m, r\] and B \[n, r\] | 2·m·n·r | m·n |
//! | [`Attention::map_here`] | block means of the attention map over a window | 4·n²·r + 2·n² exponentials | n·blocks |
//!
//! An n×n attention matrix is never stored, on the CPU or on the GPU.

mod attention;
mod product;

pub use attention::{Attention, Bias};
pub use product::Product;

/// Cost of an exponential in a row of scores on the CPU, in operations of a product, including its overhead.
const EXPONENTIAL: f64 = 60.0;
