//! Names of tasks, as links have them.

use std::{fmt, str::FromStr};

/// Greatest number of offsets of the task `offset`.
pub const MOST_OFFSETS: usize = 4;

/// Greatest distance of an offset.
const FARTHEST: i32 = 64;

/// A task, by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TaskName {
    /// `offset3`: the symbol Δ = 3 places to the left; `offset-2` looks to the right. With several, `offset3_-2`, each
    /// target comes from one of them, drawn at random.
    Offset(Vec<i32>),
    /// `chain`: masked symbols of a Markov chain on a ring.
    Chain,
    /// `text`: masked characters of a text.
    Text,
    /// `next`: the next character of a text, from those before.
    NextCharacter,
    /// `repeat`: the symbol that followed last time, from those before.
    Repeat,
    /// `reverse`: the symbol at the same distance from the other end.
    Reverse,
}

impl TaskName {
    /// Whether the task needs a text.
    #[must_use]
    pub fn reads_text(&self) -> bool {
        matches!(self, Self::Text | Self::NextCharacter)
    }
}

impl fmt::Display for TaskName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Offset(offsets) => {
                let offsets: Vec<String> = offsets.iter().map(ToString::to_string).collect();
                return write!(f, "offset{}", offsets.join("_"));
            }
            Self::Chain => "chain",
            Self::Text => "text",
            Self::NextCharacter => "next",
            Self::Repeat => "repeat",
            Self::Reverse => "reverse",
        })
    }
}

impl FromStr for TaskName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "chain" => Self::Chain,
            "text" => Self::Text,
            "next" => Self::NextCharacter,
            "repeat" => Self::Repeat,
            "reverse" => Self::Reverse,
            _ => {
                let start: String = text.chars().take(30).collect();
                let offsets = text.strip_prefix("offset").ok_or_else(|| {
                    format!("There is no task `{start}`. There are offset3, chain, text, next, repeat, reverse.")
                })?;
                let offset = |text: &str| {
                    text.parse()
                        .ok()
                        .filter(|offset: &i32| offset.unsigned_abs() <= FARTHEST as u32)
                };
                let offsets: Option<Vec<i32>> = offsets.split('_').map(offset).collect();
                let offsets = offsets.filter(|offsets| offsets.len() <= MOST_OFFSETS);
                Self::Offset(offsets.ok_or_else(|| {
                    format!(
                        "The task `offset` takes 1 to {MOST_OFFSETS} whole numbers from −{FARTHEST} to {FARTHEST}, as \
                         in offset3 or offset3_-2."
                    )
                })?)
            }
        })
    }
}
