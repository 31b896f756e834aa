//! The tensor chooser: which tensors of a file are positions, words, queries and keys, and how its rows are read.

use super::Opener;
use crate::app::lazy::lazy_view;
use crate::{
    app::{
        controls::{
            buttons::{Select, options},
            number::NumberInput,
            while_mounted::while_mounted,
        },
        state::{Messages, TableChoice},
    },
    checkpoint::TensorInfo,
    model::ModelOptions,
    short_text::short_name,
    url_state::{MOST_LEFT_OUT, NumberRange},
};
use leptos::{
    ev::{Event, Targeted},
    prelude::*,
};
use web_sys::HtmlInputElement;

/// Most tensors listed. The filter finds the others.
const MOST_LISTED: usize = 200;
/// Most norms listed. A model's file has some hundred.
const MOST_NORMS: usize = 1000;

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
    let opener = Opener::from_context();
    let tensors = choosing.tensors;
    // Vectors are no tables. They are listed as norms alone.
    let is_vector = |tensor: &TensorInfo| tensor.shape.len() == 1;
    let norms = tensors.iter().filter(|tensor| is_vector(tensor));
    let norms = norms.take(MOST_NORMS);
    let norms: Vec<String> = norms.map(|tensor| tensor.name.clone()).collect();
    let candidates = move || {
        let pattern = filter.get().to_ascii_lowercase();
        let candidates = tensors
            .iter()
            .filter(|tensor| !is_vector(tensor))
            .filter(|tensor| tensor.name.to_ascii_lowercase().contains(&pattern));
        candidates.take(MOST_LISTED).cloned().collect::<Vec<_>>()
    };
    let cancel = move |_| opener.cancel_choice();
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
            <p class="caption">"Rows should be positions. To see heads as well, mark the queries and the keys of one layer first, and the token embeddings if the file has them. Open models stay open."</p>
            <div class="controls">
                <label class="field">
                    <span>"Filter by name"</span>
                    <input type="search" bind:value=filter/>
                </label>
                <label class="switch">
                    <input
                        type="checkbox"
                        prop:checked=move || read_options(messages, |choice| choice.is_transposed).unwrap_or(false)
                        on:change:target=while_mounted(transpose)
                    />
                    <span>"Queries and keys are stored [in, out]"</span>
                </label>
                <NormChoice norms/>
            </div>
            <div class="controls">
                <Count name="Rows to leave out at the beginning" most=MOST_LEFT_OUT read=|choice| Some(choice.left_out.0) write=|choice, count| choice.left_out.0 = count.unwrap_or(0)/>
                <Count name="Rows to leave out at the end" most=MOST_LEFT_OUT read=|choice| Some(choice.left_out.1) write=|choice, count| choice.left_out.1 = count.unwrap_or(0)/>
                <Count name="Patches: rows" most=MOST_SIDE read=|choice| side(choice.patches?.0) write=|choice, count| set_sides(choice, |sides| sides.0 = count.unwrap_or(0))/>
                <Count name="Patches: columns" most=MOST_SIDE read=|choice| side(choice.patches?.1) write=|choice, count| set_sides(choice, |sides| sides.1 = count.unwrap_or(0))/>
                <Count name="Heads per layer" most=MOST_HEADS read=|choice| choice.heads write=|choice, count| choice.heads = count.filter(|count| *count > 0)/>
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
            <Role title="words" tensor=tensor.name.clone() part=words_of/>
            <Role title="queries" tensor=tensor.name.clone() part=query_of/>
            <Role title="keys" tensor=tensor.name part=key_of/>
        </li>
    }
}

/// A toggle that marks a tensor as words, queries or keys.
#[component]
fn Role(
    title: &'static str,
    tensor: String,
    /// The option that holds the marked tensor; empty if none is marked.
    part: fn(&mut ModelOptions) -> &mut String,
) -> impl IntoView {
    let messages = Messages::from_context();
    let label = format!("{title}: {}", short_name(&tensor));
    let tensor = StoredValue::new(tensor);
    let is_marked = move || {
        read_options(messages, |choice| {
            let mut choice = choice.clone();
            tensor.with_value(|tensor| part(&mut choice) == tensor)
        })
    };
    let mark = move |_| {
        change_options(messages, |choice| {
            let option = part(choice);
            let name = tensor.get_value();
            *option = if *option == name { String::new() } else { name };
        });
    };
    view! {
        <button type="button" class="role" aria-label=label aria-pressed=move || is_marked().unwrap_or(false).to_string() on:click=mark>
            {title}
        </button>
    }
}

fn words_of(choice: &mut ModelOptions) -> &mut String {
    choice.words.get_or_insert_default()
}

fn query_of(choice: &mut ModelOptions) -> &mut String {
    &mut choice.attention.get_or_insert_default().0
}

fn key_of(choice: &mut ModelOptions) -> &mut String {
    &mut choice.attention.get_or_insert_default().1
}

/// Choice of the `LayerNorm` before the attention.
#[component]
fn NormChoice(norms: Vec<String>) -> impl IntoView {
    let messages = Messages::from_context();
    let none = (None, "none".to_owned());
    let names = norms.iter().enumerate();
    let names = names.map(|(at, name)| (Some(at), short_name(name)));
    let titles = options(std::iter::once(none).chain(names));
    let norms = StoredValue::new(norms);
    let value = Signal::derive(move || {
        let norm = read_options(messages, |choice| choice.norm.clone()).flatten()?;
        norms.with_value(|norms| norms.iter().position(|name| *name == norm))
    });
    let set = move |at: Option<usize>| {
        let norm = at.and_then(|at| norms.with_value(|norms| norms.get(at).cloned()));
        change_options(messages, |choice| choice.norm = norm);
    };
    view! { <Select label="LayerNorm before the attention" options=titles value set/> }
}

/// A field for a number of rows, columns or heads.
#[component]
fn Count(
    name: &'static str,
    most: u32,
    read: fn(&ModelOptions) -> Option<u32>,
    write: fn(&mut ModelOptions, Option<u32>),
) -> impl IntoView {
    let messages = Messages::from_context();
    let value = Signal::derive(move || {
        let count = read_options(messages, read).flatten();
        count.map(f64::from)
    });
    let set =
        move |count: f64| change_options(messages, |choice| write(choice, Some(count as u32)));
    let clear = move |()| change_options(messages, |choice| write(choice, None));
    view! {
        <label class="field">
            <span>{name}</span>
            <NumberInput name value allowed=NumberRange::whole(0.0, f64::from(most)) set clear/>
        </label>
    }
}

/// Most rows or columns of patches.
const MOST_SIDE: u32 = 4096;
/// Most heads of a layer.
const MOST_HEADS: u32 = 1024;

/// A side of the grid, if it is set.
fn side(length: u32) -> Option<u32> {
    Some(length).filter(|length| *length > 0)
}

/// Changes the grid. A side that is not set yet is 0.
fn set_sides(choice: &mut ModelOptions, change: impl FnOnce(&mut (u32, u32))) {
    let mut sides = choice.patches.unwrap_or_default();
    change(&mut sides);
    choice.patches = Some(sides).filter(|sides| *sides != (0, 0));
}

/// Reads the options of the oldest pending choice.
fn read_options<T>(messages: Messages, read: impl FnOnce(&ModelOptions) -> T) -> Option<T> {
    let first = |all: &Vec<TableChoice>| all.first().map(|choosing| read(&choosing.choice));
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
    /// Drops the oldest pending choice. A model that was open before is shown again.
    fn cancel_choice(self) {
        let choices = self.state.messages.table_choices;
        let choosing = choices.with_untracked(|all| all.first().cloned());
        choices.update(|all| {
            // The choice may be settled by now.
            all.drain(..all.len().min(1));
        });
        if choosing.is_some_and(|choosing| choosing.choice.asks_for_tensors) {
            self.revise(|choice| choice);
        }
    }

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
        (choice.source, choice.asks_for_tensors) = (None, false);
        choice.words = choice.words.filter(|words| !words.is_empty());
        choice.patches = choice
            .patches
            .filter(|(rows, columns)| *rows > 0 && *columns > 0);
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
