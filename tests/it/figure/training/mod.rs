//! Figures of runs that are trained on the page: their tables, gaps and sentences, of runs made by hand and of a
//! session that trains.

mod kernels;
mod lengths;
mod losses;
mod matrices;
mod pairs;
mod r2_curves;
mod run_heads;
mod waves;

use super::pictures::tile;
use crate::training::reports::report_of;
use diagonal::{
    analysis::{Brief, Scope},
    figure::{
        ColorMap, Column, Cursor, Figure, Table,
        training::{
            ReportRanges, RunHistory, RunMatrix, kernel_functions, kernel_paths, length_losses,
            loss_curves, pair_energies, r2_curves, run_heads as heads_of_runs, run_matrices,
            run_tables,
        },
    },
    math::{OffsetR2, Tile, ToeplitzFit, Window},
    training::{
        HeadReport, HeadSource, KernelSource, LengthScore, PairEnergy, PositionReport, TisaKernel,
        TrainingReport, TrainingSession,
    },
};
use std::sync::Arc;

/// Number of positions of runs made by hand.
const N: usize = 16;
/// Steps of their snapshots.
const STEPS: [u32; 4] = [0, 1, 20, 400];

/// A matrix with a fading main diagonal, and a pattern of ±1/4 that the offset does not decide.
fn cell(size: f32, i: usize, j: usize) -> f32 {
    let pattern = if (i / 2 + j / 2).is_multiple_of(2) {
        0.25
    } else {
        -0.25
    };
    size * (4.0 - i.abs_diff(j) as f32 / 4.0) + pattern
}

fn brief(size: f32, r2: f64, is_table: bool) -> Brief {
    Brief {
        fit: ToeplitzFit::from_cells(N, |i, j| cell(size, i, j).into()),
        scopes: vec![Scope {
            name: "whole".to_owned(),
            rows: N,
            r2: OffsetR2::from_numbers(r2, r2 / 2.0),
            random: is_table.then(|| OffsetR2::from_numbers(0.375, 0.125)),
        }],
        tile: tile(Window::whole(N, N), 1, |i, j| cell(size, i, j)),
        autocorrelation: Err("There are no columns to compare.".to_owned()),
    }
}

fn positions(share: f64, is_table: bool) -> PositionReport {
    let size = 1.0 + share as f32;
    PositionReport {
        inner_products: brief(size, share, is_table),
        cosines: brief(size / 8.0, share / 2.0, is_table),
        table: is_table.then(|| {
            tile(Window::whole(N, 8), 1, |i, c| {
                size * ((i + 2 * c) % 5) as f32 - 2.0
            })
        }),
        waves: None,
    }
}

/// A head whose attention is at the offset `1 - at`, as sharp as `share` says.
fn head(at: usize, share: f64, source: HeadSource) -> HeadReport {
    let peak_offset = 1 - at as i64;
    let mut attention = vec![0.0; 2 * N - 1];
    attention[(peak_offset + N as i64 - 1) as usize] = share;
    HeadReport {
        layer: at / 2,
        head: at % 2,
        source,
        r2: share,
        causal_r2: share / 2.0,
        peak_offset,
        peak_share: share,
        attention,
        picture: picture(peak_offset),
    }
}

fn picture(peak_offset: i64) -> Tile {
    tile(Window::whole(N, N), 1, |i, j| {
        if j as i64 - i as i64 == peak_offset {
            1.0
        } else {
            0.0
        }
    })
}

/// Two kernels for each of four heads, whose centres move away from the query.
fn kernels(share: f64) -> Vec<TisaKernel> {
    let kernel = |at: usize| TisaKernel {
        layer: at / 4,
        head: at / 2 % 2,
        kernel: at % 2,
        a: (0.5 + 2.0 * share) * (1.0 - 0.5 * at as f64 / 8.0),
        b: 0.25,
        c: (at as f64 - 3.5) * share,
    };
    (0..8).map(kernel).collect()
}

/// Pairs of four heads, as many as wavelengths. At the start each has the same energy; then energy moves to the pairs of
/// the first wavelengths, farthest in the last head. `rest` of the energy does not turn.
fn pairs(wavelengths: &[f64], rest: f64, share: f64) -> Vec<PairEnergy> {
    let count = wavelengths.len() as f64;
    let pair = |head: usize, at: usize| {
        let tilt = share * (1.0 + head as f64) / 4.0 * (1.0 - 2.0 * at as f64 / (count - 1.0));
        let share = (1.0 - rest) * (1.0 + tilt) / count;
        PairEnergy {
            layer: head / 2,
            head: head % 2,
            pair: at,
            wavelength: wavelengths[at],
            query: 4.0 * share,
            key: 2.0 * share,
            share,
        }
    };
    let heads = (0..4).flat_map(|head| (0..wavelengths.len()).map(move |at| (head, at)));
    heads.map(|(head, at)| pair(head, at)).collect()
}

/// A report at a step, after a share of the training.
fn report(step: u32, share: f64) -> TrainingReport {
    TrainingReport {
        fit_penalties: Vec::new(),
        step,
        tokens: u64::from(step) * 64,
        train_loss: (step > 0).then_some(2.5 - share),
        held_out_loss: 2.5 - 1.25 * share,
        held_out_accuracy: 0.125 + 0.75 * share,
        positions: Some(positions(share, true)),
        heads: (0..4)
            .map(|at| head(at, share, HeadSource::Weights))
            .collect(),
        kernels: Vec::new(),
        kernel_source: KernelSource::default(),
        pairs: Vec::new(),
    }
}

fn run(name: &str, color: usize, of: impl Fn(TrainingReport, f64) -> TrainingReport) -> RunHistory {
    let shares = [0.0, 0.125, 0.5, 0.875];
    let reports = STEPS.into_iter().zip(shares);
    let reports: Vec<Arc<TrainingReport>> = reports
        .map(|(step, share)| Arc::new(of(report(step, share), share)))
        .collect();
    let length = |length: usize, loss| LengthScore {
        length,
        score: Ok((loss, 0.5)),
    };
    RunHistory {
        name: name.to_owned(),
        color,
        best_loss: Some(1.0),
        bag_loss: 2.25,
        losses: (1..=400_u32)
            .map(|step| 2.5 - f64::from(step) / 400.0 + f64::from(step % 5) / 16.0)
            .collect(),
        current: reports.get(2).cloned(),
        reports,
        lengths: [8, 16, 24, 32].map(|n| length(n, n as f64 / 16.0)).into(),
        ranges: ReportRanges::default(),
    }
}

/// A run with a table, which cannot read sequences longer than 16.
fn with_table() -> RunHistory {
    let mut run = run("chain · learned", 0, |report, _| report);
    for score in run.lengths.iter_mut().filter(|score| score.length > N) {
        let length = score.length;
        score.score = Err(format!(
            "The encoding `learned` has 16 positions, so that it cannot read {length}."
        ));
    }
    run
}

/// A run with scores by offset, from kernels.
fn with_kernels() -> RunHistory {
    run("chain · tisa2", 1, |report, share| TrainingReport {
        positions: Some(positions(share, false)),
        kernels: kernels(share),
        ..report
    })
}

/// A run whose heads turn four pairs, of which two turn within a sequence.
fn with_pairs() -> RunHistory {
    run("chain · rotary", 3, |report, share| TrainingReport {
        positions: None,
        pairs: pairs(&[6.25, 12.5, 125.0, 1250.0], 0.0, share),
        ..report
    })
}

/// A run whose heads turn half of their numbers.
fn with_half_of_pairs() -> RunHistory {
    run("chain · rotary-half", 4, |report, share| TrainingReport {
        positions: None,
        pairs: pairs(&[6.25, 125.0], 0.5, share),
        ..report
    })
}

/// A run without positions, whose heads have mean attention alone.
fn without_positions() -> RunHistory {
    run("chain · none", 2, |report, _| TrainingReport {
        positions: None,
        heads: (0..4)
            .map(|at| head(at, 0.25, HeadSource::Attention))
            .collect(),
        ..report
    })
}

fn runs() -> Vec<RunHistory> {
    vec![with_table(), with_kernels(), without_positions()]
}

/// A run that trains for four steps.
fn trained_run(link: &str) -> RunHistory {
    let recipe = link.parse().expect(link);
    let mut session = TrainingSession::new(&recipe, b"").expect(link);
    let description = session.description();
    let mut run = RunHistory {
        name: link.to_owned(),
        best_loss: description.best_loss,
        bag_loss: description.bag_loss,
        ..RunHistory::default()
    };
    for step in 0..=4 {
        if step > 0 {
            session.step().expect("a finite loss");
        }
        if session.is_at_snapshot() {
            run.reports.push(Arc::new(report_of(&mut session)));
        }
    }
    run.losses = session.take_losses();
    run.lengths = session.lengths();
    run.current = run.reports.last().cloned();
    run
}

fn numbers(table: &Table, name: &str) -> Vec<f64> {
    match table.column(name) {
        Some(Column::Number(values)) => values.clone(),
        Some(Column::Whole(values)) => values.iter().map(|value| *value as f64).collect(),
        other => panic!("{name}: {other:?}"),
    }
}

/// For the `pictures` tests.
pub(crate) fn pictures() -> Vec<(&'static str, Box<dyn Figure>, Option<Cursor>)> {
    fn figure<F: Figure + 'static>(figure: Option<F>) -> Box<dyn Figure> {
        Box::new(figure.expect("a figure"))
    }
    let runs = runs();
    let apart = [
        with_table(),
        RunHistory {
            best_loss: None,
            bag_loss: 1.75,
            ..with_kernels()
        },
    ];
    let matrices = |part, map| figure(run_matrices(&runs, part, map, 0.0));
    let mut pictures = vec![
        (
            "training-losses",
            figure(loss_curves(&runs, Some(20))),
            None,
        ),
        (
            "training-losses-apart",
            figure(loss_curves(&apart, None)),
            None,
        ),
        ("training-r2", figure(r2_curves(&runs, Some(20))), None),
        (
            "training-matrices",
            matrices(RunMatrix::InnerProducts, ColorMap::Hot),
            Some(Cursor::Cell(5, 9)),
        ),
        (
            "training-residuals",
            matrices(RunMatrix::Residual, ColorMap::Diverging),
            None,
        ),
        (
            "training-tables",
            figure(run_tables(&runs, ColorMap::Hot, 0.0)),
            None,
        ),
        (
            "training-heads",
            figure(heads_of_runs(&runs, ColorMap::Hot)),
            None,
        ),
        (
            "training-kernels",
            figure(kernel_functions(&runs)),
            Some(Cursor::Offset(-2)),
        ),
        (
            "training-kernel-paths",
            figure(kernel_paths(&runs, Some(20))),
            None,
        ),
        (
            "training-frequencies",
            figure(pair_energies(&[
                with_table(),
                with_pairs(),
                with_half_of_pairs(),
            ])),
            None,
        ),
        ("training-lengths", figure(length_losses(&runs)), None),
    ];
    pictures.extend(waves::pictures());
    pictures
}
