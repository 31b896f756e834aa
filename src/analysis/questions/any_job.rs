//! The list of portable jobs, and how they are sent: as [`RunJob`](super::RunJob), a question whose answer is the
//! output.

use super::{
    head_attention::AttendInWindow,
    head_attention_r2::WeighScores,
    head_convolutions::AttendToOffsets,
    head_entropies::MeasureEntropy,
    head_fits::FitHead,
    head_grouping::TraceHead,
    head_list::SummariseHeads,
    head_shifts::FindShifts,
    layer_sections::CutSections,
    layer_spectra::FindMaxima,
    position_dependence::AttendToWords,
    random_groups::{GroupTurnedHeads, TurnHead},
    random_profiles::ProfileTurnedHeads,
};
use crate::{
    analysis::{
        PortableJob, Progress,
        job::EncodeJob,
        products::{FitPart, FormTile},
        project_layer::ProjectLayer,
    },
    lazy::LoadError,
};
use postcard::experimental::serialized_size;
use serde::{Deserialize, Serialize};

macro_rules! jobs {
    ($($job:ident),+ $(,)?) => {
        /// Any portable job, in serializable form.
        #[derive(Serialize, Deserialize)]
        pub struct AnyJob(JobVariant);

        #[derive(Serialize, Deserialize)]
        enum JobVariant {
            $($job($job)),+
        }

        $(
            impl From<$job> for AnyJob {
                fn from(job: $job) -> Self {
                    Self(JobVariant::$job(job))
                }
            }

            impl EncodeJob for $job {
                fn encode(&self) -> Vec<u8> {
                    AnyJob::from(self.clone()).encode()
                }
            }
        )+

        impl AnyJob {
            /// Encodes the job.
            #[must_use]
            pub fn encode(&self) -> Vec<u8> {
                encode(self)
            }

            /// Decodes a job; `None` if the bytes are not a job.
            #[must_use]
            pub fn decode(bytes: &[u8]) -> Option<Self> {
                postcard::from_bytes(bytes).ok()
            }

            /// Runs the job and returns its encoded output.
            ///
            /// # Errors
            /// If code that the job needs cannot be fetched.
            pub async fn run(self, watch: &impl Progress) -> Result<Vec<u8>, LoadError> {
                match self.0 {
                    $(JobVariant::$job(job) => Ok(encode(&PortableJob::run(job, watch).await?))),+
                }
            }
        }
    };
}

jobs! {
    ProjectLayer,
    SummariseHeads,
    MeasureEntropy,
    WeighScores,
    FitHead,
    AttendToOffsets,
    AttendInWindow,
    AttendToWords,
    TraceHead,
    TurnHead,
    GroupTurnedHeads,
    ProfileTurnedHeads,
    FindMaxima,
    FindShifts,
    CutSections,
    FormTile,
    FitPart,
}

impl std::fmt::Debug for AnyJob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AnyJob").finish_non_exhaustive()
    }
}

/// Encodes into a buffer of the exact size: a job may take megabytes, which a growing buffer would copy repeatedly.
fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    // Encoding our own types into memory does not fail.
    let size = serialized_size(value).unwrap_or_default();
    postcard::to_extend(value, Vec::with_capacity(size)).unwrap_or_default()
}
