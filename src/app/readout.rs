//! The cursor in numbers: query, key, offset, and what figures say there.

use super::state::State;
use crate::figure::{Cursor, number, signed};
use leptos::prelude::*;

/// A named value at the cursor.
pub(super) type Reading = (&'static str, Option<f64>);

/// The cursor's numbers; `read` gives what the view's figures say at it.
#[component]
pub(super) fn Readout(read: impl Fn(Cursor) -> Vec<Reading> + Send + Sync + 'static) -> impl IntoView {
    let state = expect_context::<State>();
    let pinned = state.part(|link| link.pin.is_some());
    let fields = move || {
        let cursor = state.cursor();
        let cell = cursor.and_then(|cursor| match cursor {
            Cursor::Cell(i, j) => Some((i, j)),
            Cursor::Offset(_) => None,
        });
        let place = |at: Option<usize>| at.map_or("–".to_owned(), |at| at.to_string());
        let offset = cursor.map_or("–".to_owned(), |cursor| signed(cursor.offset()));
        let values = read(cursor.unwrap_or(Cursor::Offset(0)));
        let mut fields = vec![
            ("query i", place(cell.map(|(i, _)| i)), false),
            ("key j", place(cell.map(|(_, j)| j)), false),
            ("offset k", offset, true),
        ];
        fields.extend(values.into_iter().map(|(name, value)| {
            let value = cursor.and(value).map_or("–".to_owned(), number);
            (name, value, false)
        }));
        fields
            .into_iter()
            .map(|(name, value, accent)| {
                view! { <div class:accent=accent><dt>{name}</dt><dd>{value}</dd></div> }
            })
            .collect_view()
    };
    let hint = move || {
        if pinned.get() {
            "Pinned. Click it again or press Escape to let go; arrow keys move it."
        } else {
            "Point at a figure; click to pin, arrow keys move."
        }
    };
    view! {
        <section class="readout" aria-label="Cursor">
            <dl aria-live="polite">{fields}</dl>
            <p>{hint}</p>
        </section>
    }
}
