//! The matrix behind a figure, which CSV and NPY have in full.

use crate::{analysis::MatrixId, math::Window};
use leptos::prelude::untrack;
use std::sync::Arc;

/// Tells which matrix a figure shows, whenever it is asked.
#[derive(Clone)]
pub(in crate::app) struct MatrixSource(Arc<dyn Fn() -> Option<ShownMatrix> + Send + Sync>);

/// A matrix as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::app) struct ShownMatrix {
    /// Which matrix.
    pub(in crate::app) of: MatrixId,
    /// Its rows and columns.
    pub(in crate::app) size: (usize, usize),
    /// The window that is shown; all of it where there is none.
    pub(in crate::app) window: Option<Window>,
}

impl MatrixSource {
    /// From what gives the matrix that is shown now.
    pub(in crate::app) fn new(
        get: impl Fn() -> Option<ShownMatrix> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(get))
    }

    /// The matrix that is shown; whoever asks hears of another one.
    pub(in crate::app) fn shown(&self) -> Option<ShownMatrix> {
        (self.0)()
    }

    /// The matrix that is shown now.
    pub(in crate::app) fn now(&self) -> Option<ShownMatrix> {
        untrack(|| (self.0)())
    }
}
