//! Number fields and sliders.

use super::while_mounted::while_mounted;
use crate::url_state::{NumberRange, SliderScale, finite_number, four_digits};
use leptos::{ev, html, prelude::*};

/// Steps for Page Up and Page Down, and for arrow keys with Shift.
const LEAP: f64 = 10.0;

/// A number field. It shows four digits, and all digits while it is edited. The up and down arrows step like the slider
/// beside it. Rejected input stays in the field, and a sentence below says what is allowed.
#[component]
pub(in crate::app) fn NumberInput(
    /// Accessible name.
    #[prop(into)]
    name: String,
    /// The number; `None` where the field may be empty.
    #[prop(into)]
    value: Signal<Option<f64>>,
    /// Range of allowed input.
    allowed: NumberRange,
    /// Step size of the arrow keys.
    #[prop(default = Signal::stored(WHOLE_STEPS), into)]
    steps: Signal<SliderScale>,
    /// Whether `value` changes later than `set` is called, after a read or a computation.
    #[prop(optional)]
    follows: bool,
    /// Called with the typed number.
    #[prop(into)]
    set: Callback<f64>,
    /// Called when the field is emptied; without it, empty input is rejected.
    #[prop(optional, into)]
    clear: Option<Callback<()>>,
) -> impl IntoView {
    let field = NodeRef::<html::Input>::new();
    // The memo drops equal values, so the selection in the field survives an update to the same number.
    let value = Memo::new(move |_| value.get());
    let exact_text = Memo::new(move |_| {
        let value = value.get();
        value.map_or_else(String::new, |value| value.to_string())
    });
    // True from focus until the field loses the focus with accepted input.
    let typing = RwSignal::new(false);
    let text = Memo::new(move |_| match value.get() {
        Some(value) if !typing.get() => four_digits(value),
        _ => exact_text.get(),
    });
    let message: RwSignal<Option<String>> = RwSignal::new(None);
    let refused = RwSignal::new(false);
    // The number in the field when the sentence was set.
    let message_value = StoredValue::new(None);
    let say = move |sentence: Option<String>, is_refused: bool| {
        message_value.set_value(value.get_untracked());
        message.set(sentence);
        refused.set(is_refused);
    };
    let show_value = move || {
        if let Some(field) = field.get_untracked() {
            field.set_value(&text.get_untracked());
        }
    };
    // Clears the sentence: it was about another number.
    Effect::new(move |before: Option<()>| {
        let is_other = value.get() != message_value.get_value();
        if before.is_some() && is_other {
            say(None, false);
        }
    });
    let take = move |number: f64| {
        set.run(number);
        let current = value.get_untracked();
        if follows || current == Some(number) {
            say(None, false);
        } else if let Some(current) = current {
            // Another control may limit the number further.
            say(Some(format!("Taken as {current}.")), false);
        }
        if !follows {
            show_value();
        }
    };
    let change = move |_| {
        let typed = field.get_untracked().map(|field| field.value());
        let typed = typed.unwrap_or_default();
        if let (true, Some(clear)) = (typed.trim().is_empty(), clear) {
            say(None, false);
            clear.run(());
            return;
        }
        match allowed.read(&typed) {
            Ok(number) => take(number),
            Err(sentence) => say(Some(sentence), true),
        }
    };
    let step = move |event: ev::KeyboardEvent| {
        let leap = if event.shift_key() { LEAP } else { 1.0 };
        let by = match event.key().as_str() {
            "ArrowUp" => leap,
            "ArrowDown" => -leap,
            "PageUp" => LEAP,
            "PageDown" => -LEAP,
            "Escape" => {
                show_value();
                say(None, false);
                return;
            }
            _ => return,
        };
        event.prevent_default();
        let typed = field.get_untracked().map(|field| field.value());
        let typed = typed.and_then(|typed| allowed.read(&typed).ok());
        if let Some(from) = typed.or(value.get_untracked()) {
            take(allowed.nearest(steps.get_untracked().step(from, by)));
        }
    };
    // The decimal keyboard has no minus sign.
    let keyboard = match (allowed.low() < 0.0, allowed.is_whole()) {
        (true, _) => "text",
        (false, true) => "numeric",
        (false, false) => "decimal",
    };
    view! {
        <span class="number">
            <input
                type="text"
                role="spinbutton"
                inputmode=keyboard
                autocomplete="off"
                spellcheck="false"
                aria-label=name
                aria-valuemin=allowed.low()
                aria-valuemax=allowed.high()
                aria-valuenow=exact_text
                aria-invalid=move || refused.get().then_some("true")
                node_ref=field
                prop:value=text
                on:focus=move |_| typing.set(true)
                on:blur=while_mounted(move |_| typing.set(refused.get_untracked()))
                on:change=while_mounted(change)
                on:keydown=while_mounted(step)
            />
            <span class="allowed" aria-live="polite">{message}</span>
        </span>
    }
}

/// Step size of a number without a slider.
const WHOLE_STEPS: SliderScale = SliderScale::linear(0.0, 1.0, 1.0);

/// A number field with a label before it.
#[component]
pub(in crate::app) fn NumberField(
    /// Label and accessible name.
    name: &'static str,
    #[prop(into)] value: Signal<f64>,
    /// Range of allowed input.
    allowed: NumberRange,
    /// Whether `value` changes later than `set` is called.
    #[prop(optional)]
    follows: bool,
    /// Called with the typed number.
    #[prop(into)]
    set: Callback<f64>,
) -> impl IntoView {
    let value = Signal::derive(move || Some(value.get()));
    view! {
        <div class="field">
            <span aria-hidden="true">{name}</span>
            <NumberInput name value allowed follows set/>
        </div>
    }
}

/// A label, a slider, and a number field for exact values.
#[component]
pub(in crate::app) fn NumberSlider(
    /// Displayed label.
    name: &'static str,
    /// Accessible name; says more than the displayed label.
    #[prop(into)]
    label: String,
    #[prop(into)] value: Signal<f64>,
    /// Range, step and mapping of the slider.
    #[prop(into)]
    scale: Signal<SliderScale>,
    /// Range of allowed input. The slider may cover less.
    allowed: NumberRange,
    /// Called with the number at the slider's position during a drag.
    #[prop(into)]
    slide: Callback<f64>,
    /// Called with the typed number.
    #[prop(into)]
    set: Callback<f64>,
    /// Called when the slider is released.
    #[prop(optional, into)]
    end: Option<Callback<()>>,
) -> impl IntoView {
    let slider = NodeRef::<html::Input>::new();
    Effect::new(move |before: Option<Option<SliderScale>>| {
        let (scale, value) = (scale.get(), value.get());
        let slider = slider.get()?;
        // The browser clamps the value to the slider's range, so the range is set first.
        if before.flatten() != Some(scale) {
            slider.set_min(&scale.low.to_string());
            slider.set_max(&scale.high.to_string());
            slider.set_step(&scale.step.to_string());
        }
        slider.set_value(&scale.position_of(value).to_string());
        Some(scale)
    });
    let pulled = move |event: ev::Event| {
        mark_input();
        if let Some(position) = finite_number(&event_target_value(&event)) {
            let number = scale.get_untracked().at_position(position);
            slide.run(allowed.nearest(number));
        }
    };
    // A swipe that starts on a slider scrolls the page. The browser reports it (`pointercancel`) after the slider has
    // moved, so the value is restored.
    let before_swipe: StoredValue<Option<f64>> = StoredValue::new(None);
    let down = move |_| before_swipe.set_value(Some(value.get_untracked()));
    let swiped = move |_| {
        if let Some(before) = before_swipe.get_value() {
            slide.run(before);
        }
    };
    let let_go = move |_| {
        if let Some(end) = end {
            end.run(());
        }
    };
    let exact = format!("{label}, exact");
    let some_value = Signal::derive(move || Some(value.get()));
    view! {
        <div class="parameter">
            <span aria-hidden="true">{name}</span>
            <input
                type="range"
                node_ref=slider
                aria-label=label
                aria-valuetext=move || value.get().to_string()
                on:input=while_mounted(pulled)
                on:change=while_mounted(let_go)
                on:pointerdown=while_mounted(down)
                on:pointercancel=while_mounted(swiped)
            />
            <NumberInput name=exact value=some_value allowed steps=scale set/>
        </div>
    }
}

/// Marks slider input in the performance timeline, for measurements.
fn mark_input() {
    if let Some(performance) = window().performance() {
        performance.clear_marks_with_mark_name("diagonal:input");
        // Ignored: a mark without options is never refused.
        let _ = performance.mark("diagonal:input");
    }
}
