//! Figures: the attention of the open head, and how much of it is position.

use super::attention_sinks::with_sinks;
use super::matrix_controls::{LinkedWindow, MatrixLook, navigation};
use crate::{
    analysis::{HeadAttention, MatrixId, PositionDependence, ScoreMode, TILE_LIMIT, WORD_DRAWS},
    app::{
        figure::{
            card::FigureCard,
            matrix_source::{MatrixSource, ShownMatrix},
            resolution::MatrixResolution,
            view::{picture, ready},
        },
        query_client::QueryClient,
        state::{PageState, text_runs::last_words},
    },
    encoding::Kernels,
    figure::{Heatmap, position_dependence},
    figure_spec::heads::{POSITION_DEPENDENCE, POSITIONAL_ATTENTION},
    model::PositionKind,
};
use leptos::prelude::*;

/// Figure: the attention map of the open head, in the window of its scores.
#[component]
pub(super) fn PositionalAttention(positions: Signal<usize>) -> impl IntoView {
    let PageState { url, open_head, .. } = PageState::from_context();
    let window = LinkedWindow::OF_MATRICES.follow(url, move || positions.get());
    let resolution = MatrixResolution::new();
    let attention = QueryClient::from_context().ask(move || {
        let n = positions.get();
        let of = open_head.get().filter(|_| n > 0)?;
        Some(HeadAttention {
            of,
            kernels: Kernels::default(),
            n,
            cells: open_head.cells(),
            window: window.get(),
            limit: resolution.blocks(&window.get(), TILE_LIMIT),
            by: url.backend(),
        })
    });
    let map = url.select(|link| link.matrices.map);
    let figure = picture(move || {
        let (question, tile) = attention.get_with_question()?;
        ready(Heatmap::attention(
            tile,
            map.get(),
            question.n,
            question.cells,
        ))
    });
    let matrix = MatrixSource::new(move || {
        let (head, cells, n) = (open_head.get()?, open_head.cells(), positions.get());
        Some(url.link.with(|link| ShownMatrix {
            of: MatrixId::Attention(Kernels::default(), n, cells, Some(head)),
            size: (n, n),
            window: link.matrices.window.clone(),
        }))
    });
    let (navigation, pull) = navigation(positions, LinkedWindow::OF_MATRICES);
    view! {
        <FigureCard
            spec=&POSITIONAL_ATTENTION
            figure
            caption=with_sinks(|| POSITIONAL_ATTENTION.caption.to_owned())
            positions
            matrix
            pull
            navigation
            resolution
            query=attention
        >
            <MatrixLook/>
        </FigureCard>
    }
}

/// Figure: attention by offset for several words.
#[component]
pub(super) fn PositionDependenceFigure(positions: Signal<usize>) -> impl IntoView {
    let PageState {
        models, open_head, ..
    } = PageState::from_context();
    let text = Memo::new(move |_| models.open.get().and_then(last_words).unwrap_or_default());
    let attention = QueryClient::from_context().ask(move || {
        Some(PositionDependence {
            of: open_head.get()?,
            text: text.get(),
            cells: open_head.cells(),
        })
    });
    let is_added = Memo::new(move |_| models.kind() == PositionKind::Table);
    let figure = picture(move || {
        let (question, lines) = attention.get_with_question()?;
        let name = match is_added.get() {
            true => "the mean word",
            false => "offsets alone",
        };
        ready(position_dependence(&lines, question.cells, name)?)
    });
    let caption = with_sinks(move || {
        if !is_added.get() {
            return "Share of attention by offset, from the scores by offset alone.".to_owned();
        }
        let question = attention.get_with_question().map(|(question, _)| question);
        let way = match question.and_then(|question| question.of.input.mode()) {
            Some(ScoreMode::AsComputed) => "with LayerNorm and biases",
            _ => "with weights only",
        };
        let lines = attention.with(|lines| lines.map_or(0, Vec::len));
        let words = match lines {
            1 if !attention.is_pending() => {
                " This file has no words besides their mean; a whole checkpoint adds random words."
                    .to_owned()
            }
            _ => format!(
                " Heavy: the median over {WORD_DRAWS} draws of random words, shaded from the lowest to the highest."
            ),
        };
        let text = match text.with(Vec::is_empty) {
            true => "",
            false => " Dashed: the words of the text that ran last.",
        };
        format!(
            "Share of attention by offset, {way}, and the mean word at every position.{words}{text}"
        )
    });
    let partial = Signal::derive(move || attention.is_pending() || attention.failure().is_some());
    view! {
        <FigureCard spec=&POSITION_DEPENDENCE figure caption positions partial query=attention/>
    }
}
