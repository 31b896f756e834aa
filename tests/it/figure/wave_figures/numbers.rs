//! Numbers in tables and sentences are those of the answers.

use crate::{
    analysis::golden_minilm,
    support::questions::{FIRST, ask, head_of_first},
};
use diagonal::{
    analysis::{
        HeadGrouping, HeadPart, HeadRotation, HeadWaves, LayerSpectra, ScoreInput, ScoreMode,
        TableTile, TableWaves,
    },
    encoding::Sinusoidal,
    figure::{
        Figure, Mark, PlotMark, number,
        waves::{
            ClusterGrid, cluster_traces, head_correlations, head_covariance, layer_spectrum,
            rotation_words, spectrum,
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
        cluster_traces(&groups, None).table().csv().lines().count() as i64,
        1 + groups.clusters.names.len() as i64 * (1 + 2 * TRACE_REACH)
    );
}

#[test]
fn the_row_above_the_layers_is_the_spectrum_of_the_table() {
    let (session, summary) = golden_minilm::open();
    let cells = ask(
        &session,
        TableTile {
            of: FIRST,
            limit: 2048,
        },
    );
    let cells = cells.expect("the table");
    let (n, width) = (summary.rows, summary.width);
    assert_eq!((cells.height(), cells.width()), (n, width));
    let table = ask(&session, TableWaves { of: FIRST }).expect("an answer");
    let of_table = table.spectrum.expect("a spectrum").maximum;
    // The greatest |Σ x(t)·exp(−2πi·f·t/n)| of any column (eqs. 17 and 18).
    for f in [1, 2, 7, 40, 256] {
        let amplitude = |column: usize| {
            let parts = (0..n).map(|t| {
                let x = f64::from(cells.values[t * width + column]);
                let angle = std::f64::consts::TAU * ((f * t) % n) as f64 / n as f64;
                (x * angle.cos(), x * angle.sin())
            });
            let (re, im) = parts.fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
            f64::hypot(re, im)
        };
        let most = (0..width).map(amplitude).fold(0.0, f64::max);
        assert!(
            (of_table[f] - most).abs() < 1e-5 * most,
            "{f}: {} {most}",
            of_table[f]
        );
    }
    let question = LayerSpectra {
        of: FIRST,
        input: ScoreMode::Paper.into(),
    };
    let layers = ask(&session, question).expect("layers");
    let figure = layer_spectrum(&layers, &of_table, HeadPart::Key, true).expect("a figure");
    let raster = figure.marks.iter().find_map(|mark| match mark {
        PlotMark::Raster(raster) => Some(raster),
        _ => None,
    });
    let raster = raster.expect("a raster");
    let frequencies = n / 2 + 1;
    assert_eq!(
        (raster.columns, raster.values.len()),
        (frequencies, 7 * frequencies)
    );
    // The row has the peak of the layers and its own shape.
    let most = |values: &[f32]| values.iter().copied().fold(0.0, f32::max);
    let (above, below) = raster.values.split_at(frequencies);
    assert!((most(above) - most(below)).abs() < 1e-4 * most(below));
    let ratio = f64::from(above[3]) / f64::from(above[9]);
    assert!((ratio - of_table[3] / of_table[9]).abs() < 1e-4 * ratio);
    let texts: Vec<String> = figure
        .scene(600.0)
        .marks
        .into_iter()
        .filter_map(|mark| match mark {
            Mark::Text { text, .. } => Some(text.to_string()),
            _ => None,
        })
        .collect();
    assert!(texts.contains(&"table".to_owned()), "{texts:?}");
    let csv = figure.table().csv();
    assert_eq!(csv.lines().count(), 1 + 13 * frequencies);
    assert!(
        csv.lines()
            .nth(3)
            .is_some_and(|line| line.starts_with("0,table,2,"))
    );
    // Without a table there are the layers alone.
    let alone = layer_spectrum(&layers, &[], HeadPart::Key, true).expect("a figure");
    assert_eq!(alone.table().rows(), 12 * frequencies);
    assert!(!alone.summary().contains("table"), "{}", alone.summary());
}
