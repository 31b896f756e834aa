//! The list of jobs that may be sent to another worker, and how they travel: as [`RunJob`](super::RunJob), a question
//! like any other, whose answer is what came out.

use super::{
    Late, PortableJob, Watch,
    products::{FitPart, FormPiece},
    project_layer::ProjectLayer,
    questions::{AttendInWindow, AttendToOffsets, FindMaxima, FitHead, SummariseHeads, TraceHead},
};
use crate::late::NotFetched;
use postcard::{experimental::serialized_size, ser_flavors::Flavor, serialize_with_flavor};
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
            pub async fn run(self, late: &Late, watch: &impl Watch) -> Result<Vec<u8>, NotFetched> {
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
    FormPiece,
    FitPart,
}

impl std::fmt::Debug for AnyJob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AnyJob").finish_non_exhaustive()
    }
}

/// Into memory of the right size: a job may be megabytes, which would be copied each time the memory grows.
fn encoded<T: Serialize>(value: &T) -> Vec<u8> {
    let size = serialized_size(value).unwrap_or_default();
    let into = Room(Vec::with_capacity(size));
    // Our own types into memory: postcard has nothing to refuse.
    serialize_with_flavor(value, into).unwrap_or_default()
}

/// Memory that was made for what is encoded. Postcard's own vectors begin small, and its `to_extend` takes bytes one by
/// one, for 4 MB of them 4 ms.
struct Room(Vec<u8>);

impl Flavor for Room {
    type Output = Vec<u8>;

    fn try_extend(&mut self, data: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(data);
        Ok(())
    }

    fn try_push(&mut self, data: u8) -> postcard::Result<()> {
        self.0.push(data);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<Vec<u8>> {
        Ok(self.0)
    }
}
