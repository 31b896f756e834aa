//! A figure that fills the window, with letters that are legible from far away.
//!
//! The button of a figure and the key F make it large, in full screen where the browser allows that. Escape, F and the
//! button return to the page. The style sheet hides everything else while `<html data-alone="large">` is set, as it
//! does for presented steps; this file sizes the picture.

use super::{
    registry::{FigureRegistry, RegisteredFigure, alone, show_all, show_alone},
    view::AnyFigure,
};
use crate::{
    app::{
        controls::{focus::focus_next, keys::is_typed_into},
        display::text_size::{TextSize, percent_of_window},
        lazy::lazy_view,
    },
    url_state::FigureId,
};
use js_sys::{Function, Promise, Reflect};
use leptos::{
    ev::{self, KeyboardEvent},
    prelude::*,
};
use send_wrapper::SendWrapper;
use std::time::Duration;
use wasm_bindgen::{JsCast, closure::Closure};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Element, HtmlElement, ResizeObserver};

lazy_view! {
    /// The large figure, as a lazy part.
    pub(in crate::app) const LARGE_FIGURE = LargeFigure in details;
}

/// Value of `data-alone` while a figure is large.
const LARGE: &str = "large";

/// Greatest height over width of a picture whose height is free.
const TALLEST: f64 = 1.2;

/// Least width of the text beside a picture, in rem.
const TEXT_WIDTH: f64 = 16.0;

/// Distance between text and picture, in rem, as in the style sheet.
const GAP: f64 = 2.0;

/// Factor by which a picture must be wider beside its text than below, to be placed there.
const GAIN: f64 = 1.05;

/// Precision of the width of a picture, in CSS pixels.
const PRECISION: f64 = 1.0;

/// Time in which a window has its former size after full screen.
const LEAVING: Duration = Duration::from_millis(300);

/// State of the page before a figure became large.
#[derive(Clone)]
struct PageBefore {
    id: FigureId,
    /// Distance of the figure from the top of the window, in CSS pixels.
    top: f64,
    /// The element with the focus.
    focus: Option<HtmlElement>,
}

/// Follows the figure that is to be large, and the keys that choose it.
#[component]
fn LargeFigure() -> impl IntoView {
    let registry = FigureRegistry::from_context();
    let text = TextSize::from_context();
    let page_before: StoredValue<Option<PageBefore>, LocalStorage> = StoredValue::new_local(None);
    // Whether the window entered full screen for the current figure.
    let is_full_screen = StoredValue::new(false);
    let fit_soon = move || {
        request_animation_frame(move || {
            if let Some(figure) = untrack(|| registry.large_figure()) {
                fit(figure, untrack(|| text.scale()));
            }
        });
    };
    let resize = Closure::<dyn Fn()>::new(fit_soon);
    let observer = ResizeObserver::new(resize.as_ref().unchecked_ref()).ok();
    let observer =
        StoredValue::new_local(observer.map(|observer| (observer, SendWrapper::new(resize))));
    let observe = move |element: Option<&HtmlElement>| {
        observer.with_value(|observer| {
            if let Some((observer, _)) = observer {
                observer.disconnect();
                for part in element.iter().flat_map(|figure| around_picture(figure)) {
                    observer.observe(&part);
                }
            }
        });
    };
    Effect::new(move |was_large: Option<Option<FigureId>>| {
        let large = registry.large_figure().map(|figure| figure.id);
        let was_large = was_large.flatten();
        if large == was_large {
            return large;
        }
        if let Some(figure) = was_large.and_then(|id| registry.find(id)) {
            release(figure);
        }
        for (id, label) in [(was_large, "Show large"), (large, "Back to the page")] {
            let button = id.and_then(figure_element);
            if let Some(button) = button.and_then(|figure| part(&figure, ".enlarge")) {
                // Ignored: setting these attributes does not fail.
                let _ = button.set_attribute("aria-label", label);
                let _ = button.set_attribute("title", &format!("{label} (F)"));
            }
        }
        match (large, was_large) {
            (Some(id), None) => {
                page_before.set_value(Some(PageBefore::now(id)));
                show_alone(LARGE);
                text.at_least(percent_of_window());
                window().scroll_to_with_x_and_y(0.0, 0.0);
                observe(figure_element(id).as_ref());
                enter_full_screen();
            }
            (None, _) => {
                observe(None);
                // The view of the figure may have been left.
                registry.enlarge(None);
                if let Some(before) = page_before.try_update_value(Option::take).flatten() {
                    before.restore();
                    if document().fullscreen_element().is_some() {
                        // The window takes its former size later.
                        page_before.set_value(Some(before));
                    }
                }
                if alone().as_deref() == Some(LARGE) {
                    show_all();
                    text.at_least(0);
                    if document().fullscreen_element().is_some() {
                        is_full_screen.set_value(false);
                        document().exit_fullscreen();
                    }
                }
            }
            (Some(id), Some(_)) => observe(figure_element(id).as_ref()),
        }
        large
    });
    Effect::new(move || {
        if let Some(figure) = registry.large_figure() {
            figure.figure.track();
            text.scale();
            fit_soon();
        }
    });
    let resized = window_event_listener(ev::resize, move |_| {
        if untrack(|| registry.large_figure()).is_some() {
            text.at_least(percent_of_window());
            fit_soon();
        }
    });
    let changed = ev::Custom::<web_sys::Event>::new("fullscreenchange");
    let changed = window_event_listener(changed, move |_| {
        if document().fullscreen_element().is_some() {
            is_full_screen.set_value(true);
            return;
        }
        // Another figure may be large by now, if this page ended full screen itself.
        let was_full_screen = is_full_screen.get_value();
        is_full_screen.set_value(false);
        if untrack(|| registry.large_figure()).is_some() {
            if was_full_screen {
                registry.enlarge(None);
            }
        } else if let Some(before) = page_before.try_update_value(Option::take).flatten() {
            before.scroll_back();
        }
    });
    let keys = window_event_listener(ev::keydown, move |event| {
        if press(registry, &event) {
            event.prevent_default();
        }
    });
    on_cleanup(move || {
        resized.remove();
        changed.remove();
        keys.remove();
    });
}

/// Asks for full screen. Browsers refuse it in frames, on some phones and without a press; the figure fills the window
/// then.
fn enter_full_screen() {
    let root = document().document_element();
    let promise = root.and_then(|root| {
        let request = Reflect::get(&root, &"requestFullscreen".into()).ok()?;
        let request: Function = request.dyn_into().ok()?;
        request.call0(&root).ok()?.dyn_into::<Promise>().ok()
    });
    if let Some(promise) = promise {
        spawn_local(async move {
            // Ignored, so that a refusal is no error of the page.
            let _ = JsFuture::from(promise).await;
        });
    }
}

impl PageBefore {
    fn now(id: FigureId) -> Self {
        let element = figure_element(id);
        let focus = document().active_element();
        Self {
            id,
            top: element.map_or(0.0, |element| element.get_bounding_client_rect().top()),
            focus: focus.and_then(|element| element.dyn_into().ok()),
        }
    }

    /// Returns the figure to its place in the window, and the focus to its element.
    fn restore(&self) {
        self.scroll_back();
        let later = self.clone();
        set_timeout(move || later.scroll_back(), LEAVING);
        let focus = self.focus.clone();
        focus_next(move || focus.filter(|element| element.is_connected()));
    }

    fn scroll_back(&self) {
        let (id, top) = (self.id, self.top);
        request_animation_frame(move || {
            let is_page = alone().as_deref() != Some(LARGE);
            if let Some(element) = figure_element(id).filter(|_| is_page) {
                let now = element.get_bounding_client_rect().top();
                window().scroll_by_with_x_and_y(0.0, now - top);
            }
        });
    }
}

/// Handles a key, and returns whether it was used. F makes the figure with the focus or under the pointer large; F and
/// Escape return to the page.
fn press(registry: FigureRegistry, event: &KeyboardEvent) -> bool {
    let is_taken = event.default_prevented() || is_typed_into(event);
    if is_taken || event.ctrl_key() || event.meta_key() || event.alt_key() {
        return false;
    }
    let is_large = untrack(|| registry.large_figure()).is_some();
    let next = match event.key().as_str() {
        "f" | "Escape" if is_large => None,
        "f" if alone().is_none() => {
            let Some(id) = figure_in_use() else {
                return false;
            };
            Some(id)
        }
        _ => return false,
    };
    registry.enlarge(next);
    true
}

/// Returns the figure with the focus, or else the one under the pointer.
fn figure_in_use() -> Option<FigureId> {
    let figure = |css: &str| document().query_selector(css).ok().flatten();
    let figure = figure("figure[id]:focus-within").or_else(|| figure("figure[id]:hover"))?;
    FigureId::from_id(&figure.id())
}

fn figure_element(id: FigureId) -> Option<HtmlElement> {
    document().get_element_by_id(id.id())?.dyn_into().ok()
}

fn part(of: &Element, css: &str) -> Option<HtmlElement> {
    of.query_selector(css).ok().flatten()?.dyn_into().ok()
}

/// Returns the elements around the picture of a figure, whose heights the picture does not determine.
fn around_picture(figure: &HtmlElement) -> Vec<HtmlElement> {
    let parts = [":scope > header", ":scope > .caption", ":scope > .controls"];
    parts
        .into_iter()
        .filter_map(|css| part(figure, css))
        .collect()
}

/// Sizes the picture of a figure so that the figure fills the window. A figure without a picture is left as it is.
fn fit(figure: RegisteredFigure, scale: f64) {
    let (Some(element), Some(picture)) = (figure_element(figure.id), figure.figure.get_untracked())
    else {
        return;
    };
    let Some(canvas) = part(&element, ":scope > .stage > .figure-view > .picture") else {
        return;
    };
    // The parts above the picture are measured where they are without it.
    let _ = element.remove_attribute("data-beside");
    let rem = length(document().document_element(), "font-size");
    let main = element.closest("main").ok().flatten();
    let top = element.get_bounding_client_rect().top() + window().scroll_y().unwrap_or(0.0);
    let bottom = window()
        .inner_height()
        .ok()
        .and_then(|height| height.as_f64());
    let width = f64::from(element.client_width());
    let height = bottom.unwrap_or(0.0) - length(main, "padding-bottom") - top;
    let around = f64::from(element.offset_height() - canvas.offset_height());
    let below = height - around;
    let free_height = below.min(TALLEST * width);
    let is_free = picture
        .with_height(width / scale, free_height / scale)
        .is_some();
    figure.height.set(is_free.then_some(free_height));
    let width = if is_free {
        width
    } else {
        let widest_below = widest(&picture, scale, (width, below));
        let widest_beside = widest(&picture, scale, (width - (TEXT_WIDTH + GAP) * rem, height));
        if widest_beside > GAIN * widest_below {
            let _ = element.set_attribute("data-beside", "");
            widest_beside
        } else {
            widest_below
        }
    };
    // Ignored: a length is always accepted.
    let _ = element.style().set_property("--w", &format!("{width}px"));
}

/// Returns the greatest width at which a picture fits a width and a height, in CSS pixels.
fn widest(picture: &AnyFigure, scale: f64, (width, height): (f64, f64)) -> f64 {
    let fits = |width: f64| scale * picture.height(width / scale) <= height;
    if width <= 0.0 || fits(width) {
        return width;
    }
    let (mut low, mut high) = (0.0, width);
    while high - low > PRECISION {
        let middle = 0.5 * (low + high);
        if fits(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low.floor()
}

/// Restores the figure's own size.
fn release(figure: RegisteredFigure) {
    // Ignored: the figure may have left the page.
    let _ = figure.height.try_set(None);
    if let Some(element) = figure_element(figure.id) {
        let _ = element.remove_attribute("data-beside");
        let _ = element.style().remove_property("--w");
    }
}

/// Returns a computed length of an element in CSS pixels, 0 without the element.
fn length(element: Option<Element>, property: &str) -> f64 {
    let style = element.and_then(|element| window().get_computed_style(&element).ok().flatten());
    let length = style.and_then(|style| style.get_property_value(property).ok());
    let length = length.and_then(|length| length.trim_end_matches("px").parse().ok());
    length.unwrap_or(0.0)
}
