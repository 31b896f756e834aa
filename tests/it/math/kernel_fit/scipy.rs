//! Least squares is no worse than scipy, and as it was.

use super::{LEAST_SQUARES, curve, head};
use crate::{
    analysis::golden_minilm::{golden, open},
    support::questions::{FIRST, ask},
};
use diagonal::analysis::{HeadFits, ScoreInput, ScoreMode};

/// scipy's best of 24 starts, from the reference program.
#[test]
fn scipy_is_not_better() {
    let (session, _) = open();
    let golden = golden();
    for (number, one) in golden["layers"][0]
        .as_array()
        .expect("heads")
        .iter()
        .enumerate()
    {
        let fits = curve(&session, head(0, number), LEAST_SQUARES);
        assert_eq!(fits.len(), 8);
        for kernels in [1, 3, 5] {
            let scipy = one["tisa_fit_r2"][kernels.to_string()]
                .as_f64()
                .expect("R²");
            let found = fits[kernels - 1].r2;
            assert_eq!(fits[kernels - 1].kernels.0.len(), kernels);
            assert!(
                found >= scipy - 0.002,
                "head {}, {kernels} kernels: {found}, scipy {scipy}",
                number + 1
            );
        }
    }
}

#[test]
fn scipy_is_not_better_elsewhere() {
    let (session, _) = open();
    let golden = crate::model::model_golden::json("minilm-l6.scipy.json");
    for one in golden["fits"].as_array().expect("fits") {
        let number = |key: &str| one[key].as_u64().expect("a number") as usize;
        let id = head(number("layer"), number("head"));
        let fits = curve(&session, id, LEAST_SQUARES);
        let found = fits[number("kernels") - 1].r2;
        let scipy = one["r2"].as_f64().expect("R²");
        assert!(found >= scipy - 0.002, "{one}: {found}");
    }
}

/// Least squares gives the same fits as before other objectives existed.
#[test]
fn least_squares_is_what_it_was() {
    let (session, _) = open();
    let question = HeadFits {
        of: FIRST,
        input: ScoreInput::Positions(ScoreMode::Paper),
        layer: Some(3),
        options: LEAST_SQUARES,
    };
    let fits = ask(&session, question).expect("fits").fits;
    let before = [
        0.7214583671472762,
        0.9238973283391582,
        0.7702151320181156,
        0.9973350027344606,
        0.9921131594812647,
        0.9836331745297013,
        0.9891363634855342,
        0.9863515970409776,
        0.5861831850850717,
        0.761925205049651,
        0.9144133605765343,
        0.9943118918963936,
    ];
    // Scores have single precision. One fit, the sixth, depends on their last digit.
    for (fit, before) in fits.iter().zip(before) {
        assert!(
            (fit.r2 - before).abs() < 1e-7,
            "{}, before {before}",
            fit.r2
        );
        assert_eq!(fit.given_up, 0.0);
    }
    assert_eq!(fits.len(), before.len());
}
