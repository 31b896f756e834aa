//! Decimal numbers parse as in the standard library, to the last bit.

use diagonal::{figure::ordinal, url_state::finite_number};
use proptest::prelude::*;

/// Bits of the number that the standard library parses, if finite.
fn expected(text: &str) -> Option<u64> {
    let number: f64 = text.trim().parse().ok()?;
    number.is_finite().then(|| number.to_bits())
}

fn check(text: &str) {
    let read = finite_number(text).map(f64::to_bits);
    assert_eq!(read, expected(text), "{text:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1000, ..ProptestConfig::default() })]

    /// Every `f64`, in the three ways to write it.
    #[test]
    fn what_is_written_is_read(bits: u64) {
        let number = f64::from_bits(bits);
        check(&format!("{number}"));
        check(&format!("{number:e}"));
        check(&format!("{number:.3}"));
    }

    /// Numbers as people type them; most are not exactly representable.
    #[test]
    fn what_is_typed_is_read(text in "[+-]?[0-9]{0,20}\\.?[0-9]{0,25}([eE][+-]?[0-9]{1,3})?") {
        check(&text);
    }

    /// Other text is rejected.
    #[test]
    fn what_is_no_number_is_none(text in "[0-9eE.+ a-]{0,8}") {
        check(&text);
    }

    /// Exactly between two numbers, and next to it on either side.
    #[test]
    fn the_nearest_one_is_found(whole in (1_u64 << 53)..(1 << 62), after in "(|\\.0{0,30}1|\\.9{1,30})") {
        check(&format!("{}{after}", whole | 1));
        check(&format!("{}{after}", whole | 0x1ff));
    }
}

#[test]
fn the_edges_are_read() {
    for text in [
        "0",
        "-0",
        "00.10",
        ".5",
        "5.",
        " 7 ",
        "1e5",
        "1E+5",
        "1e-5",
        "0e999999999999",
        // The greatest number, half a step beyond it, and slightly less than that.
        "1.7976931348623157e308",
        "1.797693134862315808e308",
        "1.797693134862315807e308",
        // Subnormal numbers, and their end.
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "5e-324",
        "2.4703282292062328e-324",
        "2.4703282292062327e-324",
        "1e-99999999999",
        "1e99999999999",
        "",
        ".",
        "-",
        "+-1",
        "--1",
        "1e",
        "1e+",
        "e5",
        "1.2.3",
        "0x10",
        "1_000",
        "1,5",
        "inf",
        "-Infinity",
        "NaN",
        "∞",
        "１",
    ] {
        check(text);
    }
}

#[test]
fn no_text_takes_long() {
    assert_eq!(finite_number(&"9".repeat(1_000_000)), None);
    assert_eq!(finite_number(&format!("1e{}", "9".repeat(1_000_000))), None);
    assert_eq!(
        finite_number(&format!("{}e-1000", "9".repeat(400))),
        Some(0.0)
    );
    assert_eq!(
        finite_number(&format!("{}e-400", "9".repeat(400))),
        Some(1.0)
    );
}

#[test]
fn ordinals_have_their_endings() {
    let numbers = [
        1, 2, 3, 4, 10, 11, 12, 13, 21, 22, 23, 101, 111, 112, 113, 197, 1002,
    ];
    let expected = [
        "1st", "2nd", "3rd", "4th", "10th", "11th", "12th", "13th", "21st", "22nd", "23rd",
        "101st", "111th", "112th", "113th", "197th", "1002nd",
    ];
    assert_eq!(numbers.map(ordinal), expected.map(str::to_owned));
}
