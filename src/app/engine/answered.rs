//! What has come of a question, as views read it.

use crate::analysis::{Asked, Failure, Question};
use leptos::prelude::*;
use std::sync::Arc;

/// A question and how it is with it.
#[derive(Debug, Clone)]
pub(in crate::app) struct ShownAnswer<Q: Question> {
    /// What was asked: while a later question that may follow it is being answered, still the one before.
    pub(in crate::app) question: Q,
    /// What has come.
    pub(in crate::app) asked: Asked<Q::Answer>,
}

impl<Q: Question> PartialEq for ShownAnswer<Q> {
    fn eq(&self, other: &Self) -> bool {
        self.question == other.question && self.asked == other.asked
    }
}

/// What a figure without an answer waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::app) enum Waiting {
    /// Nothing was asked.
    Nothing,
    /// The answer is being computed.
    Computing,
    /// It cannot be had, for that reason.
    Failed(String),
}

/// The answer to whatever is asked, as a signal.
pub(in crate::app) struct Answered<Q: Question + Send + Sync> {
    shown: Signal<Option<ShownAnswer<Q>>>,
    question: Signal<Option<Q>>,
}

impl<Q: Question + Send + Sync> Clone for Answered<Q> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Q: Question + Send + Sync> Copy for Answered<Q> {}

impl<Q: Question + Send + Sync> Answered<Q> {
    pub(super) fn new(shown: Signal<Option<ShownAnswer<Q>>>, question: Signal<Option<Q>>) -> Self {
        Self { shown, question }
    }

    /// What has come of the answer.
    pub(in crate::app) fn get(self) -> Option<Arc<Q::Answer>> {
        self.shown
            .with(|shown| shown.as_ref()?.asked.answer().cloned())
    }

    /// The same with the question that it answers, which may be one before the present.
    pub(in crate::app) fn get_with_question(self) -> Option<(Q, Arc<Q::Answer>)> {
        self.shown.with(|shown| {
            let shown = shown.as_ref()?;
            Some((shown.question.clone(), Arc::clone(shown.asked.answer()?)))
        })
    }

    /// Reads what has come of the answer.
    pub(in crate::app) fn with<R>(self, read: impl FnOnce(Option<&Q::Answer>) -> R) -> R {
        self.shown.with(|shown| {
            let answer = shown.as_ref().and_then(|shown| shown.asked.answer());
            read(answer.map(Arc::as_ref))
        })
    }

    /// What is asked now.
    pub(in crate::app) fn question(self) -> Option<Q> {
        self.question.get()
    }

    /// Why there is no answer.
    pub(in crate::app) fn failure(self) -> Option<Failure> {
        self.shown
            .with(|shown| shown.as_ref()?.asked.failure().cloned())
    }

    /// Whether something is asked of which more is to come.
    pub(in crate::app) fn is_pending(self) -> bool {
        let shown = self.shown.with(|shown| {
            let shown = shown.as_ref()?;
            Some((shown.question.clone(), shown.asked.is_pending()))
        });
        match (self.question.get(), shown) {
            (None, _) => false,
            (Some(_), None) => true,
            // An answer to the question before this one stands in for an answer that is still to come.
            (Some(now), Some((shown, pending))) => pending || shown != now,
        }
    }

    /// What is waited for where there is no answer.
    pub(in crate::app) fn waiting(self) -> Waiting {
        match (self.failure(), self.is_pending()) {
            (Some(failure), _) => Waiting::Failed(failure.sentence),
            (None, true) => Waiting::Computing,
            (None, false) => Waiting::Nothing,
        }
    }
}

/// Shows what has come, but keeps an earlier answer where it may stand until there is another.
pub(super) fn show<Q: Question + Send + Sync>(
    shown: RwSignal<Option<ShownAnswer<Q>>>,
    next: Option<ShownAnswer<Q>>,
) {
    let keeps = shown.with_untracked(|before| match (before, &next) {
        (Some(before), Some(next)) => {
            matches!(next.asked, Asked::Waiting)
                && before.question != next.question
                && before.asked.answer().is_some()
                && next.question.succeeds(&before.question)
        }
        _ => false,
    });
    if keeps || shown.with_untracked(|before| *before == next) {
        return;
    }
    shown.set(next);
}
