//! Controls that figures share.

use super::{download, state::State};
use leptos::prelude::*;
use std::time::Duration;

/// One of a few, side by side.
#[component]
pub(super) fn Segmented<T: Copy + PartialEq + Send + Sync + 'static>(
    label: &'static str,
    options: Vec<(T, &'static str)>,
    #[prop(into)] value: Signal<T>,
    set: impl Fn(T) + Copy + 'static,
) -> impl IntoView {
    let buttons = options.into_iter().map(|(option, name)| {
        let pressed = move || if value.get() == option { "true" } else { "false" };
        view! {
            <button type="button" aria-pressed=pressed on:click=move |_| set(option)>{name}</button>
        }
    });
    view! { <div class="segmented" role="group" aria-label=label>{buttons.collect_view()}</div> }
}

/// One of many, from a list.
#[component]
pub(super) fn Choice<T: Copy + PartialEq + Send + Sync + 'static>(
    label: &'static str,
    options: Vec<(T, String)>,
    #[prop(into)] value: Signal<T>,
    set: impl Fn(T) + Copy + 'static,
) -> impl IntoView {
    let values: Vec<T> = options.iter().map(|(option, _)| *option).collect();
    let change = move |event: leptos::ev::Event| {
        if let Some(option) = event_target_value(&event).parse().ok().and_then(|at: usize| values.get(at)) {
            set(*option);
        }
    };
    let entries = options.into_iter().enumerate().map(|(at, (option, name))| {
        let chosen = move || value.get() == option;
        view! { <option value=at.to_string() selected=chosen>{name}</option> }
    });
    view! {
        <label class="choice">
            <span>{label}</span>
            <select on:change=change>{entries.collect_view()}</select>
        </label>
    }
}

/// A whole number typed in; what lies outside is brought inside.
#[component]
pub(super) fn NumberField(
    label: &'static str,
    #[prop(into)] value: Signal<f64>,
    low: f64,
    high: f64,
    set: impl Fn(f64) + Copy + 'static,
) -> impl IntoView {
    let change = move |event: leptos::ev::Event| {
        let field: web_sys::HtmlInputElement = event_target(&event);
        if let Ok(typed) = field.value().trim().parse::<f64>()
            && typed.is_finite()
        {
            set(typed.clamp(low, high));
        }
        // What is shown is what counts, also when the typed number was brought inside or is none.
        field.set_value(&value.get_untracked().to_string());
    };
    view! {
        <label class="field">
            <span>{label}</span>
            <input
                type="number"
                min=low
                max=high
                step="any"
                prop:value=move || value.get().to_string()
                on:change=change
            />
        </label>
    }
}

/// Puts the address of what is shown on the clipboard; for a figure, so that the page scrolls to it.
#[component]
pub(super) fn CopyLink(#[prop(optional)] figure: Option<&'static str>) -> impl IntoView {
    let state = expect_context::<State>();
    let said = RwSignal::new(None::<&'static str>);
    let copy = move |_| {
        let anchor = figure.map_or(String::new(), |id| format!("#{id}"));
        let address = state.address() + &anchor;
        let shown = address.clone();
        download::copy(&address, move |copied| {
            if copied {
                said.set(Some("Copied"));
                set_timeout(move || said.set(None), Duration::from_millis(1600));
            } else {
                state.say(false, format!("This browser keeps the clipboard from the page. The link: {shown}"));
            }
        });
    };
    let name = if figure.is_some() { "Link" } else { "Copy link" };
    view! {
        <button type="button" class="quiet" class:quiet=figure.is_none() aria-label="Copy link" title="Copy link" on:click=copy>
            <span aria-live="polite">{move || said.get().unwrap_or(name)}</span>
        </button>
    }
}
