//! What changes on the page, in few types.
//!
//! Every closure in a view is a type of its own, and the renderer is compiled once more for each: written
//! naively, this page weighs half again as much. So text is always a `Signal<String>`, a switch a
//! `Signal<bool>`, an attribute a `Signal<Option<String>>`, a changing part of the page an `AnyView`, and
//! a listener a boxed function.

use super::figure_view::AnyFigure;
use leptos::prelude::*;
use std::sync::Arc;

/// Text that changes.
pub(super) fn text(read: impl Fn() -> String + Send + Sync + 'static) -> Signal<String> {
    derive(Box::new(read))
}

/// A switch that changes.
pub(super) fn flag(read: impl Fn() -> bool + Send + Sync + 'static) -> Signal<bool> {
    derive(Box::new(read))
}

/// A number that changes.
pub(super) fn value(read: impl Fn() -> f64 + Send + Sync + 'static) -> Signal<f64> {
    derive(Box::new(read))
}

/// An attribute that comes and goes.
pub(super) fn attribute(
    read: impl Fn() -> Option<String> + Send + Sync + 'static,
) -> Signal<Option<String>> {
    derive(Box::new(read))
}

/// One signal a type of value, whatever reads it.
fn derive<T: Send + Sync + 'static>(read: Box<dyn Fn() -> T + Send + Sync>) -> Signal<T> {
    Signal::derive(read)
}

/// `aria-pressed` and the like, which want words.
pub(super) fn yes_no(read: impl Fn() -> bool + Send + Sync + 'static) -> Signal<Option<String>> {
    attribute(move || Some(if read() { "true" } else { "false" }.to_owned()))
}

/// A part of the page that is made anew when what it reads changes.
pub(super) fn dynamic(make: impl Fn() -> AnyView + Send + Sync + 'static) -> AnyView {
    // Not generic, so that there is one such part whatever makes it.
    fn erased(make: Arc<dyn Fn() -> AnyView + Send + Sync>) -> AnyView {
        (move || make()).into_any()
    }
    erased(Arc::new(make))
}

/// A list of views as one.
pub(super) fn list(mut views: impl Iterator<Item = AnyView>) -> AnyView {
    fn erased(views: &mut dyn Iterator<Item = AnyView>) -> AnyView {
        let mut all: Vec<AnyView> = Vec::new();
        for view in views {
            all.push(view);
        }
        all.into_any()
    }
    erased(&mut views)
}

/// A listener.
pub(super) fn on<E: 'static>(listen: impl Fn(E) + 'static) -> Box<dyn FnMut(E)> {
    Box::new(listen)
}

/// A listener for clicks.
pub(super) fn click(listen: impl Fn() + 'static) -> Box<dyn FnMut(leptos::ev::MouseEvent)> {
    Box::new(move |_| listen())
}

/// Runs now, and whenever what it reads changes.
pub(super) fn effect(run: impl Fn() + 'static) {
    fn erased(run: Box<dyn Fn()>) {
        Effect::new(run);
    }
    erased(Box::new(run));
}

/// A figure made when what it reads changes, and kept until then.
pub(super) fn picture(
    make: impl Fn() -> Option<AnyFigure> + Send + Sync + 'static,
) -> Signal<Option<AnyFigure>> {
    memo(Box::new(move |_| (make(), true))).into()
}

/// A number made when what it reads changes; who reads it hears only of other numbers.
pub(super) fn count(read: impl Fn() -> usize + Send + Sync + 'static) -> Signal<usize> {
    memo(Box::new(move |before| {
        let now = read();
        (now, before != Some(now))
    }))
    .into()
}

/// A switch that is heard of only when it turns: what is made anew by it must not be made at every change of
/// what it reads, as with a [`flag`].
pub(super) fn switch(read: impl Fn() -> bool + Send + Sync + 'static) -> Signal<bool> {
    memo(Box::new(move |before| {
        let now = read();
        (now, before != Some(now))
    }))
    .into()
}

/// From the value before to the value now, and whether it is another.
type Next<T> = Box<dyn Fn(Option<T>) -> (T, bool) + Send + Sync>;

/// One memo a type of value, whatever computes it.
pub(super) fn memo<T: Send + Sync + 'static>(next: Next<T>) -> Memo<T> {
    Memo::new_owning(next)
}
