//! The notation card: symbols and words of the page, with formulas and places in the papers.

use crate::page_reference::{NOTATION, NotationEntry};
use leptos::prelude::*;

/// The notation as a list of definitions.
#[component]
pub(super) fn NotationCard() -> impl IntoView {
    let entries = NOTATION.iter().map(|entry| view! { <NotationRow entry/> });
    view! { <dl class="notation">{entries.collect_view()}</dl> }
}

#[component]
fn NotationRow(entry: &'static NotationEntry) -> impl IntoView {
    let formula = |formula: &'static str| {
        (!formula.is_empty()).then(|| view! { <span class="formula" inner_html=formula></span> })
    };
    let source = (!entry.source.is_empty()).then(|| view! { <p class="hint">{entry.source}</p> });
    view! {
        <div>
            <dt>{formula(entry.symbol.0)} <span>{entry.name}</span></dt>
            <dd>
                <p>{entry.definition}</p>
                {formula(entry.formula.0)}
                {source}
            </dd>
        </div>
    }
}
