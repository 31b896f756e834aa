//! Parameters of a computed table: rows, width, and base or seed.

use crate::{
    app::{controls::number::NumberField, state::UrlState},
    encoding::{Random, Sinusoidal},
    url_state::{BASES, ModelRef, NumberRange, ROWS, WIDTHS},
};
use leptos::prelude::*;

/// Number fields for the parameters, if a computed table is shown.
#[component]
pub(in crate::app) fn ComputedTable() -> impl IntoView {
    let url = UrlState::from_context();
    // Depends only on the kind of table, so that a field survives typing.
    let last = Memo::new(move |_| {
        url.link.with(|link| match link.model {
            ModelRef::Sinusoidal(_) => Some(("base", NumberRange::all(BASES))),
            ModelRef::Random(_) => Some(("seed", NumberRange::whole(0.0, 1e9))),
            _ => None,
        })
    });
    let number = move |at: usize| {
        let set = move |value: f64| {
            url.link.update(|link| {
                let mut numbers = made_from(&link.model);
                numbers[at] = value;
                link.model = with_parameters(&link.model, numbers);
            });
        };
        let number = Signal::derive(move || url.link.with(|link| made_from(&link.model)[at]));
        (number, set)
    };
    let field = move |name: &'static str, at: usize, allowed: NumberRange| {
        let (value, set) = number(at);
        view! { <NumberField name value allowed set/> }
    };
    let fields = move |(name, allowed)| {
        view! {
            <fieldset class="computed">
                <legend>"Synthetic table"</legend>
                {field("rows n", 0, NumberRange::from_counts(&ROWS))}
                {field("width d", 1, NumberRange::from_counts(&WIDTHS))}
                {field(name, 2, allowed)}
            </fieldset>
        }
    };
    move || last.get().map(fields)
}

/// Returns rows, width, and base or seed of a computed table; zeros for other models.
fn made_from(model: &ModelRef) -> [f64; 3] {
    match model {
        ModelRef::Sinusoidal(table) => [table.rows as f64, table.width as f64, table.base],
        ModelRef::Random(table) => [table.rows as f64, table.width as f64, table.seed as f64],
        _ => [0.0; 3],
    }
}

/// Returns a table of the same kind with other parameters.
fn with_parameters(model: &ModelRef, [rows, width, last]: [f64; 3]) -> ModelRef {
    let (rows, width) = (rows.round() as usize, width.round() as usize);
    match model {
        ModelRef::Sinusoidal(_) => ModelRef::Sinusoidal(Sinusoidal {
            rows,
            width,
            base: last,
        }),
        ModelRef::Random(_) => ModelRef::Random(Random {
            rows,
            width,
            seed: last.round() as u64,
        }),
        other => other.clone(),
    }
}
