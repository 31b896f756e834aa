//! The cursor in numbers: its cell, its offset, and the values of figures there.

use crate::{
    app::state::{CursorState, UrlState},
    figure::{Cursor, format_signed, number},
};
use leptos::prelude::*;

/// A named value at the cursor.
pub(in crate::app) type Reading = (&'static str, Option<f64>);

/// Names of a cell's row and column.
pub(in crate::app) type CellNames = (&'static str, &'static str);

/// Names of row and column in a matrix of scores.
pub(in crate::app) const QUERY_AND_KEY: CellNames = ("query i", "key j");

/// Names of row and column in a matrix that compares positions.
pub(in crate::app) const POSITIONS: CellNames = ("position i", "position j");

/// Text in place of a missing number.
const NONE: &str = "–";

/// Displays the cursor's cell and offset, and values at the cursor.
#[component]
pub(in crate::app) fn Readout(
    /// Returns the named values at a cursor. Without a cursor, it returns the names with `None`.
    #[prop(into)]
    read: Callback<Option<Cursor>, Vec<Reading>>,
    /// Names of a cell's row and column.
    #[prop(default = Signal::stored(QUERY_AND_KEY), into)]
    cell_names: Signal<CellNames>,
) -> impl IntoView {
    let url = UrlState::from_context();
    let shared_cursor = CursorState::from_context();
    let place = |at: Option<usize>| at.map_or(NONE.to_owned(), |at| at.to_string());
    let cell = move || shared_cursor.get().and_then(Cursor::cell);
    let offset = move || {
        let offset = shared_cursor.get().and_then(Cursor::offset);
        offset.map_or(NONE.to_owned(), format_signed)
    };
    let readings = Memo::new(move |_| read.run(shared_cursor.get()));
    let names = Memo::new(move |_| {
        readings.with(|readings| readings.iter().map(|(name, _)| *name).collect::<Vec<_>>())
    });
    let value = move |name: &'static str| {
        readings.with(|readings| {
            let reading = readings.iter().find(|(other, _)| *other == name);
            let value = reading.and_then(|(_, value)| *value);
            value.map_or(NONE.to_owned(), number)
        })
    };
    let values = move || {
        let entry = |name| view! { <div><dt>{name}</dt><dd>{move || value(name)}</dd></div> };
        names.get().into_iter().map(entry).collect_view()
    };
    let hint = move || {
        if url.link.with(|link| link.cursor.pin.is_some()) {
            "Pinned. Arrow keys move the pin; Esc releases it."
        } else {
            "Hover over a figure to read values; click to pin."
        }
    };
    view! {
        <section class="readout" aria-label="Cursor">
            <dl aria-live="polite">
                <div><dt>{move || cell_names.get().0}</dt><dd>{move || place(cell().map(|(i, _)| i))}</dd></div>
                <div><dt>{move || cell_names.get().1}</dt><dd>{move || place(cell().map(|(_, j)| j))}</dd></div>
                <div class="accent"><dt>"offset k"</dt><dd>{offset}</dd></div>
                {values}
            </dl>
            <p>{hint}</p>
        </section>
    }
}
