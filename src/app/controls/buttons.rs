//! Buttons and choices that figures share.

use super::{download, while_mounted::while_mounted};
use crate::{
    app::state::message::Message,
    app::state::{Messages, UrlState, address_of},
    url_state::{FigureId, LessonSection, MOST_MODELS},
};
use leptos::{html, prelude::*};
use std::time::Duration;

/// Values that a choice can offer.
pub(in crate::app) trait OptionValue:
    Copy + PartialEq + Send + Sync + 'static
{
}

impl<T: Copy + PartialEq + Send + Sync + 'static> OptionValue for T {}

/// Pairs each option with its displayed name.
pub(in crate::app) fn options<T: OptionValue, N: Into<String>>(
    options: impl IntoIterator<Item = (T, N)>,
) -> Vec<(T, String)> {
    options
        .into_iter()
        .map(|(value, name)| (value, name.into()))
        .collect()
}

/// A row of toggle buttons, one per option. Use [`Select`] for long lists.
#[component]
pub(in crate::app) fn SegmentedButtons<T: OptionValue>(
    /// Accessible name of the group.
    label: &'static str,
    /// Values and their displayed names.
    options: Vec<(T, String)>,
    /// The selected value.
    #[prop(into)]
    value: Signal<T>,
    /// Called with the selected value.
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

/// A button that can be disabled without losing focus. It sets `aria-disabled` instead of `disabled`: a disabled button
/// loses the focus, and a click on this button may be what disables it.
#[component]
pub(in crate::app) fn ActionButton(
    /// Content: text or an icon.
    text: impl IntoView + 'static,
    /// Accessible name, if the text is not enough.
    #[prop(optional, into)]
    label: Option<String>,
    /// Tooltip of an icon button.
    #[prop(optional)]
    title: Option<&'static str>,
    /// Whether clicks do nothing.
    #[prop(into)]
    idle: Signal<bool>,
    /// Click handler.
    #[prop(into)]
    press: Callback<()>,
    /// Reference to the element.
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
            // Tab skips the button while it is idle.
            tabindex=move || idle.get().then_some("-1")
            on:click=click
        >
            {text}
        </button>
    }
}

/// A drop-down list with a label.
#[component]
pub(in crate::app) fn Select<T: OptionValue>(
    /// Displayed label.
    label: &'static str,
    /// Values and their displayed names.
    options: Vec<(T, String)>,
    /// The selected value.
    #[prop(into)]
    value: Signal<T>,
    /// Called with the selected value.
    #[prop(into)]
    set: Callback<T>,
) -> impl IntoView {
    let values: Vec<T> = options.iter().map(|(value, _)| *value).collect();
    let values_by_index = values.clone();
    let at = Memo::new(move |_| {
        values_by_index
            .iter()
            .position(|option| *option == value.get())
    });
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
    // The options come first, so that `prop:value` finds the option it selects.
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

/// Copies the page's address to the clipboard. For a figure the address ends in its anchor, so that the page scrolls to
/// it.
#[component]
pub(in crate::app) fn CopyLink(
    /// The figure, if the link is for one.
    #[prop(optional)]
    figure: Option<FigureId>,
) -> impl IntoView {
    let url = UrlState::from_context();
    let messages = Messages::from_context();
    let address = move || {
        // More models may be open than a link can name; tell the user how many it omits.
        let more = url.link.with_untracked(|link| link.models.more);
        if more > 0 {
            messages.notify(format!(
                "A link names at most {MOST_MODELS} models, and {more} of the open ones are not in it. The files that are in it are spread from the first to the last."
            ));
        }
        let anchor = figure.map_or(String::new(), |figure| format!("#{}", figure.id()));
        url.address() + &anchor
    };
    let class = if figure.is_some() { "" } else { "quiet" };
    view! { <CopyButton name="Copy link" label="Copy link" class text=Callback::new(move |()| address())/> }
}

/// Copies the HTML of an `<iframe>` that embeds a figure in another page.
#[component]
pub(in crate::app) fn CopyEmbed(
    figure: FigureId,
    /// Title of the figure; becomes the frame's `title`.
    title: Signal<String>,
) -> impl IntoView {
    let url = UrlState::from_context();
    let frame = move || {
        let mut link = url.link.get_untracked();
        link.embed.figure = Some(figure);
        link.lesson = LessonSection::default();
        let address = address_of(&link).replace('&', "&amp;").replace('"', "%22");
        let title = title
            .get_untracked()
            .replace('&', "&amp;")
            .replace('"', "&quot;");
        format!(
            "<iframe src=\"{address}\" title=\"{title}\" width=\"100%\" height=\"{EMBED_HEIGHT}\" style=\"border: 0\" loading=\"lazy\" allow=\"clipboard-write; fullscreen\"></iframe>"
        )
    };
    view! { <CopyButton name="Copy embed code" label="Copy embed code" class="" text=Callback::new(move |()| frame())/> }
}

/// Height of an embedded frame in CSS pixels, until the embedded page reports its own.
const EMBED_HEIGHT: u16 = 640;

/// Copies a text to the clipboard and shows “Copied” for 1.6 seconds.
#[component]
pub(in crate::app) fn CopyButton(
    /// Displayed text.
    name: &'static str,
    /// Accessible name and tooltip.
    label: &'static str,
    class: &'static str,
    /// Forms the text when the button is clicked.
    #[prop(into)]
    text: Callback<(), String>,
) -> impl IntoView {
    let messages = Messages::from_context();
    let copy = move |on_copied: Callback<()>| {
        let text = text.run(());
        let fallback = text.clone();
        download::copy(&text, move |is_copied| {
            if is_copied {
                // Ignored: the button may have been unmounted meanwhile.
                let _ = on_copied.try_run(());
            } else {
                messages.push(Message::verbatim(format!(
                    "This browser does not let the page use the clipboard. Copy it from here: {fallback}"
                )));
            }
        });
    };
    view! { <ClipboardButton name label class copy/> }
}

/// A button that copies, and shows “Copied” for 1.6 seconds.
#[component]
pub(in crate::app) fn ClipboardButton(
    /// Displayed text.
    name: &'static str,
    /// Accessible name and tooltip.
    label: &'static str,
    class: &'static str,
    /// Whether there is nothing to copy.
    #[prop(optional, into)]
    missing: Signal<bool>,
    /// Copies when the button is clicked. Its argument is to be called once the copy is on the clipboard.
    #[prop(into)]
    copy: Callback<Callback<()>>,
) -> impl IntoView {
    let copied = RwSignal::new(false);
    let on_copied = Callback::new(move |()| {
        copied.set(true);
        // The view may be unmounted by then.
        let end = move || {
            let _ = copied.try_set(false);
        };
        set_timeout(end, Duration::from_millis(1600));
    });
    view! {
        <button type="button" class=class aria-label=label title=label disabled=missing on:click=move |_| copy.run(on_copied)>
            <span aria-live="polite">{move || if copied.get() { "Copied" } else { name }}</span>
        </button>
    }
}
