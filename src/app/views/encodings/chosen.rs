//! What is chosen in this view. It lives in the link, in a section that this view alone reads.

use crate::{
    app::{
        controls::number_input,
        dynamic::{attribute, on, text, value},
        state::{Part, State},
    },
    link::{encodings::EncodingsChoice, finite_number},
};
use leptos::prelude::*;
use std::ops::RangeInclusive;

/// The choices of the view.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chosen {
    pub(super) state: State,
    choice: Part<EncodingsChoice>,
}

/// One of the numbers that can be chosen.
pub(super) struct Parameter {
    /// On the page, beside its slider.
    pub(super) name: &'static str,
    /// For who does not see what it stands beside.
    pub(super) label: &'static str,
    pub(super) get: fn(&EncodingsChoice) -> f64,
    pub(super) set: fn(&mut EncodingsChoice, f64),
    pub(super) slider: (f64, f64, f64),
    pub(super) exact: RangeInclusive<f64>,
    /// The slider runs over powers of this number, if of any.
    pub(super) powers: Option<f64>,
}

impl Chosen {
    pub(super) fn new(state: State) -> Self {
        let choice = state.part(|link| link.encodings.get().chosen.clone());
        Self { state, choice }
    }

    /// Follows every choice; who asks often asks for little.
    pub(super) fn get(self) -> EncodingsChoice {
        self.choice.get()
    }

    pub(super) fn get_untracked(self) -> EncodingsChoice {
        untrack(|| self.get())
    }

    pub(super) fn edit(self, change: impl FnOnce(&mut EncodingsChoice)) {
        let before = self.get_untracked();
        let mut chosen = before.clone();
        change(&mut chosen);
        if chosen != before {
            let link = self.state.link;
            link.update(|link| link.encodings.change(|section| section.chosen = chosen));
        }
    }

    /// A number with its slider and its exact field.
    pub(super) fn slider(self, parameter: &'static Parameter) -> AnyView {
        let shown = value(move || (parameter.get)(&self.get()));
        let (low, high, step) = parameter.slider;
        let slide = on(move |event: leptos::ev::Event| {
            if let Some(position) = finite_number(&event_target_value(&event)) {
                self.set(parameter, parameter.at_position(position));
            }
        });
        let position = text(move || parameter.position_of(shown.get()).to_string());
        let said = attribute(move || Some(shown.get().to_string()));
        view! {
            <div class="parameter">
                <span aria-hidden="true">{parameter.name}</span>
                <input
                    type="range"
                    aria-label=parameter.label
                    aria-valuetext=said
                    min=low
                    max=high
                    step=step
                    prop:value=position
                    on:input=slide
                />
                {self.exact(parameter, shown)}
            </div>
        }
        .into_any()
    }

    /// A number with its exact field alone.
    pub(super) fn field(self, parameter: &'static Parameter) -> AnyView {
        let shown = value(move || (parameter.get)(&self.get()));
        view! {
            <div class="field">
                <span aria-hidden="true">{parameter.name}</span>
                {self.exact(parameter, shown)}
            </div>
        }
        .into_any()
    }

    fn exact(self, parameter: &'static Parameter, shown: Signal<f64>) -> AnyView {
        let (low, high) = (*parameter.exact.start(), *parameter.exact.end());
        let set = move |number| self.set(parameter, number);
        number_input(format!("{}, exact", parameter.label), shown, low, high, set)
    }

    fn set(self, parameter: &'static Parameter, number: f64) {
        let number = number.clamp(*parameter.exact.start(), *parameter.exact.end());
        self.edit(|chosen| (parameter.set)(chosen, number));
    }
}

impl Parameter {
    fn position_of(&self, value: f64) -> f64 {
        match self.powers {
            Some(base) => value.max(f64::MIN_POSITIVE).ln() / base.ln(),
            None => value,
        }
    }

    /// The slider's value, rounded to what its step can tell apart.
    fn at_position(&self, position: f64) -> f64 {
        match self.powers {
            Some(base) => {
                let value = base.powf(position);
                let digits = 10_f64.powf(2.0 - value.log10().floor());
                (value * digits).round() / digits
            }
            None => position,
        }
    }
}
