//! A text field for a list of whole numbers.

use crate::app::controls::while_mounted::while_mounted;
use leptos::{ev, html, prelude::*};

/// Text field for whole numbers with commas or spaces between them. Rejected text stays in the field, and a sentence
/// below gives the reason.
#[component]
pub(super) fn NumberListField(
    /// Displayed and accessible name.
    name: &'static str,
    /// Text of the empty field.
    #[prop(optional)]
    placeholder: &'static str,
    /// The numbers.
    numbers: Memo<Vec<usize>>,
    /// Parses the typed text; the error is the sentence.
    read: fn(&str) -> Result<Vec<usize>, String>,
    /// Called with the typed numbers.
    #[prop(into)]
    set: Callback<Vec<usize>>,
) -> impl IntoView {
    let field = NodeRef::<html::Input>::new();
    let error: RwSignal<Option<String>> = RwSignal::new(None);
    let text = Memo::new(move |_| {
        numbers.with(|numbers| {
            let numbers = numbers.iter().map(usize::to_string);
            numbers.collect::<Vec<_>>().join(", ")
        })
    });
    // The field may report a change while its view and its signals are being disposed of.
    let show = move || {
        if let (Some(field), Some(text)) = (
            field.try_get_untracked().flatten(),
            text.try_get_untracked(),
        ) {
            field.set_value(&text);
            error.try_set(None);
        }
    };
    let take = move |event: ev::Event| match read(&event_target_value(&event)) {
        Ok(numbers) => {
            set.run(numbers);
            show();
        }
        Err(sentence) => {
            error.try_set(Some(sentence));
        }
    };
    let press = move |event: ev::KeyboardEvent| {
        if event.key() == "Escape" {
            show();
        }
    };
    view! {
        <label class="choice">
            <span>{name}</span>
            <span class="number number-list">
            <input
                type="text"
                autocomplete="off"
                spellcheck="false"
                placeholder=placeholder
                aria-label=name
                aria-invalid=move || error.with(Option::is_some).then_some("true")
                node_ref=field
                prop:value=text
                on:change=while_mounted(take)
                on:keydown=while_mounted(press)
            />
            <span class="allowed" aria-live="polite">{error}</span>
            </span>
        </label>
    }
}
