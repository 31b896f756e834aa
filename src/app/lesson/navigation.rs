//! From step to step: what a step shows, whether somebody has left it, and the way back.

use crate::{
    app::{figure::registry::FigureRegistry, state::page::PageState},
    figure::Cursor,
    url_state::{Link, ParseWarnings, View},
};
use leptos::prelude::*;
use lesson_format::{Lesson, Step};
use std::{sync::Arc, time::Duration};

/// The page lays itself out for so long after a step: what changes of the link meanwhile is the step's.
pub(super) const SETTLES_WITHIN: Duration = Duration::from_millis(400);

/// The steps of the open lesson.
#[derive(Debug, Clone, Copy)]
pub(super) struct Steps {
    state: PageState,
    standing: FigureRegistry,
    lesson: StoredValue<Arc<Lesson>>,
    /// The step that is shown, counted from 0.
    pub(super) at: Memo<usize>,
    /// What the page showed when it had settled in the step.
    arrived: RwSignal<Option<Link>>,
    /// The step whose answer is unfolded.
    pub(super) unfolded: RwSignal<Option<usize>>,
    /// The second window asks what is shown.
    pub(super) told: Trigger,
    /// Counts arrivals, so that the last one settles.
    arrivals: StoredValue<u32>,
}

impl Steps {
    /// Of a lesson that has been opened: shows the step that the link names.
    pub(super) fn begin(lesson: Arc<Lesson>) -> Self {
        let state = PageState::from_context();
        let last = lesson.steps.len().saturating_sub(1);
        let at = Memo::new(move |_| state.link.with(|link| link.lesson.get().step).min(last));
        let steps = Self {
            state,
            standing: FigureRegistry::from_context(),
            lesson: StoredValue::new(lesson),
            at,
            arrived: RwSignal::new(None),
            unfolded: RwSignal::new(None),
            told: Trigger::new(),
            arrivals: StoredValue::new(0),
        };
        let (meant, _) = steps.link_of(at.get_untracked());
        steps.arrived.set(Some(meant));
        // Also where the list of lessons, or the browser's history, leads to the lesson that is open.
        let is_bare = Memo::new(move |_| state.link.with(Link::leaves_state_to_lesson));
        Effect::new(move || {
            if is_bare.get() {
                untrack(|| steps.show(at.get()));
            }
        });
        // Also where the browser's history brings a step back.
        Effect::new(move || steps.light(at.get()));
        on_cleanup(move || {
            steps.standing.light(Vec::new());
            steps.state.pointed.set(None);
        });
        steps
    }

    /// The lesson.
    pub(super) fn lesson(self) -> Arc<Lesson> {
        self.lesson.get_value()
    }

    /// A step of it.
    pub(super) fn step(self, at: usize) -> Step {
        self.lesson.with_value(|lesson| lesson.steps[at].clone())
    }

    /// The page's state.
    pub(super) fn state(self) -> PageState {
        self.state
    }

    /// What the step after one will show, where that is another state.
    pub(super) fn ahead_of(self, at: usize) -> Option<Link> {
        let next = at + 1;
        let own_state = self
            .lesson
            .with_value(|lesson| lesson.steps.get(next)?.state.clone());
        own_state?;
        let (link, _) = self.link_of(next);
        let is_other = self.state.link.with_untracked(|now| !now.shows_as(&link));
        let is_of_figures = !matches!(link.view, View::Compare | View::Training | View::Lessons);
        (is_other && is_of_figures).then_some(link)
    }

    /// How many there are.
    pub(super) fn count(self) -> usize {
        self.lesson.with_value(|lesson| lesson.steps.len())
    }

    /// Goes so many steps on, or back, as far as there are some.
    pub(super) fn go_on(self, by: isize) {
        let last = self.count().saturating_sub(1);
        let at = self.at.get_untracked();
        let to = at.saturating_add_signed(by).min(last);
        if to != at {
            self.go(to);
        }
    }

    /// Unfolds the answer of the step that is shown, or goes to the next step where there is none to unfold.
    pub(super) fn advance(self) {
        let at = self.at.get_untracked();
        if self.has_question(at) && self.unfolded.get_untracked() != Some(at) {
            self.unfolded.set(Some(at));
        } else {
            self.go_on(1);
        }
    }

    /// Takes back one [`advance`](Self::advance): folds the answer of the step that is shown, or goes to the step
    /// before, with its answer unfolded.
    pub(super) fn retreat(self) {
        let at = self.at.get_untracked();
        if self.unfolded.get_untracked() == Some(at) {
            self.unfolded.set(None);
        } else if at > 0 {
            self.go_on(-1);
            self.unfolded
                .set(self.has_question(at - 1).then_some(at - 1));
        }
    }

    /// Unfolds the answer of the step that is shown, or folds it.
    pub(super) fn turn_answer(self) {
        let at = self.at.get_untracked();
        let is_unfolded = self.unfolded.get_untracked() == Some(at);
        self.unfolded.set((!is_unfolded).then_some(at));
    }

    /// Whether a step asks something.
    pub(super) fn has_question(self, at: usize) -> bool {
        self.lesson
            .with_value(|lesson| lesson.steps[at].question.is_some())
    }

    /// Goes to a step, whose answer is folded. One that says nothing of its state leaves what is shown as it is.
    pub(super) fn go(self, to: usize) {
        self.unfolded.set(None);
        let own_state = self
            .lesson
            .with_value(|lesson| lesson.steps[to].state.is_some());
        if own_state || to != self.at.get_untracked() + 1 {
            return self.show(to);
        }
        let mut link = self.state.link.get_untracked();
        self.mark(&mut link, to);
        self.state.go_to(link, &ParseWarnings::default());
        self.settle();
    }

    /// Shows a step as it is meant, whatever was shown before.
    pub(super) fn show(self, at: usize) {
        let (link, misread) = self.link_of(at);
        self.state.go_to(link, &misread);
        self.light(at);
        self.settle();
    }

    /// Whether somebody has changed what is shown since the step was reached.
    pub(super) fn is_left(self) -> bool {
        self.arrived.with(|arrived| {
            let Some(arrived) = arrived else {
                return false;
            };
            self.state.link.with(|link| !link.shows_as(arrived))
        })
    }

    /// Lights what a step lights.
    pub(super) fn light(self, at: usize) {
        let (light, offset) = self.lesson.with_value(|lesson| {
            let step = &lesson.steps[at];
            (step.light.clone(), step.lit.offset)
        });
        self.standing.light(light);
        self.state.pointed.set(offset.map(Cursor::Offset));
    }

    /// The link of a step: its state, or that of the last one before it that has some, and what it lights.
    fn link_of(self, at: usize) -> (Link, ParseWarnings) {
        let state = self.lesson.with_value(|lesson| {
            let until = lesson.steps.get(..=at).unwrap_or_default();
            until.iter().rev().find_map(|step| step.state.clone())
        });
        let now = self.state.link.get_untracked();
        let (mut link, misread) = match state {
            Some(state) => now.in_state(&state),
            None => (now, ParseWarnings::default()),
        };
        self.mark(&mut link, at);
        (link, misread)
    }

    /// Writes into a link which step it is, and the cell and the head that the step lights.
    fn mark(self, link: &mut Link, at: usize) {
        link.lesson.change(|section| section.step = at);
        let lit = self.lesson.with_value(|lesson| lesson.steps[at].lit);
        if let Some(cell) = lit.cell {
            link.cursor.pin = Some(cell);
        }
        if let Some((layer, head)) = lit.head {
            (link.heads.layer, link.heads.head) = (layer, head);
        }
    }

    /// What the page makes of the state by itself belongs to the step.
    fn settle(self) {
        let arrival = self.arrivals.get_value() + 1;
        self.arrivals.set_value(arrival);
        self.arrived.set(None);
        set_timeout(
            move || {
                // The lesson may have been closed.
                if self.arrivals.try_get_value() == Some(arrival) {
                    self.arrived.set(Some(self.state.link.get_untracked()));
                }
            },
            SETTLES_WITHIN,
        );
    }
}
