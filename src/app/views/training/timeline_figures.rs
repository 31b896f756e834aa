//! Figures of checkpoints of one model, in a part of the page of their own: most visits of the view train or watch a run.

use super::{
    pictures::{RunAnswers, TrainingCurves, TrainingMatrix, TrainingTable},
    snapshot_list::SnapshotList,
    timeline::Timeline,
    transport::Transport,
};
use crate::{
    analysis::Snapshot,
    app::{
        figure::{program_constants::ProgramConstants, program_snapshots::ProgramSnapshots},
        lazy::lazy_view,
        state::{PageState, comparison::ListedModel},
    },
    numpy_program::Literal,
};
use leptos::prelude::*;

lazy_view! {
    /// The figures of the timeline, which is a context.
    pub(super) const TIMELINE_FIGURES = TimelineFigures in timeline;
}

/// The figures and controls of a run of two or more snapshots.
#[component]
fn TimelineFigures() -> impl IntoView {
    let timeline: Timeline = expect_context();
    let state = PageState::from_context();
    // Queried before the snapshots' scores, so that the current snapshot is displayed first.
    let answers = RunAnswers::ask(state, timeline);
    ProgramSnapshots::provide(move || {
        timeline.snapshots.with(|run| {
            let snapshot = |snapshot: &Snapshot<ListedModel>| (snapshot.model.id(), snapshot.step);
            run.iter().map(snapshot).collect()
        })
    });
    ProgramConstants::provide(move |name| match name {
        "checkpoints" => Some(true.literal()),
        "SHOWN" => Some(timeline.place.get().literal()),
        _ => None,
    });
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
