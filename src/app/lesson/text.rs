//! The text of a step with its numbers filled in. Lesson text is always inserted as text nodes, never as HTML.

use super::interpolation::{DisplayedNumber, StepNumbers};
use crate::app::state::{PageState, go_to};
use leptos::prelude::*;
use lesson_format::{Block, Inline, Number};

/// Paragraphs and lists.
#[component]
pub(super) fn Blocks(
    blocks: Vec<Block>,
    /// The numbers of the step.
    numbers: StepNumbers,
) -> impl IntoView {
    blocks
        .into_iter()
        .map(|block| match block {
            Block::Paragraph(text) => {
                view! { <p dir="auto">{inline(text, numbers)}</p> }.into_any()
            }
            Block::List {
                is_numbered: counted,
                items,
            } => {
                let items = items
                    .into_iter()
                    .map(|item| view! { <li dir="auto">{inline(item, numbers)}</li> })
                    .collect_view();
                if counted {
                    view! { <ol>{items}</ol> }.into_any()
                } else {
                    view! { <ul>{items}</ul> }.into_any()
                }
            }
        })
        .collect_view()
}

/// Renders inline text: plain text, code, emphasis, links and numbers.
pub(super) fn inline(text: Vec<Inline>, numbers: StepNumbers) -> AnyView {
    text.into_iter()
        .map(|piece| match piece {
            Inline::Text(text) => text.into_any(),
            Inline::Code(code) => view! { <code>{code}</code> }.into_any(),
            Inline::Emphasis(text) => view! { <em>{inline(text, numbers)}</em> }.into_any(),
            Inline::Strong(text) => view! { <strong>{inline(text, numbers)}</strong> }.into_any(),
            Inline::Link { to, text } => {
                let text = inline(text, numbers);
                // Links within the page are followed in place; others open in a new tab, without opener or referrer.
                if to.starts_with('?') {
                    view! { <PageLink to>{text}</PageLink> }.into_any()
                } else {
                    view! { <a href=to target="_blank" rel="noopener noreferrer">{text}</a> }
                        .into_any()
                }
            }
            Inline::Number(number) => view! { <FilledNumber number numbers/> }.into_any(),
        })
        .collect_view()
        .into_any()
}

/// A number that follows the displayed figures.
#[component]
fn FilledNumber(
    number: Number,
    /// The numbers of the step.
    numbers: StepNumbers,
) -> impl IntoView {
    let stored = StoredValue::new(number);
    let filled = Memo::new(move |_| stored.with_value(|number| numbers.fill(number)));
    let word = move || filled.with(DisplayedNumber::word);
    let why = move || match filled.get() {
        DisplayedNumber::Missing(why) => Some(why),
        DisplayedNumber::Waiting | DisplayedNumber::There(_) => None,
    };
    view! {
        <span class="filled" data-filled=word title=why>
            {move || {
                filled.track();
                stored.with_value(|number| numbers.displayed_text(number))
            }}
        </span>
    }
}

/// A link to a state of this page. Following it keeps open models.
#[component]
pub(super) fn PageLink(
    /// The query, with its leading `?`.
    #[prop(into)]
    to: String,
    children: Children,
) -> impl IntoView {
    let state = PageState::from_context();
    let query = to.clone();
    let follow = move |event: leptos::ev::MouseEvent| {
        // A click with a modifier opens another tab, as with any link.
        if !(event.ctrl_key() || event.meta_key() || event.shift_key()) {
            event.prevent_default();
            let now = state.url.link.get_untracked();
            let (link, warnings) = now.in_state(&query);
            go_to(state, link, &warnings);
        }
    };
    view! { <a href=to on:click=follow>{children()}</a> }
}
