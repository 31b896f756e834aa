//! Every head from the weights alone; one of them opened.

use super::{CellsControl, ColorControls, ZoomControls, figure, navigation, offsets_under, profile};
use crate::{
    analysis::{Cells, HeadSummary, MatrixId, ScoreMode},
    app::{
        answers::Answers,
        controls::Segmented,
        figure_card::FigureCard,
        figure_view::AnyFigure,
        formulas,
        readout::Readout,
        state::State,
    },
    figure::{Column, Cursor, Figure, Grid, GridCell, Heatmap, Ink, Lines, Series, Table, number, signed},
    link::{ModelRef, Sort},
    math::Window,
};
use leptos::{html, prelude::*};
use leptos_use_element_size::use_element_size;
use std::sync::Arc;
use web_sys::KeyboardEvent;

#[component]
pub(in crate::app) fn Heads() -> impl IntoView {
    let state = expect_context::<State>();
    let has_heads = Memo::new(move |_| state.summary().is_none_or(|summary| summary.layers > 0));
    move || {
        if has_heads.get() {
            view! { <HeadFigures/> }.into_any()
        } else {
            view! { <NoHeads/> }.into_any()
        }
    }
}

/// A table without queries and keys.
#[component]
pub(super) fn NoHeads() -> impl IntoView {
    let state = expect_context::<State>();
    let preset = move |_| {
        state.link.update(|link| {
            link.model = ModelRef::Preset("minilm-l6".into());
            (link.window, link.pin) = (None, None);
        });
    };
    view! {
        <section class="nothing">
            <h2>"This table has no heads"</h2>
            <p>"Heads need query and key weights, which only a checkpoint has. Open your own, or take the one that ships with the page."</p>
            <button type="button" class="primary" on:click=preset>"Show minilm-l6"</button>
        </section>
    }
}

#[component]
fn HeadFigures() -> impl IntoView {
    let answers = expect_context::<Answers>();
    let positions = Memo::new(move |_| answers.head.with(|head| head.as_ref().map_or(0, |(_, d)| d.fit.f.len().div_ceil(2))));
    let read = move |cursor: Cursor| {
        let value = match (cursor, answers.head_tile.get()) {
            (Cursor::Cell(i, j), Some(tile)) => tile.at(i, j).map(f64::from),
            _ => None,
        };
        let f = answers.head.with(|head| {
            let f = &head.as_ref()?.1.fit.f;
            let n = f.len().div_ceil(2) as i64;
            f.get(usize::try_from(cursor.offset() + n - 1).ok()?).copied()
        });
        vec![("score", value), ("f(k)", f)]
    };
    view! {
        <div class="view heads">
            <div class="column wide">
                <HeadGrid/>
            </div>
            <div class="column">
                <HeadMatrix positions=positions/>
                <HeadProfile positions=positions/>
                <Readout read=read/>
                <HeadSections positions=positions/>
            </div>
        </div>
    }
}

#[component]
fn HeadGrid() -> impl IntoView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let order = state.part(|link| (link.sort, link.cells));
    let sorted = Memo::new(move |_| {
        let (sort, cells) = order.get();
        let mut heads: Vec<HeadSummary> = answers.heads.get().as_ref().clone();
        let r2 = |head: &HeadSummary| score(head, cells);
        match sort {
            Sort::Layer => {}
            Sort::R2 => heads.sort_by(|a, b| r2(b).total_cmp(&r2(a))),
            Sort::Peak => heads.sort_by_key(|head| (head.peak_offset, head.layer, head.head)),
        }
        Arc::new(heads)
    });
    let cells = Memo::new_with_compare(move |_| {
        let (sort, which) = order.get();
        let cells: Vec<GridCell> = sorted
            .get()
            .iter()
            .map(|head| {
                let tile = match which {
                    Cells::Whole => head.thumbnail.clone(),
                    Cells::Causal => head.thumbnail.clone().causal(),
                };
                let label = match sort {
                    Sort::Peak => signed(head.peak_offset),
                    _ => format!("{:.2}", score(head, which)),
                };
                GridCell::new(tile, (head.layer, head.head), label)
            })
            .collect();
        Arc::new(cells)
    }, |_, _| true);
    let grid = Memo::new_with_compare(
        move |_| {
            let heads = sorted.get();
            if heads.is_empty() {
                return None;
            }
            let open = state.head().map(|id| (id.layer, id.head));
            let per_row = state.summary().and_then(|summary| summary.heads).map(|(heads, _)| heads as usize);
            let by_layer = order.get().0 == Sort::Layer;
            Some(Arc::new(Grid {
                cells: cells.get().as_ref().clone(),
                per_row: per_row.filter(|_| by_layer),
                open,
                table: table(&answers.heads.get()),
                summary: summary(&heads, order.get().1),
            }))
        },
        |_, _| true,
    );
    let picture = Signal::derive(move || grid.get().map(|grid| -> AnyFigure { grid }));
    let count = move || state.summary().map_or(0, |s| s.layers * s.heads.map_or(0, |(heads, _)| heads as usize));
    let caption = move || {
        let arrived = sorted.with(|heads| heads.len());
        let all = count();
        let so_far = if arrived < all { format!("{arrived} of {all} heads so far. ") } else { format!("All {all} heads. ") };
        format!("{so_far}A row is a layer; R² is under each head. Open one by click or arrow keys:")
    };
    let formula = Signal::derive(move || match state.link.with(|link| link.mode) {
        ScoreMode::Paper => formulas::HEAD_PAPER,
        ScoreMode::AsComputed => formulas::HEAD_COMPUTED,
    });
    view! {
        <FigureCard
            id="head-grid"
            title="Every head, from the weights alone"
            caption=caption
            formula=formula
            figure=picture
            empty="Reading weights …"
            above=move || view! { <HeadButtons grid=grid heads=sorted/> }
        >
            <Segmented
                label="Scores"
                options=vec![(ScoreMode::Paper, "paper, eq. 9–12"), (ScoreMode::AsComputed, "as computed")]
                value=state.part(|link| link.mode)
                set=move |mode| state.link.update(|link| link.mode = mode)
            />
            <CellsControl/>
            <Segmented
                label="Order"
                options=vec![(Sort::Layer, "by layer"), (Sort::R2, "by R²"), (Sort::Peak, "by peak offset")]
                value=state.part(|link| link.sort)
                set=move |sort| state.link.update(|link| link.sort = sort)
            />
        </FigureCard>
    }
}

fn score(head: &HeadSummary, cells: Cells) -> f64 {
    match cells {
        Cells::Whole => head.r2,
        Cells::Causal => head.causal_r2,
    }
}

/// The head grid's numbers; layers and heads counted from 1.
fn table(heads: &[HeadSummary]) -> Table {
    let whole = |value: &dyn Fn(&HeadSummary) -> i64| Column::Whole(heads.iter().map(value).collect());
    Table::new()
        .with("layer", whole(&|head| head.layer as i64 + 1))
        .with("head", whole(&|head| head.head as i64 + 1))
        .with("r2", Column::Number(heads.iter().map(|head| head.r2).collect()))
        .with("causal_r2", Column::Number(heads.iter().map(|head| head.causal_r2).collect()))
        .with("peak_offset", whole(&|head| head.peak_offset))
}

fn summary(heads: &[HeadSummary], cells: Cells) -> String {
    let most = heads.iter().max_by(|a, b| score(a, cells).total_cmp(&score(b, cells)));
    let mean = heads.iter().map(|head| score(head, cells)).sum::<f64>() / heads.len().max(1) as f64;
    most.map_or_else(String::new, |most| {
        format!(
            "{} heads, mean R² {}. The most Toeplitz is head {} of layer {} with R² {}.",
            heads.len(),
            number(mean),
            most.head + 1,
            most.layer + 1,
            number(score(most, cells))
        )
    })
}

/// The grid's cells as buttons over the picture, so that a keyboard and a screen reader find each head.
/// One of them is in the tab order; arrow keys go on from there.
#[component]
fn HeadButtons(grid: Memo<Option<Arc<Grid>>>, heads: Memo<Arc<Vec<HeadSummary>>>) -> impl IntoView {
    let state = expect_context::<State>();
    let layer = NodeRef::<html::Div>::new();
    let size = use_element_size(layer);
    let places = Memo::new(move |_| {
        let width = size.width.get().floor();
        grid.get().filter(|_| width > 0.0).map(|grid| (grid.places(width), width, grid.height(width)))
    });
    let open = move |head: (usize, usize)| {
        state.link.update(|link| (link.layer, link.head) = head);
    };
    let on_key = move |event: KeyboardEvent| {
        let Some((places, ..)) = places.get_untracked() else {
            return;
        };
        let columns = places.iter().take_while(|place| (place.y - places[0].y).abs() < 1.0).count();
        let step: i64 = match event.key().as_str() {
            "ArrowLeft" => -1,
            "ArrowRight" => 1,
            "ArrowUp" => -(columns as i64),
            "ArrowDown" => columns as i64,
            _ => return,
        };
        event.prevent_default();
        let heads = heads.get_untracked();
        let current = state.head().map(|id| (id.layer, id.head));
        let at = heads.iter().position(|head| Some((head.layer, head.head)) == current).unwrap_or(0);
        let next = at as i64 + step;
        if let Some(head) = usize::try_from(next).ok().and_then(|next| heads.get(next)) {
            open((head.layer, head.head));
            let name = format!("button[data-head='{}-{}']", head.layer + 1, head.head + 1);
            request_animation_frame(move || {
                if let Ok(Some(button)) = document().query_selector(&name) {
                    let button: web_sys::HtmlElement = wasm_bindgen::JsCast::unchecked_into(button);
                    // A button on screen can be focused.
                    let _ = button.focus();
                }
            });
        }
    };
    let ids = Memo::new(move |_| heads.get().iter().map(|head| (head.layer, head.head)).collect::<Vec<_>>());
    let buttons = move || {
        ids.get()
            .into_iter()
            .enumerate()
            .map(|(at, id)| {
                let label = move || {
                    let cells = state.link.with(|link| link.cells);
                    heads.with(|heads| {
                        heads.get(at).map(|head| {
                            format!("layer {}, head {}, R² {:.3}", head.layer + 1, head.head + 1, score(head, cells))
                        })
                    })
                };
                let current = move || state.head().map(|open| (open.layer, open.head)) == Some(id);
                let style = move |side: fn(&crate::figure::Rect) -> f64| {
                    places.with(|places| {
                        places.as_ref().and_then(|(places, ..)| places.get(at)).map(|place| format!("{}px", side(place)))
                    })
                };
                view! {
                    <button
                        type="button"
                        data-head=format!("{}-{}", id.0 + 1, id.1 + 1)
                        aria-label=label
                        title=label
                        aria-pressed=move || if current() { "true" } else { "false" }
                        tabindex=move || if current() { "0" } else { "-1" }
                        style:left=move || style(|place| place.x)
                        style:top=move || style(|place| place.y)
                        style:width=move || style(|place| place.width)
                        style:height=move || style(|place| place.height + 14.0)
                        on:click=move |_| open(id)
                    ></button>
                }
            })
            .collect_view()
    };
    view! { <div class="head-buttons" node_ref=layer on:keydown=on_key>{buttons}</div> }
}

#[component]
fn HeadMatrix(#[prop(into)] positions: Signal<usize>) -> impl IntoView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let look = state.part(|link| (link.map, link.clip, link.cells));
    let picture = Memo::new_with_compare(
        move |_| {
            let (map, clip, cells) = look.get();
            let tile = answers.head_tile.get()?;
            let tile = match cells {
                Cells::Whole => tile,
                Cells::Causal => Arc::new(tile.as_ref().clone().causal()),
            };
            Some(figure(Heatmap::matrix(tile, map, clip)))
        },
        |_, _| true,
    );
    let matrix = Signal::derive(move || {
        let id = state.head()?;
        state.link.with(|link| Some((MatrixId::Head(id, link.cells), link.window.clone())))
    });
    let caption = move || {
        let scores = answers.head.get().map(|(id, detail)| {
            let cells = state.link.with(|link| link.cells);
            let r2 = match cells {
                Cells::Whole => detail.fit.r2,
                Cells::Causal => detail.causal_r2,
            };
            format!("Layer {}, head {}: R² {r2:.4}. ", id.layer + 1, id.head + 1)
        });
        format!("{}What each query gives to each key for their positions alone.", scores.unwrap_or_default())
    };
    let formula = Signal::derive(move || match state.link.with(|link| link.mode) {
        ScoreMode::Paper => formulas::HEAD_PAPER,
        ScoreMode::AsComputed => formulas::HEAD_COMPUTED,
    });
    let (zoom, pull) = navigation(state, positions);
    view! {
        <FigureCard
            id="head-matrix"
            title="One head's positional scores"
            caption=caption
            formula=formula
            figure=picture
            positions=positions
            matrix=matrix
            pull=pull
            zoom=zoom
        >
            <ZoomControls positions=positions/>
            <ColorControls/>
        </FigureCard>
    }
}

#[component]
fn HeadProfile(#[prop(into)] positions: Signal<usize>) -> impl IntoView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let look = state.part(|link| (link.window.clone(), link.cells));
    let picture = Signal::derive(move || -> Option<AnyFigure> {
        let (_, detail) = answers.head.get()?;
        let (window, cells) = look.get();
        let n = detail.fit.f.len().div_ceil(2);
        let window = window.map_or_else(|| Window::whole(n, n), |window| window.within(n, n));
        let words = "Mean of each diagonal, with one standard deviation to either side.".to_owned();
        Some(figure(profile(
            &detail.fit.f,
            Some(&detail.deviations),
            offsets_under(&window),
            cells,
            words,
        )))
    });
    view! {
        <FigureCard
            id="head-profile"
            title="Its score by offset"
            caption=|| "The mean along every diagonal, shaded by its standard deviation:"
            formula=formulas::DIAGONAL_MEAN
            figure=picture
            positions=positions
        />
    }
}

#[component]
fn HeadSections(#[prop(into)] positions: Signal<usize>) -> impl IntoView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let look = state.part(|link| (link.window.clone(), link.cells));
    let picture = Signal::derive(move || -> Option<AnyFigure> {
        let (_, detail) = answers.head.get()?;
        let (window, cells) = look.get();
        let n = detail.fit.f.len().div_ceil(2);
        let window = window.map_or_else(|| Window::whole(n, n), |window| window.within(n, n));
        let series: Vec<Series> = detail
            .sections
            .iter()
            .enumerate()
            .map(|(at, section)| {
                let seen = match cells {
                    Cells::Whole => section.scores.len(),
                    Cells::Causal => section.query + 1,
                };
                Series {
                    name: format!("query_{}", section.query),
                    first: -(section.query as i64),
                    values: section.scores.iter().take(seen).map(|&v| f64::from(v)).collect(),
                    ink: Ink::Category(at),
                    width: 1.3,
                    dashed: false,
                    labelled: true,
                }
            })
            .collect();
        Some(figure(Lines {
            table: Lines::table_of(&series),
            series: series
                .into_iter()
                .map(|series| Series {
                    name: series.name.replace("query_", "query "),
                    ..series
                })
                .collect(),
            band: None,
            handles: Vec::new(),
            offsets: offsets_under(&window),
            values: None,
            aspect: 0.42,
            summary: "Rows of the matrix at five queries, aligned at the diagonal.".into(),
        }))
    });
    view! {
        <FigureCard
            id="head-sections"
            title="Cut through at five queries"
            caption=|| "Rows of the matrix laid over each other at the diagonal. Lines that agree mean that only the offset matters."
            formula=formulas::NONE
            figure=picture
            positions=positions
        />
    }
}
