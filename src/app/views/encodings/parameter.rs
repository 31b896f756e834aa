//! A number of an encoding's choice, with its slider and its number field.

use super::scheme_choice::SchemeChoice;
use crate::{
    app::controls::number::{NumberInput, NumberSlider},
    url_state::{NumberRange, SliderScale, encodings::EncodingsChoice},
};
use leptos::prelude::*;

/// A number in [`EncodingsChoice`] that the user can set.
pub(super) struct Parameter {
    /// Displayed label, beside the slider or before the field.
    pub(super) name: &'static str,
    /// Accessible name; says more than the displayed label.
    pub(super) label: &'static str,
    /// Reads the number.
    pub(super) get: fn(&EncodingsChoice) -> f64,
    /// Writes the number.
    pub(super) write: fn(&mut EncodingsChoice, f64),
    /// Range of allowed input. The slider may cover less.
    pub(super) range: NumberRange,
}

impl Parameter {
    /// Returns the same parameter with another label, for another figure.
    pub(super) const fn with_label(self, name: &'static str, label: &'static str) -> Self {
        Self {
            name,
            label,
            ..self
        }
    }

    fn choose(&self, schemes: SchemeChoice, number: f64) {
        schemes.change(|chosen| (self.write)(chosen, number));
    }
}

/// Returns the nearest even number, at least 2.
pub(super) fn even(value: f64) -> usize {
    2 * ((value / 2.0).round().max(1.0) as usize)
}

/// A slider with a number field.
#[component]
pub(super) fn ParameterSlider(
    parameter: &'static Parameter,
    /// Range, step and mapping of the slider.
    scale: SliderScale,
) -> impl IntoView {
    let schemes = SchemeChoice::from_context();
    let choose = Callback::new(move |number| parameter.choose(schemes, number));
    view! {
        <NumberSlider
            name=parameter.name
            label=parameter.label
            value=schemes.select(parameter.get)
            scale=Signal::stored(scale)
            allowed=parameter.range
            slide=choose
            set=choose
        />
    }
}

/// A number field without a slider.
#[component]
pub(super) fn ParameterField(parameter: &'static Parameter) -> impl IntoView {
    let schemes = SchemeChoice::from_context();
    let value = schemes.select(parameter.get);
    view! {
        <div class="field">
            <span aria-hidden="true">{parameter.name}</span>
            <NumberInput
                name=format!("{}, exact", parameter.label)
                value=Signal::derive(move || Some(value.get()))
                allowed=parameter.range
                set=move |number| parameter.choose(schemes, number)
            />
        </div>
    }
}
