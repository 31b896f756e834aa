//! The dialog of reference texts: about the page, its notation, its keyboard shortcuts. Links with `data-opens` and
//! keys open it, wherever they are on the page. The browser moves the focus into the dialog and back. The texts are a
//! lazy part.

mod about;
mod notation;
mod shortcuts;

use crate::{
    app::{
        controls::{
            focus::{focus_next, focusable},
            keys::is_typed_into,
            while_mounted::while_mounted,
        },
        lazy::{Lazy, lazy_view},
        state::{PageState, go_to},
    },
    url_state::Link,
};
use leptos::{
    ev::{self, KeyboardEvent, MouseEvent},
    html,
    prelude::*,
};
use wasm_bindgen::JsCast;
use web_sys::Element;

/// A text of the dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReferenceText {
    About,
    Notation,
    Shortcuts,
}

impl ReferenceText {
    /// Finds a text by its name in links.
    fn from_id(id: &str) -> Option<Self> {
        match id {
            "about" => Some(Self::About),
            "notation" => Some(Self::Notation),
            "shortcuts" => Some(Self::Shortcuts),
            _ => None,
        }
    }

    /// Finds a text by the key that opens it.
    fn from_key(event: &KeyboardEvent) -> Option<Self> {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return None;
        }
        match event.key().as_str() {
            "n" => Some(Self::Notation),
            "?" => Some(Self::Shortcuts),
            _ => None,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::About => "About Diagonal",
            Self::Notation => "Notation",
            Self::Shortcuts => "Keyboard shortcuts",
        }
    }
}

/// The open text, as context of the lazy part.
#[derive(Debug, Clone, Copy)]
struct OpenText(RwSignal<Option<ReferenceText>>);

/// The dialog, closed at first.
#[component]
pub(super) fn ReferenceDialog() -> impl IntoView {
    let state = PageState::from_context();
    let open = RwSignal::new(None::<ReferenceText>);
    provide_context(OpenText(open));
    let dialog = NodeRef::<html::Dialog>::new();
    let show = move |text: ReferenceText| {
        open.set(Some(text));
        if let Some(dialog) = dialog.get_untracked().filter(|dialog| !dialog.open()) {
            // Ignored: fails only if the dialog is open, or not mounted.
            let _ = dialog.show_modal();
        }
    };
    let close = move || {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
    };
    let clicks = window_event_listener(ev::click, move |event| {
        let Some((link, what)) = link_of(&event) else {
            return;
        };
        event.prevent_default();
        match what.as_str() {
            "tour" => take_tour(state, &link),
            "chooser" => show_chooser(),
            id => {
                if let Some(text) = ReferenceText::from_id(id) {
                    show(text);
                }
            }
        }
    });
    let keys = window_event_listener(ev::keydown, move |event| {
        if let Some(text) = ReferenceText::from_key(&event)
            && !event.default_prevented()
            && !is_typed_into(&event)
        {
            event.prevent_default();
            show(text);
        }
    });
    let show_anchor = move || {
        let anchor = window().location().hash().unwrap_or_default();
        if let Some(text) = ReferenceText::from_id(anchor.trim_start_matches('#')) {
            show(text);
        }
    };
    let anchors = window_event_listener(ev::hashchange, move |_| show_anchor());
    on_cleanup(move || {
        clicks.remove();
        keys.remove();
        anchors.remove();
    });
    // A link that was followed before this part was loaded has left its anchor.
    request_animation_frame(show_anchor);
    // The keys of the page, such as those of a presentation, do not reach it from the dialog.
    let press = move |event: KeyboardEvent| {
        event.stop_propagation();
        if let Some(text) = ReferenceText::from_key(&event) {
            event.prevent_default();
            if open.get_untracked() == Some(text) {
                close();
            } else {
                open.set(Some(text));
            }
        }
    };
    // Only the area around the dialog has the dialog itself as target.
    let close_outside = move |event: MouseEvent| {
        let clicked = event
            .target()
            .and_then(|target| target.dyn_into::<Element>().ok());
        if clicked.is_some_and(|element| element.tag_name() == "DIALOG") {
            close();
        }
    };
    view! {
        <dialog
            class="reference"
            aria-labelledby="reference-title"
            node_ref=dialog
            on:close=while_mounted(move |_: ev::Event| open.set(None))
            on:keydown=while_mounted(press)
            on:click=close_outside
        >
            <header>
                <h2 id="reference-title">{move || open.get().map_or("Reference", ReferenceText::title)}</h2>
                <button type="button" class="quiet" aria-label="Close" on:click=move |_| close()>"×"</button>
            </header>
            <div class="text" role="region" aria-labelledby="reference-title" tabindex="0">
                <Show when=move || open.with(Option::is_some)>
                    <Lazy part=REFERENCE inline=true/>
                </Show>
            </div>
        </dialog>
    }
}

/// Returns the link with `data-opens` that a click is on, and what it opens. With a modifier key, the browser opens a
/// new tab as for any link.
fn link_of(event: &MouseEvent) -> Option<(Element, String)> {
    if event.ctrl_key() || event.meta_key() || event.shift_key() {
        return None;
    }
    let clicked: Element = event.target()?.dyn_into().ok()?;
    let link = clicked.closest("[data-opens]").ok().flatten()?;
    let what = link.get_attribute("data-opens")?;
    Some((link, what))
}

/// Opens the lesson that the link names, and keeps the models that are open.
fn take_tour(state: PageState, link: &Element) {
    let query = link.get_attribute("href").unwrap_or_default();
    let (link, warnings) = Link::parse(&query);
    go_to(state, link, &warnings);
}

/// Moves the focus to the field for files. Unfolds the model list first where it is folded.
fn show_chooser() {
    if let Some(fold) = focusable(".shelf:not([data-unfolded]) .fold")
        && fold.offset_height() > 0
    {
        // In a frame of its own, since this runs in a listener for clicks.
        request_animation_frame(move || fold.click());
    }
    focus_next(|| focusable("#open-file"));
}

lazy_view! {
    /// The texts of the dialog, as a lazy part.
    const REFERENCE = OpenTextView in lessons;
}

/// The open text.
#[component]
fn OpenTextView() -> impl IntoView {
    let OpenText(open) = expect_context();
    move || match open.get()? {
        ReferenceText::About => Some(view! { <about::AboutText/> }.into_any()),
        ReferenceText::Notation => Some(view! { <notation::NotationCard/> }.into_any()),
        ReferenceText::Shortcuts => Some(view! { <shortcuts::ShortcutList/> }.into_any()),
    }
}
