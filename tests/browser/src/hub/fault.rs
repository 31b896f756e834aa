//! Faults of responses.

/// A fault of every response. Its name is the revision to request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Half of the body, then silence.
    Stall,
    /// Half of the body, with a length that claims it is all.
    Lie,
    /// Half of the body, and the connection ends.
    CutOff,
    /// Redirects to itself.
    Circle,
    /// Another ETag for every response.
    OtherEtag,
    /// The whole file, ignoring the requested range.
    NoRange,
    /// No CORS headers: other sites may not read.
    NoCors,
    /// CORS without exposed headers: other sites may read the body only.
    HiddenHeaders,
    /// A response with this status; 500 only every other time.
    Status(u16),
}

impl Fault {
    /// The faults by name.
    pub const NAMES: [(&str, Self); 12] = [
        ("stall", Self::Stall),
        ("lie", Self::Lie),
        ("cut-off", Self::CutOff),
        ("circle", Self::Circle),
        ("other-etag", Self::OtherEtag),
        ("no-range", Self::NoRange),
        ("no-cors", Self::NoCors),
        ("hidden-headers", Self::HiddenHeaders),
        ("gated", Self::Status(401)),
        ("too-many", Self::Status(429)),
        ("broken-once", Self::Status(500)),
        ("broken", Self::Status(503)),
    ];

    pub(super) fn of(revision: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(name, _)| *name == revision);
        found.map(|(_, fault)| *fault)
    }
}
