//! Slopes of ALiBi, against the paper and its released code.

use super::assert_near;
use diagonal::encoding::{Alibi, slopes};

#[test]
fn alibi_slopes_are_the_papers() {
    // Section 3: 1/2 … 1/256 for 8 heads; for 16 heads also the geometric means between them.
    let eight: Vec<f64> = (1..=8).map(|h| 0.5_f64.powi(h)).collect();
    assert_eq!(slopes(8), eight);
    let sixteen = slopes(16);
    assert!((sixteen[0] - 0.5_f64.sqrt()).abs() < 1e-15 && sixteen[15] == 0.5_f64.powi(8));
    assert_eq!(slopes(1), [0.5_f64.powi(8)]);
    assert_eq!(slopes(0), [0.0; 0]);
    // The released code for 12 heads (GPT-2 small): the eight, then four of the sixteen.
    let four = [-0.5, -1.5, -2.5, -3.5].map(f64::exp2);
    assert_near(&slopes(12), &[&eight[..], &four].concat(), 1e-15);
    let profile = Alibi { heads: 8, head: 2 }.profile(4);
    assert_eq!(profile, [-0.375, -0.25, -0.125, 0.0, -0.125, -0.25, -0.375]);
}

/// The released code's recursion: start and ratio are 2^(−2^−(log₂H − 3)).
fn slopes_as_released(heads: usize) -> Vec<f64> {
    let log = (heads as f64).log2();
    if log.fract() == 0.0 {
        let start = 2_f64.powf(-2_f64.powf(-(log - 3.0)));
        return (0..heads as i32).map(|h| start * start.powi(h)).collect();
    }
    let closest = 2_usize.pow(log.floor() as u32);
    let mut all = slopes_as_released(closest);
    let next = slopes_as_released(2 * closest);
    all.extend(next.into_iter().step_by(2).take(heads - closest));
    all
}

#[test]
fn alibi_slopes_are_those_of_the_released_code() {
    for heads in 1..=128 {
        assert_near(&slopes(heads), &slopes_as_released(heads), 1e-12);
        for head in [0, heads / 2, heads - 1, heads + 7] {
            let slope = Alibi { heads, head }.slope();
            assert_eq!(slope, slopes(heads)[head.min(heads - 1)]);
        }
    }
}
