//! Waves of the tables of runs: their spectra over steps, and at the step that the link looks at the pictures of the
//! waves view.

use super::live_runs::LiveRuns;
use crate::{
    app::{
        controls::buttons::{SegmentedButtons, options},
        figure::{card::FigureCard, view::ready},
        state::UrlState,
    },
    figure::training::{RunHistory, WavePicture, run_spectra, run_waves},
    figure_spec::{
        formulas,
        training::{
            RUN_AUTOCORRELATION_CAPTION, RUN_COLUMNS_CAPTION, RUN_DENSITY_CAPTION,
            RUN_SPECTRUM_CAPTION, TRAINING_SPECTRA, TRAINING_WAVES,
        },
    },
};
use leptos::prelude::*;

/// The pictures, with their names.
const PICTURES: [(WavePicture, &str); 4] = [
    (WavePicture::Spectrum, "spectrum"),
    (WavePicture::Columns, "columns"),
    (WavePicture::Autocorrelation, "autocorrelation"),
    (WavePicture::Density, "density"),
];

/// Figure: the spectra of the tables over steps.
#[component]
pub(super) fn RunSpectra(runs: LiveRuns) -> impl IntoView {
    let has_spectra = runs.any(|run| {
        let mut positions = run.reports.iter().filter_map(|r| r.positions.as_ref());
        positions.any(|positions| positions.waves.is_some())
    });
    view! {
        <Show when=move || has_spectra.get()>
            <FigureCard
                spec=&TRAINING_SPECTRA
                figure=runs.draw(&TRAINING_SPECTRA, |runs, step| ready(run_spectra(runs, step)?))
                positions=runs.longest()
            />
        </Show>
    }
}

/// Figure: the waves of the tables at one step.
#[component]
pub(super) fn RunWaves(runs: LiveRuns) -> impl IntoView {
    let url = UrlState::from_context();
    let picture = url.select(|link| link.training.waves);
    let caption = Signal::derive(move || {
        let caption = match picture.get() {
            WavePicture::Spectrum => RUN_SPECTRUM_CAPTION,
            WavePicture::Columns => RUN_COLUMNS_CAPTION,
            WavePicture::Autocorrelation => RUN_AUTOCORRELATION_CAPTION,
            WavePicture::Density => RUN_DENSITY_CAPTION,
        };
        caption.to_owned()
    });
    let formula = Signal::derive(move || match picture.get() {
        WavePicture::Spectrum => formulas::COLUMN_SPECTRUM,
        WavePicture::Autocorrelation => formulas::AUTOCORRELATION,
        WavePicture::Columns | WavePicture::Density => formulas::NONE,
    });
    let draw = move |runs: &[RunHistory], _: Option<u32>| ready(run_waves(runs, picture.get())?);
    view! {
        <FigureCard
            spec=&TRAINING_WAVES
            caption
            formula
            figure=runs.draw(&TRAINING_WAVES, draw)
            positions=runs.longest()
        >
            <SegmentedButtons
                label="Waves"
                options=options(PICTURES)
                value=picture
                set=move |picture| url.link.update(|link| link.training.waves = picture)
            />
        </FigureCard>
    }
}
