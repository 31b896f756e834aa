//! When canvases are painted: in the next frame, however often they changed before it, and a new one that is out of
//! sight in the frame after that.
//!
//! A view of many figures shows those in the window sooner for it: to paint the seventeen of the view of waves takes three
//! frames. What is out of sight takes its height at once, so that nothing moves later.

use super::{canvas, view::STAND_IN};
use crate::figure::{Scene, Theme};
use leptos::prelude::*;
use std::{
    cell::{Cell, RefCell},
    mem,
    rc::Rc,
};
use web_sys::{HtmlCanvasElement, HtmlElement};

/// What a canvas is to show.
pub(in crate::app) struct Painting {
    /// The canvas.
    pub(in crate::app) canvas: HtmlCanvasElement,
    /// Makes the scene; `None` leaves the canvas as it is.
    pub(in crate::app) scene: Box<dyn FnOnce() -> Option<Scene>>,
    /// The colours of what is drawn.
    pub(in crate::app) theme: &'static Theme,
    /// CSS pixels to a unit of the scene.
    pub(in crate::app) scale: f64,
    /// What whoever waits for it is told to have been painted, unless the scene is empty.
    pub(in crate::app) name: Option<&'static str>,
}

/// A canvas that is to be painted.
struct Stale {
    /// The latest painting of it.
    painting: Rc<RefCell<Option<Painting>>>,
    /// Whether it has been painted before.
    is_old: Rc<Cell<bool>>,
}

thread_local! {
    /// What the next frame paints.
    static STALE: RefCell<Vec<Stale>> = const { RefCell::new(Vec::new()) };
}

/// Runs `prepare` whenever what it reads changes, and paints what it returns in the next frame. Several changes
/// before that frame are painted once.
pub(in crate::app) fn paint_when_stale(prepare: Box<dyn Fn() -> Option<Painting>>) {
    let waiting: Rc<RefCell<Option<Painting>>> = Rc::default();
    let is_old: Rc<Cell<bool>> = Rc::default();
    Effect::new(move || {
        let next = prepare();
        let is_waiting = next.is_some();
        let was_waiting = mem::replace(&mut *waiting.borrow_mut(), next).is_some();
        if is_waiting && !was_waiting {
            paint_soon(Stale {
                painting: Rc::clone(&waiting),
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
        // What has left the page, or stands on none, is seen by nobody.
        let is_there = painting.canvas.is_connected();
        // Asked before anything is painted, or the page would be laid out for each of them.
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
    /// Whether somebody looks at it, or is about to: what a lesson lights is brought into sight.
    fn is_urgent(&self) -> bool {
        let height = window().inner_height().ok();
        let height = height.and_then(|height| height.as_f64());
        let rect = self.canvas.get_bounding_client_rect();
        let is_in_window = rect.top() < height.unwrap_or(f64::INFINITY) && rect.bottom() >= 0.0;
        is_in_window || self.canvas.closest("[data-lit]").ok().flatten().is_some()
    }

    fn take_height(&self, scene: &Scene) {
        let style = HtmlElement::style(&self.canvas);
        // A length is always accepted.
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

/// Tells whoever measures that a figure is on screen.
fn mark_painted(id: &str) {
    if let Some(performance) = window().performance() {
        let name = format!("diagonal:painted:{id}");
        // One mark each, so that hours of sliding do not pile up.
        performance.clear_marks_with_mark_name(&name);
        let _ = performance.mark(&name);
    }
    if id != STAND_IN {
        mark_ready();
        follow_anchor(id);
    }
}

thread_local! {
    /// Whether the figure that the address names has been brought into view.
    static ANCHORED: Cell<bool> = const { Cell::new(false) };
}

/// A copied link names its figure after a `#`. It is not there when the page loads, so the page brings it
/// into view itself, once, when it is painted first.
fn follow_anchor(id: &str) {
    let anchor = window().location().hash().unwrap_or_default();
    if anchor.strip_prefix('#') == Some(id)
        && !ANCHORED.replace(true)
        && let Some(figure) = document().get_element_by_id(id)
    {
        figure.scroll_into_view();
    }
}

/// Tells whoever waits that the page shows something.
pub(in crate::app) fn mark_ready() {
    if let Some(root) = document().document_element() {
        // A data attribute can always be set.
        let _ = root.set_attribute("data-ready", "true");
    }
}
