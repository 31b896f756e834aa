//! The runs of the recipes, one row each: what they do, how far they are, and what they have learned.

use super::{
    recipes::{Recipes, run_name},
    run_controls::duration,
};
use crate::{
    app::{
        controls::download,
        state::PageState,
        training::{RunStatus, TrainingRunState},
    },
    figure::{number, short_r2},
};
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

/// The list of runs.
#[component]
pub(super) fn RunList(recipes: Recipes) -> impl IntoView {
    view! {
        <ol class="snapshots runs">
            <For
                each=move || recipes.current_runs.get()
                key=|run| (run.number, run.name())
                let:run
            >
                <RunRow recipes run/>
            </For>
        </ol>
        <p class="caption" hidden=move || !recipes.any(|status| *status == RunStatus::Recorded)>
            "A run that was trained before ships with the page. Its snapshots have only the weights that positions need. Press Train to train it here; the numbers are the same."
        </p>
        <p class="announcement" role="status">{move || announcement(recipes)}</p>
    }
}

/// Progress of the runs in tenths, for screen readers.
fn announcement(recipes: Recipes) -> String {
    let words = recipes.current_runs.get().into_iter().filter_map(|run| {
        let steps = run.recipe()?.steps;
        let tenths = 10 * run.step.get() / steps.max(1);
        Some(match run.status.get() {
            RunStatus::Training => format!("{}: {tenths}0 %", run_name(run)),
            RunStatus::Finished => format!("{}: done", run_name(run)),
            RunStatus::Failed(sentence) | RunStatus::NotLoaded(sentence) => {
                format!("{}: {sentence}", run_name(run))
            }
            _ => return None,
        })
    });
    words.collect::<Vec<_>>().join(". ")
}

#[component]
fn RunRow(recipes: Recipes, run: TrainingRunState) -> impl IntoView {
    let steps = run.recipe().map_or(1, |recipe| recipe.steps);
    let name = run_name(run);
    let status = Memo::new(move |_| match run.status.get() {
        RunStatus::Waiting => "waits for another run".to_owned(),
        RunStatus::Starting => "starting …".to_owned(),
        RunStatus::Training => {
            let left = f64::from(steps.saturating_sub(run.step.get()));
            let seconds = left * run.milliseconds_per_step.get() / 1000.0;
            format!("{} left", duration(seconds))
        }
        RunStatus::Paused => "paused".to_owned(),
        RunStatus::Stopped => "stopped".to_owned(),
        RunStatus::Finished => "done".to_owned(),
        RunStatus::Loading => "loading …".to_owned(),
        RunStatus::Recorded => "trained before".to_owned(),
        RunStatus::Failed(sentence) | RunStatus::NotLoaded(sentence) => sentence,
    });
    let scores = move || {
        let report = run.latest.get()?;
        let r2 = report.positions.as_ref().map(|positions| {
            format!(
                ", R² {}",
                short_r2(positions.inner_products.r2().off_diagonal)
            )
        });
        Some(format!(
            "loss {}, {} % right{}",
            number(report.held_out_loss),
            number((1000.0 * report.held_out_accuracy).round() / 10.0),
            r2.unwrap_or_default()
        ))
    };
    let save = move |_| {
        let snapshot = untrack(|| run.snapshot_at(recipes.looked_at()));
        if let Some(snapshot) = snapshot {
            for (file, blob) in &snapshot.files {
                let name = format!("{}.step-{}.{file}", run.name(), snapshot.report.step);
                download::save(&name, blob);
            }
        }
    };
    let messages = PageState::from_context().messages;
    let save_run = move |_| {
        spawn_local(async move {
            match run.archive().await {
                Ok(Some((name, bytes))) => download::save_bytes(&name, "application/zip", &bytes),
                Ok(None) => {}
                Err(sentence) => messages.warn(sentence),
            }
        });
    };
    let close = move |_| recipes.runs.close(run);
    let has_snapshot = move || run.snapshots.with(|snapshots| !snapshots.is_empty());
    view! {
        <li data-run=run.name()>
            <span class="run">
                <span class=format!("badge category-{}", (run.number - 1) % 8)>{run.number}</span>
                <span class="name">{name.clone()}</span>
                <progress
                    aria-label=format!("Steps of {name}")
                    max=steps.to_string()
                    value=move || run.step.get().to_string()
                ></progress>
                <span class="step">{move || format!("{} of {steps}", run.step.get())}</span>
                <span class="score">{status}</span>
                <span class="score">{scores}</span>
            </span>
            <span class="moves">
                <button
                    type="button"
                    aria-label=format!("Save the snapshot of {name} with its configuration")
                    disabled=move || !has_snapshot()
                    on:click=save
                >
                    "Save"
                </button>
                <button
                    type="button"
                    aria-label=format!("Save run {name} with all its snapshots")
                    disabled=move || !has_snapshot()
                    on:click=save_run
                >
                    "Save run"
                </button>
                <button type="button" aria-label=format!("Close {name}") on:click=close>"×"</button>
            </span>
        </li>
    }
}
