//! Questions about a model's positions, and their answers as plain data.
//!
//! Each file in `questions/` defines one question; the list there is also the worker's protocol. [`Session`] holds the
//! open models and answers questions. [`Cache`] holds the questions that were asked and the states of their answers.
//! [`Host`] is the program that a session runs in. The other files define the data of answers and the functions that
//! compute them. Nothing here depends on a browser or on drawing.

mod answer_event;
mod attention_stats;
mod cache;
mod compare;
pub mod criteria;
mod diagonals;
mod effects;
mod encoding_parameters;
mod encoding_profile;
mod export;
mod failure;
mod fit_caveats;
mod fit_progress;
mod gpu;
mod head;
mod head_convolution;
mod head_pair;
mod head_terms;
mod head_words;
mod heads;
mod host;
mod identity;
mod images;
mod job;
mod kernel_fit;
mod kernels;
mod layers;
mod loaded_model;
mod matrix_rows;
mod model_cache;
mod opening;
pub mod parameter_count;
mod patch_similarity;
pub mod permutation;
pub mod planted_waves;
mod positions;
mod priority_gate;
mod products;
mod progress;
mod project_layer;
mod query_state;
mod query_statistics;
mod question;
mod questions;
mod reading;
mod scheme;
mod self_attention;
mod session;
mod single_answer;
mod snapshots;
mod summary;
mod table_notes;
mod text;
mod text_heads;
mod text_runs;
mod training_run;
mod wave_matrices;
mod waves;
mod word_rows;

pub use answer_event::{AnswerEvent, Notification, ResponseSink};
pub use attention_stats::{AttentionSides, AttentionStats, Looks};
pub use cache::{Cache, Key, WorkerCommand};
pub use compare::Brief;
pub use diagonals::{DiagonalsOf, MOST_DISTANCES, distances, distances_among, largest_deviation};
pub use effects::{Effect, Measure};
pub use encoding_parameters::{EncodingParameters, ExtensionKind, UntrainedValues};
pub use encoding_profile::{
    EncodingProfile, ProfileInputs, ProfileScaling, ProfileSource, RowDependence, SecondLine,
    encoding_profile, encoding_profiles,
};
pub use export::{MatrixFormat, csv_field, file_size, matrix_csv_header, matrix_csv_row, npy};
pub use failure::{Failure, FailureKind, Remedy};
pub use fit_caveats::fit_caveats;
pub use fit_progress::{group_progress, head_progress};
pub use gaussian_fit::{Objective, Reading};
pub use gpu::{BackendChoice, ComputeReport, Device, FromGpu, Gpu, GpuFault};
pub use head::{HeadDetail, SECTION_FRACTIONS, Section};
pub use head_convolution::{
    ATTENDED_POSITIONS, HeadConvolution, LayerConvolutions, profile_letter,
};
pub use head_terms::{HeadTerms, TermSet, TermWeight};
pub use head_words::{HeadWords, MOST_WORD_POSITIONS};
pub use heads::{HeadR2, HeadSummary, WeightedHeadR2, peak_offset};
pub use host::{Host, InPlace};
pub use identity::{
    HeadId, MatrixId, MatrixPart, ModelId, ModelVersion, ScoreInput, TextId, TextRunId,
};
pub use images::*;
pub use job::{Job, PortableJob};
pub use kernel_fit::{FitOptions, KernelFit, Weighting, set_of_fits};
pub use kernels::{
    HeadToMix, KERNEL_TILE_LIMIT, KernelPicture, MAX_LENGTH, MIN_LENGTH, MixedAttention,
    kernel_picture,
};
pub use patch_similarity::{
    HeadOffsetMaps, NO_PATCHES, OtherGrid, PatchMaps, PatchSimilarities, RESAMPLED_SIDES,
};
pub use positions::{PositionSummary, Scope, break_parts, leading_scope, sinusoidal_summary};
pub use priority_gate::Urgency;
pub use progress::Progress;
pub use query_state::{AnyAnswer, ErasedQuestion, QueryState};
pub use query_statistics::LayerQueries;
pub use question::{AnswerContext, Question};
pub use questions::*;
pub use scheme::{SCHEMES, Scheme, SchemeId, scheme_of};
pub use self_attention::{
    AttentionMap, FIRST_LAYER_POSITIONS, FIRST_LAYER_WAYS, FirstLayerWay, kernel_attention,
};
pub use session::{MemorySession, Session};
pub use single_answer::SingleAnswer;
pub use snapshots::step_of;
pub use summary::ModelSummary;
pub use table_notes::{SEAM_NOTE, UNTRAINED_ROWS_NOTE};
pub use text::{
    PartShare, PredictionKind, SpecialTokenMode, TextHeadSummary, TextMatrix, TextProfile, TextR2,
    TextShift, TextSupport, TextTokens, TextValues, TokenPrediction,
};
pub use text_runs::{EnteringStates, MOST_STATES, TextRun};
pub use training_run::{MOST_LIVE, PlaceOfStep, Snapshot, SnapshotSource, TrainingRun};
pub use waves::*;
pub use word_rows::{first_layer_content, word_rows};

pub use crate::forward::{ColumnEnergies, RotaryBounds, RotaryEnergies, RotatedPair, ScorePart};
pub use crate::math::{AttentionMask, Similarity};
pub use crate::model::{HeadQuerySizes, PositionKind, RotaryAxis, ScoreMode, is_next_version};

/// Maximum number of blocks per side of a tile that is requested before its size in pixels is known.
pub const TILE_LIMIT: usize = 512;

/// Maximum number of blocks per side of any tile: the pixels of a figure across a large screen. Its numbers take 16 MB.
pub const FINEST_TILE: usize = 2048;
