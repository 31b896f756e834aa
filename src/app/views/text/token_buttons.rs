//! Buttons over the tokens of the strip. They make each token reachable by keyboard and screen reader.

use crate::{
    app::{
        controls::while_mounted::while_mounted, display::text_size::TextSize,
        figure::width::width_of,
    },
    figure::{
        Rect,
        heads::{Arrow, next_place},
    },
};
use leptos::{ev::KeyboardEvent, html::Div, prelude::*};
use std::sync::Arc;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// A button over every token. Arrow keys move between tokens, Home and End to the ends of the text.
#[component]
pub(super) fn TokenButtons(
    /// Accessible names of the tokens, in their order.
    labels: Memo<Arc<[String]>>,
    /// Returns the rectangles of the tokens in a figure of a width, both in figure units.
    #[prop(into)]
    places: Callback<f64, Vec<Rect>>,
    /// The selected token.
    #[prop(into)]
    selected: Signal<Option<usize>>,
    /// Called with a token that is clicked.
    #[prop(into)]
    select: Callback<usize>,
    /// Called with the token under the pointer or with the focus, and with `None` when there is none.
    #[prop(into)]
    point: Callback<Option<usize>>,
) -> impl IntoView {
    let layer = NodeRef::<Div>::new();
    let width = width_of(layer);
    let text = TextSize::from_context();
    let places: Memo<Vec<Rect>> =
        Memo::new(move |_| text.in_pixels(width.get(), |width| places.run(width)));
    let focused = RwSignal::new(0_usize);
    let count = Memo::new(move |_| labels.with(|labels| labels.len()));
    let tab_stop = Memo::new(move |_| focused.get().min(count.get().saturating_sub(1)));
    let on_key = move |event: KeyboardEvent| {
        let from = tab_stop.get_untracked();
        let by = |arrow| places.with_untracked(|places| next_place(places, from, arrow));
        let next = match event.key().as_str() {
            "ArrowLeft" => by(Arrow::Left),
            "ArrowRight" => by(Arrow::Right),
            "ArrowUp" => by(Arrow::Up),
            "ArrowDown" => by(Arrow::Down),
            "Home" => Some(0),
            "End" => count.get_untracked().checked_sub(1),
            _ => return,
        };
        event.prevent_default();
        if let (Some(next), Some(layer)) = (next, layer.get_untracked()) {
            focused.set(next);
            let button = layer.query_selector(&format!("[data-token='{next}']"));
            let button = button.ok().flatten();
            if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
                // Ignored: focusing a displayed button does not fail.
                let _ = button.focus();
            }
        }
    };
    let button = move |at: usize| {
        let place = Memo::new(move |_| places.with(|places| places.get(at).copied()));
        let label = move || labels.with(|labels| labels.get(at).cloned().unwrap_or_default());
        let length = move |side: fn(&Rect) -> f64| {
            move || {
                let length = place.with(|place| place.as_ref().map_or(0.0, side));
                format!("{length}px")
            }
        };
        let enter = move || {
            focused.set(at);
            point.run(Some(at));
        };
        view! {
            <button
                type="button"
                data-token=at.to_string()
                aria-label=label
                title=label
                aria-pressed=move || (selected.get() == Some(at)).to_string()
                tabindex=move || if tab_stop.get() == at { "0" } else { "-1" }
                style:left=length(|place| place.x)
                style:top=length(|place| place.y)
                style:width=length(|place| place.width)
                style:height=length(|place| place.height)
                on:click=move |_| select.run(at)
                on:focus=move |_| enter()
                on:blur=while_mounted(move |_| point.run(None))
                on:pointerenter=move |_| point.run(Some(at))
                on:pointerleave=while_mounted(move |_| point.run(None))
            ></button>
        }
    };
    view! {
        <div class="head-buttons tokens" role="group" aria-label="Tokens" node_ref=layer on:keydown=while_mounted(on_key)>
            <For each=move || 0..count.get() key=|at| *at children=button/>
        </div>
    }
}
