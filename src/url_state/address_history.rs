//! Decides which changes of the link become entries of the browser's history, so that Back undoes them.

use super::Link;

impl Link {
    /// Returns whether the change from `before` to this link is a step that Back undoes: another view, another model or
    /// option of it, another layer or head, another step of a lesson. Everything else (sliders, typed numbers, zoom,
    /// colours, a pinned cell) changes how the same thing is displayed. If `before` named only a lesson and the lesson
    /// then filled in its state, that is no step.
    #[must_use]
    pub fn is_step_from(&self, before: &Self) -> bool {
        let has_filled_in =
            self.lesson.place() == before.lesson.place() && before.leaves_state_to_lesson();
        !has_filled_in && self.differs_as_step(before)
    }

    fn differs_as_step(&self, before: &Self) -> bool {
        self.view != before.view
            || !self.model.is_same_model(&before.model)
            || self.choice != before.choice
            || self.lesson.place() != before.lesson.place()
            || (self.heads.layer, self.heads.head) != (before.heads.layer, before.heads.head)
    }
}

/// A change to the browser's history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HistoryStep {
    /// Replaces the query of the current entry.
    Replace(String),
    /// Pushes a new entry with this query after the current one.
    Push(String),
}

/// Keeps the current entry of the browser's history in step with the displayed link. Small changes are written to the
/// entry when the user pauses, and at the latest before the next entry is pushed.
#[derive(Debug, Clone)]
pub struct AddressHistory {
    /// The link as of the last change.
    current_link: Link,
    /// The query of the current entry.
    current_query: String,
}

impl AddressHistory {
    /// Starts from the query the page was loaded with and the link it shows.
    #[must_use]
    pub fn new(query: &str, link: Link) -> Self {
        Self {
            current_link: link,
            current_query: without_mark(query).to_owned(),
        }
    }

    /// Records a change of the link. The returned steps must be applied at once and in order. If there are none, the
    /// change may wait for [`Self::pause`].
    pub fn change(&mut self, now: &Link) -> Vec<HistoryStep> {
        let mut steps = Vec::new();
        if now.is_step_from(&self.current_link) {
            // Writes pending changes to the old entry first. Otherwise they would end up in the new one.
            steps.extend(self.pause());
            self.current_query = now.query();
            steps.push(HistoryStep::Push(self.current_query.clone()));
        }
        self.current_link = now.clone();
        steps
    }

    /// Call when the user has paused. Returns the step that brings the current entry up to the displayed link, if it
    /// differs or has parts that were not understood.
    pub fn pause(&mut self) -> Option<HistoryStep> {
        let query = self.current_link.query();
        if query == self.current_query {
            return None;
        }
        // A loaded link keeps its original spelling until its meaning changes, unless parts of it were not understood.
        let (loaded, warnings) = Link::parse(&self.current_query);
        if warnings.count() == 0 && query == loaded.query() {
            return None;
        }
        self.current_query.clone_from(&query);
        Some(HistoryStep::Replace(query))
    }

    /// Call when the user has navigated to another entry with this query. Returns the link to show and its parse
    /// warnings, or `None` if the query is that of the current entry (only the anchor differs, or nothing).
    pub fn go_to(&mut self, query: &str) -> Option<(Link, super::ParseWarnings)> {
        let query = without_mark(query);
        if query == self.current_query {
            return None;
        }
        let (link, warnings) = Link::parse(query);
        query.clone_into(&mut self.current_query);
        self.current_link = link.clone();
        Some((link, warnings))
    }
}

fn without_mark(query: &str) -> &str {
    query.strip_prefix('?').unwrap_or(query)
}
