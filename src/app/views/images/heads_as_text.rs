//! The heads as a table that can be read, copied and written: what the figure saves as CSV.

use super::demonstration::ImageDemonstration;
use crate::{
    app::controls::mounted::while_mounted,
    figure::{Figure, images::GaussianHeads},
    kernel_io::heads_of_csv,
};
use leptos::{
    ev::{Event, Targeted},
    prelude::*,
};
use web_sys::HtmlTextAreaElement;

/// The table, folded until somebody wants it.
#[component]
pub(super) fn HeadsAsText() -> impl IntoView {
    let shown = ImageDemonstration::from_context();
    let text = Memo::new(move |_| {
        let table = shown
            .heads
            .with(|heads| GaussianHeads::new(heads, 0, None).table());
        table.csv()
    });
    let refused: RwSignal<Option<String>> = RwSignal::new(None);
    // What was said of a text is not true of another.
    Effect::new(move || {
        text.track();
        refused.set(None);
    });
    let take = move |typed: String| match heads_of_csv(&typed) {
        Ok(heads) => {
            refused.set(None);
            shown.choose(|chosen| chosen.heads = Some(heads));
        }
        Err(why) => refused.set(Some(format!("No heads were taken: {why}"))),
    };
    let change = move |event: Targeted<Event, HtmlTextAreaElement>| take(event.target().value());
    let is_refused = move || refused.with(|why| why.is_some().then_some("true"));
    view! {
        <details class="heads-as-text">
            <summary>"The heads as a table"</summary>
            <label class="written">
                <span>"A row a head; paste another table, or open one as a CSV file"</span>
                <textarea
                    rows="11"
                    spellcheck="false"
                    aria-invalid=is_refused
                    prop:value=text
                    on:change:target=while_mounted(change)
                ></textarea>
                <span class="allowed" aria-live="polite">{refused}</span>
            </label>
        </details>
    }
}
