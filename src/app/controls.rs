//! Controls that figures share. Each is one function whatever it chooses among: options are numbered.

use super::{
    download,
    dynamic::{click, count, list, on, text, yes_no},
    state::State,
};
use crate::link::finite_number;
use leptos::prelude::*;
use std::{sync::Arc, time::Duration};

/// A choice among options: which is chosen, and choosing another.
#[derive(Clone)]
pub(super) struct Options {
    names: Vec<String>,
    chosen: Signal<usize>,
    choose: Arc<dyn Fn(usize) + Send + Sync>,
}

impl Options {
    /// Options by value and name.
    pub(super) fn new<T, N: Into<String>>(
        options: impl IntoIterator<Item = (T, N)>,
        value: impl Fn() -> T + Send + Sync + 'static,
        set: impl Fn(T) + Send + Sync + 'static,
    ) -> Self
    where
        T: Copy + PartialEq + Send + Sync + 'static,
    {
        let (values, names): (Vec<T>, Vec<String>) = options
            .into_iter()
            .map(|(value, name)| (value, name.into()))
            .unzip();
        let known = values.clone();
        Self {
            names,
            chosen: count(move || {
                let value = value();
                known
                    .iter()
                    .position(|option| *option == value)
                    .unwrap_or(usize::MAX)
            }),
            choose: Arc::new(move |at| {
                if let Some(value) = values.get(at) {
                    set(*value);
                }
            }),
        }
    }

    /// One of a few, side by side.
    pub(super) fn segmented(self, label: &'static str) -> AnyView {
        let Self {
            names,
            chosen,
            choose,
        } = self;
        let buttons = names.into_iter().enumerate().map(|(at, name)| {
            let choose = Arc::clone(&choose);
            let pressed = yes_no(move || chosen.get() == at);
            let choose = click(move || choose(at));
            view! { <button type="button" aria-pressed=pressed on:click=choose>{name}</button> }
                .into_any()
        });
        view! { <div class="segmented" role="group" aria-label=label>{list(buttons)}</div> }
            .into_any()
    }

    /// One of many, from a list.
    pub(super) fn select(self, label: &'static str) -> AnyView {
        let Self {
            names,
            chosen,
            choose,
        } = self;
        let change = on(move |event: leptos::ev::Event| {
            if let Ok(at) = event_target_value(&event).parse::<usize>() {
                choose(at);
            }
        });
        let entries = names
            .into_iter()
            .enumerate()
            .map(|(at, name)| view! { <option value=at.to_string()>{name}</option> }.into_any());
        // Options first, so that the value finds the one it names.
        let value = text(move || chosen.get().to_string());
        view! {
            <label class="choice">
                <span>{label}</span>
                <select on:change=change prop:value=value>{list(entries)}</select>
            </label>
        }
        .into_any()
    }
}

/// A number typed in; what lies outside `low` … `high` is brought inside.
pub(super) fn number_input(
    name: String,
    value: Signal<f64>,
    low: f64,
    high: f64,
    set: impl Fn(f64) + 'static,
) -> AnyView {
    let change = on(move |event: leptos::ev::Event| {
        let field: web_sys::HtmlInputElement = event_target(&event);
        if let Some(typed) = finite_number(&field.value()) {
            set(typed.clamp(low, high));
        }
        // What is shown is what counts, also when the typed number was brought inside or is none.
        field.set_value(&value.get_untracked().to_string());
    });
    let shown = text(move || value.get().to_string());
    view! { <input type="number" step="any" aria-label=name prop:value=shown on:change=change/> }
        .into_any()
}

/// A number with its name before it.
pub(super) fn number_field(
    name: &'static str,
    value: Signal<f64>,
    low: f64,
    high: f64,
    set: impl Fn(f64) + 'static,
) -> AnyView {
    let input = number_input(name.to_owned(), value, low, high, set);
    view! { <div class="field"><span aria-hidden="true">{name}</span> {input}</div> }.into_any()
}

/// Puts the address of what is shown on the clipboard; for a figure, so that the page scrolls to it.
pub(super) fn copy_link(figure: Option<&'static str>) -> AnyView {
    let state = expect_context::<State>();
    let said = RwSignal::new(String::new());
    let copy = click(move || {
        let anchor = figure.map_or(String::new(), |id| format!("#{id}"));
        let address = state.address() + &anchor;
        let shown = address.clone();
        download::copy(&address, move |copied| {
            if copied {
                said.set("Copied".to_owned());
                set_timeout(move || said.set(String::new()), Duration::from_millis(1600));
            } else {
                state.say(
                    false,
                    format!("This browser keeps the clipboard from the page. The link: {shown}"),
                );
            }
        });
    });
    let name = if figure.is_some() {
        "Link"
    } else {
        "Copy link"
    };
    let shown = text(move || {
        said.with(|said| {
            if said.is_empty() {
                name.to_owned()
            } else {
                said.clone()
            }
        })
    });
    let class = if figure.is_some() { "" } else { "quiet" };
    view! {
        <button type="button" class=class aria-label="Copy link" title="Copy link" on:click=copy>
            <span aria-live="polite">{shown}</span>
        </button>
    }
    .into_any()
}
