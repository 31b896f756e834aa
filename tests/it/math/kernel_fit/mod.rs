//! Kernel fits, one file per kind of check; here is what the files share.

mod answers;
mod objectives;
mod planted;
mod scipy;

use crate::support::questions::{head_of_first, hear};
use diagonal::analysis::{
    AttentionMask, FitOptions, HeadFit, HeadId, KernelFit, MemorySession, Objective, ScoreMode,
    Weighting,
};

/// Fits of a head by their number of kernels; the requested number comes first.
fn curve(session: &MemorySession, id: HeadId, options: FitOptions) -> Vec<KernelFit> {
    let question = HeadFit { of: id, options };
    let events = hear(session, question, Vec::new());
    let count = |fit: &KernelFit| fit.kernels.0.len();
    let pieces = events.pieces.len();
    let first = events.pieces[0].as_ref().expect("a fit");
    assert_eq!(count(first), options.kernels.min(pieces));
    let fits = events.answer().expect("fits").fits;
    assert!(fits.is_sorted_by_key(count));
    assert_eq!(fits.len(), pieces);
    fits
}

fn head(layer: usize, head: usize) -> HeadId {
    head_of_first(ScoreMode::Paper, layer, head)
}

/// scipy's objective.
const LEAST_SQUARES: FitOptions = FitOptions {
    kernels: 5,
    weighting: Weighting::Cells,
    cells: AttentionMask::Whole,
    objective: Objective::LeastSquares,
};
