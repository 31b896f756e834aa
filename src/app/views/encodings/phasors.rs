//! The rotating pairs of columns (phasors) of the sinusoidal table.

use super::{
    parameter::{Parameter, ParameterSlider},
    scheme_choice::SchemeChoice,
};
use crate::{
    app::{
        figure::{
            card::FigureCard,
            view::{picture, ready},
        },
        views::wants_less_motion,
    },
    figure::Phasors,
    figure_spec::encodings::PHASORS,
    url_state::{NumberRange, ROWS, SliderScale, encodings::PHASOR_OFFSETS},
};
use leptos::prelude::*;
use std::time::Duration;

/// Time per position during playback.
const PACE: Duration = Duration::from_millis(120);

static POSITION: Parameter = Parameter {
    name: "position i",
    label: "position i of the phasors",
    get: |chosen| chosen.phasors.position as f64,
    write: |chosen, position| chosen.phasors.position = position.round() as usize,
    range: NumberRange::whole(0.0, *ROWS.end() as f64 - 1.0),
};

const POSITIONS: SliderScale = SliderScale::linear(0.0, 255.0, 1.0);

static OFFSET: Parameter = Parameter {
    name: "offset k",
    label: "offset k of the phasors",
    get: |chosen| chosen.phasors.offset as f64,
    write: |chosen, offset| chosen.phasors.offset = offset.round() as i64,
    range: NumberRange::whole(*PHASOR_OFFSETS.start() as f64, *PHASOR_OFFSETS.end() as f64),
};

const OFFSETS: SliderScale = SliderScale::linear(-64.0, 64.0, 1.0);

/// Figure: dials of the phasors at positions i and i + k.
#[component]
pub(super) fn PhasorCard() -> impl IntoView {
    let schemes = SchemeChoice::from_context();
    let turning = RwSignal::new(false);
    let step = move || {
        schemes.change(|chosen| {
            chosen.phasors.position = (chosen.phasors.position + 1) % ROWS.end();
        });
    };
    Effect::new(move || {
        // If no timer can be set, playback stops, and the button shows that.
        if turning.get() {
            match set_interval_with_handle(step, PACE) {
                Ok(timer) => on_cleanup(move || timer.clear()),
                Err(_) => turning.set(false),
            }
        }
    });
    let turn = move |_| {
        if wants_less_motion() {
            turning.set(false);
            step();
        } else {
            turning.update(|turning| *turning = !*turning);
        }
    };
    let name = move || match (turning.get(), wants_less_motion()) {
        (true, _) => "Pause",
        (false, true) => "Next position",
        (false, false) => "Play",
    };
    let settings = schemes.select(|chosen| (chosen.phasors, chosen.parameters.sinusoid));
    let figure = picture(move || {
        let (phasors, sinusoid) = settings.get();
        ready(Phasors {
            frequencies: sinusoid.frequencies().collect(),
            position: phasors.position,
            offset: phasors.offset,
        })
    });
    view! {
        <FigureCard
            spec=&PHASORS
            figure
        >
            <button type="button" class="play" on:click=turn>{name}</button>
            <div class="sliders">
                <ParameterSlider parameter=&POSITION scale=POSITIONS/>
                <ParameterSlider parameter=&OFFSET scale=OFFSETS/>
            </div>
        </FigureCard>
    }
}
