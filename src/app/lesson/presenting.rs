//! Presentation mode of a lesson: highlighted figures are large, and keys and clickers step through it.
//!
//! Page Down, →, ↓, Space and Enter unfold the answer of a step with a question, then go on. Page Up, ←, ↑ and
//! Shift+Space reverse that, one press at a time: they fold an unfolded answer, then go to the previous step with its
//! answer unfolded. Keys that a focused control uses are left to it.

use super::{Steps, fitting::StepFitting};
use crate::app::{
    controls::{
        focus::focusable,
        keys::{is_range, is_typed_into, target},
    },
    display::{
        root::set_root_attribute,
        text_size::{TextSize, percent_of_window},
    },
    figure::registry::{FigureRegistry, show_all, show_alone},
    state::PageState,
};
use leptos::{ev, prelude::*};
use web_sys::KeyboardEvent;

/// Presentation mode of the open lesson. The link stores whether it is on, so that a reload keeps it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Presenting {
    state: PageState,
    is_on: Memo<bool>,
    /// Whether the screen is blank, to direct attention to the speaker.
    is_blank: RwSignal<bool>,
}

impl Presenting {
    /// Follows the link and the keys while the lesson is open.
    pub(super) fn follow(steps: Steps) -> Self {
        let state = PageState::from_context();
        let presenting = Self {
            state,
            is_on: state.url.select(|link| link.lesson.is_presented),
            is_blank: RwSignal::new(false),
        };
        let (text, registry) = (TextSize::from_context(), FigureRegistry::from_context());
        Effect::new(move || {
            if presenting.is_on.get() {
                registry.enlarge(None);
                show_alone("present");
                text.at_least(percent_of_window());
                // The page may have been scrolled in reading mode.
                window().scroll_to_with_x_and_y(0.0, 0.0);
            } else {
                presenting.is_blank.set(false);
                show_all();
                text.at_least(0);
            }
        });
        let resized = window_event_listener(ev::resize, move |_| {
            if presenting.is_on.get_untracked() {
                text.at_least(percent_of_window());
            }
        });
        on_cleanup(move || {
            resized.remove();
            text.at_least(0);
        });
        StepFitting::follow(steps, presenting.is_on);
        Effect::new(move || blank(presenting.is_blank.get()));
        on_cleanup(|| {
            show_all();
            blank(false);
        });
        let keys = window_event_listener(ev::keydown, move |event| {
            if presenting.press(steps, &event) {
                event.prevent_default();
            }
        });
        on_cleanup(move || keys.remove());
        // Leaving full screen (browsers do so on Escape) ends the presentation.
        let left = window_event_listener(ev::Custom::<web_sys::Event>::new("fullscreenchange"), {
            move |_| {
                if document().fullscreen_element().is_none() {
                    presenting.set(false);
                }
            }
        });
        on_cleanup(move || left.remove());
        presenting
    }

    /// Turns presentation mode on or off.
    fn set(self, is_on: bool) {
        if self.is_on.get_untracked() != is_on {
            self.state
                .url
                .link
                .update(|link| link.lesson.is_presented = is_on);
        }
    }

    /// Toggles presentation mode; starts it in full screen where that is allowed.
    fn turn(self) {
        let is_on = !self.is_on.get_untracked();
        self.set(is_on);
        if let Some(root) = document().document_element() {
            if is_on {
                // Moves the focus off the button; otherwise the next Space would press it again.
                if let Some(lesson) = focusable("#lesson") {
                    // Ignored: focusing a mounted element does not fail.
                    let _ = lesson.focus();
                }
                // Ignored: full screen is refused in frames and on some phones; the lesson is presented in the window
                // then.
                let _ = root.request_fullscreen();
            } else if document().fullscreen_element().is_some() {
                document().exit_fullscreen();
            }
        }
    }

    /// Handles a key. Returns whether it was a key of the presentation.
    fn press(self, steps: Steps, event: &KeyboardEvent) -> bool {
        let is_taken = event.default_prevented() || is_typed_into(event);
        if is_taken || event.ctrl_key() || event.meta_key() || event.alt_key() {
            return false;
        }
        let key = event.key();
        if key == "p" {
            self.turn();
            return true;
        }
        if !self.is_on.get_untracked() {
            return false;
        }
        match key.as_str() {
            "PageDown" => steps.advance(),
            "PageUp" => steps.retreat(),
            // Sliders and focused figures keep their arrow keys.
            "ArrowRight" | "ArrowDown" if !takes_arrows(event) => steps.advance(),
            "ArrowLeft" | "ArrowUp" if !takes_arrows(event) => steps.retreat(),
            " " if event.shift_key() && !is_pressed(event) => steps.retreat(),
            " " | "Enter" if !is_pressed(event) => steps.advance(),
            "b" => self.is_blank.update(|is_blank| *is_blank = !*is_blank),
            "." => self.turn_light(steps),
            "Escape" => self.set(false),
            _ => return false,
        }
        true
    }

    /// Toggles the marked offset that the step points at.
    fn turn_light(self, steps: Steps) {
        if self.state.cursor.lesson.get_untracked().is_some() {
            self.state.cursor.lesson.set(None);
        } else {
            steps.highlight(steps.at.get_untracked());
        }
    }
}

fn blank(is_blank: bool) {
    set_root_attribute("data-blank", is_blank.then_some(""));
}

fn takes_arrows(event: &KeyboardEvent) -> bool {
    target(event).is_some_and(|target| {
        is_range(&target) || target.get_attribute("role").as_deref() == Some("application")
    })
}

/// Whether Space and Enter press the focused element.
pub(super) fn is_pressed(event: &KeyboardEvent) -> bool {
    const PRESSABLE: &str =
        "button, a[href], summary, label, input, select, textarea, [role=application]";
    let pressed = target(event).and_then(|target| target.closest(PRESSABLE).ok());
    pressed.flatten().is_some()
}

/// Button that starts or ends presentation mode.
#[component]
pub(super) fn PresentButton(presenting: Presenting) -> impl IntoView {
    let name = move || {
        if presenting.is_on.get() {
            "Stop presenting"
        } else {
            "Present"
        }
    };
    view! {
        <button
            type="button"
            title="Press P to present. Page Down, → or Space: show the answer, then the next step. Page Up or ←: go back. B: blank screen. Period: toggle highlight."
            aria-keyshortcuts="p"
            on:click=move |_| presenting.turn()
        >
            {name}
        </button>
    }
}
