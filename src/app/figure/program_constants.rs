//! Constants of NumPy programs that only a view knows, such as kernels that a fit has found. A context of the view.

use crate::numpy_program::ViewConstants;
use leptos::prelude::*;
use std::sync::Arc;

/// Finds constants of a view's programs by name.
#[derive(Clone)]
pub(in crate::app) struct ProgramConstants(ViewConstants);

impl ProgramConstants {
    /// Provides a function that returns the value of a constant as a Python literal. Constants that it does not know are
    /// those of the view around.
    pub(in crate::app) fn provide(find: impl Fn(&str) -> Option<String> + Send + Sync + 'static) {
        let around = Self::of_view();
        provide_context(Self(Arc::new(move |name| {
            untrack(|| find(name)).or_else(|| around(name))
        })));
    }

    /// Returns the function of the view; one that finds nothing in other views.
    pub(super) fn of_view() -> ViewConstants {
        use_context::<Self>().map_or_else(
            || Arc::new(|_: &str| None) as ViewConstants,
            |constants| constants.0,
        )
    }
}
