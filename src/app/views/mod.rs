//! The views: which figures stand where, and what controls change them.

mod heads;
mod kernel_controls;
mod kernels;
mod positions;

pub(super) use heads::Heads;
pub(super) use kernels::Kernels;
pub(super) use positions::Positions;

use super::{
    controls::{Choice, Segmented},
    figure_view::{AnyFigure, Pull, Zoom},
    state::State,
};
use crate::{
    figure::{Band, COLOR_MAPS, Column, Cursor, Heatmap, Ink, Lines, Series, Table},
    math::{Cells, Window, diagonal_cells},
};
use leptos::prelude::*;
use std::sync::Arc;

/// Percentages of values that a colour bar may leave out at either end.
const CLIPS: [f64; 4] = [0.0, 1.0, 2.0, 5.0];

fn figure(figure: impl crate::figure::Figure + Send + Sync + 'static) -> AnyFigure {
    Arc::new(figure)
}

/// Colours and range of the matrices; kernels have colours of their own.
#[component]
fn ColorControls(#[prop(optional)] of_kernels: bool) -> impl IntoView {
    let state = expect_context::<State>();
    let maps = COLOR_MAPS.iter().map(|(map, _, name)| (*map, (*name).to_owned())).collect();
    let clips = CLIPS
        .iter()
        .map(|&clip| {
            let name = if clip == 0.0 { "true range".to_owned() } else { format!("without {clip} % at each end") };
            (clip, name)
        })
        .collect();
    view! {
        <Choice
            label="Colours"
            options=maps
            value=state.part(move |link| if of_kernels { link.kernel_map } else { link.map })
            set=move |map| {
                state.link.update(|link| *(if of_kernels { &mut link.kernel_map } else { &mut link.map }) = map);
            }
        />
        <Choice
            label="Range"
            options=clips
            value=state.part(|link| link.clip)
            set=move |clip| state.link.update(|link| link.clip = clip)
        />
    }
}

/// Which cells of a matrix count.
#[component]
fn CellsControl() -> impl IntoView {
    let state = expect_context::<State>();
    view! {
        <Segmented
            label="Cells"
            options=vec![(Cells::Whole, "whole"), (Cells::Causal, "causal j ≤ i")]
            value=state.part(|link| link.cells)
            set=move |cells| state.link.update(|link| link.cells = cells)
        />
    }
}

/// Zooms the matrices around a cell.
fn zoom(state: State, n: usize, factor: f64, at: (usize, usize)) {
    state.link.update(|link| {
        let whole = Window::whole(n, n);
        let window = link.window.clone().map_or_else(|| whole.clone(), |window| window.within(n, n));
        let zoomed = window.zoomed(factor, at, n);
        link.window = (zoomed != whole).then_some(zoomed);
    });
}

/// Zooming by wheel and panning by pulling for a matrix of `positions`.
fn navigation(state: State, positions: Signal<usize>) -> (Zoom, Pull) {
    let from: StoredValue<Option<(Window, f64, f64)>> = StoredValue::new(None);
    let pull = Pull {
        start: Callback::new(move |(_, x, y)| {
            let window = state.link.with_untracked(|link| link.window.clone());
            from.set_value(window.map(|window| (window, x, y)));
            from.with_value(Option::is_some)
        }),
        moved: Callback::new(move |(width, x, y): (f64, f64, f64)| {
            let n = positions.get_untracked();
            if let Some((window, x0, y0)) = from.get_value() {
                let window = window.within(n, n);
                let cell = Heatmap::side(width) / window.cols.len() as f64;
                let cells = |pixels: f64| (pixels / cell).round() as i64;
                let moved = window.moved(cells(y0 - y), cells(x0 - x), n);
                state.link.update(|link| link.window = Some(moved));
            }
        }),
        end: Callback::new(|()| {}),
    };
    let zoom = Callback::new(move |(factor, at)| zoom(state, positions.get_untracked(), factor, at));
    (zoom, pull)
}

/// Zoom by buttons, for those without a wheel.
#[component]
fn ZoomControls(#[prop(into)] positions: Signal<usize>) -> impl IntoView {
    let state = expect_context::<State>();
    let by = move |factor: f64| {
        let n = positions.get_untracked();
        let middle = state.link.with_untracked(|link| link.window.clone().unwrap_or_else(|| Window::whole(n, n)).middle());
        let at = match state.cursor_now() {
            Some(Cursor::Cell(i, j)) => (i, j),
            _ => middle,
        };
        zoom(state, n, factor, at);
    };
    let whole = move || state.link.with(|link| link.window.is_none());
    view! {
        <div class="segmented" role="group" aria-label="Zoom" title="Control and wheel zoom, pulling moves">
            <button type="button" aria-label="Zoom in" on:click=move |_| by(0.5)>"+"</button>
            <button type="button" aria-label="Zoom out" disabled=whole on:click=move |_| by(2.0)>"−"</button>
            <button type="button" aria-label="Show the whole matrix" disabled=whole on:click=move |_| state.link.update(|link| link.window = None)>"all"</button>
        </div>
    }
}

/// The offsets a profile shows under a window of its matrix: those of the window's middle row, so that
/// an offset is as wide as a key.
fn offsets_under(window: &Window) -> (f64, f64) {
    let middle = (window.rows.start + window.rows.end) as f64 / 2.0;
    (window.cols.start as f64 - middle, window.cols.end as f64 - middle)
}

/// A profile with its spread, as a figure.
fn profile(
    f: &[f64],
    deviations: Option<&[f64]>,
    offsets: (f64, f64),
    cells: Cells,
    summary: String,
) -> Lines {
    let n = f.len().div_ceil(2);
    let first = 1 - n as i64;
    let kept = match cells {
        Cells::Whole => f.len(),
        Cells::Causal => n,
    };
    let f = &f[..kept];
    let deviations = deviations.filter(|deviations| deviations.len() >= kept).map(|d| &d[..kept]);
    let bound = |sign: f64| -> Vec<f64> {
        match deviations {
            Some(deviations) => f.iter().zip(deviations).map(|(f, d)| f + sign * d).collect(),
            None => vec![f64::NAN; f.len()],
        }
    };
    let (low, high) = (bound(-1.0), bound(1.0));
    let table = Table::new()
        .with("offset", Column::Whole((first..).take(kept).collect()))
        .with("mean", Column::Number(f.to_vec()))
        .with("low", Column::Number(low.clone()))
        .with("high", Column::Number(high.clone()))
        .with(
            "cells",
            Column::Whole((first..).take(kept).map(|k| diagonal_cells(n, k) as i64).collect()),
        );
    Lines {
        series: vec![Series {
            name: "mean".into(),
            first,
            values: f.to_vec(),
            ink: Ink::Ink,
            width: 1.6,
            dashed: false,
            labelled: false,
        }],
        band: deviations.map(|_| Band { first, low, high }),
        handles: Vec::new(),
        offsets,
        values: None,
        aspect: 0.3,
        table,
        summary,
    }
}
