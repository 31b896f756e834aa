//! Number of heads and its origin.

use serde::{Deserialize, Serialize};

/// Number of heads of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heads {
    /// Number of heads; 0 for a model without queries and keys.
    pub count: u32,
    /// Origin of the number.
    pub source: HeadsSource,
}

impl Heads {
    /// For a model without queries and keys.
    pub const NONE: Self = Self {
        count: 0,
        source: HeadsSource::Assumed,
    };

    /// Whether there are no heads.
    pub fn is_none(self) -> bool {
        self.count == 0
    }
}

/// Origin of a number of heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum HeadsSource {
    /// From the configuration or the tensors.
    Config,
    /// Usual for models of this width.
    Assumed,
    /// Chosen by the user.
    Chosen,
}
