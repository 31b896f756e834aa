//! The open head, the sliders' kernels, and their sum (TISA paper, eq. 4a without content): their scores on one colour
//! scale, their attention, and attention statistics.

use super::{
    KernelViewOptions,
    attention_preview::{MOST_AT_ONCE, PreviewedAttention},
    attention_stats::AttentionStatsCard,
    kernel_maps::{KernelAttention, KernelMatrix, attention_map, score_map},
    shared_color_range::SharedColorRange,
};
use crate::{
    analysis::{
        HeadAttention, HeadId, HeadOverview, HeadTile, HeadToMix, KERNEL_TILE_LIMIT, KernelPicture,
        MatrixId, ScoreMode,
    },
    app::{
        controls::drag::DragState,
        figure::{
            card::FigureCard,
            matrix_source::{MatrixSource, ShownMatrix},
            view::AnyFigure,
        },
        query_client::{Query, QueryClient, QueryStatus},
        state::{PageState, UrlState},
        views::{
            block_value_range::CellsBehind,
            matrix_controls::{LinkedWindow, navigation},
        },
    },
    encoding::Kernels,
    figure::Heatmap,
    figure_spec::{
        FigureSpec,
        formulas::{self, Formula},
        kernels::{ADDED_ATTENTION, ADDED_SCORES, HEAD_ATTENTION, HEAD_SCORES},
    },
    math::{AttentionMask, Tile},
};
use leptos::prelude::*;
use std::sync::Arc;

/// Returns a memo of a tile. Tiles are not compared: each recomputation counts as a change.
fn tile(make: impl Fn() -> Option<Arc<Tile>> + Send + Sync + 'static) -> Memo<Option<Arc<Tile>>> {
    Memo::new_with_compare(move |_| make(), |_, _| true)
}

/// Score tiles of the open head, alone and with the kernels added.
#[derive(Clone, Copy)]
struct ScoreTiles {
    /// At the resolution of the kernels' maps during a drag.
    coarse: Query<HeadTile>,
    /// At the highest resolution that can be drawn.
    fine: Query<HeadTile>,
    head: Memo<Option<Arc<Tile>>>,
    sum: Memo<Option<Arc<Tile>>>,
}

impl ScoreTiles {
    fn ask(
        state: PageState,
        setting: KernelViewOptions,
        computed: Memo<Arc<KernelPicture>>,
    ) -> Self {
        let open_head = state.open_head;
        let window = LinkedWindow::OF_KERNELS.follow(state.url, move || setting.positions.get());
        let client = QueryClient::from_context();
        let in_blocks = move |limit: usize| {
            Some(HeadTile {
                of: open_head.on_line()?,
                window: window.get(),
                limit,
            })
        };
        let coarse = client.ask(move || in_blocks(window.get().blocks(KERNEL_TILE_LIMIT)));
        let fine = client.ask(move || in_blocks(setting.finest.get()));
        let counted = move |tile: Arc<Tile>| match open_head.cells() {
            AttentionMask::Whole => tile,
            AttentionMask::Causal => Arc::new(tile.as_ref().clone().causal()),
        };
        // Until both have arrived, either one is displayed.
        let head = tile(move || {
            let tile = if fine.is_pending() {
                coarse.get()
            } else {
                fine.get()
            };
            tile.or_else(|| fine.get()).map(counted)
        });
        let sum = tile(move || {
            let kernels = computed.with(|computed| Arc::clone(&computed.scores));
            let tiles = [head.get(), coarse.get().map(counted)];
            let mut sums = (tiles.iter().flatten()).filter_map(|tile| tile.plus(&kernels));
            sums.next().map(Arc::new)
        });
        Self {
            coarse,
            fine,
            head,
            sum,
        }
    }

    /// Returns the status of figures of the head alone.
    fn status(self) -> QueryStatus {
        self.coarse.status().or_else(|| self.fine.status())
    }
}

/// Attention maps of the open head, alone and with the kernels added.
#[derive(Clone, Copy)]
struct AttentionTiles {
    head: PreviewedAttention,
    /// Computed on the page, within a frame, if the overview holds every cell of the head.
    sum_here: Memo<Option<Arc<Tile>>>,
    /// Computed by the worker otherwise.
    sum: PreviewedAttention,
}

impl AttentionTiles {
    fn ask(state: PageState, setting: KernelViewOptions, overview: Query<HeadOverview>) -> Self {
        let kernels = state.url.select(|link| link.kernels.kernels.clone());
        let positions = setting.positions;
        let window = LinkedWindow::OF_KERNELS.follow(state.url, move || positions.get());
        let attention_with = move |of: HeadId, kernels: Kernels| HeadAttention {
            of,
            kernels,
            n: positions.get(),
            cells: state.open_head.cells(),
            window: window.get(),
            limit: setting.finest.get(),
            by: state.url.backend(),
        };
        let head = PreviewedAttention::ask(move || {
            Some(attention_with(
                state.open_head.on_line()?,
                Kernels::default(),
            ))
        });
        // The head's part, which no slider changes, is reused from frame to frame.
        let to_mix = Memo::new_with_compare(
            move |_| {
                let n = positions.get();
                if n > MOST_AT_ONCE {
                    return None;
                }
                let mix = |tile: &Tile| HeadToMix::new(tile, n, state.open_head.cells());
                overview.with(|detail| mix(&detail?.tile)).map(Arc::new)
            },
            |_, _| true,
        );
        let sum_here = tile(move || {
            let head = to_mix.get()?;
            Some(Arc::new(kernels.with(|kernels| {
                head.attention(kernels, window.get(), setting.blocks.get())
            })))
        });
        let sum = PreviewedAttention::ask(move || {
            let (question, _) = overview.get_with_question()?;
            let is_here = sum_here.with(Option::is_some);
            (!is_here).then(|| attention_with(question.of, kernels.get()))
        });
        Self {
            head,
            sum_here,
            sum,
        }
    }

    fn sum(self) -> Option<Arc<Tile>> {
        self.sum_here.get().or_else(|| self.sum.get())
    }
}

/// Figures: scores and attention of the head, the kernels and their sum, with the attention statistics.
#[component]
pub(super) fn HeadComparison(
    /// The kernels of the sliders, evaluated.
    computed: Memo<Arc<KernelPicture>>,
    /// The open head.
    overview: Query<HeadOverview>,
) -> impl IntoView {
    let state = PageState::from_context();
    let PageState { url, open_head, .. } = state;
    let setting = KernelViewOptions::from_context();
    let scores = ScoreTiles::ask(state, setting, computed);
    let attention = AttentionTiles::ask(state, setting, overview);

    let of_head = matrix_of_head(state, setting, MatrixId::Added, |_| Kernels::default());
    let of_sum = matrix_of_head(state, setting, MatrixId::Added, slider_kernels);
    // The head and the sum are clipped at the same percentiles as in the heads view.
    let score_of = move |tile: Option<Arc<Tile>>, cells: CellsBehind| {
        let (map, clip) = url
            .link
            .with(|link| (link.matrices.map, link.matrices.clip));
        let map = Heatmap::matrix(tile?, map, clip).with_cells(cells.range());
        Some(map.high_enough_for(KERNEL_TILE_LIMIT))
    };
    let cells_of_head = CellsBehind::ask(of_head.clone(), move || scores.head.get());
    let head_scores = move || score_of(scores.head.get(), cells_of_head);
    // Needs every cell of the sum, so it waits for the end of a drag.
    let drag = DragState::from_context();
    let cells_of_sum = CellsBehind::ask(of_sum.clone(), move || {
        scores.sum.get().filter(|_| !drag.is_down())
    });
    let sum_scores = move || score_of(scores.sum.get(), cells_of_sum);
    let range_of_scores = SharedColorRange::new(state, move || {
        let kernels = score_map(computed, url);
        let others = [head_scores(), sum_scores()].into_iter().flatten();
        others.chain([kernels]).collect()
    });

    let attention_of = move |tile: Option<Arc<Tile>>| {
        let map = url.link.with(|link| link.matrices.map);
        let n = setting.positions.get();
        let map = Heatmap::attention(tile?, map, n, open_head.cells());
        Some(map.high_enough_for(KERNEL_TILE_LIMIT))
    };
    let head_attention = move || attention_of(attention.head.get());
    let sum_attention = move || attention_of(attention.sum());
    let range_of_attention = SharedColorRange::new(state, move || {
        let kernels = attention_map(computed, state, setting);
        let others = [head_attention(), sum_attention()].into_iter().flatten();
        others.chain([kernels]).collect()
    });

    let attention_with: OfHead =
        |kernels, n, cells, head| MatrixId::Attention(kernels, n, cells, Some(head));
    let looks_alone = matrix_of_head(state, setting, attention_with, |_| Kernels::default());
    let looks_after = matrix_of_head(state, setting, attention_with, slider_kernels);
    let sum_waiting = Signal::derive(move || {
        if attention.sum.is_wanted() {
            attention.sum.status()
        } else {
            overview.status()
        }
    });
    // F̂_P is equation 12 only; other scores have a symbol of their own.
    let is_paper = Memo::new(move |_| {
        let mode = open_head.on_line().and_then(|head| head.input.mode());
        mode == Some(ScoreMode::Paper) && !state.models.kind().has_heads_by_offset()
    });
    let named = move |by_paper: Formula, otherwise: Formula| {
        Signal::derive(move || if is_paper.get() { by_paper } else { otherwise })
    };
    view! {
        <div class="beside-head">
            <div class="trio">
                <HeadMap
                    spec=&HEAD_SCORES
                    figure=range_of_scores.draw(head_scores)
                    formula=named(formulas::HEAD_SCORES, formulas::COMPUTED_SCORES)
                    matrix=of_head
                    query=Signal::derive(move || scores.status())
                />
                <KernelMatrix computed range=range_of_scores/>
                <HeadMap
                    spec=&ADDED_SCORES
                    figure=range_of_scores.draw(sum_scores)
                    formula=named(formulas::SCORE_WITH_KERNELS, formulas::ADDED_TO_COMPUTED)
                    matrix=of_sum
                    query=Signal::derive(move || scores.status())
                />
                <HeadMap
                    spec=&HEAD_ATTENTION
                    figure=range_of_attention.draw(head_attention)
                    formula=named(formulas::ATTENTION_OF_HEAD, formulas::ATTENTION_COMPUTED)
                    matrix=looks_alone
                    partial=Signal::derive(move || attention.head.is_partial())
                    query=Signal::derive(move || attention.head.status())
                />
                <KernelAttention computed range=range_of_attention/>
                <HeadMap
                    spec=&ADDED_ATTENTION
                    figure=range_of_attention.draw(sum_attention)
                    formula=named(formulas::ATTENTION_ADDED, formulas::ATTENTION_ADDED_TO_COMPUTED)
                    matrix=looks_after
                    partial=Signal::derive(move || attention.sum.is_partial())
                    query=sum_waiting
                />
            </div>
        </div>
        <AttentionStatsCard/>
    }
}

/// Returns the kernels of the sliders.
fn slider_kernels(url: UrlState) -> Kernels {
    url.link.with(|link| link.kernels.kernels.clone())
}

/// Forms the id of a matrix over the first n positions of a head, with kernels added.
type OfHead = fn(Kernels, usize, AttentionMask, HeadId) -> MatrixId;

fn matrix_of_head(
    state: PageState,
    setting: KernelViewOptions,
    of: OfHead,
    kernels: fn(UrlState) -> Kernels,
) -> MatrixSource {
    let open_head = state.open_head;
    MatrixSource::new(move || {
        let n = setting.positions.get();
        Some(ShownMatrix {
            of: of(
                kernels(state.url),
                n,
                open_head.cells(),
                open_head.on_line()?,
            ),
            size: (n, n),
            window: LinkedWindow::OF_KERNELS.part_now(state.url, n),
        })
    })
}

/// Figure: a map computed from the open head.
#[component]
fn HeadMap(
    spec: &'static FigureSpec,
    figure: Signal<Option<AnyFigure>>,
    formula: Signal<Formula>,
    matrix: MatrixSource,
    /// Whether it is a draft.
    #[prop(optional, into)]
    partial: Signal<bool>,
    #[prop(into)] query: Signal<QueryStatus>,
) -> impl IntoView {
    let positions: Signal<usize> = KernelViewOptions::from_context().positions.into();
    let (navigation, pull) = navigation(positions, LinkedWindow::OF_KERNELS);
    view! { <FigureCard spec figure formula positions matrix pull navigation partial query/> }
}
