//! Scheduling of canvas painting. Changes are painted in the next frame, once per frame. The first painting of a canvas
//! outside the window is deferred by one more frame.
//!
//! So a view with many figures displays the visible ones sooner: painting the seventeen figures of the view of waves
//! takes three frames. Deferred canvases get their height at once, so that the layout does not shift later.

use super::{canvas, view::STAND_IN};
use crate::{
    app::display::root::set_root_attribute,
    figure::{Scene, Theme},
};
use leptos::prelude::*;
use std::{
    cell::{Cell, RefCell},
    mem,
    rc::Rc,
};
use web_sys::{HtmlCanvasElement, HtmlElement};

/// A scene to paint on a canvas.
pub(in crate::app) struct Painting {
    pub(in crate::app) canvas: HtmlCanvasElement,
    /// Creates the scene; `None` leaves the canvas unchanged.
    pub(in crate::app) scene: Box<dyn FnOnce() -> Option<Scene>>,
    /// The colours.
    pub(in crate::app) theme: &'static Theme,
    /// CSS pixels per unit of the scene.
    pub(in crate::app) scale: f64,
    /// Name of the performance mark to set after painting, unless the scene is empty.
    pub(in crate::app) name: Option<&'static str>,
}

/// A canvas that must be painted.
struct Stale {
    /// The latest painting for the canvas; replaced by later changes.
    painting: Rc<RefCell<Option<Painting>>>,
    /// Whether the canvas has been painted before.
    is_old: Rc<Cell<bool>>,
}

thread_local! {
    /// The canvases to paint in the next frame.
    static STALE: RefCell<Vec<Stale>> = const { RefCell::new(Vec::new()) };
}

/// Runs `prepare` whenever a signal it reads changes, and paints the result in the next frame. Several changes before
/// that frame are painted once.
pub(in crate::app) fn paint_when_stale(prepare: Box<dyn Fn() -> Option<Painting>>) {
    let next_painting: Rc<RefCell<Option<Painting>>> = Rc::default();
    let is_old: Rc<Cell<bool>> = Rc::default();
    Effect::new(move || {
        let next = prepare();
        let is_waiting = next.is_some();
        let was_waiting = mem::replace(&mut *next_painting.borrow_mut(), next).is_some();
        if is_waiting && !was_waiting {
            paint_soon(Stale {
                painting: Rc::clone(&next_painting),
                is_old: Rc::clone(&is_old),
            });
        }
    });
}

fn paint_soon(stale: Stale) {
    let is_first = STALE.with_borrow_mut(|all| {
        all.push(stale);
        all.len() == 1
    });
    if is_first {
        request_animation_frame(paint_all);
    }
}

fn paint_all() {
    let all = STALE.with_borrow_mut(mem::take);
    let paintings = all.into_iter().filter_map(|stale| {
        let painting = stale.painting.take()?;
        // Skip canvases that have left the document.
        let is_there = painting.canvas.is_connected();
        // Measured before anything is painted; otherwise each measurement would force a layout.
        is_there.then(|| (stale.is_old.replace(true) || painting.is_urgent(), painting))
    });
    let paintings: Vec<(bool, Painting)> = paintings.collect();
    let mut later = Vec::new();
    for (is_urgent, mut painting) in paintings {
        let scene = mem::replace(&mut painting.scene, Box::new(|| None));
        let Some(scene) = scene() else {
            continue;
        };
        painting.take_height(&scene);
        if is_urgent {
            painting.paint(&scene);
        } else {
            later.push((painting, scene));
        }
    }
    if !later.is_empty() {
        request_animation_frame(move || {
            for (painting, scene) in later {
                painting.paint(&scene);
            }
        });
    }
}

impl Painting {
    /// Whether the canvas is in the window, or in a highlighted figure, which lessons scroll into view.
    fn is_urgent(&self) -> bool {
        let height = window().inner_height().ok();
        let height = height.and_then(|height| height.as_f64());
        let rect = self.canvas.get_bounding_client_rect();
        let is_in_window = rect.top() < height.unwrap_or(f64::INFINITY) && rect.bottom() >= 0.0;
        is_in_window || self.canvas.closest("[data-lit]").ok().flatten().is_some()
    }

    fn take_height(&self, scene: &Scene) {
        let style = HtmlElement::style(&self.canvas);
        // Ignored: a length is always accepted.
        let _ = style.set_property("height", &format!("{}px", scene.height * self.scale));
    }

    fn paint(&self, scene: &Scene) {
        let pixels = window().device_pixel_ratio().clamp(1.0, 3.0) * self.scale;
        canvas::paint(&self.canvas, scene, self.theme, pixels, false);
        if let Some(name) = self.name
            && scene.height > 0.0
        {
            mark_painted(name);
        }
    }
}

/// Sets the performance mark of a figure that was painted.
fn mark_painted(id: &str) {
    if let Some(performance) = window().performance() {
        let name = format!("diagonal:painted:{id}");
        // Only the latest mark is kept, so that marks do not pile up while a slider moves.
        performance.clear_marks_with_mark_name(&name);
        let _ = performance.mark(&name);
    }
    if id != STAND_IN {
        mark_ready();
        follow_anchor(id);
    }
}

thread_local! {
    /// Whether the page has been scrolled to the anchor of the address.
    static IS_SCROLLED: Cell<bool> = const { Cell::new(false) };
}

/// Scrolls to the figure that the anchor of the address names, after its first painting. The browser cannot do this:
/// the figure does not exist yet when the document is loaded.
fn follow_anchor(id: &str) {
    let anchor = window().location().hash().unwrap_or_default();
    if anchor.strip_prefix('#') == Some(id)
        && !IS_SCROLLED.replace(true)
        && let Some(figure) = document().get_element_by_id(id)
    {
        figure.scroll_into_view();
    }
}

/// Sets `<html data-ready>`, which tests and measurements wait for.
pub(in crate::app) fn mark_ready() {
    set_root_attribute("data-ready", Some("true"));
}
