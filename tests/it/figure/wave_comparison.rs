//! Waves of several models on shared axes: columns, scaling, sentences about models that are not drawn.

use crate::{
    analysis::golden_minilm,
    support::questions::{FIRST, ask, folder, open, with_computed},
};
use diagonal::{
    analysis::{
        BestShift, ComponentSummary, HeadRotation, HeadShift, HeadShifts, MemorySession, Origin,
        ScoreMode, SpectrumSummary, TableWaveSummary, TableWaves,
    },
    encoding::{Random, Sinusoidal},
    figure::{
        Cursor, Figure, Ink, PlotMark,
        wave_comparison::{ModelAnswer, head_shifts, table_components, table_spectra},
    },
    math::{ChanceRange, PhaseLine, Tile, Window},
    model::ModelOptions,
};
use ndarray::Array2;
use proptest::prelude::*;

use super::pictures::tile;
use crate::support::questions::head_of_first;

/// Waves of a table of n positions with amplitudes of a size and a peak at a frequency.
fn waves(n: usize, size: f64, peak: usize) -> TableWaveSummary {
    let frequencies = n / 2 + 1;
    let mean = move |f: usize| match f {
        f if f == peak => 8.0 * size,
        f => size * (1.0 + 0.5 * (f % 3) as f64),
    };
    let numbers = |share: f64| {
        (0..frequencies)
            .map(move |f| share * mean(f))
            .collect::<Vec<_>>()
    };
    let shares: Vec<f64> = (1..=12).map(|at| 0.5_f64.powi(at)).collect();
    let mut sum = 0.0;
    let cumulative = shares.iter().map(|share| {
        sum += share;
        sum
    });
    let heat: Tile = tile(Window::whole(4, frequencies), 1, |_, f| f as f32);
    TableWaveSummary {
        spectrum: Ok(SpectrumSummary {
            n,
            mean: numbers(1.0),
            low: numbers(0.5),
            high: numbers(1.5),
            maximum: numbers(2.0),
            control: numbers(1.0),
            control_scale: 2.0 * size,
            heat,
            left_out: 0,
        }),
        components: Ok(ComponentSummary {
            cumulative: cumulative.collect(),
            shares,
            along: Vec::new(),
            left_out: 0,
        }),
        density: Err("There are no values.".into()),
    }
}

fn without_waves() -> TableWaveSummary {
    let why = || "The table has no columns.".to_owned();
    TableWaveSummary {
        spectrum: Err(why()),
        components: Err(why()),
        density: Err(why()),
    }
}

fn model<'a, T: ?Sized>(number: usize, name: &'a str, answer: &'a T) -> ModelAnswer<'a, T> {
    ModelAnswer {
        number,
        name,
        answer,
    }
}

/// Heads of two layers: with a shift, without a single one, and without a rotation.
fn shifts() -> Vec<HeadShift> {
    let best = |delta: f64, is_single: bool| {
        let (median, low, high) = (0.25, 0.125, 0.375);
        Ok(BestShift {
            line: Some(PhaseLine {
                delta,
                coherence: 0.75,
                chance: 0.5,
                random: ChanceRange { median, low, high },
            }),
            delta: is_single.then_some(delta),
            peak: -delta as i64,
        })
    };
    let head = |layer, head, best| HeadShift { layer, head, best };
    vec![
        head(0, 0, best(1.0, true)),
        head(0, 1, best(-2.0, true)),
        head(1, 0, best(7.0, false)),
        head(1, 1, Err("The product is zero.".to_owned())),
    ]
}

/// The figures, for the `pictures` tests.
pub(crate) fn pictures() -> Vec<(&'static str, Box<dyn Figure>, Option<Cursor>)> {
    let (short, long) = (waves(48, 1.0, 5), waves(64, 0.25, 7));
    let models = [
        model(1, "minilm-l6", &short),
        model(2, "a name that is far too long for any column", &long),
        model(11, "dashed", &short),
    ];
    let shifts = shifts();
    let heads = [
        model(1, "minilm-l6", &shifts[..]),
        model(
            2,
            "a name that is far too long for any column",
            &shifts[..2],
        ),
    ];
    let frequency = Some(Cursor::Frequency(5));
    vec![
        (
            "compare-spectra",
            Box::new(table_spectra(&models, &["t5"], true, false).expect("a figure")),
            frequency,
        ),
        (
            "compare-components",
            Box::new(table_components(&models, &[]).expect("a figure")),
            None,
        ),
        (
            "compare-shifts",
            Box::new(head_shifts(&heads, &["t5"]).expect("a figure")),
            None,
        ),
    ]
}

#[test]
fn columns_are_by_model() {
    let (short, long, none) = (waves(8, 1.0, 2), waves(16, 0.25, 3), without_waves());
    let models = [
        model(1, "a", &short),
        model(2, "b, c", &long),
        model(3, "d", &none),
    ];
    let spectra = table_spectra(&models, &["t5", "swin"], false, true).expect("a figure");
    let csv = spectra.table().csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(
        lines[..3],
        [
            "model,frequency,period,mean,quartile_low,quartile_high,scaled",
            "a,0,NaN,1,0.5,1.5,0.5",
            "a,1,8,1.5,0.75,2.25,0.75",
        ]
    );
    assert_eq!(lines[6], "\"b, c\",0,NaN,0.25,0.125,0.375,0.5");
    assert_eq!(lines.len(), 1 + 5 + 9);
    let summary = spectra.summary();
    for sentence in [
        "a (peak at frequency 2, a period of 4.00 of 8 positions)",
        "b, c (peak at frequency 3, a period of 5.33 of 16 positions).",
        " d: The table has no columns.",
        " t5, swin have no position tables and are not drawn.",
    ] {
        assert!(summary.contains(sentence), "{summary}");
    }

    let components = table_components(&models, &["t5"]).expect("a figure");
    let csv = components.table().csv();
    assert!(
        csv.starts_with("model,component,share,cumulative\na,1,0.5,0.5\na,2,0.25,0.75\n"),
        "{csv}"
    );
    assert_eq!(csv.lines().count(), 1 + 2 * 12);
    let summary = components.summary();
    assert!(
        summary.contains("4 of 12 in a; 4 of 12 in b, c."),
        "{summary}"
    );
    assert!(
        summary.contains("t5 has no position table and is not drawn."),
        "{summary}"
    );

    let shifts = shifts();
    let figure = head_shifts(&[model(2, "a", &shifts[..])], &["t5"]).expect("a figure");
    assert_eq!(
        figure.table().csv(),
        "model,layer,head,shift,coherence,chance_coherence,best_shift,profile_peak\n\
         a,1,1,1,0.75,0.5,1,-1\n\
         a,1,2,-2,0.75,0.5,-2,2\n\
         a,2,1,NaN,0.75,0.5,7,-7\n\
         a,2,2,NaN,NaN,NaN,NaN,NaN\n"
    );
    let summary = figure.summary();
    assert!(
        summary.starts_with(
            "a: one shift describes 2 of 4 heads; 1 of these looks back (Δ > 0). 1 head has no rotation: The product is zero. Not drawn, without heads that read a position table: t5."
        ),
        "{summary}"
    );
}

#[test]
fn without_answers_there_is_no_figure() {
    let none = without_waves();
    let models = [model(1, "a", &none)];
    assert!(table_spectra(&models, &["t5"], true, true).is_none());
    assert!(table_components(&models, &[]).is_none());
    assert!(head_shifts(&[model::<[HeadShift]>(1, "a", &[])], &[]).is_none());
}

#[test]
fn models_of_different_lengths_share_the_axis() {
    let (short, long) = (waves(8, 1.0, 2), waves(64, 0.25, 7));
    let both = [model(1, "a", &short), model(9, "b", &long)];
    let all = |models: &[ModelAnswer<'_, TableWaveSummary>]| {
        table_spectra(models, &[], true, true).expect("a figure")
    };
    let plot = all(&both);
    assert_eq!(plot.x_range(), (-0.5, 32.5));
    assert_eq!(all(&both[..1]).x_range(), (-0.5, 4.5));
    let lines: Vec<_> = plot.lines().collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(
        (lines[0].ink, lines[0].is_dashed),
        (Ink::Category(0), false)
    );
    assert_eq!((lines[1].ink, lines[1].is_dashed), (Ink::Category(8), true));
    // The scaled lines differ from the stored ones by the factor of each model.
    let stored = table_spectra(&both, &[], false, true).expect("a figure");
    for ((scaled, stored), factor) in lines.into_iter().zip(stored.lines()).zip([2.0, 0.5]) {
        for (scaled, stored) in scaled.values.iter().zip(&stored.values) {
            assert_eq!(scaled * factor, *stored);
        }
    }
}

/// Heads of several models are side by side in their layer and never reach the next one.
#[test]
fn heads_stay_in_their_layer() {
    let shifts = shifts();
    let models: Vec<_> = (1..=5)
        .map(|number| model(number, "a", &shifts[..]))
        .collect();
    let plot = head_shifts(&models, &[]).expect("a figure");
    let mut places: Vec<f64> = Vec::new();
    for mark in &plot.marks {
        let PlotMark::Dots(dots) = mark else {
            continue;
        };
        assert_eq!(dots.points.len(), 2);
        let place = dots.points[0].at.0;
        assert!(dots.points.iter().all(|point| point.at.0 == place));
        assert!((place - 1.0).abs() < 0.5);
        places.push(place);
    }
    assert_eq!(places.len(), 5);
    assert!(places.is_sorted_by(|a, b| a < b));
    assert!((places.iter().sum::<f64>() / 5.0 - 1.0).abs() < 1e-12);
}

#[test]
fn computed_tables_have_the_spectrum_of_their_control() {
    let sinusoidal = Sinusoidal {
        rows: 96,
        width: 32,
        ..Sinusoidal::default()
    };
    let session = with_computed(Origin::Sinusoidal(sinusoidal));
    let answer = ask(&session, TableWaves { of: FIRST }).expect("an answer");
    let plot = table_spectra(&[model(1, "s", &answer)], &[], true, true).expect("a figure");
    let spectrum = answer.spectrum.as_ref().expect("a spectrum");
    for (scaled, control) in plot
        .lines()
        .next()
        .expect("a line")
        .values
        .iter()
        .zip(&spectrum.control)
    {
        assert!((scaled - control).abs() < 1e-9, "{scaled} {control}");
    }
}

/// The shifts of all heads are those that each head has by itself.
#[test]
fn shifts_are_those_of_single_heads() {
    for name in ["bert", "gpt2", "vit"] {
        let session = MemorySession::default();
        open(&session, folder(name), ModelOptions::default()).expect(name);
        for mode in [ScoreMode::Paper, ScoreMode::AsComputed] {
            let question = HeadShifts {
                of: FIRST,
                input: mode.into(),
            };
            let heads = ask(&session, question).expect(name);
            assert!(
                heads.is_sorted_by_key(|head| (head.layer, head.head)),
                "{name}"
            );
            assert!(heads.len() >= 4, "{name}");
            for head in heads {
                let of = head_of_first(mode, head.layer, head.head);
                let rotation = ask(&session, HeadRotation { of }).expect(name);
                let rotation = rotation.expect(name);
                let best = head.best.expect(name);
                assert_eq!(best.line, rotation.line, "{name}");
                assert_eq!(best.delta, rotation.shift(), "{name}");
                assert_eq!(best.peak, rotation.peak, "{name}");
            }
        }
    }
    let random = Random {
        rows: 24,
        width: 8,
        seed: 1,
    };
    let question = HeadShifts {
        of: FIRST,
        input: ScoreMode::Paper.into(),
    };
    ask(&with_computed(Origin::Random(random)), question).expect_err("it has no heads");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn scaled_spectra_do_not_depend_on_the_unit(
        values in prop::collection::vec(-1.0_f32..1.0, 12 * 4),
        exponent in -6..6_i32,
    ) {
        let table = Array2::from_shape_vec((12, 4), values).expect("a table");
        let of = |table: &Array2<f32>| {
            let waves = TableWaveSummary::compute(table.view());
            let plot = table_spectra(&[model(1, "a", &waves)], &[], true, true);
            plot.map(|plot| plot.lines().next().expect("a line").values.clone())
        };
        // A power of two changes no digit.
        let (one, other) = (of(&table), of(&(&table * 2.0_f32.powi(exponent))));
        prop_assert_eq!(one.is_some(), other.is_some());
        for (one, other) in one.into_iter().flatten().zip(other.into_iter().flatten()) {
            prop_assert!((one - other).abs() <= 1e-9 * one.abs().max(1.0), "{} {}", one, other);
        }
    }
}

/// The guides say so of MiniLM and of a random table.
#[test]
fn the_guides_tell_the_truth() {
    let (session, _) = golden_minilm::open();
    for mode in [ScoreMode::Paper, ScoreMode::AsComputed] {
        let question = HeadShifts {
            of: FIRST,
            input: mode.into(),
        };
        let heads = ask(&session, question).expect("shifts");
        let shifts = |layer: usize| {
            let of_layer = heads.iter().filter(move |head| head.layer == layer);
            of_layer.filter_map(|head| head.best.as_ref().ok()?.delta)
        };
        let all: Vec<f64> = (0..6).flat_map(shifts).collect();
        let near = all.iter().filter(|delta| delta.abs() <= 2.0).count();
        assert!(4 * near > 3 * all.len(), "{near} of {}", all.len());
        let last = shifts(5).count();
        assert!((0..5).all(|layer| shifts(layer).count() > last), "{all:?}");
    }
    let table = ask(&session, TableWaves { of: FIRST }).expect("an answer");
    let random = Random {
        rows: 512,
        width: 384,
        seed: 1,
    };
    let session = with_computed(Origin::Random(random));
    let noise = ask(&session, TableWaves { of: FIRST }).expect("an answer");
    let count = |waves: &TableWaveSummary| {
        let components = waves.components.as_ref().expect("components");
        (components.count_for(0.9), components.shares.len())
    };
    assert!((10..=14).contains(&count(&table).0));
    assert!(2 * count(&noise).0 > count(&noise).1);
    let spectrum = noise.spectrum.as_ref().expect("a spectrum");
    let (least, greatest) = spectrum.mean[1..256]
        .iter()
        .fold((f64::INFINITY, 0.0_f64), |(least, greatest), value| {
            (least.min(*value), greatest.max(*value))
        });
    assert!(greatest < 1.3 * least, "{least} to {greatest}");

    // The axis reaches as far as the longest of the models by themselves.
    let models = [model(1, "m", &table), model(2, "r", &noise)];
    let end = |models: &[ModelAnswer<'_, TableWaveSummary>]| {
        let plot = table_spectra(models, &[], true, false).expect("a figure");
        plot.x_range().1
    };
    assert_eq!(end(&models), end(&models[..1]).max(end(&models[1..])));
}
