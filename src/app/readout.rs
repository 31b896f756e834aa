//! The cursor in numbers: query, key, offset, and what figures say there.

use super::{
    dynamic::{dynamic, list, text},
    state::State,
};
use crate::figure::{Cursor, number, signed};
use leptos::prelude::*;

/// A named value at the cursor.
pub(super) type Reading = (&'static str, Option<f64>);

/// The cursor's numbers; `read` gives what the view's figures say at it.
pub(super) fn readout(read: impl Fn(Cursor) -> Vec<Reading> + Send + Sync + 'static) -> AnyView {
    let state = expect_context::<State>();
    let fields = dynamic(move || {
        let cursor = state.cursor();
        let cell = cursor.and_then(Cursor::cell);
        let place = |at: Option<usize>| at.map_or("–".to_owned(), |at| at.to_string());
        let offset = cursor
            .and_then(Cursor::offset)
            .map_or("–".to_owned(), signed);
        let mut fields = vec![
            ("", "query i", place(cell.map(|(i, _)| i))),
            ("", "key j", place(cell.map(|(_, j)| j))),
            ("accent", "offset k", offset),
        ];
        fields.extend(
            read(cursor.unwrap_or(Cursor::Offset(0)))
                .into_iter()
                .map(|(name, value)| ("", name, cursor.and(value).map_or("–".to_owned(), number))),
        );
        list(fields.into_iter().map(|(class, name, value)| {
            view! { <div class=class><dt>{name}</dt><dd>{value}</dd></div> }.into_any()
        }))
    });
    let hint = text(move || {
        if state.link.with(|link| link.cursor.pin.is_some()) {
            "Pinned: arrow keys move it, Escape lets go."
        } else {
            "Point at a figure; click to pin, arrow keys move."
        }
        .to_owned()
    });
    view! {
        <section class="readout" aria-label="Cursor">
            <dl aria-live="polite">{fields}</dl>
            <p>{hint}</p>
        </section>
    }
    .into_any()
}
