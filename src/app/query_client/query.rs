//! The answer to a question as a signal.

use crate::analysis::{ErasedQuestion, Failure, QueryState, Question};
use leptos::prelude::*;
use std::{marker::PhantomData, sync::Arc};

/// A question and the state of its answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DisplayedAnswer {
    /// The question. An answer may stay displayed until a later question is answered; until then this remains the
    /// question it answers.
    pub(super) question: ErasedQuestion,
    /// State of the answer.
    pub(super) state: QueryState,
}

/// Status of a query, as displayed by its figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::app) enum QueryStatus {
    /// No question, or a complete answer.
    Nothing,
    /// The answer is being computed.
    Computing,
    /// The answer is being computed, and the answer to an earlier question is displayed meanwhile.
    NextAnswer,
    /// The question failed; the sentence gives the reason.
    Failed(String),
}

impl QueryStatus {
    /// Returns this status, or that of a second query once nothing is left of the first.
    pub(in crate::app) fn or_else(self, next: impl FnOnce() -> Self) -> Self {
        match self {
            Self::Nothing => next(),
            status => status,
        }
    }
}

/// The answer to a view's current question, as a signal.
///
/// The signals are type-erased, so that they are compiled once for all question types; the methods downcast their
/// values.
pub(in crate::app) struct Query<Q: Question> {
    displayed_answer: Signal<Option<DisplayedAnswer>>,
    question: Signal<Option<ErasedQuestion>>,
    of: PhantomData<fn() -> Q>,
}

impl<Q: Question> Clone for Query<Q> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Q: Question> Copy for Query<Q> {}

impl<Q: Question> From<Query<Q>> for Signal<QueryStatus> {
    fn from(query: Query<Q>) -> Self {
        Self::derive(move || query.status())
    }
}

impl<Q: Question> Query<Q> {
    pub(super) fn new(
        answer: Signal<Option<DisplayedAnswer>>,
        question: Signal<Option<ErasedQuestion>>,
    ) -> Self {
        Self {
            displayed_answer: answer,
            question,
            of: PhantomData,
        }
    }

    /// Returns the answer, partial or complete.
    pub(in crate::app) fn get(self) -> Option<Arc<Q::Answer>> {
        self.displayed_answer
            .get()?
            .state
            .answer()?
            .clone()
            .downcast()
            .ok()
    }

    /// Returns the answer with the question it answers, which may be an earlier one than the current question.
    pub(in crate::app) fn get_with_question(self) -> Option<(Q, Arc<Q::Answer>)> {
        let current = self.displayed_answer.get()?;
        let answer = current.state.answer()?.clone().downcast().ok()?;
        Some((current.question.of_type::<Q>()?.clone(), answer))
    }

    /// Calls `read` with the answer, partial or complete.
    pub(in crate::app) fn with<R>(self, read: impl FnOnce(Option<&Q::Answer>) -> R) -> R {
        read(self.get().as_deref())
    }

    /// Returns the current question.
    pub(in crate::app) fn question(self) -> Option<Q> {
        self.question.get()?.of_type().cloned()
    }

    /// Returns the failure, if the question failed.
    pub(in crate::app) fn failure(self) -> Option<Failure> {
        self.displayed_answer.get()?.state.failure().cloned()
    }

    /// Whether the answer to the current question is not complete yet.
    pub(in crate::app) fn is_pending(self) -> bool {
        matches!(
            self.status(),
            QueryStatus::Computing | QueryStatus::NextAnswer
        )
    }

    /// Returns the status of the query.
    pub(in crate::app) fn status(self) -> QueryStatus {
        match (self.question.get(), self.displayed_answer.get()) {
            (None, _) => QueryStatus::Nothing,
            (Some(_), None) => QueryStatus::Computing,
            (Some(now), Some(answer)) => match answer.state.failure() {
                Some(failure) => QueryStatus::Failed(failure.sentence.clone()),
                None if answer.question != now => QueryStatus::NextAnswer,
                None if answer.state.is_pending() => QueryStatus::Computing,
                None => QueryStatus::Nothing,
            },
        }
    }
}

/// Updates the displayed answer, but keeps the answer to an earlier question until the next one has some answer, if the
/// questions allow it ([`Question::replaces`]).
pub(super) fn show(answer: RwSignal<Option<DisplayedAnswer>>, next: Option<DisplayedAnswer>) {
    let keeps = answer.with_untracked(|before| match (before, &next) {
        (Some(before), Some(next)) => {
            matches!(next.state, QueryState::Waiting)
                && before.question != next.question
                && before.state.answer().is_some()
                && next.question.replaces(&before.question)
        }
        _ => false,
    });
    if keeps || answer.with_untracked(|before| *before == next) {
        return;
    }
    answer.set(next);
}
