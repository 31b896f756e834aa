//! A lesson in a hall: the figures that a step lights, large, and its text; keys and clickers go from step to step.
//!
//! Page Down, →, ↓, Space and Enter unfold the answer of a step that asks something, and then go on. Page Up, ←, ↑ and
//! Shift+Space take that back, one press at a time: they fold an unfolded answer, and then go to the step before, whose
//! answer is unfolded. Keys that a focused control takes stay its own.

use super::{Steps, fitting::StepFitting};
use crate::app::{
    controls::focus::focusable,
    figure::registry::{show_all, show_alone},
    shell::text_size::TextSize,
    state::page::PageState,
};
use leptos::{ev, prelude::*};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{HtmlElement, KeyboardEvent};

/// Whether the lesson is presented; the link says so, so that a reload goes on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Presenting {
    state: PageState,
    is_on: Memo<bool>,
    /// Whether the screen is blank, so that the hall looks at the speaker.
    is_blank: RwSignal<bool>,
}

/// How large letters are in percent where a lesson is presented: those of 16 pixels become 20 on a screen of 1280×720, and
/// keep their share of a larger one, as the style sheet has it for words.
fn percent_presented() -> u8 {
    let side = |side: Result<JsValue, JsValue>| side.ok().and_then(|side| side.as_f64());
    let (width, height) = (side(window().inner_width()), side(window().inner_height()));
    let share = (width.unwrap_or(0.0) / 1280.0).min(height.unwrap_or(0.0) / 720.0);
    (125.0 * share.max(1.0)).min(255.0) as u8
}

impl Presenting {
    /// Follows the link and the keys for as long as the lesson is open.
    pub(super) fn follow(steps: Steps) -> Self {
        let state = PageState::from_context();
        let presenting = Self {
            state,
            is_on: state.part(|link| link.lesson.get().presenting),
            is_blank: RwSignal::new(false),
        };
        let text = TextSize::from_context();
        Effect::new(move || {
            if presenting.is_on.get() {
                show_alone("present");
                text.at_least(percent_presented());
                // Reading mode may have been scrolled.
                window().scroll_to_with_x_and_y(0.0, 0.0);
            } else {
                presenting.is_blank.set(false);
                show_all();
                text.at_least(0);
            }
        });
        let resized = window_event_listener(ev::resize, move |_| {
            if presenting.is_on.get_untracked() {
                text.at_least(percent_presented());
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
        // Whoever leaves full screen, which browsers do by Escape, has done.
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

    /// Begins, or ends.
    fn set(self, is_on: bool) {
        if self.is_on.get_untracked() != is_on {
            self.state
                .link
                .update(|link| link.lesson.change(|section| section.presenting = is_on));
        }
    }

    /// Begins in full screen, where that is allowed, or ends.
    fn turn(self) {
        let is_on = !self.is_on.get_untracked();
        self.set(is_on);
        if let Some(root) = document().document_element() {
            if is_on {
                // Or the next press of Space would press the button again that was pressed to begin.
                if let Some(lesson) = focusable("#lesson") {
                    // An element of the page can always be focused.
                    let _ = lesson.focus();
                }
                // Refused in frames and on some phones: it is presented in the window then.
                let _ = root.request_fullscreen();
            } else if document().fullscreen_element().is_some() {
                document().exit_fullscreen();
            }
        }
    }

    /// Gives whether the key was one of a lecture's.
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
            // In a figure that has the focus, and on a slider, arrows do what they always do.
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

    /// Lights what the step lights, or no longer.
    fn turn_light(self, steps: Steps) {
        if self.state.pointed.get_untracked().is_some() {
            self.state.pointed.set(None);
        } else {
            steps.light(steps.at.get_untracked());
        }
    }
}

fn blank(is_blank: bool) {
    if let Some(root) = document().document_element() {
        // A data attribute can always be set, and taken away where there is none.
        let _ = if is_blank {
            root.set_attribute("data-blank", "")
        } else {
            root.remove_attribute("data-blank")
        };
    }
}

fn target(event: &KeyboardEvent) -> Option<HtmlElement> {
    event.target()?.dyn_into().ok()
}

/// Whether a letter goes into a field.
fn is_typed_into(event: &KeyboardEvent) -> bool {
    let target = target(event);
    let range = target.as_ref().is_some_and(is_range);
    target.is_some_and(|target| {
        matches!(target.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT") && !range
    })
}

fn is_range(target: &HtmlElement) -> bool {
    target.get_attribute("type").as_deref() == Some("range")
}

fn takes_arrows(event: &KeyboardEvent) -> bool {
    target(event).is_some_and(|target| {
        is_range(&target) || target.get_attribute("role").as_deref() == Some("application")
    })
}

/// Whether Space and Enter press what has the focus.
pub(super) fn is_pressed(event: &KeyboardEvent) -> bool {
    const PRESSED: &str =
        "button, a[href], summary, label, input, select, textarea, [role=application]";
    let pressed = target(event).and_then(|target| target.closest(PRESSED).ok());
    pressed.flatten().is_some()
}

/// Begins to present, and ends.
#[component]
pub(super) fn PresentButton(
    /// What it turns.
    presenting: Presenting,
) -> impl IntoView {
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
            title="Key p. Page Down, → and Space show the answer to a question, then the next step. Page Up and ← go back. b blanks the screen. The full stop lights what the step points at."
            aria-keyshortcuts="p"
            on:click=move |_| presenting.turn()
        >
            {name}
        </button>
    }
}
