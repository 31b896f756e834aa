//! The page: everything that uses the browser. Views ask questions and display answers. They compute nothing heavier
//! than the kernels, which take less than a frame.
//!
//! `state` holds what determines the content of the page, `query_client` sends questions to the worker, `models` opens
//! and lists models, `views` lay out figures. Only `figure::canvas` draws on canvases.

#![allow(
    unreachable_pub,
    reason = "what `#[component]` makes of a function is public wherever the function is"
)]

mod controls;
mod display;
mod figure;
mod lazy;
mod lesson;
mod models;
mod query_client;
mod shell;
mod state;
#[allow(
    dead_code,
    unused_imports,
    reason = "only the view of texts tokenizes, in a part of its own"
)]
mod tokenizer;
mod training;
mod views;

pub use shell::{panic::show_panics, splash::remove_still};

use crate::url_state::{VIEWS, View};
use controls::drag::DragState;
use display::{repaint::RepaintTrigger, text_size::TextSize, theme::provide_theme};
use figure::{large_figure::LARGE_FIGURE, registry::FigureRegistry};
use lazy::Lazy;
use leptos::prelude::*;
use lesson::LESSON_PANEL;
use models::{
    list::ModelPanel,
    opening::{DropZone, GALLERY_PANEL, MessageList, TENSOR_CHOOSER},
};
use query_client::QueryClient;
use shell::{
    brand::{BRAND, INTRO},
    current_view::CurrentView,
    footer::BACKEND_SELECT,
    header_buttons::HEADER_BUTTONS,
};
use state::{PageState, UrlState, comparison::PageOwner, has_begun};
use views::ViewRenderer;
use wasm_bindgen_futures::spawn_local;

/// The root component.
#[component]
pub fn App() -> impl IntoView {
    let state = PageState::new(shell::address::open_address());
    let client = QueryClient::start();
    let embedded = state.url.link.with_untracked(|link| link.embed.figure);
    state.provide();
    provide_context(client);
    provide_context(ViewRenderer(|| CurrentView().into_any()));
    provide_theme(embedded.is_some());
    FigureRegistry::provide(embedded);
    PageOwner::provide();
    TextSize::provide();
    DragState::provide();
    RepaintTrigger::provide();
    models::opening::provide_opener(state, client);
    shell::address::follow_address(state);
    shell::page_title::follow_title(state);
    let has_started = has_begun(state.models, state.messages);
    let in_lesson = state.url.select(|link| link.lesson.lesson.is_some());
    // In the kernel view, the skip link leads to the sliders.
    let skip_to = move || match state.url.view() {
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
            <h1 class="brand" inner_html=BRAND></h1>
            <nav aria-label="Views">{links}</nav>
            <span class="spacer"></span>
            // Loading the buttons earlier would delay the first figure.
            <Show when=move || has_started.get()>
                <Lazy part=HEADER_BUTTONS inline=true/>
            </Show>
        </header>
        <section class="intro" aria-label="About this page" inner_html=INTRO></section>
        <div class="body">
            <Show when=move || in_lesson.get()>
                <Lazy part=LESSON_PANEL inline=true/>
            </Show>
            <ModelPanel/>
            <main id="main" tabindex="-1">
                <MessageList/>
                <Show when=move || state.messages.table_choices.with(|all| !all.is_empty())>
                    <Lazy part=TENSOR_CHOOSER inline=true/>
                </Show>
                <Show when=move || state.models.is_gallery_open.get()>
                    <Lazy part=GALLERY_PANEL inline=true/>
                </Show>
                <CurrentView/>
                <Show when=move || has_started.get()>
                    <Lazy part=BACKEND_SELECT inline=true/>
                    <Lazy part=LARGE_FIGURE inline=true/>
                </Show>
            </main>
        </div>
        <DropZone/>
    }
}

/// Link to a view, in the row of views. A plain click switches the view without loading the page. The view's code is
/// fetched once the visitor points at the link or reaches it by keyboard.
#[component]
fn ViewLink(view: View, id: &'static str, title: &'static str) -> impl IntoView {
    let url = UrlState::from_context();
    let current = move || (url.view() == view).then_some("page");
    let follow = move |event: leptos::ev::MouseEvent| {
        // With a modifier key, the browser opens a new tab as for any link.
        if !(event.ctrl_key() || event.meta_key() || event.shift_key()) {
            event.prevent_default();
            url.link.update(|link| link.switch_view(view));
        }
    };
    let address = move || {
        let mut link = url.link.get();
        link.switch_view(view);
        format!("?{}", link.query())
    };
    // By the time of the click, the code of the view is often here.
    let fetch = move || {
        if let Some(part) = views::part_of(view) {
            spawn_local(async move {
                // After a failure the view itself loads its code again, and says why it cannot.
                let _ = (part.load)().await;
            });
        }
    };
    let own = NodeRef::new();
    let current_view = url.select(|link| link.view);
    Effect::new(move |_| {
        if current_view.get() == view
            && let Some(link) = own.get()
        {
            // Deferred: measuring while the view is being created would lay out the page half finished.
            request_animation_frame(move || bring_into_sight(&link));
        }
    });
    view! {
        <a
            href=address
            data-view=id
            aria-current=current
            on:pointerenter=move |_| fetch()
            on:focus=move |_| fetch()
            on:click=follow
            node_ref=own
        >
            {title}
        </a>
    }
}

/// Scrolls the row of links horizontally to centre a link.
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
