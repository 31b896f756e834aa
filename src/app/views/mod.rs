//! The views: which figures stand where, and what controls change them.

mod compare;
mod encodings;
mod heads;
mod kernels;
mod positions;
mod training;

pub(super) use compare::compare;
pub(super) use encodings::encodings;
pub(super) use heads::heads;
pub(super) use kernels::kernels;
pub(super) use positions::positions;
pub(super) use training::training;

use super::{
    controls::Options,
    dynamic::{click, count, dynamic, flag, picture},
    figure_card::FigureCard,
    figure_view::{AnyFigure, Pull, Zoom},
    readout::Reading,
    state::State,
};
use crate::{
    figure::{
        Band, COLOR_MAPS, ColorMap, Column, Cursor, GridProfile, Heatmap, Ink, Lines, Series, Table,
    },
    link::Link,
    math::{Cells, Grid, GridFit, Window, diagonal_cells},
};
use leptos::prelude::*;
use std::{cell::RefCell, rc::Rc, sync::Arc};

/// Percentages of values that a colour bar may leave out at either end.
const CLIPS: [f64; 4] = [0.0, 1.0, 2.0, 5.0];

/// Whether the person asked their system for less motion.
fn wants_less_motion() -> bool {
    let query = window().match_media("(prefers-reduced-motion: reduce)");
    query.ok().flatten().is_some_and(|query| query.matches())
}

/// A figure that is there.
fn ready(figure: impl crate::figure::Figure + Send + Sync + 'static) -> Option<AnyFigure> {
    Some(Arc::new(figure))
}

/// A choice that is part of the link.
fn linked<T: Copy + PartialEq + Send + Sync + 'static>(
    options: impl IntoIterator<Item = (T, &'static str)>,
    part: fn(&mut Link) -> &mut T,
) -> Options {
    let state = expect_context::<State>();
    // The link is cloned to be read through the one function that names its part.
    let read = move || state.link.with(|link| *part(&mut link.clone()));
    Options::new(options, read, move |value| {
        state.link.update(|link| *part(link) = value);
    })
}

/// Colours of matrices.
fn color_control(map: fn(&mut Link) -> &mut ColorMap) -> AnyView {
    linked(COLOR_MAPS.iter().map(|(map, _, name)| (*map, *name)), map).select("Colours")
}

/// How much of the values' range the colours span.
fn range_control() -> AnyView {
    let state = expect_context::<State>();
    let clips = CLIPS.into_iter().map(|clip| {
        let name = if clip == 0.0 {
            "all values".to_owned()
        } else {
            format!("all but {clip} % at each end")
        };
        (clip, name)
    });
    Options::new(
        clips,
        move || state.link.with(|link| link.matrices.clip),
        move |clip| state.link.update(|link| link.matrices.clip = clip),
    )
    .select("Range")
}

/// Which cells of a matrix count.
fn cells_control() -> AnyView {
    linked(
        [(Cells::Whole, "whole"), (Cells::Causal, "causal j ≤ i")],
        |link| &mut link.heads.cells,
    )
    .segmented("Cells")
}

/// Zooms the matrices around a cell.
fn zoom(state: State, n: usize, factor: f64, at: (usize, usize)) {
    state.link.update(|link| {
        let whole = Window::whole(n, n);
        let window = link
            .matrices
            .window
            .clone()
            .map_or_else(|| whole.clone(), |window| window.within(n, n));
        let zoomed = window.zoomed(factor, at, n);
        link.matrices.window = (zoomed != whole).then_some(zoomed);
    });
}

/// Zooming by wheel and panning by pulling for a matrix of `positions`.
fn navigation(state: State, positions: Signal<usize>) -> (Zoom, Pull) {
    let from: Rc<RefCell<Option<(Window, f64, f64)>>> = Rc::default();
    let started = Rc::clone(&from);
    let pull = Pull {
        start: Box::new(move |_, x, y| {
            let window = state
                .link
                .with_untracked(|link| link.matrices.window.clone());
            let zoomed = window.is_some();
            *started.borrow_mut() = window.map(|window| (window, x, y));
            zoomed
        }),
        moved: Box::new(move |width, x, y| {
            let n = positions.get_untracked();
            if let Some((window, x0, y0)) = &*from.borrow() {
                let window = window.within(n, n);
                let cell = Heatmap::side(width) / window.cols.len() as f64;
                let cells = |pixels: f64| (pixels / cell).round() as i64;
                let moved = window.moved(cells(y0 - y), cells(x0 - x), n);
                state.link.update(|link| link.matrices.window = Some(moved));
            }
        }),
        end: Box::new(|| {}),
    };
    let zoom = Box::new(move |factor, at| zoom(state, positions.get_untracked(), factor, at));
    (zoom, pull)
}

/// Zoom by buttons, for those without a wheel.
fn zoom_controls(positions: Signal<usize>) -> AnyView {
    let state = expect_context::<State>();
    let by = move |factor: f64| {
        let n = positions.get_untracked();
        let window = state
            .link
            .with_untracked(|link| link.matrices.window.clone());
        let middle = window.unwrap_or_else(|| Window::whole(n, n)).middle();
        let at = match state.cursor_now() {
            Some(Cursor::Cell(i, j)) => (i, j),
            _ => middle,
        };
        zoom(state, n, factor, at);
    };
    let closer = click(move || by(0.5));
    let farther = click(move || by(2.0));
    let all = click(move || state.link.update(|link| link.matrices.window = None));
    let whole = flag(move || state.link.with(|link| link.matrices.window.is_none()));
    view! {
        <div class="segmented" role="group" aria-label="Zoom" title="Control and wheel zoom, pulling moves">
            <button type="button" aria-label="Zoom in" on:click=closer>"+"</button>
            <button type="button" aria-label="Zoom out" disabled=whole on:click=farther>"−"</button>
            <button type="button" aria-label="Show the whole matrix" disabled=whole on:click=all>"all"</button>
        </div>
    }
    .into_any()
}

/// A profile's value at an offset.
fn at_offset(f: &[f64], k: i64) -> Option<f64> {
    let n = f.len().div_ceil(2) as i64;
    f.get(usize::try_from(k + n - 1).ok()?).copied()
}

/// The offsets a profile shows under a window of its n×n matrix: those of the window's middle row, so
/// that an offset is as wide as a key.
fn offsets_under(window: Option<Window>, n: usize) -> (f64, f64) {
    let window = window.map_or_else(|| Window::whole(n, n), |window| window.within(n, n));
    let middle = (window.rows.start + window.rows.end) as f64 / 2.0;
    (
        window.cols.start as f64 - middle,
        window.cols.end as f64 - middle,
    )
}

/// A profile in two dimensions, where the positions are the patches of an image.
fn grid_profile(
    id: &'static str,
    positions: Signal<usize>,
    fit: impl Fn() -> Option<GridFit> + Copy + Send + Sync + 'static,
) -> AnyView {
    let state = expect_context::<State>();
    let there = count(move || usize::from(fit().is_some()));
    dynamic(move || {
        if there.get() == 0 {
            return ().into_any();
        }
        let look = state.part(|link| (link.matrices.map, link.matrices.clip));
        let figure = picture(move || {
            let (map, clip) = look.get();
            ready(GridProfile::new(&fit()?, map, clip))
        });
        FigureCard::new(id, "Score by (Δy, Δx)", figure)
            .caption("The mean over all pairs of patches that lie Δy apart down and Δx apart across. The middle is a patch and itself.".to_owned())
            .cursor(positions)
            .view()
    })
}

/// What the cursor says on an image: its offset in two dimensions.
fn grid_readings(grid: Option<Grid>, cursor: Cursor) -> Vec<Reading> {
    match (grid, cursor) {
        (Some(grid), Cursor::Cell(i, j)) if i.max(j) < grid.cells() => {
            let (dy, dx) = grid.offset(i, j);
            vec![("Δy", Some(dy as f64)), ("Δx", Some(dx as f64))]
        }
        _ => Vec::new(),
    }
}

/// A profile with its spread, as a figure.
fn profile(f: &[f64], deviations: Option<&[f64]>, offsets: (f64, f64), cells: Cells) -> Lines {
    let n = f.len().div_ceil(2);
    let first = 1 - n as i64;
    let kept = match cells {
        Cells::Whole => f.len(),
        Cells::Causal => n,
    };
    let f = &f[..kept];
    let deviations = deviations
        .filter(|deviations| deviations.len() >= kept)
        .map(|d| &d[..kept]);
    let bound = |sign: f64| -> Vec<f64> {
        match deviations {
            Some(deviations) => f
                .iter()
                .zip(deviations)
                .map(|(f, d)| f + sign * d)
                .collect(),
            None => vec![f64::NAN; f.len()],
        }
    };
    let (low, high) = (bound(-1.0), bound(1.0));
    let offset = || (first..).take(kept);
    let table = Table::new()
        .with("offset", Column::Whole(offset().collect()))
        .with("mean", Column::Number(f.to_vec()))
        .with("low", Column::Number(low.clone()))
        .with("high", Column::Number(high.clone()))
        .with(
            "cells",
            Column::Whole(offset().map(|k| diagonal_cells(n, k) as i64).collect()),
        );
    Lines {
        axis: "offset k",
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
        summary: "Mean of each diagonal, with one standard deviation to either side.".to_owned(),
    }
}
