//! A figure's formula. Pointing at one of its terms outlines the part of the picture that stands for the term, and
//! pointing at that part marks the term.

use super::view::AnyFigure;
use crate::{
    app::{controls::while_mounted::while_mounted, display::text_size::TextSize},
    figure::Rect,
    figure_spec::formulas::Formula,
};
use leptos::{html, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::{Element, PointerEvent};

/// Attribute of the elements of a formula that are terms. Its value is the key of the term in [`crate::figure::Figure::terms`].
const TERM: &str = "data-term";
/// Attribute of the term that is pointed at.
const POINTER_MARK: &str = "data-pointed";

/// The term that is pointed at, in the formula or in the picture.
#[derive(Clone, Copy)]
pub(in crate::app) struct PointedTerm(RwSignal<Option<String>>);

impl PointedTerm {
    pub(super) fn new() -> Self {
        Self(RwSignal::new(None))
    }

    /// Changes the term; `None` if nothing is pointed at.
    pub(super) fn set(self, term: Option<&str>) {
        if self.0.with_untracked(|pointed| pointed.as_deref() != term) {
            self.0.set(term.map(str::to_owned));
        }
    }
}

/// The formula.
#[component]
pub(super) fn FormulaLine(formula: Signal<Formula>, pointed: PointedTerm) -> impl IntoView {
    let place = NodeRef::<html::Span>::new();
    Effect::new(move || {
        formula.track();
        let (pointed, place) = (pointed.0.get(), place.get());
        // Ignored: the selectors and the names of the attributes are valid.
        let find = |selector: String| place.as_ref()?.query_selector(&selector).ok()?;
        if let Some(before) = find(format!("[{POINTER_MARK}]")) {
            let _ = before.remove_attribute(POINTER_MARK);
        }
        let term = pointed.and_then(|term| find(format!("[{TERM}='{term}']")));
        if let Some(term) = term {
            let _ = term.set_attribute(POINTER_MARK, "");
        }
    });
    let on_move = move |event: PointerEvent| {
        let target = event.target();
        let target = target.and_then(|target| target.dyn_into::<Element>().ok());
        let term = target.and_then(|target| target.closest(&format!("[{TERM}]")).ok()?);
        pointed.set(term.and_then(|term| term.get_attribute(TERM)).as_deref());
    };
    view! {
        <span
            class="formula"
            node_ref=place
            inner_html=move || formula.get().0
            on:pointermove=while_mounted(on_move)
            on:pointerleave=while_mounted(move |_: PointerEvent| pointed.set(None))
        ></span>
    }
}

/// Outline of the part of the picture that stands for the term that is pointed at.
#[component]
pub(super) fn TermOutline(
    figure: Signal<Option<AnyFigure>>,
    /// Width of the figure, in figure units.
    width: Signal<f64>,
    pointed: PointedTerm,
) -> impl IntoView {
    let text = TextSize::from_context();
    let place = move || -> Option<Rect> {
        let pointed = pointed.0.get()?;
        let terms = figure.get()?.terms(width.get());
        let (_, place) = terms.into_iter().find(|(term, _)| *term == pointed)?;
        Some(place)
    };
    let place = Memo::new(move |_| place());
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
                style:left=length(|place| place.x)
                style:top=length(|place| place.y)
                style:width=length(|place| place.width)
                style:height=length(|place| place.height)
            ></div>
        </Show>
    }
}
