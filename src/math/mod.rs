//! Pure numerics: thin products and their diagonals, block means and attention.
//!
//! * row = query, column = key, offset `k = j − i`; a [`Profile`] of an n×n matrix lists the offsets
//!   −(n−1) … n−1 in that order;
//! * on a [`Grid`] the offset is (Δy, Δx), key minus query too;
//! * numbers are stored as `f32`; sums, statistics and kernels are `f64`;
//! * a matrix of scores is a thin product, a Toeplitz matrix or one of two dimensions: [`Scores`];
//! * nothing here does I/O or waits, or depends on model names or pixels.
//!
//! [`reference`] holds slow, direct implementations that tests compare the fast ones with.

pub(crate) mod as_bytes;
mod assignment;
mod attention_mask;
mod attention_profile;
mod attention_r2;
mod autocorrelation;
mod axis_r2;
mod blocks;
mod centred_matrix;
mod chance_range;
mod components;
pub(crate) mod contiguous;
mod convolution;
mod cross_covariance;
mod dense_fit;
mod density;
pub mod device_tasks;
mod diagonals;
mod finite_columns;
mod fourier;
mod gram;
mod grid;
mod grid_toeplitz;
mod head_clusters;
mod head_factors;
mod k_means;
mod linear_fit;
mod lipschitz_cone;
mod low_rank;
pub(crate) mod matrix_product;
mod normal_number;
mod offset_r2;
mod pair_moments;
mod pair_shares;
mod pixel_head;
mod position_budget;
mod product_tiles;
mod profile;
mod query_key_svd;
mod random_heads;
mod random_table;
pub mod reference;
mod resample;
mod rotation;
mod row_neighbours;
mod scores;
mod seam;
mod sink_shares;
mod sinusoid_test;
mod softmax;
mod spectrum;
mod table_breaks;
mod toeplitz;
mod uniformity;
mod untrained_tail;
mod variance;
mod wave_span;
mod waves;

pub use assignment::Assignment;
pub use attention_mask::AttentionMask;
pub use attention_profile::{
    ALIKE, AS_WIDE, AttentionFit, AttentionProfile, AttentionSums, ENOUGH_INSIDE, ProfileReach,
    shared_profiles,
};
pub use attention_r2::{MOST_WEIGHTED_POSITIONS, attention_r2};
pub use autocorrelation::Autocorrelation;
pub use blocks::{Tile, Window};
pub(crate) use blocks::{cut, range_of_cells, wider};
pub use centred_matrix::CentredMatrix;
pub use chance_range::ChanceRange;
pub use components::Components;
pub use convolution::{ConvolutionKernel, Padding, TapSide};
pub use cross_covariance::{CrossCovariance, CrossCovariances};
pub use dense_fit::DenseFit;
pub use density::Density;
pub use diagonals::DiagonalSummer;
pub use finite_columns::{FiniteColumns, NoWaves};
pub use head_clusters::{
    AttentionSpan, GROUPS_OF_PAPER, GroupCount, HeadClusters, MIN_TRACE_SHARE, MOST_GROUPS,
    TRACE_REACH, TRACED_POSITIONS, Trace, explained_by_groups,
};
pub use head_factors::HeadFactors;
pub use k_means::Clusters;
pub use query_key_svd::QueryKeySvd;
pub use resample::{Resampling, resample};
pub use rotation::{CHANCE_HEADS, PhaseLine, Rotation, angle_bin};
pub use sink_shares::sink_shares;
pub use sinusoid_test::{FrequencySearch, Layout, LayoutDistance, LayoutMatch, SharedFrequency};
pub use spectrum::{Spectrum, period};

pub use grid::Grid;
pub use grid_toeplitz::{GridFit, GridToeplitz};
pub use linear_fit::{LinearFit, linear_fit};
pub use lipschitz_cone::{ConeBound, ConeSearch, LipschitzCone};
pub use low_rank::LowRank;
pub use normal_number::normal_number;
pub use offset_r2::OffsetR2;
pub use pair_moments::PairMoments;
pub use pair_shares::{effective_pairs, pair_shares};
pub use pixel_head::{Covariance, HeadShape, PixelHead};
pub use position_budget::{KeyRotation, PositionBudget, VectorMoments};
pub(crate) use product_tiles::ProductTile;
pub use profile::Profile;
pub use random_heads::{RANDOM_HEADS, random_heads, random_orthogonal, random_traces};
pub use random_table::RandomTable;
pub use row_neighbours::RowNeighbours;
pub use scores::{Plans, ScoreFits, ScoreSpread, Scores, Similarity, SoftmaxR2};
pub use seam::Seam;
pub use softmax::{RowBlocks, attention_rows, toeplitz_attention};
pub(crate) use softmax::{log_totals, running_log_sums};
pub use table_breaks::{TableBreaks, TablePart};
pub use toeplitz::{Spread, Toeplitz, ToeplitzFit};
pub use uniformity::deviation_from_uniform;
pub use untrained_tail::UntrainedTail;
pub use variance::NoR2;
pub use wave_span::{MOST_DIRECTIONS, WAVE_VARIANCE, WaveShift, WaveSpan};
pub use waves::{WaveSums, wave_sums};

/// Offset `k = j − i` of a cell.
#[must_use]
pub fn offset(query: usize, key: usize) -> i64 {
    key as i64 - query as i64
}

/// The offsets −(n−1) … n−1 of an n×n matrix, in the order of a [`Profile`].
#[must_use]
pub fn offsets(n: usize) -> std::ops::Range<i64> {
    let n = n as i64;
    1 - n..n
}

/// Number of cells on the diagonal at `offset` of an n×n matrix.
#[must_use]
pub fn diagonal_cells(n: usize, offset: i64) -> usize {
    n.saturating_sub(offset.unsigned_abs() as usize)
}
