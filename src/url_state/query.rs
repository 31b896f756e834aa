//! Key–value pairs of a query.

use super::{
    parse_warnings::ParseWarnings,
    section::{LinkSection, read_section},
};
use std::borrow::Cow;

/// Key–value pairs of a query, removed one by one as sections take them.
pub(super) struct QueryPairs<'a> {
    pairs: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    pub(super) misread: ParseWarnings,
}

impl<'a> QueryPairs<'a> {
    /// Splits a query, with or without its `?`.
    pub(super) fn of(query: &'a str) -> Self {
        let query = query.strip_prefix('?').unwrap_or(query);
        Self::of_pairs(form_urlencoded::parse(query.as_bytes()).collect())
    }

    pub(super) fn of_pairs(pairs: Vec<(Cow<'a, str>, Cow<'a, str>)>) -> Self {
        Self {
            pairs,
            misread: ParseWarnings::default(),
        }
    }

    /// Returns whether a key is among the remaining pairs.
    pub(super) fn has(&self, key: &str) -> bool {
        self.pairs.iter().any(|(other, _)| other == key)
    }

    /// Removes a key and returns its text, if present.
    pub(super) fn take(&mut self, key: &str) -> Option<Cow<'a, str>> {
        let at = self.pairs.iter().position(|(other, _)| other == key)?;
        Some(self.pairs.remove(at).1)
    }

    /// Removes these keys and returns them with their texts, unparsed.
    pub(super) fn carry(&mut self, keys: &[&'static str]) -> Vec<(&'static str, String)> {
        let texts = keys
            .iter()
            .filter_map(|&key| Some((key, self.take(key)?.into_owned())));
        texts.collect()
    }

    /// Parses a section.
    pub(super) fn section<S: LinkSection>(&mut self) -> S {
        // The warnings are moved out, so that the closure can borrow `self`.
        let mut warnings = std::mem::take(&mut self.misread);
        let section = read_section(|key| self.take(key), &mut warnings);
        self.misread = warnings;
        section
    }

    /// Returns the warnings. Pairs that no section took are added to them.
    pub(super) fn finish(mut self) -> ParseWarnings {
        for (key, value) in &self.pairs {
            self.misread.note(key, value);
        }
        self.misread
    }
}
