//! Energy of the pairs of rotary runs: its lines by wavelength, its sentences, and its table.

use super::{N, numbers, trained_run, with_half_of_pairs, with_pairs, with_table};
use diagonal::figure::{
    Dots, Figure, Ink, Plot, PlotMark,
    training::{RunHistory, pair_energies, pairs_table},
};
use std::sync::Arc;

/// Number of snapshots of a run of four steps.
const STEPS_OF_SESSION: usize = 5;

fn dots(plot: &Plot) -> Vec<&Dots> {
    let dots = plot.marks.iter().filter_map(|mark| match mark {
        PlotMark::Dots(dots) => Some(dots),
        _ => None,
    });
    dots.collect()
}

fn points(dots: &Dots) -> Vec<(f64, f64)> {
    dots.points.iter().map(|point| point.at).collect()
}

#[test]
fn the_table_has_every_pair_of_every_report() {
    let csv = pairs_table(&[with_table(), with_pairs()]).csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(
        lines[0],
        "model,step,layer,head,pair,wavelength,query,key,share"
    );
    assert_eq!(lines[1], "chain · rotary,0,1,1,1,6.25,1,0.5,0.25");
    assert_eq!(
        lines[1 + 2 * 16 + 12],
        "chain · rotary,20,2,2,1,6.25,1.5,0.75,0.375"
    );
    assert_eq!(lines.len(), 1 + 4 * 16);
    assert_eq!(
        pair_energies(&[with_table(), with_pairs()])
            .expect("pairs")
            .table()
            .csv(),
        csv
    );
}

#[test]
fn heads_their_mean_and_the_start_are_lines() {
    let plot = pair_energies(&[with_table(), with_pairs()]).expect("pairs");
    let dots = dots(&plot);
    let [length, heads @ .., start, mean] = dots.as_slice() else {
        panic!("{} lines", dots.len());
    };
    assert_eq!(length.name, "trained length");
    let n = N as f64;
    assert!(points(length).iter().all(|(x, _)| *x == n));
    assert_eq!(heads.len(), 4);
    assert!(
        (dots[1..].iter()).all(|line| line.ink == Ink::Category(3)),
        "the colour of the run"
    );
    let wavelengths = [6.25, 12.5, 125.0, 1250.0];
    assert_eq!(
        points(start),
        wavelengths.map(|wavelength| (wavelength, 0.25))
    );
    assert!(start.is_dashed && start.is_line && !mean.is_line);
    assert_eq!(mean.name, "chain · rotary");
    for (at, wavelength) in wavelengths.into_iter().enumerate() {
        let sum: f64 = heads.iter().map(|head| points(head)[at].1).sum();
        assert_eq!(points(mean)[at], (wavelength, sum / 4.0));
    }
    // The axis is that of all steps: at the last one, the first pair of the last head has 1.875 of a quarter.
    assert_eq!(plot.y_range(), (0.0, 1.08 * 1.875 / 4.0));
    let (from, to) = plot.x_range();
    assert!(from < 6.25 && to > 1250.0);
}

#[test]
fn a_run_at_its_first_snapshot_has_no_line_of_the_start() {
    let mut run = with_pairs();
    run.current = run.reports.first().cloned();
    let plot = pair_energies(&[run]).expect("pairs");
    assert!(dots(&plot).iter().all(|dots| !dots.is_dashed));
    assert_eq!(
        plot.summary(),
        "chain · rotary: at step 0 the pair at wavelength 6.25 has the most energy, 25 % on average over heads; wavelengths \
         up to the trained length, 16 tokens, have 50 %."
    );
}

#[test]
fn a_sentence_states_the_energy_within_the_trained_length() {
    let plot = pair_energies(&[with_pairs(), with_half_of_pairs()]).expect("pairs");
    assert_eq!(
        plot.summary(),
        "chain · rotary: at step 20 the pair at wavelength 6.25 has the most energy, 33 % on average over heads; \
         wavelengths up to the trained length, 16 tokens, have 60 %, 50 % at step 0. chain · rotary-half: at step 20 the pair at \
         wavelength 6.25 has the most energy, 33 % on average over heads; wavelengths up to the trained length, 16 tokens, have 33 %, \
         25 % at step 0."
    );
}

#[test]
fn runs_without_pairs_have_no_figure() {
    assert!(pair_energies(&[with_table(), RunHistory::default()]).is_none());
    assert!(pair_energies(&[]).is_none());
    let csv = pairs_table(&[with_table()]).csv();
    assert_eq!(csv.lines().count(), 1);
}

#[test]
fn pairs_are_those_of_the_session() {
    // Layers, pairs of a head.
    for (encoding, layers, pairs) in [
        ("rotary", &[1.0, 2.0][..], 4),
        ("rotary-half", &[1.0, 2.0], 2),
        ("rotary-alternate", &[1.0], 4),
        ("tisa2", &[], 0),
    ] {
        let run = trained_run(&format!("offset2.{encoding}.n16d16l2h2r2b4.1.20"));
        let table = pairs_table(std::slice::from_ref(&run));
        let shares = numbers(&table, "share");
        assert_eq!(shares.len(), STEPS_OF_SESSION * layers.len() * 2 * pairs);
        let mut shown = numbers(&table, "layer");
        shown.sort_by(f64::total_cmp);
        shown.dedup();
        assert_eq!(shown, layers);
        let energies = run.reports.iter().flat_map(|report| &report.pairs);
        assert_eq!(
            numbers(&table, "query"),
            energies.map(|pair| pair.query).collect::<Vec<f64>>()
        );
        for head in shares.chunks(pairs.max(1)) {
            let sum: f64 = head.iter().sum();
            match encoding {
                "rotary-half" => assert!(sum > 0.0 && sum < 1.0, "{sum}"),
                _ => assert!((sum - 1.0).abs() < 1e-9, "{sum}"),
            }
        }
        assert_eq!(pair_energies(&[run]).is_some(), pairs > 0);
    }
}

#[test]
fn trained_lengths_are_on_the_axis() {
    let mut run = with_pairs();
    for report in &mut run.reports {
        for head in &mut Arc::make_mut(report).heads {
            head.attention.truncate(7);
        }
    }
    run.current = run.reports.last().cloned();
    assert_eq!(run.trained_length(), Some(4));
    let plot = pair_energies(&[run]).expect("pairs");
    let (from, to) = plot.x_range();
    assert!(from < 4.0 && to > 1250.0, "{from} to {to}");
}
