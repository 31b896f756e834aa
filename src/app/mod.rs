//! The page: what knows the browser, and nothing more. Views ask, show and pass on; they compute nothing
//! heavier than the kernels, which answer within a frame.
//!
//! `state` is everything that decides what is shown, `engine` asks the worker, `answers` turns what the
//! state wants into questions, `views` lay figures out. One file, `canvas`, touches canvases.

mod address;
mod answers;
mod canvas;
mod compared;
mod controls;
mod details;
mod download;
mod dynamic;
mod engine;
mod figure_card;
mod figure_view;
mod formulas;
mod held;
mod later;
mod opening;
mod readout;
mod shelf;
mod state;
mod theme;
mod views;

use crate::link::{VIEWS, View};
use answers::Answers;
use dynamic::{attribute, dynamic, list, on, text};
use engine::Engine;
use leptos::prelude::*;
use state::State;
use theme::provide_theme;

/// The page.
#[component]
pub fn App() -> impl IntoView {
    let state = State::from_address();
    let engine = Engine::start();
    provide_context(state);
    provide_theme();
    provide_context(Answers::new(state, engine));
    opening::follow_model(state, engine);
    address::follow_address(state);
    let view = state.part(|link| link.view);
    let links = VIEWS
        .iter()
        .map(|&(view, id, title)| view_link(view, id, title).into_any());
    let figures = dynamic(move || match view.get() {
        View::Positions => views::positions(),
        View::Heads => later::heads(),
        View::Kernels => later::kernels(),
        View::Encodings => later::encodings(),
        View::Compare => later::compare(),
        View::Training => later::training(),
    });
    view! {
        <a class="skip" href="#main">"Skip to the figures"</a>
        <header class="top">
            <span class="brand">
                <svg class="mark" viewBox="0 0 16 16" aria-hidden="true">
                    <path class="mark-b" d="M4 0h4v4H4zM8 4h4v4H8zM12 8h4v4h-4zM0 4h4v4H0zM4 8h4v4H4zM8 12h4v4H8z"></path>
                    <path class="mark-a" d="M0 0h4v4H0zM4 4h4v4H4zM8 8h4v4H8zM12 12h4v4h-4z"></path>
                </svg>
                "Diagonal"
            </span>
            <nav aria-label="Views">{list(links)}</nav>
            <span class="spacer"></span>
            {controls::copy_link(None)}
            {theme::theme_button()}
        </header>
        <div class="body">
            {shelf::shelf()}
            <main id="main" tabindex="-1">{opening::messages()} {opening::chooser()} {figures}</main>
        </div>
        {opening::drop_zone()}
    }
}

fn view_link(view: View, id: &'static str, title: &'static str) -> impl IntoView {
    let state = expect_context::<State>();
    let current = attribute(move || (state.view() == view).then(|| "page".to_owned()));
    let follow = on(move |event: leptos::ev::MouseEvent| {
        // A click with a modifier opens another tab, as links do.
        if !(event.ctrl_key() || event.meta_key() || event.shift_key()) {
            event.prevent_default();
            state.link.update(|link| link.view = view);
        }
    });
    let address = text(move || {
        let mut link = state.link.get();
        link.view = view;
        format!("?{}", link.query())
    });
    view! { <a href=address data-view=id aria-current=current on:click=follow>{title}</a> }
}
