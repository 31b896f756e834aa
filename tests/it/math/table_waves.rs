//! Spectra, components, densities and sinusoids of tables: against reference implementations, golden numbers, and laws
//! that hold for all numbers.

use super::laws::config;
use crate::{
    analysis::golden_minilm::golden,
    support::{models::bytes, oracles::random},
};
use diagonal::{
    encoding::{Random, Sinusoidal},
    math::{
        Assignment, Components, Density, FrequencySearch, Layout, LayoutDistance, LayoutMatch,
        NoWaves, Spectrum, period, reference,
    },
    model::PRESETS,
};
use fastrand::Rng;
use ndarray::{Array2, Axis, concatenate};
use proptest::prelude::*;
use serde_json::Value;
use std::f64::consts::TAU;

/// The position table of the shipped preset.
pub(crate) fn preset_table() -> Array2<f32> {
    let (checkpoint, model) = preset();
    drop(checkpoint);
    model.table().expect("a table").clone()
}

/// Opens the shipped preset.
pub(crate) fn preset() -> crate::support::models::ModelVersion {
    let file = crate::support::models::data("../../www/presets").join(PRESETS[0].file);
    crate::support::models::plainly(std::fs::read(file).expect("the preset"), None)
}

fn list(golden: &Value) -> Vec<f64> {
    let list = golden.as_array().expect("a list");
    list.iter().map(|v| v.as_f64().expect("a number")).collect()
}

fn is_near(found: &[f64], golden: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), golden.len(), "{what}");
    for (at, (found, golden)) in found.iter().zip(golden).enumerate() {
        assert!(
            (found - golden).abs() <= tolerance,
            "{what} {at}: {found}, golden {golden}"
        );
    }
}

/// A table of planted waves: for each frequency and amplitude, `phases` columns.
fn plant_waves(n: usize, waves: &[(f64, f64)], phases: usize) -> Array2<f32> {
    Array2::from_shape_fn((n, waves.len() * phases), |(i, column)| {
        let (frequency, amplitude) = waves[column / phases];
        let phase = (column % phases) as f64 * 0.7;
        (amplitude * (TAU * frequency * i as f64 / n as f64 + phase).cos()) as f32
    })
}

#[test]
fn the_preset_holds_its_golden_numbers() {
    let (table, golden) = (preset_table(), &golden()["table"]);
    let spectrum = Spectrum::compute(table.view()).expect("a spectrum");
    let mean = list(&golden["spectrum_mean"]);
    let top = mean.iter().copied().fold(0.0, f64::max);
    is_near(&spectrum.mean(), &mean, 1e-6 * top, "mean at frequency");
    for (share, golden) in [0.25, 0.75]
        .into_iter()
        .zip(golden["spectrum_quartiles"].as_array().expect("two"))
    {
        is_near(
            &spectrum.quantile(share),
            &list(golden),
            1e-6 * top,
            "quartile at frequency",
        );
    }
    let components = Components::compute(table.view(), 8).expect("components");
    is_near(
        &components.cumulative()[..32],
        &list(&golden["pca_cumulative"]),
        1e-7,
        "component",
    );
    let lags = diagonal::math::Autocorrelation::compute(table.view())
        .expect("it varies")
        .mean;
    is_near(
        &lags[..=20],
        &list(&golden["mean_absolute_autocorrelation"]),
        1e-6,
        "lag",
    );
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn spectra_are_what_the_formula_says(n in 2..90_usize, d in 1..7_usize, seed: u64, lift in -50.0..50.0_f32) {
        let mut table = random(&mut Rng::with_seed(seed), n, d) + lift;
        table.column_mut(0).fill(3.5);
        let fast = Spectrum::compute(table.view()).expect("a spectrum");
        let slow = reference::amplitude_spectra(&table.mapv(f64::from));
        prop_assert_eq!(fast.amplitudes.dim(), slow.dim());
        let top = slow.iter().copied().fold(0.0, f64::max);
        for (fast, slow) in fast.amplitudes.iter().zip(&slow) {
            prop_assert!((f64::from(*fast) - slow).abs() < 1e-6 * top, "{fast} {slow}");
        }
        // Parseval: the sum of a column's squares equals that of its spectrum, where all frequencies except 0 and n/2
        // count twice.
        for (column, amplitudes) in table.columns().into_iter().zip(fast.amplitudes.rows()) {
            let squares: f64 = column.iter().map(|&v| f64::from(v).powi(2)).sum();
            let powers: f64 = amplitudes.iter().enumerate().map(|(f, &a)| {
                let times = if f == 0 || 2 * f == n { 1.0 } else { 2.0 };
                times * f64::from(a).powi(2)
            }).sum();
            prop_assert!((powers / n as f64 - squares).abs() < 1e-5 * squares, "{powers} {squares}");
        }
        let (mean, most) = (fast.mean(), fast.maximum());
        let (low, middle, high) = (fast.quantile(0.25), fast.quantile(0.5), fast.quantile(0.75));
        for f in 0..fast.frequencies() {
            prop_assert!(low[f] <= middle[f] && middle[f] <= high[f] && high[f] <= most[f] + 1e-9);
            prop_assert!(mean[f] <= most[f] + 1e-9);
        }
    }

    #[test]
    fn components_are_those_of_jacobi(n in 2..14_usize, d in 1..14_usize, seed: u64, scale in -30..30_i32) {
        let mut table = random(&mut Rng::with_seed(seed), n, d);
        table.mapv_inplace(|v| v * 10_f32.powi(scale));
        let found = Components::compute(table.view(), n.min(d)).expect("components");
        let slow = reference::component_shares(&table.mapv(f64::from));
        for (at, share) in slow.iter().enumerate() {
            let found = found.shares.get(at).copied().unwrap_or_default();
            prop_assert!((found - share.max(0.0)).abs() < 1e-9, "{at}: {found} {share}");
        }
        prop_assert!((found.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        prop_assert!(found.shares.windows(2).all(|two| two[0] >= two[1]));
        // Coordinates along different components are orthogonal, and their lengths match the shares.
        let mut centred = table.mapv(f64::from);
        for mut column in centred.columns_mut() {
            let mean = column.mean().expect("rows");
            column -= mean;
        }
        let total: f64 = centred.iter().map(|v| v * v).sum();
        let products = found.along.t().dot(&found.along) / total;
        for ((a, b), product) in products.indexed_iter() {
            let expected = if a == b { found.shares[a] } else { 0.0 };
            prop_assert!((product - expected).abs() < 1e-7, "{a}, {b}: {product} {expected}");
        }
        // Together they have the inner products of the rows.
        let rebuilt = found.along.dot(&found.along.t());
        for ((i, j), inner) in centred.dot(&centred.t()).indexed_iter() {
            prop_assert!((rebuilt[[i, j]] - inner).abs() < 1e-7 * total, "{i}, {j}");
        }
    }

    #[test]
    fn densities_hold_every_value(n in 2..300_usize, d in 1..9_usize, seed: u64, broken: bool) {
        let mut table = random(&mut Rng::with_seed(seed), n, d);
        if broken {
            table[[n / 2, 0]] = f32::NAN;
        }
        let Ok(found) = Density::compute(table.view()) else {
            // At most one finite number.
            prop_assert!(n * d < 3);
            return Ok(());
        };
        prop_assert_eq!(found.left_out, usize::from(broken));
        let width = found.edges[1] - found.edges[0];
        let numbers = (n * d - found.left_out) as f64;
        let inside = 1.0 - found.beyond as f64 / numbers;
        prop_assert!((found.all.iter().sum::<f64>() * width - inside).abs() < 1e-9);
        prop_assert!(found.beyond as f64 <= 0.002 * numbers + 2.0, "{}", found.beyond);
        prop_assert_eq!(found.bands.iter().map(ExactSizeIterator::len).sum::<usize>(), n);
        // The bands' densities average to that of all positions.
        for (bin, all) in found.all.iter().enumerate() {
            let of_bands: f64 = found.bands.iter().enumerate().map(|(band, rows)| {
                let of_band = table.slice(ndarray::s![rows.clone(), ..]);
                let numbers = of_band.iter().filter(|v| v.is_finite()).count();
                found.by_band[[band, bin]] * numbers as f64
            }).sum();
            prop_assert!((of_bands / numbers - all).abs() < 1e-9);
        }
    }

    #[test]
    fn assignments_are_the_best_there_are(d in 1..7_usize, seed: u64, ties: bool) {
        let mut gains = random(&mut Rng::with_seed(seed), d, d).mapv(f64::from);
        if ties {
            gains.mapv_inplace(f64::round);
        }
        let mut search = Assignment::new(gains.clone());
        while search.step(1) {}
        let (columns, sum) = search.finish();
        let mut sorted = columns.clone();
        sorted.sort_unstable();
        prop_assert_eq!(sorted, (0..d).collect::<Vec<_>>());
        let best = reference::best_assignment(&gains);
        prop_assert!((sum - best).abs() < 1e-9, "{sum} {best}");
    }

    #[test]
    fn planted_frequencies_are_found(
        n in 96..200_usize,
        low in 2.0..9.0_f64,
        apart in 6.0..20.0_f64,
        seed: u64,
    ) {
        let high = low + apart;
        let table = plant_waves(n, &[(low, 2.0), (high, 1.0)], 3);
        let mut search = FrequencySearch::new(table.view()).expect("it varies");
        let own = search.own_frequencies();
        prop_assert!(own > 0.99, "{own}");
        let (first, second) = (search.step().expect("one"), search.step().expect("two"));
        prop_assert!((first.frequency - low).abs() < 0.25, "{first:?}, planted {low}");
        prop_assert!((second.frequency - high).abs() < 0.25, "{second:?}, planted {high}");
        prop_assert!(second.explained_share > 0.97, "{second:?}");
        // A few frequencies do not explain noise.
        let noise = random(&mut Rng::with_seed(seed), n, 60);
        let mut search = FrequencySearch::new(noise.view()).expect("it varies");
        let mut last = 0.0;
        for _ in 0..4 {
            let next = search.step().expect("one").explained_share;
            prop_assert!(next > last && next < 0.25, "{next}");
            last = next;
        }
    }
}

#[test]
fn a_wave_stands_at_its_frequency_whatever_the_length() {
    for n in [2, 3, 7, 64, 97, 256, 511, 1024, 2048] {
        for f in [1, n / 4, n / 2] {
            let table = plant_waves(n, &[(f as f64, 1.0)], 1);
            let spectrum = Spectrum::compute(table.view()).expect("a spectrum");
            let expected = if f == 0 || 2 * f == n {
                n as f64
            } else {
                n as f64 / 2.0
            };
            for (at, amplitude) in spectrum.mean().into_iter().enumerate() {
                let expected = if at == f { expected } else { 0.0 };
                assert!(
                    (amplitude - expected).abs() < 1e-4 * n as f64,
                    "{n}, {f}, {at}: {amplitude}"
                );
            }
            assert_eq!(period(n, f), (f > 0).then(|| n as f64 / f as f64));
        }
    }
}

#[test]
fn a_search_for_frequencies_ends_where_nothing_is_left() {
    // With so few positions, a constant, a cosine and a sine explain almost everything.
    for n in 2..6 {
        let table = random(&mut Rng::with_seed(5), n, 3);
        let mut search = FrequencySearch::new(table.view()).expect("it varies");
        let found: Vec<_> = std::iter::from_fn(|| search.step()).take(20).collect();
        assert!(found.len() < 20, "{n}: {found:?}");
        assert!(
            (found.last().expect("one").explained_share - 1.0).abs() < 1e-9,
            "{n}: {found:?}"
        );
    }
}

fn distance(table: &Array2<f32>, layout: Layout) -> LayoutDistance {
    LayoutMatch::new(table.view(), layout)
        .expect("numbers")
        .finish()
}

#[test]
fn layouts_are_told_apart() {
    let (rows, width) = (128, 48);
    for layout in Layout::ALL {
        let table = layout.table(rows, width).mapv(|v| (0.02 * v) as f32);
        for other in Layout::ALL {
            let found = distance(&table, other);
            let same_columns = (layout == Layout::Whisper) == (other == Layout::Whisper);
            assert_eq!(found.distance < 1e-3, same_columns, "{layout:?}, {found:?}");
            assert_eq!(
                found.in_order < 1e-3,
                layout == other,
                "{layout:?}, {found:?}"
            );
            assert!(found.distance <= found.in_order + 1e-12, "{found:?}");
        }
        // Columns in random order, with a little noise.
        let mut rng = Rng::with_seed(8);
        let mut order: Vec<usize> = (0..width).collect();
        rng.shuffle(&mut order);
        let columns: Vec<_> = order
            .iter()
            .map(|&at| table.column(at).insert_axis(Axis(1)))
            .collect();
        let noise = random(&mut rng, rows, width) * 2e-4;
        let shuffled = concatenate(Axis(1), &columns).expect("columns") + noise;
        let found = distance(&shuffled, layout);
        assert!(found.distance < 0.02 && found.in_order > 0.5, "{found:?}");
    }
    let computed = Sinusoidal {
        rows,
        width,
        base: 10_000.0,
    };
    assert!(distance(&computed.table(), Layout::Interleaved).in_order < 1e-3);
    let random = Random {
        rows,
        width,
        seed: 3,
    };
    assert!(
        Layout::ALL
            .iter()
            .all(|layout| distance(&random.table(), *layout).distance > 0.8)
    );
}

/// Whisper's encoder stores a computed table.
#[test]
fn whisper_has_whispers_step() {
    let (_, model) = crate::support::models::plainly(
        bytes("whisper"),
        Some(&crate::support::models::config("whisper")),
    );
    let source = model
        .sources
        .iter()
        .find(|(id, _)| id.contains("encoder"))
        .expect("the encoder");
    let choice = diagonal::model::ModelOptions {
        source: Some(source.0.clone()),
        ..diagonal::model::ModelOptions::default()
    };
    let opened = crate::support::models::open_model(
        bytes("whisper"),
        Some(&crate::support::models::config("whisper")),
        &choice,
    );
    let (_, model) = opened.expect("the encoder");
    let table = model.table().expect("a table");
    let distances = Layout::ALL.map(|layout| distance(table, layout));
    assert!(distances[2].in_order < 1e-3, "{distances:?}");
    assert!(distances[0].distance > 0.05, "{distances:?}");
}

/// The preset is a typical learned table, far from every computed one.
#[test]
fn the_preset_is_learned() {
    let table = preset_table();
    let mut search = FrequencySearch::new(table.view()).expect("it varies");
    let own = search.own_frequencies();
    let shared: Vec<f64> = (0..8)
        .map(|_| search.step().expect("one").explained_share)
        .collect();
    let distances = Layout::ALL.map(|layout| distance(&table, layout));
    println!("own {own:.3}, shared {shared:.3?}, {distances:?}");
    assert!(own > 0.15 && own < 0.6, "{own}");
    assert!(shared[7] > 0.5 && shared[7] < 0.95, "{shared:?}");
    assert!(
        distances.iter().all(|found| found.distance > 0.5),
        "{distances:?}"
    );
}

#[test]
fn a_sinusoidal_table_is_what_theory_says() {
    let computed = Sinusoidal {
        rows: 256,
        width: 64,
        base: 10_000.0,
    };
    let table = computed.table();
    let search = FrequencySearch::new(table.view()).expect("it varies");
    assert!(
        search.own_frequencies() > 0.99,
        "{}",
        search.own_frequencies()
    );
    // A sine's values follow the arcsine law: excess −1.5.
    let whole = plant_waves(256, &[(16.0, 1.0)], 2);
    let density = Density::compute(whole.view()).expect("values");
    assert!(
        (density.excess + 1.5).abs() < 0.01 && density.skewness.abs() < 0.01,
        "{density:?}"
    );
    let normal = Random {
        rows: 512,
        width: 256,
        seed: 1,
    };
    let density = Density::compute(normal.table().view()).expect("values");
    assert!(density.excess.abs() < 0.05, "{}", density.excess);
    for (value, found) in density.middles().into_iter().zip(&density.all) {
        assert!(
            (density.normal(value) - found).abs() < 0.03 * density.normal(density.mean),
            "{value}"
        );
    }
}

/// Messages for tables without variance or with NaN.
#[test]
fn nothing_is_drawn_of_what_is_no_number() {
    let constant = Array2::from_elem((9, 4), 0.1_f32);
    assert_eq!(
        Components::compute(constant.view(), 2).err(),
        Some(NoWaves::Constant)
    );
    assert_eq!(
        Density::compute(constant.view()).err(),
        Some(NoWaves::Constant)
    );
    assert!(FrequencySearch::new(constant.view()).is_err());
    let flat = Spectrum::compute(constant.view()).expect("a spectrum");
    assert!((flat.mean()[0] - 0.9).abs() < 1e-6 && flat.mean()[1..].iter().all(|a| a.abs() < 1e-6));

    let mut row = random(&mut Rng::with_seed(2), 9, 4);
    row.row_mut(5).fill(f32::NAN);
    for why in [
        Components::compute(row.view(), 2).err(),
        Spectrum::compute(row.view()).err(),
        FrequencySearch::new(row.view()).err(),
        LayoutMatch::new(row.view(), Layout::Halves).err(),
    ] {
        assert_eq!(why, Some(NoWaves::NotFinite(5)));
    }
    assert_eq!(
        Density::compute(row.view()).expect("other rows").left_out,
        4
    );

    let mut column = random(&mut Rng::with_seed(3), 9, 4);
    column[[2, 1]] = f32::INFINITY;
    let spectrum = Spectrum::compute(column.view()).expect("three columns");
    assert_eq!(
        (spectrum.left_out, &spectrum.places[..]),
        (1, &[0, 2, 3][..])
    );
    assert_eq!(
        Components::compute(column.view(), 9)
            .expect("three columns")
            .along
            .ncols(),
        3
    );

    for (shape, why) in [
        ((0, 4), NoWaves::TooFewPositions(0)),
        ((1, 4), NoWaves::TooFewPositions(1)),
        ((4, 0), NoWaves::NoColumns),
    ] {
        let table = Array2::from_elem(shape, 1.0_f32);
        assert_eq!(Spectrum::compute(table.view()).err(), Some(why.clone()));
        assert_eq!(
            Components::compute(table.view(), 1).err(),
            Some(why.clone())
        );
        crate::checkpoint::hostile::assert_is_sentence(&why.to_string());
    }
    // Close to the largest floats.
    let huge = random(&mut Rng::with_seed(4), 20, 6).mapv(|v| v * 1e37);
    let components = Components::compute(huge.view(), 6).expect("components");
    assert!(
        components
            .along
            .iter()
            .chain(&components.shares)
            .all(|v| v.is_finite())
    );
}
