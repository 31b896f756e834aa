//! Schemes of waves: sinusoidal, Transformer-XL and rotary.

use super::{assert_near, by_offset};
use crate::math::laws::config;
use diagonal::{
    encoding::{ContextExtension, Rotary, Sinusoidal, TransformerXl},
    math::wave_sums,
};
use proptest::{collection::vec, prelude::*};
use std::f64::consts::TAU;

/// R_{i−j}·w, row by row.
fn transformer_xl_slowly(form: &TransformerXl) -> Vec<f64> {
    let Sinusoidal { rows, width, base } = form.sinusoid;
    let weights = form.weights();
    by_offset(rows, |k| {
        (0..width)
            .map(|column| {
                let frequency = base.powf(-((column / 2 * 2) as f64) / width as f64);
                let angle = -k as f64 * frequency;
                weights[column]
                    * if column % 2 == 0 {
                        angle.sin()
                    } else {
                        angle.cos()
                    }
            })
            .sum()
    })
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn waves_sum_as_their_cosines_do(
        waves in vec((0.0..3.2_f64, -2.0..2.0_f64), 0..20),
        n in 0..700_usize,
    ) {
        let (frequencies, amplitudes): (Vec<f64>, Vec<f64>) = waves.iter().copied().unzip();
        let sums = wave_sums(&frequencies, &amplitudes, n);
        prop_assert_eq!(sums.len(), n);
        for (k, (re, im)) in sums.into_iter().enumerate() {
            let slow = |part: fn(f64) -> f64| -> f64 {
                waves.iter().map(|(w, a)| a * part(k as f64 * w)).sum()
            };
            prop_assert!((re - slow(f64::cos)).abs() < 1e-11 && (im - slow(f64::sin)).abs() < 1e-11);
        }
    }

    #[test]
    fn a_sinusoid_by_turns_is_its_closed_form(
        rows in 1..300_usize,
        pairs in 1..40_usize,
        base in 1.001..1e6_f64,
    ) {
        let table = Sinusoidal { rows, width: 2 * pairs, base };
        let closed = table.inner_products(false).expect("an even width");
        assert_near(&table.profile(), closed.profile(), 1e-11 * pairs as f64);
        assert_near(&table.profile(), &by_offset(rows, |k| table.inner_product(k)), 1e-11 * pairs as f64);
    }

    #[test]
    fn transformer_xl_is_its_rows_met_by_a_vector(
        rows in 1..90_usize,
        pairs in 1..20_usize,
        seed: u64,
    ) {
        let sinusoid = Sinusoidal { rows, width: 2 * pairs, base: 10_000.0 };
        let form = TransformerXl { sinusoid, seed };
        prop_assert_eq!(form.weights().len(), 2 * pairs);
        assert_near(&form.profile(), &transformer_xl_slowly(&form), 1e-11 * pairs as f64);
    }

    #[test]
    fn rotary_scaling_keeps_its_promises(
        pairs in 2..80_usize,
        base in 10.0..1e6_f64,
        factor in 1.0..64.0_f64,
    ) {
        let rotary = Rotary { rows: 200, width: 2 * pairs, base };
        let frequencies = |extension| rotary.angles(2 * pairs, extension).frequencies(200);
        let plain = frequencies(ContextExtension::None);
        // Position interpolation: the score at k is the trained one at k/s.
        let linear = frequencies(ContextExtension::Linear { factor });
        let ntk = frequencies(ContextExtension::Ntk { factor });
        for (m, w) in plain.iter().enumerate() {
            prop_assert!((linear[m] * factor - w).abs() <= 1e-12 * w);
            let stretch = w / ntk[m];
            prop_assert!((1.0 - 1e-12..=factor * (1.0 + 1e-12)).contains(&stretch));
            // Powers of s in between.
            let expected = factor.powf(m as f64 / (pairs as f64 - 1.0));
            prop_assert!((stretch - expected).abs() < 1e-9 * expected, "{stretch} {expected}");
        }
        prop_assert_eq!(ntk[0], plain[0]);
        let last = pairs - 1;
        prop_assert!((plain[last] / ntk[last] - factor).abs() < 1e-9 * factor);
    }

    #[test]
    fn rotary_profiles_are_means_over_pairs(
        pairs in 1..60_usize,
        still in 0..20_usize,
        base in 10.0..1e6_f64,
        factor in 1.0..64.0_f64,
        trained_length in 16.0..4096.0_f64,
    ) {
        let rotary = Rotary { rows: 200, width: 2 * (pairs + still), base };
        for extension in [
            ContextExtension::None,
            ContextExtension::Linear { factor },
            ContextExtension::Ntk { factor },
            ContextExtension::yarn(factor, trained_length),
            ContextExtension::llama3(factor, trained_length),
        ] {
            let is_yarn = matches!(extension, ContextExtension::Yarn(_));
            // YaRN's attention factor 0.1·ln s + 1 is that of queries and that of keys; columns that are not rotated
            // have none.
            let gain = if is_yarn { (0.1 * factor.ln() + 1.0).powi(2) } else { 1.0 };
            let angles = rotary.angles(2 * pairs, extension);
            let frequencies = angles.frequencies(200);
            prop_assert_eq!(frequencies.len(), pairs);
            let made = rotary.profile(&angles);
            let share = 1.0 / (pairs + still) as f64;
            let sum = |k: f64, phase: f64| -> f64 {
                let turned: f64 = frequencies.iter().map(|w| (k * w + phase).cos()).sum();
                share * (gain * turned + still as f64 * phase.cos())
            };
            assert_near(&made.mean, &by_offset(200, |k| sum(k as f64, 0.0)), 1e-11);
            // The envelope is the greatest mean over a common phase.
            for (at, envelope) in made.envelope.iter().enumerate() {
                let k = at as f64 - 199.0;
                let phases = (0..24).map(|p| sum(k, TAU * f64::from(p) / 24.0));
                let most = phases.fold(f64::MIN, f64::max);
                prop_assert!(*envelope >= most - 1e-11 && *envelope >= made.mean[at].abs() - 1e-11);
                // 24 phases reach at least cos(π/24) of the greatest.
                prop_assert!(most >= envelope * (TAU / 48.0).cos() - 1e-11);
            }
            let at_zero = share * (gain * pairs as f64 + still as f64);
            prop_assert!((made.envelope[199] - at_zero).abs() < 1e-12 * at_zero);
        }
    }
}

#[test]
fn a_single_pair_is_turned_by_one_whatever_the_base() {
    let rotary = Rotary {
        rows: 8,
        width: 2,
        base: 10_000.0,
    };
    let frequencies = |extension| rotary.angles(2, extension).frequencies(8);
    let factor = 8.0;
    assert_eq!(frequencies(ContextExtension::Ntk { factor }), [1.0]);
    assert_eq!(frequencies(ContextExtension::Linear { factor }), [0.125]);
}

#[test]
fn more_rotated_columns_than_a_head_has_are_all_of_them() {
    let rotary = Rotary::default();
    for rotated in [64, 66, 1024] {
        let angles = rotary.angles(rotated, ContextExtension::None);
        assert_eq!((angles.pairs, angles.exponent_width), (32, 64));
    }
    // As in GPT-NeoX: the exponents run over the rotated columns.
    let angles = rotary.angles(16, ContextExtension::None);
    assert_eq!((angles.pairs, angles.exponent_width), (8, 16));
}
