//! The pairs of a query, and what of them was not understood.

use super::section::{LinkSection, read_section};
use std::borrow::Cow;

/// The pairs of a query, taken one by one.
pub(super) struct QueryPairs<'a> {
    pairs: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    pub(super) misread: Misread,
}

impl<'a> QueryPairs<'a> {
    /// Of a query with or without its `?`.
    pub(super) fn of(query: &'a str) -> Self {
        let query = query.strip_prefix('?').unwrap_or(query);
        Self {
            pairs: form_urlencoded::parse(query.as_bytes()).collect(),
            misread: Misread::default(),
        }
    }

    /// Whether a key is named that was not taken yet.
    pub(super) fn has(&self, key: &str) -> bool {
        self.pairs.iter().any(|(other, _)| other == key)
    }

    /// What stands behind a key, if it is named.
    pub(super) fn take(&mut self, key: &str) -> Option<Cow<'a, str>> {
        let at = self.pairs.iter().position(|(other, _)| other == key)?;
        Some(self.pairs.remove(at).1)
    }

    /// Reads a section.
    pub(super) fn section<S: LinkSection>(&mut self) -> S {
        // The notes are set aside, so that reading can take pairs while it writes notes.
        let mut misread = std::mem::take(&mut self.misread);
        let section = read_section(|key| self.take(key), &mut misread);
        self.misread = misread;
        section
    }

    /// Whatever nobody took was not understood either.
    pub(super) fn finish(mut self) -> Misread {
        for (key, value) in &self.pairs {
            self.misread.note(key, value);
        }
        self.misread
    }
}

/// A link may be nonsense throughout; so many parts of it are named, and the others counted.
const MOST_NAMED: usize = 3;

/// Keys and values are cut to this many characters.
const LONGEST_SHOWN: usize = 40;

/// The parts of a link that were not understood. They are said in one sentence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Misread {
    named: Vec<String>,
    more: usize,
}

impl Misread {
    pub(super) fn note(&mut self, key: &str, value: &str) {
        if self.named.len() == MOST_NAMED {
            self.more += 1;
            return;
        }
        let cut = |text: &str| text.chars().take(LONGEST_SHOWN).collect::<String>();
        self.named.push(format!("{} = “{}”", cut(key), cut(value)));
    }

    /// How many parts there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.named.len() + self.more
    }

    /// The sentence, where there is something to say.
    #[must_use]
    pub fn message(&self) -> Option<String> {
        let (last, others) = self.named.split_last()?;
        let parts = match (self.more, others) {
            (0, []) => {
                return Some(format!(
                    "In this link, {last} was not understood; the default is shown."
                ));
            }
            (0, others) => format!("{} and {last}", others.join(", ")),
            (1, _) => format!("{} and one more part", self.named.join(", ")),
            (more, _) => format!("{} and {more} more parts", self.named.join(", ")),
        };
        Some(format!(
            "In this link, {parts} were not understood; the defaults are shown."
        ))
    }
}
