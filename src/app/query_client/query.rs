//! The answer to a question, as far as it has come, as views read it.

use crate::analysis::{ErasedQuestion, Failure, QueryState, Question};
use leptos::prelude::*;
use std::{marker::PhantomData, sync::Arc};

/// A question, and how far its answer is.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DisplayedAnswer {
    /// The question. An answer may stay on the page until a later question is answered; until then this is
    /// still the question that it answers.
    pub(super) question: ErasedQuestion,
    /// How far its answer is.
    pub(super) asked: QueryState,
}

/// What a figure waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::app) enum QueryStatus {
    /// Nothing was asked.
    Nothing,
    /// The answer is being computed.
    Computing,
    /// The answer is being computed, and that to an earlier question stands in for it.
    NextAnswer,
    /// It cannot be had, for that reason.
    Failed(String),
}

/// The answer to whatever is asked, as a signal.
///
/// The signals are the same for every type of question; what is read from them is typed here.
pub(in crate::app) struct Query<Q: Question> {
    shown: Signal<Option<DisplayedAnswer>>,
    question: Signal<Option<ErasedQuestion>>,
    of: PhantomData<fn() -> Q>,
}

impl<Q: Question> Clone for Query<Q> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Q: Question> Copy for Query<Q> {}

impl<Q: Question> Query<Q> {
    pub(super) fn new(
        shown: Signal<Option<DisplayedAnswer>>,
        question: Signal<Option<ErasedQuestion>>,
    ) -> Self {
        Self {
            shown,
            question,
            of: PhantomData,
        }
    }

    /// The answer, as far as it has come.
    pub(in crate::app) fn get(self) -> Option<Arc<Q::Answer>> {
        self.shown.get()?.asked.answer()?.clone().downcast().ok()
    }

    /// The answer with the question that it answers, which may be an earlier one than the present.
    pub(in crate::app) fn get_with_question(self) -> Option<(Q, Arc<Q::Answer>)> {
        let shown = self.shown.get()?;
        let answer = shown.asked.answer()?.clone().downcast().ok()?;
        Some((shown.question.of_type::<Q>()?.clone(), answer))
    }

    /// Reads the answer, as far as it has come.
    pub(in crate::app) fn with<R>(self, read: impl FnOnce(Option<&Q::Answer>) -> R) -> R {
        read(self.get().as_deref())
    }

    /// What is asked now.
    pub(in crate::app) fn question(self) -> Option<Q> {
        self.question.get()?.of_type().cloned()
    }

    /// Why there is no answer.
    pub(in crate::app) fn failure(self) -> Option<Failure> {
        self.shown.get()?.asked.failure().cloned()
    }

    /// Whether something is asked whose answer is not whole yet.
    pub(in crate::app) fn is_pending(self) -> bool {
        matches!(
            self.waiting(),
            QueryStatus::Computing | QueryStatus::NextAnswer
        )
    }

    /// What a figure of the answer waits for.
    pub(in crate::app) fn waiting(self) -> QueryStatus {
        match (self.question.get(), self.shown.get()) {
            (None, _) => QueryStatus::Nothing,
            (Some(_), None) => QueryStatus::Computing,
            (Some(now), Some(shown)) => match shown.asked.failure() {
                Some(failure) => QueryStatus::Failed(failure.sentence.clone()),
                None if shown.question != now => QueryStatus::NextAnswer,
                None if shown.asked.is_pending() => QueryStatus::Computing,
                None => QueryStatus::Nothing,
            },
        }
    }
}

/// Shows what has come of the answer, but keeps an earlier answer that may stand until there is another.
pub(super) fn show(shown: RwSignal<Option<DisplayedAnswer>>, next: Option<DisplayedAnswer>) {
    let keeps = shown.with_untracked(|before| match (before, &next) {
        (Some(before), Some(next)) => {
            matches!(next.asked, QueryState::Waiting)
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
