//! The runs as figures show them: now, and a moment ago for figures that are out of sight.

use super::{in_sight::is_in_sight, recipes::Recipes};
use crate::{
    app::figure::view::{AnyFigure, picture},
    figure::training::RunHistory,
    figure_spec::FigureSpec,
};
use leptos::{leptos_dom::helpers::TimeoutHandle, prelude::*};
use std::{sync::Arc, time::Duration};

/// Delay of figures that are out of sight. Their numbers and summaries, which can be read without seeing them, are at most
/// this old.
const DELAY: Duration = Duration::from_millis(1500);

/// The runs, and the step that the link looks at.
#[derive(Debug, Default)]
struct RunsAtStep {
    runs: Vec<RunHistory>,
    step: Option<u32>,
}

/// Runs that change while figures show them.
#[derive(Debug, Clone, Copy)]
pub(super) struct LiveRuns {
    now: Memo<Arc<RunsAtStep>>,
    late: RwSignal<Arc<RunsAtStep>>,
}

/// Whether two states are different ones. Comparing their numbers takes longer than drawing.
fn differ(before: Option<&Arc<RunsAtStep>>, now: Option<&Arc<RunsAtStep>>) -> bool {
    match (before, now) {
        (Some(before), Some(now)) => !Arc::ptr_eq(before, now),
        _ => true,
    }
}

impl LiveRuns {
    /// The runs of the recipes. They change with every report, and with every pulse if they have losses.
    pub(super) fn new(recipes: Recipes, with_losses: bool) -> Self {
        let now = Memo::new_with_compare(
            move |_| {
                let step = recipes.looked_at();
                Arc::new(RunsAtStep {
                    runs: recipes.histories(with_losses),
                    step: step.and_then(|step| u32::try_from(step).ok()),
                })
            },
            differ,
        );
        let late = RwSignal::new(now.get_untracked());
        let timer: StoredValue<Option<TimeoutHandle>> = StoredValue::new(None);
        Effect::new(move || {
            now.track();
            if timer.with_value(Option::is_some) {
                return;
            }
            let update = move || {
                // The view may be gone by now.
                if timer.try_update_value(Option::take).is_some()
                    && let Some(now) = now.try_get_untracked()
                {
                    let _ = late.try_set(now);
                }
            };
            timer.set_value(set_timeout_with_handle(update, DELAY).ok());
        });
        on_cleanup(move || {
            if let Some(Some(handle)) = timer.try_update_value(Option::take) {
                handle.clear();
            }
        });
        Self { now, late }
    }

    /// Draws the runs: at every change while the figure is in sight, and after a delay otherwise. Call this where the
    /// figure's card is created. `draw` gets the step that the link looks at.
    pub(super) fn draw(
        self,
        spec: &FigureSpec,
        draw: impl Fn(&[RunHistory], Option<u32>) -> Option<AnyFigure> + Send + Sync + 'static,
    ) -> Signal<Option<AnyFigure>> {
        let is_seen = is_in_sight(spec.id);
        let shown = Memo::new_with_compare(
            move |_| match is_seen.get() {
                true => self.now.get(),
                false => self.late.get(),
            },
            differ,
        );
        picture(move || shown.with(|shown| draw(&shown.runs, shown.step)))
    }

    /// Whether any run has something.
    pub(super) fn any(self, has: fn(&RunHistory) -> bool) -> Memo<bool> {
        Memo::new(move |_| self.now.with(|now| now.runs.iter().any(has)))
    }

    /// The length of the longest sequences that a run learns from, for moving the cursor by keys.
    pub(super) fn longest(self) -> Signal<usize> {
        let longest = Memo::new(move |_| {
            let lengths =
                |runs: &[RunHistory]| runs.iter().filter_map(RunHistory::trained_length).max();
            self.with(lengths).unwrap_or(0)
        });
        longest.into()
    }

    /// Calls a function with the runs as they are now.
    pub(super) fn with<T>(self, read: impl FnOnce(&[RunHistory]) -> T) -> T {
        self.now.with(|now| read(&now.runs))
    }
}
