//! The attention of a head that is too long to be computed within a frame: its draft first, and the whole when the hand
//! is lifted.

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

/// Up to this many positions attention is there within a frame or two, without a draft.
pub(super) const MOST_AT_ONCE: usize = 512;

/// A map, or its draft.
#[derive(Clone, Copy)]
pub(super) struct PreviewedAttention {
    wanted: Memo<Option<HeadAttention>>,
    draft: Query<AttentionPreview>,
    whole: Query<HeadAttention>,
    hand: DragState,
}

impl PreviewedAttention {
    /// Asks for what is wanted now. While a slider is pulled only drafts follow it: the whole would be out of date when
    /// it came, and drafts would wait for it.
    pub(super) fn ask(wanted: impl Fn() -> Option<HeadAttention> + Send + Sync + 'static) -> Self {
        let engine = QueryClient::from_context();
        let wanted = Memo::new(move |_| wanted());
        let is_long = move |asked: &HeadAttention| asked.n > MOST_AT_ONCE;
        let hand = DragState::from_context();
        let settled = hand.hold(move || wanted.get());
        Self {
            wanted,
            hand,
            draft: engine.ask(move || {
                let asked = wanted.get().filter(is_long)?;
                Some(AttentionPreview(HeadAttention {
                    limit: KERNEL_TILE_LIMIT,
                    ..asked
                }))
            }),
            whole: engine.ask(move || {
                let asked = wanted.get()?;
                if is_long(&asked) {
                    settled.get()
                } else {
                    Some(asked)
                }
            }),
        }
    }

    /// The map as far as it is known.
    pub(super) fn get(self) -> Option<Arc<Tile>> {
        let wanted = self.wanted.get()?;
        match self.whole.get_with_question() {
            Some((of, tile)) if of == wanted => Some(tile),
            earlier => self.draft.get().or_else(|| Some(earlier?.1)),
        }
    }

    /// Whether what is known is a draft.
    pub(super) fn is_partial(self) -> bool {
        !self.is_whole() && self.draft.get().is_some()
    }

    /// What its figure waits for, where something is wanted.
    pub(super) fn waiting(self) -> QueryStatus {
        if self.is_whole() {
            return QueryStatus::Nothing;
        }
        match (self.draft.question(), self.draft.waiting()) {
            (None, _) => self.whole.waiting(),
            // What is pulled is seen to move, a moment behind.
            (_, QueryStatus::NextAnswer) if self.hand.is_down() => QueryStatus::Nothing,
            (_, waiting) => waiting,
        }
    }

    /// Whether anything is wanted.
    pub(super) fn is_wanted(self) -> bool {
        self.wanted.with(Option::is_some)
    }

    /// Whether the whole of what is wanted is there.
    fn is_whole(self) -> bool {
        let answered = self.whole.get_with_question().map(|(of, _)| of);
        answered.is_some() && answered == self.wanted.get()
    }
}
