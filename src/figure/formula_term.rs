//! Terms of formulas that stand for pictures.

use crate::analysis::ScorePart;

/// A term of a formula that stands for a picture, or for a part of one. It is the same in all formulas and pictures of
/// the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FormulaTerm {
    /// A part of the scores, by what query and key contribute (TISA paper, eq. 2; Cordonnier et al., eq. 4).
    Part(ScorePart),
    /// The sum of the parts.
    PartSum,
    /// Scores of the open head: F̂_P (TISA paper, eq. 12), or A as the model computes them.
    HeadScores,
    /// Scores F_P of the kernels on the sliders (TISA paper, eq. 4).
    KernelScores,
    /// Scores of the first layer with its position embeddings (TISA paper, eq. 4a).
    EmbeddingScores,
    /// Scores of the first layer with the mean position embedding everywhere (TISA paper, eq. 4b).
    ContentScores,
    /// The summand of a quadratic head, from 0 (Cordonnier et al., eq. 10 to 13).
    ImageHead(usize),
}

impl FormulaTerm {
    /// The terms that formulas mark. Those of quadratic heads are in a table.
    pub const IN_FORMULAS: [Self; 9] = [
        Self::PartSum,
        Self::Part(ScorePart::ContentContent),
        Self::Part(ScorePart::ContentPosition),
        Self::Part(ScorePart::PositionContent),
        Self::Part(ScorePart::PositionPosition),
        Self::HeadScores,
        Self::KernelScores,
        Self::EmbeddingScores,
        Self::ContentScores,
    ];

    /// Returns the term of a part. `None` for the rest, which no formula has.
    #[must_use]
    pub fn from_part(part: ScorePart) -> Option<Self> {
        (part != ScorePart::Rest).then_some(Self::Part(part))
    }

    /// Returns the term of [`Self::IN_FORMULAS`] with a key.
    #[must_use]
    pub fn from_key(key: &str) -> Option<Self> {
        Self::IN_FORMULAS.into_iter().find(|term| term.key() == key)
    }

    /// Returns the key: the value of `data-term` in formulas and on the page.
    #[must_use]
    pub fn key(self) -> String {
        let key = match self {
            Self::Part(ScorePart::ContentContent) => "cc",
            Self::Part(ScorePart::ContentPosition) => "cp",
            Self::Part(ScorePart::PositionContent) => "pc",
            Self::Part(ScorePart::PositionPosition) => "pp",
            Self::Part(ScorePart::Rest) => "rest",
            Self::PartSum => "sum",
            Self::HeadScores => "head-scores",
            Self::KernelScores => "kernel-scores",
            Self::EmbeddingScores => "embedding-scores",
            Self::ContentScores => "content-scores",
            Self::ImageHead(head) => return format!("head-{}", head + 1),
        };
        key.to_owned()
    }

    /// Returns the name of the picture that the term stands for.
    #[must_use]
    pub fn name(self) -> String {
        let name = match self {
            Self::Part(part) => part_name(part),
            Self::PartSum => "sum of scores",
            Self::HeadScores => "scores of the head",
            Self::KernelScores => "scores of the kernels",
            Self::EmbeddingScores => "scores with position embeddings",
            Self::ContentScores => "scores without positions",
            Self::ImageHead(head) => return format!("head {}", head + 1),
        };
        name.to_owned()
    }
}

/// Returns the name of a part: the query's contribution, then the key's.
#[must_use]
pub fn part_name(part: ScorePart) -> &'static str {
    match part {
        ScorePart::ContentContent => "content–content",
        ScorePart::ContentPosition => "content–position",
        ScorePart::PositionContent => "position–content",
        ScorePart::PositionPosition => "position–position",
        ScorePart::Rest => "rest",
    }
}

/// Returns the term after the current one among the terms of a picture, or with `back` the term before it; at an end the
/// one at the other end. Without a current one it is the first term, or with `back` the last.
#[must_use]
pub fn next_term(
    terms: &[FormulaTerm],
    current: Option<FormulaTerm>,
    back: bool,
) -> Option<FormulaTerm> {
    let at = terms.iter().position(|term| Some(*term) == current);
    let count = terms.len();
    let next = match (at, back) {
        (None, false) => 0,
        (None, true) => count.checked_sub(1)?,
        (Some(at), false) => (at + 1) % count,
        (Some(at), true) => (at + count - 1) % count,
    };
    terms.get(next).copied()
}
