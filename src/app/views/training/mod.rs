//! The training view: small transformers that train on the page, and checkpoints of one model as a timeline.
//!
//! `recipes`, `recipe_form`, `own_text`, `run_controls`, `run_list` and `run_transport` are about runs on the page, with
//! `run_figures`, `run_waves`, `live_runs` and `in_sight`; `timeline`, `timeline_figures`, `transport` and `snapshot_list` about
//! checkpoints, with `pictures`.

mod in_sight;
mod live_runs;
mod own_text;
mod pictures;
mod recipe_form;
mod recipes;
mod run_controls;
mod run_figures;
mod run_list;
mod run_transport;
mod run_waves;
mod snapshot_list;
mod timeline;
mod timeline_figures;
mod transport;

use crate::{
    analysis::TrainingRun,
    app::{figure::painter::mark_ready, lazy::Lazy},
};
use leptos::prelude::*;
use own_text::OwnText;
use recipe_form::RecipeForm;
use recipes::Recipes;
use run_controls::RunControls;
use run_figures::{RunCurves, RunHistories, RunStates, provide_program_constants};
use run_list::RunList;
use run_transport::RunTransport;
use timeline::Timeline;
use timeline_figures::TIMELINE_FIGURES;

/// The training view. Figures show the runs of the recipes if the link names them or one has begun, otherwise the
/// checkpoints if there are two, and otherwise the run that ships with the page.
#[component]
pub(in crate::app) fn TrainingView() -> impl IntoView {
    let timeline = Timeline::new();
    provide_context(timeline);
    let recipes = Recipes::new();
    let has_checkpoints = Memo::new(move |_| timeline.snapshots.with(TrainingRun::len) > 1);
    let prefers_runs = Memo::new(move |_| {
        recipes.runs.is_in_link()
            || recipes.any(|status| !status.is_recorded())
            || !has_checkpoints.get()
    });
    let has_runs = Memo::new(move |_| {
        prefers_runs.get() && recipes.current_runs.with(|runs| !runs.is_empty())
    });
    Effect::new(move || {
        if prefers_runs.get() {
            recipes.runs.load_shipped(&recipes.recipes.get());
        }
    });
    let figures = move || {
        if has_runs.get() {
            view! { <RunFigures recipes/> }.into_any()
        } else if has_checkpoints.get() {
            view! { <Lazy part=TIMELINE_FIGURES inline=true/> }.into_any()
        } else {
            view! { <TooFew/> }.into_any()
        }
    };
    view! {
        <section class="training-form" aria-labelledby="training-title">
            <h2 id="training-title">"Watch a small transformer learn where"</h2>
            <p class="caption">
                "Choose a task that needs positions and a way to encode them. The models train here, in your browser; they start from the same weights and see the same sequences."
            </p>
            <p class="fault" hidden=move || recipes.fault.with(Option::is_none)>{move || recipes.fault.get()}</p>
            <RecipeForm recipes/>
            <OwnText recipes/>
            <RunControls recipes/>
            <Show when=move || has_runs.get()>
                <RunList recipes/>
                <RunTransport recipes/>
            </Show>
        </section>
        {figures}
    }
}

/// The figures of the runs of the recipes.
#[component]
fn RunFigures(recipes: Recipes) -> impl IntoView {
    let histories = RunHistories::new(recipes);
    provide_program_constants(recipes);
    view! {
        <div class="view training">
            <div class="column"><RunCurves histories/></div>
            <div class="column"><RunStates histories/></div>
        </div>
    }
}

/// Explanation displayed while nothing has begun and fewer than two checkpoints are open.
#[component]
fn TooFew() -> impl IntoView {
    mark_ready();
    view! {
        <section class="nothing">
            <p>
                "Press Train, and the position matrix, the heads and the kernels of each model appear here, step by step."
            </p>
            <Drawing/>
            <p>
                "Checkpoints of a run become a timeline, too. Open two or more of one model, all at once or one after the other. Their order is read from names like checkpoint-1000, step_2000 or epoch_3; otherwise set the order yourself. The sample “rxnfp: three tables” in the model list shows a model before and after fine-tuning."
            </p>
        </section>
    }
}

/// A sketch of a run: matrices whose diagonals become visible, above a rising curve.
#[component]
fn Drawing() -> impl IntoView {
    const SIDE: i32 = 88;
    // Opacity of the diagonals at each stage.
    let stages = [0.0, 0.35, 0.7, 1.0]
        .into_iter()
        .enumerate()
        .map(|(at, learned)| {
            let x = 4 + at as i32 * 120;
            let diagonals = (0..8).map(|k| {
                let from = k * 11;
                let faint = format!("{:.2}", learned * f64::from(8 - k) / 8.0);
                let d = format!(
                    "M{} 4L{} {}M{x} {}L{} 92",
                    x + from,
                    x + SIDE,
                    92 - from,
                    4 + from,
                    x + SIDE - from
                );
                view! { <path d=d opacity=faint></path> }
            });
            view! {
                <rect x=x.to_string() y="4" width=SIDE.to_string() height=SIDE.to_string()></rect>
                {diagonals.collect_view()}
            }
        });
    view! {
        <svg class="drawing" viewBox="0 0 456 232" aria-hidden="true">
            {stages.collect_view()}
            <path class="axis" d="M4 224H452M4 112V224"></path>
            <path class="curve" d="M48 214C110 208 120 176 168 162S250 138 288 132S370 124 408 123"></path>
            <circle cx="48" cy="214" r="4"></circle>
            <circle cx="168" cy="162" r="4"></circle>
            <circle cx="288" cy="132" r="4"></circle>
            <circle cx="408" cy="123" r="4"></circle>
        </svg>
    }
}
