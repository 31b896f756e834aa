//! The checkpoints that NumPy programs of a sequence read. A context of the view that orders them.

use crate::analysis::ModelId;
use leptos::prelude::*;
use std::sync::Arc;

/// Finds the checkpoints of a sequence, in order, each with its step.
#[derive(Clone)]
pub(in crate::app) struct ProgramSnapshots(Arc<dyn Fn() -> Vec<(ModelId, u64)> + Send + Sync>);

impl ProgramSnapshots {
    /// Provides a function that lists the checkpoints.
    pub(in crate::app) fn provide(list: impl Fn() -> Vec<(ModelId, u64)> + Send + Sync + 'static) {
        provide_context(Self(Arc::new(move || untrack(&list))));
    }

    /// Returns the checkpoints of the view now; none in views without a sequence.
    pub(super) fn of_view() -> impl Fn() -> Vec<(ModelId, u64)> + Clone {
        let list = use_context::<Self>();
        move || list.as_ref().map_or_else(Vec::new, |list| (list.0)())
    }
}
