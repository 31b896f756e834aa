//! A number of heads, and how it is known.

use serde::{Deserialize, Serialize};

/// Heads of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heads {
    /// How many; 0 for a model without queries and keys.
    pub count: u32,
    /// How that is known.
    pub source: HeadsSource,
}

impl Heads {
    /// No queries and keys, no heads.
    pub const NONE: Self = Self {
        count: 0,
        source: HeadsSource::Assumed,
    };

    /// Whether there are none.
    pub fn is_none(self) -> bool {
        self.count == 0
    }
}

/// How a number of heads is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum HeadsSource {
    /// The configuration or the file says so.
    Config,
    /// Models of this width have so many.
    Assumed,
    /// A person chose.
    Chosen,
}
