//! The text of a step with its numbers filled in. Lesson text is inserted as text nodes, never as HTML; formulas are
//! inserted as MathML, in which the lesson format escapes all text.

use super::interpolation::{DisplayedNumber, StepNumbers};
use crate::app::state::{PageState, go_to};
use leptos::prelude::*;
use lesson_format::{Block, Inline, LessonFormula, Number};
use std::mem;

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

/// Renders inline text: plain text, code, formulas, emphasis, links and numbers.
pub(super) fn inline(mut text: Vec<Inline>, numbers: StepNumbers) -> AnyView {
    let attached = (0..text.len())
        .map(|at| attach(&mut text, at))
        .collect::<Vec<_>>();
    text.into_iter()
        .zip(attached)
        .map(|(piece, (before, after))| match piece {
            Inline::Formula(formula) => view! { <FormulaText formula before after/> }.into_any(),
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

/// Takes the letters right before and after the formula at `at` from the text beside it. Browsers may break a line
/// between a formula and a comma. Empty for other pieces.
fn attach(text: &mut [Inline], at: usize) -> (String, String) {
    let (mut before, mut after) = (String::new(), String::new());
    if !matches!(text[at], Inline::Formula(_)) {
        return (before, after);
    }
    if let Some(Inline::Text(text)) = at.checked_sub(1).and_then(|at| text.get_mut(at)) {
        let begin = text.rfind(char::is_whitespace).map_or(0, |space| {
            space + text[space..].chars().next().map_or(0, char::len_utf8)
        });
        before = text.split_off(begin);
    }
    if let Some(Inline::Text(text)) = text.get_mut(at + 1) {
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        let rest = text.split_off(end);
        after = mem::replace(text, rest);
    }
    (before, after)
}

/// A formula in MathML. Lines may break between its rows, but not between a row and the letters beside it.
#[component]
fn FormulaText(
    formula: LessonFormula,
    /// Letters right before it.
    before: String,
    /// Letters right after it.
    after: String,
) -> impl IntoView {
    let mut rows = formula.mathml;
    let last = rows.pop().unwrap_or_default();
    let row = |before: String, row: String, after: String| {
        view! { <span class="math-row">{before}<span inner_html=row></span>{after}</span> }
    };
    let mut before = Some(before);
    let first = rows
        .into_iter()
        .map(|each| row(before.take().unwrap_or_default(), each, String::new()));
    let first = first.collect_view();
    view! { {first} {row(before.unwrap_or_default(), last, after)} }
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
