//! Figures of the heads view: all heads from the weights alone, and one open head.

use super::{
    AxisLabel, FigureSpec, FileChoice, FileNumbers, LabelNote, LabelScope, formulas,
    positions::{GRID_PROFILE_CAPTION, MEAN_AND_SPREAD},
};
use crate::url_state::{FigureGroup, FigureId};

pub static HEAD_GRID: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    term_figures: Some(FigureGroup::ScoreTerms),
    vertical: AxisLabel::InRows("layer"),
    horizontal: AxisLabel::InRows("heads of a layer in reading order"),
    notes: &[
        LabelNote::HeadNumbers,
        LabelNote::Causal,
        LabelNote::Text("Colours: each head on its own scale."),
    ],
    choices: &[
        FileChoice::Key("sort"),
        FileChoice::Key("r2"),
        FileChoice::Mode,
        FileChoice::Cells,
    ],
    ..FigureSpec::new(FigureId::HeadGrid)
};

pub static HEAD_MATRIX: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    vertical: AxisLabel::Text("query i"),
    notes: &[
        LabelNote::HeadScore {
            before: "Colour: ",
            after: ".",
        },
        LabelNote::Causal,
    ],
    choices: &[
        FileChoice::Key("window"),
        FileChoice::Mode,
        FileChoice::Cells,
    ],
    numbers: FileNumbers::Matrix,
    ..FigureSpec::new(FigureId::HeadMatrix)
};

pub static HEAD_PROFILE: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    formula: formulas::DIAGONAL_MEAN,
    vertical: AxisLabel::Text("mean score"),
    notes: &[
        MEAN_AND_SPREAD,
        LabelNote::HeadScore {
            before: "Score: ",
            after: ".",
        },
    ],
    choices: &[
        FileChoice::Key("window"),
        FileChoice::Mode,
        FileChoice::Cells,
    ],
    ..FigureSpec::new(FigureId::HeadProfile)
};

pub static HEAD_GRID_PROFILE: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    caption: GRID_PROFILE_CAPTION,
    vertical: AxisLabel::Text("Δy"),
    notes: &[LabelNote::HeadScore {
        before: "Colour: mean ",
        after: ".",
    }],
    choices: &[FileChoice::Mode, FileChoice::Cells],
    ..FigureSpec::new(FigureId::HeadGridProfile)
};

pub static HEAD_SECTIONS: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    caption: "Five rows of the matrix, aligned at k = 0. Where they coincide, only the offset matters.",
    vertical: AxisLabel::Text("score"),
    notes: &[LabelNote::HeadScore {
        before: "Score: ",
        after: ".",
    }],
    choices: &[
        FileChoice::Key("window"),
        FileChoice::Mode,
        FileChoice::Cells,
    ],
    ..FigureSpec::new(FigureId::HeadSections)
};

pub static LAYER_SECTIONS: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    formula: formulas::DIAGONAL_MEAN,
    keeps_caption: true,
    vertical: AxisLabel::Text("score"),
    notes: &[
        LabelNote::HeadScore {
            before: "Score: ",
            after: ".",
        },
        LabelNote::Causal,
    ],
    choices: &[
        FileChoice::Key("layer"),
        FileChoice::Key("section-scales"),
        FileChoice::Key("section-fits"),
        FileChoice::Mode,
        FileChoice::Cells,
    ],
    ..FigureSpec::new(FigureId::LayerSections)
};

pub static POSITIONAL_ATTENTION: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    caption: "The softmax of these scores. Each row adds up to 1.",
    vertical: AxisLabel::Text("query i"),
    notes: &[
        LabelNote::Text("Colour: attention, the softmax of the head’s scores."),
        LabelNote::Causal,
    ],
    choices: &[
        FileChoice::Key("window"),
        FileChoice::Mode,
        FileChoice::Cells,
    ],
    numbers: FileNumbers::Matrix,
    ..FigureSpec::new(FigureId::PositionalAttention)
};

pub static POSITION_DEPENDENCE: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    vertical: AxisLabel::Text("share of attention"),
    notes: &[
        LabelNote::Text(
            "The share of attention at each offset, averaged over the queries. Band: lowest to highest draw of random words.",
        ),
        LabelNote::Causal,
    ],
    choices: &[FileChoice::Mode, FileChoice::Cells],
    ..FigureSpec::new(FigureId::PositionDependence)
};

pub static SCORE_TERMS: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    formula: formulas::SCORE_TERMS,
    keeps_caption: true,
    notes: &[
        LabelNote::Text("Colour: score before softmax."),
        LabelNote::Causal,
    ],
    choices: &[
        FileChoice::Key("term-words"),
        FileChoice::Key("draw"),
        FileChoice::Key("terms"),
        FileChoice::Mode,
        FileChoice::Cells,
    ],
    ..FigureSpec::new(FigureId::ScoreTerms)
};

/// Text in place of the figures of two heads if there is no second head.
const NO_SECOND_HEAD: &str = "Choose a second head.";

pub static HEAD_DIFFERENCE: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    empty: NO_SECOND_HEAD,
    keeps_caption: true,
    notes: &[
        LabelNote::HeadScore {
            before: "Colour: ",
            after: ".",
        },
        LabelNote::Causal,
    ],
    choices: &[
        FileChoice::Key("second"),
        FileChoice::Key("window"),
        FileChoice::Mode,
        FileChoice::Cells,
    ],
    numbers: FileNumbers::Matrix,
    ..FigureSpec::new(FigureId::HeadDifference)
};

pub static HEAD_PAIR_PROFILE: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    caption: "The mean of every diagonal of each head:",
    formula: formulas::DIAGONAL_MEAN,
    empty: NO_SECOND_HEAD,
    vertical: AxisLabel::Text("mean score"),
    notes: &[LabelNote::HeadScore {
        before: "Score: ",
        after: ".",
    }],
    choices: &[
        FileChoice::Key("second"),
        FileChoice::Key("window"),
        FileChoice::Mode,
        FileChoice::Cells,
    ],
    ..FigureSpec::new(FigureId::HeadPairProfile)
};

pub static HEAD_ENTROPY: FigureSpec = FigureSpec {
    scope: LabelScope::Head,
    caption: "Entropy of attention in bits, averaged over the queries: one bar per head of the open layer; with all layers, also the mean of each layer. Fewer bits mean fewer keys.",
    formula: formulas::ENTROPY,
    notes: &[LabelNote::ScoreStates, LabelNote::Causal],
    choices: &[
        FileChoice::Key("entropies"),
        FileChoice::Mode,
        FileChoice::Cells,
    ],
    ..FigureSpec::new(FigureId::HeadEntropy)
};

pub static POSITION_BUDGET: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    caption: "What makes the scores of a rotary head differ: the offset, the tokens, or both together.",
    formula: formulas::POSITION_BUDGET,
    notes: &[LabelNote::Causal],
    choices: &[
        FileChoice::Key("budget"),
        FileChoice::Key("centres"),
        FileChoice::Cells,
    ],
    ..FigureSpec::new(FigureId::PositionBudget)
};

pub static ATTENTION_SINKS: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    caption: "Each head of this model has a sink, a learned score s that competes with the keys and leads to no value. Bars: the share of the attention that the sink takes, for the scores by offset f(k), averaged over the queries; beside them its share in the first and in the last query. Layers with a window compete with the keys in it.",
    formula: formulas::SINK_SHARE,
    notes: &[LabelNote::Text(
        "Share of the sink, averaged over the queries; beside it that of the first and of the last query.",
    )],
    choices: &[FileChoice::Mode],
    ..FigureSpec::new(FigureId::AttentionSinks)
};

pub static ROTARY_FREQUENCIES: FigureSpec = FigureSpec {
    scope: LabelScope::Model,
    caption: "Rotary positions turn pairs of columns of queries and keys. Each pair has a wavelength: the number of tokens after which it has turned once. Colours: the share of a pair in what a head’s queries and keys can add to scores, from the norms of the rows of its weights; the scales of norms before and after the weights are multiplied in, biases are left out. The vertical line is the trained length: pairs to its left turn fully in training, pairs to its right never. Bars: how many equal pairs the shares are worth.",
    formula: formulas::PAIR_SHARE,
    notes: &[LabelNote::Text(
        "Vertical line: trained length. Pairs to its right never turn fully in training.",
    )],
    choices: &[FileChoice::Key("frequencies")],
    ..FigureSpec::new(FigureId::RotaryFrequencies)
};

/// Caption of the shares of stored weights.
pub const STORED_FREQUENCIES_CAPTION: &str = "Colours: the share of a pair in what a head’s queries and keys can add to scores, from the norms of the rows of its stored weights alone. The scales of norms are left out, although they change what the model computes. The vertical line is the trained length: pairs to its left turn fully in training, pairs to its right never. Bars: how many equal pairs the shares are worth.";

/// Caption of shares from statistics of queries.
pub const QUERY_STATISTICS_CAPTION: &str = "This file has statistics of the queries of each head over a text, before rotation, and nothing of its keys. Colours: the share of a pair in the queries of its head, from the square of their mean size E|q|. The file does not determine scores by offset: they need keys, from biases or a run over a text in the model itself. The vertical line is the trained length. Bars: how many equal pairs the shares are worth.";

/// Caption of concentrations from statistics of queries.
pub const CONCENTRATION_CAPTION: &str = "This file has statistics of the queries of each head over a text, before rotation, and nothing of its keys. Colours: the concentration of a pair, the size of the mean query over the mean size, |E q| / E|q|. It is 1 if all queries of the text are alike in the pair, and near 0 if they point in all directions. The vertical line is the trained length. Bars: how many equal pairs the shares of the mean size are worth.";

/// Caption of bounds by norms.
pub const ROTARY_BOUNDS_CAPTION: &str = "This model norms its queries and keys, so that they have a greatest length. Colours: the most that a pair can add to a score, by the scales γ of these norms in its two columns, whatever the text. s is the factor of scores and d the number of columns that are normed together. The vertical line is the trained length: pairs to its right never turn fully in training.";

/// The specifications of this view, in the order of [`FigureId::ALL`].
pub(super) static ALL: &[&FigureSpec] = &[
    &HEAD_GRID,
    &HEAD_MATRIX,
    &HEAD_PROFILE,
    &POSITIONAL_ATTENTION,
    &HEAD_GRID_PROFILE,
    &HEAD_SECTIONS,
    &LAYER_SECTIONS,
    &POSITION_DEPENDENCE,
    &SCORE_TERMS,
    &HEAD_DIFFERENCE,
    &HEAD_PAIR_PROFILE,
    &HEAD_ENTROPY,
    &POSITION_BUDGET,
    &ATTENTION_SINKS,
    &ROTARY_FREQUENCIES,
];
