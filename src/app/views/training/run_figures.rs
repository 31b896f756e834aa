//! Figures of the runs that train on the page.

use super::{
    live_runs::LiveRuns,
    recipes::Recipes,
    run_waves::{RunSpectra, RunWaves},
};
use crate::{
    analysis::{MatrixPart, Similarity},
    app::{
        controls::buttons::{SegmentedButtons, options},
        figure::{card::FigureCard, program_constants::ProgramConstants, view::ready},
        state::UrlState,
        training::RunStatus,
        views::matrix_controls::MatrixLook,
    },
    figure::training::{
        RunHistory, RunMatrix, kernel_functions, kernel_paths, length_gaps, length_losses,
        loss_curves, pair_energies, r2_curves, run_heads, run_matrices, run_tables,
    },
    figure_spec::formulas,
    figure_spec::training::{
        RUN_CURVES_CAPTION, RUN_MATRICES_CAPTION, RUN_TABLES_CAPTION, TRAINING_CURVES,
        TRAINING_FREQUENCIES, TRAINING_HEADS, TRAINING_KERNEL_PATHS, TRAINING_KERNELS,
        TRAINING_LENGTHS, TRAINING_LOSSES, TRAINING_MATRIX, TRAINING_TABLE,
    },
    numpy_program::{ProgramRun, run_constant},
    url_state::Link,
};
use leptos::prelude::*;

/// The runs, as the figures of the view show them.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunHistories {
    /// With their losses, for figures whose axis goes over all steps.
    curves: LiveRuns,
    /// Without them, for figures that change with reports alone.
    states: LiveRuns,
}

impl RunHistories {
    pub(super) fn new(recipes: Recipes) -> Self {
        Self {
            curves: LiveRuns::new(recipes, true),
            states: LiveRuns::new(recipes, false),
        }
    }
}

/// Provides the constants of the runs' NumPy programs.
pub(super) fn provide_program_constants(recipes: Recipes) {
    ProgramConstants::provide(move |name| {
        let runs = recipes.current_runs.get().into_iter();
        let histories = recipes.histories(false).into_iter();
        let runs = runs.zip(histories).map(|(run, history)| ProgramRun {
            recipe: run.name(),
            is_shipped: run.status.with(RunStatus::is_recorded),
            history,
        });
        run_constant(&runs.collect::<Vec<_>>(), name)
    });
}

/// Losses and R² by step, and losses by length.
#[component]
pub(super) fn RunCurves(histories: RunHistories) -> impl IntoView {
    let RunHistories { curves, states } = histories;
    let has_positions = states.any(|run| {
        let mut reports = run.reports.iter();
        reports.any(|report| report.positions.is_some())
    });
    let has_lengths = states.any(|run| !run.lengths.is_empty());
    let gaps = Signal::derive(move || {
        let gaps = states.with(length_gaps);
        [TRAINING_LENGTHS.caption.to_owned(), gaps.join(" ")]
            .join(" ")
            .trim_end()
            .to_owned()
    });
    view! {
        <FigureCard
            spec=&TRAINING_LOSSES
            figure=curves.draw(&TRAINING_LOSSES, |runs, step| ready(loss_curves(runs, step)?))
        />
        <Show when=move || has_positions.get()>
            <FigureCard
                spec=&TRAINING_CURVES
                title=Some("R² by step")
                caption=Signal::stored(RUN_CURVES_CAPTION.to_owned())
                figure=curves.draw(&TRAINING_CURVES, |runs, step| ready(r2_curves(runs, step)?))
            />
        </Show>
        <RunSpectra runs=states/>
        <Show when=move || has_lengths.get()>
            <FigureCard
                spec=&TRAINING_LENGTHS
                figure=states.draw(&TRAINING_LENGTHS, |runs, _| ready(length_losses(runs)?))
                caption=gaps
            />
        </Show>
    }
}

/// The matrices, with their names.
const MATRICES: [(RunMatrix, &str); 3] = [
    (RunMatrix::InnerProducts, "P"),
    (RunMatrix::Cosines, "cosines"),
    (RunMatrix::Residual, "residual"),
];

/// The matrix that the link chooses.
fn chosen_matrix(link: &Link) -> RunMatrix {
    match (link.positions.part, link.positions.similarity) {
        (MatrixPart::Residual, _) => RunMatrix::Residual,
        (_, Similarity::InnerProduct) => RunMatrix::InnerProducts,
        (_, Similarity::Cosine) => RunMatrix::Cosines,
    }
}

/// Matrices, tables, heads and kernels at the step that the link looks at.
#[component]
pub(super) fn RunStates(histories: RunHistories) -> impl IntoView {
    let url = UrlState::from_context();
    let look = url.select(|link| (link.matrices.map, link.matrices.clip));
    let matrix = url.select(chosen_matrix);
    let RunHistories { curves, states } = histories;
    let matrices = move |runs: &[RunHistory], _: Option<u32>| {
        let (map, clip) = look.get();
        ready(run_matrices(runs, matrix.get(), map, clip)?)
    };
    let tables = move |runs: &[RunHistory], _: Option<u32>| {
        let (map, clip) = look.get();
        ready(run_tables(runs, map, clip)?)
    };
    let heads = states.draw(&TRAINING_HEADS, move |runs, _| {
        ready(run_heads(runs, look.get().0)?)
    });
    let has_pairs = states.any(|run| {
        let current = run.current.as_ref();
        current.is_some_and(|report| !report.pairs.is_empty())
    });
    let has_positions = states.any(|run| {
        let current = run.current.as_ref();
        current.is_some_and(|report| report.positions.is_some())
    });
    let has_tables = states.any(|run| {
        let positions = run
            .current
            .as_ref()
            .and_then(|report| report.positions.as_ref());
        positions.is_some_and(|positions| positions.table.is_some())
    });
    let has_kernels = states.any(|run| {
        let mut reports = run.reports.iter().chain(&run.current);
        reports.any(|report| !report.kernels.is_empty())
    });
    let formula = Signal::derive(move || match matrix.get() {
        RunMatrix::InnerProducts | RunMatrix::Residual => formulas::INNER_PRODUCT,
        RunMatrix::Cosines => formulas::COSINE,
    });
    let choose = move |matrix: RunMatrix| {
        url.link.update(|link| {
            (link.positions.similarity, link.positions.part) = match matrix {
                RunMatrix::InnerProducts => (Similarity::InnerProduct, MatrixPart::Whole),
                RunMatrix::Cosines => (Similarity::Cosine, MatrixPart::Whole),
                RunMatrix::Residual => (Similarity::InnerProduct, MatrixPart::Residual),
            };
        });
    };
    view! {
        <Show when=move || has_positions.get()>
            <FigureCard
                spec=&TRAINING_MATRIX
                title=Some("Position matrices")
                caption=Signal::stored(RUN_MATRICES_CAPTION.to_owned())
                formula
                figure=states.draw(&TRAINING_MATRIX, matrices)
                positions=states.longest()
            >
                <SegmentedButtons label="Matrix" options=options(MATRICES) value=matrix set=choose/>
                <MatrixLook/>
            </FigureCard>
        </Show>
        <FigureCard spec=&TRAINING_HEADS figure=heads/>
        <Show when=move || has_kernels.get()>
            <FigureCard
                spec=&TRAINING_KERNELS
                figure=states.draw(&TRAINING_KERNELS, |runs, _| ready(kernel_functions(runs)?))
                positions=states.longest()
            />
            <FigureCard
                spec=&TRAINING_KERNEL_PATHS
                figure=curves.draw(&TRAINING_KERNEL_PATHS, |runs, step| ready(kernel_paths(runs, step)?))
            />
        </Show>
        <Show when=move || has_pairs.get()>
            <FigureCard
                spec=&TRAINING_FREQUENCIES
                figure=states.draw(&TRAINING_FREQUENCIES, |runs, _| ready(pair_energies(runs)?))
            />
        </Show>
        <Show when=move || has_tables.get()>
            <FigureCard
                spec=&TRAINING_TABLE
                caption=Signal::stored(RUN_TABLES_CAPTION.to_owned())
                figure=states.draw(&TRAINING_TABLE, tables)
            />
            <RunWaves runs=states/>
        </Show>
    }
}
