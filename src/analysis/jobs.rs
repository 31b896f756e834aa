//! The list of jobs that may be sent to another worker, and how they travel: as [`RunJob`](super::RunJob), a question
//! like any other, whose answer is what came out.

use super::{
    LazyParts, PortableJob, Progress,
    products::{FitPart, FormTile},
    project_layer::ProjectLayer,
    questions::{AttendInWindow, AttendToOffsets, FindMaxima, FitHead, SummariseHeads, TraceHead},
};
use crate::lazy::LoadError;
use postcard::experimental::serialized_size;
use serde::{Deserialize, Serialize};

macro_rules! jobs {
    ($($job:ident),+ $(,)?) => {
        /// Any of the jobs, as it travels.
        #[derive(Serialize, Deserialize)]
        pub struct AnyJob(Packed);

        #[derive(Serialize, Deserialize)]
        enum Packed {
            $($job($job)),+
        }

        $(
            impl From<$job> for AnyJob {
                fn from(job: $job) -> Self {
                    Self(Packed::$job(job))
                }
            }
        )+

        impl AnyJob {
            /// To bytes.
            #[must_use]
            pub fn encode(&self) -> Vec<u8> {
                encoded(self)
            }

            /// From bytes; `None` where they are no job.
            #[must_use]
            pub fn decode(bytes: &[u8]) -> Option<Self> {
                postcard::from_bytes(bytes).ok()
            }

            /// Runs it; gives what comes out, encoded.
            ///
            /// # Errors
            /// When code that it needs could not be fetched.
            pub async fn run(self, late: &LazyParts, watch: &impl Progress) -> Result<Vec<u8>, LoadError> {
                match self.0 {
                    $(Packed::$job(job) => Ok(encoded(&PortableJob::run(job, late, watch).await?))),+
                }
            }
        }
    };
}

jobs! {
    ProjectLayer,
    SummariseHeads,
    FitHead,
    AttendToOffsets,
    AttendInWindow,
    TraceHead,
    FindMaxima,
    FormTile,
    FitPart,
}

impl std::fmt::Debug for AnyJob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AnyJob").finish_non_exhaustive()
    }
}

/// Into memory of the right size: a job may be megabytes, which would be copied each time the memory grows.
fn encoded<T: Serialize>(value: &T) -> Vec<u8> {
    // Our own types into memory: postcard has nothing to refuse.
    let size = serialized_size(value).unwrap_or_default();
    postcard::to_extend(value, Vec::with_capacity(size)).unwrap_or_default()
}
