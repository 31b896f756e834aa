//! Attention of the fitted kernels beside that of the head they were fitted to, at any length.

use super::{
    KernelViewOptions,
    shared_color_range::{RangeOfMaps, SharedColorRange},
};
use crate::{
    analysis::{
        HeadAttention, HeadId, KERNEL_TILE_LIMIT, KernelFit, MatrixId, PositionKind, ScoreInput,
        ScoreMode, kernel_attention,
    },
    app::{
        figure::{
            card::FigureCard,
            matrix_source::{MatrixSource, ShownMatrix},
            resolution::MatrixResolution,
        },
        query_client::{QueryClient, QueryStatus},
        state::PageState,
        views::{attention_sinks::with_sinks, matrix_controls::LinkedWindow},
    },
    encoding::Kernels,
    figure::Heatmap,
    figure_spec::kernels::{FIT_ATTENTION, FIT_HEAD_ATTENTION},
    math::Tile,
};
use leptos::prelude::*;
use std::sync::Arc;

/// Figures: attention of the fitted kernels alone, and of the open head over as many positions.
#[component]
pub(super) fn FitBesideHead(
    /// The fit.
    #[prop(into)]
    fit: Signal<Option<KernelFit>>,
    /// Status while there is no fit.
    #[prop(into)]
    status: Signal<QueryStatus>,
) -> impl IntoView {
    let state = PageState::from_context();
    let PageState {
        url,
        models,
        open_head,
        ..
    } = state;
    let length = KernelViewOptions::from_context().length;
    let colors = url.select(|link| link.matrices.map);
    let window = LinkedWindow::OF_KERNELS.follow(state.url, move || length.get());
    let resolution = MatrixResolution::new();
    let blocks = Memo::new(move |_| resolution.blocks(&window.get(), KERNEL_TILE_LIMIT));
    let of_fit = Memo::new_with_compare(
        move |_| {
            let (n, cells) = (length.get(), open_head.cells());
            fit.with(|fit| {
                let kernels = &fit.as_ref()?.kernels;
                let tile = kernel_attention(kernels, n, cells, window.get(), blocks.get());
                Some(Arc::new(tile))
            })
        },
        |_, _| true,
    );
    let of_head = QueryClient::from_context().ask(move || {
        Some(HeadAttention {
            of: open_head.get()?,
            kernels: Kernels::default(),
            n: length.get(),
            cells: open_head.cells(),
            window: window.get(),
            limit: blocks.get(),
            by: url.backend(),
        })
    });
    let map_of = move |tile: Arc<Tile>| {
        Heatmap::attention(tile, colors.get(), length.get(), open_head.cells())
    };
    let maps = move || [of_fit.get(), of_head.get()].into_iter().flatten();
    let range = SharedColorRange::new(state, move || maps().map(map_of).collect());
    let fit_figure = range.draw(move || Some(map_of(of_fit.get()?)));
    let head_figure = range.draw(move || Some(map_of(of_head.get()?)));
    let caption = with_sinks(move || {
        // The map may answer the previous question.
        let of_picture = of_head.get_with_question().map(|(question, _)| question);
        let Some(question) = of_picture.or_else(|| of_head.question()) else {
            return String::new();
        };
        let rows = models.summary().map(|summary| summary.rows);
        head_caption(question.of, question.n, models.kind(), rows)
    });
    let shown = move |of: MatrixId, n: usize| ShownMatrix {
        of,
        size: (n, n),
        window: LinkedWindow::OF_KERNELS.part_now(state.url, n),
    };
    let matrix_of_fit = MatrixSource::new(move || {
        let (n, cells) = (length.get(), open_head.cells());
        let kernels = fit.with(|fit| fit.as_ref().map(|fit| fit.kernels.clone()))?;
        Some(shown(MatrixId::Attention(kernels, n, cells, None), n))
    });
    let matrix_of_head = MatrixSource::new(move || {
        let (n, cells) = (length.get(), open_head.cells());
        let of = MatrixId::Attention(Kernels::default(), n, cells, Some(open_head.get()?));
        Some(shown(of, n))
    });
    view! {
        <div class="controls"><RangeOfMaps/></div>
        <div class="pair">
            <FigureCard
                spec=&FIT_ATTENTION
                figure=fit_figure
                positions=length
                matrix=matrix_of_fit
                resolution
                query=status
            />
            <FigureCard
                spec=&FIT_HEAD_ATTENTION
                figure=head_figure
                caption
                positions=length
                matrix=matrix_of_head
                query=of_head
            />
        </div>
    }
}

/// Describes the displayed head, and says where the model's positions end if it has a maximum.
fn head_caption(of: HeadId, n: usize, kind: PositionKind, rows: Option<usize>) -> String {
    let mode = match of.input {
        _ if kind.has_heads_by_offset() => "scores by offset",
        ScoreInput::Positions(ScoreMode::Paper) => "weights only",
        ScoreInput::Positions(ScoreMode::AsComputed) => "with LayerNorm, biases and the mean word",
        ScoreInput::Text(_) => "over a text",
    };
    let head = format!("Layer {}, head {}, {mode}.", of.layer + 1, of.head + 1);
    match rows.filter(|_| !kind.has_any_length()) {
        Some(rows) if rows < n => format!(
            "{head} The model has {rows} positions and no scores for the {} after them.",
            n - rows
        ),
        _ => head,
    }
}
