//! Models on the Hub whose attention over a text is worth seeing. A suggestion fills the field for a name, and fetches
//! nothing.

use crate::app::controls::focus::focusable;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlInputElement};

/// Names on the Hub, what they are, and their size in half precision in MB.
const MODELS: &[(&str, &str, u32)] = &[
    (
        "albert/albert-base-v2",
        "ALBERT base v2, the TISA paper’s model",
        24,
    ),
    ("prajjwal1/bert-mini", "BERT mini", 22),
    ("FacebookAI/roberta-base", "RoBERTa base", 250),
    ("openai-community/gpt2", "GPT-2", 250),
    ("EleutherAI/pythia-70m", "Pythia 70M, rotary", 140),
    ("HuggingFaceTB/SmolLM2-135M", "SmolLM2 135M, rotary", 270),
];

/// The suggestions.
#[component]
pub(super) fn Suggestions() -> impl IntoView {
    let each = MODELS.iter().map(|(name, about, size)| {
        view! {
            <li>
                <button type="button" class="quiet" on:click=move |_| fill(name)>{*name}</button>
                " " <span class="hint">{format!("{about}, about {size} MB")}</span>
            </li>
        }
    });
    view! {
        <div class="suggestions">
            <p>"Whole models to try. A click fills the field “Open from the web”; nothing is fetched before you press Open."</p>
            <ul>{each.collect_view()}</ul>
        </div>
    }
}

/// Writes a name into the field for a model’s name or address, and moves the focus there.
fn fill(name: &str) {
    let field = focusable("#from-web").and_then(|field| field.dyn_into::<HtmlInputElement>().ok());
    if let Some(field) = field {
        field.set_value(name);
        // The form follows the event, not the value. Ignored: both calls succeed for a displayed field.
        if let Ok(event) = Event::new("input") {
            let _ = field.dispatch_event(&event);
        }
        let _ = field.focus();
    }
}
