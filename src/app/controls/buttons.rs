//! Controls that figures share.

use super::{download, mounted::while_mounted};
use crate::{
    app::{shell::message::Message, state::page::PageState},
    url_state::{LazySection, MOST_MODELS, figure_named},
};
use leptos::{html, prelude::*};
use std::time::Duration;

/// What a choice may hold.
pub(in crate::app) trait OptionValue:
    Copy + PartialEq + Send + Sync + 'static
{
}

impl<T: Copy + PartialEq + Send + Sync + 'static> OptionValue for T {}

/// Options by value and name.
pub(in crate::app) fn options<T: OptionValue, N: Into<String>>(
    options: impl IntoIterator<Item = (T, N)>,
) -> Vec<(T, String)> {
    options
        .into_iter()
        .map(|(value, name)| (value, name.into()))
        .collect()
}

/// One of a few options, side by side.
#[component]
pub(in crate::app) fn Segmented<T: OptionValue>(
    /// What is chosen, for those who cannot see it.
    label: &'static str,
    /// Values and their names.
    options: Vec<(T, String)>,
    /// The value that is chosen.
    #[prop(into)]
    value: Signal<T>,
    /// Chooses a value.
    #[prop(into)]
    set: Callback<T>,
) -> impl IntoView {
    let buttons = options.into_iter().map(|(option, name)| {
        view! {
            <button
                type="button"
                aria-pressed=move || (value.get() == option).to_string()
                on:click=move |_| set.run(option)
            >
                {name}
            </button>
        }
    });
    view! { <div class="segmented" role="group" aria-label=label>{buttons.collect_view()}</div> }
}

/// A button that may have nothing to do. It says that it is disabled and is not, for a disabled button loses the
/// focus, and it may be its own press that left it nothing.
#[component]
pub(in crate::app) fn ActionButton(
    /// What stands on it: words or an icon.
    text: impl IntoView + 'static,
    /// Its name, where its text does not say enough.
    #[prop(optional, into)]
    label: Option<String>,
    /// What it does, in a word, where an icon stands on it.
    #[prop(optional)]
    title: Option<&'static str>,
    /// Whether it has nothing to do.
    #[prop(into)]
    idle: Signal<bool>,
    /// What it does.
    #[prop(into)]
    press: Callback<()>,
    /// The button on the page.
    #[prop(optional)]
    button: NodeRef<html::Button>,
) -> impl IntoView {
    let click = move |_| {
        if !idle.get_untracked() {
            press.run(());
        }
    };
    view! {
        <button
            type="button"
            node_ref=button
            title=title
            aria-label=label
            aria-disabled=move || idle.get().then_some("true")
            // The next Tab passes it by.
            tabindex=move || idle.get().then_some("-1")
            on:click=click
        >
            {text}
        </button>
    }
}

/// One of many options, from a list.
#[component]
pub(in crate::app) fn Select<T: OptionValue>(
    /// What is chosen.
    label: &'static str,
    /// Values and their names.
    options: Vec<(T, String)>,
    /// The value that is chosen.
    #[prop(into)]
    value: Signal<T>,
    /// Chooses a value.
    #[prop(into)]
    set: Callback<T>,
) -> impl IntoView {
    let values: Vec<T> = options.iter().map(|(value, _)| *value).collect();
    let known = values.clone();
    let at = Memo::new(move |_| known.iter().position(|option| *option == value.get()));
    let change =
        move |event: leptos::ev::Targeted<leptos::ev::Event, web_sys::HtmlSelectElement>| {
            let at = usize::try_from(event.target().selected_index());
            if let Some(value) = at.ok().and_then(|at| values.get(at)) {
                set.run(*value);
            }
        };
    let entries = options.into_iter().enumerate();
    let entries =
        entries.map(|(at, (_, name))| view! { <option value=at.to_string()>{name}</option> });
    // Options first, so that the value finds the one it names.
    view! {
        <label class="choice">
            <span>{label}</span>
            <select
                on:change:target=while_mounted(change)
                prop:value=move || at.get().map_or(String::new(), |at| at.to_string())
            >
                {entries.collect_view()}
            </select>
        </label>
    }
}

/// Puts the address of what is shown on the clipboard; for a figure, so that the page scrolls to it.
#[component]
pub(in crate::app) fn CopyLink(
    /// The figure, if it is of one.
    #[prop(optional)]
    figure: Option<&'static str>,
) -> impl IntoView {
    let state = PageState::from_context();
    let address = move || {
        // A run may be longer than a link: whoever copies it hears what it leaves out.
        let more = state
            .link
            .with_untracked(|link| link.models.text("more-models").map(str::to_owned));
        if let Some(more) = more {
            state.say(format!(
                "A link names at most {MOST_MODELS} models, and {more} of the open ones are not in it. The files that are in it are spread from the first to the last."
            ));
        }
        let anchor = figure.map_or(String::new(), |id| format!("#{id}"));
        state.address() + &anchor
    };
    let name = if figure.is_some() {
        "Link"
    } else {
        "Copy link"
    };
    let class = if figure.is_some() { "" } else { "quiet" };
    view! { <CopyButton name label="Copy link" class text=Callback::new(move |()| address())/> }
}

/// Puts on the clipboard what another page needs to show this figure.
#[component]
pub(in crate::app) fn CopyEmbed(
    /// The figure's identifier.
    figure: &'static str,
    /// Its title.
    title: Signal<String>,
) -> impl IntoView {
    let state = PageState::from_context();
    let frame = move || {
        let mut link = state.link.get_untracked();
        link.embed.figure = figure_named(figure);
        link.lesson = LazySection::default();
        let address = state
            .address_of(&link)
            .replace('&', "&amp;")
            .replace('"', "%22");
        let title = title
            .get_untracked()
            .replace('&', "&amp;")
            .replace('"', "&quot;");
        format!(
            "<iframe src=\"{address}\" title=\"{title}\" width=\"100%\" height=\"{EMBED_HEIGHT}\" style=\"border: 0\" loading=\"lazy\" allow=\"clipboard-write; fullscreen\"></iframe>"
        )
    };
    view! { <CopyButton name="Embed" label="Copy embed" class="" text=Callback::new(move |()| frame())/> }
}

/// How high a frame with a figure is, in CSS pixels, until its page says otherwise.
const EMBED_HEIGHT: u16 = 640;

/// Puts a text on the clipboard, and says that it has.
#[component]
fn CopyButton(
    /// What stands on it.
    name: &'static str,
    /// Its name.
    label: &'static str,
    /// Its class.
    class: &'static str,
    /// The text.
    #[prop(into)]
    text: Callback<(), String>,
) -> impl IntoView {
    let state = PageState::from_context();
    let copied = RwSignal::new(false);
    let copy = move |_| {
        let text = text.run(());
        let shown = text.clone();
        download::copy(&text, move |done| {
            if done {
                copied.set(true);
                // The view may be gone by then.
                let end = move || {
                    let _ = copied.try_set(false);
                };
                set_timeout(end, Duration::from_millis(1600));
            } else {
                state.tell(Message::verbatim(format!(
                    "This browser does not let the page use the clipboard. Copy it from here: {shown}"
                )));
            }
        });
    };
    view! {
        <button type="button" class=class aria-label=label title=label on:click=copy>
            <span aria-live="polite">{move || if copied.get() { "Copied" } else { name }}</span>
        </button>
    }
}
