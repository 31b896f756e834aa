//! The snapshots of a run, one row each. Each row queries its own snapshot's scores once.

use super::{pictures::RunAnswers, timeline::Timeline};
use crate::{
    analysis::{
        ModelOverview, PositionKind, Similarity, Snapshot, TILE_LIMIT, TableTile, TrainingRun,
    },
    app::{
        controls::focus::focus_next,
        query_client::{Query, QueryClient},
        state::{
            ModelList,
            comparison::{ListedModel, store_r2},
        },
    },
    figure::{
        Heatmap, short_r2,
        training_timeline::{RunPicture, SnapshotScores},
    },
    math::Tile,
};
use leptos::{html, prelude::*};
use std::sync::Arc;

/// The list of snapshots.
#[component]
pub(super) fn SnapshotList(timeline: Timeline, answers: RunAnswers) -> impl IntoView {
    view! {
        <ol class="snapshots">
            <For
                each=move || timeline.snapshots.with(|run| run.iter().cloned().collect::<Vec<_>>())
                key=|snapshot| snapshot.model.id()
                let:snapshot
            >
                <SnapshotRow timeline answers snapshot/>
            </For>
        </ol>
    }
}

/// Row of a snapshot. In a manual order it has buttons that move it.
#[component]
fn SnapshotRow(
    timeline: Timeline,
    answers: RunAnswers,
    /// The snapshot when it joins; its name does not change.
    snapshot: Snapshot<ListedModel>,
) -> impl IntoView {
    let id = snapshot.model.id();
    let model = timeline.comparison.model(id);
    let overview = measure(timeline, answers, model);
    answers.overviews.add(id, overview);

    // Index and step; they change when snapshots are added or moved.
    let placement = Memo::new(move |_| {
        timeline.snapshots.with(|run| {
            let mut places = run.iter().enumerate();
            let (place, snapshot) = places.find(|(_, s)| s.model.id() == id)?;
            Some((place, snapshot.step))
        })
    });
    let current = move || {
        let place = placement.get().map(|(place, _)| place);
        (place == Some(timeline.place.get())).then_some("step")
    };
    let choose = move |_| {
        if let Some((place, _)) = placement.get_untracked() {
            timeline.look_at(place);
        }
    };
    let step = move || placement.get().map(|(_, step)| step.to_string());
    let scores = Memo::new(move |_| {
        let of = model.get()?.version;
        timeline.comparison.run.with(|run| run.scores(of))
    });
    let score = move || match scores.get() {
        Some(scores) => format!("R² {}", short_r2(scores.r2.off_diagonal)),
        None if overview.failure().is_some() => "R² –".to_owned(),
        None => "…".to_owned(),
    };
    let place = Signal::derive(move || placement.get().map(|(place, _)| place));
    let name = snapshot.model.name;
    let moved = name.clone();
    view! {
        <li data-snapshot=name.clone()>
            <button type="button" class="snapshot" aria-current=current on:click=choose>
                <span class="step">{step}</span>
                <span class="name">{name.clone()}</span>
                <span class="score">{score}</span>
            </button>
            <Show when=move || timeline.is_by_hand.get()>
                <Moves timeline id place name=moved.clone()/>
            </Show>
        </li>
    }
}

/// Buttons that move a snapshot up or down in a manual order.
#[component]
fn Moves(timeline: Timeline, id: u32, place: Signal<Option<usize>>, name: String) -> impl IntoView {
    let (up, down) = (
        NodeRef::<html::Button>::new(),
        NodeRef::<html::Button>::new(),
    );
    let move_by = move |by: isize| {
        timeline.move_by(id, by);
        // A moved row loses the focus, and the pressed button may be disabled at the end of the list.
        focus_next(move || {
            let buttons = if by < 0 { [up, down] } else { [down, up] };
            let mut buttons = buttons.into_iter().filter_map(|b| b.try_get_untracked()?);
            buttons.find(|button| !button.disabled()).map(Into::into)
        });
    };
    let is_last = move || {
        let count = timeline.snapshots.with(TrainingRun::len);
        place.get().is_some_and(|place| place + 1 == count)
    };
    view! {
        <span class="moves">
            <button
                type="button"
                aria-label=format!("Move {name} up")
                disabled=move || place.get() == Some(0)
                node_ref=up
                on:click=move |_| move_by(-1)
            >
                "↑"
            </button>
            <button
                type="button"
                aria-label=format!("Move {name} down")
                disabled=is_last
                node_ref=down
                on:click=move |_| move_by(1)
            >
                "↓"
            </button>
        </span>
    }
}

/// Queries a snapshot's scores, then the colour ranges of its pictures, one after another. The answers are released
/// once their results are stored, so the page holds pictures of the current snapshot only, however long the run.
fn measure(
    timeline: Timeline,
    answers: RunAnswers,
    model: Memo<Option<ListedModel>>,
) -> Query<ModelOverview> {
    let models = ModelList::from_context();
    let client = QueryClient::from_context();
    let run = timeline.comparison.run;
    let scores = client.ask(move || {
        let of = model.get()?.version;
        let lacks = run.with(|run| run.scores(of).is_none());
        lacks.then_some(ModelOverview {
            of,
            similarity: Similarity::InnerProduct,
        })
    });
    Effect::new(move || {
        if let (Some((question, brief)), false) = (scores.get_with_question(), scores.is_pending())
        {
            run.update(|run| run.keep_scores(question.of, SnapshotScores::new(&brief)));
            store_r2(models, question.of, question.similarity, &brief);
        }
    });
    let cosines = client.ask(move || {
        let (of, look) = (model.get()?.version, answers.look.get());
        let lacks = run.with(|run| {
            run.scores(of).is_some() && run.range(look, RunPicture::Cosines, of).is_none()
        });
        lacks.then_some(ModelOverview {
            of,
            similarity: Similarity::Cosine,
        })
    });
    Effect::new(move || {
        let look = answers.look.get();
        if let (Some((question, brief)), false) =
            (cosines.get_with_question(), cosines.is_pending())
        {
            let tile: Arc<Tile> = Arc::new(brief.tile.clone());
            let range = Heatmap::matrix(tile, look.0, look.1).range();
            run.update(|run| run.keep_range(look, RunPicture::Cosines, question.of, range));
        }
    });
    let table = client.ask(move || {
        let (model, look) = (model.get()?, answers.look.get());
        let of = model.version;
        let lacks = run.with(|run| {
            run.range(look, RunPicture::Cosines, of).is_some()
                && run.range(look, RunPicture::Table, of).is_none()
        });
        (lacks && model.summary.kind == PositionKind::Table).then_some(TableTile {
            of,
            limit: TILE_LIMIT,
        })
    });
    Effect::new(move || {
        let look = answers.look.get();
        if let (Some((question, tile)), false) = (table.get_with_question(), table.is_pending()) {
            let range = Heatmap::table(tile, look.0, look.1).range();
            run.update(|run| run.keep_range(look, RunPicture::Table, question.of, range));
        }
    });
    scores
}
