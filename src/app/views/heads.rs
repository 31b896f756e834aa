//! Every head from the weights alone; one of them opened.

use super::{
    cells_control, color_control, grid_profile, grid_readings, linked, navigation, offsets_under,
    profile, range_control, ready, zoom_controls,
};
use crate::{
    analysis::{Cells, HeadSummary, MatrixId, ScoreMode},
    app::{
        answers::Answers,
        dynamic::{attribute, click, count, dynamic, flag, list, on, picture, text, yes_no},
        figure_card::FigureCard,
        figure_view::{AnyFigure, mark_ready, width_of},
        formulas::{self, Formula},
        readout::readout,
        state::State,
    },
    figure::{
        Axis, Column, Cursor, Heatmap, Ink, Lines, Rect, Series, Table, Thumbnail, Thumbnails,
        number, signed,
    },
    link::{ModelRef, Sort},
};
use leptos::{html, prelude::*};
use std::sync::Arc;
use web_sys::KeyboardEvent;

/// The view.
pub(in crate::app) fn heads() -> AnyView {
    let state = expect_context::<State>();
    let layers = count(move || state.summary().map_or(1, |summary| summary.layers));
    dynamic(move || {
        if layers.get() > 0 {
            head_figures()
        } else {
            no_heads()
        }
    })
}

/// A table without queries and keys.
fn no_heads() -> AnyView {
    let state = expect_context::<State>();
    mark_ready();
    let preset = click(move || state.show(&ModelRef::Preset("minilm-l6".into())));
    view! {
        <section class="nothing">
            <h2>"This table has no heads"</h2>
            <p>"Heads need query and key weights, which only a checkpoint has. Open your own, or take the one that comes with the page."</p>
            <button type="button" class="primary" on:click=preset>"Show minilm-l6"</button>
        </section>
    }
    .into_any()
}

fn head_figures() -> AnyView {
    let answers = expect_context::<Answers>();
    let positions = count(move || {
        answers
            .head
            .with(|head| head.as_ref().map_or(0, |(_, d)| d.fit.f.n()))
    });
    let read = move |cursor: Cursor| {
        let value = match (cursor, answers.head_tile.get()) {
            (Cursor::Cell(i, j), Some(tile)) => tile.at(i, j).map(f64::from),
            _ => None,
        };
        let f = answers
            .head
            .with(|head| head.as_ref()?.1.fit.f.at(cursor.offset()?));
        let grid = answers
            .head
            .with(|head| Some(head.as_ref()?.1.grid_fit.as_ref()?.grid));
        let mut read = vec![("score", value), ("f(k)", f)];
        read.extend(grid_readings(grid, cursor));
        read
    };
    let by_grid = move || answers.head.with(|head| head.as_ref()?.1.grid_fit.clone());
    view! {
        <div class="view heads">
            <div class="column">
                {head_grid()} {grid_profile("head-grid-profile", positions, by_grid)}
                {head_sections(positions)}
            </div>
            <div class="column">{head_matrix(positions)} {head_profile(positions)} {readout(read)}</div>
        </div>
    }
    .into_any()
}

/// The formula of the scores that are shown.
fn score_formula() -> Formula {
    match expect_context::<State>().link.with(|link| link.heads.mode) {
        ScoreMode::Paper => formulas::HEAD_PAPER,
        ScoreMode::AsComputed => formulas::HEAD_COMPUTED,
    }
}

fn head_grid() -> AnyView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let order = state.part(|link| (link.heads.sort, link.heads.cells));
    let open = state.part(|link| (link.heads.layer, link.heads.head));
    let figure = picture(move || {
        let arrived = answers.heads.get();
        let heads = sorted(&arrived, order.get());
        if heads.is_empty() {
            return None;
        }
        open.get();
        let per_row = state
            .summary()
            .and_then(|summary| summary.heads)
            .map(|(heads, _)| heads as usize);
        let (sort, cells) = order.get();
        ready(Thumbnails {
            cells: heads
                .iter()
                .map(|head| grid_cell(head, sort, cells))
                .collect(),
            per_row: per_row.filter(|_| sort == Sort::Layer),
            open: state.head().map(|id| (id.layer, id.head)),
            table: table(&arrived),
            summary: summary(&heads, cells),
        })
    });
    let caption = text(move || {
        let arrived = answers.heads.with(|heads| heads.len());
        let all = state.summary().map_or(0, |s| {
            s.layers * s.heads.map_or(0, |(heads, _)| heads as usize)
        });
        let so_far = if arrived < all {
            format!("{arrived} of {all} heads so far.")
        } else {
            format!("All {all} heads.")
        };
        let row = if state.link.with(|link| link.heads.sort) == Sort::Layer {
            " A row is a layer."
        } else {
            ""
        };
        let number = match state.link.with(|link| link.heads.sort) {
            Sort::Peak => "the offset of its peak",
            _ => "R²",
        };
        format!("{so_far}{row} Under each stands {number}. Open one by click or arrow keys:")
    });
    let mode = linked(
        [
            (ScoreMode::Paper, "paper, eq. 9–12"),
            (ScoreMode::AsComputed, "as computed"),
        ],
        |link| &mut link.heads.mode,
    );
    let sort = linked(
        [
            (Sort::Layer, "by layer"),
            (Sort::R2, "by R²"),
            (Sort::Peak, "by peak offset"),
        ],
        |link| &mut link.heads.sort,
    );
    FigureCard::new("head-grid", figure)
        .caption(caption)
        .formulas(score_formula)
        .partial(flag(move || {
            let all = state.summary().map_or(0, |s| {
                s.layers * s.heads.map_or(0, |(heads, _)| heads as usize)
            });
            answers.heads.with(|heads| heads.len()) < all
        }))
        .empty("Reading weights …")
        .above(head_buttons(figure))
        .controls(vec![
            mode.segmented("Scores"),
            cells_control(),
            sort.segmented("Order"),
        ])
        .view()
}

/// Heads in the order asked for. Inserted one by one: a few hundred heads need no better sort, and the
/// library's would weigh two kilobytes.
fn sorted(heads: &[HeadSummary], (sort, cells): (Sort, Cells)) -> Vec<&HeadSummary> {
    let before = |a: &HeadSummary, b: &HeadSummary| match sort {
        Sort::Layer => true,
        Sort::R2 => score(a, cells) >= score(b, cells),
        Sort::Peak => a.peak_offset <= b.peak_offset,
    };
    let mut sorted: Vec<&HeadSummary> = Vec::with_capacity(heads.len());
    for head in heads {
        let at = sorted.partition_point(|other| before(other, head));
        sorted.insert(at, head);
    }
    sorted
}

fn grid_cell(head: &HeadSummary, sort: Sort, cells: Cells) -> Thumbnail {
    let tile = match cells {
        Cells::Whole => head.thumbnail.clone(),
        Cells::Causal => head.thumbnail.clone().causal(),
    };
    let label = match sort {
        Sort::Peak => signed(head.peak_offset),
        _ => format!("{:.2}", score(head, cells)),
    };
    Thumbnail::new(tile, (head.layer, head.head), label)
}

fn score(head: &HeadSummary, cells: Cells) -> f64 {
    match cells {
        Cells::Whole => head.r2,
        Cells::Causal => head.causal_r2,
    }
}

/// The head grid's numbers; layers and heads counted from 1.
fn table(heads: &[HeadSummary]) -> Table {
    let whole =
        |value: &dyn Fn(&HeadSummary) -> i64| Column::Whole(heads.iter().map(value).collect());
    let table = Table::new()
        .with("layer", whole(&|head| head.layer as i64 + 1))
        .with("head", whole(&|head| head.head as i64 + 1))
        .with(
            "r2",
            Column::Number(heads.iter().map(|head| head.r2).collect()),
        )
        .with(
            "causal_r2",
            Column::Number(heads.iter().map(|head| head.causal_r2).collect()),
        )
        .with("peak_offset", whole(&|head| head.peak_offset));
    // All heads of a model stand on one grid, or none does.
    match heads.iter().map(|head| head.r2_2d).collect() {
        Some(r2_2d) if !heads.is_empty() => table.with("r2_2d", Column::Number(r2_2d)),
        _ => table,
    }
}

fn summary(heads: &[&HeadSummary], cells: Cells) -> String {
    let most = heads
        .iter()
        .max_by(|a, b| score(a, cells).total_cmp(&score(b, cells)));
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
fn head_buttons(grid: Signal<Option<AnyFigure>>) -> AnyView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let order = state.part(|link| (link.heads.sort, link.heads.cells));
    let layer = NodeRef::<html::Div>::new();
    let width = width_of(layer);
    let places = move || {
        grid.with(|grid| {
            grid.as_ref()
                .map_or_else(Vec::new, |grid| grid.places(width.get() as f64))
        })
    };
    let heads = move || -> Vec<(usize, usize)> {
        let heads = answers.heads.get();
        sorted(&heads, order.get())
            .iter()
            .map(|head| (head.layer, head.head))
            .collect()
    };
    let on_key = on(move |event: KeyboardEvent| {
        let (places, heads) = untrack(|| (places(), heads()));
        let columns = places
            .iter()
            .take_while(|place| (place.y - places[0].y).abs() < 1.0)
            .count();
        let step: i64 = match event.key().as_str() {
            "ArrowLeft" => -1,
            "ArrowRight" => 1,
            "ArrowUp" => -(columns as i64),
            "ArrowDown" => columns as i64,
            _ => return,
        };
        event.prevent_default();
        let current = untrack(|| state.head()).map(|id| (id.layer, id.head));
        let at = heads
            .iter()
            .position(|head| Some(*head) == current)
            .unwrap_or(0);
        if let Some(head) = usize::try_from(at as i64 + step)
            .ok()
            .and_then(|next| heads.get(next))
        {
            open(state, *head);
            focus(*head);
        }
    });
    let buttons = dynamic(move || {
        list(heads().into_iter().enumerate().map(|(at, id)| {
            let length = move |side: fn(&Rect) -> f64| {
                text(move || format!("{}px", places().get(at).map_or(0.0, side)))
            };
            head_button(id, length)
        }))
    });
    view! { <div class="head-buttons" node_ref=layer on:keydown=on_key>{buttons}</div> }.into_any()
}

fn head_button(id: (usize, usize), length: impl Fn(fn(&Rect) -> f64) -> Signal<String>) -> AnyView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let label = text(move || {
        let cells = state.link.with(|link| link.heads.cells);
        answers.heads.with(|heads| {
            let head = heads.iter().find(|head| (head.layer, head.head) == id);
            let r2 = head.map_or(f64::NAN, |head| score(head, cells));
            format!("layer {}, head {}, R² {r2:.3}", id.0 + 1, id.1 + 1)
        })
    });
    let current = move || {
        state
            .head()
            .is_some_and(|open| (open.layer, open.head) == id)
    };
    let pressed = yes_no(current);
    // Properties below, not a style attribute: the page's policy allows none.
    let focusable = attribute(move || Some(if current() { "0" } else { "-1" }.to_owned()));
    view! {
        <button
            type="button"
            data-head=format!("{}-{}", id.0 + 1, id.1 + 1)
            aria-label=label
            title=label
            aria-pressed=pressed
            tabindex=focusable
            style:left=length(|place| place.x)
            style:top=length(|place| place.y)
            style:width=length(|place| place.width)
            style:height=length(|place| place.height + 14.0)
            on:click=click(move || open(state, id))
        ></button>
    }
    .into_any()
}

fn open(state: State, head: (usize, usize)) {
    state
        .link
        .update(|link| (link.heads.layer, link.heads.head) = head);
}

/// Moves the focus to a head once it may have it.
fn focus((layer, head): (usize, usize)) {
    let name = format!("button[data-head='{}-{}']", layer + 1, head + 1);
    request_animation_frame(move || {
        if let Ok(Some(button)) = document().query_selector(&name) {
            let button: web_sys::HtmlElement = wasm_bindgen::JsCast::unchecked_into(button);
            // A button on screen can be focused.
            let _ = button.focus();
        }
    });
}

fn head_matrix(positions: Signal<usize>) -> AnyView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let look = state.part(|link| (link.matrices.map, link.matrices.clip, link.heads.cells));
    let figure = picture(move || {
        let (map, clip, cells) = look.get();
        let tile = answers.head_tile.get()?;
        let tile = match cells {
            Cells::Whole => tile,
            Cells::Causal => Arc::new(tile.as_ref().clone().causal()),
        };
        ready(Heatmap::matrix(tile, map, clip))
    });
    let caption = text(move || {
        let said = answers.head.with(|head| {
            let (id, detail) = head.as_ref()?;
            let r2 = match state.link.with(|link| link.heads.cells) {
                Cells::Whole => detail.fit.r2,
                Cells::Causal => detail.causal_r2,
            };
            let in_two = detail.grid_fit.as_ref();
            let in_two = in_two.map_or(String::new(), |fit| {
                format!(", in two dimensions {:.4}", fit.r2)
            });
            Some(format!(
                "Layer {}, head {}: R² {r2:.4}{in_two}. ",
                id.layer + 1,
                id.head + 1
            ))
        });
        format!(
            "{}What each query gives to each key for their positions alone.",
            said.unwrap_or_default()
        )
    });
    let controls = vec![
        zoom_controls(positions),
        color_control(|link| &mut link.matrices.map),
        range_control(),
    ];
    let (zoom, pull) = navigation(state, positions);
    FigureCard::new("head-matrix", figure)
        .caption(caption)
        .cursor(positions)
        .matrix(move || {
            let id = state.head()?;
            state.link.with(|link| {
                Some((
                    MatrixId::Head(id, link.heads.cells),
                    link.matrices.window.clone(),
                ))
            })
        })
        .pull(pull)
        .zoom(zoom)
        .controls(controls)
        .view()
}

fn head_profile(positions: Signal<usize>) -> AnyView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let look = state.part(|link| (link.matrices.window.clone(), link.heads.cells));
    let figure = picture(move || {
        let (_, detail) = answers.head.get()?;
        let (window, cells) = look.get();
        let offsets = offsets_under(window, detail.fit.f.n());
        ready(profile(
            &detail.fit.f,
            detail.deviations.as_ref(),
            offsets,
            cells,
        ))
    });
    FigureCard::new("head-profile", figure)
        .caption("The mean along every diagonal, shaded by its standard deviation:".to_owned())
        .formula(formulas::DIAGONAL_MEAN)
        .cursor(positions)
        .view()
}

fn head_sections(positions: Signal<usize>) -> AnyView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let look = state.part(|link| (link.matrices.window.clone(), link.heads.cells));
    let figure = picture(move || {
        let (_, detail) = answers.head.get()?;
        let (window, cells) = look.get();
        let series: Vec<Series> = detail
            .sections
            .iter()
            .enumerate()
            .map(|(at, section)| {
                let seen = match cells {
                    Cells::Whole => section.scores.len(),
                    Cells::Causal => section.query + 1,
                };
                let scores = section.scores.iter().take(seen).map(|&v| f64::from(v));
                let (name, first) = (format!("query {}", section.query), section.query as i64);
                Series::new(name, -first, scores.collect())
                    .ink(Ink::Category(at))
                    .labelled()
            })
            .collect();
        ready(
            Lines::over(Axis::Offset)
                .with_table(Lines::table_of(&series))
                .series(series)
                .shown(offsets_under(window, detail.fit.f.n()))
                .aspect(0.42)
                .with_summary("Rows of the matrix at five queries, aligned at the diagonal."),
        )
    });
    FigureCard::new("head-sections", figure)
        .caption("Rows of the matrix laid over each other at the diagonal. Where the lines agree, only the offset matters.".to_owned())
        .cursor(positions)
        .view()
}
