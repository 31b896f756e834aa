//! Figures that compare all models: profiles on one axis, and scores.

use super::answers::ComparedAnswers;
use crate::{
    app::{
        figure::{
            card::FigureCard,
            view::{picture, ready},
        },
        state::UrlState,
        views::matrix_controls::LinkedSegmentedButtons,
    },
    figure::model_comparison,
    figure_spec::compare::{COMPARE_PROFILES, MODEL_SCORES},
};
use leptos::prelude::*;

/// Figure: the profile of every model on one axis.
#[component]
pub(super) fn ComparedProfiles(answers: ComparedAnswers) -> impl IntoView {
    let url = UrlState::from_context();
    let unscaled = url.select(|link| link.compare.is_unscaled);
    let all = url.select(|link| link.compare.all_offsets);
    let figure = picture(move || {
        let models = answers.models.get();
        ready(model_comparison::profiles(
            &models,
            !unscaled.get(),
            all.get(),
        )?)
    });
    let caption = Signal::derive(move || {
        if unscaled.get() {
            "The mean of every diagonal, as it is:"
        } else {
            "Each line is f(k) minus the mean of the matrix, divided by the range of f over |k| ≤ n/2. Diagonals of fewer than n/16 cells are not drawn. f(k) is the mean of a diagonal:"
        }
        .to_owned()
    });
    view! {
        <FigureCard
            spec=&COMPARE_PROFILES
            figure
            caption
            positions=answers.longest()
            query=answers.overviews
        >
            <LinkedSegmentedButtons
                label="Values"
                choices=[(false, "scaled"), (true, "as they are")]
                get=|link| link.compare.is_unscaled
                set=|link, unscaled| link.compare.is_unscaled = unscaled
            />
            <LinkedSegmentedButtons
                label="Offsets"
                choices=[(false, "common offsets"), (true, "all offsets")]
                get=|link| link.compare.all_offsets
                set=|link, all| link.compare.all_offsets = all
            />
        </FigureCard>
    }
}

/// Figure: R² of every model over the full matrix and over windows.
#[component]
pub(super) fn ModelScores(answers: ComparedAnswers) -> impl IntoView {
    let figure = picture(move || ready(model_comparison::scores(&answers.models.get())?));
    view! {
        <FigureCard
            spec=&MODEL_SCORES
            figure
            query=answers.overviews
        />
    }
}
