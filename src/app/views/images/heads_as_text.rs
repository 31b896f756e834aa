//! The heads as an editable table, in the CSV format of the figure's export.

use super::demonstration::ImageDemonstration;
use crate::{
    app::controls::while_mounted::while_mounted,
    figure::{Figure, images::PixelHeads},
    kernel_io::heads_of_csv,
};
use leptos::{
    ev::{Event, Targeted},
    prelude::*,
};
use web_sys::HtmlTextAreaElement;

/// The table, in a section that is folded at first.
#[component]
pub(super) fn HeadsAsText() -> impl IntoView {
    let demonstration = ImageDemonstration::from_context();
    let text = Memo::new(move |_| {
        let table = demonstration
            .heads
            .with(|heads| PixelHeads::new(heads, 0, None).table());
        table.csv()
    });
    let error: RwSignal<Option<String>> = RwSignal::new(None);
    // The error was about another text.
    Effect::new(move || {
        text.track();
        error.set(None);
    });
    let take = move |typed: String| match heads_of_csv(&typed) {
        Ok(heads) => {
            error.set(None);
            demonstration.choose(|chosen| chosen.heads = Some(heads));
        }
        Err(why) => error.set(Some(format!("The heads were not changed: {why}"))),
    };
    let change = move |event: Targeted<Event, HtmlTextAreaElement>| take(event.target().value());
    let is_refused = move || error.with(|why| why.is_some().then_some("true"));
    view! {
        <details class="heads-as-text">
            <summary>"The heads as a table"</summary>
            <label class="written">
                <span>"One row per head. Paste another table, or open one as a CSV file"</span>
                <textarea
                    rows="11"
                    spellcheck="false"
                    aria-invalid=is_refused
                    prop:value=text
                    on:change:target=while_mounted(change)
                ></textarea>
                <span class="allowed" aria-live="polite">{error}</span>
            </label>
        </details>
    }
}
