//! A value that lives as long as the page and can be followed.
//!
//! What a Leptos signal does, in the little this page needs: signals compile some five kilobytes of code
//! for every type they hold, and the state has a dozen. Values inside views, which come and go, are
//! Leptos's own.

use leptos::prelude::*;
use std::sync::{PoisonError, RwLock};

/// A value of the page. Reading it inside an effect or a view follows it.
pub(super) struct Held<T: 'static>(&'static (RwLock<T>, ArcTrigger));

impl<T> Clone for Held<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Held<T> {}

impl<T> std::fmt::Debug for Held<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Held")
    }
}

impl<T: Send + Sync> Held<T> {
    /// Made once, when the page starts; it is never freed.
    pub(super) fn new(value: T) -> Self {
        Self(Box::leak(Box::new((RwLock::new(value), ArcTrigger::new()))))
    }

    pub(super) fn with<R>(self, read: impl FnOnce(&T) -> R) -> R {
        self.0.1.track();
        self.with_untracked(read)
    }

    pub(super) fn with_untracked<R>(self, read: impl FnOnce(&T) -> R) -> R {
        // There is one thread and a panic ends the program, so the lock is never poisoned.
        read(&self.0.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn update<R>(self, change: impl FnOnce(&mut T) -> R) -> R {
        let result = change(&mut self.0.0.write().unwrap_or_else(PoisonError::into_inner));
        self.0.1.notify();
        result
    }

    pub(super) fn set(self, value: T) {
        self.update(|held| *held = value);
    }
}

impl<T: Clone + Send + Sync> Held<T> {
    pub(super) fn get(self) -> T {
        self.with(T::clone)
    }

    pub(super) fn get_untracked(self) -> T {
        self.with_untracked(T::clone)
    }
}
