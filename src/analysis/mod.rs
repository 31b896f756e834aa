//! Questions about a model's positions, and their answers as plain data.
//!
//! One file, one question. [`Request`] and [`Answer`] are everything that can be asked, and the worker's
//! protocol; [`Session`] holds what is open and answers. Nothing here knows a browser or a picture.

mod compare;
pub mod criteria;
mod diagonals;
mod effects;
mod encoding_profile;
mod export;
mod head;
mod heads;
mod kept;
mod kernel_fit;
mod kernels;
mod matrices;
mod opened;
mod opening;
pub mod parameter_count;
pub mod permutation;
mod positions;
mod protocol;
mod self_attention;
mod session;
mod snapshots;
mod toeplitz_speed;
mod watch;

pub use compare::Brief;
pub use diagonals::{DiagonalsOf, MOST_DISTANCES, distances, largest_deviation};
pub use effects::{Effect, Measure};
pub use encoding_profile::{
    EncodingParameters, EncodingProfile, Given, ProfileSource, SCHEMES, Scaled, Scheme, SchemeId,
    Untrained, encoding_profile, encoding_profiles, scheme_of,
};
pub use export::{MatrixFormat, matrix_csv_header, matrix_csv_row, npy};
pub use head::{HeadDetail, SECTION_FRACTIONS, Section};
pub use heads::{HeadSummary, peak_offset};
pub use kernel_fit::{FitOptions, KernelFit, Weighting};
pub use kernels::{
    KERNEL_TILE_LIMIT, KernelPicture, MAX_LENGTH, MIN_LENGTH, MixedAttention, kernel_picture,
    mixed_attention,
};
pub use positions::{PositionSummary, Scope, sinusoidal_summary};
pub use protocol::{
    Answer, Gathering, HeadId, MatrixId, ModelId, ModelSummary, Origin, Part, Request,
};
pub use self_attention::{AttentionMap, FIRST_LAYER_POSITIONS, FIRST_LAYER_WAYS, kernel_attention};
pub use session::{Reply, Session};
pub use snapshots::{in_order, step_of};
pub use toeplitz_speed::{ToeplitzRace, race};
pub use watch::Watch;

pub use crate::math::{Cells, Similarity};
pub use crate::model::{PositionKind, ScoreMode};

/// Blocks a side of a picture: more than a figure shows in device pixels is not worth computing.
pub const TILE_LIMIT: usize = 512;
