//! The parts of a figure that stand for terms of formulas. The term of the part under the pointer or the keyboard is
//! highlighted, and the part of the highlighted term has an outline.

use super::view::AnyFigure;
use crate::{
    app::{controls::focus::is_by_keyboard, display::text_size::TextSize, state::HighlightedTerm},
    figure::{FormulaTerm, Rect, next_term},
};
use leptos::prelude::*;
use web_sys::KeyboardEvent;

/// The terms of a figure on screen.
#[derive(Clone, Copy)]
pub(super) struct FigureTerms {
    figure: Signal<Option<AnyFigure>>,
    /// Width of the figure, in figure units.
    width: Signal<f64>,
    /// The term of the whole figure.
    whole: Option<FormulaTerm>,
    highlighted_term: HighlightedTerm,
    /// Name of the term that a key has highlighted, for screen readers.
    announcement: RwSignal<String>,
}

impl FigureTerms {
    pub(super) fn new(
        figure: Signal<Option<AnyFigure>>,
        width: Signal<f64>,
        whole: Option<FormulaTerm>,
    ) -> Self {
        let highlighted_term = HighlightedTerm::from_context();
        on_cleanup(move || highlighted_term.clear());
        Self {
            figure,
            width,
            whole,
            highlighted_term,
            announcement: RwSignal::new(String::new()),
        }
    }

    /// Returns whether the figure has terms.
    pub(super) fn are_there(self) -> bool {
        let width = self.width.get();
        let has_terms = |figure: &AnyFigure| !figure.terms(width).is_empty();
        self.whole.is_some() || (self.figure).with(|figure| figure.as_ref().is_some_and(has_terms))
    }

    /// Returns the terms with their parts of the figure, in figure units.
    fn places(self) -> Vec<(FormulaTerm, Rect)> {
        let width = self.width.get();
        self.figure.with(|figure| {
            let Some(figure) = figure else {
                return Vec::new();
            };
            let whole = self.whole.map(|term| {
                let height = figure.height(width);
                let place = Rect {
                    x: 0.0,
                    y: 0.0,
                    width,
                    height,
                };
                (term, place)
            });
            whole.into_iter().chain(figure.terms(width)).collect()
        })
    }

    /// Highlights the term of the part at a point, in figure units.
    pub(super) fn point_at(self, x: f64, y: f64) {
        let places = untrack(|| self.places());
        // A figure without terms leaves the term of the keyboard as it is.
        if !places.is_empty() {
            // Parts that are drawn later cover those before.
            let mut from_top = places.into_iter().rev();
            let place = from_top.find(|(_, place)| place.contains(x, y));
            self.highlighted_term.set(place.map(|(term, _)| term));
        }
    }

    /// Removes a term of the figure, when the pointer or the keyboard leaves.
    pub(super) fn leave(self) {
        for (term, _) in untrack(|| self.places()) {
            self.highlighted_term.remove(term);
        }
    }

    /// Highlights the first term when the keyboard enters the figure.
    pub(super) fn enter_by_keyboard(self) {
        if is_by_keyboard() {
            self.highlight_next(false);
        }
    }

    /// Handles a key, and returns whether it was used. T highlights the next term of the figure, with Shift the one
    /// before; Escape removes the highlight.
    pub(super) fn press(self, event: &KeyboardEvent) -> bool {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return false;
        }
        match event.key().as_str() {
            "t" | "T" => {
                let next = self.highlight_next(event.shift_key());
                self.announcement
                    .set(next.map_or_else(String::new, FormulaTerm::name));
                next.is_some()
            }
            "Escape" => {
                let is_highlighted = self.highlighted_term.get_untracked().is_some();
                self.highlighted_term.set(None);
                is_highlighted
            }
            _ => false,
        }
    }

    fn highlight_next(self, back: bool) -> Option<FormulaTerm> {
        let terms: Vec<FormulaTerm> = untrack(|| self.places())
            .into_iter()
            .map(|(term, _)| term)
            .collect();
        let next = next_term(&terms, self.highlighted_term.get_untracked(), back)?;
        self.highlighted_term.set(Some(next));
        Some(next)
    }

    /// Returns the part of the highlighted term.
    fn highlighted_place(self) -> Option<Rect> {
        let term = self.highlighted_term.get()?;
        let mut places = self.places().into_iter();
        places
            .find(|(other, _)| *other == term)
            .map(|(_, place)| place)
    }
}

/// Outline of the part of the figure that stands for the highlighted term, and its announcement to screen readers.
#[component]
pub(super) fn TermOutline(
    terms: FigureTerms,
    /// Whether the figure has terms.
    has_terms: Memo<bool>,
) -> impl IntoView {
    let text = TextSize::from_context();
    let place = Memo::new(move |_| terms.highlighted_place());
    let length = move |side: fn(&Rect) -> f64| {
        move || {
            let length = place.with(|place| place.as_ref().map_or(0.0, side));
            format!("{}px", length * text.scale())
        }
    };
    // Style properties, not a style attribute, which the content security policy forbids.
    view! {
        <Show when=move || place.with(Option::is_some)>
            <div
                class="term-outline"
                data-whole=terms.whole.map(|_| "")
                style:left=length(|place| place.x)
                style:top=length(|place| place.y)
                style:width=length(|place| place.width)
                style:height=length(|place| place.height)
            ></div>
        </Show>
        <Show when=move || has_terms.get()>
            <span class="announcement" role="status">
                {move || terms.announcement.get()}
            </span>
        </Show>
    }
}
