//! KERPLE against its formulas and against ALiBi.

use super::{assert_near, by_offset};
use crate::math::laws::config;
use diagonal::encoding::{Alibi, Kerple, KerpleForm};
use proptest::prelude::*;

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn kerple_is_its_formulas(n in 1..300_usize, r1 in 0.001..100.0_f64, r2 in 0.001..2.0_f64) {
        let of = |form| Kerple { form, r1, r2 }.profile(n);
        let logarithm = by_offset(n, |k| -r1 * (1.0 + r2 * k.abs() as f64).ln());
        assert_near(&of(KerpleForm::Logarithm), &logarithm, 1e-11 * r1);
        let power = by_offset(n, |k| -r1 * ((k.abs() as f64).ln() * r2).exp());
        assert_near(&of(KerpleForm::Power), &power, 1e-11 * r1 * (n as f64).powf(r2));
        // No key is preferred to the query's own place, and none to a nearer one.
        for form in [KerpleForm::Logarithm, KerpleForm::Power] {
            let kerple = Kerple { form, r1, r2 };
            prop_assert_eq!(kerple.at(0), 0.0);
            prop_assert!((0..n as i64).all(|k| kerple.at(k + 1) < kerple.at(k) && kerple.at(-k) == kerple.at(k)));
        }
    }

    /// Sums of a conditionally positive definite kernel over weights that add up to nothing are not negative.
    #[test]
    fn both_forms_are_conditionally_positive_definite(
        weights in proptest::collection::vec(-1.0..1.0_f64, 2..24),
        r2 in 0.01..2.0_f64,
    ) {
        let mean = weights.iter().sum::<f64>() / weights.len() as f64;
        for form in [KerpleForm::Logarithm, KerpleForm::Power] {
            let kerple = Kerple { form, r1: 1.0, r2 };
            let mut sum = 0.0;
            for (i, one) in weights.iter().enumerate() {
                for (j, other) in weights.iter().enumerate() {
                    sum += (one - mean) * (other - mean) * kerple.at(j as i64 - i as i64);
                }
            }
            prop_assert!(sum >= -1e-9, "{form:?}: {sum}");
        }
    }
}

#[test]
fn a_power_of_one_is_alibi() {
    let alibi = Alibi { heads: 8, head: 2 };
    let kerple = Kerple {
        form: KerpleForm::Power,
        r1: alibi.slope(),
        r2: 1.0,
    };
    assert_eq!(kerple.profile(40), alibi.profile(40));
    // A power above two is no kernel any more; the greatest stands for it.
    let kerple = |r2| Kerple {
        form: KerpleForm::Power,
        r1: 1.0,
        r2,
    };
    assert_eq!(kerple(9.0).at(3), -9.0);
    assert_eq!(kerple(9.0).at(3), kerple(2.0).at(3));
}
