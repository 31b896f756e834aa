//! Attention maps that take longer than a frame: a draft follows a drag, the whole map is computed when it ends.

use crate::{
    analysis::{AttentionPreview, HeadAttention, KERNEL_TILE_LIMIT},
    app::{
        controls::drag::DragState,
        query_client::{Query, QueryClient, QueryStatus},
    },
    math::Tile,
};
use leptos::prelude::*;
use std::sync::Arc;

/// Up to this many positions, a map is computed within a frame or two, without a draft.
pub(super) const MOST_AT_ONCE: usize = 512;

/// A map or its draft.
#[derive(Clone, Copy)]
pub(super) struct PreviewedAttention {
    question: Memo<Option<HeadAttention>>,
    draft: Query<AttentionPreview>,
    whole: Query<HeadAttention>,
    drag: DragState,
}

impl PreviewedAttention {
    /// Queries the map. During a drag only drafts follow it: whole maps would be outdated on arrival, and drafts would
    /// have to wait for them.
    pub(super) fn ask(
        question: impl Fn() -> Option<HeadAttention> + Send + Sync + 'static,
    ) -> Self {
        let client = QueryClient::from_context();
        let question = Memo::new(move |_| question());
        let is_long = move |question: &HeadAttention| question.n > MOST_AT_ONCE;
        let drag = DragState::from_context();
        let settled = drag.hold(move || question.get());
        Self {
            question,
            drag,
            draft: client.ask(move || {
                let question = question.get().filter(is_long)?;
                Some(AttentionPreview(HeadAttention {
                    limit: KERNEL_TILE_LIMIT,
                    ..question
                }))
            }),
            whole: client.ask(move || {
                let question = question.get()?;
                if is_long(&question) {
                    settled.get()
                } else {
                    Some(question)
                }
            }),
        }
    }

    /// Returns the map, its draft, or the previous map.
    pub(super) fn get(self) -> Option<Arc<Tile>> {
        let question = self.question.get()?;
        match self.whole.get_with_question() {
            Some((of, tile)) if of == question => Some(tile),
            earlier => self.draft.get().or_else(|| Some(earlier?.1)),
        }
    }

    /// Whether the returned map is a draft.
    pub(super) fn is_partial(self) -> bool {
        !self.is_whole() && self.draft.get().is_some()
    }

    /// Returns the status of the figure.
    pub(super) fn status(self) -> QueryStatus {
        if self.is_whole() {
            return QueryStatus::Nothing;
        }
        match (self.draft.question(), self.draft.status()) {
            (None, _) => self.whole.status(),
            // During a drag an outdated draft counts as current; it follows with a short delay.
            (_, QueryStatus::NextAnswer) if self.drag.is_down() => QueryStatus::Nothing,
            (_, status) => status,
        }
    }

    /// Whether a map is requested.
    pub(super) fn is_wanted(self) -> bool {
        self.question.with(Option::is_some)
    }

    /// Whether the whole requested map has arrived.
    fn is_whole(self) -> bool {
        let answered = self.whole.get_with_question().map(|(of, _)| of);
        answered.is_some() && answered == self.question.get()
    }
}
