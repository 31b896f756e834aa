//! The matrix behind a figure. CSV and NPY files contain all its cells.

use crate::{analysis::MatrixId, math::Window};
use leptos::prelude::untrack;
use std::sync::Arc;

/// Returns the matrix that a figure shows, as a function of the page's state.
#[derive(Clone)]
pub(in crate::app) struct MatrixSource(Arc<dyn Fn() -> Option<ShownMatrix> + Send + Sync>);

/// A matrix and the part of it that is shown.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::app) struct ShownMatrix {
    /// The matrix.
    pub(in crate::app) of: MatrixId,
    /// Rows and columns of the whole matrix.
    pub(in crate::app) size: (usize, usize),
    /// The part that is shown; `None` is the whole matrix.
    pub(in crate::app) window: Option<Window>,
}

impl MatrixSource {
    /// From a function that returns the current matrix.
    pub(in crate::app) fn new(
        get: impl Fn() -> Option<ShownMatrix> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(get))
    }

    /// Returns the current matrix and subscribes the current effect to changes.
    pub(in crate::app) fn current(&self) -> Option<ShownMatrix> {
        (self.0)()
    }

    /// Returns the current matrix without subscribing.
    pub(in crate::app) fn now(&self) -> Option<ShownMatrix> {
        untrack(|| (self.0)())
    }
}
