//! Checkpoints of one model as a timeline: how its positions settle while it learns.

mod pictures;
mod snapshot_list;
mod timeline;
mod transport;

use crate::app::{figure_view::mark_ready, state::State};
use leptos::prelude::*;
use pictures::{RunAnswers, TrainingCurves, TrainingMatrix, TrainingTable};
use snapshot_list::SnapshotList;
use timeline::Timeline;
use transport::Transport;

/// The view.
#[component]
pub(in crate::app) fn Training() -> impl IntoView {
    let timeline = Timeline::new();
    let is_run = Memo::new(move |_| timeline.snapshots.with(Vec::len) > 1);
    view! {
        <Show when=move || is_run.get() fallback=TooFew>
            <Run timeline/>
        </Show>
    }
}

/// Said before there is anything to play.
#[component]
fn TooFew() -> impl IntoView {
    mark_ready();
    view! {
        <section class="nothing">
            <h2>"Checkpoints of a run become a timeline"</h2>
            <p>
                "Open two or more checkpoints of one model, all at once or one after the other. Their order is read from names like checkpoint-1000, step_2000 or epoch_3; where names do not tell, you set it yourself."
            </p>
        </section>
    }
}

/// A run of two snapshots or more.
#[component]
fn Run(timeline: Timeline) -> impl IntoView {
    let state = State::from_context();
    // What is looked at is asked first, before all that is only measured.
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
