//! Figures of the images view: quadratic heads and convolutions, and the heads and patches of an open model.

use super::{AxisLabel, FigureSpec, FileChoice, LabelNote, LabelScope, formulas};
use crate::url_state::FigureId;

pub static GAUSSIAN_HEADS: FigureSpec = FigureSpec {
    formula: formulas::QUADRATIC,
    notes: &[LabelNote::Text(
        "Square: the query pixel. The solid ring encloses half of a head’s attention, the dotted ring nine tenths.",
    )],
    choices: &[FileChoice::Images],
    ..FigureSpec::new(FigureId::GaussianHeads)
};

pub static LAYER_GAUSSIANS: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    caption: "The heads that the open model stores, layer by layer on one scale. The square is the query pixel; rings enclose half and nine tenths of a Gaussian:",
    formula: formulas::QUADRATIC,
    notes: &[LabelNote::Text(
        "Square: the query pixel. The solid ring encloses half of a head’s Gaussian, the dotted ring nine tenths.",
    )],
    ..FigureSpec::new(FigureId::LayerGaussians)
};

pub static QUERY_ATTENTION: FigureSpec = FigureSpec {
    formula: formulas::GAUSSIAN_ATTENTION,
    vertical: AxisLabel::Text("attention"),
    notes: &[LabelNote::Text(
        "Attention of the query pixel, each map from 0 to the value below it.",
    )],
    choices: &[FileChoice::Images],
    ..FigureSpec::new(FigureId::QueryAttention)
};

pub static FILTERED_IMAGE: FigureSpec = FigureSpec {
    formula: formulas::MULTI_HEAD,
    notes: &[LabelNote::Text(
        "Heads: multi-head attention with one head per tap of the kernel.",
    )],
    choices: &[FileChoice::Images],
    ..FigureSpec::new(FigureId::FilteredImage)
};

pub static CONVOLUTION_ERROR: FigureSpec = FigureSpec {
    caption: "The greatest difference as a share of the convolution’s range, by α of every head. Black: whole image; blue: interior only. Dot: current α.",
    vertical: AxisLabel::Text("greatest difference / range"),
    notes: &[LabelNote::Text("Black: whole image; blue: interior only.")],
    choices: &[FileChoice::Images],
    ..FigureSpec::new(FigureId::ConvolutionError)
};

pub static CONCATENATED_HEADS: FigureSpec = FigureSpec {
    caption: "The output of every head at the query pixel, side by side, times the output matrix. That is the sum over heads in which each head has a matrix of its own:",
    formula: formulas::CONCATENATED_HEADS,
    notes: &[LabelNote::Text(
        "Rows: channels of the heads at the query pixel. Columns: output of the head, and its row of the output matrix.",
    )],
    choices: &[FileChoice::Images],
    ..FigureSpec::new(FigureId::ConcatenatedHeads)
};

pub static HEAD_RANKS: FigureSpec = FigureSpec {
    caption: "A head passes its input through D_h channels, so its matrix has at most that rank. The closest matrix of that rank keeps the largest singular values of the kernel’s matrix:",
    formula: formulas::HEAD_RANK,
    vertical: AxisLabel::Text("head and its tap"),
    choices: &[FileChoice::Images],
    ..FigureSpec::new(FigureId::HeadRanks)
};

pub static HEAD_CONVOLUTION: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    vertical: AxisLabel::Text("layer"),
    horizontal: AxisLabel::Text("heads of a layer in reading order"),
    notes: &[
        LabelNote::Text(
            "Mean positional attention around the query, each head on its own scale from zero. Below: R² of the attention by offset. Heads of a layer with the same letter have the same profile, shifted.",
        ),
        LabelNote::ScoreStates,
    ],
    choices: &[FileChoice::Mode, FileChoice::Cells],
    ..FigureSpec::new(FigureId::HeadConvolution)
};

pub static LAYER_CONVOLUTION: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    formula: formulas::LAYER_TAPS,
    keeps_caption: true,
    vertical: AxisLabel::Text("‖K_k‖"),
    choices: &[FileChoice::Key("layer"), FileChoice::Cells],
    ..FigureSpec::new(FigureId::LayerConvolution)
};

pub static GRID_SIMILARITY: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    keeps_caption: true,
    notes: &[LabelNote::PatchColours],
    choices: &[FileChoice::Patches],
    ..FigureSpec::new(FigureId::GridSimilarity)
};

/// The specifications of this view, in the order of [`FigureId::ALL`].
pub(super) static ALL: &[&FigureSpec] = &[
    &GAUSSIAN_HEADS,
    &LAYER_GAUSSIANS,
    &QUERY_ATTENTION,
    &FILTERED_IMAGE,
    &CONVOLUTION_ERROR,
    &CONCATENATED_HEADS,
    &HEAD_RANKS,
    &HEAD_CONVOLUTION,
    &LAYER_CONVOLUTION,
    &GRID_SIMILARITY,
];
