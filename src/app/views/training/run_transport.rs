//! Slider over the steps of the runs' snapshots, and playback.

use super::recipes::Recipes;
use crate::app::{controls::while_mounted::while_mounted, views::wants_less_motion};
use leptos::{ev, html, leptos_dom::helpers::IntervalHandle, prelude::*};
use std::time::Duration;

/// Time of a snapshot during playback.
const PACE: Duration = Duration::from_millis(500);

/// The transport. At its end figures follow the runs. Space plays while the transport has the focus.
#[component]
pub(super) fn RunTransport(recipes: Recipes) -> impl IntoView {
    let steps = Memo::new(move |_| recipes.steps());
    let place = Memo::new(move |_| {
        let step = recipes.looked_at();
        steps.with(|steps| {
            let last = steps.len().saturating_sub(1);
            let place = step.map(|step| steps.partition_point(|other| *other <= step));
            place.map_or(last, |place| place.saturating_sub(1).min(last))
        })
    });
    let go_to = move |place: usize| {
        let (step, is_last) = steps.with_untracked(|steps| {
            let is_last = place + 1 >= steps.len();
            (steps.get(place).copied(), is_last)
        });
        recipes.look_at(step.filter(|_| !is_last));
    };
    let timer: RwSignal<Option<IntervalHandle>> = RwSignal::new(None);
    let rest = move || {
        if let Some(handle) = timer.get_untracked() {
            handle.clear();
            timer.set(None);
        }
    };
    on_cleanup(rest);
    let last = move || steps.with_untracked(|steps| steps.len().saturating_sub(1));
    let move_by = move |by: isize| {
        go_to(place.get_untracked().saturating_add_signed(by).min(last()));
    };
    let play = move || {
        if timer.get_untracked().is_some() {
            return rest();
        }
        if place.get_untracked() >= last() {
            go_to(0);
        } else if wants_less_motion() {
            move_by(1);
        }
        if wants_less_motion() {
            return;
        }
        let tick = move || {
            move_by(1);
            if place.get_untracked() >= last() {
                rest();
            }
        };
        if let Ok(handle) = set_interval_with_handle(tick, PACE) {
            timer.set(Some(handle));
        }
    };
    let step_by = move |by: isize| {
        rest();
        move_by(by);
    };
    let slider = NodeRef::<html::Input>::new();
    let scrub = move |_| {
        rest();
        let value = slider.get_untracked().map(|slider| slider.value());
        if let Some(Ok(place)) = value.map(|value| value.parse()) {
            go_to(place);
        }
    };
    let on_key = move |event: ev::KeyboardEvent| {
        // Buttons have their own meaning of the space bar.
        let is_slider = event.target() == slider.get_untracked().map(Into::into);
        if event.key() == " " && is_slider {
            event.prevent_default();
            play();
        }
    };
    let is_live = move || recipes.looked_at().is_none();
    let called = Memo::new(move |_| {
        let step = steps.with(|steps| steps.get(place.get()).copied());
        match (step, is_live()) {
            (None, _) => String::new(),
            (Some(_), true) => "latest".to_owned(),
            (Some(step), false) => format!("step {step}"),
        }
    });
    let name = move || match (timer.get().is_some(), wants_less_motion()) {
        (true, _) => "Pause",
        (false, true) => "Next step",
        (false, false) => "Play",
    };
    view! {
        <div class="transport" on:keydown=while_mounted(on_key) hidden=move || steps.with(|steps| steps.len() < 2)>
            <button type="button" aria-label="Previous snapshot" on:click=move |_| step_by(-1)>"‹"</button>
            <button type="button" class="play" aria-label=move || format!("{} the snapshots", name()) on:click=move |_| play()>{name}</button>
            <button type="button" aria-label="Next snapshot" on:click=move |_| step_by(1)>"›"</button>
            <input
                type="range"
                min="0"
                max=move || steps.with(|steps| steps.len().saturating_sub(1)).to_string()
                step="1"
                aria-label="Step"
                aria-valuetext=called
                node_ref=slider
                prop:value=move || place.get().to_string()
                on:input=while_mounted(scrub)
            />
            <output class="step">{called}</output>
        </div>
    }
}
