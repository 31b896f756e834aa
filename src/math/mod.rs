//! Pure numerics: thin products, their diagonals, their blocks, their attention.
//!
//! * row = query, column = key, offset `k = j − i`; a [`Profile`] of an n×n matrix lists the offsets
//!   −(n−1) … n−1 in that order;
//! * on a [`Grid`] the offset is (Δy, Δx), key minus query too;
//! * numbers are stored as `f32`; sums, statistics and kernels are `f64`;
//! * a matrix of scores is a thin product, a Toeplitz matrix or one of two dimensions: [`Scores`];
//! * nothing here does I/O, waits, knows a model's name or a pixel.
//!
//! [`reference`] holds the slow, obvious twins; tests hold the fast ones against them.

mod autocorrelation;
mod blocks;
mod centred;
mod diagonals;
mod grid;
mod grid_toeplitz;
mod linear_fit;
mod low_rank;
mod offset_r2;
mod profile;
mod random_table;
pub mod reference;
mod scores;
mod softmax;
mod toeplitz;
mod uniformity;
mod waves;

pub use autocorrelation::mean_absolute_autocorrelation;
pub use blocks::{Tile, Window};
pub(crate) use blocks::{cut, finite_range};
pub use centred::Centred;
pub use diagonals::DiagonalSummer;

pub use grid::Grid;
pub use grid_toeplitz::{GridFit, GridToeplitz};
pub use linear_fit::{LinearFit, linear_fit};
pub use low_rank::LowRank;
pub use offset_r2::OffsetR2;
pub use profile::Profile;
pub use random_table::RandomTable;
pub use scores::{Plans, ScoreFits, ScoreSpread, Scores, Similarity};
pub use softmax::{Cells, RowBlocks, attention_rows, toeplitz_attention};
pub(crate) use softmax::{log_totals, running_log_sums};
pub use toeplitz::{NOT_A_NUMBER, Spread, Toeplitz, ToeplitzFit};
pub use uniformity::deviation_from_uniform;
pub use waves::wave_sums;

/// Offset `k = j − i` of a cell.
#[must_use]
pub fn offset(query: usize, key: usize) -> i64 {
    key as i64 - query as i64
}

/// The offsets −(n−1) … n−1 of an n×n matrix, in the order in which a [`Profile`] lists them.
#[must_use]
pub fn offsets(n: usize) -> std::ops::Range<i64> {
    let n = n as i64;
    1 - n..n
}

/// How many cells the diagonal at `offset` of an n×n matrix has.
#[must_use]
pub fn diagonal_cells(n: usize, offset: i64) -> usize {
    n.saturating_sub(offset.unsigned_abs() as usize)
}
