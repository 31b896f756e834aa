//! Position encodings, one per file. Each gives a table, a score by offset, or the row of a learned table for an
//! offset.

mod alibi;
mod description;
mod fire;
mod kernel_set;
mod kerple;
mod log_buckets;
mod patch_angles;
mod patch_scores;
mod phase_difference;
mod pope;
mod random;
mod rotary;
mod rotary_angles;
mod rotary_reach;
mod rotary_scores;
mod shaw;
mod sinusoidal;
mod t5_bias;
mod tisa;
mod transformer_xl;
mod window_bias;

pub use alibi::{Alibi, slopes};
pub use description::Encoding;
pub use fire::{Fire, FireFunction, FireScores};
pub use kernel_set::{
    AuthorsLayer, HeadKernels, KernelSet, LayerKernels, MOST_HEADS, MOST_HEADS_IN_ALL,
    MOST_KERNELS, MOST_LAYERS, convert_centre,
};
pub use kerple::{Kerple, KerpleForm};
pub use log_buckets::RelativeRows;
pub use patch_angles::{PatchAngles, PatchPairs, PatchPositions};
pub use patch_scores::{PairRotation, PatchScores};
pub use phase_difference::PhaseDifference;
pub use pope::Pope;
pub use random::Random;
pub use rotary::{Rotary, RotaryProfile};
pub use rotary_angles::{ContextExtension, LongRope, RotaryAngles, RotaryPositions, Yarn};
pub use rotary_reach::{NegativeSum, critical_columns, first_negative_sum, turns};
pub use rotary_scores::RotaryScores;
pub use shaw::Shaw;
pub use sinusoidal::Sinusoidal;
pub use t5_bias::Buckets;
pub use tisa::{KERNEL_PRESETS, Kernel, KernelPreset, Kernels, MAX_KERNELS};
pub use transformer_xl::TransformerXl;
pub use window_bias::{ClassScores, WindowBias};

/// Every encoding in reading order, for menus, tests and docs.
pub const ENCODINGS: &[Encoding] = &[
    sinusoidal::ENCODING,
    rotary::ENCODING,
    pope::ENCODING,
    tisa::ENCODING,
    alibi::ENCODING,
    kerple::ENCODING,
    fire::ENCODING,
    t5_bias::ENCODING,
    shaw::ENCODING,
    transformer_xl::ENCODING,
    log_buckets::ENCODING,
    window_bias::ENCODING,
    random::ENCODING,
];
