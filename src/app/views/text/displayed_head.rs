//! The head of a run that the figures show.

use super::text_state::progress;
use crate::{
    analysis::{ModelVersion, RunTexts, TextId},
    app::{query_client::Query, state::ModelList},
};
use leptos::prelude::*;

/// A head of a layer that a text has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DisplayedHead {
    /// The model.
    pub(super) of: ModelVersion,
    /// The text.
    pub(super) text: TextId,
    /// Layer and head, from 0.
    pub(super) head: (usize, usize),
}

impl DisplayedHead {
    /// A head in the latest run that has passed its layer. While a run is on its way there, the head of the run before
    /// stays.
    pub(super) fn memo(
        models: ModelList,
        run: Query<RunTexts>,
        head: impl Fn() -> Option<(usize, usize)> + Send + Sync + 'static,
    ) -> Memo<Option<Self>> {
        Memo::new(move |before: Option<&Option<Self>>| {
            let head = head()?;
            match progress(run) {
                Some((of, text, passed)) if head.0 < passed => Some(Self { of, text, head }),
                _ => before.copied().flatten().filter(|before| {
                    run.is_pending() && models.open.get() == Some(before.of) && before.head == head
                }),
            }
        })
    }
}
