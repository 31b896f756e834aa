//! The state of the timeline, and its playback.

use crate::{
    analysis::{ModelId, Snapshot, TrainingRun},
    app::{
        state::{
            UrlState,
            comparison::{Comparison, ListedModel},
        },
        views::wants_less_motion,
    },
    url_state::TrainingSection,
};
use leptos::{leptos_dom::helpers::IntervalHandle, prelude::*};
use std::time::Duration;

/// Minimum time per snapshot during playback; longer if the next one has not arrived.
const PACE: Duration = Duration::from_millis(700);

/// The timeline: its snapshots, the current one, and whether it plays.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timeline {
    url: UrlState,
    pub(super) comparison: Comparison,
    /// The snapshots in order.
    pub(super) snapshots: Memo<TrainingRun<ListedModel>>,
    /// Whether at least two names contain a step.
    pub(super) has_steps: Memo<bool>,
    /// Whether the order is manual, as chosen or because names contain no steps.
    pub(super) is_by_hand: Memo<bool>,
    /// Index of the current snapshot.
    pub(super) place: Memo<usize>,
    pub(super) timer: RwSignal<Option<IntervalHandle>>,
}

impl Timeline {
    pub(super) fn new() -> Self {
        let url = UrlState::from_context();
        let by_hand = url.select(|link| link.training.by_hand);
        let hand_order = url.select(|link| link.training.hand_order.clone());
        let looked_at = url.select(|link| link.training.looked_at);
        let comparison = Comparison::from_context();
        let models = comparison.models;
        let by_step =
            Memo::new(move |_| TrainingRun::from_names(models.get(), |model| &model.name));
        let has_steps = Memo::new(move |_| by_step.with(TrainingRun::len) > 1);
        let is_by_hand = Memo::new(move |_| by_hand.get() || !has_steps.get());
        let snapshots = Memo::new(move |_| {
            if !is_by_hand.get() {
                return by_step.get();
            }
            let files = models.get().into_iter().filter(|model| model.is_file);
            hand_order.with(|order| TrainingRun::in_manual_order(files, order, |m| m.number))
        });
        // The link stores a step, not an index, so that it stays valid when other snapshots are opened or closed.
        let place = Memo::new(move |_| {
            let at = looked_at.get();
            snapshots.with(|run| at.map_or(0, |at| run.place_of_step(at)))
        });
        let timeline = Self {
            url,
            comparison,
            snapshots,
            has_steps,
            is_by_hand,
            place,
            timer: RwSignal::new(None),
        };
        on_cleanup(move || timeline.rest());
        timeline
    }

    /// Returns the snapshot `by` places after the current one.
    pub(super) fn ahead(self, by: usize) -> Memo<Option<Snapshot<ListedModel>>> {
        Memo::new(move |_| {
            let at = self.place.get() + by;
            self.snapshots.with(|run| run.get(at).cloned())
        })
    }

    /// Returns a snapshot's displayed name, by its step or by its ordinal.
    pub(super) fn snapshot_name(self, snapshot: &Snapshot<ListedModel>) -> String {
        if self.is_by_hand.get() {
            format!("{}. {}", snapshot.step, snapshot.model.name)
        } else {
            format!("step {}", snapshot.step)
        }
    }

    fn last(self) -> usize {
        self.snapshots
            .with_untracked(TrainingRun::len)
            .saturating_sub(1)
    }

    /// Shows a snapshot and stops playback.
    pub(super) fn look_at(self, place: usize) {
        self.rest();
        self.go_to(place);
    }

    pub(super) fn step_by(self, by: isize) {
        self.go_to(self.place.get_untracked().saturating_add_signed(by));
    }

    fn go_to(self, place: usize) {
        let place = place.min(self.last());
        let at = self.snapshots.with_untracked(|run| run.step_at(place));
        self.change(|training| training.looked_at = at);
    }

    /// Chooses manual order or order by step.
    pub(super) fn go_by_hand(self, by_hand: bool) {
        self.change(|training| training.by_hand = by_hand);
    }

    fn change(self, change: impl FnOnce(&mut TrainingSection)) {
        self.url.link.update(|link| change(&mut link.training));
    }

    pub(super) fn is_playing(self) -> bool {
        self.timer.with(Option::is_some)
    }

    pub(super) fn rest(self) {
        if let Some(handle) = self.timer.get_untracked() {
            handle.clear();
            self.timer.set(None);
        }
    }

    /// Plays from the current snapshot, or from the start if it is the last; pauses while the next snapshot's pictures
    /// are pending. With reduced motion, advances by one step instead.
    pub(super) fn play(self, next_is_pending: impl Fn() -> bool + 'static) {
        if self.place.get_untracked() >= self.last() {
            self.go_to(0);
        } else if wants_less_motion() {
            self.step_by(1);
        }
        if wants_less_motion() {
            return;
        }
        let tick = move || {
            if self.place.get_untracked() < self.last() && next_is_pending() {
                return;
            }
            self.step_by(1);
            if self.place.get_untracked() >= self.last() {
                self.rest();
            }
        };
        if let Ok(handle) = set_interval_with_handle(tick, PACE) {
            self.timer.set(Some(handle));
        }
    }

    /// Moves a snapshot up or down in a manual order.
    pub(super) fn move_by(self, id: ModelId, by: isize) {
        let order = self.snapshots.with_untracked(|run| {
            let place = run.iter().position(|snapshot| snapshot.model.id() == id)?;
            Some(run.order_after_move(place, by, |model| model.number))
        });
        if let Some(order) = order {
            self.change(|training| training.hand_order = order);
        }
    }
}
