//! The training view: checkpoints of one model as a timeline, with their position matrices and scores.

mod pictures;
mod snapshot_list;
mod timeline;
mod transport;

use crate::{
    analysis::TrainingRun,
    app::{figure::painter::mark_ready, state::PageState},
};
use leptos::prelude::*;
use pictures::{RunAnswers, TrainingCurves, TrainingMatrix, TrainingTable};
use snapshot_list::SnapshotList;
use timeline::Timeline;
use transport::Transport;

/// The training view.
#[component]
pub(in crate::app) fn TrainingView() -> impl IntoView {
    let timeline = Timeline::new();
    let is_run = Memo::new(move |_| timeline.snapshots.with(TrainingRun::len) > 1);
    view! {
        <Show when=move || is_run.get() fallback=TooFew>
            <TrainingFigures timeline/>
        </Show>
    }
}

/// Explanation displayed while fewer than two snapshots are open.
#[component]
fn TooFew() -> impl IntoView {
    mark_ready();
    view! {
        <section class="nothing">
            <h2>"Checkpoints of a run become a timeline"</h2>
            <p>
                "Open two or more checkpoints of one model, all at once or one after the other. Their order is read from names like checkpoint-1000, step_2000 or epoch_3; otherwise set the order yourself. The sample “rxnfp: three tables” in the model list shows a model before and after fine-tuning."
            </p>
            <Drawing/>
            <p>"Sketch of what you will see: the position matrix at each step of the run, and how close to Toeplitz it becomes."</p>
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

/// The figures and controls of a run of two or more snapshots.
#[component]
fn TrainingFigures(timeline: Timeline) -> impl IntoView {
    let state = PageState::from_context();
    // Queried before the snapshots' scores, so that the current snapshot is displayed first.
    let answers = RunAnswers::ask(state, timeline);
    view! {
        <div class="view training">
            <div class="column">
                <section class="timeline" aria-labelledby="timeline-title">
                    <h2 id="timeline-title">"How positions are learned"</h2>
                    <p class="caption">"One model at several steps of its training."</p>
                    <Transport timeline answers/>
                    <SnapshotList timeline answers/>
                </section>
                <TrainingCurves timeline answers/>
            </div>
            <div class="column">
                <TrainingMatrix timeline answers/>
                <TrainingTable timeline answers/>
            </div>
        </div>
    }
}
