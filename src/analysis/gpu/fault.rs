//! Why a GPU does not compute something.

use std::fmt;

/// Why a GPU did not compute something. `Display` is a clause that a sentence can begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GpuFault {
    /// The browser has no WebGPU.
    Absent,
    /// The part of the page that computes on GPUs could not be fetched.
    NotFetched,
    /// The browser gives no adapter, or no device of it.
    Refused,
    /// What the adapter computed in a trial was wrong, or it did not do it.
    Untrustworthy,
    /// More would have to lie on the GPU than it takes at once.
    TooLarge,
    /// It had no memory left, though its limits say that there was enough.
    OutOfMemory,
    /// It refused a command that its limits allow.
    Invalid,
    /// The device was lost: its driver stopped, or the computer slept.
    Lost,
    /// A shader took more than two seconds.
    Slow,
}

impl GpuFault {
    /// Whether another device may do better: this one is of no use any more.
    #[must_use]
    pub fn ends_device(&self) -> bool {
        !matches!(self, Self::TooLarge)
    }

    /// Whether there is any sense in asking for another device.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Lost | Self::OutOfMemory | Self::NotFetched)
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
