//! A number that can be chosen, with its slider and its exact field.

use super::chosen::ChosenSchemes;
use crate::{
    app::controls::NumberInput,
    link::{SliderScale, encodings::EncodingsChoice, finite_number},
};
use leptos::prelude::*;
use std::ops::RangeInclusive;

/// One of the numbers that can be chosen.
pub(super) struct Parameter {
    /// On the page, beside its slider or before its field.
    pub(super) name: &'static str,
    /// For those who do not see what it stands beside.
    pub(super) label: &'static str,
    /// Reads it from what is chosen.
    pub(super) get: fn(&EncodingsChoice) -> f64,
    /// Writes it there.
    pub(super) set: fn(&mut EncodingsChoice, f64),
    /// What may be typed. A slider may run less far.
    pub(super) exact: RangeInclusive<f64>,
}

impl Parameter {
    /// The same number under another name, beside another figure.
    pub(super) const fn called(self, name: &'static str, label: &'static str) -> Self {
        Self {
            name,
            label,
            ..self
        }
    }

    /// Chooses the number that is nearest to one among those that may be typed.
    fn choose(&self, schemes: ChosenSchemes, number: f64) {
        let number = number.clamp(*self.exact.start(), *self.exact.end());
        schemes.change(|chosen| (self.set)(chosen, number));
    }
}

/// The nearest even number, and 2 at least.
pub(super) fn even(value: f64) -> usize {
    2 * ((value / 2.0).round().max(1.0) as usize)
}

/// A range of whole numbers as one of numbers.
pub(super) const fn numbers(range: &RangeInclusive<usize>) -> RangeInclusive<f64> {
    *range.start() as f64..=*range.end() as f64
}

/// A number with its slider and its exact field.
#[component]
pub(super) fn ParameterSlider(
    /// The number.
    parameter: &'static Parameter,
    /// How the slider runs.
    scale: SliderScale,
) -> impl IntoView {
    let schemes = ChosenSchemes::from_context();
    let shown = schemes.part(parameter.get);
    let slide = move |event: leptos::ev::Event| {
        if let Some(position) = finite_number(&event_target_value(&event)) {
            parameter.choose(schemes, scale.at_position(position));
        }
    };
    view! {
        <div class="parameter">
            <span aria-hidden="true">{parameter.name}</span>
            <input
                type="range"
                aria-label=parameter.label
                aria-valuetext=move || shown.get().to_string()
                min=scale.low
                max=scale.high
                step=scale.step
                prop:value=move || scale.position_of(shown.get()).to_string()
                on:input=slide
            />
            <ExactNumber parameter shown/>
        </div>
    }
}

/// A number with its exact field alone.
#[component]
pub(super) fn ParameterField(
    /// The number.
    parameter: &'static Parameter,
) -> impl IntoView {
    let shown = ChosenSchemes::from_context().part(parameter.get);
    view! {
        <div class="field">
            <span aria-hidden="true">{parameter.name}</span>
            <ExactNumber parameter shown/>
        </div>
    }
}

#[component]
fn ExactNumber(parameter: &'static Parameter, shown: Memo<f64>) -> impl IntoView {
    let schemes = ChosenSchemes::from_context();
    let name = format!("{}, exact", parameter.label);
    let (low, high) = (*parameter.exact.start(), *parameter.exact.end());
    view! {
        <NumberInput
            name
            value=shown
            low
            high
            set=move |number| parameter.choose(schemes, number)
        />
    }
}
