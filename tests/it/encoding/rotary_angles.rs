//! Laws of rotary angles that are changed for longer texts.

use diagonal::encoding::{ContextExtension, LongRope, RotaryAngles, Yarn};
use proptest::prelude::*;

use crate::math::laws::config;

fn angles(pairs: usize, base: f64, extension: ContextExtension) -> RotaryAngles {
    RotaryAngles {
        extension,
        ..RotaryAngles::new(2 * pairs, base)
    }
}

fn yarn(factor: f64, trained_length: f64, is_truncated: bool) -> ContextExtension {
    ContextExtension::Yarn(Yarn {
        factor,
        trained_length,
        fast_turns: 32.0,
        slow_turns: 1.0,
        is_truncated,
        attention_factor: 1.0,
    })
}

fn llama3(factor: f64, trained_length: f64) -> ContextExtension {
    ContextExtension::Llama3 {
        factor,
        low_turns: 1.0,
        high_turns: 4.0,
        trained_length,
    }
}

proptest! {
    #![proptest_config(config(64))]

    /// Every change divides each angle by a number between 1 and the factor, slow ones by no less than fast ones.
    #[test]
    fn slow_pairs_are_divided_most(
        pairs in 2..80_usize, base in 100.0..1e7, factor in 1.0..64.0,
        trained_length in 64.0..1e5, length in 1..200_000_usize, is_truncated: bool,
    ) {
        let plain = angles(pairs, base, ContextExtension::None).frequencies(length);
        for extension in [
            ContextExtension::Linear { factor },
            ContextExtension::Ntk { factor },
            yarn(factor, trained_length, is_truncated),
            llama3(factor, trained_length),
        ] {
            let changed = angles(pairs, base, extension.clone()).frequencies(length);
            let divisors: Vec<f64> = plain.iter().zip(&changed).map(|(a, b)| a / b).collect();
            for pair in divisors.windows(2) {
                prop_assert!(pair[0] <= pair[1] * (1.0 + 1e-9), "{extension:?}: {divisors:?}");
            }
            let is_within = |divisor: &f64| (1.0 - 1e-9..=factor * (1.0 + 1e-9)).contains(divisor);
            prop_assert!(divisors.iter().all(is_within), "{extension:?}: {divisors:?}");
        }
    }

    /// Up to the length of training nothing changes; a text s times as long has NTK's base of factor s² − s + 1.
    #[test]
    fn dynamic_angles_grow_with_the_text(
        pairs in 2..80_usize, base in 100.0..1e7, factor in 1.0..16.0, trained in 2..5000_usize,
    ) {
        let plain = angles(pairs, base, ContextExtension::None);
        let trained_length = trained as f64;
        let dynamic = angles(pairs, base, ContextExtension::Dynamic { factor, trained_length });
        prop_assert_eq!(dynamic.frequencies(trained), plain.frequencies(trained));
        let length = (trained_length * factor) as usize;
        let stretch = factor * length as f64 / trained_length - (factor - 1.0);
        let ntk = angles(pairs, base, ContextExtension::Ntk { factor: stretch.max(1.0) });
        let both = dynamic.frequencies(length.max(trained)).into_iter().zip(ntk.frequencies(1));
        for (found, expected) in both {
            prop_assert!((found - expected).abs() <= 1e-9 * expected);
        }
    }
}

#[test]
fn a_list_of_divisors_may_be_shorter_than_the_pairs() {
    let list = LongRope {
        short_divisors: vec![1.0],
        long_divisors: vec![2.0],
        trained_length: 10.0,
        attention_factor: 1.0,
    };
    let changed = angles(3, 1e4, ContextExtension::LongRope(list)).frequencies(11);
    let plain = angles(3, 1e4, ContextExtension::None).frequencies(11);
    assert_eq!(changed, [plain[0] / 2.0, plain[1], plain[2]]);
}

#[test]
fn a_table_has_the_sines_and_cosines_of_its_angles() {
    let positions = angles(3, 100.0, yarn(4.0, 50.0, true)).positions(20);
    let table = positions.table();
    assert_eq!(table.dim(), (20, 6));
    for (i, row) in table.rows().into_iter().enumerate() {
        for (m, frequency) in positions.frequencies.iter().enumerate() {
            let (sine, cosine) = (i as f64 * frequency).sin_cos();
            assert_eq!((row[2 * m], row[2 * m + 1]), (sine as f32, cosine as f32));
        }
    }
}
