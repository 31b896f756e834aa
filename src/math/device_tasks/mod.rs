//! Work that is heavy enough for a GPU: three shapes of it, what each costs, and how the CPU does it.
//!
//! Everything here is values: a task says what is wanted, `here` computes it on the CPU. `analysis::Gpu` is the
//! interface to a GPU that does the same tasks, `src/gpu/` the one there is; tests hold the two against each other.
//!
//! | task | gives | operations | numbers held beside the inputs |
//! |---|---|---|---|
//! | [`Product`] | A·Bᵀ of A \[m, r\] and B \[n, r\] | 2·m·n·r | m·n |
//! | [`Attention::rows`] | for every query the greatest score, the sum of exponentials, and outputs \[n, e\] where values \[n, e\] are given | 2·n²·(r + e) + n² exponentials | n·(2 + e) |
//! | [`Attention::map`] | block means of the attention map over a window | 4·n²·r + 2·n² exponentials | n·blocks |
//! | [`BlockMeans`] | means over blocks of a stored matrix \[m, n\] | m·n | blocks |
//!
//! A matrix of n² cells is never held, neither here nor there.

mod attention;
mod block_means;
mod product;

pub use attention::{Attention, AttentionRows, Bias};
pub use block_means::BlockMeans;
pub use product::Product;

/// How many operations of a product an exponential of a row of scores takes on the CPU, with all that goes with it.
const EXPONENTIAL: f64 = 60.0;
