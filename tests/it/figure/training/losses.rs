//! Losses by step.

use super::{numbers, runs, trained_run, with_kernels, with_table, without_positions};
use diagonal::figure::{
    Dots, Figure, Ink, Plot, PlotMark,
    training::{RunHistory, curves_table, loss_curves},
};

fn dots(plot: &Plot) -> Vec<&Dots> {
    let dots = plot.marks.iter().filter_map(|mark| match mark {
        PlotMark::Dots(dots) => Some(dots),
        _ => None,
    });
    dots.collect()
}

#[test]
fn the_table_has_a_row_for_each_snapshot() {
    let csv = curves_table(&runs()).csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(
        lines[0],
        "step,model,r2,mean_autocorrelation,r2_off_diagonal,r2_random,r2_off_diagonal_random,train_loss,held_out_loss,held_out_accuracy,best_loss,tokens"
    );
    assert_eq!(
        lines[1],
        "0,chain · learned,0,NaN,0,0.375,0.125,NaN,2.5,0.125,1,0"
    );
    assert_eq!(
        lines[7],
        "20,chain · tisa2,0.5,NaN,0.25,NaN,NaN,2,1.875,0.5,1,1280"
    );
    assert_eq!(
        lines[12],
        "400,chain · none,NaN,NaN,NaN,NaN,NaN,1.625,1.40625,0.78125,1,25600"
    );
    assert_eq!(lines.len(), 1 + 3 * 4);
}

#[test]
fn the_numbers_are_those_of_the_session() {
    let run = trained_run("chain.learned.n16d16l2h2r2b4.1.20");
    let table = curves_table(std::slice::from_ref(&run));
    assert_eq!(numbers(&table, "step"), [0.0, 1.0, 2.0, 3.0, 4.0]);
    assert_eq!(numbers(&table, "tokens")[4], 4.0 * 64.0);
    let losses = numbers(&table, "held_out_loss");
    for (loss, report) in losses.iter().zip(&run.reports) {
        assert_eq!(*loss, report.held_out_loss);
    }
    // Until the window is full, a report has the mean of all losses.
    let train = numbers(&table, "train_loss");
    assert!(train[0].is_nan() && (train[1] - run.losses[0]).abs() < 1e-12);
    assert!(numbers(&table, "r2_random").iter().all(|r2| *r2 > 0.0));
    let plot = loss_curves(&[run], None).expect("losses");
    let [best, bag, training, held_out] = dots(&plot)[..] else {
        panic!("{} lines", dots(&plot).len());
    };
    assert_eq!(
        (&*best.name, &*bag.name),
        ("best possible", "bag of symbols")
    );
    assert_eq!((training.points.len(), held_out.points.len()), (4, 5));
}

#[test]
fn many_losses_become_means() {
    let run = RunHistory {
        losses: vec![2.0; 20_000],
        ..with_table()
    };
    let plot = loss_curves(&[run], None).expect("losses");
    let training = dots(&plot)[2];
    let count = training.points.len();
    assert!((100..=201).contains(&count), "{count}");
    let places: Vec<f64> = training.points.iter().map(|point| point.at.0).collect();
    assert!(places.is_sorted() && places[..3] == [1.0, 2.0, 3.0]);
    assert!(training.points.iter().all(|point| point.at.1 == 2.0));
    assert_eq!(plot.x_range(), (0.0, 1.1 * 20_000.0));
}

#[test]
fn losses_of_other_predictors_are_drawn_once_if_they_are_the_same() {
    let names = |runs: &[RunHistory]| {
        let plot = loss_curves(runs, None).expect("losses");
        let dashed = dots(&plot).into_iter().filter(|dots| dots.is_dashed);
        let dashed = dashed.map(|dots| (dots.name.clone(), dots.ink));
        dashed.collect::<Vec<_>>()
    };
    let shared = names(&runs());
    let expected = [
        ("best possible".to_owned(), Ink::Ink),
        ("bag of symbols".to_owned(), Ink::Muted),
    ];
    assert_eq!(shared, expected);
    // One run does not know the best loss, and the other losses differ.
    let other = RunHistory {
        best_loss: None,
        bag_loss: 1.75,
        ..with_kernels()
    };
    let apart = names(&[with_table(), other]);
    assert_eq!(apart[0], expected[0]);
    let unnamed = |color| (String::new(), Ink::Category(color));
    assert_eq!(apart[1..], [unnamed(0), unnamed(1)]);
}

#[test]
fn the_summary_says_how_far_each_run_came() {
    let plot = loss_curves(&[with_table(), without_positions()], Some(20)).expect("losses");
    assert_eq!(
        plot.summary(),
        "chain · learned: held-out loss from 2.50 at step 0 to 1.41 at step 400, accuracy 78.1 %; best possible 1.00, \
         bag of symbols 2.25. chain · none: held-out loss from 2.50 at step 0 to 1.41 at step 400, accuracy 78.1 %; \
         best possible 1.00, bag of symbols 2.25."
    );
    assert_eq!(plot.marked_place, Some(20.0));
    // A step that no run has reached is not marked.
    let ahead = loss_curves(&[with_table()], Some(500)).expect("losses");
    assert_eq!(ahead.marked_place, None);
}

#[test]
fn a_run_that_has_just_begun_has_no_curve_yet() {
    let empty = RunHistory {
        name: "chain · learned".to_owned(),
        bag_loss: 2.25,
        ..RunHistory::default()
    };
    assert!(loss_curves(&[], None).is_none());
    assert!(loss_curves(std::slice::from_ref(&empty), None).is_none());
    let first = RunHistory {
        losses: vec![2.5],
        ..empty
    };
    let plot = loss_curves(&[first], Some(0)).expect("a loss");
    assert_eq!(
        plot.summary(),
        "chain · learned: no snapshot yet; bag of symbols 2.25."
    );
    assert_eq!(plot.table().rows(), 0);
}
