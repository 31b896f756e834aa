//! Buttons that train, pause and stop the runs, and the time that a run takes.

use super::{own_text::load_text, recipes::Recipes};
use crate::{
    app::{
        controls::{buttons::ActionButton, while_mounted::while_mounted},
        state::Messages,
        training::{RunStatus, TrainingRunState},
    },
    training::{TrainingRecipe, seconds_per_step},
};
use leptos::{ev, prelude::*};
use wasm_bindgen_futures::spawn_local;

/// Train, Pause, Step, Snapshot, Stop.
#[component]
pub(super) fn RunControls(recipes: Recipes) -> impl IntoView {
    let runs = recipes.runs;
    let messages = Messages::from_context();
    let is_training = Memo::new(move |_| recipes.any(|status| *status == RunStatus::Training));
    let is_paused = Memo::new(move |_| recipes.any(|status| *status == RunStatus::Paused));
    let is_busy = Memo::new(move |_| {
        recipes.any(|status| status.is_active() || *status == RunStatus::Waiting)
    });
    let is_new = move |recipe: &TrainingRecipe| {
        let run = runs.find(recipe);
        run.is_none_or(|run| run.status.with(RunStatus::is_recorded))
    };
    let has_runs = Memo::new(move |_| recipes.recipes.with(|all| !all.iter().any(is_new)));
    // Runs that have not begun here, or else all of them again, from the same seed.
    let train = move |()| {
        let all = recipes.recipes.get_untracked();
        let new: Vec<_> = untrack(|| {
            all.iter()
                .filter(|recipe| is_new(recipe))
                .cloned()
                .collect()
        });
        let chosen = if new.is_empty() { all } else { new };
        recipes.look_at(None);
        spawn_local(async move {
            match load_text(runs, &chosen).await {
                Ok(()) => runs.train(&chosen),
                Err(sentence) => messages.notify(sentence),
            }
        });
    };
    let train_name = move || match has_runs.get() {
        true => "Again",
        false => "Train",
    };
    let toggle = move |()| {
        if is_training.get_untracked() {
            recipes.for_each(TrainingRunState::pause);
        } else {
            recipes.for_each(TrainingRunState::resume);
        }
    };
    let toggle_name = move || match (is_training.get(), is_paused.get()) {
        (false, true) => "Go on",
        _ => "Pause",
    };
    let can_train = Signal::derive(move || !(is_busy.get() && has_runs.get()));
    let can_toggle = Signal::derive(move || is_training.get() || is_paused.get());
    let forecast = move || {
        let seconds: f64 = recipes.recipes.with(|all| {
            let seconds = all.iter().map(|recipe| total_seconds(recipes, recipe));
            seconds.fold(0.0, f64::max)
        });
        format!("about {} on this machine", duration(seconds))
    };
    let set_hidden = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        runs.trains_hidden.set(event.target().checked());
    };
    view! {
        <div class="controls run-controls">
            <ActionButton
                text=train_name
                idle=Signal::derive(move || !can_train.get())
                press=train
            />
            <ActionButton text=toggle_name idle=Signal::derive(move || !can_toggle.get()) press=toggle/>
            <ActionButton
                text="Step"
                label="One step, during a pause"
                idle=Signal::derive(move || !is_paused.get())
                press=move |()| recipes.for_each(TrainingRunState::step_once)
            />
            <ActionButton
                text="Snapshot"
                label="Take a snapshot now"
                idle=Signal::derive(move || !can_toggle.get())
                press=move |()| recipes.for_each(TrainingRunState::take_snapshot)
            />
            <ActionButton
                text="Stop"
                idle=Signal::derive(move || !is_busy.get())
                press=move |()| recipes.for_each(TrainingRunState::stop)
            />
            <span class="hint">{forecast}</span>
        </div>
        <label class="included">
            <input
                type="checkbox"
                prop:checked=runs.trains_hidden
                on:change:target=while_mounted(set_hidden)
            />
            "Go on while this tab is hidden"
        </label>
    }
}

/// Seconds of a whole run: as measured of a run of the same sizes, or else by its number of operations.
fn total_seconds(recipes: Recipes, recipe: &TrainingRecipe) -> f64 {
    let measured = recipes.runs.list.get().into_iter().find_map(|run| {
        let is_alike = run
            .recipe()
            .is_some_and(|other| (other.size, other.encoding) == (recipe.size, recipe.encoding));
        let milliseconds = run.milliseconds_per_step.get();
        (is_alike && milliseconds > 0.0).then_some(milliseconds / 1000.0)
    });
    measured.unwrap_or_else(|| seconds_per_step(recipe)) * f64::from(recipe.steps)
}

/// A duration in words: seconds below two minutes, then minutes.
pub(super) fn duration(seconds: f64) -> String {
    if seconds < 120.0 {
        format!("{} s", seconds.ceil())
    } else {
        format!("{} min", (seconds / 60.0).ceil())
    }
}
