//! A number that can be chosen, with its slider and its exact field.

use super::scheme_choice::SchemeChoice;
use crate::{
    app::controls::number::{NumberInput, NumberSlider},
    url_state::{NumberRange, SliderScale, encodings::EncodingsChoice},
};
use leptos::prelude::*;

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
    pub(super) allowed: NumberRange,
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

    fn choose(&self, schemes: SchemeChoice, number: f64) {
        schemes.change(|chosen| (self.set)(chosen, number));
    }
}

/// The nearest even number, and 2 at least.
pub(super) fn even(value: f64) -> usize {
    2 * ((value / 2.0).round().max(1.0) as usize)
}

/// A number with its slider and its exact field.
#[component]
pub(super) fn ParameterSlider(
    /// The number.
    parameter: &'static Parameter,
    /// How the slider runs.
    scale: SliderScale,
) -> impl IntoView {
    let schemes = SchemeChoice::from_context();
    let choose = Callback::new(move |number| parameter.choose(schemes, number));
    view! {
        <NumberSlider
            name=parameter.name
            label=parameter.label
            value=schemes.part(parameter.get)
            scale=Signal::stored(scale)
            allowed=parameter.allowed
            slide=choose
            set=choose
        />
    }
}

/// A number with its exact field alone.
#[component]
pub(super) fn ParameterField(
    /// The number.
    parameter: &'static Parameter,
) -> impl IntoView {
    let schemes = SchemeChoice::from_context();
    let shown = schemes.part(parameter.get);
    view! {
        <div class="field">
            <span aria-hidden="true">{parameter.name}</span>
            <NumberInput
                name=format!("{}, exact", parameter.label)
                value=Signal::derive(move || Some(shown.get()))
                allowed=parameter.allowed
                set=move |number| parameter.choose(schemes, number)
            />
        </div>
    }
}
