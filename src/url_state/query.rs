//! The pairs of a query.

use super::{
    parse_warnings::ParseWarnings,
    section::{LinkSection, read_section},
};
use std::borrow::Cow;

/// The pairs of a query, taken one by one.
pub(super) struct QueryPairs<'a> {
    pairs: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    pub(super) misread: ParseWarnings,
}

impl<'a> QueryPairs<'a> {
    /// Of a query with or without its `?`.
    pub(super) fn of(query: &'a str) -> Self {
        let query = query.strip_prefix('?').unwrap_or(query);
        Self::of_pairs(form_urlencoded::parse(query.as_bytes()).collect())
    }

    /// These pairs.
    pub(super) fn of_pairs(pairs: Vec<(Cow<'a, str>, Cow<'a, str>)>) -> Self {
        Self {
            pairs,
            misread: ParseWarnings::default(),
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

    /// The texts behind these keys, unread.
    pub(super) fn carry(&mut self, keys: &[&'static str]) -> Vec<(&'static str, String)> {
        let texts = keys
            .iter()
            .filter_map(|&key| Some((key, self.take(key)?.into_owned())));
        texts.collect()
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
    pub(super) fn finish(mut self) -> ParseWarnings {
        for (key, value) in &self.pairs {
            self.misread.note(key, value);
        }
        self.misread
    }
}
