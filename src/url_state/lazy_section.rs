//! A section that only one view uses, parsed once that view is loaded. Until then its part of the link is carried as
//! text. The code that parses and writes it is not part of the first paint.

use super::{
    parse_warnings::ParseWarnings,
    query::QueryPairs,
    section::{LinkSection, pairs_of, read_section},
};
use std::{
    any::Any,
    marker::PhantomData,
    sync::{Arc, OnceLock},
};

/// A section as texts of the link, parsed on first access.
///
/// Two sections are equal if their texts are equal, whether or not they were parsed. The parsed value is cached.
#[derive(Debug)]
pub struct LazySection<S> {
    carried: Carried,
    section: PhantomData<fn() -> S>,
}

/// The part of [`LazySection`] that does not depend on its type. Links are cloned and dropped before the first paint,
/// and share one piece of code for all sections.
#[derive(Debug, Clone, Default)]
struct Carried {
    texts: Vec<(&'static str, String)>,
    read: OnceLock<Arc<dyn Any + Send + Sync>>,
}

// Not derived, since derives would require `S: Clone` and `S: PartialEq`.
impl<S> Default for LazySection<S> {
    fn default() -> Self {
        Self::carrying(Carried::default())
    }
}

impl<S> Clone for LazySection<S> {
    fn clone(&self) -> Self {
        Self::carrying(self.carried.clone())
    }
}

impl<S> PartialEq for LazySection<S> {
    fn eq(&self, other: &Self) -> bool {
        self.texts() == other.texts()
    }
}

impl<S> LazySection<S> {
    fn carrying(carried: Carried) -> Self {
        Self {
            carried,
            section: PhantomData,
        }
    }

    /// Returns whether the link names none of its keys.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts().is_empty()
    }

    /// Returns the text of one of its keys, as in the link.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        let pair = self.texts().iter().find(|(other, _)| *other == key);
        pair.map(|(_, text)| text.as_str())
    }

    /// The section's keys and texts, as they go into the link.
    pub(super) fn texts(&self) -> &[(&'static str, String)] {
        &self.carried.texts
    }
}

impl<S: LinkSection + Send + Sync> LazySection<S> {
    /// Takes the section's texts out of a query without parsing them.
    pub(super) fn carry(pairs: &mut QueryPairs) -> Self {
        Self::carrying(Carried {
            texts: pairs.carry(S::KEYS),
            read: OnceLock::new(),
        })
    }

    fn read(&self) -> &(S, ParseWarnings) {
        let parsed = self.carried.read.get_or_init(|| {
            let mut warnings = ParseWarnings::default();
            let section: S = read_section(|key| self.text(key), &mut warnings);
            Arc::new((section, warnings))
        });
        let Some(parsed) = parsed.downcast_ref() else {
            unreachable!("a section is read as what it is");
        };
        parsed
    }

    /// Returns the parsed section. Fields that were not understood have their default.
    #[must_use]
    pub fn get(&self) -> &S {
        &self.read().0
    }

    /// Returns a sentence about the parts that were not understood, if any.
    #[must_use]
    pub fn message(&self) -> Option<String> {
        self.read().1.message()
    }

    /// Changes the section. Parts that were not understood are dropped.
    pub fn change<R>(&mut self, change: impl FnOnce(&mut S) -> R) -> R
    where
        S: Clone,
    {
        let mut section = self.get().clone();
        let result = change(&mut section);
        *self = Self::from(section);
        result
    }
}

impl<S: LinkSection + Send + Sync> From<S> for LazySection<S> {
    fn from(section: S) -> Self {
        Self::carrying(Carried {
            texts: pairs_of(&section, None),
            read: OnceLock::from(
                Arc::new((section, ParseWarnings::default())) as Arc<dyn Any + Send + Sync>
            ),
        })
    }
}
