//! Figures of the positions view that are loaded after the first paint: the table, its autocorrelation, the cone below
//! its cosines, and the two-dimensional profile of image patches.

use super::{
    figure_fold::FigureFold, matrix_controls::LinkedSegmentedButtons, profiles::GridProfileCard,
};
use crate::app::lazy::lazy_view;
use crate::{
    analysis::{
        MatrixId, ModelOverview, PositionKind, Similarity, TILE_LIMIT, TableContinuity, TablePair,
        TableTile,
    },
    app::{
        figure::{
            card::FigureCard,
            matrix_source::{MatrixSource, ShownMatrix},
            resolution::MatrixResolution,
            view::{picture, ready},
        },
        query_client::{QueryClient, QueryStatus},
        state::{ModelList, UrlState},
    },
    figure::{Heatmap, cone_words, lipschitz_cone, model_comparison, table_pair},
    figure_spec::positions::{
        AUTOCORRELATION, GRID_PROFILE, LIPSCHITZ_CONE, POSITION_TABLE, TABLE_PAIR,
    },
    math::{GridFit, Window},
    url_state::FigureGroup,
};
use leptos::prelude::*;

/// Context: the means by (Δy, Δx) of the open model, if its positions are image patches. Passed by the view to the lazy
/// part.
#[derive(Clone, Copy)]
pub(super) struct GridOfPositions(pub(super) Signal<Option<GridFit>>);

lazy_view! {
    /// The lazy part with the profile over the two offsets of an image's patches.
    pub(super) const GRID_PROFILE_SECTION = GridProfileSection in details;
}

/// Figure: the two-dimensional profile of image patches.
#[component]
fn GridProfileSection() -> impl IntoView {
    let GridOfPositions(fit) = expect_context();
    let positions = Signal::derive(move || {
        fit.with(|fit| {
            fit.as_ref()
                .map_or(0, |fit| fit.grid.width * fit.grid.height)
        })
    });
    view! { <GridProfileCard spec=&GRID_PROFILE positions fit/> }
}

lazy_view! {
    /// The lazy part with the position table and its autocorrelation.
    pub(super) const TABLE_FIGURES = TableFigures in details;
}

/// Figures: the position table and its autocorrelation, or a note if the model has no table.
#[component]
fn TableFigures() -> impl IntoView {
    let models = ModelList::from_context();
    let kind = Memo::new(move |_| models.kind());
    view! {
        <Show
            when=move || kind.get() == PositionKind::Table
            fallback=move || view! { <NoTable kind/> }
        >
            <PositionTableCard/>
            <FigureFold group=FigureGroup::TablePair summary="Beside a sinusoidal table">
                <TablePairCard/>
            </FigureFold>
            <AutocorrelationCard/>
            <FigureFold group=FigureGroup::Continuity summary="How continuous is the table?">
                <LipschitzConeCard/>
            </FigureFold>
        </Show>
    }
}

/// Note for a model without a position table.
#[component]
fn NoTable(kind: Memo<PositionKind>) -> impl IntoView {
    let note = move || match kind.get() {
        PositionKind::Table => "",
        PositionKind::Patches => {
            "This model stores nothing for its positions: it rotates queries and keys by angles that grow with the patch’s row and column. The matrix shows the similarity of two copies of one vector, each rotated for its patch."
        }
        PositionKind::Rotary => {
            "This model stores nothing for its positions: it rotates queries and keys by angles that grow with the position. The matrix shows the similarity of two copies of one vector, each rotated for its position."
        }
        _ => {
            "This model has no position table: before softmax, each head adds a score that depends on the offset from query to key. The matrix shows these scores, averaged over the heads of the first layer."
        }
    };
    view! { <p class="caption">{note}</p> }
}

/// Figure: mean autocorrelation of the table's columns by lag.
#[component]
fn AutocorrelationCard() -> impl IntoView {
    let models = ModelList::from_context();
    let brief = QueryClient::from_context().ask(move || {
        Some(ModelOverview {
            of: models.open.get()?,
            similarity: Similarity::InnerProduct,
        })
    });
    let positions =
        Signal::derive(move || brief.with(|brief| brief.map_or(0, |brief| brief.fit.f.n())));
    let all_lags = UrlState::from_context().select(|link| link.positions.all_lags);
    // Peaks of a table of patches lie at multiples of the width of the image.
    let on_grid = Memo::new(move |_| {
        models
            .summary()
            .is_some_and(|summary| summary.grid.is_some())
    });
    let line = move || {
        let all_lags = all_lags.get() || on_grid.get();
        let brief = brief.get()?;
        Some(model_comparison::autocorrelation(&brief, all_lags))
    };
    let figure = picture(move || ready(line()?.ok()?));
    let status = Signal::derive(move || match line() {
        Some(Err(sentence)) => QueryStatus::Failed(sentence),
        _ => brief.status(),
    });
    view! {
        <FigureCard
            spec=&AUTOCORRELATION
            figure
            positions
            query=status
        >
            <Show when=move || !on_grid.get()>
                <LinkedSegmentedButtons
                    label="Lags"
                    choices=[(false, "up to lag 20"), (true, "all lags")]
                    get=|link| link.positions.all_lags
                    set=|link, all| link.positions.all_lags = all
                />
            </Show>
        </FigureCard>
    }
}

/// Figure: the lowest cosine by offset, and the cone below it.
#[component]
fn LipschitzConeCard() -> impl IntoView {
    let models = ModelList::from_context();
    let all = UrlState::from_context().select(|link| link.positions.all_offsets);
    let cones = QueryClient::from_context().ask(move || {
        Some(TableContinuity {
            of: models.open.get()?,
        })
    });
    let figure = picture(move || {
        let cones = cones.get()?;
        ready(lipschitz_cone((*cones).as_ref().ok()?, all.get()))
    });
    let positions = Signal::derive(move || models.summary().map_or(0, |summary| summary.rows));
    let caption = Signal::derive(move || {
        let cones = cones.get();
        let cones = cones.as_deref().and_then(|cones| cones.as_ref().ok());
        cones.map_or_else(String::new, cone_words)
    });
    let status = Signal::derive(move || {
        let sentence = cones.get().and_then(|cones| (*cones).clone().err());
        sentence.map_or_else(|| cones.status(), QueryStatus::Failed)
    });
    view! {
        <FigureCard spec=&LIPSCHITZ_CONE figure caption positions query=status>
            <LinkedSegmentedButtons
                label="Offsets"
                choices=[(false, "near zero"), (true, "all offsets")]
                get=|link| link.positions.all_offsets
                set=|link, all| link.positions.all_offsets = all
            />
        </FigureCard>
    }
}

/// Figure: the position table, row by row.
#[component]
fn PositionTableCard() -> impl IntoView {
    let url = UrlState::from_context();
    let models = ModelList::from_context();
    let resolution = MatrixResolution::new();
    let tile = QueryClient::from_context().ask(move || {
        let summary = models.summary()?;
        let table = Window::whole(summary.rows, summary.width);
        Some(TableTile {
            of: models.open.get()?,
            limit: resolution.blocks(&table, TILE_LIMIT),
        })
    });
    let look = url.select(|link| (link.matrices.map, link.matrices.clip));
    let figure = picture(move || {
        let (map, clip) = look.get();
        let table = Heatmap::table(tile.get()?, map, clip);
        ready(table.with_row_marks(models.row_marks()))
    });
    let matrix = MatrixSource::new(move || {
        let summary = models.summary()?;
        Some(ShownMatrix {
            of: MatrixId::Table(models.open.get()?),
            size: (summary.rows, summary.width),
            window: None,
        })
    });
    let caption = Signal::derive(move || {
        let unit = models.summary().map(|summary| summary.scale_words());
        let unit = unit.unwrap_or_default();
        format!("{unit}Rows are positions, columns are embedding dimensions:")
    });
    view! {
        <FigureCard
            spec=&POSITION_TABLE
            figure
            caption
            matrix
            resolution
            query=tile
        />
    }
}

/// Figure: the position table beside the sinusoidal table of its shape.
#[component]
fn TablePairCard() -> impl IntoView {
    let url = UrlState::from_context();
    let models = ModelList::from_context();
    let tables = QueryClient::from_context().ask(move || {
        Some(TablePair {
            of: models.open.get()?,
            limit: TILE_LIMIT,
        })
    });
    let look = url.select(|link| (link.matrices.map, link.matrices.clip));
    let figure = picture(move || {
        let (map, clip) = look.get();
        ready(table_pair(&*tables.get()?, map, clip))
    });
    view! { <FigureCard spec=&TABLE_PAIR figure query=tables/> }
}
