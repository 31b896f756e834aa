//! A section that only one view reads, once that view is loaded. Until then its part of the link is carried as
//! it came; neither the code that reads it nor the code that writes it is part of the first paint.

use super::{
    misread::Misread,
    query::QueryPairs,
    section::{LinkSection, pairs_of, read_section},
};
use std::sync::OnceLock;

/// A section as the link has it, read when its view first asks for it.
///
/// A section is its texts: two sections with the same texts are equal, whether somebody has read them or not. The
/// value that was read is kept beside them, so that they are read once.
#[derive(Debug, Clone)]
pub struct Unread<S> {
    texts: Vec<(&'static str, String)>,
    read: OnceLock<(S, Misread)>,
}

impl<S> Default for Unread<S> {
    fn default() -> Self {
        Self {
            texts: Vec::new(),
            read: OnceLock::new(),
        }
    }
}

impl<S> PartialEq for Unread<S> {
    fn eq(&self, other: &Self) -> bool {
        self.texts == other.texts
    }
}

impl<S: LinkSection> Unread<S> {
    /// Takes the section's texts out of a link without reading them.
    pub(super) fn carry(pairs: &mut QueryPairs) -> Self {
        let texts = S::KEYS
            .iter()
            .filter_map(|&key| Some((key, pairs.take(key)?.into_owned())));
        Self {
            texts: texts.collect(),
            read: OnceLock::new(),
        }
    }

    /// The section's keys and texts, as they go into the link.
    pub(super) fn texts(&self) -> &[(&'static str, String)] {
        &self.texts
    }

    fn read(&self) -> &(S, Misread) {
        self.read.get_or_init(|| {
            let mut misread = Misread::default();
            let text = |key: &str| {
                let pair = self.texts.iter().find(|(other, _)| *other == key);
                pair.map(|(_, text)| text)
            };
            (read_section(text, &mut misread), misread)
        })
    }

    /// What the section says; what was not understood is the default.
    #[must_use]
    pub fn get(&self) -> &S {
        &self.read().0
    }

    /// A sentence about what of the section was not understood, if anything.
    #[must_use]
    pub fn message(&self) -> Option<String> {
        self.read().1.message()
    }

    /// Changes the section; what was not understood of it is left out from now on.
    pub fn change<R>(&mut self, change: impl FnOnce(&mut S) -> R) -> R
    where
        S: Clone,
    {
        let mut section = self.get().clone();
        let result = change(&mut section);
        self.texts = pairs_of(&section, None);
        self.read = OnceLock::from((section, Misread::default()));
        result
    }
}

impl<S: LinkSection> From<S> for Unread<S> {
    fn from(section: S) -> Self {
        Self {
            texts: pairs_of(&section, None),
            read: OnceLock::from((section, Misread::default())),
        }
    }
}
