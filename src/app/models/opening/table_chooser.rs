//! The tensor chooser: which tensors of a file of unknown family are positions, queries and keys.

use super::Opener;
use crate::app::lazy::lazy_view;
use crate::{
    app::{
        controls::while_mounted::while_mounted,
        state::{Messages, TableChoice},
    },
    checkpoint::TensorInfo,
    model::ModelOptions,
    short_text::short_name,
};
use leptos::{
    ev::{Event, Targeted},
    prelude::*,
};
use web_sys::HtmlInputElement;

/// Most tensors listed. The filter finds the others.
const MOST_LISTED: usize = 200;

/// Names of the marked queries and keys; empty if not marked.
type Attention = (String, String);

lazy_view! {
    /// The tensor chooser, as a lazy part.
    pub(in crate::app) const TENSOR_CHOOSER = Chooser in details;
}

/// Displays the oldest pending choice.
#[component]
fn Chooser() -> impl IntoView {
    let messages = Messages::from_context();
    // Keyed by the model's number, so that the chooser stays mounted while marks change.
    let first = move || messages.table_choices.with(|all| all.first().cloned());
    view! {
        <For each=move || first() key=|choosing| choosing.id let:choosing>
            <OpenChooser choosing/>
        </For>
    }
}

#[component]
fn OpenChooser(choosing: TableChoice) -> impl IntoView {
    let messages = Messages::from_context();
    let filter = RwSignal::new(String::new());
    let tensors = choosing.tensors;
    let candidates = move || {
        let pattern = filter.get().to_ascii_lowercase();
        let candidates = tensors
            .iter()
            .filter(|tensor| tensor.name.to_ascii_lowercase().contains(&pattern));
        candidates.take(MOST_LISTED).cloned().collect::<Vec<_>>()
    };
    let cancel = move |_| {
        messages.table_choices.update(|all| {
            // The choice may be settled by now.
            all.drain(..all.len().min(1));
        });
    };
    let transpose = move |event: Targeted<Event, HtmlInputElement>| {
        let transposed = event.target().checked();
        change_options(messages, |choice| choice.is_transposed = transposed);
    };
    view! {
        <section class="chooser" aria-label="Choose the position table">
            <header>
                <h2>"Which of these is the position table?"</h2>
                <button type="button" class="quiet" on:click=cancel>"Cancel"</button>
            </header>
            <p class="caption">{format!("“{}”: {}", short_name(&choosing.name), choosing.sentence)}</p>
            <p class="caption">"Rows should be positions. To see heads as well, mark the queries and the keys of one layer first. Open models stay open."</p>
            <div class="controls">
                <label class="field">
                    <span>"Filter by name"</span>
                    <input type="search" bind:value=filter/>
                </label>
                <label class="switch">
                    <input
                        type="checkbox"
                        prop:checked=move || read_options(messages, |choice| choice.is_transposed)
                        on:change:target=while_mounted(transpose)
                    />
                    <span>"Queries and keys are stored [in, out]"</span>
                </label>
            </div>
            <ul>
                <For each=candidates key=|tensor| tensor.name.clone() let:tensor>
                    <TensorCandidate tensor/>
                </For>
            </ul>
        </section>
    }
}

/// An entry of the chooser: choosing it as position table, or marking it as queries or keys.
#[component]
fn TensorCandidate(tensor: TensorInfo) -> impl IntoView {
    let opener = Opener::from_context();
    let shape: Vec<String> = tensor.shape.iter().map(u64::to_string).collect();
    let name = StoredValue::new(tensor.name.clone());
    let label = short_name(&tensor.name);
    let title = label.clone();
    view! {
        <li>
            <button
                type="button"
                class="tensor"
                title=title
                on:click=move |_| name.with_value(|name| opener.choose_table(name))
            >
                <span class="name">{label}</span>
                <span class="shape">{shape.join(" × ")}</span>
            </button>
            <Role title="queries" tensor=tensor.name.clone() part=|(query, _)| query/>
            <Role title="keys" tensor=tensor.name part=|(_, key)| key/>
        </li>
    }
}

/// A toggle that marks a tensor as queries or as keys.
#[component]
fn Role(
    title: &'static str,
    tensor: String,
    /// Selects queries or keys.
    part: fn(&mut Attention) -> &mut String,
) -> impl IntoView {
    let messages = Messages::from_context();
    let label = format!("{title}: {}", short_name(&tensor));
    let tensor = StoredValue::new(tensor);
    let is_marked = move || {
        read_options(messages, |choice| {
            let mut attention = choice.attention.clone().unwrap_or_default();
            tensor.with_value(|tensor| part(&mut attention) == tensor)
        })
    };
    let mark = move |_| {
        change_options(messages, |choice| {
            let mut attention = choice.attention.take().unwrap_or_default();
            let marked = part(&mut attention);
            let name = tensor.get_value();
            *marked = if *marked == name { String::new() } else { name };
            choice.attention = Some(attention);
        });
    };
    view! {
        <button type="button" class="role" aria-label=label aria-pressed=move || is_marked().to_string() on:click=mark>
            {title}
        </button>
    }
}

/// Reads the options of the oldest pending choice.
fn read_options(messages: Messages, read: impl FnOnce(&ModelOptions) -> bool) -> bool {
    let first = |all: &Vec<TableChoice>| all.first().is_some_and(|choosing| read(&choosing.choice));
    messages.table_choices.with(first)
}

/// Changes the options of the oldest pending choice.
fn change_options(messages: Messages, change: impl FnOnce(&mut ModelOptions)) {
    messages.table_choices.update(|all| {
        if let Some(choosing) = all.first_mut() {
            change(&mut choosing.choice);
        }
    });
}

impl Opener {
    /// Opens the file with this position table, and with queries and keys if both are marked.
    fn choose_table(self, table: &str) {
        let choosing = self
            .state
            .messages
            .table_choices
            .with_untracked(|all| all.first().cloned());
        let Some(choosing) = choosing else {
            return;
        };
        let mut choice = choosing.choice;
        choice.table = Some(table.to_owned());
        if let Some((query, key)) = choice.attention.take() {
            match (query.is_empty(), key.is_empty()) {
                (true, true) => {}
                (false, false) => choice.attention = Some((query, key)),
                _ => {
                    return self.state.messages.warn(
                        "Heads need queries and keys. Mark the other of the two as well, or none.",
                    );
                }
            }
        }
        self.reopen(choosing.id, choosing.reference, choice, true);
    }
}
