//! Grid of all heads. The grid is one canvas; buttons over it make each head reachable by keyboard and screen reader.

use super::{
    center_choice::CenterChoice,
    grid_buttons::{GridButtons, HeadPlace},
    matrix_controls::{CellsControl, LinkedSegmentedButtons},
};
use crate::{
    analysis::{HeadAttentionR2, HeadList, HeadR2, HeadSummary, ScoreInput, ScoreMode},
    app::{
        figure::{
            card::FigureCard,
            view::{picture, ready},
        },
        query_client::{Query, QueryClient},
        state::PageState,
    },
    figure::{
        ColorMap, Figure, Thumbnails,
        heads::{HeadLabel, HeadPictures, button_label, grid_caption},
    },
    figure_spec::{formulas, heads::HEAD_GRID},
    math::AttentionMask,
    model::PositionKind,
    url_state::{RankingR2, Sort, heads_in_order},
};
use leptos::prelude::*;
use std::collections::HashMap;

/// Origin of the scores of rotary heads.
const ROTARY_SCORES: &str = "The scores come from the offset, for the mean query and the mean key of all tokens; what tokens add to them is left out.";
/// Origin of the scores of rotary heads over a text.
const TEXT_SCORES: &str = "The scores come from the offset, for the mean query and the mean key of a text; what its tokens add to them is left out.";
/// Origin of the scores of heads that rotate patches.
const PATCH_SCORES: &str = "The scores come from the offset in rows and columns, for the part of queries and keys that all patches share; what the image adds to them is left out.";

/// The inputs of the thumbnails. While they stay the same, new heads are added to the existing pictures.
type DrawnFrom = Option<(HeadList, AttentionMask, ColorMap)>;

/// Figure: the grid of heads.
#[component]
pub(super) fn HeadGrid() -> impl IntoView {
    let state = PageState::from_context();
    let PageState {
        url,
        models,
        open_head,
        ..
    } = state;
    let heads = QueryClient::from_context().ask(move || {
        let head = open_head.get()?;
        Some(HeadList {
            of: head.model,
            input: head.input,
        })
    });
    let (measure, weighted) = measure(state);
    let grid = thumbnails(state, heads, measure);
    let figure = picture(move || {
        let mut grid = grid.get()?;
        grid.open = open_head.get().map(|head| (head.layer, head.head));
        ready(grid)
    });
    let sort = url.select(|link| link.heads.sort);
    let ranking = url.select(|link| link.heads.r2);
    let relative = Memo::new(move |_| models.kind().has_heads_by_offset());
    let all = Memo::new(move |_| {
        let (layers, heads) = open_head.size()?;
        Some(layers * heads)
    });
    // The displayed heads may still be those of the previous mode.
    let mode = move || {
        let question = heads.get_with_question().map(|(question, _)| question);
        let mode = question.and_then(|question| question.input.mode());
        mode.unwrap_or_else(|| url.link.with(|link| link.heads.mode))
    };
    let is_of_text = Memo::new(move |_| {
        let head = open_head.get();
        head.is_some_and(|head| matches!(head.input, ScoreInput::Text(_)))
    });
    let caption = Signal::derive(move || {
        let head_count = heads.with(|heads| heads.map_or(0, Vec::len));
        let sort = sort.get();
        let all = all.get().unwrap_or(0);
        let caption = grid_caption(head_count, all, sort == Sort::Layer, label(sort));
        let from = match mode() {
            _ if is_of_text.get() => TEXT_SCORES.to_owned(),
            _ if models.kind() == PositionKind::Rotary => ROTARY_SCORES.to_owned(),
            _ if models.kind() == PositionKind::Patches => PATCH_SCORES.to_owned(),
            _ if relative.get() => "The scores come from the offset alone.".to_owned(),
            ScoreMode::Paper => "The scores come from positions alone:".to_owned(),
            ScoreMode::AsComputed => {
                let entering = models.summary().map_or(String::new(), |summary| {
                    format!(" {}.", summary.content_input)
                });
                format!("The scores come from positions alone.{entering} The scores A:")
            }
        };
        let caption = format!("{caption}{} {from}", sentence(ranking.get()));
        // Before any head has arrived, the figure's placeholder shows the failure.
        match heads.failure().filter(|_| head_count > 0) {
            Some(failure) => format!("{} {caption}", failure.sentence),
            None => caption,
        }
    });
    let formula = Signal::derive(move || {
        if relative.get() {
            return formulas::NONE;
        }
        match mode() {
            ScoreMode::Paper => formulas::HEAD_PAPER,
            ScoreMode::AsComputed if models.summary().is_some_and(|summary| !summary.is_scaled) => {
                formulas::HEAD_COMPUTED_UNSCALED
            }
            ScoreMode::AsComputed => formulas::HEAD_COMPUTED,
        }
    });
    let partial = Signal::derive(move || {
        heads.is_pending() || heads.failure().is_some() || weighted.is_pending()
    });
    let labels = Memo::new(move |_| {
        let (cells, measure) = (open_head.cells(), measure.get());
        heads.with(|heads| {
            let heads = heads.into_iter().flatten();
            let label = |head: &HeadSummary| {
                let place = (head.layer, head.head);
                (place, button_label(place, measure.of_head(head, cells)))
            };
            heads.map(label).collect()
        })
    });
    let buttons = view! { <HeadButtons grid labels/> };
    view! {
        <FigureCard spec=&HEAD_GRID figure caption formula partial query=heads above=buttons.into_any()>
            <Show when=move || !relative.get()>
                <LinkedSegmentedButtons
                    label="Scores"
                    choices=[
                        (ScoreMode::Paper, "weights only"),
                        (ScoreMode::AsComputed, "with LayerNorm and biases"),
                    ]
                    get=|link| link.heads.mode
                    set=|link, mode| link.heads.mode = mode
                />
                <LinkedSegmentedButtons
                    label="R²"
                    choices=[
                        (RankingR2::Scores, "R² of scores"),
                        (RankingR2::WithoutRowMeans, "without row means"),
                        (RankingR2::Attention, "weighted by attention"),
                    ]
                    get=|link| link.heads.r2
                    set=|link, r2| link.heads.r2 = r2
                />
            </Show>
            <CenterChoice/>
            <CellsControl/>
            <LinkedSegmentedButtons
                label="Order"
                choices=[
                    (Sort::Layer, "by layer"),
                    (Sort::R2, "by R²"),
                    (Sort::Peak, "by peak offset"),
                ]
                get=|link| link.heads.sort
                set=|link, sort| link.heads.sort = sort
            />
        </FigureCard>
    }
}

/// Returns the R² that the link chooses for the heads, and the query for it if it is weighted by attention.
fn measure(state: PageState) -> (Memo<HeadR2>, Query<HeadAttentionR2>) {
    let PageState { url, open_head, .. } = state;
    let ranking = url.select(|link| link.heads.r2);
    let weighted = QueryClient::from_context().ask(move || {
        let head = open_head.get()?;
        (ranking.get() == RankingR2::Attention).then(|| HeadAttentionR2 {
            of: head.model,
            input: head.input,
            cells: open_head.cells(),
        })
    });
    let measure = Memo::new(move |_| match ranking.get() {
        RankingR2::Scores => HeadR2::Scores,
        RankingR2::WithoutRowMeans => HeadR2::WithoutRowMeans,
        RankingR2::Attention => {
            weighted.with(|heads| HeadR2::from_weighted(heads.map_or(&[], Vec::as_slice)))
        }
    });
    (measure, weighted)
}

/// Returns the sentence on an R² other than that of the scores.
fn sentence(ranking: RankingR2) -> &'static str {
    match ranking {
        RankingR2::Scores => "",
        RankingR2::WithoutRowMeans => {
            " R² is that of the scores without row means, which softmax ignores."
        }
        RankingR2::Attention => {
            " R² is weighted by attention: cells that softmax makes small hardly count, and row constants do not count."
        }
    }
}

/// Returns the label under each head for a sort order.
fn label(sort: Sort) -> HeadLabel {
    match sort {
        Sort::Peak => HeadLabel::PeakOffset,
        Sort::Layer | Sort::R2 => HeadLabel::R2,
    }
}

/// Returns the arrived heads in order, with none marked as open, so that opening a head redraws no thumbnail.
fn thumbnails(
    state: PageState,
    heads: Query<HeadList>,
    measure: Memo<HeadR2>,
) -> Memo<Option<Thumbnails>> {
    let PageState { url, open_head, .. } = state;
    let sort = url.select(|link| link.heads.sort);
    let map = url.select(|link| link.matrices.map);
    let per_row = Memo::new(move |_| Some(state.models.summary()?.heads?.0 as usize));
    let pictures = Memo::new_owning(move |before: Option<(DrawnFrom, HeadPictures)>| {
        let answer = heads.get_with_question();
        let (cells, map) = (open_head.cells(), map.get());
        let from = answer.as_ref().map(|(of, _)| (of.clone(), cells, map));
        let (_, mut pictures) = before
            .filter(|(before, _)| *before == from)
            .unwrap_or_default();
        if let Some((_, heads)) = answer {
            pictures.add(&heads, cells, map);
        }
        ((from, pictures), true)
    });
    let in_order = move || {
        let (sort, cells) = (sort.get(), open_head.cells());
        let heads = heads.get()?;
        let per_row = per_row.get().filter(|_| sort == Sort::Layer);
        pictures.with(|(_, pictures)| {
            measure.with(|measure| {
                let heads = heads_in_order(&heads, sort, cells, measure);
                pictures.grid(&heads, cells, (label(sort), measure), per_row)
            })
        })
    };
    // Not compared: each recomputation counts as a change.
    Memo::new_with_compare(move |_| in_order(), |_, _| true)
}

/// Buttons over thumbnails.
#[component]
pub(super) fn HeadButtons(
    /// The thumbnails.
    grid: Memo<Option<Thumbnails>>,
    /// Accessible name of each head.
    labels: Memo<HashMap<HeadPlace, String>>,
) -> impl IntoView {
    let heads = Memo::new(move |_| -> Vec<HeadPlace> {
        grid.with(|grid| {
            let cells = grid.iter().flat_map(|grid| &grid.cells);
            cells.map(|cell| cell.head).collect()
        })
    });
    let places = move |width| {
        grid.with(|grid| {
            let grid = grid.as_ref();
            grid.map_or_else(Vec::new, |grid| grid.places(width))
        })
    };
    view! { <GridButtons heads places labels below=LABEL/> }
}

/// Height of the clickable caption below a thumbnail, in CSS pixels.
const LABEL: f64 = 14.0;
