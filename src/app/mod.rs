//! The page: what knows the browser, and nothing more. Views ask, show and pass on; they compute nothing
//! heavier than the kernels, which answer within a frame.
//!
//! `state` is everything that decides what is shown, `engine` asks the worker, `opening` opens models, `views`
//! lay figures out. One file, `canvas`, touches canvases.

#![allow(
    unreachable_pub,
    reason = "what `#[component]` makes of a function is public wherever the function is"
)]

mod controls;
mod figure;
mod lesson;
mod models;
mod query_client;
mod shell;
mod state;
mod views;

pub use shell::panic::show_panics;
pub use shell::splash::remove_still;

use crate::url_state::{VIEWS, View};
use leptos::prelude::*;
use models::list::ModelList;
use models::opening::{DropZone, Messages};
use query_client::QueryClient;
use shell::lazy_views::Lazy;
use shell::shown_view::ShownView;
use state::page::PageState;

use shell::text_size::TextSize;
use shell::theme::provide_theme;

/// The page.
#[component]
pub fn App() -> impl IntoView {
    let state = PageState::new(shell::address::open_address());
    let engine = QueryClient::start();
    let embedded = state.link.with_untracked(|link| link.embed.figure);
    provide_context(state);
    provide_context(engine);
    provide_theme(embedded.is_some());
    figure::registry::FigureRegistry::provide(embedded.map(|figure| figure.id));
    state::comparison::PageOwner::provide();
    TextSize::provide();
    controls::drag::DragState::provide();
    figure::repaint::RepaintTrigger::provide();
    models::opening::follow_model(state, engine);
    shell::address::follow_address(state);
    shell::page_title::follow_title(state);
    let begun = state.begun();
    let in_lesson = state.part(|link| link.lesson.text("lesson").is_some());
    // In the workbench the sliders come first.
    let skip_to = move || match state.view() {
        View::Kernels => "#sliders",
        _ => "#main",
    };
    let links = VIEWS
        .iter()
        .map(|&(view, id, title)| view! { <ViewLink view id title/> })
        .collect_view();
    view! {
        <a class="skip" href=skip_to>"Skip to the figures"</a>
        <header class="top">
            <h1 class="brand">
                <svg class="mark" viewBox="0 0 16 16" aria-hidden="true">
                    <path class="mark-b" d="M4 0h4v4H4zM8 4h4v4H8zM12 8h4v4h-4zM0 4h4v4H0zM4 8h4v4H4zM8 12h4v4H8z"></path>
                    <path class="mark-a" d="M0 0h4v4H0zM4 4h4v4H4zM8 8h4v4H8zM12 12h4v4h-4z"></path>
                </svg>
                "Diagonal"
            </h1>
            <p class="tagline">"See how transformers know what stands where."</p>
            <nav aria-label="Views">{links}</nav>
            <span class="spacer"></span>
            // What is fetched for them would hold up the first figure.
            <Show when=move || begun.get()>
                <Lazy part=shell::lazy_views::TOOLS inline=true/>
            </Show>
        </header>
        <div class="body">
            <Show when=move || in_lesson.get()>
                <Lazy part=shell::lazy_views::LESSON inline=true/>
            </Show>
            <ModelList/>
            <main id="main" tabindex="-1">
                <Messages/>
                <Show when=move || state.choosing.with(|all| !all.is_empty())>
                    <Lazy part=shell::lazy_views::CHOOSER inline=true/>
                </Show>
                <Show when=move || state.lists_paper.get()>
                    <Lazy part=shell::lazy_views::PAPER_LIST inline=true/>
                </Show>
                <ShownView/>
                <Show when=move || begun.get()>
                    <Lazy part=shell::lazy_views::COMPUTING inline=true/>
                </Show>
            </main>
        </div>
        <DropZone/>
    }
}

/// The way to a view, which is also a link to it.
#[component]
fn ViewLink(view: View, id: &'static str, title: &'static str) -> impl IntoView {
    let state = PageState::from_context();
    let current = move || (state.view() == view).then_some("page");
    let follow = move |event: leptos::ev::MouseEvent| {
        // A click with a modifier opens another tab, as links do.
        if !(event.ctrl_key() || event.meta_key() || event.shift_key()) {
            event.prevent_default();
            state.link.update(|link| link.view = view);
        }
    };
    let address = move || {
        let mut link = state.link.get();
        link.view = view;
        format!("?{}", link.query())
    };
    let own = NodeRef::new();
    let shown = state.part(|link| link.view);
    Effect::new(move |_| {
        if shown.get() == view
            && let Some(link) = own.get()
        {
            // Not while the view is being made, or the page would be laid out with half of it.
            request_animation_frame(move || bring_into_sight(&link));
        }
    });
    view! { <a href=address data-view=id aria-current=current on:click=follow node_ref=own>{title}</a> }
}

/// Scrolls the row of links, where it is wider than the window, so that a link of it stands in the middle.
fn bring_into_sight(link: &web_sys::HtmlAnchorElement) {
    if let Some(row) = link.parent_element() {
        let (of_link, of_row) = (
            link.get_bounding_client_rect(),
            row.get_bounding_client_rect(),
        );
        let aside = of_link.left() - of_row.left() - 0.5 * (of_row.width() - of_link.width());
        row.set_scroll_left(row.scroll_left() + aside as i32);
    }
}
