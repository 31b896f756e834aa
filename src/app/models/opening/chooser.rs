//! The chooser: which tensors of a file of unknown family are positions, queries and keys.

use super::Opener;
use crate::{
    app::{
        controls::mounted::while_mounted,
        state::page::{Choosing, PageState},
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

/// Tensors listed at once; the filter finds the others.
const LISTED: usize = 200;

/// The queries and the keys that are marked, empty where none are.
type Attention = (String, String);

/// Lists the matrices of a file of unknown family, for as long as one waits for a choice.
#[component]
pub(in crate::app) fn Chooser() -> impl IntoView {
    let state = PageState::from_context();
    // What is marked in it changes under a chooser that stays.
    let first = move || state.choosing.with(|all| all.first().cloned());
    view! {
        <For each=move || first() key=|choosing| choosing.id let:choosing>
            <OpenChooser choosing/>
        </For>
    }
}

#[component]
fn OpenChooser(choosing: Choosing) -> impl IntoView {
    let state = PageState::from_context();
    let filter = RwSignal::new(String::new());
    let tensors = choosing.tensors;
    let found = move || {
        let wanted = filter.get().to_ascii_lowercase();
        let found = tensors
            .iter()
            .filter(|tensor| tensor.name.to_ascii_lowercase().contains(&wanted));
        found.take(LISTED).cloned().collect::<Vec<_>>()
    };
    let cancel = move |_| {
        state.choosing.update(|all| {
            // It may have been answered meanwhile.
            all.drain(..all.len().min(1));
        });
    };
    let transpose = move |event: Targeted<Event, HtmlInputElement>| {
        let transposed = event.target().checked();
        change(state, |choice| choice.transposed = transposed);
    };
    view! {
        <section class="chooser" aria-label="Choose the position table">
            <header>
                <h2>"Which of these is the position table?"</h2>
                <button type="button" class="quiet" on:click=cancel>"Cancel"</button>
            </header>
            <p class="caption">{format!("“{}”: {}", short_name(&choosing.name), choosing.sentence)}</p>
            <p class="caption">"Rows should be positions. To see heads as well, mark the queries and the keys of one layer first. What was open stays open."</p>
            <div class="controls">
                <label class="field">
                    <span>"Filter by name"</span>
                    <input type="search" bind:value=filter/>
                </label>
                <label class="switch">
                    <input
                        type="checkbox"
                        prop:checked=move || chosen(state, |choice| choice.transposed)
                        on:change:target=while_mounted(transpose)
                    />
                    <span>"Queries and keys are stored [in, out]"</span>
                </label>
            </div>
            <ul>
                <For each=found key=|tensor| tensor.name.clone() let:tensor>
                    <Candidate tensor/>
                </For>
            </ul>
        </section>
    }
}

/// A tensor that may be the position table, or the queries or the keys.
#[component]
fn Candidate(tensor: TensorInfo) -> impl IntoView {
    let opener = Opener::from_context();
    let shape: Vec<String> = tensor.shape.iter().map(u64::to_string).collect();
    let name = StoredValue::new(tensor.name.clone());
    let shown = short_name(&tensor.name);
    let title = shown.clone();
    view! {
        <li>
            <button
                type="button"
                class="tensor"
                title=title
                on:click=move |_| name.with_value(|name| opener.choose_table(name))
            >
                <span class="name">{shown}</span>
                <span class="shape">{shape.join(" × ")}</span>
            </button>
            <Role title="queries" tensor=tensor.name.clone() part=|(query, _)| query/>
            <Role title="keys" tensor=tensor.name part=|(_, key)| key/>
        </li>
    }
}

/// Marks a tensor as queries or as keys, or takes the mark away.
#[component]
fn Role(
    title: &'static str,
    tensor: String,
    /// Which of the two it is.
    part: fn(&mut Attention) -> &mut String,
) -> impl IntoView {
    let state = PageState::from_context();
    let label = format!("{title}: {}", short_name(&tensor));
    let tensor = StoredValue::new(tensor);
    let is_marked = move || {
        chosen(state, |choice| {
            let mut attention = choice.attention.clone().unwrap_or_default();
            tensor.with_value(|tensor| part(&mut attention) == tensor)
        })
    };
    let mark = move |_| {
        change(state, |choice| {
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

/// Reads what is chosen so far.
fn chosen(state: PageState, read: impl FnOnce(&ModelOptions) -> bool) -> bool {
    let first = |all: &Vec<Choosing>| all.first().is_some_and(|choosing| read(&choosing.choice));
    state.choosing.with(first)
}

fn change(state: PageState, change: impl FnOnce(&mut ModelOptions)) {
    state.choosing.update(|all| {
        if let Some(choosing) = all.first_mut() {
            change(&mut choosing.choice);
        }
    });
}

impl Opener {
    /// Takes the position table, and queries and keys where both are marked.
    fn choose_table(self, table: &str) {
        let choosing = self
            .state
            .choosing
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
                    return self.state.warn(
                        "Heads need queries and keys. Mark the other of the two as well, or none.",
                    );
                }
            }
        }
        self.choose(choosing.id, choosing.reference, choice, true);
    }
}
