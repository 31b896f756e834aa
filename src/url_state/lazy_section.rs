//! A section that only one view reads, once that view is loaded. Until then its part of the link is carried as
//! it came; neither the code that reads it nor the code that writes it is part of the first paint.

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

/// A section as the link has it, read when its view first asks for it.
///
/// A section is its texts: two sections with the same texts are equal, whether somebody has read them or not. The
/// value that was read is kept beside them, so that they are read once.
#[derive(Debug)]
pub struct LazySection<S> {
    carried: Carried,
    section: PhantomData<fn() -> S>,
}

/// What is carried of a section, whichever it is: links are copied and dropped before the first paint, and need one
/// piece of code for all sections.
#[derive(Debug, Clone, Default)]
struct Carried {
    texts: Vec<(&'static str, String)>,
    read: OnceLock<Arc<dyn Any + Send + Sync>>,
}

// Not derived, which would ask for sections that can be copied and compared.
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

    /// Whether the link says nothing of it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts().is_empty()
    }

    /// The text behind one of its keys, as it stands in the link.
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
    /// Takes the section's texts out of a link without reading them.
    pub(super) fn carry(pairs: &mut QueryPairs) -> Self {
        Self::carrying(Carried {
            texts: pairs.carry(S::KEYS),
            read: OnceLock::new(),
        })
    }

    fn read(&self) -> &(S, ParseWarnings) {
        let read = self.carried.read.get_or_init(|| {
            let mut misread = ParseWarnings::default();
            let section: S = read_section(|key| self.text(key), &mut misread);
            Arc::new((section, misread))
        });
        let Some(read) = read.downcast_ref() else {
            unreachable!("a section is read as what it is");
        };
        read
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
