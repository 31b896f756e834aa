//! The parts of a link that were not understood, as one sentence.

/// At most this many parts are named; the others are counted. A link may be nonsense throughout.
const MOST_NAMED: usize = 3;

/// Keys and values are cut to this many characters.
const LONGEST_SHOWN: usize = 40;

/// The parts of a link that were not understood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParseWarnings {
    parts: Vec<String>,
    more: usize,
}

impl ParseWarnings {
    pub(super) fn note(&mut self, key: &str, value: &str) {
        if self.parts.len() == MOST_NAMED {
            self.more += 1;
            return;
        }
        let cut = |text: &str| text.chars().take(LONGEST_SHOWN).collect::<String>();
        self.parts.push(format!("{} = “{}”", cut(key), cut(value)));
    }

    /// Number of parts.
    #[must_use]
    pub fn count(&self) -> usize {
        self.parts.len() + self.more
    }

    /// Returns the sentence that lists them, or `None` if there are none.
    #[must_use]
    pub fn message(&self) -> Option<String> {
        let (last, others) = self.parts.split_last()?;
        let parts = match (self.more, others) {
            (0, []) => {
                return Some(format!(
                    "In this link, {last} was not understood; the default is shown."
                ));
            }
            (0, others) => format!("{} and {last}", others.join(", ")),
            (1, _) => format!("{} and one more part", self.parts.join(", ")),
            (more, _) => format!("{} and {more} more parts", self.parts.join(", ")),
        };
        Some(format!(
            "In this link, {parts} were not understood; the defaults are shown."
        ))
    }
}
