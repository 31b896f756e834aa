//! Key–value pairs of a query.

use super::{parse_warnings::ParseWarnings, section::LinkSection};
use std::borrow::Cow;

/// Key–value pairs of a query, removed one by one as sections take them.
pub(super) struct QueryPairs<'a> {
    pairs: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    pub(super) warnings: ParseWarnings,
}

impl<'a> QueryPairs<'a> {
    /// Splits a query, with or without its `?`.
    pub(super) fn parse(query: &'a str) -> Self {
        let query = query.strip_prefix('?').unwrap_or(query);
        Self::from_pairs(form_urlencoded::parse(query.as_bytes()).collect())
    }

    pub(super) fn from_pairs(pairs: Vec<(Cow<'a, str>, Cow<'a, str>)>) -> Self {
        Self {
            pairs,
            warnings: ParseWarnings::default(),
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

    /// Parses a section. Fields that are not understood have their default and are noted.
    pub(super) fn section<S: LinkSection>(&mut self) -> S {
        let mut section = S::default();
        self.read_fields(
            &|at| Some(S::FIELDS.get(at)?.key),
            &mut |at, text| match S::FIELDS.get(at) {
                Some(field) => (field.parse)(&mut section, text),
                None => Ok(()),
            },
        );
        section
    }

    /// The part of [`Self::section`] that does not depend on the section, compiled once for all of them.
    fn read_fields(
        &mut self,
        key: &dyn Fn(usize) -> Option<&'static str>,
        parse: &mut dyn FnMut(usize, &str) -> Result<(), String>,
    ) {
        for (at, key) in (0..).map_while(key).enumerate() {
            if let Some(text) = self.take(key)
                && let Err(rest) = parse(at, &text)
            {
                self.warnings.note(key, &rest);
            }
        }
    }

    /// Returns the warnings. Pairs that no section took are added to them.
    pub(super) fn finish(mut self) -> ParseWarnings {
        for (key, value) in &self.pairs {
            self.warnings.note(key, value);
        }
        self.warnings
    }
}
