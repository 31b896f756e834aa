//! Numbers in tables and sentences are those of the answers.

use crate::{
    analysis::golden_minilm,
    support::questions::{FIRST, ask, head_of_first},
};
use diagonal::{
    analysis::{HeadGrouping, HeadRotation, HeadWaves, ScoreInput, ScoreMode, TableWaves},
    encoding::Sinusoidal,
    figure::{
        Figure, Mark, number,
        waves::{
            ClusterGrid, cluster_traces, head_correlations, head_covariance, rotation_words,
            spectrum,
        },
    },
    math::{GroupCount, Spectrum, TRACE_REACH},
};

#[test]
fn the_numbers_are_those_of_the_answers() {
    let (session, summary) = golden_minilm::open();
    let found = ask(&session, TableWaves { of: FIRST }).expect("an answer");
    let spectra = found.spectrum.expect("spectra");
    let csv = spectrum(&spectra, false).table().csv();
    // Every frequency is in the table, even if only a part is drawn.
    assert_eq!(csv.lines().count(), 1 + summary.rows / 2 + 1);
    let line: Vec<f64> = csv
        .lines()
        .nth(4)
        .expect("frequency 3")
        .split(',')
        .map(|f| f.parse().expect("a number"))
        .collect();
    assert_eq!(
        &line[..4],
        [3.0, spectra.mean[3], spectra.low[3], spectra.high[3]]
    );
    assert!((line[4] - summary.rows as f64 / 3.0).abs() < 1e-9);
    // The control has the table's own sum of squares.
    let squares = |mean: &[f64]| mean.iter().map(|v| v * v).sum::<f64>();
    assert!(squares(&spectra.control) > 0.01 * squares(&spectra.mean));
    // Divided by the scale it is the spectrum of the sinusoidal table, and the figure always mentions the scale.
    let itself = Sinusoidal {
        rows: summary.rows,
        width: summary.width,
        ..Sinusoidal::default()
    };
    let itself = Spectrum::compute(itself.table().view()).expect("a spectrum");
    for (scaled, itself) in spectra.control.iter().zip(itself.mean()) {
        assert!((scaled - spectra.control_scale * itself).abs() < 1e-9);
    }
    let scale = number(spectra.control_scale);
    let figure = spectrum(&spectra, false);
    assert!(figure.summary().contains(&format!("multiplied by {scale}")));
    assert!(figure.scene(600.0).marks.iter().any(|mark| {
        matches!(mark, Mark::Text { text, .. } if text.contains(&format!("sinusoidal table × {scale}")))
    }));

    let of = head_of_first(ScoreMode::Paper, 0, 2);
    let waves = ask(&session, HeadWaves { of })
        .expect("an answer")
        .expect("waves");
    let csv = head_correlations(&waves).table().csv();
    assert_eq!(csv.lines().count(), 1 + 10 * 41);
    let row: Vec<f64> = csv
        .lines()
        .nth(1 + 41)
        .expect("component 2")
        .split(',')
        .map(|f| f.parse().expect("a number"))
        .collect();
    assert_eq!(
        row,
        [
            2.0,
            waves.singular_values[1],
            -20.0,
            waves.correlations[1].as_ref().expect("it varies")[0]
        ]
    );
    assert!(
        head_covariance(&waves, false)
            .summary()
            .contains("greatest at offset −1")
    );
    // Sines have their cosines: the first two columns of this head are partners.
    assert!(
        waves
            .waves
            .iter()
            .filter(|wave| wave.partner.is_some())
            .count()
            >= 2
    );

    let turn = ask(&session, HeadRotation { of })
        .expect("an answer")
        .expect("a rotation");
    let words = rotation_words(&turn);
    assert!(
        words.line.contains("The profile peaks at k = −1.") && words.line.contains("Δ = 0.9"),
        "{}",
        words.line
    );
    let grouping = HeadGrouping {
        of: FIRST,
        input: ScoreInput::Positions(ScoreMode::AsComputed),
        count: GroupCount::BySilhouette,
        seed: 1,
    };
    let groups = ask(&session, grouping).expect("groups");
    let csv = ClusterGrid::new(&groups, None).table().csv();
    assert_eq!(csv.lines().count(), 1 + 72);
    assert!(
        csv.lines()
            .any(|line| line.starts_with("1,3,") && line.contains(",previous,")),
        "{csv}"
    );
    assert_eq!(
        cluster_traces(&groups).table().csv().lines().count() as i64,
        1 + groups.clusters.names.len() as i64 * (1 + 2 * TRACE_REACH)
    );
}
