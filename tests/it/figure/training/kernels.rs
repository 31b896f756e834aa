//! Kernels of runs: their sums by offset, and their centres by step.

use super::{numbers, runs, trained_run, with_kernels, with_table};
use diagonal::{
    figure::{
        Dots, Figure, Ink, PlotMark,
        training::{RunHistory, kernel_functions, kernel_paths, kernels_table},
    },
    training::{KernelSource, TrainingReport},
};
use std::sync::Arc;

#[test]
fn the_table_has_every_kernel_of_every_report() {
    let csv = kernels_table(&runs()).csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "model,step,layer,head,kernel,a,b,c,source");
    assert_eq!(lines[1], "chain · tisa2,0,1,1,1,0.5,0.25,-0,parameters");
    assert_eq!(
        lines[24],
        "chain · tisa2,20,2,2,2,0.84375,0.25,1.75,parameters"
    );
    assert_eq!(lines.len(), 1 + 4 * 8);
}

#[test]
fn a_function_is_the_sum_of_its_heads_kernels() {
    let plot = kernel_functions(&runs()).expect("kernels");
    let lines: Vec<_> = plot.lines().collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(
        (&*lines[0].name, lines[0].is_in_legend),
        ("chain · tisa2", true)
    );
    assert_eq!(lines[3].name, "chain · tisa2, layer 2, head 2");
    let run = with_kernels();
    let current = run.current.as_ref().expect("a state");
    for line in &lines {
        assert_eq!((line.first, line.values.len()), (-15, 31));
        assert_eq!(
            (line.ink, line.is_in_legend),
            (Ink::Category(1), line.name == run.name)
        );
    }
    let at = |k: f64| {
        let kernels = current.kernels[6..].iter();
        let values = kernels.map(|kernel| kernel.a * (-kernel.b * (k - kernel.c).powi(2)).exp());
        values.sum::<f64>()
    };
    for k in [-15_i64, 0, 2] {
        assert_eq!(lines[3].at(k), Some(at(k as f64)));
    }
    assert!(
        plot.summary()
            .starts_with("chain · tisa2: 8 kernels of 4 heads at step 20.")
    );
    assert!(kernel_functions(&[with_table()]).is_none());
}

#[test]
fn a_kernel_has_a_path() {
    let plot = kernel_paths(&runs(), Some(400)).expect("kernels");
    let dots = plot.marks.iter().filter_map(|mark| match mark {
        PlotMark::Dots(dots) => Some(dots),
        _ => None,
    });
    let (paths, dots): (Vec<&Dots>, Vec<&Dots>) = dots.partition(|dots| dots.is_line);
    assert_eq!(paths.len(), 8);
    assert_eq!(paths[0].name, "chain · tisa2");
    let centres: Vec<f64> = paths[7].points.iter().map(|point| point.at.1).collect();
    assert_eq!(centres, [0.0, 0.4375, 1.75, 3.0625]);
    // Every kernel of every snapshot has one dot, and greater amplitudes have larger ones.
    let count: usize = dots.iter().map(|dots| dots.points.len()).sum();
    assert_eq!(count, 4 * 8);
    let radii: Vec<f64> = dots.iter().map(|dots| dots.radius).collect();
    assert!(radii.is_sorted() && radii.last() == Some(&6.0), "{radii:?}");
    assert_eq!(
        plot.summary(),
        "chain · tisa2: at step 400 the kernel with the greatest |a| is in head 1 of layer 1, with a = 2.25, b = 0.250 \
         and c = −3.06."
    );
    assert!(kernel_paths(&[with_table()], None).is_none());
    assert!(kernel_paths(&[RunHistory::default()], None).is_none());
}

#[test]
fn kernels_are_those_of_the_session() {
    let run = trained_run("offset2.tisa2.n16d16l2h2r2b4.1.20");
    let table = kernels_table(std::slice::from_ref(&run));
    let kernels = run.reports.iter().flat_map(|report| &report.kernels);
    let expected: Vec<f64> = kernels.map(|kernel| kernel.c).collect();
    assert_eq!(expected.len(), 5 * 4 * 2);
    assert_eq!(numbers(&table, "c"), expected);
}

/// Fits at snapshots: between two of them the function is that of the earlier one, and paths have dots alone.
#[test]
fn fitted_kernels_are_those_of_the_last_snapshot() {
    let mut run = super::run("chain · learned", 0, |report, share| TrainingReport {
        kernels: super::kernels(share),
        kernel_source: KernelSource::Fits,
        ..report
    });
    run.current = Some(Arc::new(TrainingReport {
        step: 100,
        kernels: Vec::new(),
        ..(**run.reports.last().expect("a report")).clone()
    }));
    let runs = [run];
    let functions = kernel_functions(&runs).expect("functions");
    let summary = functions.summary();
    assert!(summary.contains("at step 20, fitted to F̂_P"), "{summary}");
    let csv = kernels_table(&runs).csv();
    assert!(csv.lines().skip(1).all(|line| line.ends_with(",fit")));
    assert!(kernel_paths(&runs, None).is_some());
    let mut without = runs[0].clone();
    without.reports.clear();
    assert!(kernel_functions(&[without]).is_none());
}
