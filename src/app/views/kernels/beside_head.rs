//! The open head, the sliders' kernels, and both added (TISA paper, eq. 4a without content): the scores of each on one
//! scale, the attention of each, and where each looks.

use super::{
    Setting,
    alone::{KernelAttention, KernelMatrix, attention_map, score_map},
    looks::WhereItLooks,
    one_range::OneRange,
};
use crate::{
    analysis::{
        AddedAttention, HeadAttention, HeadId, HeadOverview, HeadTile, HeadToMix,
        KERNEL_TILE_LIMIT, KernelPicture, MatrixId,
    },
    app::{
        engine::{Answered, Engine, Waiting},
        figure_card::FigureCard,
        figure_view::AnyFigure,
        formulas::{self, Formula},
        hand::Hand,
        matrix_source::{MatrixSource, ShownMatrix},
        state::State,
        views::{
            cell_range::CellsBehind,
            matrix_controls::{LinkedWindow, navigation},
        },
    },
    encoding::Kernels,
    figure::Heatmap,
    math::{Cells, Tile},
};
use leptos::prelude::*;
use std::sync::Arc;

/// Heads up to this many positions are mixed with kernels on the page, within a frame.
const MOST_POSITIONS_HERE: usize = 512;

/// Pictures are not compared: another one is drawn.
fn tile(make: impl Fn() -> Option<Arc<Tile>> + Send + Sync + 'static) -> Memo<Option<Arc<Tile>>> {
    Memo::new_with_compare(move |_| make(), |_, _| true)
}

/// The open head's scores, as the model or the paper has them, and with the kernels added.
#[derive(Clone, Copy)]
struct ScoreTiles {
    asked: Answered<HeadTile>,
    head: Memo<Option<Arc<Tile>>>,
    sum: Memo<Option<Arc<Tile>>>,
}

impl ScoreTiles {
    fn ask(state: State, setting: Setting, computed: Memo<Arc<KernelPicture>>) -> Self {
        let window = LinkedWindow::OF_KERNELS.follow(state, move || setting.positions.get());
        let asked = Engine::from_context().ask(move || {
            Some(HeadTile {
                of: state.head_on_line()?,
                window: window.get(),
                limit: KERNEL_TILE_LIMIT,
            })
        });
        let head = tile(move || {
            let tile = asked.get()?;
            Some(match state.cells() {
                Cells::Whole => tile,
                Cells::Causal => Arc::new(tile.as_ref().clone().causal()),
            })
        });
        let sum = tile(move || {
            let kernels = computed.with(|computed| Arc::clone(&computed.scores));
            head.get()?.plus(&kernels).map(Arc::new)
        });
        Self { asked, head, sum }
    }
}

/// Where the open head looks, alone and with the kernels added.
#[derive(Clone, Copy)]
struct AttentionTiles {
    head: Answered<HeadAttention>,
    /// Computed here, where every cell of the head is at hand.
    sum_here: Memo<Option<Arc<Tile>>>,
    /// Computed by the worker.
    sum: Answered<AddedAttention>,
}

impl AttentionTiles {
    fn ask(state: State, setting: Setting, overview: Answered<HeadOverview>) -> Self {
        let engine = Engine::from_context();
        let kernels = state.part(|link| link.kernels.kernels.clone());
        let positions = setting.positions;
        let window = LinkedWindow::OF_KERNELS.follow(state, move || positions.get());
        let head = engine.ask(move || {
            Some(HeadAttention {
                of: state.head_on_line()?,
                n: positions.get(),
                cells: state.cells(),
                window: window.get(),
                by: state.computing(),
            })
        });
        // What a slider does not change is kept from frame to frame.
        let to_mix = Memo::new_with_compare(
            move |_| {
                let n = positions.get();
                if n > MOST_POSITIONS_HERE {
                    return None;
                }
                let made = |tile: &Tile| HeadToMix::new(tile, n, state.cells());
                overview.with(|detail| made(&detail?.tile)).map(Arc::new)
            },
            |_, _| true,
        );
        let sum_here = tile(move || {
            let head = to_mix.get()?;
            Some(Arc::new(
                kernels.with(|kernels| head.attention(kernels, window.get())),
            ))
        });
        let sum = engine.ask(move || {
            let (question, _) = overview.get_with_question()?;
            sum_here.with(Option::is_none).then(|| AddedAttention {
                of: question.of,
                kernels: kernels.get(),
                n: positions.get(),
                cells: state.cells(),
                window: window.get(),
                by: state.computing(),
            })
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

/// The figures.
#[component]
pub(super) fn BesideHead(
    /// The sliders' kernels.
    computed: Memo<Arc<KernelPicture>>,
    /// The open head.
    overview: Answered<HeadOverview>,
) -> impl IntoView {
    let state = State::from_context();
    let setting = Setting::from_context();
    let scores = ScoreTiles::ask(state, setting, computed);
    let attention = AttentionTiles::ask(state, setting, overview);

    let of_head = matrix_of_head(state, setting, MatrixId::Added, |_| Kernels::default());
    let of_sum = matrix_of_head(state, setting, MatrixId::Added, sliders);
    // Of a head and the sum as little is beyond the colours as in the view of heads.
    let score_of = move |tile: Option<Arc<Tile>>, cells: CellsBehind| {
        let (map, clip) = state
            .link
            .with(|link| (link.matrices.map, link.matrices.clip));
        Some(Heatmap::matrix(tile?, map, clip).with_cells(cells.range()))
    };
    let cells_of_head = CellsBehind::ask(of_head.clone(), move || scores.head.get());
    let head_scores = move || score_of(scores.head.get(), cells_of_head);
    // Every cell of the sum is formed for this, which nobody wants while a slider moves.
    let hand = Hand::from_context();
    let cells_of_sum = CellsBehind::ask(of_sum.clone(), move || {
        scores.sum.get().filter(|_| !hand.is_down())
    });
    let sum_scores = move || score_of(scores.sum.get(), cells_of_sum);
    let range_of_scores = OneRange::of(state, move || {
        let kernels = score_map(computed, state);
        let others = [head_scores(), sum_scores()].into_iter().flatten();
        others.chain([kernels]).collect()
    });

    let attention_of = move |tile: Option<Arc<Tile>>| {
        let map = state.link.with(|link| link.matrices.map);
        let n = setting.positions.get();
        Some(Heatmap::attention(tile?, map, n, state.cells()))
    };
    let head_attention = move || attention_of(attention.head.get());
    let sum_attention = move || attention_of(attention.sum());
    let range_of_attention = OneRange::of(state, move || {
        let kernels = attention_map(computed, state, setting);
        let others = [head_attention(), sum_attention()].into_iter().flatten();
        others.chain([kernels]).collect()
    });

    let attention_with: OfHead =
        |kernels, n, cells, head| MatrixId::Attention(kernels, n, cells, Some(head));
    let looks_alone = matrix_of_head(state, setting, attention_with, |_| Kernels::default());
    let looks_after = matrix_of_head(state, setting, attention_with, sliders);
    let sum_waiting = Signal::derive(move || match attention.sum.question() {
        Some(_) => attention.sum.waiting(),
        None => overview.waiting(),
    });
    view! {
        <div class="beside-head">
            <div class="trio">
                <HeadMap
                    id="head-scores"
                    figure=range_of_scores.draw(head_scores)
                    formula=formulas::HEAD_SCORES
                    matrix=of_head
                    waiting=Signal::derive(move || scores.asked.waiting())
                />
                <KernelMatrix computed range=range_of_scores/>
                <HeadMap
                    id="added-scores"
                    figure=range_of_scores.draw(sum_scores)
                    formula=formulas::ADDED
                    matrix=of_sum
                    waiting=Signal::derive(move || scores.asked.waiting())
                />
                <HeadMap
                    id="head-attention"
                    figure=range_of_attention.draw(head_attention)
                    formula=formulas::ATTENTION_OF_HEAD
                    matrix=looks_alone
                    waiting=Signal::derive(move || attention.head.waiting())
                />
                <KernelAttention computed range=range_of_attention/>
                <HeadMap
                    id="added-attention"
                    figure=range_of_attention.draw(sum_attention)
                    formula=formulas::ATTENTION_ADDED
                    matrix=looks_after
                    waiting=sum_waiting
                />
            </div>
        </div>
        <WhereItLooks/>
    }
}

/// The sliders' kernels.
fn sliders(state: State) -> Kernels {
    state.link.with(|link| link.kernels.kernels.clone())
}

/// A matrix of the leading positions of a head, with kernels added.
type OfHead = fn(Kernels, usize, Cells, HeadId) -> MatrixId;

fn matrix_of_head(
    state: State,
    setting: Setting,
    of: OfHead,
    kernels: fn(State) -> Kernels,
) -> MatrixSource {
    MatrixSource::new(move || {
        let n = setting.positions.get();
        Some(ShownMatrix {
            of: of(kernels(state), n, state.cells(), state.head_on_line()?),
            size: (n, n),
            window: LinkedWindow::OF_KERNELS.part_now(state, n),
        })
    })
}

/// A map that is made of the open head.
#[component]
fn HeadMap(
    id: &'static str,
    figure: Signal<Option<AnyFigure>>,
    formula: Formula,
    matrix: MatrixSource,
    waiting: Signal<Waiting>,
) -> impl IntoView {
    let positions: Signal<usize> = Setting::from_context().positions.into();
    let (navigation, pull) = navigation(positions, LinkedWindow::OF_KERNELS);
    view! { <FigureCard id figure formula positions matrix pull navigation waiting/> }
}
