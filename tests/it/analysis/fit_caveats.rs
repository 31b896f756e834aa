//! Caveats of fits with low R², and the deviation of attention from uniform.

use crate::math::laws::config;
use diagonal::{
    analysis::{KernelFit, Reading, fit_caveats},
    encoding::{Kernel, Kernels},
    math::{AttentionMask, Profile, deviation_from_uniform, reference},
};
use ndarray::Array2;
use proptest::{collection::vec, prelude::*};

/// A fit with high R², with readable kernels that prefer some offsets.
fn fit() -> KernelFit {
    KernelFit {
        layer: 0,
        head: 0,
        kernels: Kernels(vec![Kernel::new(2.0, 0.5, -1.0)]),
        intercept: 0.0,
        r2: 0.9,
        matrix_r2: 0.6,
        given_up: 0.0,
        penalty: 0.0,
        reading: Reading {
            tallest: 1.0,
            cancels: false,
        },
        from_uniform: 2.0,
        sketch: [Vec::new(), Vec::new()],
    }
}

#[test]
fn a_fit_that_says_much_needs_no_caveat() {
    assert_eq!(fit_caveats(&fit()), "");
    let barely = KernelFit {
        matrix_r2: 0.2,
        from_uniform: 0.05,
        ..fit()
    };
    assert_eq!(fit_caveats(&barely), "");
}

#[test]
fn a_fit_that_says_little_says_so() {
    let little = KernelFit {
        matrix_r2: 0.134,
        ..fit()
    };
    assert_eq!(
        fit_caveats(&little),
        "These kernels explain little of this head: the R² of its matrix is 0.13."
    );
    let uniform = KernelFit {
        from_uniform: 0.0312,
        ..fit()
    };
    assert_eq!(
        fit_caveats(&uniform),
        "The resulting attention is within 3.1 % of uniform: this fit barely prefers any offset."
    );
    let reading = |tallest, cancels| {
        let reading = Reading { tallest, cancels };
        fit_caveats(&KernelFit { reading, ..fit() })
    };
    assert_eq!(
        reading(46.23, true),
        "These kernels cannot be interpreted one by one: two of them nearly cancel, and the tallest is 46.2 times as high as the range of the profile."
    );
    assert_eq!(
        reading(2.61, false),
        "These kernels cannot be interpreted one by one: the tallest is 2.6 times as high as the range of the profile."
    );
    let all = KernelFit {
        matrix_r2: 0.1,
        reading: Reading {
            tallest: 3.0,
            cancels: false,
        },
        ..uniform
    };
    assert_eq!(
        fit_caveats(&all).matches('.').count(),
        3 + 3,
        "three sentences, three numbers"
    );
}

#[test]
fn attention_is_uniform_where_nothing_depends_on_the_offset() {
    for cells in [AttentionMask::Whole, AttentionMask::Causal] {
        let flat = Profile::from_fn(40, |_| -3.25);
        assert!(deviation_from_uniform(&flat, cells) < 1e-12);
    }
    // Only later keys are preferred, which a causal mask hides.
    let ahead = Profile::from_fn(40, |k| if k > 0 { 1.0 } else { 0.0 });
    assert!(deviation_from_uniform(&ahead, AttentionMask::Whole) > 0.5);
    assert!(deviation_from_uniform(&ahead, AttentionMask::Causal) < 1e-12);
}

proptest! {
    #![proptest_config(config(64))]

    /// Computed cell by cell.
    #[test]
    fn deviation_is_that_of_every_cell(half in vec(-3.0..3.0_f64, 1..24), causal in any::<bool>()) {
        let n = half.len();
        let f = Profile::from_fn(n, |k| half[k.unsigned_abs() as usize] * if k < 0 { -0.5 } else { 1.0 });
        let scores = Array2::from_shape_fn((n, n), |(i, j)| f.at(j as i64 - i as i64).unwrap_or(f64::NAN));
        let attention = reference::softmax(&scores, causal);
        let deviation = attention.indexed_iter()
            .filter(|((i, j), _)| !causal || j <= i)
            .map(|((i, _), p)| (p * (if causal { i + 1 } else { n }) as f64 - 1.0).abs())
            .fold(0.0, f64::max);
        let cells = if causal { AttentionMask::Causal } else { AttentionMask::Whole };
        let found = deviation_from_uniform(&f, cells);
        prop_assert!((found - deviation).abs() < 1e-9 * deviation.max(1.0), "{found} {deviation}");
    }
}
