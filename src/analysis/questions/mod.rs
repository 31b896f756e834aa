//! All questions, one file each.
//!
//! To add a question, add a file here with a type that implements [`Question`] or [`super::SingleAnswer`], its module,
//! and a line in the list at the end, which is also the worker's protocol.

mod any_job;
mod attention_preview;
mod attention_sinks;
mod block_value_range;
mod close_model;
mod concatenate_heads;
mod convolution_errors;
mod correction_effects;
mod describe_text_support;
mod diagonal_cells;
mod diagonal_deviations;
mod filter_image;
mod first_layer_attention;
mod group_files;
mod head_attention;
mod head_attention_r2;
mod head_attention_stats;
mod head_convolutions;
mod head_correlation;
mod head_deviations;
mod head_entropies;
mod head_fit;
mod head_fits;
mod head_grouping;
mod head_list;
mod head_overview;
mod head_rotation;
mod head_shifts;
mod head_tile;
mod head_waves;
mod layer_convolution;
mod layer_sections;
mod layer_spectra;
mod matrix_tile;
mod model_overview;
mod numpy_code;
mod open_model;
mod patch_similarity;
mod position_budgets;
mod position_dependence;
mod position_overview;
mod position_tile;
mod predict_tokens;
mod random_groups;
mod random_profiles;
mod read_lesson;
mod read_snapshot;
mod reopen_with_options;
mod retarget_head;
mod retargeted_attention;
mod rotary_angle_sets;
mod rotary_findings;
mod rotary_frequencies;
mod run_job;
mod run_texts;
mod score_terms;
mod sinusoid_test;
mod stored_gaussians;
mod table_columns;
mod table_continuity;
mod table_pair;
mod table_tile;
mod table_waves;
mod text_head_matrix;
mod text_head_profile;
mod text_parts;
mod tokenizer_files;
mod whole_matrix;

/// Names that most questions use.
mod prelude {
    pub(super) use crate::{
        analysis::{
            AnswerContext, Failure, HeadId, Host, Job, ModelVersion, PortableJob, Progress,
            Question, ScoreMode, SingleAnswer, Urgency, question::list_answer,
        },
        lazy::LoadError,
    };
    pub(super) use serde::{Deserialize, Serialize};
}

use super::{
    AnswerContext, AnswerEvent, Failure, Host, ModelVersion, Notification, Question, ResponseSink,
    Session, Urgency,
};
use serde::{Deserialize, Serialize};

macro_rules! questions {
    ($($file:ident::$question:ident),+ $(,)?) => {
        $(pub use $file::$question;)+

        /// Any question, as it is sent to the worker.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[expect(missing_docs, reason = "each variant is named after its type")]
        pub enum AnyQuestion {
            $($question($question)),+
        }

        $(
            impl From<$question> for AnyQuestion {
                fn from(question: $question) -> Self {
                    Self::$question(question)
                }
            }
        )+

        impl AnyQuestion {
            /// Names of all question types, for tests.
            pub const NAMES: &[&str] = &[$(stringify!($question)),+];

            /// Name of the question's type.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$question(_) => stringify!($question)),+
                }
            }

            /// See [`Question::model`].
            #[must_use]
            pub fn model(&self) -> Option<ModelVersion> {
                match self {
                    $(Self::$question(question) => question.model()),+
                }
            }

            /// See [`Question::URGENCY`].
            #[must_use]
            pub fn urgency(&self) -> Urgency {
                match self {
                    $(Self::$question(_) => $question::URGENCY),+
                }
            }

            /// See [`Question::answer`].
            pub(super) async fn answer<H: Host>(
                self,
                session: &Session<H>,
                files: Vec<(String, H::Source)>,
                reply: &dyn ResponseSink,
            ) -> Result<(), Failure> {
                match self {
                    $(
                        Self::$question(question) => {
                            question.answer(&AnswerContext::new(session, files, reply)).await
                        }
                    )+
                }
            }
        }
    };
}

questions! {
    group_files::GroupFiles,
    read_lesson::ReadLesson,
    open_model::OpenModel,
    reopen_with_options::ReopenWithOptions,
    close_model::CloseModel,
    position_overview::PositionOverview,
    diagonal_deviations::DiagonalDeviations,
    position_tile::PositionTile,
    table_tile::TableTile,
    read_snapshot::ReadSnapshot,
    block_value_range::BlockValueRange,
    diagonal_cells::DiagonalCells,
    head_list::HeadList,
    head_entropies::HeadEntropies,
    head_attention_r2::HeadAttentionR2,
    position_budgets::PositionBudgets,
    attention_sinks::AttentionSinks,
    rotary_findings::RotaryFindings,
    rotary_frequencies::RotaryFrequencies,
    head_overview::HeadOverview,
    head_deviations::HeadDeviations,
    head_tile::HeadTile,
    head_correlation::HeadCorrelation,
    head_attention::HeadAttention,
    attention_preview::AttentionPreview,
    head_attention_stats::HeadAttentionStats,
    first_layer_attention::FirstLayerAttention,
    head_fit::HeadFit,
    head_fits::HeadFits,
    rotary_angle_sets::RotaryAngleSets,
    table_waves::TableWaves,
    table_columns::TableColumns,
    sinusoid_test::SinusoidTest,
    head_waves::HeadWaves,
    head_rotation::HeadRotation,
    head_shifts::HeadShifts,
    layer_spectra::LayerSpectra,
    head_grouping::HeadGrouping,
    random_groups::RandomGroups,
    random_profiles::RandomProfiles,
    retarget_head::RetargetHead,
    retarget_head::RetargetedWeights,
    retargeted_attention::RetargetedAttention,
    concatenate_heads::ConcatenateHeads,
    filter_image::FilterImage,
    convolution_errors::ConvolutionErrors,
    head_convolutions::HeadConvolutions,
    patch_similarity::PatchSimilarity,
    stored_gaussians::StoredGaussians,
    model_overview::ModelOverview,
    correction_effects::CorrectionEffects,
    whole_matrix::WholeMatrix,
    numpy_code::NumpyCode,
    tokenizer_files::TokenizerFiles,
    matrix_tile::MatrixTile,
    run_job::RunJob,
    describe_text_support::DescribeTextSupport,
    run_texts::RunTexts,
    text_head_matrix::TextHeadMatrix,
    text_head_profile::TextHeadProfile,
    text_parts::TextPartShares,
    text_parts::TextPartMatrix,
    predict_tokens::PredictTokens,
    score_terms::ScoreTerms,
    score_terms::TermDraws,
    position_dependence::PositionDependence,
    layer_convolution::LayerConvolution,
    layer_sections::LayerSections,
    table_pair::TablePair,
    table_continuity::TableContinuity,
}

/// A question of the list above, which can be sent to the worker.
pub trait ListedQuestion: Question + Into<AnyQuestion> {}

impl<Q: Question + Into<AnyQuestion>> ListedQuestion for Q {}

impl<H: Host> Session<H> {
    /// Answers a question; `files` are those that the question refers to, each with its name or path. The last message
    /// is [`Notification::Done`] or [`Notification::Failed`]; neither is sent if the future is dropped before.
    pub async fn answer(
        &self,
        question: impl Into<AnyQuestion>,
        files: Vec<(String, H::Source)>,
        reply: &dyn ResponseSink,
    ) {
        let question = question.into();
        let pass = self.turns.begin(question.urgency()).await;
        let end = match question.answer(self, files, reply).await {
            Ok(()) => Notification::Done,
            Err(failure) => Notification::Failed(failure),
        };
        drop(pass);
        reply.send(AnswerEvent::News(end));
    }
}

pub use any_job::AnyJob;
pub use attention_sinks::HeadSink;
pub use group_files::{FoundModel, GroupedFiles, UnplacedShard};
pub use head_entropies::HeadEntropy;
pub use head_fit::Fits;
pub use head_shifts::{BestShift, HeadShift};
pub use layer_convolution::{ConvolutionTap, LayerTaps};
pub use layer_sections::{SECTION_REACH, ShortRow, ShortSections};
pub use open_model::{OpenResult, Origin};
pub use position_budgets::{BudgetSource, HeadBudget};
pub use position_dependence::{WORD_DRAWS, WordAttention};
pub use random_profiles::SharedProfiles;
pub use read_snapshot::{PositionReport, StoredScores};
pub use retargeted_attention::AttentionChange;
pub use rotary_angle_sets::{AngleSet, AngleSource, ColumnPair, LengthDependence, ModelAngles};
pub use rotary_frequencies::{
    MOST_REMOTE_BYTES, RotaryLayerPairs, RotaryLayers, RotaryMeasure, RotaryValues,
};
pub use run_texts::TextLayers;
pub use table_continuity::TableCones;
pub use table_pair::SmoothTable;
