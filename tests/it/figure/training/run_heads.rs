//! Heads of runs as small pictures.

use super::{numbers, runs, trained_run, without_positions};
use diagonal::figure::{
    ColorMap, Figure, Mark,
    training::{RunHeads, RunHistory, run_heads},
};
use std::sync::Arc;

const MAP: ColorMap = ColorMap::Viridis;

/// The texts of a figure, from top to bottom.
fn texts(figure: &RunHeads) -> Vec<String> {
    let scene = figure.scene(640.0);
    let texts = scene.marks.iter().filter_map(|mark| match mark {
        Mark::Text { text, .. } => Some(text.clone()),
        _ => None,
    });
    texts.collect()
}

#[test]
fn the_table_has_every_head_of_every_report() {
    let csv = run_heads(&runs(), MAP).expect("heads").table().csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(
        lines[0],
        "model,step,layer,head,source,r2,causal_r2,peak_offset,peak_share"
    );
    assert_eq!(lines[12], "chain · learned,20,2,2,weights,0.5,0.25,-2,0.5");
    assert_eq!(lines[33], "chain · none,0,1,1,attention,0.25,0.125,1,0.25");
    assert_eq!(lines.len(), 1 + 3 * 4 * 4);
}

#[test]
fn a_head_has_its_r2_and_its_peak() {
    let figure = run_heads(&runs(), MAP).expect("heads");
    let texts = texts(&figure);
    assert_eq!(
        texts[..4],
        [
            "chain · learned",
            "step 20, positional scores from weights",
            "R² 0.50",
            "k = 1, 50 %"
        ]
    );
    assert!(texts.contains(&"k = −2, 50 %".to_owned()));
    assert!(texts.contains(&"step 20, mean attention over a fixed batch".to_owned()));
    // Three runs of two layers: the number of each row, and two lines for each head.
    assert_eq!(texts.len(), 3 * (2 + 2 + 2 * 4));
}

#[test]
fn the_summary_names_the_sharpest_head() {
    let figure = run_heads(&[without_positions()], MAP).expect("heads");
    assert_eq!(
        figure.summary(),
        "chain · none, step 20, mean attention over a fixed batch: the highest R² is 0.250, of head 2 of layer 2; the \
         highest mean attention at one offset is that of head 2 of layer 2: k = −2, 25 %."
    );
}

#[test]
fn a_head_without_r2_has_a_dash() {
    let mut run = without_positions();
    let mut current = (**run.current.as_ref().expect("a state")).clone();
    for head in &mut current.heads {
        head.r2 = f64::NAN;
    }
    run.current = Some(Arc::new(current));
    let figure = run_heads(&[run], MAP).expect("heads");
    assert!(texts(&figure).contains(&"R² –".to_owned()));
    assert!(figure.summary().contains("no head has an R²"));
    assert!(run_heads(&[RunHistory::default()], MAP).is_none());
    assert!(run_heads(&[], MAP).is_none());
}

#[test]
fn heads_are_those_of_the_session() {
    let run = trained_run("chain.learned.n16d16l2h2r2b4.1.20");
    let table = run_heads(std::slice::from_ref(&run), MAP)
        .expect("heads")
        .table();
    let heads = run.reports.iter().flat_map(|report| &report.heads);
    let expected: Vec<f64> = heads.map(|head| head.peak_share).collect();
    assert_eq!(numbers(&table, "peak_share"), expected);
    assert_eq!(numbers(&table, "layer")[..4], [1.0, 1.0, 2.0, 2.0]);
}
