//! Curves of a run, and pictures of the current snapshot.

use super::timeline::Timeline;
use crate::{
    analysis::{
        MatrixId, MatrixPart, ModelOverview, PositionKind, Similarity, Snapshot, TILE_LIMIT,
        TableTile, TrainingRun,
    },
    app::{
        figure::{
            card::FigureCard,
            matrix_source::{MatrixSource, ShownMatrix},
            view::{AnyFigure, picture, ready},
        },
        query_client::{Query, QueryClient, QueryStatus, queries_by_model::QueriesByModel},
        state::PageState,
        state::comparison::ListedModel,
        views::matrix_controls::MatrixLook,
    },
    figure::{
        Heatmap, ValueRange, number,
        training_timeline::{self, RunLook, RunPicture, RunPoint},
    },
    figure_spec::training::{TRAINING_CURVES, TRAINING_MATRIX, TRAINING_TABLE},
};
use leptos::prelude::*;
use std::sync::Arc;

/// Queries about a run: the overview of each snapshot, and the pictures of the current snapshot and of the next one,
/// which is prefetched.
#[derive(Clone, Copy)]
pub(super) struct RunAnswers {
    /// Colour map and clipping of the pictures.
    pub(super) look: Memo<RunLook>,
    /// The overviews queried by the snapshots' rows.
    pub(super) overviews: QueriesByModel<ModelOverview>,
    cosines: Query<ModelOverview>,
    table: Query<TableTile>,
    next_cosines: Query<ModelOverview>,
    next_table: Query<TableTile>,
}

impl RunAnswers {
    pub(super) fn ask(state: PageState, timeline: Timeline) -> Self {
        let (now, next) = (timeline.ahead(0), timeline.ahead(1));
        Self {
            look: state
                .url
                .select(|link| (link.matrices.map, link.matrices.clip)),
            overviews: QueriesByModel::new(),
            cosines: ask_cosines(now),
            table: ask_table(now),
            next_cosines: ask_cosines(next),
            next_table: ask_table(next),
        }
    }

    /// Whether the next snapshot's pictures are still pending.
    pub(super) fn next_is_pending(self) -> bool {
        untrack(|| self.next_cosines.is_pending() || self.next_table.is_pending())
    }
}

fn ask_cosines(snapshot: Memo<Option<Snapshot<ListedModel>>>) -> Query<ModelOverview> {
    QueryClient::from_context().ask(move || {
        Some(ModelOverview {
            of: snapshot.get()?.model.version,
            similarity: Similarity::Cosine,
        })
    })
}

fn ask_table(snapshot: Memo<Option<Snapshot<ListedModel>>>) -> Query<TableTile> {
    QueryClient::from_context().ask(move || {
        let model = snapshot.get()?.model;
        (model.summary.kind == PositionKind::Table).then_some(TableTile {
            of: model.version,
            limit: TILE_LIMIT,
        })
    })
}

/// Figure: R² and smoothness over the training steps.
#[component]
pub(super) fn TrainingCurves(timeline: Timeline, answers: RunAnswers) -> impl IntoView {
    let looked_at = timeline.ahead(0);
    let points = Memo::new(move |_| {
        let scores = timeline.comparison.run;
        timeline.snapshots.with(|snapshots| {
            scores.with(|scores| {
                let point = |snapshot: &Snapshot<ListedModel>| {
                    Some(RunPoint {
                        step: snapshot.step,
                        name: snapshot.model.name.clone(),
                        scores: scores.scores(snapshot.model.version)?,
                    })
                };
                snapshots.iter().filter_map(point).collect::<Vec<_>>()
            })
        })
    });
    let figure = picture(move || {
        let step = looked_at.with(|snapshot| snapshot.as_ref().map(|s| s.step));
        points.with(|points| ready(training_timeline::training(points, step)?))
    });
    let partial = Signal::derive(move || {
        let is_there = points.with(Vec::len);
        let there_are = timeline.snapshots.with(TrainingRun::len);
        is_there < there_are && answers.overviews.status() == QueryStatus::Computing
    });
    view! {
        <FigureCard
            spec=&TRAINING_CURVES
            figure
            partial
            query=answers.overviews
        />
    }
}

/// Returns the figure of the current snapshot's picture, in the colour range shared by the whole run.
fn in_shared_colors(
    timeline: Timeline,
    answers: RunAnswers,
    which: RunPicture,
    alone: impl Fn(RunLook) -> Option<Heatmap> + Send + Sync + 'static,
) -> Signal<Option<AnyFigure>> {
    let shared = Memo::new(move |_| {
        let look = answers.look.get();
        timeline.snapshots.with(|snapshots| {
            let open = snapshots.iter().map(|snapshot| snapshot.model.version);
            let run = timeline.comparison.run;
            run.with(|run| run.shared_range(look, which, open))
        })
    });
    picture(move || {
        let heatmap = alone(answers.look.get())?;
        let range = ValueRange::union(shared.get().into_iter().chain([heatmap.range()]))?;
        ready(heatmap.with_range(range.ends))
    })
}

/// Figure: cosine matrix of the current snapshot's positions.
#[component]
pub(super) fn TrainingMatrix(timeline: Timeline, answers: RunAnswers) -> impl IntoView {
    let looked_at = timeline.ahead(0);
    let cosines = answers.cosines;
    let figure = in_shared_colors(
        timeline,
        answers,
        RunPicture::Cosines,
        move |(map, clip)| {
            let tile = cosines.with(|brief| brief.map(|brief| brief.tile.clone()))?;
            Some(Heatmap::matrix(Arc::new(tile), map, clip).of_positions())
        },
    );
    let n = Memo::new(move |_| cosines.with(|brief| brief.map_or(0, |brief| brief.fit.f.n())));
    let caption = Signal::derive(move || {
        let r2 = cosines.with(|brief| brief.map(|brief| brief.fit.r2));
        let r2 = r2.map_or_else(String::new, |r2| match r2.is_finite() {
            true => format!(", the cosines have an R² of {} with k = 0", number(r2)),
            false => ", the cosines have no R²".to_owned(),
        });
        looked_at.get().map_or_else(String::new, |snapshot| {
            format!(
                "At {}{r2}. Colours mean the same at every step:",
                timeline.snapshot_name(&snapshot)
            )
        })
    });
    let matrix = MatrixSource::new(move || {
        let (snapshot, n) = (looked_at.get()?, n.get());
        Some(ShownMatrix {
            of: MatrixId::Positions(
                snapshot.model.version,
                Similarity::Cosine,
                MatrixPart::Whole,
            ),
            size: (n, n),
            window: None,
        })
    });
    view! {
        <FigureCard
            spec=&TRAINING_MATRIX
            figure
            caption
            positions=n
            matrix
            query=cosines
        >
            <MatrixLook/>
        </FigureCard>
    }
}

/// Figure: position table of the current snapshot.
#[component]
pub(super) fn TrainingTable(timeline: Timeline, answers: RunAnswers) -> impl IntoView {
    let looked_at = timeline.ahead(0);
    let table = answers.table;
    let figure = in_shared_colors(timeline, answers, RunPicture::Table, move |(map, clip)| {
        Some(Heatmap::table(table.get()?, map, clip))
    });
    let caption = Signal::derive(move || {
        looked_at.get().map_or_else(String::new, |snapshot| {
            format!(
                "At {}: rows are positions, columns are embedding dimensions.",
                timeline.snapshot_name(&snapshot)
            )
        })
    });
    let matrix = MatrixSource::new(move || {
        let model = looked_at.get()?.model;
        Some(ShownMatrix {
            of: MatrixId::Table(model.version),
            size: (model.summary.rows, model.summary.width),
            window: None,
        })
    });
    view! {
        <FigureCard
            spec=&TRAINING_TABLE
            figure
            caption
            matrix
            query=table
        />
    }
}
