//! The rotating pairs behind the sinusoidal table.

use super::{
    super::{ready, wants_less_motion},
    chosen::{Chosen, Parameter},
};
use crate::{
    app::{
        dynamic::{click, picture, text},
        figure_card::FigureCard,
        formulas,
    },
    figure::Phasors,
    link::{
        ROWS,
        encodings::{EncodingsChoice, PHASOR_OFFSETS},
    },
};
use leptos::prelude::*;
use std::time::Duration;

/// A position is shown this long while they turn.
const PACE: Duration = Duration::from_millis(120);

static PARAMETERS: [Parameter; 2] = [
    Parameter {
        name: "position i",
        label: "position i of the phasors",
        get: |chosen| chosen.phasors.position as f64,
        set: |chosen, position| chosen.phasors.position = position.round() as usize,
        slider: (0.0, 255.0, 1.0),
        exact: 0.0..=*ROWS.end() as f64 - 1.0,
        powers: None,
    },
    Parameter {
        name: "offset k",
        label: "offset k of the phasors",
        get: |chosen| chosen.phasors.offset as f64,
        set: |chosen, offset| chosen.phasors.offset = offset.round() as i64,
        slider: (-64.0, 64.0, 1.0),
        exact: *PHASOR_OFFSETS.start() as f64..=*PHASOR_OFFSETS.end() as f64,
        powers: None,
    },
];

/// Turning on by itself: counts starts, and is even while it rests, so that a tick of an earlier start is not
/// heard.
#[derive(Debug, Clone, Copy)]
struct Turning {
    chosen: Chosen,
    runs: RwSignal<usize>,
}

impl Turning {
    fn step(self) {
        self.chosen.edit(|now: &mut EncodingsChoice| {
            now.phasors.position = (now.phasors.position + 1) % ROWS.end();
        });
    }

    fn toggle(self) {
        if wants_less_motion() {
            self.step();
            return;
        }
        self.runs.update(|runs| *runs += 1);
        let run = self.runs.get_untracked();
        if run % 2 == 1 {
            self.tick(run);
        }
    }

    fn tick(self, run: usize) {
        let next = move || {
            // The view may be gone by now, and its signals with it.
            if self.runs.try_get_untracked() == Some(run) {
                self.step();
                self.tick(run);
            }
        };
        set_timeout(next, PACE);
    }
}

/// The figure.
pub(super) fn phasors(chosen: Chosen) -> AnyView {
    let turning = Turning {
        chosen,
        runs: RwSignal::new(0),
    };
    let figure = picture(move || {
        let now = chosen.get();
        ready(Phasors {
            frequencies: now.parameters.sinusoid.frequencies().collect(),
            position: now.phasors.position,
            offset: now.phasors.offset,
        })
    });
    let play = text(move || {
        match (turning.runs.get() % 2 == 1, wants_less_motion()) {
            (true, _) => "Rest",
            (false, true) => "Next position",
            (false, false) => "Turn",
        }
        .to_owned()
    });
    let toggle = click(move || turning.toggle());
    let sliders = PARAMETERS
        .iter()
        .map(|parameter| chosen.slider(parameter))
        .collect::<Vec<_>>();
    FigureCard::new("phasors", figure)
        .caption(
            "Each pair of columns is a hand that turns with position, by its own wavelength λ. Turn i and every \
             angle between two hands stays: the bars are the cosines of those angles, and do not move. Their sum:"
                .to_owned(),
        )
        .formula(formulas::PHASORS)
        .controls(vec![
            view! { <button type="button" class="play" on:click=toggle>{play}</button> }.into_any(),
            view! { <div class="sliders">{sliders}</div> }.into_any(),
        ])
        .view()
}
