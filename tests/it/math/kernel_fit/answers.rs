//! Answers about heads: R², order, windows and precision.

use super::{curve, head};
use crate::{
    analysis::golden_minilm::open,
    support::questions::{FIRST, ask, npy, save},
};
use diagonal::{
    analysis::{
        AttentionMask, FitOptions, HeadFit, HeadFits, MatrixFormat, MatrixId, ScoreInput,
        ScoreMode, Weighting,
    },
    encoding::Kernel,
    math::reference,
};
use ndarray::Array2;

/// R² of the matrix from its definition, cell by cell.
#[test]
fn r2_is_that_of_the_matrix() {
    let (session, _) = open();
    for (cells, mode) in [
        (AttentionMask::Whole, "all"),
        (AttentionMask::Causal, "back"),
    ] {
        let options = FitOptions {
            kernels: 2,
            cells,
            ..FitOptions::default()
        };
        let id = head(0, 3);
        let fit = curve(&session, id, options).remove(1);
        let n = 512;
        let matrix = MatrixId::Head(id, AttentionMask::Whole);
        let (shape, values) = npy(&save(&session, &matrix, MatrixFormat::Npy, None));
        let a = Array2::from_shape_vec(shape, values).expect("n×n");
        let a = a.mapv(f64::from);
        let counted = |(i, j): &(usize, usize)| cells == AttentionMask::Whole || j <= i;
        let all = (0..n)
            .flat_map(|i| (0..n).map(move |j| (i, j)))
            .filter(counted);
        let all: Vec<_> = all.collect();
        let mean = all.iter().map(|&at| a[at]).sum::<f64>() / all.len() as f64;
        let left: f64 = (all.iter())
            .map(|&(i, j)| (a[(i, j)] - fit.at(j as i64 - i as i64)).powi(2))
            .sum();
        let total: f64 = all.iter().map(|&at| (a[at] - mean).powi(2)).sum();
        let by_definition = 1.0 - left / total;
        assert!(
            (fit.matrix_r2 - by_definition).abs() < 1e-5,
            "{mode}: {}, by definition {by_definition}",
            fit.matrix_r2
        );
        let toeplitz = match cells {
            AttentionMask::Whole => reference::toeplitz_r2(&a),
            AttentionMask::Causal => reference::causal_toeplitz_r2(&a),
        };
        assert!((fit.matrix_r2 - toeplitz * fit.r2).abs() < 1e-5, "{mode}");
    }
}

#[test]
fn all_heads_are_fitted_one_after_the_other() {
    let (session, _) = open();
    let options = FitOptions {
        kernels: 2,
        ..FitOptions::default()
    };
    let fits = |layer| {
        let question = HeadFits {
            of: FIRST,
            input: ScoreInput::Positions(ScoreMode::Paper),
            layer,
            options,
        };
        let fits = ask(&session, question).expect("fits");
        assert!(fits.refusals.is_empty());
        fits.fits
    };
    let layer = fits(Some(4));
    let places: Vec<_> = layer.iter().map(|fit| (fit.layer, fit.head)).collect();
    assert_eq!(places, (0..12).map(|head| (4, head)).collect::<Vec<_>>());
    let all = fits(None);
    assert_eq!(all.len(), 72);
    assert_eq!(all[48..60], layer[..]);
    let alone = curve(&session, head(4, 7), options);
    assert_eq!(alone[1], layer[7]);
}

#[test]
fn a_window_counts_near_offsets_alone() {
    let (session, _) = open();
    let options = |reach| FitOptions {
        kernels: 1,
        weighting: Weighting::Window(reach),
        ..FitOptions::default()
    };
    let near = curve(&session, head(1, 10), options(12));
    let wide = curve(&session, head(1, 10), options(400));
    assert!(near[0].r2 > wide[0].r2 && near[0].kernels != wide[0].kernels);
    // 2·1 + 1 offsets do not determine the four parameters of one kernel.
    let question = HeadFit {
        of: head(1, 10),
        options: options(1),
    };
    let fits = ask(&session, question).expect("an answer about the head");
    assert!(fits.fits.is_empty());
    let sentence = fits.refusals.join(" ");
    assert!(
        sentence.contains("Layer 2, head 11") && sentence.contains("3 offsets are too few for"),
        "{sentence}"
    );
}

/// Kernels exported in single precision equal the displayed ones, in the conventions of this page and of the authors.
#[test]
fn fitted_kernels_are_exact_in_single_precision() {
    let (session, _) = open();
    let question = HeadFits {
        of: FIRST,
        input: ScoreInput::Positions(ScoreMode::AsComputed),
        layer: Some(1),
        options: FitOptions::default(),
    };
    let fits = ask(&session, question).expect("fits").fits;
    assert_eq!(fits.len(), 12);
    for fit in fits {
        for Kernel { a, b, c, .. } in fit.kernels.0 {
            for value in [a, b, c, -(c + 1.0)] {
                assert_eq!(f64::from(value as f32), value, "{a} {b} {c}");
            }
        }
    }
}
