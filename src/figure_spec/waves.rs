//! Figures of the waves view: sinusoids in the position table, in queries and keys, and groups of heads.

use super::{AxisLabel, FigureSpec, FileChoice, LabelNote, LabelScope, formulas};
use crate::url_state::FigureId;

pub static SINUSOID_TEST: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    notes: &[LabelNote::Text(
        "Shares from 0 to 1. Distances are those to sinusoidal tables, with columns in the best order and in the same order: 0 = identical, 1 = unrelated.",
    )],
    ..FigureSpec::new(FigureId::SinusoidTest)
};

pub static SPECTRUM: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    formula: formulas::COLUMN_SPECTRUM,
    vertical: AxisLabel::Text("amplitude"),
    notes: &[LabelNote::Text(
        "Line: mean of |DFT| over the columns; shade: their quartiles; dashed: the sinusoidal table of that \
        size, multiplied by the number beside it so that both tables have the same norm.",
    )],
    choices: &[FileChoice::Key("frequencies")],
    ..FigureSpec::new(FigureId::Spectrum)
};

pub static SPECTRUM_COLUMNS: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    caption: "A bright line is a frequency that many columns share.",
    notes: &[LabelNote::Text("Colour: amplitude |DFT| of the column.")],
    choices: &[FileChoice::Key("frequencies")],
    ..FigureSpec::new(FigureId::SpectrumColumns)
};

pub static COLUMNS: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    caption: "The values of single embedding dimensions at each position.",
    vertical: AxisLabel::Text("value"),
    choices: &[FileChoice::Key("columns"), FileChoice::Key("frequencies")],
    ..FigureSpec::new(FigureId::Columns)
};

pub static COLUMN_SPECTRA: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    caption: "|DFT| of the same columns: a sine is one peak.",
    vertical: AxisLabel::Text("amplitude |DFT|"),
    choices: &[FileChoice::Key("columns"), FileChoice::Key("frequencies")],
    ..FigureSpec::new(FigureId::ColumnSpectra)
};

pub static COMPONENTS: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    caption: "The share of the variance that each principal component explains. The components are the columns of V in the singular value decomposition of the centred table:",
    formula: formulas::PRINCIPAL_COMPONENTS,
    vertical: AxisLabel::Text("share of the variance"),
    ..FigureSpec::new(FigureId::Components)
};

pub static COMPONENT_WAVES: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    caption: "Each line is one component along the positions, often one wave of a sine–cosine pair.",
    vertical: AxisLabel::Text("coordinate"),
    choices: &[FileChoice::Key("plane")],
    ..FigureSpec::new(FigureId::ComponentWaves)
};

pub static COMPONENT_PATH: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    caption: "A sine and its cosine make a circle.",
    notes: &[LabelNote::Text(
        "The path of the positions in order. In 3-D, parts farther back are thinner.",
    )],
    choices: &[FileChoice::Key("plane"), FileChoice::Key("seen-from")],
    ..FigureSpec::new(FigureId::ComponentPath)
};

pub static DENSITY: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    caption: "Learned values are bell-shaped; sinusoidal ones concentrate near ±1.",
    notes: &[LabelNote::Text(
        "Colour: density of the values around a position.",
    )],
    ..FigureSpec::new(FigureId::Density)
};

pub static VALUE_HISTOGRAM: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    caption: "All values of the table, and a Gaussian of the same mean and variance.",
    notes: &[LabelNote::Text(
        "The other line: a Gaussian of the same mean and variance.",
    )],
    ..FigureSpec::new(FigureId::ValueHistogram)
};

pub static HEAD_WAVES: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    caption: "Queries and keys along the singular vectors of their product, the strongest first. The shift of a key’s wave against its query’s wave is the offset that the head attends to. X are the rows of the table as they enter the head:",
    formula: formulas::SINGULAR_QUERIES_AND_KEYS,
    notes: &[
        LabelNote::WaveStates,
        LabelNote::Text(
            "Columns of the redefined queries and keys, each row on its own scale; s: singular value; ↔: sine \
        and cosine of one frequency.",
        ),
    ],
    choices: &[FileChoice::Mode],
    ..FigureSpec::new(FigureId::HeadWaves)
};

pub static HEAD_CROSS_CORRELATION: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    caption: "One line per column pair c. The head attends where many peaks coincide. The mean over the offsets drawn is subtracted:",
    formula: formulas::CROSS_CORRELATION,
    vertical: AxisLabel::Text("cross-correlation"),
    notes: &[
        LabelNote::WaveStates,
        LabelNote::Text("Each line minus its mean over the offsets |k| ≤ 20."),
    ],
    choices: &[FileChoice::Mode],
    ..FigureSpec::new(FigureId::HeadCrossCorrelation)
};

pub static HEAD_CROSS_COVARIANCE: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    formula: formulas::CROSS_COVARIANCE,
    vertical: AxisLabel::Text("Σ s · cross-covariance"),
    notes: &[LabelNote::WaveStates],
    choices: &[FileChoice::Key("wave-offsets"), FileChoice::Mode],
    ..FigureSpec::new(FigureId::HeadCrossCovariance)
};

pub static HEAD_ROTATION: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    formula: formulas::ROTATION,
    notes: &[
        LabelNote::WaveStates,
        LabelNote::Text(
            "Colour: amplitude of queries along the eigenvectors of that angle. White line, if there is one: the shift that describes the head.",
        ),
    ],
    choices: &[FileChoice::Mode],
    ..FigureSpec::new(FigureId::HeadRotation)
};

pub static RETARGET_HEAD: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    formula: formulas::RETARGETED_KEYS,
    vertical: AxisLabel::Text("share of attention"),
    notes: &[
        LabelNote::Text(
            "The share of attention at each offset over the first 512 positions, with the mean word everywhere. Dashed: the head as it is.",
        ),
        LabelNote::Causal,
    ],
    choices: &[FileChoice::Key("retarget"), FileChoice::Cells],
    ..FigureSpec::new(FigureId::RetargetHead)
};

pub static RETARGET_ATTENTION: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    caption: "Attention between the first positions, with the mean word everywhere: the head as it is, and with turned keys. The bright diagonal moves by the number of tokens on the slider:",
    notes: &[
        LabelNote::Text(
            "Attention among the first 64 positions, with the mean word everywhere. Softmax is over the first 512.",
        ),
        LabelNote::Causal,
    ],
    choices: &[FileChoice::Key("retarget"), FileChoice::Cells],
    ..FigureSpec::new(FigureId::RetargetAttention)
};

pub static LAYER_SPECTRUM: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    formula: formulas::LAYER_SPECTRUM,
    notes: &[
        LabelNote::WaveStates,
        LabelNote::Text("Colour: greatest amplitude of any head of the layer."),
    ],
    choices: &[
        FileChoice::Key("frequencies"),
        FileChoice::Key("wave-part"),
        FileChoice::Mode,
    ],
    ..FigureSpec::new(FigureId::LayerSpectrum)
};

pub static HEAD_CLUSTERS: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    notes: &[LabelNote::Text(
        "Positional attention with LayerNorm, biases and the mean word everywhere.",
    )],
    choices: &[
        FileChoice::Key("groups"),
        FileChoice::Key("wave-seed"),
        FileChoice::Mode,
    ],
    ..FigureSpec::new(FigureId::HeadClusters)
};

pub static CLUSTER_TRACES: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    formula: formulas::TRACE,
    vertical: AxisLabel::Text("share of attention"),
    notes: &[LabelNote::Text(
        "Shade, if there is one: 95 % range of the mean over the same heads with randomly turned keys.",
    )],
    choices: &[
        FileChoice::Key("groups"),
        FileChoice::Key("wave-seed"),
        FileChoice::Mode,
    ],
    ..FigureSpec::new(FigureId::ClusterTraces)
};

/// The specifications of this view, in the order of [`FigureId::ALL`].
pub(super) static ALL: &[&FigureSpec] = &[
    &SINUSOID_TEST,
    &SPECTRUM,
    &SPECTRUM_COLUMNS,
    &COLUMNS,
    &COLUMN_SPECTRA,
    &COMPONENTS,
    &COMPONENT_WAVES,
    &COMPONENT_PATH,
    &DENSITY,
    &VALUE_HISTOGRAM,
    &HEAD_WAVES,
    &HEAD_CROSS_CORRELATION,
    &HEAD_CROSS_COVARIANCE,
    &HEAD_ROTATION,
    &RETARGET_HEAD,
    &RETARGET_ATTENTION,
    &LAYER_SPECTRUM,
    &HEAD_CLUSTERS,
    &CLUSTER_TRACES,
];
