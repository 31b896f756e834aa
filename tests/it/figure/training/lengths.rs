//! Losses at other lengths.

use super::{numbers, runs, trained_run, with_kernels, with_table};
use diagonal::figure::{
    Figure, PlotMark,
    training::{RunHistory, length_gaps, length_losses},
};

#[test]
fn the_table_has_every_length() {
    let csv = length_losses(&runs()[..2]).expect("losses").table().csv();
    assert_eq!(
        csv.lines().collect::<Vec<_>>(),
        [
            "model,length,loss,accuracy",
            "chain · learned,8,0.5,0.5",
            "chain · learned,16,1,0.5",
            "chain · learned,24,NaN,NaN",
            "chain · learned,32,NaN,NaN",
            "chain · tisa2,8,0.5,0.5",
            "chain · tisa2,16,1,0.5",
            "chain · tisa2,24,1.5,0.5",
            "chain · tisa2,32,2,0.5",
        ]
    );
}

#[test]
fn a_length_without_a_score_is_a_gap_with_a_reason() {
    let plot = length_losses(&[with_table()]).expect("losses");
    let lines = plot.marks.iter().filter_map(|mark| match mark {
        PlotMark::Dots(dots) => Some(dots),
        _ => None,
    });
    let lines: Vec<_> = lines.collect();
    let names: Vec<&str> = lines.iter().map(|dots| &*dots.name).collect();
    assert_eq!(
        names,
        ["trained length", "bag of symbols", "chain · learned"]
    );
    assert!(lines[0].points.iter().all(|point| point.at.0 == 16.0));
    let gaps: Vec<bool> = lines[2].points.iter().map(|p| p.at.1.is_nan()).collect();
    assert_eq!(gaps, [false, false, true, true]);
    assert_eq!(
        plot.summary(),
        "chain · learned, trained at 16: loss 0.500 at length 8, 1.00 at length 16; bag of symbols 2.25."
    );
    assert_eq!(
        length_gaps(&runs()),
        [
            "chain · learned has no loss at lengths 24 and 32. The encoding `learned` has 16 positions, so that it \
             cannot read 24."
        ]
    );
}

#[test]
fn gaps_with_other_reasons_have_sentences_of_their_own() {
    let mut run = with_kernels();
    run.lengths[0].score = Err("The loss is no number.".to_owned());
    run.lengths[2].score = Err("The encoding has 16 positions.".to_owned());
    assert_eq!(
        length_gaps(&[run]),
        [
            "chain · tisa2 has no loss at length 8. The loss is no number.",
            "chain · tisa2 has no loss at length 24. The encoding has 16 positions."
        ]
    );
}

#[test]
fn without_a_score_there_is_no_plot() {
    assert!(length_losses(&[]).is_none());
    assert!(length_losses(&[RunHistory::default()]).is_none());
    let mut run = with_table();
    for score in &mut run.lengths {
        score.score = Err("The loss is no number.".to_owned());
    }
    assert!(length_losses(std::slice::from_ref(&run)).is_none());
    // A run that has no score yet is left out.
    let plot = length_losses(&[run, with_kernels()]).expect("losses");
    assert_eq!(plot.table().rows(), 4);
}

#[test]
fn losses_are_those_of_the_session() {
    let run = trained_run("offset2.learned.n16d16l2h2r2b4.1.20");
    let plot = length_losses(std::slice::from_ref(&run)).expect("losses");
    let table = plot.table();
    let lengths = [8.0, 16.0, 24.0, 32.0, 48.0, 64.0];
    assert_eq!(numbers(&table, "length"), lengths);
    let losses = numbers(&table, "loss");
    assert!(losses[..2].iter().all(|loss| loss.is_finite()));
    assert!(losses[2..].iter().all(|loss| loss.is_nan()));
    let gaps = length_gaps(&[run]);
    assert_eq!(gaps.len(), 1);
    assert!(gaps[0].contains(" has no loss at lengths 24, 32, 48 and 64. "));
}
