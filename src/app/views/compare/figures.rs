//! Profiles on one axis, and every score of every model.

use super::answers::ComparedAnswers;
use crate::{
    app::{
        controls::{Segmented, options},
        figure_card::FigureCard,
        figure_view::{picture, ready},
        formulas,
    },
    figure::compared,
};
use leptos::prelude::*;

/// Every model's profile on one axis.
#[component]
pub(super) fn ComparedProfiles(answers: ComparedAnswers) -> impl IntoView {
    let raw = RwSignal::new(false);
    let all = RwSignal::new(false);
    let figure = picture(move || {
        let models = answers.models.get();
        ready(compared::profiles(&models, !raw.get(), all.get())?)
    });
    let caption = Signal::derive(move || {
        if raw.get() {
            "The mean of every diagonal, as it is:"
        } else {
            "The mean of every diagonal, minus the mean of the matrix, in units of its own range over |k| ≤ n/2:"
        }
        .to_owned()
    });
    let scales = options([(false, "scaled"), (true, "as they are")]);
    let offsets = options([(false, "shared by all"), (true, "all offsets")]);
    let waiting = Signal::derive(move || answers.overviews.waiting());
    view! {
        <FigureCard
            id="compare-profiles"
            figure
            caption
            formula=formulas::DIAGONAL_MEAN
            positions=answers.longest()
            waiting
            empty="No model takes part yet."
        >
            <Segmented label="Values" options=scales value=raw set=move |value| raw.set(value)/>
            <Segmented label="Offsets" options=offsets value=all set=move |value| all.set(value)/>
        </FigureCard>
    }
}

/// R² of every scope of every model.
#[component]
pub(super) fn ModelScores(answers: ComparedAnswers) -> impl IntoView {
    let figure = picture(move || ready(compared::scores(&answers.models.get())?));
    let waiting = Signal::derive(move || answers.overviews.waiting());
    view! {
        <FigureCard
            id="model-scores"
            figure
            caption="R² of the whole matrix, of its parts and of leading blocks. The download has every window too."
            waiting
            empty="No model takes part yet."
        />
    }
}
