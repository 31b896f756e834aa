//! Theorems 1 and 2 of Yamamoto & Matsuzaki 2023 hold for planted waves, and Theorem 1 fails without its assumption.

use crate::{math::laws::config, support::oracles::random};
use diagonal::{
    analysis::planted_waves::{MOST_WAVES, PlantedWaves, WaveBasis, WaveTurn},
    figure::{Figure, peak_words, planted_attention, planted_waves, shift_words},
    math::reference,
};
use fastrand::Rng;
use ndarray::Array2;
use proptest::{collection::btree_set, prelude::*};
use std::f64::consts::TAU;

/// Distinct frequencies that the positions can carry.
fn waves(turn: impl Strategy<Value = WaveTurn>) -> impl Strategy<Value = PlantedWaves> {
    let basis = prop_oneof![
        Just(WaveBasis::Own),
        (1..1000_u64).prop_map(WaveBasis::Random)
    ];
    let sizes = (48..=128_usize, turn, basis);
    sizes.prop_flat_map(|(length, turn, basis)| {
        let frequencies = btree_set(1..=length / 2, 1..=MOST_WAVES);
        frequencies.prop_map(move |frequencies| PlantedWaves {
            frequencies: frequencies.into_iter().collect(),
            length,
            turn,
            basis,
        })
    })
}

fn whole_shifts() -> impl Strategy<Value = WaveTurn> {
    (-16..=16_i32).prop_map(|shift| WaveTurn::OneShift(f64::from(shift)))
}

/// Greatest difference of a row of the queries from the row of the keys `shift` positions later, modulo T.
fn difference([queries, keys]: &[Array2<f64>; 2], shift: i64) -> f64 {
    let length = queries.nrows() as i64;
    let rows = (0..length).map(|t| {
        let other = (t + shift).rem_euclid(length) as usize;
        let row = &queries.row(t as usize) - &keys.row(other);
        row.iter().fold(0.0_f64, |most, v| most.max(v.abs()))
    });
    rows.fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(config(100))]

    /// Theorem 1: equation 25 follows from equation 24 if θ_i/f_i is constant.
    #[test]
    fn one_shift_moves_all_waves(waves in waves(whole_shifts())) {
        let WaveTurn::OneShift(shift) = waves.turn else { unreachable!() };
        prop_assert!(difference(&waves.queries_and_keys(), shift as i64) < 1e-9);
        let error = waves.shift_error().expect("a whole shift");
        prop_assert!(error < 1e-9, "{}", error);
        for found in waves.shifts() {
            prop_assert!((found - shift).abs() < 1e-9);
        }
        // The waves agree there, so that the score is greatest.
        let peak = waves.peak();
        prop_assert!((peak.score - waves.frequencies.len() as f64).abs() < 1e-9);
        let length = waves.length as i64;
        prop_assert!(peak.offsets.iter().any(|k| (k - shift as i64).rem_euclid(length) == 0));
    }

    /// Theorem 2: the shift is there in any basis, also in one with fewer columns.
    #[test]
    fn one_shift_is_there_in_any_basis(waves in waves(whole_shifts()), columns in 1..20_usize, seed: u64) {
        let WaveTurn::OneShift(shift) = waves.turn else { unreachable!() };
        let width = 2 * waves.frequencies.len();
        let basis = random(&mut Rng::with_seed(seed), width, columns.min(width)).mapv(f64::from);
        prop_assert!(difference(&waves.in_basis(&basis), shift as i64) < 1e-9);
    }

    /// Without the second assumption no single shift fits waves of two frequencies.
    #[test]
    fn one_angle_moves_every_wave_by_another_shift(
        waves in waves((0.2..2.9_f64).prop_map(WaveTurn::OneAngle)),
    ) {
        prop_assume!(waves.frequencies.len() > 1);
        let WaveTurn::OneAngle(angle) = waves.turn else { unreachable!() };
        prop_assert_eq!(waves.shift_error(), None);
        let shifts = waves.shifts();
        for (shift, &f) in shifts.iter().zip(&waves.frequencies) {
            prop_assert!((shift - waves.length as f64 * angle / (TAU * f as f64)).abs() < 1e-9);
        }
        // Slow waves are moved farther.
        prop_assert!(shifts.windows(2).all(|pair| pair[0] > pair[1]));
        // In the basis of the waves each pair of columns is moved by its own shift.
        let own = PlantedWaves { basis: WaveBasis::Own, ..waves.clone() };
        let [_, keys] = own.queries_and_keys();
        for (wave, (shift, &f)) in shifts.iter().zip(&waves.frequencies).enumerate() {
            for t in 0..waves.length {
                let expected = (TAU * f as f64 * (t as f64 - shift) / waves.length as f64).cos();
                prop_assert!((keys[[t, 2 * wave]] - expected).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn attention_is_the_softmax_of_scores_by_offset(
        waves in waves(prop_oneof![
            (-16.0..16.0).prop_map(WaveTurn::OneShift),
            (-3.1..3.1).prop_map(WaveTurn::OneAngle),
        ]),
        sharpness in 0.0..8.0_f64,
    ) {
        let n = waves.length;
        // The basis is orthogonal, so the scores do not depend on it.
        let scores = Array2::from_shape_fn((n, n), |(i, j)| sharpness * waves.score(j as i64 - i as i64));
        let expected = reference::softmax(&scores, false);
        let found = waves.attention(sharpness);
        for (found, expected) in found.iter().zip(&expected) {
            prop_assert!((found - expected).abs() < 1e-9);
        }
        let peak = waves.peak();
        let most = (0..n as i64).map(|k| waves.score(k)).fold(f64::NEG_INFINITY, f64::max);
        prop_assert!((peak.score - most).abs() < 1e-9);
        let half = n as i64 / 2;
        prop_assert!(peak.offsets.iter().all(|k| (half + 1 - n as i64..=half).contains(k)));
        let words = [peak_words(&waves, sharpness), shift_words(&waves)];
        prop_assert!(words.iter().all(|words| words.ends_with('.')));
    }
}

/// The waves of the page's first sight.
fn usual(turn: WaveTurn) -> PlantedWaves {
    PlantedWaves {
        frequencies: vec![3, 5, 8, 13],
        length: 64,
        turn,
        basis: WaveBasis::Own,
    }
}

/// By NumPy: the greatest score is 4 at offset 3 with one shift, and 3.1567 at offset 26 with one angle of 90°.
#[test]
fn one_angle_makes_the_diagonal_fall_apart() {
    let together = usual(WaveTurn::OneShift(3.0));
    assert_eq!(together.peak().offsets, [3]);
    assert!(
        peak_words(&together, 2.0).contains(
            "at offset 3. The score there is 4.00 of at most 4, and the weight is 0.532."
        ),
        "{}",
        peak_words(&together, 2.0)
    );
    let apart = usual(WaveTurn::OneAngle(TAU / 4.0));
    let peak = apart.peak();
    assert_eq!(peak.offsets, [26]);
    assert!((peak.score - 3.156_660_882_8).abs() < 1e-9);
    assert!(peak_words(&apart, 2.0).contains("weight is 0.354"));
    let words = shift_words(&apart);
    assert!(
        words.contains("the shifts are 5.33, 3.20, 2.00, 1.23 positions"),
        "{words}"
    );
}

#[test]
fn waves_with_a_common_period_attend_to_several_keys() {
    let waves = PlantedWaves {
        frequencies: vec![8],
        ..usual(WaveTurn::OneShift(2.0))
    };
    let peak = waves.peak();
    assert_eq!(peak.offsets.len(), 8);
    assert_eq!(peak.offsets[..3], [2, -6, 10]);
    let words = peak_words(&waves, 1.0);
    assert!(
        words.contains("to 8 keys, at offsets 2, −6, 10, −14, …."),
        "{words}"
    );
    // Between two keys.
    let between = usual(WaveTurn::OneShift(2.5));
    assert_eq!(between.peak().offsets, [2, 3]);
    assert_eq!(between.shift_error(), None);
}

#[test]
fn fast_waves_need_enough_positions() {
    let mut waves = usual(WaveTurn::OneShift(0.0));
    assert_eq!(waves.check(), Ok(()));
    waves.frequencies.push(33);
    let sentence = waves.check().expect_err("too fast");
    assert!(
        sentence.contains("33 periods needs at least 66"),
        "{sentence}"
    );
    waves.frequencies.clear();
    assert!(waves.check().is_err());
}

#[test]
fn figures_hold_the_columns_and_the_attention() {
    for basis in [WaveBasis::Own, WaveBasis::Random(4)] {
        let waves = PlantedWaves {
            basis,
            ..usual(WaveTurn::OneShift(-2.0))
        };
        let [queries, keys] = waves.queries_and_keys();
        let csv = planted_waves(&waves).table().csv();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines[0], "position,column,query,key");
        assert_eq!(lines.len(), 1 + 4 * 64);
        let row = format!("1,3,{},{}", queries[[1, 2]], keys[[1, 2]]);
        assert_eq!(lines[1 + 64 + 1], row);
        let csv = planted_attention(&waves, 2.0, diagonal::figure::ColorMap::Viridis)
            .table()
            .csv();
        assert_eq!(csv.lines().count(), 65);
        assert!(csv.starts_with("0,1,2,"));
    }
}
