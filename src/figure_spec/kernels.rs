//! Figures of the kernels view: kernels on sliders beside a head, fits to heads, and attention in the first layer.

use super::{AxisLabel, FigureSpec, FileChoice, FileNumbers, LabelNote, LabelScope, formulas};
use crate::{figure::FormulaTerm, url_state::FigureId};

/// Note on the attention of the open head.
const HEAD_ALONE: LabelNote =
    LabelNote::Text("Colour: attention of the head, from positions alone.");

pub static KERNEL_FUNCTION: FigureSpec = FigureSpec {
    scope: LabelScope::Kernels,
    caption: "Drag a peak.",
    formula: formulas::KERNELS,
    vertical: AxisLabel::Text("f(k)"),
    notes: &[LabelNote::KernelLegend],
    choices: &[
        FileChoice::Key("added"),
        FileChoice::Key("kernel-offsets"),
        FileChoice::Cells,
        FileChoice::Kernels,
    ],
    ..FigureSpec::new(FigureId::KernelFunction)
};

pub static HEAD_SCORES: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    term: Some(FormulaTerm::HeadScores),
    vertical: AxisLabel::Text("query i"),
    notes: &[
        LabelNote::HeadScore {
            before: "Colour: ",
            after: ".",
        },
        LabelNote::Causal,
    ],
    choices: &[
        FileChoice::Key("n"),
        FileChoice::Key("kernel-window"),
        FileChoice::Mode,
        FileChoice::Cells,
    ],
    numbers: FileNumbers::Matrix,
    ..FigureSpec::new(FigureId::HeadScores)
};

pub static KERNEL_MATRIX: FigureSpec = FigureSpec {
    scope: LabelScope::Kernels,
    formula: formulas::KERNEL_MATRIX,
    term: Some(FormulaTerm::KernelScores),
    vertical: AxisLabel::Text("query i"),
    notes: &[
        LabelNote::Text("Colour: score f(j − i)."),
        LabelNote::KernelsInWords,
        LabelNote::Causal,
    ],
    choices: &[
        FileChoice::Key("kernel-window"),
        FileChoice::Cells,
        FileChoice::Kernels,
    ],
    numbers: FileNumbers::Matrix,
    ..FigureSpec::new(FigureId::KernelMatrix)
};

pub static ADDED_SCORES: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    vertical: AxisLabel::Text("query i"),
    notes: &[
        LabelNote::HeadScore {
            before: "Colour: ",
            after: ", plus f(j − i).",
        },
        LabelNote::KernelsInWords,
        LabelNote::Causal,
    ],
    choices: &[
        FileChoice::Key("n"),
        FileChoice::Key("kernel-window"),
        FileChoice::Mode,
        FileChoice::Cells,
        FileChoice::Kernels,
    ],
    numbers: FileNumbers::Matrix,
    ..FigureSpec::new(FigureId::AddedScores)
};

pub static HEAD_ATTENTION: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    term: Some(FormulaTerm::HeadScores),
    vertical: AxisLabel::Text("query i"),
    notes: &[HEAD_ALONE, LabelNote::Causal],
    choices: &[
        FileChoice::Key("n"),
        FileChoice::Key("kernel-window"),
        FileChoice::Mode,
        FileChoice::Cells,
    ],
    numbers: FileNumbers::Matrix,
    ..FigureSpec::new(FigureId::HeadAttention)
};

pub static KERNEL_ATTENTION: FigureSpec = FigureSpec {
    scope: LabelScope::Kernels,
    formula: formulas::KERNEL_ATTENTION,
    term: Some(FormulaTerm::KernelScores),
    vertical: AxisLabel::Text("query i"),
    notes: &[
        LabelNote::Text("Colour: attention, the softmax of f(j − i)."),
        LabelNote::KernelsInWords,
        LabelNote::Causal,
    ],
    choices: &[
        FileChoice::Key("kernel-window"),
        FileChoice::Cells,
        FileChoice::Kernels,
    ],
    numbers: FileNumbers::Matrix,
    ..FigureSpec::new(FigureId::KernelAttention)
};

pub static ADDED_ATTENTION: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    vertical: AxisLabel::Text("query i"),
    notes: &[
        LabelNote::Text("Colour: attention, the softmax of the head’s scores plus f(j − i)."),
        LabelNote::KernelsInWords,
        LabelNote::Causal,
    ],
    choices: &[
        FileChoice::Key("n"),
        FileChoice::Key("kernel-window"),
        FileChoice::Mode,
        FileChoice::Cells,
        FileChoice::Kernels,
    ],
    numbers: FileNumbers::Matrix,
    ..FigureSpec::new(FigureId::AddedAttention)
};

pub static ATTENTION_LOOKS: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    caption: "Mean attention per offset, for the head, the kernels and their sum.",
    vertical: AxisLabel::Text("share of attention"),
    notes: &[
        LabelNote::Text("The share of attention at each offset, averaged over the queries."),
        LabelNote::KernelsInWords,
        LabelNote::Causal,
    ],
    choices: &[
        FileChoice::Key("n"),
        FileChoice::Key("near"),
        FileChoice::Mode,
        FileChoice::Cells,
        FileChoice::Kernels,
    ],
    ..FigureSpec::new(FigureId::AttentionLooks)
};

pub static KERNEL_FIT: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    caption: "The head’s profile, the fit, and its kernels (shifted vertically for display):",
    formula: formulas::KERNELS,
    empty: "No head is open.",
    vertical: AxisLabel::Text("mean score"),
    notes: &[LabelNote::Text(
        "Kernels are shifted vertically for display.",
    )],
    choices: &[
        FileChoice::Key("fit"),
        FileChoice::Key("fit-offsets"),
        FileChoice::Mode,
        FileChoice::Cells,
    ],
    ..FigureSpec::new(FigureId::KernelFit)
};

pub static FIT_RESIDUAL: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    empty: "No head is open.",
    vertical: AxisLabel::Text("profile − fit"),
    choices: &[
        FileChoice::Key("fit"),
        FileChoice::Key("fit-offsets"),
        FileChoice::Mode,
        FileChoice::Cells,
    ],
    ..FigureSpec::new(FigureId::FitResidual)
};

pub static FIT_CURVE: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    caption: "R² against the number of kernels. Beyond the elbow, extra kernels add little.",
    empty: "No head is open.",
    choices: &[FileChoice::Key("fit"), FileChoice::Mode, FileChoice::Cells],
    ..FigureSpec::new(FigureId::FitCurve)
};

pub static FIT_ATTENTION: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    caption: "The fitted kernels alone:",
    formula: formulas::ATTENTION,
    empty: "There is no fit yet.",
    vertical: AxisLabel::Text("query i"),
    notes: &[
        LabelNote::Text("Colour: attention of the fitted kernels alone."),
        LabelNote::Causal,
    ],
    choices: &[
        FileChoice::Key("fit"),
        FileChoice::Key("n"),
        FileChoice::Key("kernel-window"),
        FileChoice::Mode,
        FileChoice::Cells,
    ],
    numbers: FileNumbers::Matrix,
    ..FigureSpec::new(FigureId::FitAttention)
};

pub static FIT_HEAD_ATTENTION: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    empty: "No head is open yet.",
    vertical: AxisLabel::Text("query i"),
    notes: &[HEAD_ALONE, LabelNote::Causal],
    choices: &[
        FileChoice::Key("n"),
        FileChoice::Key("kernel-window"),
        FileChoice::Mode,
        FileChoice::Cells,
    ],
    numbers: FileNumbers::Matrix,
    ..FigureSpec::new(FigureId::FitHeadAttention)
};

pub static FIT_GRID: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    caption: "Each head’s profile in grey and its fit in blue, for |k| ≤ 64, with R² below. Open a head with a click or the arrow keys.",
    empty: "No head is open.",
    vertical: AxisLabel::InRows("layer"),
    horizontal: AxisLabel::InRows("heads of a layer in reading order"),
    notes: &[
        LabelNote::Text("Under each head: R² of the fit to its profile."),
        LabelNote::Causal,
        LabelNote::Text(
            "Grey: the head’s profile for |k| ≤ 64; blue: the fit. Each head on its own scale.",
        ),
    ],
    choices: &[
        FileChoice::Key("fit"),
        FileChoice::Key("sort"),
        FileChoice::Mode,
        FileChoice::Cells,
    ],
    ..FigureSpec::new(FigureId::FitGrid)
};

pub static FIRST_LAYER_EMBEDDINGS: FigureSpec = FigureSpec {
    scope: LabelScope::FirstLayer,
    formula: formulas::ATTENTION_EMBEDDINGS,
    term: Some(FormulaTerm::EmbeddingScores),
    empty: "These rows have no attention to show.",
    vertical: AxisLabel::Text("query i"),
    notes: &[
        LabelNote::Text("Colour: attention in the first layer with its position embeddings."),
        LabelNote::Causal,
    ],
    choices: &[
        FileChoice::Key("n"),
        FileChoice::Key("words"),
        FileChoice::Cells,
    ],
    numbers: FileNumbers::Matrix,
    ..FigureSpec::new(FigureId::FirstLayerEmbeddings)
};

pub static FIRST_LAYER_ADDED: FigureSpec = FigureSpec {
    scope: LabelScope::FirstLayer,
    formula: formulas::ATTENTION_BESIDE,
    empty: "These rows have no attention to show.",
    vertical: AxisLabel::Text("query i"),
    notes: &[
        LabelNote::Text(
            "Colour: attention in the first layer with its position embeddings and the kernels (4a).",
        ),
        LabelNote::Causal,
    ],
    choices: &[
        FileChoice::Key("n"),
        FileChoice::Key("words"),
        FileChoice::Cells,
        FileChoice::Kernels,
    ],
    numbers: FileNumbers::Matrix,
    ..FigureSpec::new(FigureId::FirstLayerAdded)
};

pub static FIRST_LAYER_INSTEAD: FigureSpec = FigureSpec {
    scope: LabelScope::FirstLayer,
    formula: formulas::ATTENTION_INSTEAD,
    empty: "These rows have no attention to show.",
    vertical: AxisLabel::Text("query i"),
    notes: &[
        LabelNote::Text(
            "Colour: attention in the first layer with the kernels instead of position embeddings (4b).",
        ),
        LabelNote::Causal,
    ],
    choices: &[
        FileChoice::Key("n"),
        FileChoice::Key("words"),
        FileChoice::Cells,
        FileChoice::Kernels,
    ],
    numbers: FileNumbers::Matrix,
    ..FigureSpec::new(FigureId::FirstLayerInstead)
};

pub static FIRST_LAYER_NONE: FigureSpec = FigureSpec {
    scope: LabelScope::FirstLayer,
    formula: formulas::ATTENTION_NONE,
    term: Some(FormulaTerm::ContentScores),
    empty: "These rows have no attention to show.",
    vertical: AxisLabel::Text("query i"),
    notes: &[
        LabelNote::Text("Colour: attention in the first layer without any position."),
        LabelNote::Causal,
    ],
    choices: &[
        FileChoice::Key("n"),
        FileChoice::Key("words"),
        FileChoice::Cells,
    ],
    numbers: FileNumbers::Matrix,
    ..FigureSpec::new(FigureId::FirstLayerNone)
};

pub static PARAMETER_COUNT: FigureSpec = FigureSpec {
    formula: formulas::KERNEL_PARAMETERS,
    choices: &[FileChoice::Key("count")],
    ..FigureSpec::new(FigureId::ParameterCount)
};

/// The specifications of this view, in the order of [`FigureId::ALL`].
pub(super) static ALL: &[&FigureSpec] = &[
    &KERNEL_FUNCTION,
    &HEAD_SCORES,
    &KERNEL_MATRIX,
    &ADDED_SCORES,
    &HEAD_ATTENTION,
    &KERNEL_ATTENTION,
    &ADDED_ATTENTION,
    &ATTENTION_LOOKS,
    &KERNEL_FIT,
    &FIT_RESIDUAL,
    &FIT_CURVE,
    &FIT_ATTENTION,
    &FIT_HEAD_ATTENTION,
    &FIT_GRID,
    &FIRST_LAYER_EMBEDDINGS,
    &FIRST_LAYER_ADDED,
    &FIRST_LAYER_INSTEAD,
    &FIRST_LAYER_NONE,
    &PARAMETER_COUNT,
];
