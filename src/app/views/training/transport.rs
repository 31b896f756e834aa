//! Buttons and slider of the timeline.

use super::{pictures::RunAnswers, timeline::Timeline};
use crate::analysis::TrainingRun;
use crate::app::{
    controls::{
        buttons::{SegmentedButtons, options},
        while_mounted::while_mounted,
    },
    views::wants_less_motion,
};
use leptos::{html, prelude::*};

/// Playback and navigation controls of the timeline.
#[component]
pub(super) fn Transport(timeline: Timeline, answers: RunAnswers) -> impl IntoView {
    let looked_at = timeline.ahead(0);
    let slider = NodeRef::<html::Input>::new();
    let scrub = move |_| {
        let value = slider.get_untracked().map(|slider| slider.value());
        if let Some(Ok(at)) = value.map(|value| value.parse::<usize>()) {
            timeline.look_at(at);
        }
    };
    let toggle = move |_| {
        if timeline.timer.get_untracked().is_some() {
            timeline.rest();
        } else {
            timeline.play(move || answers.next_is_pending());
        }
    };
    let step = move |by: isize| {
        timeline.rest();
        timeline.step_by(by);
    };
    let last = move || {
        timeline
            .snapshots
            .with(TrainingRun::len)
            .saturating_sub(1)
            .to_string()
    };
    let called = Memo::new(move |_| {
        looked_at.with(|snapshot| snapshot.as_ref().map(|s| timeline.snapshot_name(s)))
    });
    let name = move || match (timeline.is_playing(), wants_less_motion()) {
        (true, _) => "Pause",
        (false, true) => "Next step",
        (false, false) => "Play",
    };
    let orders = options([(false, "by step"), (true, "custom")]);
    let choose = move |by_hand| timeline.go_by_hand(by_hand);
    view! {
        <div class="transport">
            <button type="button" aria-label="Previous snapshot" on:click=move |_| step(-1)>"‹"</button>
            <button type="button" class="play" on:click=toggle>{name}</button>
            <button type="button" aria-label="Next snapshot" on:click=move |_| step(1)>"›"</button>
            <input
                type="range"
                min="0"
                max=last
                step="1"
                aria-label="Snapshot"
                aria-valuetext=called
                node_ref=slider
                prop:value=move || timeline.place.get().to_string()
                on:input=while_mounted(scrub)
            />
            <output class="step">{called}</output>
        </div>
        <div class="controls" hidden=move || !timeline.has_steps.get()>
            <SegmentedButtons label="Order" options=orders value=timeline.is_by_hand set=choose/>
        </div>
    }
}
