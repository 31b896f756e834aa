//! A figure's formula. A term that stands for a picture is a button: pointing at it or focusing it highlights the term
//! in all formulas and pictures, see [`HighlightedTerm`], and a press brings the picture into the window.

use crate::{
    app::{
        controls::while_mounted::while_mounted,
        state::{HighlightedTerm, UrlState},
    },
    figure::FormulaTerm,
    figure_spec::{FormulaPiece, formulas::Formula},
    url_state::FigureGroup,
};
use leptos::{
    either::Either,
    ev::{FocusEvent, KeyboardEvent},
    html,
    prelude::*,
};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, PointerEvent, ScrollIntoViewOptions, ScrollLogicalPosition};

/// The formula. One of its terms is in the tab order; arrow keys move from there.
#[component]
pub(super) fn FormulaLine(
    formula: Signal<Formula>,
    /// The figures that stand for its terms, if a view folds them.
    term_figures: Option<FigureGroup>,
) -> impl IntoView {
    let place = NodeRef::<html::Span>::new();
    // Unlike the signal, it notifies only when the formula changes: a new button has no focus.
    let formula = Memo::new(move |_| formula.get());
    let tab_stop = RwSignal::new(0_usize);
    let pieces = move || {
        let pieces = formula.get().pieces();
        let count = pieces.iter().filter(|piece| piece.term.is_some()).count();
        let mut before = 0;
        let piece_view = |piece: FormulaPiece| {
            let source = view! { <span inner_html=piece.source></span> };
            let Some(term) = piece.term else {
                return Either::Left(source);
            };
            let at = before;
            before += 1;
            let is_tab_stop = Signal::derive(move || tab_stop.get().min(count - 1) == at);
            Either::Right(view! {
                <TermButton term is_tab_stop term_figures>
                    {source}
                </TermButton>
            })
        };
        pieces.into_iter().map(piece_view).collect_view()
    };
    let on_focus = move |event: FocusEvent| {
        let buttons = place
            .get_untracked()
            .map_or_else(Vec::new, |place| term_buttons(&place));
        let target = event.target();
        let target = target.and_then(|target| target.dyn_into::<HtmlElement>().ok());
        if let Some(at) = buttons
            .iter()
            .position(|button| Some(button) == target.as_ref())
        {
            tab_stop.set(at);
        }
    };
    let on_key = move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let buttons = place
            .get_untracked()
            .map_or_else(Vec::new, |place| term_buttons(&place));
        let at = tab_stop.get_untracked();
        let next = match event.key().as_str() {
            "ArrowLeft" => at.saturating_sub(1),
            "ArrowRight" => (at + 1).min(buttons.len().saturating_sub(1)),
            _ => return,
        };
        if let Some(button) = buttons.get(next) {
            event.prevent_default();
            // Ignored: focusing a mounted button does not fail.
            let _ = button.focus();
        }
    };
    view! {
        <span
            class="formula"
            node_ref=place
            on:focusin=while_mounted(on_focus)
            on:keydown=while_mounted(on_key)
        >
            {pieces}
        </span>
    }
}

/// Returns the buttons of the terms in a formula.
fn term_buttons(formula: &Element) -> Vec<HtmlElement> {
    // The selector is valid.
    let Ok(buttons) = formula.query_selector_all(".formula-term") else {
        return Vec::new();
    };
    let buttons = (0..buttons.length()).filter_map(|at| buttons.get(at)?.dyn_into().ok());
    buttons.collect()
}

/// A term as a button.
#[component]
pub(in crate::app) fn TermButton(
    term: FormulaTerm,
    #[prop(default = Signal::stored(true))] is_tab_stop: Signal<bool>,
    /// The figures that stand for the term, if a view folds them.
    #[prop(optional_no_strip)]
    term_figures: Option<FigureGroup>,
    children: Children,
) -> impl IntoView {
    let url = UrlState::from_context();
    let highlighted_term = HighlightedTerm::from_context();
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Escape" && highlighted_term.get_untracked().is_some() {
            highlighted_term.set(None);
            // An unused Escape ends a presentation.
            event.prevent_default();
        }
    };
    view! {
        <button
            type="button"
            class="formula-term"
            data-term=term.key()
            data-highlighted=move || highlighted_term.is(term).then_some("")
            title=format!("{}. Press to go to its picture", term.name())
            tabindex=move || if is_tab_stop.get() { "0" } else { "-1" }
            on:pointerenter=while_mounted(move |_: PointerEvent| highlighted_term.set(Some(term)))
            on:pointerleave=while_mounted(move |_: PointerEvent| highlighted_term.remove(term))
            on:focus=while_mounted(move |_: FocusEvent| highlighted_term.set(Some(term)))
            on:blur=while_mounted(move |_: FocusEvent| highlighted_term.remove(term))
            on:keydown=while_mounted(on_key)
            on:click=while_mounted(move |_| go_to_picture(url, term_figures))
        >
            {children()}
            // Part of the accessible name, which has to contain the symbols as they are read.
            <span class="term-name">{format!(" {}", term.name())}</span>
        </button>
    }
}

/// Scrolls to the first picture of the highlighted term. Where there is none yet, unfolds the figures that have it.
fn go_to_picture(url: UrlState, figures: Option<FigureGroup>) {
    if let Some(outline) = document().query_selector(".term-outline").ok().flatten() {
        scroll_to(&outline);
    } else if let Some(group) = figures {
        url.link.update(|link| link.unfold_group(group, true));
        // The figures are mounted in the next frame.
        request_animation_frame(move || {
            if let Some(fold) = document().get_element_by_id(group.id()) {
                fold.scroll_into_view();
            }
        });
    }
}

/// Scrolls as little as is needed to show an element.
fn scroll_to(element: &Element) {
    let nearest = ScrollIntoViewOptions::new();
    nearest.set_block(ScrollLogicalPosition::Nearest);
    nearest.set_inline(ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&nearest);
}
