//! Profile figures over the offset and over the two offsets of image patches, and their cursor readings.

use crate::{
    app::{
        figure::{
            card::FigureCard,
            readout::Reading,
            view::{picture, ready},
        },
        state::UrlState,
    },
    figure::{Axis, Band, Column, Cursor, GridProfile, Plot, Series, Table},
    figure_spec::FigureSpec,
    math::{AttentionMask, Grid, GridFit, Profile, Window},
};
use leptos::prelude::*;

/// Returns the offsets that a profile displays under a window of its n × n matrix: those of the window's middle row, so
/// that an offset is as wide as a key column.
pub(super) fn offsets_under(window: Option<Window>, n: usize) -> (f64, f64) {
    let window = window.map_or_else(|| Window::whole(n, n), |window| window.within(n, n));
    let middle = (window.rows.start + window.rows.end) as f64 / 2.0;
    (
        window.cols.start as f64 - middle,
        window.cols.end as f64 - middle,
    )
}

/// Figure: two-dimensional profile of image patches. Hidden for other models.
#[component]
pub(super) fn GridProfileCard(
    /// The figure.
    spec: &'static FigureSpec,
    /// Size of the matrix under the shared cursor.
    positions: Signal<usize>,
    /// Means by (Δy, Δx); `None` unless positions are image patches.
    fit: Signal<Option<GridFit>>,
    /// Caption in place of the specification's.
    #[prop(optional)]
    caption: Option<Signal<String>>,
) -> impl IntoView {
    let url = UrlState::from_context();
    let there = Memo::new(move |_| fit.with(Option::is_some));
    let look = url.select(|link| (link.matrices.map, link.matrices.clip));
    let caption = caption.unwrap_or_else(|| Signal::stored(spec.caption.to_owned()));
    let figure = picture(move || {
        let (map, clip) = look.get();
        fit.with(|fit| ready(GridProfile::new(fit.as_ref()?, map, clip)))
    });
    view! {
        <Show when=move || there.get()>
            <FigureCard
                spec
                figure
                caption
                positions
            />
        </Show>
    }
}

/// Returns the cursor readings of an image model: its two offsets.
pub(super) fn grid_readings(grid: Option<Grid>, cursor: Option<Cursor>) -> Vec<Reading> {
    match grid.map(|grid| cursor.and_then(|cursor| cursor.grid_offset(grid))) {
        Some(offset) => vec![
            ("Δy", offset.map(|(dy, _)| dy as f64)),
            ("Δx", offset.map(|(_, dx)| dx as f64)),
        ],
        None => Vec::new(),
    }
}

/// Profiles up to this length wait for the standard deviations of their diagonals, which take milliseconds. Longer
/// profiles are drawn without them first, since deviations need every cell.
pub(super) const DEVIATIONS_AT_ONCE: usize = 2048;

/// Forms the figure of a profile with its standard deviation; `vertical` is the label of the vertical axis.
pub(super) fn profile(
    vertical: &'static str,
    f: &Profile,
    deviations: Option<&Profile>,
    offsets: (f64, f64),
    cells: AttentionMask,
) -> Plot {
    let values = match cells {
        AttentionMask::Whole => f.values(),
        AttentionMask::Causal => f.lookback(),
    };
    let bound = |sign: f64| -> Vec<f64> {
        match deviations {
            Some(deviations) => values
                .iter()
                .zip(deviations)
                .map(|(f, d)| f + sign * d)
                .collect(),
            None => vec![f64::NAN; values.len()],
        }
    };
    let (low, high) = (bound(-1.0), bound(1.0));
    let (first, offset) = (f.first(), || f.offsets().take(values.len()));
    let table = Table::new()
        .with("offset", Column::Whole(offset().collect()))
        .with("mean", Column::Number(values.to_vec()))
        .with("low", Column::Number(low.clone()))
        .with("high", Column::Number(high.clone()))
        .with(
            "cells",
            Column::Whole(offset().map(|k| f.cells(k) as i64).collect()),
        );
    Plot::over(Axis::Offset)
        .vertical(vertical)
        .series([Series::new("mean", first, values.to_vec()).width(1.6)])
        .band(deviations.map(|_| Band { first, low, high }))
        .horizontal_range(offsets)
        .with_table(table)
        .with_summary("Mean of each diagonal, with one standard deviation to either side.")
}
