//! Faults of GPU computations.

use crate::lazy::LoadError;
use std::fmt;

/// Reason why a GPU did not compute a task. `Display` writes a clause that can begin a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GpuFault {
    /// The browser has no WebGPU.
    Absent,
    /// The code that computes on GPUs could not be fetched.
    NotFetched,
    /// The browser provides no adapter or no device.
    Refused,
    /// The adapter failed a trial computation, or did not finish it.
    Untrustworthy,
    /// The task exceeds the limits of the GPU.
    TooLarge,
    /// The GPU ran out of memory although the task is within its limits.
    OutOfMemory,
    /// The GPU refused a command that is within its limits.
    Invalid,
    /// The device was lost: its driver stopped, or the computer slept.
    Lost,
    /// A shader took more than two seconds.
    Slow,
}

impl GpuFault {
    /// Whether the device cannot be used any more after this fault; another device may work.
    #[must_use]
    pub fn ends_device(&self) -> bool {
        !matches!(self, Self::TooLarge)
    }

    /// Whether it makes sense to request another device.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Lost | Self::OutOfMemory | Self::NotFetched)
    }
}

impl From<LoadError> for GpuFault {
    fn from(_: LoadError) -> Self {
        Self::NotFetched
    }
}

impl fmt::Display for GpuFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Absent => "This browser has no WebGPU",
            Self::NotFetched => "The part of this page for GPUs could not be fetched",
            Self::Refused => "The browser grants no GPU",
            Self::Untrustworthy => "The GPU failed a trial",
            Self::TooLarge => "This is larger than the GPU takes at once",
            Self::OutOfMemory => "The GPU has no memory left",
            Self::Invalid => "The GPU refused a command that it should take",
            Self::Lost => "The GPU was lost",
            Self::Slow => "The GPU took more than two seconds",
        })
    }
}

impl std::error::Error for GpuFault {}
