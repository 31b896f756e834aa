//! Numbers of a head over a text, by which heads are ordered and placed.

use crate::{
    analysis::{SpecialTokenMode, TextHeadSummary},
    figure::{format_signed, number},
};

/// A number that summarises a head's attention over a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum HeadMeasure {
    /// Toeplitz R² of the attention.
    #[default]
    AttentionR2,
    /// Toeplitz R² of the scores before softmax.
    ScoreR2,
    /// Offset with the greatest mean attention.
    PeakOffset,
    /// Mean attention to the token before the query.
    Previous,
    /// Mean attention to the token after the query.
    Next,
    /// Mean attention of a token to itself.
    Itself,
    /// Mean attention to the first token.
    First,
    /// Mean attention to special tokens other than the first token.
    Separator,
    /// Mean entropy of a row in bits.
    Entropy,
}

/// All numbers: value, identifier in links, name.
pub const HEAD_MEASURES: &[(HeadMeasure, &str, &str)] = &[
    (HeadMeasure::AttentionR2, "attention-r2", "R² of attention"),
    (HeadMeasure::ScoreR2, "score-r2", "R² of scores"),
    (HeadMeasure::PeakOffset, "peak", "peak offset"),
    (
        HeadMeasure::Previous,
        "previous",
        "share on the previous token",
    ),
    (HeadMeasure::Next, "next", "share on the next token"),
    (HeadMeasure::Itself, "self", "share on itself"),
    (HeadMeasure::First, "first", "share on the first token"),
    (HeadMeasure::Separator, "separator", "share on separators"),
    (HeadMeasure::Entropy, "entropy", "entropy in bits"),
];

impl HeadMeasure {
    /// Returns the name.
    #[must_use]
    pub fn title(self) -> &'static str {
        let entry = HEAD_MEASURES.iter().find(|(number, ..)| *number == self);
        entry.map_or("", |(.., name)| name)
    }

    /// Returns the number of a head. R² depends on the treatment of special tokens; all others count every token.
    #[must_use]
    pub fn of_head(self, head: &TextHeadSummary, special: SpecialTokenMode) -> f64 {
        match self {
            Self::AttentionR2 => head.r2(special).attention,
            Self::ScoreR2 => head.r2(special).scores,
            Self::PeakOffset => head.peak_offset as f64,
            Self::Previous => head.previous,
            Self::Next => head.next,
            Self::Itself => head.itself,
            Self::First => head.first,
            Self::Separator => head.separator,
            Self::Entropy => head.entropy,
        }
    }

    /// Formats the number of a head for the label below its thumbnail.
    #[must_use]
    pub fn label(self, head: &TextHeadSummary, special: SpecialTokenMode) -> String {
        let value = self.of_head(head, special);
        match self {
            Self::PeakOffset => format_signed(head.peak_offset),
            _ if value.is_finite() => format!("{value:.2}").replace('-', "−"),
            _ => number(value),
        }
    }
}

/// Orders heads by a number, the greatest first; heads whose number is not finite are last. Peak offsets rise.
#[must_use]
pub fn heads_by_measure(
    heads: &[TextHeadSummary],
    order: HeadMeasure,
    special: SpecialTokenMode,
) -> Vec<&TextHeadSummary> {
    let mut heads: Vec<&TextHeadSummary> = heads.iter().collect();
    let sign = if order == HeadMeasure::PeakOffset {
        1.0
    } else {
        -1.0
    };
    let key = |head: &TextHeadSummary| {
        let value = order.of_head(head, special);
        if value.is_nan() {
            f64::INFINITY
        } else {
            sign * value
        }
    };
    heads.sort_by(|a, b| {
        let by_number = key(a).total_cmp(&key(b));
        by_number.then_with(|| (a.layer, a.head).cmp(&(b.layer, b.head)))
    });
    heads
}
