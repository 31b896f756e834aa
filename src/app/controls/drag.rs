//! State of a drag on a slider or a peak. Scales are frozen during a drag, so that the dragged curve is seen to move,
//! and are updated when it ends.

use leptos::{ev, prelude::*};
use std::time::Duration;
use wasm_bindgen::JsCast;
use web_sys::{EventTarget, HtmlInputElement};

/// Keys that move a slider.
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

/// A drag that has not moved for this long counts as paused.
const REST: Duration = Duration::from_millis(150);

/// Whether a drag is in progress.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct DragState(RwSignal<bool>);

impl DragState {
    /// Listens to pointer and keys on the window and provides the state as context. One state serves the whole page.
    pub(in crate::app) fn provide() {
        let drag = Self(RwSignal::new(false));
        let take = move |target: Option<EventTarget>| {
            if is_slider(target) {
                drag.take();
            }
        };
        // A pressed key drags a slider like a pointer.
        window_event_listener(ev::pointerdown, move |event| take(event.target()));
        window_event_listener(ev::keydown, move |event| {
            if SLIDER_KEYS.contains(&event.key().as_str()) {
                take(event.target());
            }
        });
        window_event_listener(ev::pointerup, move |_| drag.let_go());
        window_event_listener(ev::pointercancel, move |_| drag.let_go());
        window_event_listener(ev::keyup, move |_| drag.let_go());
        window_event_listener(ev::blur, move |_| drag.let_go());
        provide_context(drag);
    }

    pub(in crate::app) fn from_context() -> Self {
        expect_context()
    }

    /// Returns whether a drag is in progress.
    pub(in crate::app) fn is_down(self) -> bool {
        self.0.get()
    }

    /// Starts a drag.
    pub(in crate::app) fn take(self) {
        if !self.0.get_untracked() {
            self.0.set(true);
        }
    }

    /// Ends the drag.
    pub(in crate::app) fn let_go(self) {
        if self.0.get_untracked() {
            self.0.set(false);
        }
    }

    /// Returns `natural`'s value; during a drag, the value from before the drag.
    pub(in crate::app) fn hold<T: Clone + PartialEq + Send + Sync + 'static>(
        self,
        natural: impl Fn() -> T + Send + Sync + 'static,
    ) -> Memo<T> {
        Memo::new(move |before: Option<&T>| match before {
            Some(before) if self.0.get() => before.clone(),
            _ => natural(),
        })
    }

    /// Like [`Self::hold`], but also updates when the drag pauses for 150 ms.
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

/// A scale that is computed with its figure, and that later figures reuse during a drag.
#[derive(Debug)]
pub(in crate::app) struct FrozenScale<T: Send + Sync + 'static> {
    drag: DragState,
    last: StoredValue<Option<T>>,
}

// Not derived: the derives would require `T: Clone` and `T: Copy`.
impl<T: Send + Sync + 'static> Clone for FrozenScale<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for FrozenScale<T> {}

impl<T: Clone + Send + Sync + 'static> FrozenScale<T> {
    /// Creates a frozen scale without a value.
    pub(in crate::app) fn new() -> Self {
        Self {
            drag: DragState::from_context(),
            last: StoredValue::new(None),
        }
    }

    /// Returns the scale to reuse during a drag, `None` otherwise. Subscribes to the drag's start and end.
    pub(in crate::app) fn frozen_scale(self) -> Option<T> {
        let is_down = self.drag.0.get();
        is_down.then(|| self.last.get_value()).flatten()
    }

    /// Stores the scale of the figure that was drawn.
    pub(in crate::app) fn keep(self, scale: T) {
        self.last.set_value(Some(scale));
    }
}

fn is_slider(target: Option<EventTarget>) -> bool {
    let field = target.and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
    field.is_some_and(|field| field.type_() == "range")
}
