//! Buttons over the cells of a grid of heads. They make each head of the canvas reachable by keyboard and screen reader.

use crate::{
    app::{
        controls::while_mounted::while_mounted,
        display::text_size::TextSize,
        figure::width::width_of,
        state::{OpenHead, UrlState},
    },
    figure::{
        Rect,
        heads::{Arrow, next_place},
    },
    url_state::Link,
};
use leptos::{ev::KeyboardEvent, html::Div, prelude::*};
use std::collections::HashMap;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// Layer and head, from 0.
pub(super) type HeadPlace = (usize, usize);

/// A button over every head of a grid. A click opens the head; with Shift, or with Shift and Enter, a head of the model
/// is shown beside the open one. One button is in the tab order; arrow keys move from there.
#[component]
pub(super) fn GridButtons(
    /// The heads, in the order of the grid.
    heads: Memo<Vec<HeadPlace>>,
    /// Returns the rectangles of the heads in a figure of a width, both in figure units.
    #[prop(into)]
    places: Callback<f64, Vec<Rect>>,
    /// Accessible name of each head.
    labels: Memo<HashMap<HeadPlace, String>>,
    /// Height below each rectangle that belongs to its button, in CSS pixels.
    #[prop(optional)]
    below: f64,
    /// Name of the data attribute that identifies a head: `head`, `fit`, `section` or `text-head`.
    #[prop(default = "head")]
    attribute: &'static str,
    /// The open head, if it is not that of the positions.
    #[prop(optional, into)]
    open: Option<Signal<Option<HeadPlace>>>,
) -> impl IntoView {
    let url = UrlState::from_context();
    let open_head = OpenHead::from_context();
    let layer = NodeRef::<Div>::new();
    let width = width_of(layer);
    let text = TextSize::from_context();
    let places: Memo<Vec<Rect>> =
        Memo::new(move |_| text.in_pixels(width.get(), |width| places.run(width)));
    let current = Memo::new(move |_| match open {
        Some(open) => open.get(),
        None => open_head.get().map(|head| (head.layer, head.head)),
    });
    // Until the open head has arrived, the first head is the tab stop.
    let tab_stop = Memo::new(move |_| {
        let open = current.get();
        heads.with(|heads| {
            open.filter(|open| heads.contains(open))
                .or(heads.first().copied())
        })
    });
    let takes_second = attribute == "head";
    let on_key = move |event: KeyboardEvent| {
        if event.shift_key() && event.key() == "Enter" && takes_second {
            if let Some(focused) = tab_stop.get_untracked() {
                event.prevent_default();
                choose_second(url, focused);
            }
            return;
        }
        let arrow = match event.key().as_str() {
            "ArrowLeft" => Arrow::Left,
            "ArrowRight" => Arrow::Right,
            "ArrowUp" => Arrow::Up,
            "ArrowDown" => Arrow::Down,
            _ => return,
        };
        event.prevent_default();
        let next = heads.with_untracked(|heads| {
            let from = tab_stop.get_untracked()?;
            let from = heads.iter().position(|head| *head == from)?;
            let to = places.with_untracked(|places| next_place(places, from, arrow))?;
            heads.get(to).copied()
        });
        if let (Some(next), Some(layer)) = (next, layer.get_untracked()) {
            open_in(url, next);
            focus(&layer, attribute, next);
        }
    };
    let each = move || {
        keep_focus();
        heads.get()
    };
    let button = move |at: ReadSignal<usize>, head: HeadPlace| {
        let place = Memo::new(move |_| places.with(|places| places.get(at.get()).copied()));
        let label = move || labels.with(|labels| labels.get(&head).cloned().unwrap_or_default());
        let label = Memo::new(move |_| label());
        view! { <GridButton head attribute place label below current tab_stop/> }
    };
    view! {
        <div class="head-buttons" node_ref=layer on:keydown=while_mounted(on_key)>
            <ForEnumerate each key=|head| *head children=button/>
        </div>
    }
}

/// Button that opens a head.
#[component]
fn GridButton(
    head: HeadPlace,
    attribute: &'static str,
    /// Rectangle of its cell.
    place: Memo<Option<Rect>>,
    /// Its accessible name.
    label: Memo<String>,
    /// Height below the rectangle that belongs to the button.
    below: f64,
    /// The open head.
    current: Memo<Option<HeadPlace>>,
    /// The head whose button is in the tab order.
    tab_stop: Memo<Option<HeadPlace>>,
) -> impl IntoView {
    let url = UrlState::from_context();
    let second = OpenHead::from_context();
    let is_second = Memo::new(move |_| {
        let second = second.second().filter(|_| attribute == "head");
        second.is_some_and(|second| (second.layer, second.head) == head)
    });
    let label = move || match is_second.get() {
        true => format!("{}, beside the open head", label.get()),
        false => label.get(),
    };
    let length = move |side: fn(&Rect) -> f64, more: f64| {
        move || {
            let length = place.with(|place| place.as_ref().map_or(0.0, side));
            format!("{}px", length + more)
        }
    };
    // Style properties, not a style attribute, which the content security policy forbids.
    view! {
        <button
            type="button"
            data-head=(attribute == "head").then(|| name_of(head))
            data-fit=(attribute == "fit").then(|| name_of(head))
            data-section=(attribute == "section").then(|| name_of(head))
            data-text-head=(attribute == "text-head").then(|| name_of(head))
            data-second=move || is_second.get().then_some("")
            aria-label=label
            title=label
            aria-pressed=move || (current.get() == Some(head)).to_string()
            tabindex=move || if tab_stop.get() == Some(head) { "0" } else { "-1" }
            style:left=length(|place| place.x, 0.0)
            style:top=length(|place| place.y, 0.0)
            style:width=length(|place| place.width, 0.0)
            style:height=length(|place| place.height, below)
            on:click=move |event| match event.shift_key() && attribute == "head" {
                true => choose_second(url, head),
                false => open_in(url, head),
            }
        ></button>
    }
}

fn name_of((layer, head): HeadPlace) -> String {
    format!("{}-{}", layer + 1, head + 1)
}

fn open_in(url: UrlState, head: HeadPlace) {
    url.link
        .update(|link: &mut Link| (link.heads.layer, link.heads.head) = head);
}

/// Shows a head beside the open one.
fn choose_second(url: UrlState, head: HeadPlace) {
    url.link
        .update(|link: &mut Link| link.heads.second = Some(head));
}

/// Moves the focus to a head's button.
fn focus(buttons: &Element, attribute: &str, head: HeadPlace) {
    let selector = format!("button[data-{attribute}='{}']", name_of(head));
    let button = buttons.query_selector(&selector).ok().flatten();
    if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
        // Ignored: focusing a displayed button does not fail.
        let _ = button.focus();
    }
}

/// Restores the focus of the focused head button: the browser drops it when the button is moved among its siblings.
fn keep_focus() {
    let focused = document().active_element();
    let is_button = |element: &Element| element.matches(".head-buttons > button");
    let focused = focused.filter(|element| is_button(element).unwrap_or(false));
    if let Some(button) = focused.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        request_animation_frame(move || {
            // Ignored: the button may be removed by then.
            let _ = button.focus();
        });
    }
}
