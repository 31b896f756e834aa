//! Self-attention with TISA (eq. 4) in the model's own first layer, computed in four ways.

use super::{
    KernelViewOptions,
    shared_color_range::{RangeOfMaps, SharedColorRange},
};
use crate::{
    analysis::{
        FIRST_LAYER_POSITIONS, FIRST_LAYER_WAYS, FirstLayerAttention, FirstLayerWay, HeadId,
        MatrixId, PositionKind, ScoreInput, ScoreMode, first_layer_content, word_rows,
    },
    app::{
        controls::while_mounted::while_mounted,
        figure::{
            card::FigureCard,
            matrix_source::{MatrixSource, ShownMatrix},
            view::{picture, ready},
        },
        query_client::{Query, QueryClient},
        state::{ModelList, OpenHead, PageState, UrlState, text_runs::last_words},
        views::collapsible_section::CollapsibleSection,
    },
    figure::Heatmap,
    figure_spec::{
        FigureSpec,
        kernels::{
            FIRST_LAYER_ADDED, FIRST_LAYER_EMBEDDINGS, FIRST_LAYER_INSTEAD, FIRST_LAYER_NONE,
        },
    },
};
use leptos::prelude::*;
use std::sync::Arc;

/// Figures of [`FIRST_LAYER_WAYS`], in that order.
const FIGURES: [&FigureSpec; FIRST_LAYER_WAYS.len()] = [
    &FIRST_LAYER_EMBEDDINGS,
    &FIRST_LAYER_ADDED,
    &FIRST_LAYER_INSTEAD,
    &FIRST_LAYER_NONE,
];

/// The section. It queries nothing while it is folded.
#[component]
pub(super) fn FirstLayer() -> impl IntoView {
    let state = PageState::from_context();
    let PageState { url, open_head, .. } = state;
    let shown_head = Memo::new(move |_| first_layer_head(state.models, open_head));
    let there = Memo::new(move |_| shown_head.with(Option::is_some));
    let unfolded = url.select(|link| link.kernel_options.shows_first_layer());
    let words = Memo::new(move |_| url.link.with(|link| word_rows(&link.kernel_options.words)));
    let kernels = url.select(|link| link.kernels.kernels.clone());
    let length = KernelViewOptions::from_context().length;
    let maps = QueryClient::from_context().ask(move || {
        let of = unfolded.get().then(|| shown_head.get()).flatten()?;
        let words = words.get().ok()?;
        Some(FirstLayerAttention {
            of,
            kernels: kernels.get(),
            n: length.get(),
            cells: open_head.cells(),
            words,
        })
    });
    let colors = url.select(|link| link.matrices.map);
    let map = Callback::new(move |at: usize| {
        let tile = maps.with(|maps| Some(maps?.get(at)?.tile.clone()))?;
        let keys = tile.window.cols.end;
        Some(Heatmap::attention(
            Arc::new(tile),
            colors.get(),
            keys,
            open_head.cells(),
        ))
    });
    let range = SharedColorRange::new(state, move || {
        (0..FIGURES.len()).filter_map(|at| map.run(at)).collect()
    });
    let map = Callback::new(move |at| Some(range.apply(map.run(at)?)));
    let figures = move || {
        let ways = FIGURES.into_iter().enumerate();
        let ways = ways.map(|(at, spec)| view! { <WayChoice spec at maps map/> });
        ways.collect_view()
    };
    view! {
        <Show when=move || there.get()>
            <CollapsibleSection
                class="section"
                id="first-layer"
                summary="In the model’s own first layer, eq. 4"
                unfolded
                set=move |unfolded| {
                    url.link.update(|link| link.kernel_options.first_layer = Some(unfolded));
                }
            >
                <p class="caption">"One head of the first layer, with LayerNorm and biases, in four ways: with its position embeddings, with kernels added, with kernels instead, and with neither. Without embeddings, every position gets their mean. The formulas leave out LayerNorm and biases."</p>
                <FirstLayerContent words/>
                <div class="controls"><RangeOfMaps/></div>
                <div class="pair">{figures()}</div>
            </CollapsibleSection>
        </Show>
    }
}

/// Returns the displayed head of the first layer; `None` unless positions are embeddings.
fn first_layer_head(models: ModelList, open_head: OpenHead) -> Option<HeadId> {
    let is_table = models.summary()?.kind == PositionKind::Table;
    is_table.then_some(HeadId {
        layer: 0,
        input: ScoreInput::Positions(ScoreMode::AsComputed),
        ..open_head.get()?
    })
}

/// Field for the token ids at the positions.
#[component]
fn FirstLayerContent(words: Memo<Result<Vec<u32>, String>>) -> impl IntoView {
    let url = UrlState::from_context();
    let models = ModelList::from_context();
    let typed = url.select(|link| link.kernel_options.words.clone());
    let change =
        move |event: leptos::ev::Targeted<leptos::ev::Event, web_sys::HtmlInputElement>| {
            let typed = event.target().value().trim().to_owned();
            url.link.update(|link| link.kernel_options.words = typed);
        };
    let text_words = Memo::new(move |_| {
        let mut ids = last_words(models.open.get()?)?;
        ids.truncate(FIRST_LAYER_POSITIONS);
        let ids: Vec<String> = ids.iter().map(u32::to_string).collect();
        Some(ids.join(" "))
    });
    let take_text = move |_| {
        let words = text_words.get_untracked().unwrap_or_default();
        url.link.update(|link| link.kernel_options.words = words);
    };
    let length = KernelViewOptions::from_context().length;
    let message = move || match words.get() {
        Err(problem) => problem,
        Ok(words) => {
            let rows = models.summary().map_or(0, |summary| summary.rows);
            first_layer_content(words.len(), length.get(), rows)
        }
    };
    view! {
        <div class="controls">
            <label class="choice">
                <span>"Token ids"</span>
                <input
                    type="text"
                    placeholder="x̄; or ids such as 2023 2003 1037 or 1000-1031"
                    size="38"
                    aria-invalid=move || words.with(Result::is_err).then_some("true")
                    prop:value=typed
                    on:change:target=while_mounted(change)
                />
            </label>
            <Show when=move || text_words.with(Option::is_some)>
                <button
                    type="button"
                    title="The ids of its tokens become a part of the link."
                    on:click=while_mounted(take_text)
                >
                    "Words of the open text"
                </button>
            </Show>
            <span class="hint" role="status">{message}</span>
        </div>
    }
}

/// Figure: the head's attention in one of the ways.
#[component]
fn WayChoice(
    spec: &'static FigureSpec,
    /// Index among the ways.
    at: usize,
    maps: Query<FirstLayerAttention>,
    /// Returns the map of a way.
    map: Callback<usize, Option<Heatmap>>,
) -> impl IntoView {
    let figure = picture(move || ready(map.run(at)?));
    // Uses the question of the displayed map; text typed since is not displayed yet.
    let matrix = MatrixSource::new(move || {
        let (question, maps) = maps.get_with_question()?;
        let (rows, columns) = {
            let window = &maps.get(at)?.tile.window;
            (window.rows.end, window.cols.end)
        };
        Some(ShownMatrix {
            of: MatrixId::FirstLayer(Box::new(question), *FirstLayerWay::ALL.get(at)?),
            size: (rows, columns),
            window: None,
        })
    });
    let positions = Signal::derive(move || {
        let rows = |maps: Option<&Vec<crate::analysis::AttentionMap>>| {
            Some(maps?.get(at)?.tile.window.rows.len())
        };
        maps.with(rows).unwrap_or(0)
    });
    let caption = Signal::derive(move || {
        let answer = maps.get_with_question();
        let sentence = answer.and_then(|(question, maps)| {
            let head = question.of.head + 1;
            Some(match maps.get(at)?.r2 {
                Some(r2) => format!("Head {head}; R² of the map by offset: {r2:.3}."),
                None => format!("Head {head}; every query attends to all keys equally."),
            })
        });
        sentence.unwrap_or_default()
    });
    view! {
        <FigureCard
            spec
            figure
            caption
            positions
            matrix
            query=maps
        />
    }
}
