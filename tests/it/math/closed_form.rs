//! The closed form of a sinusoidal table agrees with its numbers.

use super::laws::config;
use crate::support::questions::{FIRST, ask, with_computed};
use diagonal::{
    analysis::{Origin, PositionOverview, PositionSummary, Similarity, sinusoidal_summary},
    encoding::{Random, Sinusoidal},
    figure::{Figure, is_all_toeplitz, score_bars},
    math::LowRank,
};
use proptest::prelude::*;

fn close_to(a: f64, b: f64, size: f64) -> bool {
    // Without variance, both R² are NaN.
    (a - b).abs() <= 1e-3 * size || a.is_nan() && b.is_nan()
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn a_sinusoidal_table_is_its_closed_form(
        rows in 2..200_usize,
        pairs in 1..40_usize,
        base in prop_oneof![Just(10_000.0), 1.001..1e6_f64],
        cosine: bool,
    ) {
        let table = Sinusoidal { rows, width: 2 * pairs, base };
        let odd = Sinusoidal { width: 2 * pairs - 1, ..table };
        prop_assert_eq!(odd.inner_products(cosine), None);
        let product = if cosine { LowRank::cosine } else { LowRank::gram };
        let p = product(table.table());
        let closed = table.inner_products(cosine).expect("an even width");
        let room = if cosine { 1e-4 } else { 1e-4 * table.width as f64 };
        for (i, j) in (0..rows).flat_map(|i| (0..rows).map(move |j| (i, j))) {
            let f = closed.at(j as i64 - i as i64).expect("inside");
            prop_assert!((p.cell(i, j) - f).abs() < room);
        }

        let similarity = if cosine { Similarity::Cosine } else { Similarity::InnerProduct };
        let quick = sinusoidal_summary(&table, similarity).expect("an even width");
        let session = with_computed(Origin::Sinusoidal(table));
        let question = PositionOverview { of: FIRST, similarity };
        let PositionSummary { fit, scopes, tile, .. } = ask(&session, question).expect("positions");
        let size = quick.fit.f[rows - 1];
        prop_assert!(close_to(fit.r2, quick.fit.r2, 1.0) && close_to(fit.mean, quick.fit.mean, size));
        prop_assert!(fit.f.iter().zip(&quick.fit.f).all(|(a, b)| close_to(*a, *b, size)));
        prop_assert_eq!(scopes.len(), quick.scopes.len());
        for (a, b) in scopes.iter().zip(&quick.scopes) {
            prop_assert_eq!((&a.name, a.rows), (&b.name, b.rows));
            prop_assert!(close_to(a.r2.all, b.r2.all, 1.0), "{} {:?}", a.name, a.r2);
            prop_assert!(close_to(a.r2.off_diagonal, b.r2.off_diagonal, 1.0), "{} {:?}", a.name, a.r2);
            prop_assert_eq!(a.random, b.random);
        }
        prop_assert_eq!((&tile.window, tile.row_step), (&quick.tile.window, quick.tile.row_step));
        let values = tile.values.iter().zip(&quick.tile.values);
        prop_assert!(values.clone().count() == tile.values.len());
        for (&a, &b) in values {
            prop_assert!(close_to(a.into(), b.into(), size));
        }
    }
}

/// If every part is Toeplitz by construction, one bar suffices; the table still has all numbers.
#[test]
fn bars_that_all_read_one_are_one() {
    let similarity = Similarity::InnerProduct;
    let overview = |origin| {
        let session = with_computed(origin);
        ask(
            &session,
            PositionOverview {
                of: FIRST,
                similarity,
            },
        )
        .expect("positions")
    };
    let table = Sinusoidal::default();
    let closed = sinusoidal_summary(&table, similarity).expect("an even width");
    for summary in [&closed, &overview(Origin::Sinusoidal(table))] {
        let bars = score_bars(summary);
        assert!(is_all_toeplitz(summary) && bars.rows.len() == 1);
        assert_eq!(bars.table().rows(), summary.scopes.len());
        assert_eq!(summary.scopes.len(), 9);
    }
    let random = overview(Origin::Random(Random::default()));
    assert!(!is_all_toeplitz(&random));
    assert_eq!(score_bars(&random).rows.len(), random.scopes.len());
    // A sine without its cosine.
    let odd = overview(Origin::Sinusoidal(Sinusoidal { width: 3, ..table }));
    assert!(!is_all_toeplitz(&odd));
    assert_eq!(score_bars(&odd).rows.len(), odd.scopes.len());
}
