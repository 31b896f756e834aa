//! Whether somebody is pulling a slider or a peak. Meanwhile scales hold still, so that what is pulled is seen to
//! move; they settle when it is let go.

use leptos::{ev, prelude::*};
use std::time::Duration;
use wasm_bindgen::JsCast;
use web_sys::{EventTarget, HtmlInputElement};

/// The keys that move a slider.
const SLIDER_KEYS: [&str; 8] = [
    "ArrowLeft",
    "ArrowRight",
    "ArrowUp",
    "ArrowDown",
    "PageUp",
    "PageDown",
    "Home",
    "End",
];

/// A hand that has kept still for so long rests.
const REST: Duration = Duration::from_millis(150);

/// Whether the hand is down.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct DragState(RwSignal<bool>);

impl DragState {
    /// Follows pointer and keys for as long as the page is there. The page has one hand, which every part of it
    /// finds in its context.
    pub(in crate::app) fn provide() {
        let hand = Self(RwSignal::new(false));
        let take = move |target: Option<EventTarget>| {
            if is_slider(target) {
                hand.take();
            }
        };
        // A key that is held down pulls as a pointer does.
        window_event_listener(ev::pointerdown, move |event| take(event.target()));
        window_event_listener(ev::keydown, move |event| {
            if SLIDER_KEYS.contains(&event.key().as_str()) {
                take(event.target());
            }
        });
        window_event_listener(ev::pointerup, move |_| hand.let_go());
        window_event_listener(ev::pointercancel, move |_| hand.let_go());
        window_event_listener(ev::keyup, move |_| hand.let_go());
        window_event_listener(ev::blur, move |_| hand.let_go());
        provide_context(hand);
    }

    /// The page's.
    pub(in crate::app) fn from_context() -> Self {
        expect_context()
    }

    /// Whether it is down.
    pub(in crate::app) fn is_down(self) -> bool {
        self.0.get()
    }

    /// It goes down.
    pub(in crate::app) fn take(self) {
        if !self.0.get_untracked() {
            self.0.set(true);
        }
    }

    /// It is lifted.
    pub(in crate::app) fn let_go(self) {
        if self.0.get_untracked() {
            self.0.set(false);
        }
    }

    /// What `natural` gives; while the hand is down, what it gave before.
    pub(in crate::app) fn hold<T: Clone + PartialEq + Send + Sync + 'static>(
        self,
        natural: impl Fn() -> T + Send + Sync + 'static,
    ) -> Memo<T> {
        Memo::new(move |before: Option<&T>| match before {
            Some(before) if self.0.get() => before.clone(),
            _ => natural(),
        })
    }

    /// What `natural` gives; while the hand is down, what it gave when the hand last rested.
    pub(in crate::app) fn rest<T: Clone + PartialEq + Send + Sync + 'static>(
        self,
        natural: impl Fn() -> T + Send + Sync + 'static,
    ) -> Signal<T> {
        let natural = Memo::new(move |_| natural());
        let rested = RwSignal::new(natural.get_untracked());
        let follow = move || rested.set(natural.get_untracked());
        let mut follow_at_rest = debounce(REST, move |()| follow());
        Effect::new(move || {
            natural.track();
            if self.is_down() {
                follow_at_rest(());
            } else {
                follow();
            }
        });
        rested.into()
    }
}

/// A scale that is known once its figure is made, and that the next figure keeps while the hand is down.
#[derive(Debug)]
pub(in crate::app) struct FrozenScale<T: Send + Sync + 'static> {
    hand: DragState,
    last: StoredValue<Option<T>>,
}

// Not derived, which would ask for scales that can be copied.
impl<T: Send + Sync + 'static> Clone for FrozenScale<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for FrozenScale<T> {}

impl<T: Clone + Send + Sync + 'static> FrozenScale<T> {
    /// A scale that nothing was drawn on yet.
    pub(in crate::app) fn new() -> Self {
        Self {
            hand: DragState::from_context(),
            last: StoredValue::new(None),
        }
    }

    /// The scale to keep. Whoever reads it hears of the hand's being lifted.
    pub(in crate::app) fn held(self) -> Option<T> {
        let is_down = self.hand.0.get();
        is_down.then(|| self.last.get_value()).flatten()
    }

    /// What a figure is drawn on.
    pub(in crate::app) fn keep(self, scale: T) {
        self.last.set_value(Some(scale));
    }
}

fn is_slider(target: Option<EventTarget>) -> bool {
    let field = target.and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
    field.is_some_and(|field| field.type_() == "range")
}
