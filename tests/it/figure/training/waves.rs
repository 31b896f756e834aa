//! Waves of the tables of runs: the same axes at every step, columns that can be followed, spectra over steps with gaps,
//! and numbers that are those of the waves view.

use super::{N, STEPS, cell, numbers, run, trained_run, with_table, without_positions};
use crate::figure::pictures::tile;
use diagonal::{
    analysis::{DensitySummary, SnapshotWaves, SpectrumSummary},
    figure::{
        Cursor, Figure, Plot, PlotMark, PlotPanels, Series, Table,
        model_comparison::autocorrelation,
        training::{RunHistory, WavePicture, run_spectra, run_waves},
        waves::{density, density_between, spectrum},
    },
    math::{Autocorrelation, Window},
};
use proptest::prelude::*;

/// Numbers of columns and of frequencies of tables made by hand.
const WIDTH: usize = 8;
const FREQUENCIES: usize = N / 2 + 1;

const PICTURES: [WavePicture; 4] = [
    WavePicture::Spectrum,
    WavePicture::Columns,
    WavePicture::Autocorrelation,
    WavePicture::Density,
];

/// A spectrum that is flat at first, and falls after training. The last columns have the highest peaks.
fn spectrum_after(share: f64) -> SpectrumSummary {
    let amplitude = |f: usize| 1.0 + 8.0 * share * 0.5_f64.powi(f as i32);
    let mean: Vec<f64> = (0..FREQUENCIES).map(amplitude).collect();
    let times = |factor: f64| mean.iter().map(|value| factor * value).collect();
    SpectrumSummary {
        n: N,
        low: times(0.75),
        high: times(1.25),
        maximum: times(1.0 + (WIDTH - 1) as f64 / 8.0),
        control: times(0.5),
        control_scale: 0.5,
        heat: tile(Window::whole(WIDTH, FREQUENCIES), 1, |column, f| {
            (amplitude(f) * (1.0 + column as f64 / 8.0)) as f32
        }),
        left_out: 0,
        mean,
    }
}

/// Values in four bands of positions, whose range grows.
fn density_after(share: f64) -> DensitySummary {
    const SHARES: [f64; 8] = [1.0, 3.0, 6.0, 6.0, 6.0, 6.0, 3.0, 1.0];
    let width = 0.25 + share / 4.0;
    let edges: Vec<f64> = (0..=8).map(|at| (f64::from(at) - 4.0) * width).collect();
    let band: Vec<f64> = SHARES.iter().map(|share| share / 32.0 / width).collect();
    DensitySummary {
        middles: edges
            .windows(2)
            .map(|ends| f64::midpoint(ends[0], ends[1]))
            .collect(),
        edges,
        bands: (0..4).map(|at| 4 * at..4 * at + 4).collect(),
        by_band: vec![band.clone(); 4],
        all: band.clone(),
        normal: band,
        mean: 0.0,
        deviation: 1.75 * width,
        skewness: 0.0,
        excess: -0.5,
        skewness_without_first: 0.0,
        excess_without_first: -0.5,
        beyond: 0,
        left_out: 0,
    }
}

/// A run with waves of its table.
fn with_waves(name: &str, color: usize) -> RunHistory {
    run(name, color, |mut report, share| {
        if let Some(positions) = &mut report.positions {
            let mean: Vec<f64> = (0..N)
                .map(|lag| (0.25 + share / 2.0).powi(lag as i32))
                .collect();
            positions.inner_products.autocorrelation = Ok(Autocorrelation {
                low: mean.iter().map(|r| r / 2.0).collect(),
                high: mean.iter().map(|r| f64::midpoint(*r, 1.0)).collect(),
                mean,
            });
            positions.table = Some(tile(Window::whole(N, WIDTH), 1, |i, c| {
                share as f32 * cell(0.25, i, c)
            }));
            positions.waves = Some(SnapshotWaves {
                spectrum: Ok(spectrum_after(share)),
                density: Ok(density_after(share)),
            });
        }
        report
    })
}

fn two() -> [RunHistory; 3] {
    [
        with_waves("chain · learned", 0),
        with_waves("chain · learned-tisa3", 1),
        without_positions(),
    ]
}

fn at(run: RunHistory, place: usize) -> RunHistory {
    RunHistory {
        current: run.reports.get(place).cloned(),
        ..run
    }
}

fn plots(panels: &PlotPanels) -> Vec<&Plot> {
    panels.panels().iter().map(|panel| &panel.plot).collect()
}

/// For the `pictures` tests.
pub(super) fn pictures() -> Vec<(&'static str, Box<dyn Figure>, Option<Cursor>)> {
    let waves = |picture| Box::new(run_waves(&two(), picture).expect("waves"));
    vec![
        (
            "training-spectra",
            Box::new(run_spectra(&two(), Some(20)).expect("spectra")),
            Some(Cursor::Frequency(3)),
        ),
        (
            "training-waves",
            waves(WavePicture::Spectrum),
            Some(Cursor::Frequency(3)),
        ),
        ("training-waves-columns", waves(WavePicture::Columns), None),
        ("training-waves-density", waves(WavePicture::Density), None),
    ]
}

#[test]
fn tables_begin_with_the_run_and_the_step() {
    let header = |picture| {
        let csv = run_waves(&two(), picture).expect("waves").table().csv();
        csv.lines().next().map(str::to_owned)
    };
    let headers = PICTURES.map(|picture| header(picture).expect("a header"));
    assert_eq!(
        headers,
        [
            "model,step,frequency,mean,quartile_low,quartile_high,period,sinusoidal_scaled,sinusoidal_scale",
            "model,step,position,dimension,value",
            "model,step,lag,mean_absolute,quartile_low,quartile_high",
            "model,step,position,value,density,mean,deviation,skewness,excess_kurtosis,beyond,\
             skewness_without_position_0,excess_kurtosis_without_position_0",
        ]
    );
    let csv = run_waves(&two(), WavePicture::Spectrum)
        .expect("waves")
        .table()
        .csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 1 + 2 * FREQUENCIES);
    assert_eq!(lines[2], "chain · learned,20,1,3,2.25,3.75,16,1.5,0.5");
    assert!(lines[1 + FREQUENCIES].starts_with("chain · learned-tisa3,20,0,5,"));
    let columns = run_waves(&two(), WavePicture::Columns)
        .expect("waves")
        .table();
    assert_eq!(columns.rows(), 2 * 3 * N);
    assert_eq!(numbers(&columns, "dimension")[N], 6.0);
}

#[test]
fn axes_are_the_same_at_every_step_and_for_every_run() {
    for picture in PICTURES {
        let ranges = [0, 1, 3].map(|place| {
            let runs = [at(with_waves("a", 0), place), with_waves("b", 1)];
            let panels = run_waves(&runs, picture).expect("waves");
            let ranges: Vec<_> = (plots(&panels).iter())
                .map(|plot| (plot.x_range(), plot.y_range()))
                .collect();
            assert_eq!(ranges[0], ranges[1], "{picture:?}");
            ranges
        });
        assert!(
            ranges.iter().all(|range| *range == ranges[0]),
            "{picture:?}"
        );
    }
    // Of the greatest upper quartile, with a margin.
    let panels = run_waves(&two(), WavePicture::Spectrum).expect("waves");
    assert_eq!(plots(&panels)[0].y_range(), (0.0, 1.05 * 1.25 * 8.0));
    assert_eq!(plots(&panels)[0].x_range(), (-0.5, 8.5));
    let panels = run_waves(&two(), WavePicture::Density).expect("waves");
    assert_eq!(plots(&panels)[0].y_range(), (-1.875, 1.875));
}

#[test]
fn columns_are_those_of_the_last_step() {
    let names = |place: usize| {
        let panels = run_waves(&[at(with_waves("a", 0), place)], WavePicture::Columns);
        let panels = panels.expect("waves");
        let lines = plots(&panels)[0]
            .lines()
            .map(|line: &Series| line.name.clone());
        lines.collect::<Vec<_>>()
    };
    assert_eq!(names(3), ["dimension 7", "dimension 6", "dimension 5"]);
    assert_eq!(names(0), names(3));
    // Columns that were left out have no spectrum, so that rows of the heat map are not columns.
    let mut run = with_waves("a", 0);
    for report in &mut run.reports {
        let report = std::sync::Arc::make_mut(report);
        let waves = report.positions.as_mut().and_then(|p| p.waves.as_mut());
        if let Some(Ok(spectrum)) = waves.map(|waves| &mut waves.spectrum) {
            spectrum.left_out = 1;
        }
    }
    let run = at(run, 3);
    assert!(run_waves(std::slice::from_ref(&run), WavePicture::Columns).is_none());
    assert!(run_waves(&[run], WavePicture::Spectrum).is_some());
}

#[test]
fn headings_and_sentences_state_the_step_and_a_number() {
    let notes = PICTURES.map(|picture| {
        let panels = run_waves(&two(), picture).expect("waves");
        panels.panels()[1].note.clone()
    });
    assert_eq!(
        notes,
        [
            "step 20, peak at a period of 16.0",
            "step 20",
            "step 20, mean 0.0667 without lag 0",
            "step 20, standard deviation 0.656",
        ]
    );
    let panels = run_waves(&two()[..1], WavePicture::Spectrum).expect("waves");
    assert_eq!(
        panels.summary(),
        "chain · learned at step 20: The mean spectrum peaks at frequency 1, a period of 16.0 tokens. Dashed: the sinusoidal table \
         of this size, multiplied by 0.500 so that both tables have the same norm. Frequencies 0 to 8. Values from 0.508 to 6.25."
    );
}

#[test]
fn runs_without_waves_have_no_panel() {
    assert_eq!(
        run_waves(&two(), WavePicture::Density)
            .expect("waves")
            .panels()
            .len(),
        2
    );
    for runs in [
        vec![with_table()],
        vec![without_positions()],
        vec![RunHistory::default()],
        vec![],
    ] {
        for picture in PICTURES {
            assert!(run_waves(&runs, picture).is_none());
        }
        assert!(run_spectra(&runs, None).is_none());
    }
}

/// The column of the picture of spectra at a place of the frame, from 0 to 1, from the lowest frequency on.
fn spectrum_at(panels: &PlotPanels, place: f64) -> Vec<f32> {
    let PlotMark::Raster(raster) = &plots(panels)[0].marks[0] else {
        panic!("no matrix");
    };
    let column = (place * raster.columns as f64) as usize;
    let rows = raster.values.chunks(raster.columns).rev();
    rows.map(|row| row[column]).collect()
}

#[test]
fn spectra_have_gaps_where_no_snapshot_is() {
    let panels = run_spectra(&two(), Some(20)).expect("spectra");
    let place = |step: f64| (step.max(0.5) / 0.4).ln() / (1.1 * 400.0_f64 / 0.4).ln();
    let means = |share| {
        spectrum_after(share)
            .mean
            .into_iter()
            .map(|mean| mean as f32)
    };
    for (step, share) in STEPS.into_iter().zip([0.0, 0.125, 0.5, 0.875]) {
        let shown = spectrum_at(&panels, place(f64::from(step)));
        assert_eq!(shown, means(share).collect::<Vec<_>>(), "step {step}");
    }
    for step in [4.0, 9.0, 80.0] {
        let shown = spectrum_at(&panels, place(step));
        assert!(shown.iter().all(|value| value.is_nan()), "step {step}");
    }
    assert!(plots(&panels)[1].points().all(|point| point.at.0 == 20.0));
    assert_eq!(plots(&panels)[1].points().count(), 4);
    let later = run_spectra(&two(), Some(500)).expect("spectra");
    assert_eq!(plots(&later)[0].points().count(), 0);
    let csv = panels.table().csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "model,step,frequency,period,mean");
    assert_eq!(lines.len(), 1 + 2 * STEPS.len() * FREQUENCIES);
    assert_eq!(lines[1 + 2 * FREQUENCIES + 2], "chain · learned,20,2,8,2");
    assert_eq!(
        run_spectra(&two()[..1], None).expect("spectra").summary(),
        "chain · learned: the mean spectrum peaks at a period of 16.0 tokens at step 0, and of 16.0 tokens at step 400."
    );
}

#[test]
fn the_cursor_is_a_frequency() {
    let panels = run_spectra(&two(), None).expect("spectra");
    let places = panels.places(640.0);
    assert_eq!(places.len(), 2);
    let (mut found, x) = (Vec::new(), places[1].x + places[1].width / 2.0);
    for y in (0..panels.height(640.0) as usize).rev() {
        match panels.cursor_at(640.0, x, y as f64) {
            Some(Cursor::Frequency(f)) if !found.contains(&f) => found.push(f),
            _ => {}
        }
    }
    assert_eq!(found, (0..FREQUENCIES).collect::<Vec<_>>());
    let overlay = panels.overlay(640.0, Some(Cursor::Frequency(3)));
    assert_eq!(overlay.marks.len(), 2 * 3);
    assert!(
        panels
            .overlay(640.0, Some(Cursor::Frequency(9)))
            .marks
            .is_empty()
    );
}

#[test]
fn numbers_are_those_of_the_waves_view() {
    let run = trained_run("chain.learned.n16d16l2h2r2b4.1.20");
    let report = run.current.clone().expect("a report");
    let positions = report.positions.as_ref().expect("positions");
    let waves = positions.waves.as_ref().expect("waves");
    let table = |picture| {
        let panels = run_waves(std::slice::from_ref(&run), picture).expect("waves");
        panels.table()
    };
    let (found, values) = (waves.spectrum.as_ref(), waves.density.as_ref());
    for (picture, own) in [
        (
            WavePicture::Spectrum,
            spectrum(found.expect("a spectrum"), true).table(),
        ),
        (
            WavePicture::Autocorrelation,
            autocorrelation(&positions.inner_products, true)
                .expect("one")
                .table(),
        ),
        (
            WavePicture::Density,
            density(values.expect("a density")).table(),
        ),
    ] {
        let table = table(picture);
        for name in own.names() {
            // NaN, the period of frequency 0, is not equal to itself.
            let bits = |of: &Table| {
                numbers(of, name)
                    .into_iter()
                    .map(f64::to_bits)
                    .collect::<Vec<_>>()
            };
            assert_eq!(bits(&table), bits(&own), "{name}");
        }
    }
    let tile = positions.table.as_ref().expect("a table");
    let columns = table(WavePicture::Columns);
    let cells = numbers(&columns, "position")
        .into_iter()
        .zip(numbers(&columns, "dimension"));
    for ((i, c), value) in cells.zip(numbers(&columns, "value")) {
        assert_eq!(tile.at(i as usize, c as usize).map(f64::from), Some(value));
    }
}

proptest! {
    /// A density over any range has, of each band, the share of values that are in the range.
    #[test]
    fn densities_over_other_ranges_have_the_same_shares(
        low in -3.0..0.0_f64, high in 0.01..3.0_f64, share in 0.0..1.0_f64
    ) {
        let found = density_after(share);
        let plot = density_between(&found, (low, high));
        let PlotMark::Raster(raster) = &plot.marks[0] else {
            panic!("no matrix");
        };
        let rows = raster.values.len() / raster.columns;
        let step = (high - low) / rows as f64;
        let inside: f64 = found.edges.windows(2).zip(&found.by_band[1]).map(|(ends, density)| {
            density * (ends[1].min(high) - ends[0].max(low)).max(0.0)
        }).sum();
        let sum: f64 = raster.values.iter().skip(1).step_by(raster.columns).map(|d| f64::from(*d) * step).sum();
        prop_assert!((sum - inside).abs() < 1e-5, "{sum} {inside}");
        prop_assert_eq!(plot.y_range(), (low, high));
    }
}
