//! Navigation between the steps of a lesson: shows a step, detects that the user has changed its state, and returns to
//! it.

use crate::{
    app::{
        figure::registry::FigureRegistry,
        state::{PageState, go_to},
    },
    figure::Cursor,
    url_state::{FigureId, Link, ParseWarnings},
};
use leptos::prelude::*;
use lesson_format::{Lesson, Number, Step};
use std::{sync::Arc, time::Duration};

/// Time in which the page settles after a step is reached. Changes of the link within it belong to the step.
pub(super) const SETTLES_WITHIN: Duration = Duration::from_millis(400);

/// The steps of the open lesson.
#[derive(Debug, Clone, Copy)]
pub(super) struct Steps {
    state: PageState,
    registry: FigureRegistry,
    lesson: StoredValue<Arc<Lesson>>,
    /// Index of the current step, from 0.
    pub(super) at: Memo<usize>,
    /// State of the page after the current step settled; `None` while it settles.
    settled_link: RwSignal<Option<Link>>,
    /// Index of the step whose answer is unfolded.
    pub(super) unfolded_step: RwSignal<Option<usize>>,
    /// Notified when the notes window asks for the current step.
    pub(super) notes_request: Trigger,
    /// Counts arrivals at steps, so that only the last one settles.
    arrivals: StoredValue<u32>,
}

impl Steps {
    /// Opens a lesson at the step that the link names.
    pub(super) fn begin(lesson: Arc<Lesson>) -> Self {
        let state = PageState::from_context();
        let url = state.url;
        let last = lesson.steps.len().saturating_sub(1);
        let at = Memo::new(move |_| url.link.with(|link| link.lesson.step).min(last));
        let steps = Self {
            state,
            registry: FigureRegistry::from_context(),
            lesson: StoredValue::new(lesson),
            at,
            settled_link: RwSignal::new(None),
            unfolded_step: RwSignal::new(None),
            notes_request: Trigger::new(),
            arrivals: StoredValue::new(0),
        };
        let (link, _) = steps.link_of(at.get_untracked());
        steps.settled_link.set(Some(link));
        // Also runs when the list of lessons or the browser history leads to the lesson that is open.
        let is_bare = Memo::new(move |_| url.link.with(Link::leaves_state_to_lesson));
        Effect::new(move || {
            if is_bare.get() {
                untrack(|| steps.show(at.get()));
            }
        });
        // Also runs when the browser history returns to a step.
        Effect::new(move || steps.highlight(at.get()));
        on_cleanup(move || {
            steps.registry.highlight(Vec::new());
            steps.registry.use_in_step(Vec::new());
            steps.state.cursor.lesson.set(None);
        });
        steps
    }

    pub(super) fn lesson(self) -> Arc<Lesson> {
        self.lesson.get_value()
    }

    /// Returns a step by its index.
    pub(super) fn step(self, at: usize) -> Step {
        self.lesson.with_value(|lesson| lesson.steps[at].clone())
    }

    pub(super) fn state(self) -> PageState {
        self.state
    }

    /// Returns the link of the step after `at`, if it shows another state in a view of figures.
    pub(super) fn ahead_of(self, at: usize) -> Option<Link> {
        let next = at + 1;
        let own_state = self
            .lesson
            .with_value(|lesson| lesson.steps.get(next)?.state.clone());
        own_state?;
        let (link, _) = self.link_of(next);
        let is_other = self
            .state
            .url
            .link
            .with_untracked(|now| !now.shows_as(&link));
        let is_of_figures = link.view.has_figures() && !link.view.shows_several_models();
        (is_other && is_of_figures).then_some(link)
    }

    /// Returns the number of steps.
    pub(super) fn count(self) -> usize {
        self.lesson.with_value(|lesson| lesson.steps.len())
    }

    /// Moves by `by` steps, limited to the first and last step.
    pub(super) fn go_on(self, by: isize) {
        let last = self.count().saturating_sub(1);
        let at = self.at.get_untracked();
        let to = at.saturating_add_signed(by).min(last);
        if to != at {
            self.go(to);
        }
    }

    /// Unfolds the answer of the current step, or goes to the next step if there is nothing to unfold.
    pub(super) fn advance(self) {
        let at = self.at.get_untracked();
        if self.has_question(at) && self.unfolded_step.get_untracked() != Some(at) {
            self.unfolded_step.set(Some(at));
        } else {
            self.go_on(1);
        }
    }

    /// Reverses one [`advance`](Self::advance): folds the answer of the current step, or goes to the previous step with
    /// its answer unfolded.
    pub(super) fn retreat(self) {
        let at = self.at.get_untracked();
        if self.unfolded_step.get_untracked() == Some(at) {
            self.unfolded_step.set(None);
        } else if at > 0 {
            self.go_on(-1);
            self.unfolded_step
                .set(self.has_question(at - 1).then_some(at - 1));
        }
    }

    /// Toggles the answer of the current step.
    pub(super) fn turn_answer(self) {
        let at = self.at.get_untracked();
        let is_unfolded = self.unfolded_step.get_untracked() == Some(at);
        self.unfolded_step.set((!is_unfolded).then_some(at));
    }

    /// Whether a step has a question.
    pub(super) fn has_question(self, at: usize) -> bool {
        self.lesson
            .with_value(|lesson| lesson.steps[at].question.is_some())
    }

    /// Goes to a step with its answer folded. Going forward by one to a step without a state keeps the current state.
    pub(super) fn go(self, to: usize) {
        self.unfolded_step.set(None);
        let own_state = self
            .lesson
            .with_value(|lesson| lesson.steps[to].state.is_some());
        if own_state || to != self.at.get_untracked() + 1 {
            return self.show(to);
        }
        let mut link = self.state.url.link.get_untracked();
        self.mark(&mut link, to);
        go_to(self.state, link, &ParseWarnings::default());
        self.settle();
    }

    /// Sets the page to the state of a step.
    pub(super) fn show(self, at: usize) {
        let (link, warnings) = self.link_of(at);
        go_to(self.state, link, &warnings);
        self.highlight(at);
        self.settle();
    }

    /// Whether the user has changed the displayed state since the step was reached.
    pub(super) fn is_left(self) -> bool {
        self.settled_link.with(|arrived| {
            let Some(arrived) = arrived else {
                return false;
            };
            self.state.url.link.with(|link| !link.shows_as(arrived))
        })
    }

    /// Highlights the figures of a step, and the offset that it points at.
    pub(super) fn highlight(self, at: usize) {
        let (light, offset) = self.lesson.with_value(|lesson| {
            let step = &lesson.steps[at];
            let light = step.light.iter().filter_map(|id| FigureId::from_id(id));
            (light.collect(), step.highlight.offset)
        });
        self.registry.highlight(light);
        self.registry.use_in_step(self.figures_at(at));
        self.state.cursor.lesson.set(offset.map(Cursor::Offset));
    }

    /// Returns the figures that a step highlights or reads numbers of.
    pub(super) fn figures_at(self, at: usize) -> Vec<FigureId> {
        self.lesson.with_value(|lesson| {
            let Some(step) = lesson.steps.get(at) else {
                return Vec::new();
            };
            let lit = step.light.iter().map(String::as_str);
            let read = step.numbers().filter_map(Number::figure);
            lit.chain(read).filter_map(FigureId::from_id).collect()
        })
    }

    /// Returns the link of a step: the last state set at or before it, with the step's highlights.
    fn link_of(self, at: usize) -> (Link, ParseWarnings) {
        let state = self.lesson.with_value(|lesson| {
            let until = lesson.steps.get(..=at).unwrap_or_default();
            until.iter().rev().find_map(|step| step.state.clone())
        });
        let now = self.state.url.link.get_untracked();
        let (mut link, warnings) = match state {
            Some(state) => now.in_state(&state),
            None => (now, ParseWarnings::default()),
        };
        self.mark(&mut link, at);
        (link, warnings)
    }

    /// Writes the step's index and its highlighted cell and head into a link.
    fn mark(self, link: &mut Link, at: usize) {
        link.lesson.step = at;
        let lit = self.lesson.with_value(|lesson| lesson.steps[at].highlight);
        if let Some(cell) = lit.cell {
            link.cursor.pin = Some(cell);
        }
        if let Some((layer, head)) = lit.head {
            (link.heads.layer, link.heads.head) = (layer, head);
        }
    }

    /// Records the state of the page after a while, so that the page's own changes count as part of the step.
    fn settle(self) {
        let arrival = self.arrivals.get_value() + 1;
        self.arrivals.set_value(arrival);
        self.settled_link.set(None);
        set_timeout(
            move || {
                // The lesson may be closed already.
                if self.arrivals.try_get_value() == Some(arrival) {
                    self.settled_link
                        .set(Some(self.state.url.link.get_untracked()));
                }
            },
            SETTLES_WITHIN,
        );
    }
}
