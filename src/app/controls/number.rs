//! Numbers that a person sets: by typing, or by pulling a slider.

use super::mounted::while_mounted;
use crate::url_state::{NumberRange, SliderScale, finite_number, four_digits};
use leptos::{ev, html, prelude::*};

/// How many steps Page Up and Page Down go, and the arrows with Shift.
const LEAP: f64 = 10.0;

/// A number typed in. It shows four digits, and all of them to who types. Arrows up and down step through it as the
/// slider beside it does. What cannot be taken stays where it was typed, and a sentence under it says what can.
#[component]
pub(in crate::app) fn NumberInput(
    /// What the number is.
    #[prop(into)]
    name: String,
    /// The number; none where the field may be empty.
    #[prop(into)]
    value: Signal<Option<f64>>,
    /// What may be typed.
    allowed: NumberRange,
    /// The steps of the arrows.
    #[prop(default = Signal::stored(WHOLE_STEPS), into)]
    steps: Signal<SliderScale>,
    /// Whether the number follows later, once what was typed has been read or computed.
    #[prop(optional)]
    follows: bool,
    /// Takes what was typed.
    #[prop(into)]
    set: Callback<f64>,
    /// Takes that the field was emptied, where it may be.
    #[prop(optional, into)]
    clear: Option<Callback<()>>,
) -> impl IntoView {
    let field = NodeRef::<html::Input>::new();
    // Whoever is typing keeps the selection when the number comes again and is the same.
    let value = Memo::new(move |_| value.get());
    let text = Memo::new(move |_| {
        let value = value.get();
        value.map_or_else(String::new, |value| value.to_string())
    });
    // From when the field is entered until it is left with nothing refused in it.
    let typing = RwSignal::new(false);
    let shown = Memo::new(move |_| match value.get() {
        Some(value) if !typing.get() => four_digits(value),
        _ => text.get(),
    });
    let said: RwSignal<Option<String>> = RwSignal::new(None);
    let refused = RwSignal::new(false);
    // The number that stood in the field when that was said.
    let said_of = StoredValue::new(None);
    let say = move |sentence: Option<String>, is_refused: bool| {
        said_of.set_value(value.get_untracked());
        said.set(sentence);
        refused.set(is_refused);
    };
    let show_value = move || {
        if let Some(field) = field.get_untracked() {
            field.set_value(&shown.get_untracked());
        }
    };
    // The sentence was about another number.
    Effect::new(move |before: Option<()>| {
        let is_other = value.get() != said_of.get_value();
        if before.is_some() && is_other {
            say(None, false);
        }
    });
    let take = move |number: f64| {
        set.run(number);
        let taken = value.get_untracked();
        if follows || taken == Some(number) {
            say(None, false);
        } else if let Some(taken) = taken {
            // What is chosen beside it may leave no room for it.
            say(Some(format!("Taken as {taken}.")), false);
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
            take(allowed.nearest(steps.get_untracked().stepped(from, by)));
        }
    };
    // Keyboards of decimal digits have no minus sign.
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
                aria-valuenow=text
                aria-invalid=move || refused.get().then_some("true")
                node_ref=field
                prop:value=shown
                on:focus=move |_| typing.set(true)
                on:blur=while_mounted(move |_| typing.set(refused.get_untracked()))
                on:change=while_mounted(change)
                on:keydown=while_mounted(step)
            />
            <span class="allowed" aria-live="polite">{said}</span>
        </span>
    }
}

/// The steps of a number that has no slider.
const WHOLE_STEPS: SliderScale = SliderScale::linear(0.0, 1.0, 1.0);

/// A number with its name before it.
#[component]
pub(in crate::app) fn NumberField(
    /// What the number is.
    name: &'static str,
    /// The number.
    #[prop(into)]
    value: Signal<f64>,
    /// What may be typed.
    allowed: NumberRange,
    /// Whether the number follows later.
    #[prop(optional)]
    follows: bool,
    /// Takes what was typed.
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

/// A number with its name, a slider, and a field for what the slider is too coarse for.
#[component]
pub(in crate::app) fn NumberSlider(
    /// On the page, beside the slider.
    name: &'static str,
    /// For those who do not see what it stands beside.
    #[prop(into)]
    label: String,
    /// The number.
    #[prop(into)]
    value: Signal<f64>,
    /// How the slider runs.
    #[prop(into)]
    scale: Signal<SliderScale>,
    /// What may be typed. A slider may run less far.
    allowed: NumberRange,
    /// Takes where the slider was pulled.
    #[prop(into)]
    slide: Callback<f64>,
    /// Takes what was typed.
    #[prop(into)]
    set: Callback<f64>,
    /// The slider was let go.
    #[prop(optional, into)]
    end: Option<Callback<()>>,
) -> impl IntoView {
    let slider = NodeRef::<html::Input>::new();
    Effect::new(move |before: Option<Option<SliderScale>>| {
        let (scale, value) = (scale.get(), value.get());
        let slider = slider.get()?;
        // A browser keeps the value within the ends that it knows, so those come first.
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
    // A swipe that begins on a slider scrolls the page. The browser says so late, when the slider has moved.
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
    let shown = Signal::derive(move || Some(value.get()));
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
            <NumberInput name=exact value=shown allowed steps=scale set/>
        </div>
    }
}

/// Tells whoever measures that a slider moved.
fn mark_input() {
    if let Some(performance) = window().performance() {
        performance.clear_marks_with_mark_name("diagonal:input");
        // A mark without options is never refused.
        let _ = performance.mark("diagonal:input");
    }
}
