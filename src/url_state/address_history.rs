//! Which changes of the link the browser's Back button undoes, and what is written into its history for them.

use super::Link;

impl Link {
    /// Whether coming here from `before` is a step that Back undoes: another view, another model or choice in
    /// it, another layer or head, another step of a lesson. Everything else (sliders, numbers typed in, zoom, colours, a pinned cell) is
    /// how one looks at the same thing. A link that left its state to a lesson gets it without a step.
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

/// What is done to the browser's history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HistoryStep {
    /// The present entry gets this query.
    Replace(String),
    /// A new entry with this query comes after the present one.
    Push(String),
}

/// The present entry of the browser's history, as against the link that is shown: small changes reach the
/// entry once the person pauses, and at the latest before the next entry is made.
#[derive(Debug, Clone)]
pub struct AddressHistory {
    /// The link as it was seen last.
    shown: Link,
    /// The query of the present entry.
    written: String,
}

impl AddressHistory {
    /// The page was loaded with this query and shows this link.
    #[must_use]
    pub fn new(query: &str, shown: Link) -> Self {
        Self {
            shown,
            written: without_mark(query).to_owned(),
        }
    }

    /// The link has changed. These steps are to be done at once and in order; where there is none, the
    /// change may wait for [`Self::pause`].
    pub fn change(&mut self, now: &Link) -> Vec<HistoryStep> {
        let mut steps = Vec::new();
        if now.is_step_from(&self.shown) {
            // What was changed last would otherwise be written into the entry that comes now.
            steps.extend(self.pause());
            self.written = now.query();
            steps.push(HistoryStep::Push(self.written.clone()));
        }
        self.shown = now.clone();
        steps
    }

    /// The person has paused: the present entry is brought up to what is shown.
    pub fn pause(&mut self) -> Option<HistoryStep> {
        let query = self.shown.query();
        // A link that was loaded stays as it was written until something of it changes.
        if query == self.written || query == Link::parse(&self.written).0.query() {
            return None;
        }
        self.written.clone_from(&query);
        Some(HistoryStep::Replace(query))
    }

    /// The person has gone to another entry, which has this query. The link to show, and what of it was not
    /// understood; nothing where the entry differs from the present one by its anchor alone, or not at all.
    pub fn go_to(&mut self, query: &str) -> Option<(Link, super::ParseWarnings)> {
        let query = without_mark(query);
        if query == self.written {
            return None;
        }
        let (link, misread) = Link::parse(query);
        query.clone_into(&mut self.written);
        self.shown = link.clone();
        Some((link, misread))
    }
}

fn without_mark(query: &str) -> &str {
    query.strip_prefix('?').unwrap_or(query)
}
