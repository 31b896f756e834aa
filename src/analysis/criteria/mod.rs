//! Table 1 of the TISA paper (Wennberg & Henter 2021): six criteria for nine position encodings.
//!
//! The marks are the paper's. The argument for each mark is ours; if the plain meaning of the criterion would allow the
//! other mark too, the cell is *arguable* and its argument explains why. Each cell has a demonstration: [`parameters`]
//! lists its parameters, [`demonstrations`] computes its result.

mod arguments;
pub mod demonstrations;
pub mod parameters;
pub mod small_head;

use arguments::ARGUMENTS;

/// One of the six criteria.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Criterion {
    /// Works for texts longer than those of training.
    Inductive,
    /// Learned, not fixed.
    DataDriven,
    /// Few learned numbers.
    ParameterEfficient,
    /// Scores depend on the offset alone.
    TranslationInvariant,
    /// All positions are computed at once.
    Parallelizable,
    /// The learned numbers can be read.
    Interpretable,
}

/// One of the nine position encodings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EncodingMethod {
    /// Vaswani et al. 2017.
    Sinusoidal,
    /// Devlin et al. 2019.
    Learned,
    /// Shaw et al. 2018.
    Relative,
    /// Raffel et al. 2020.
    T5,
    /// Liu et al. 2020.
    Flow,
    /// Tay et al. 2020.
    Synthesizer,
    /// Ke et al. 2021.
    Untied,
    /// Su et al. 2021.
    Rotary,
    /// Wennberg & Henter 2021.
    Tisa,
}

/// Columns of the table: criterion, name, question.
pub const CRITERIA: [(Criterion, &str, &str); 6] = [
    (
        Criterion::Inductive,
        "inductive",
        "Does it extend to sequences longer than those seen in training?",
    ),
    (
        Criterion::DataDriven,
        "data-driven",
        "Is it learned, not fixed by hand?",
    ),
    (
        Criterion::ParameterEfficient,
        "parameter efficient",
        "Does it have few learned parameters?",
    ),
    (
        Criterion::TranslationInvariant,
        "translation invariant",
        "Do scores depend on the offset alone?",
    ),
    (
        Criterion::Parallelizable,
        "parallelizable",
        "Can all positions be computed in parallel, with little extra memory?",
    ),
    (
        Criterion::Interpretable,
        "interpretable",
        "Are the learned parameters interpretable?",
    ),
];

/// Rows of the table: method, name, source.
pub const WAYS: [(EncodingMethod, &str, &str); 9] = [
    (
        EncodingMethod::Sinusoidal,
        "Sinusoidal",
        "Vaswani et al. 2017",
    ),
    (
        EncodingMethod::Learned,
        "Learned absolute",
        "Devlin et al. 2019",
    ),
    (EncodingMethod::Relative, "Relative", "Shaw et al. 2018"),
    (EncodingMethod::T5, "T5", "Raffel et al. 2020"),
    (EncodingMethod::Flow, "Flow-based", "Liu et al. 2020"),
    (
        EncodingMethod::Synthesizer,
        "Synthesizer",
        "Tay et al. 2020",
    ),
    (EncodingMethod::Untied, "Untied", "Ke et al. 2021"),
    (EncodingMethod::Rotary, "Rotary", "Su et al. 2021"),
    (EncodingMethod::Tisa, "TISA", "Wennberg & Henter 2021"),
];

/// Identifiers of the rows in links and files, in the order of [`WAYS`].
pub const WAY_IDS: [&str; 9] = [
    "sinusoidal",
    "learned",
    "relative",
    "t5",
    "flow",
    "synthesizer",
    "untied",
    "rotary",
    "tisa",
];

/// Identifiers of the columns in links and files, in the order of [`CRITERIA`].
pub const CRITERION_IDS: [&str; 6] = [
    "inductive",
    "data-driven",
    "parameter-efficient",
    "translation-invariant",
    "parallelizable",
    "interpretable",
];

/// Mark of a cell in the paper, and whether it is arguable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Yes.
    Yes,
    /// No.
    No,
    /// Yes, but no could be argued for.
    YesBut,
    /// No, but yes could be argued for.
    NoBut,
}

impl Verdict {
    /// Whether the paper says yes.
    #[must_use]
    pub fn is_yes(self) -> bool {
        matches!(self, Self::Yes | Self::YesBut)
    }

    /// Whether the other mark could be argued for.
    #[must_use]
    pub fn is_arguable(self) -> bool {
        matches!(self, Self::YesBut | Self::NoBut)
    }

    /// The mark in words.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::YesBut => "yes, arguably",
            Self::NoBut => "no, arguably",
        }
    }
}

/// Mark and argument of a row and a column; indices from 0 in the order of [`WAYS`] and [`CRITERIA`].
#[must_use]
pub fn verdict(way: usize, criterion: usize) -> Option<(Verdict, &'static str)> {
    ARGUMENTS.get(way)?.get(criterion).copied()
}
