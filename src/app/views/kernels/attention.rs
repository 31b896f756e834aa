//! Attention maps: of the sliders' kernels, of a fit, and of the open head at any length.

use crate::{
    analysis::{
        AddedAttention, HeadAttention, HeadId, HeadOverview, KernelFit, KernelPicture, MatrixId,
        ScoreMode, kernel_attention, mixed_attention,
    },
    app::{
        engine::{Answered, Engine, Waiting},
        figure_card::FigureCard,
        figure_view::{picture, ready},
        formulas,
        matrix_source::{MatrixSource, ShownMatrix},
        state::State,
    },
    figure::{ColorMap, Heatmap},
    math::Tile,
};
use leptos::prelude::*;
use std::sync::Arc;

/// Heads up to this many positions are mixed with kernels on the page, within a frame.
const MOST_POSITIONS_HERE: usize = 512;

/// The attention that the sliders' kernels make, alone or added to the open head (eq. 4a).
#[derive(Clone, Copy)]
pub(super) struct AttentionOfKernels {
    is_added: Memo<bool>,
    alone: Memo<Arc<KernelPicture>>,
    head: Answered<HeadOverview>,
    /// Computed here, where every cell of the head is at hand.
    here: Memo<Option<Arc<Tile>>>,
    /// Computed by the worker.
    asked: Answered<AddedAttention>,
}

impl AttentionOfKernels {
    pub(super) fn ask(
        state: State,
        alone: Memo<Arc<KernelPicture>>,
        head: Answered<HeadOverview>,
    ) -> Self {
        let added = state.part(|link| {
            let kernels = &link.kernels;
            kernels
                .added
                .then(|| (kernels.kernels.clone(), kernels.length))
        });
        let here = Memo::new_with_compare(
            move |_| {
                let ((kernels, length), cells) = (added.get()?, state.cells());
                head.with(|detail| {
                    let tile = &detail?.tile;
                    let n = length.min(tile.window.rows.len());
                    (n <= MOST_POSITIONS_HERE)
                        .then(|| mixed_attention(&kernels, n, cells, tile))
                        .flatten()
                        .map(Arc::new)
                })
            },
            |_, _| true,
        );
        let asked = Engine::from_context().ask(move || {
            let ((kernels, length), cells) = (added.get()?, state.cells());
            let (question, detail) = head.get_with_question()?;
            let of = question.of;
            here.with(Option::is_none).then(|| AddedAttention {
                of,
                kernels,
                n: length.min(detail.tile.window.rows.len()),
                cells,
            })
        });
        Self {
            is_added: Memo::new(move |_| added.with(Option::is_some)),
            alone,
            head,
            here,
            asked,
        }
    }

    /// The map.
    pub(super) fn tile(self) -> Option<Arc<Tile>> {
        if self.is_added.get() {
            self.here.get().or_else(|| self.asked.get())
        } else {
            Some(self.alone.with(|alone| Arc::clone(&alone.attention)))
        }
    }

    /// The head that the kernels are added to: the one of the answer, which the open one may already follow.
    fn head(self) -> Option<HeadId> {
        let (question, _) = self.head.get_with_question()?;
        self.is_added.get().then_some(question.of)
    }

    fn waiting(self) -> Waiting {
        match self.asked.question() {
            Some(_) => self.asked.waiting(),
            None => self.head.waiting(),
        }
    }
}

/// Attention is never negative: the lower half of a diverging map would be empty.
pub(super) fn of_attention(map: ColorMap) -> ColorMap {
    if map.is_diverging() {
        ColorMap::Viridis
    } else {
        map
    }
}

/// Where each query looks.
#[component]
pub(super) fn KernelAttention(
    attention: AttentionOfKernels,
    positions: Signal<usize>,
) -> impl IntoView {
    let state = State::from_context();
    let map = state.part(|link| link.matrices.kernel_map);
    let figure = picture(move || {
        ready(Heatmap::matrix(
            attention.tile()?,
            of_attention(map.get()),
            0.0,
        ))
    });
    let rows = move || attention.tile().map_or(0, |tile| tile.window.rows.end);
    let caption = Signal::derive(move || {
        if attention.is_added.get() {
            added_caption(attention.head(), rows(), positions.get())
        } else {
            "Where each query looks; every row sums to one:".to_owned()
        }
    });
    let formula = Signal::derive(move || {
        if attention.is_added.get() {
            formulas::ATTENTION_ADDED
        } else {
            formulas::ATTENTION
        }
    });
    let matrix = MatrixSource::new(move || {
        let (head, rows) = (attention.head(), rows());
        if attention.is_added.get() && head.is_none() {
            return None;
        }
        let cells = state.cells();
        state.link.with(|link| {
            let (kernels, n) = (link.kernels.kernels.clone(), link.kernels.length);
            Some(ShownMatrix {
                of: MatrixId::Attention(kernels, n, cells, head),
                size: (rows, rows),
                window: None,
            })
        })
    });
    view! {
        <FigureCard
            id="kernel-attention"
            figure
            caption
            formula
            positions
            matrix
            waiting=Signal::derive(move || attention.waiting())
            empty="Nothing to add the kernels to yet."
        />
    }
}

/// The map of kernels that are added to a head has `rows` of the positions that are asked for, and none while it
/// is still to come.
fn added_caption(head: Option<HeadId>, rows: usize, positions: usize) -> String {
    let head = head.map_or(String::new(), |id| {
        format!(" of layer {}, head {}", id.layer + 1, id.head + 1)
    });
    if (1..positions).contains(&rows) {
        format!(
            "The table ends after {rows} rows, and with it the scores{head}; the kernels alone go on:"
        )
    } else {
        format!("The kernels added to the scores{head}; every row sums to one:")
    }
}

/// The attention that fitted kernels make by themselves.
#[component]
pub(super) fn FitAttention(
    /// The fit.
    #[prop(into)]
    fit: Signal<Option<KernelFit>>,
    /// What is waited for while there is none.
    #[prop(into)]
    waiting: Signal<Waiting>,
) -> impl IntoView {
    let state = State::from_context();
    let length = state.part(|link| link.kernels.length);
    let map = state.part(|link| link.matrices.kernel_map);
    let tile = Memo::new_with_compare(
        move |_| {
            let (n, cells) = (length.get(), state.cells());
            fit.with(|fit| {
                let kernels = &fit.as_ref()?.kernels;
                Some(Arc::new(kernel_attention(kernels, n, cells)))
            })
        },
        |_, _| true,
    );
    let figure = picture(move || ready(Heatmap::matrix(tile.get()?, of_attention(map.get()), 0.0)));
    view! {
        <FigureCard
            id="fit-attention"
            figure
            caption="The fitted kernels alone:"
            formula=formulas::ATTENTION
            positions=state.part(|link| link.kernels.length)
            waiting
            empty="No fit is there yet."
        />
    }
}

/// The open head's own attention among the chosen number of positions, and nothing where its table ends.
#[component]
pub(super) fn HeadAttentionCard() -> impl IntoView {
    let state = State::from_context();
    let length = state.part(|link| link.kernels.length);
    let attention = Engine::from_context().ask(move || {
        Some(HeadAttention {
            of: state.head()?,
            n: length.get(),
            cells: state.cells(),
        })
    });
    let map = state.part(|link| link.matrices.kernel_map);
    let figure = picture(move || {
        ready(Heatmap::matrix(
            attention.get()?,
            of_attention(map.get()),
            0.0,
        ))
    });
    let caption = Signal::derive(move || {
        // The picture may be of the question before this one.
        let of_picture = attention.get_with_question().map(|(question, _)| question);
        let Some(question) = of_picture.or_else(|| attention.question()) else {
            return String::new();
        };
        let summary = state.summary();
        let rows = summary
            .filter(|summary| !summary.kind.has_any_length())
            .map(|summary| summary.rows);
        head_caption(question.of, question.n, rows)
    });
    view! {
        <FigureCard
            id="head-attention"
            figure
            caption
            positions=state.part(|link| link.kernels.length)
            waiting=Signal::derive(move || attention.waiting())
            empty="No head is open yet."
        />
    }
}

/// Which head is shown, and where its table ends; `rows` is nothing where positions go on for ever.
fn head_caption(of: HeadId, n: usize, rows: Option<usize>) -> String {
    let mode = match of.mode {
        ScoreMode::Paper => "positional scores alone",
        ScoreMode::AsComputed => "as computed with the mean word",
    };
    let head = format!("Layer {}, head {}, {mode}.", of.layer + 1, of.head + 1);
    match rows {
        Some(rows) if rows < n => format!(
            "{head} The table ends after {rows} rows: of the {} positions beyond it knows nothing.",
            n - rows
        ),
        _ => head,
    }
}
