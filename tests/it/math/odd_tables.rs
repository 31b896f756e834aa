//! Tables whose R² is hard to compute: dominant main diagonals, numbers outside single precision, and tables without
//! variance. Every number is compared with reference implementations or exact fractions.

use super::laws::config;
use crate::{
    checkpoint::hostile::assert_is_sentence,
    support::{
        models::{Stored, data, f32s, note, open_model, write},
        oracles::{dense, random},
        questions::{FIRST, ask, folder, open},
    },
};
use diagonal::{
    analysis::{MemorySession, ModelOverview, PositionOverview, PositionSummary, Similarity},
    checkpoint::MemorySource,
    figure::{Figure, ShareChart, both_r2, headline_words, score_bars},
    math::{
        Grid, GridToeplitz, LowRank, NoR2, OffsetR2, Profile, ScoreFits, Scores, Toeplitz,
        reference,
    },
    model::ModelOptions,
};
use fastrand::Rng;
use ndarray::{Array2, s};
use proptest::prelude::*;
use safetensors::tensor::Dtype;

fn fits(scores: &Scores) -> ScoreFits {
    scores.fits(&scores.plans())
}

fn summary(session: &MemorySession, similarity: Similarity) -> PositionSummary {
    let of = FIRST;
    ask(session, PositionOverview { of, similarity }).expect("positions")
}

#[test]
fn every_odd_table_has_the_r2_of_exact_fractions() {
    let text = std::fs::read(data("odd-tables/expected.json")).expect("expected.json");
    let expected: serde_json::Value = serde_json::from_slice(&text).expect("json");
    let expected = expected.as_object().expect("an object");
    assert!(expected.len() >= 4);
    for (name, expected) in expected {
        let bytes = std::fs::read(data(&format!("odd-tables/{name}.safetensors"))).expect(name);
        let (_, model) = open_model(bytes.clone(), None, &ModelOptions::default()).expect(name);
        let rows = expected["rows"].as_u64().expect("rows") as usize;
        assert_eq!(model.table().expect(name).nrows(), rows, "{name}");
        assert_eq!(note(&model, "Rows left out"), None, "{name}");
        let scaled = note(&model, "Numbers scaled").is_some();
        assert_eq!(scaled, name.starts_with("f64"), "{name}");

        let session = MemorySession::default();
        let file = (format!("{name}.safetensors"), MemorySource::new(bytes));
        open(&session, vec![file], ModelOptions::default()).expect(name);
        let found = summary(&session, Similarity::InnerProduct);
        let scope = &found.scopes[0];
        let same = |found: f64, column: &str| match expected[column].as_f64() {
            Some(exact) => assert!(
                (found - exact).abs() < 2e-5,
                "{name} {column}: {found} {exact}"
            ),
            None => assert!(found.is_nan(), "{name} {column}: {found}"),
        };
        same(scope.r2.all, "r2");
        same(scope.r2.off_diagonal, "r2_off_diagonal");
        let is_missing = expected["r2_off_diagonal"].is_null();
        assert_eq!(scope.r2.missing_reason.is_some(), is_missing, "{name}");
        let of_model = model.positions.scores(Similarity::InnerProduct);
        same(fits(&of_model.expect(name)).causal_r2(), "causal_r2");
        let cosines = summary(&session, Similarity::Cosine);
        assert_eq!(
            cosines.scopes[0].r2.missing_reason.is_some(),
            is_missing,
            "{name}"
        );
        let overview = ModelOverview {
            of: FIRST,
            similarity: Similarity::InnerProduct,
        };
        let brief = ask(&session, overview).expect(name);
        assert_eq!(brief.scopes[0].rows, rows);
        assert!(brief.autocorrelation.is_ok(), "{name}");
    }
}

/// A table, or the two factors of a head, where a few cells of the product dominate.
#[derive(Debug, Clone, Copy)]
enum Dominance {
    /// Noise with one much larger number.
    Spike,
    /// The identity matrix plus much smaller noise.
    NearlyOrthogonal,
    /// Noise with many more columns than rows.
    Wide,
    /// A few rows that are much longer than the others.
    LongRows,
}

const DOMINANCES: [Dominance; 4] = [
    Dominance::Spike,
    Dominance::NearlyOrthogonal,
    Dominance::Wide,
    Dominance::LongRows,
];

fn dominated_table(kind: Dominance, n: usize, size: f32, rng: &mut Rng) -> Array2<f32> {
    match kind {
        Dominance::Spike => {
            let mut table = random(rng, n, 5);
            table[[rng.usize(..n), rng.usize(..5)]] = size;
            table
        }
        Dominance::NearlyOrthogonal => Array2::eye(n) + random(rng, n, n) / size,
        Dominance::Wide => random(rng, n, 40 * n),
        Dominance::LongRows => {
            let mut table = random(rng, n, 4);
            for row in 0..1 + n / 20 {
                let mut row = table.row_mut((7 * row + 3) % n);
                row *= size;
            }
            table
        }
    }
}

/// Checks that two shares differ by less than 1e-4.
fn same_share(found: f64, slow: f64, what: &str) -> Result<(), TestCaseError> {
    prop_assert!((found - slow).abs() < 1e-4, "{what}: {found} {slow}");
    Ok(())
}

proptest! {
    #![proptest_config(config(96))]

    #[test]
    fn a_dominant_diagonal_leaves_the_r2_of_the_slow_twin(
        kind in 0..DOMINANCES.len(),
        n in 4..70_usize,
        size in 1.0..6.5_f32,
        exponent in -60..60_i32,
        seed: u64,
    ) {
        let kind = DOMINANCES[kind];
        let rng = &mut Rng::with_seed(seed);
        let size = 10_f32.powf(size);
        let unit = f64::from(exponent).exp2() as f32;
        let table = dominated_table(kind, n, size, rng) * unit;
        let scores = Scores::from_table(table, None, Similarity::InnerProduct);
        let Scores::Product(a, _) = &scores else { unreachable!("of a table") };
        let slow = dense(a);
        let found = fits(&scores);
        let what = format!("{kind:?}, n {n}, size {size}, 2^{exponent}");
        prop_assert_eq!(found.r2().missing_reason, None, "{}", what);
        same_share(found.r2().off_diagonal, reference::off_diagonal_toeplitz_r2(&slow), &what)?;
        same_share(found.r2().all, reference::toeplitz_r2(&slow), &what)?;
        same_share(found.causal_r2(), reference::causal_toeplitz_r2(&slow), &what)?;
        // Leading blocks and windows.
        for range in [0..n / 2 + 2, n / 2 - 2..n] {
            let part = slow.slice(s![range.clone(), range.clone()]).to_owned();
            let r2 = scores.r2_of(range.clone());
            let what = format!("{what}, {range:?}");
            same_share(r2.off_diagonal, reference::off_diagonal_toeplitz_r2(&part), &what)?;
            same_share(r2.all, reference::toeplitz_r2(&part), &what)?;
        }
    }

    #[test]
    fn so_it_does_in_two_dimensions(
        kind in 0..DOMINANCES.len(),
        (height, width) in (2..8_usize, 2..8_usize),
        size in 1.0..6.5_f32,
        seed: u64,
    ) {
        let (kind, grid) = (DOMINANCES[kind], Grid { height, width });
        let rng = &mut Rng::with_seed(seed);
        let table = dominated_table(kind, grid.cells(), 10_f32.powf(size), rng);
        let scores = Scores::from_table(table, Some(grid), Similarity::InnerProduct);
        let Scores::Product(a, _) = &scores else { unreachable!("of a table") };
        let slow = dense(a);
        let found = fits(&scores).grid_r2().expect("a grid");
        let what = format!("{kind:?}, {grid:?}");
        same_share(found.off_diagonal, reference::off_diagonal_grid_r2(&slow, width), &what)?;
        same_share(found.all, reference::grid_r2(&slow, width), &what)?;
    }

    #[test]
    fn heads_have_the_r2_of_the_slow_twin(
        kind in 0..DOMINANCES.len(),
        n in 4..60_usize,
        size in 1.0..6.0_f32,
        // Only queries of the first half and keys of the second have large products: cells above the diagonal dominate
        // those below.
        ahead: bool,
        shift in -1e3..1e3_f64,
        seed: u64,
    ) {
        let kind = DOMINANCES[kind];
        let rng = &mut Rng::with_seed(seed);
        let mut query = dominated_table(kind, n, 10_f32.powf(size), rng);
        let mut key = &query + random(rng, n, query.ncols()) * 1e-3;
        if ahead {
            let r = query.ncols();
            query = random(rng, n, r);
            key = random(rng, n, r);
            query.column_mut(0).fill(0.0);
            key.column_mut(0).fill(0.0);
            query.slice_mut(s![..n / 2, 0]).fill(1e4);
            key.slice_mut(s![n / 2.., 0]).fill(1e3);
        }
        let scores = Scores::Product(LowRank::product(query, key, shift), None);
        let Scores::Product(a, _) = &scores else { unreachable!("a product") };
        let (slow, found) = (dense(a), fits(&scores));
        let what = format!("{kind:?}, n {n}, size {size}, ahead {ahead}");
        same_share(found.r2().off_diagonal, reference::off_diagonal_toeplitz_r2(&slow), &what)?;
        same_share(found.r2().all, reference::toeplitz_r2(&slow), &what)?;
        same_share(found.causal_r2(), reference::causal_toeplitz_r2(&slow), &what)?;
    }

    #[test]
    fn softmax_sees_rows_without_their_means(
        (height, width) in (1..7_usize, 2..9_usize),
        r in 1..7_usize,
        // A common offset of keys gives each row a constant, which may dominate the variation along it.
        lift in prop_oneof![Just(0.0), 0.1..300.0_f32],
        shift in -1e3..1e3_f64,
        seed: u64,
    ) {
        let grid = Grid { height, width };
        let rng = &mut Rng::with_seed(seed);
        let mut factor = || random(rng, grid.cells(), r);
        let a = LowRank::product(factor(), factor() + lift, shift);
        let slow = dense(&a);
        let found = fits(&Scores::Product(a, Some(grid)));
        let found = found.softmax_r2().expect("of a product");
        let whole = reference::without_row_means(&slow, false);
        let causal = reference::without_row_means(&slow, true);
        same_share(found.all, reference::toeplitz_r2(&whole), "all")?;
        same_share(found.causal, reference::causal_toeplitz_r2(&causal), "causal")?;
        same_share(found.on_grid.expect("a grid"), reference::grid_r2(&whole, width), "on a grid")?;
    }

    #[test]
    fn where_nothing_varies_there_is_no_r2(
        n in 1..40_usize,
        value in -1e3..1e3_f32,
        exponent in -90..90_i32,
        noise: u64,
    ) {
        let value = (f64::from(value) * f64::from(exponent).exp2()) as f32;
        let none = OffsetR2::new(Err(NoR2::NothingVaries), Err(NoR2::NothingVaries));
        let is_none = |r2: OffsetR2| {
            (r2.all.is_nan(), r2.off_diagonal.is_nan(), r2.missing_reason) == (true, true, none.missing_reason)
        };
        let row = random(&mut Rng::with_seed(noise), 1, 6) * value;
        let rows = row.broadcast((n, 6)).expect("one row").to_owned();
        // Parallel rows have one cosine.
        let lengths = random(&mut Rng::with_seed(noise), n, 1).mapv(|v| v.abs() + 0.1);
        let one_way = &rows * &lengths;
        for table in [Array2::from_elem((n, 3), value), rows] {
            for similarity in [Similarity::InnerProduct, Similarity::Cosine] {
                let scores = Scores::from_table(table.clone(), Some(Grid::line(n)), similarity);
                let found = fits(&scores);
                prop_assert!(is_none(found.r2()), "{:?} {similarity:?}", found.r2());
                prop_assert!(is_none(found.grid_r2().expect("a grid")));
                prop_assert!(found.causal_r2().is_nan());
                prop_assert!(is_none(scores.r2_of(0..n)));
                let seen = found.softmax_r2().expect("of a product");
                prop_assert!(seen.all.is_nan() && seen.causal.is_nan());
            }
        }
        let cosines = Scores::from_table(one_way, None, Similarity::Cosine);
        prop_assert!(is_none(fits(&cosines).r2()), "{:?}", fits(&cosines).r2());
        let f = Toeplitz::new(Profile::from_fn(n, |_| value.into()));
        let found = fits(&Scores::Toeplitz(f));
        prop_assert!(is_none(found.r2()) && found.causal_r2().is_nan() && found.fit.r2.is_nan());
        let grid = Grid { height: n, width: 3 };
        let on_grid = Scores::Grid(GridToeplitz::from_fn(grid, |_, _| value.into()));
        let found = fits(&on_grid);
        prop_assert!(is_none(found.r2()) && is_none(found.grid_r2().expect("a grid")));
        prop_assert!(is_none(on_grid.r2_of(1..3 * n)) && found.causal_r2().is_nan());
    }
}

#[test]
fn off_the_diagonal_nothing_varies_in_tables_of_orthogonal_rows() {
    // Few positions, and a constant off the diagonal.
    for n in [2, 3, 40, 200] {
        for lift in [0.0, 0.1, 3.0] {
            let table = Array2::<f32>::eye(n) + lift;
            let found = fits(&Scores::from_table(table, None, Similarity::InnerProduct));
            let r2 = found.r2();
            assert!((r2.all - 1.0).abs() < 1e-5, "{n} {lift}: {r2:?}");
            assert!(r2.off_diagonal.is_nan());
            assert_eq!(r2.missing_reason, Some(NoR2::NothingVaries), "{n} {lift}");
        }
    }
}

#[test]
fn digits_that_are_enough_are_used_where_cells_are_too_many() {
    // The cells off the diagonal have a few percent of the squares, and are too many to form one by one.
    let mut rng = Rng::with_seed(5);
    let mut long = random(&mut rng, 21_000, 24);
    let length = (8.0 * 21_000.0_f32).sqrt();
    long.row_mut(0).mapv_inplace(|value| length * value);
    let r2 = fits(&Scores::from_table(long, None, Similarity::InnerProduct)).r2();
    assert_eq!(r2.missing_reason, None);
    assert!((0.0..0.05).contains(&r2.off_diagonal), "{r2:?}");
}

#[test]
fn lost_digits_are_said_to_be_lost() {
    // A dominant diagonal, in a matrix too large to form its cells.
    let mut rng = Rng::with_seed(4);
    let mut long = random(&mut rng, 70_000, 2);
    long[[5, 0]] = 1e9;
    let r2 = fits(&Scores::from_table(long, None, Similarity::InnerProduct)).r2();
    assert_eq!(r2.missing_reason, Some(NoR2::DigitsLost));
    let words = both_r2(r2);
    assert!(words.contains("none without k = 0, because"), "{words}");
}

/// A file of 64-bit floats that holds the table.
fn f64_file(numbers: &Array2<f64>) -> Vec<u8> {
    let tensor = Stored {
        dtype: Dtype::F64,
        shape: numbers.shape().to_vec(),
        bytes: numbers.iter().flat_map(|v| v.to_le_bytes()).collect(),
    };
    let name = "embeddings.position_embeddings.weight".to_owned();
    write(&[(name, tensor)].into_iter().collect())
}

#[test]
fn numbers_of_any_size_in_64_bits_have_the_r2_of_the_same_table_near_one() {
    let mut rng = Rng::with_seed(8);
    let plain = random(&mut rng, 40, 12).mapv(f64::from);
    let of = |exponent: i32| {
        let scaled =
            plain.mapv(|v| v * 2.0_f64.powi(exponent / 2) * 2.0_f64.powi(exponent - exponent / 2));
        let (_, model) =
            open_model(f64_file(&scaled), None, &ModelOptions::default()).expect("a table");
        let r2 = [Similarity::InnerProduct, Similarity::Cosine].map(|similarity| {
            let found = fits(&model.positions.scores(similarity).expect("a table"));
            [found.r2().all, found.r2().off_diagonal, found.causal_r2()]
        });
        let scaled_note = note(&model, "Numbers scaled").map(str::to_owned);
        (r2.as_flattened().to_vec(), scaled_note, model)
    };
    let (ordinary, none, _) = of(0);
    assert_eq!(none, None);
    for exponent in [
        -1060, -1000, -332, -200, -140, -120, 90, 128, 200, 332, 1000,
    ] {
        let (r2, scaled, model) = of(exponent);
        for (found, expected) in r2.iter().zip(&ordinary) {
            let near = if exponent < -1022 { 1e-2 } else { 1e-5 };
            assert!(
                (found - expected).abs() < near,
                "2^{exponent}: {found} {expected}"
            );
        }
        assert_eq!(model.table().expect("a table").nrows(), 40, "2^{exponent}");
        let is_outside = !(-100..=120).contains(&exponent);
        assert_eq!(scaled.is_some(), is_outside, "2^{exponent}");
        if let Some(words) = scaled {
            assert_is_sentence(&words);
            assert!(words.contains("divided by 2^"), "{words}");
        }
        assert_eq!(note(&model, "Rows left out"), None);
    }
    // The greatest float can be scaled by a power of two, too.
    let mut greatest = plain.clone();
    greatest[[3, 3]] = f64::MAX;
    let (_, model) =
        open_model(f64_file(&greatest), None, &ModelOptions::default()).expect("a table");
    assert!(note(&model, "Numbers scaled").is_some_and(|words| words.contains("2^1023")));
    let table = model.table().expect("a table");
    assert!(
        table.iter().any(|number| (number - 2.0).abs() < 1e-6),
        "{table}"
    );
    // Zeros need no scaling, and infinity has no scale.
    let zeros = Array2::zeros((8, 3));
    let (_, model) = open_model(f64_file(&zeros), None, &ModelOptions::default()).expect("zeros");
    assert_eq!(note(&model, "Numbers scaled"), None);
    let mut broken = plain;
    broken[[3, 3]] = f64::INFINITY;
    broken *= 1e200;
    assert!(open_model(f64_file(&broken), None, &ModelOptions::default()).is_err());
}

#[test]
fn a_table_in_which_nothing_varies_says_so_wherever_r2_stands() {
    let name = "embeddings.position_embeddings.weight".to_owned();
    let constant = f32s(&[48, 8], |_| 0.3);
    let bytes = write(&[(name, constant)].into_iter().collect());
    let session = MemorySession::default();
    let file = ("constant.safetensors".to_owned(), MemorySource::new(bytes));
    open(&session, vec![file], ModelOptions::default()).expect("a table");
    let found = summary(&session, Similarity::InnerProduct);
    let why = NoR2::NothingVaries.to_string();
    let bars: ShareChart = score_bars(&found);
    assert!(headline_words(found.scopes.first()).contains(&why));
    assert!(bars.summary().contains(&why), "{}", bars.summary());
    assert!(both_r2(found.scopes[0].r2).contains(&why));
    let written = bars.table().csv();
    let mut lines = written.lines();
    assert!(
        lines
            .next()
            .is_some_and(|names| names.ends_with(",r2_missing"))
    );
    assert_eq!(lines.clone().count(), found.scopes.len());
    assert!(
        lines.all(|line| line.ends_with(",nothing varies")),
        "{written}"
    );
    // A table with an R² has no such column.
    let session = MemorySession::default();
    open(&session, folder("bert"), ModelOptions::default()).expect("bert");
    let bars = score_bars(&summary(&session, Similarity::InnerProduct));
    assert!(!bars.table().csv().contains("r2_missing"));
}
