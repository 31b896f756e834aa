//! The heads view: attention scores of all heads computed from the weights alone, with one head opened.

use super::{
    attention_sinks::{AttentionSinksFigure, with_sinks},
    block_value_range::CellsBehind,
    center_choice::{CenterText, provide_text_constants, score_origin},
    head_attention::{PositionDependenceFigure, PositionalAttention},
    head_grid::HeadGrid,
    layer_sections::LayerSectionsFold,
    matrix_controls::{LinkedSegmentedButtons, LinkedWindow, MatrixLook, ZoomControls, navigation},
    no_heads::NoHeads,
    position_budget::PositionBudgetFigure,
    profiles::{DEVIATIONS_AT_ONCE, GridProfileCard, grid_readings, offsets_under, profile},
    rotary::FREQUENCIES,
    score_terms::ScoreTermsFold,
    second_head::{HeadPairFigures, SecondHeadChoice},
    tiled_matrix::TiledMatrix,
};
use crate::{
    analysis::{HeadDeviations, HeadEntropies, HeadOverview, HeadTile, MatrixId},
    app::{
        figure::{
            card::FigureCard,
            matrix_source::{MatrixSource, ShownMatrix},
            readout::Readout,
            view::{picture, ready},
        },
        lazy::Lazy,
        query_client::{Query, QueryClient},
        state::{ModelList, OpenHead, PageState, UrlState},
    },
    figure::{
        Cursor, Heatmap, entropy_bars,
        heads::{headline, sections},
        patch_rotation_caption,
    },
    figure_spec::heads::{
        HEAD_ENTROPY, HEAD_GRID_PROFILE, HEAD_MATRIX, HEAD_PROFILE, HEAD_SECTIONS,
    },
    math::{AttentionMask, Window},
    model::PositionKind,
};
use leptos::prelude::*;
use std::sync::Arc;

/// Queries about the open head.
#[derive(Clone, Copy)]
struct HeadAnswers {
    overview: Query<HeadOverview>,
    matrix: TiledMatrix<HeadTile>,
    deviations: Query<HeadDeviations>,
}

impl HeadAnswers {
    fn ask(state: PageState) -> Self {
        let open_head = state.open_head;
        let client = QueryClient::from_context();
        let overview = client.ask(move || {
            Some(HeadOverview {
                of: open_head.get()?,
            })
        });
        let coarse =
            Memo::new(move |_| overview.with(|detail| Some(Arc::new(detail?.tile.clone()))));
        let is_of_whole = |tile: &HeadTile, n: usize| tile.window == Window::whole(n, n);
        let status = Signal::derive(move || overview.status());
        let matrix = TiledMatrix::ask(coarse, status, is_of_whole, move |window, limit| {
            let of = open_head.get()?;
            Some(HeadTile { of, window, limit })
        });
        Self {
            overview,
            matrix,
            deviations: client.ask(move || {
                Some(HeadDeviations {
                    of: open_head.get()?,
                })
            }),
        }
    }
}

/// The heads view.
#[component]
pub(in crate::app) fn HeadsView() -> impl IntoView {
    let models = ModelList::from_context();
    provide_text_constants();
    // Until the model's summary is known, assume that it has heads.
    let has_heads = Memo::new(move |_| models.summary().is_none_or(|summary| summary.layers > 0));
    let is_rotary = Memo::new(move |_| models.kind() == PositionKind::Rotary);
    view! {
        <Show when=move || has_heads.get() fallback=NoHeads>
            <HeadFigures/>
        </Show>
        // From stored weights, also where heads have no scores without a text.
        <Show when=move || is_rotary.get()>
            <div class="below-view">
                <Lazy part=FREQUENCIES inline=true/>
            </div>
        </Show>
    }
}

#[component]
fn HeadFigures() -> impl IntoView {
    let answers = HeadAnswers::ask(PageState::from_context());
    let overview = answers.overview;
    let n = Memo::new(move |_| overview.with(|detail| detail.map_or(0, |detail| detail.fit.f.n())));
    let positions: Signal<usize> = n.into();
    let read = move |cursor: Option<Cursor>| {
        let cell = cursor
            .and_then(Cursor::cell)
            .zip(answers.matrix.displayed_tile());
        let value = cell.and_then(|((i, j), tile)| tile.at(i, j).map(f64::from));
        let offset = cursor.and_then(Cursor::offset);
        let f = overview.with(|detail| detail?.fit.f.at(offset?));
        let grid = overview.with(|detail| Some(detail?.grid_fit.as_ref()?.grid));
        let mut readings = vec![("score", value), ("f(k)", f)];
        readings.extend(grid_readings(grid, cursor));
        readings
    };
    let models = ModelList::from_context();
    let is_added = Memo::new(move |_| models.kind() == PositionKind::Table);
    let by_grid = Signal::derive(move || overview.with(|detail| detail?.grid_fit.clone()));
    let grid_caption = Signal::derive(move || match models.kind() {
        PositionKind::Patches => by_grid.with(|fit| {
            fit.as_ref()
                .map_or_else(String::new, patch_rotation_caption)
        }),
        _ => HEAD_GRID_PROFILE.caption.to_owned(),
    });
    view! {
        <div class="view heads">
            <CenterText/>
            <HeadPairFigures/>
            <div class="column">
                <HeadGrid/>
                <HeadSections answers positions/>
                <PositionDependenceFigure positions/>
                <EntropyBars/>
                <RotaryBudget/>
                <AttentionSinksFigure/>
            </div>
            <div class="column">
                <HeadMatrix answers positions/>
                <PositionalAttention positions/>
                // For image models the two-dimensional profile comes first.
                <GridProfileCard spec=&HEAD_GRID_PROFILE positions fit=by_grid caption=grid_caption/>
                <HeadProfile answers positions/>
                <Readout read/>
            </div>
            <LayerSectionsFold/>
            <Show when=move || is_added.get()>
                <ScoreTermsFold/>
            </Show>
        </div>
    }
}

/// The budget of position and content, for rotary models.
#[component]
fn RotaryBudget() -> impl IntoView {
    let models = ModelList::from_context();
    let is_rotary = Memo::new(move |_| models.kind() == PositionKind::Rotary);
    view! {
        <Show when=move || is_rotary.get()>
            <PositionBudgetFigure/>
        </Show>
    }
}

#[component]
fn HeadMatrix(answers: HeadAnswers, positions: Signal<usize>) -> impl IntoView {
    let url = UrlState::from_context();
    let models = ModelList::from_context();
    let open_head = OpenHead::from_context();
    let caption = Signal::derive(move || {
        let cells = open_head.cells();
        let answer = answers.overview.get_with_question();
        let head_sentence = answer.map_or(String::new(), |(question, detail)| {
            let place = (question.of.layer, question.of.head);
            headline(place, &detail, cells) + " "
        });
        let from = score_origin(models, open_head);
        format!("{head_sentence}The score of each query and key, {from}.")
    });
    let matrix = MatrixSource::new(move || {
        let (head, cells, n) = (open_head.get()?, open_head.cells(), positions.get());
        Some(url.link.with(|link| ShownMatrix {
            of: MatrixId::Head(head, cells),
            size: (n, n),
            window: link.matrices.window.clone(),
        }))
    });
    let cells_behind = CellsBehind::ask(matrix.clone(), move || answers.matrix.displayed_tile());
    let look = url.select(|link| (link.matrices.map, link.matrices.clip));
    let figure = picture(move || {
        let (map, clip) = look.get();
        let tile = answers.matrix.displayed_tile()?;
        let tile = match open_head.cells() {
            AttentionMask::Whole => tile,
            AttentionMask::Causal => Arc::new(tile.as_ref().clone().causal()),
        };
        ready(Heatmap::matrix(tile, map, clip).with_cells(cells_behind.range()))
    });
    let status = Signal::derive(move || answers.matrix.status());
    let partial = Signal::derive(move || answers.matrix.is_partial());
    let (navigation, pull) = navigation(positions, LinkedWindow::OF_MATRICES);
    view! {
        <FigureCard
            spec=&HEAD_MATRIX
            figure
            caption
            positions
            matrix
            pull
            navigation
            resolution=answers.matrix.resolution
            partial
            query=status
        >
            <ZoomControls positions window=LinkedWindow::OF_MATRICES/>
            <MatrixLook/>
            <SecondHeadChoice/>
        </FigureCard>
    }
}

#[component]
fn HeadProfile(answers: HeadAnswers, positions: Signal<usize>) -> impl IntoView {
    let url = UrlState::from_context();
    let open_head = OpenHead::from_context();
    let window = url.select(|link| link.matrices.window.clone());
    let figure = picture(move || {
        let (window, cells) = (window.get(), open_head.cells());
        let detail = answers.overview.get()?;
        let f = &detail.fit.f;
        let deviations = answers.deviations.get();
        if deviations.is_none() && f.n() <= DEVIATIONS_AT_ONCE {
            return None;
        }
        let deviations = deviations.as_deref().filter(|d| d.n() == f.n());
        let range = offsets_under(window, f.n());
        ready(profile("mean score", f, deviations, range, cells))
    });
    let caption = Signal::derive(move || {
        let on_grid = answers
            .overview
            .with(|detail| detail.is_some_and(|detail| detail.grid_fit.is_some()));
        let raster = if on_grid {
            "Patches are read row by row. "
        } else {
            ""
        };
        format!("{raster}The mean of every diagonal, shaded by its standard deviation:")
    });
    view! {
        <FigureCard
            spec=&HEAD_PROFILE
            figure
            caption
            positions
            query=Signal::derive(move || {
                answers.overview.status().or_else(|| answers.deviations.status())
            })
        />
    }
}

#[component]
fn HeadSections(answers: HeadAnswers, positions: Signal<usize>) -> impl IntoView {
    let url = UrlState::from_context();
    let open_head = OpenHead::from_context();
    let window = url.select(|link| link.matrices.window.clone());
    let figure = picture(move || {
        let (window, cells) = (window.get(), open_head.cells());
        answers.overview.with(|detail| {
            let detail = detail?;
            let range = offsets_under(window, detail.fit.f.n());
            ready(sections(detail, cells, range))
        })
    });
    view! {
        <FigureCard
            spec=&HEAD_SECTIONS
            figure
            positions
            query=answers.overview
        />
    }
}

/// Figure: the entropy of the attention of the open layer's heads, or of all heads.
#[component]
fn EntropyBars() -> impl IntoView {
    let open_head = OpenHead::from_context();
    let all_layers = UrlState::from_context().select(|link| link.heads.all_entropies);
    let heads = QueryClient::from_context().ask(move || {
        let head = open_head.get()?;
        Some(HeadEntropies {
            of: head.model,
            input: head.input,
            cells: open_head.cells(),
            layer: (!all_layers.get()).then_some(head.layer),
        })
    });
    let figure = picture(move || {
        let open = open_head.get()?;
        heads.with(|heads| ready(entropy_bars(heads?, (open.layer, open.head))?))
    });
    let partial = Signal::derive(move || heads.is_pending() || heads.failure().is_some());
    let caption = with_sinks(|| HEAD_ENTROPY.caption.to_owned());
    view! {
        <FigureCard spec=&HEAD_ENTROPY figure caption partial query=heads>
            <LinkedSegmentedButtons
                label="Layers"
                choices=[(false, "open layer"), (true, "all layers")]
                get=|link| link.heads.all_entropies
                set=|link, all| link.heads.all_entropies = all
            />
        </FigureCard>
    }
}
