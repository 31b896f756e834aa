//! Attention maps: of the sliders' kernels, of a fit, and of the open head at any length.

use super::held;
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
        hand::HeldScale,
        matrix_source::{MatrixSource, ShownMatrix},
        state::State,
        views::matrix_controls::{LinkedSegmented, LinkedWindow, ZoomControls, navigation},
    },
    figure::{Heatmap, ValueRange},
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
    /// How many positions of the head kernels are added to.
    mixed: Memo<usize>,
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
            kernels.added.then(|| kernels.kernels.clone())
        });
        let length = state.part(|link| link.kernels.length);
        let mixed = Memo::new(move |_| {
            let of_head = head.with(|detail| Some(detail?.tile.window.rows.len()));
            of_head.map_or(0, |rows| rows.min(length.get()))
        });
        let window = LinkedWindow::OF_KERNELS.follow(state, move || mixed.get());
        let here = Memo::new_with_compare(
            move |_| {
                let (kernels, cells, n) = (added.get()?, state.cells(), mixed.get());
                let is_short = (1..=MOST_POSITIONS_HERE).contains(&n);
                let here = is_short.then(|| {
                    let mix = |head: &Tile| mixed_attention(&kernels, n, cells, window.get(), head);
                    head.with(|detail| mix(&detail?.tile))
                });
                here.flatten().map(Arc::new)
            },
            |_, _| true,
        );
        let asked = Engine::from_context().ask(move || {
            let (kernels, cells) = (added.get()?, state.cells());
            let (question, _) = head.get_with_question()?;
            here.with(Option::is_none).then(|| AddedAttention {
                of: question.of,
                kernels,
                n: mixed.get(),
                cells,
                window: window.get(),
            })
        });
        Self {
            is_added: Memo::new(move |_| added.with(Option::is_some)),
            alone,
            head,
            mixed,
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

    /// How many positions the map has: those of the kernels, or as many of them as the head has.
    fn rows(self, positions: usize) -> usize {
        if self.is_added.get() {
            self.mixed.get()
        } else {
            positions
        }
    }

    fn waiting(self) -> Waiting {
        match self.asked.question() {
            Some(_) => self.asked.waiting(),
            None => self.head.waiting(),
        }
    }
}

/// Where each query looks.
#[component]
pub(super) fn KernelAttention(
    attention: AttentionOfKernels,
    positions: Signal<usize>,
) -> impl IntoView {
    let state = State::from_context();
    let map = state.part(|link| link.matrices.map);
    let scale = HeldScale::new();
    let figure = picture(move || {
        let tile = attention.tile()?;
        let keys = attention.rows(positions.get());
        let matrix = Heatmap::attention(tile, map.get(), keys, state.cells());
        ready(held(matrix, scale))
    });
    let rows = move || attention.rows(positions.get());
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
        let window = LinkedWindow::OF_KERNELS.part_now(state, rows);
        state.link.with(|link| {
            let (kernels, n) = (link.kernels.kernels.clone(), link.kernels.length);
            Some(ShownMatrix {
                of: MatrixId::Attention(kernels, n, cells, head),
                size: (rows, rows),
                window,
            })
        })
    });
    let (zoom, pull) = navigation(positions, LinkedWindow::OF_KERNELS);
    view! {
        <FigureCard
            id="kernel-attention"
            figure
            caption
            formula
            positions
            matrix
            pull
            zoom
            waiting=Signal::derive(move || attention.waiting())
            empty="Nothing to add the kernels to yet."
        >
            <ZoomControls positions window=LinkedWindow::OF_KERNELS/>
        </FigureCard>
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

/// Attention maps that stand side by side: one range of colours for all of them, so that the same colour is the same
/// attention, unless each is to have its own.
#[derive(Clone, Copy)]
pub(super) struct OneRange {
    own: Memo<bool>,
    shown: Memo<Option<(f64, f64)>>,
}

impl OneRange {
    /// Of all maps that are there.
    pub(super) fn of(
        state: State,
        maps: impl Fn() -> Vec<Heatmap> + Send + Sync + 'static,
    ) -> Self {
        let shown = move |_: Option<&Option<(f64, f64)>>| {
            let ranges = maps().into_iter().map(|map| map.range());
            ValueRange::of_all(ranges).map(|range| range.shown)
        };
        Self {
            own: state.part(|link| link.kernel_questions.get().own_colours),
            shown: Memo::new(shown),
        }
    }

    /// One of the maps as it is drawn.
    pub(super) fn apply(self, map: Heatmap) -> Heatmap {
        match self.shown.get().filter(|_| !self.own.get()) {
            Some(shown) => map.spanning(shown),
            None => map,
        }
    }
}

/// Whether maps that stand side by side share their range of colours.
#[component]
pub(super) fn RangeOfMaps() -> impl IntoView {
    view! {
        <LinkedSegmented
            label="Colours of attention"
            choices=[(false, "one range"), (true, "each its own")]
            get=|link| link.kernel_questions.get().own_colours
            set=|link, own| link.kernel_questions.change(|asked| asked.own_colours = own)
        />
    }
}

/// The attention that fitted kernels make by themselves, beside the open head's own among as many positions.
#[component]
pub(super) fn FitBesideHead(
    /// The fit.
    #[prop(into)]
    fit: Signal<Option<KernelFit>>,
    /// What is waited for while there is none.
    #[prop(into)]
    waiting: Signal<Waiting>,
) -> impl IntoView {
    let state = State::from_context();
    let length = state.part(|link| link.kernels.length);
    let colors = state.part(|link| link.matrices.map);
    let window = LinkedWindow::OF_KERNELS.follow(state, move || length.get());
    let of_fit = Memo::new_with_compare(
        move |_| {
            let (n, cells) = (length.get(), state.cells());
            fit.with(|fit| {
                let kernels = &fit.as_ref()?.kernels;
                Some(Arc::new(kernel_attention(kernels, n, cells, window.get())))
            })
        },
        |_, _| true,
    );
    let of_head = Engine::from_context().ask(move || {
        Some(HeadAttention {
            of: state.head()?,
            n: length.get(),
            cells: state.cells(),
            window: window.get(),
        })
    });
    let map_of =
        move |tile: Arc<Tile>| Heatmap::attention(tile, colors.get(), length.get(), state.cells());
    let maps = move || [of_fit.get(), of_head.get()].into_iter().flatten();
    let range = OneRange::of(state, move || maps().map(map_of).collect());
    let fit_figure = picture(move || ready(range.apply(map_of(of_fit.get()?))));
    let head_figure = picture(move || ready(range.apply(map_of(of_head.get()?))));
    let caption = Signal::derive(move || {
        // The picture may be of the question before this one.
        let of_picture = of_head.get_with_question().map(|(question, _)| question);
        let Some(question) = of_picture.or_else(|| of_head.question()) else {
            return String::new();
        };
        let summary = state.summary();
        let rows = summary
            .filter(|summary| !summary.kind.has_any_length())
            .map(|summary| summary.rows);
        head_caption(question.of, question.n, rows)
    });
    view! {
        <div class="controls"><RangeOfMaps/></div>
        <div class="pair">
            <FigureCard
                id="fit-attention"
                figure=fit_figure
                caption="The fitted kernels alone:"
                formula=formulas::ATTENTION
                positions=length
                waiting
                empty="No fit is there yet."
            />
            <FigureCard
                id="head-attention"
                figure=head_figure
                caption
                positions=length
                waiting=Signal::derive(move || of_head.waiting())
                empty="No head is open yet."
            />
        </div>
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
