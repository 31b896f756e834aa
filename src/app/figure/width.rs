//! How wide an element is, followed as it changes.

use leptos::{html, leptos_dom::helpers::queue_microtask, prelude::*};
use send_wrapper::SendWrapper;
use std::{cell::RefCell, mem};
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{HtmlDivElement, ResizeObserver};

/// Width of an element in whole CSS pixels, followed as it changes.
pub(in crate::app) fn width_of(place: NodeRef<html::Div>) -> Signal<usize> {
    let width = RwSignal::new(0);
    follow_width(place, width);
    width.into()
}

/// Keeps a signal at the width of an element, in whole CSS pixels.
pub(in crate::app) fn follow_width(place: NodeRef<html::Div>, width: RwSignal<usize>) {
    Effect::new(move || {
        let Some(element) = place.get() else {
            return;
        };
        // The observer tells it only once a frame has been laid out, too late for a picture in that frame.
        measure_soon(element.clone(), width);
        let held = element.clone();
        let measure = Closure::<dyn Fn()>::new(move || take(width, now(&held)));
        if let Ok(observer) = ResizeObserver::new(measure.as_ref().unchecked_ref()) {
            observer.observe(&element);
            let kept = SendWrapper::new((observer, measure));
            on_cleanup(move || kept.0.disconnect());
        }
    });
}

fn now(element: &HtmlDivElement) -> usize {
    element.client_width().max(0) as usize
}

fn take(width: RwSignal<usize>, now: usize) {
    // The element's part of the page may be gone by now.
    if width
        .try_get_untracked()
        .is_some_and(|before| before != now)
    {
        width.set(now);
    }
}

thread_local! {
    /// New elements, each with the signal that waits for its width.
    static NEW: RefCell<Vec<(HtmlDivElement, RwSignal<usize>)>> = const { RefCell::new(Vec::new()) };
}

/// Measures an element before the next frame, together with all others that are new.
///
/// To measure is to have the page laid out, and whatever is put into the page meanwhile has it laid out again: six
/// figures measured one after the other, each as it was made, took 20 ms of the 60 that a press of “Fit head” takes.
fn measure_soon(element: HtmlDivElement, width: RwSignal<usize>) {
    let is_first = NEW.with_borrow_mut(|new| {
        new.push((element, width));
        new.len() == 1
    });
    if is_first {
        queue_microtask(|| {
            let new = NEW.with_borrow_mut(mem::take);
            let widths: Vec<usize> = new.iter().map(|(element, _)| now(element)).collect();
            for ((_, width), now) in new.into_iter().zip(widths) {
                take(width, now);
            }
        });
    }
}
