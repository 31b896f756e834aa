//! Labels that a figure needs once it leaves the page, where the page around it no longer explains its vertical axis,
//! its colours and its numbers. Its [`FigureSpec`] says which; this module writes them.

use crate::{
    analysis::{BudgetSource, MatrixPart, ScoreMode, Similarity},
    figure::{Axis, Ink, number},
    figure_spec::{AxisLabel, FigureSpec, LabelNote},
    math::AttentionMask,
    model::PositionKind,
    url_state::{FigureId, Link, Sort, View},
};

/// A figure in its state on the page when it is saved.
#[derive(Debug, Clone, Copy)]
pub struct LabelContext<'a> {
    /// The figure.
    pub figure: &'a FigureSpec,
    /// The link of the page.
    pub link: &'a Link,
    /// The cells of heads and kernels that count.
    pub cells: AttentionMask,
    /// Kind of the model's positions.
    pub kind: PositionKind,
    /// Number of tokens of the text over which rotary heads take their mean query and key; `None` for other heads, and
    /// before a text has passed the model.
    pub text_tokens: Option<usize>,
}

/// Labels around a figure on its sheet.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FigureLabels {
    /// The name of the vertical axis. Empty if there is none, or if the figure draws it.
    pub down: &'static str,
    /// The name of the horizontal axis, if the figure does not draw it.
    pub across: &'static str,
    /// Whether the caption above the figure on the page is kept on the sheet. It names the snapshot, or the scaling of
    /// values.
    pub caption: bool,
    /// Legend entries: colour and name. Empty if the figure draws its own.
    pub legend: Vec<(Ink, String)>,
    /// Notes below the figure: the meaning of colours, numbers and shades.
    pub notes: Vec<String>,
}

impl FigureLabels {
    /// Returns the labels of a figure.
    #[must_use]
    pub fn new(context: LabelContext<'_>) -> Self {
        let FigureSpec {
            vertical,
            horizontal,
            keeps_caption,
            notes,
            ..
        } = *context.figure;
        let legend = notes.contains(&LabelNote::KernelLegend);
        let names_source =
            |note: &LabelNote| matches!(note, LabelNote::HeadScore { .. } | LabelNote::ScoreStates);
        let source = match notes.iter().any(names_source) {
            true => String::new(),
            false => context.text_source(),
        };
        let notes = notes.iter().map(|note| context.note(*note));
        let notes = notes.chain([source]);
        Self {
            down: context.axis_label(vertical),
            across: context.axis_label(horizontal),
            caption: keeps_caption,
            legend: if legend {
                context.kernels()
            } else {
                Vec::new()
            },
            notes: notes.filter(|note| !note.is_empty()).collect(),
        }
    }
}

impl LabelContext<'_> {
    /// Returns the name of an axis. Empty if there is none.
    fn axis_label(&self, label: AxisLabel) -> &'static str {
        match label {
            AxisLabel::None => "",
            AxisLabel::Text(name) => name,
            AxisLabel::InRows(name) if self.link.heads.sort == Sort::Layer => name,
            AxisLabel::InRows(_) => "",
            AxisLabel::PositionOrQuery if self.kind.is_relative() => Axis::Query.title(),
            AxisLabel::PositionOrQuery => Axis::PositionI.title(),
            AxisLabel::PositionMean => self.position_mean(),
            AxisLabel::SchemeScore if self.link.encodings.choice.together => "score, scaled",
            AxisLabel::SchemeScore => "score, each on its own scale",
            AxisLabel::RowProduct if self.kind.is_relative() => "score",
            AxisLabel::RowProduct => "inner product",
        }
    }

    /// Writes a note. Empty if it says nothing under this link.
    fn note(&self, note: LabelNote) -> String {
        let constant = match note {
            LabelNote::Text(text) => text,
            LabelNote::PositionColours => return self.position_colours(),
            LabelNote::PositionMean => return format!("Colour: {}.", self.position_mean()),
            LabelNote::HeadScore { before, after } => {
                return format!("{before}{}{after}", self.head_score());
            }
            LabelNote::HeadNumbers => return format!("Under each head: {}.", self.head_numbers()),
            LabelNote::KernelsInWords => return self.kernels_in_words(),
            LabelNote::KernelLegend => "",
            LabelNote::ScoreStates => return self.score_states(),
            LabelNote::WaveStates => self.wave_states(),
            LabelNote::Causal => match self.cells {
                AttentionMask::Whole => "",
                AttentionMask::Causal => "Keys after the query do not count.",
            },
            LabelNote::PatchColours => self.patch_colours(),
            LabelNote::SchemeScale if self.link.encodings.choice.together => {
                "Every scheme is shifted to 0 at k = 0 and divided by its range over the offsets shown."
            }
            LabelNote::SchemeScale => "",
            LabelNote::RowProduct if self.kind.is_relative() => {
                "Query i and key i + d. Dashed: each line if d alone decided."
            }
            LabelNote::RowProduct => "Rows i and i + d. Dashed: each line if d alone decided.",
        };
        constant.to_owned()
    }

    fn position_colours(&self) -> String {
        let of = match (self.kind.is_relative(), self.link.positions.similarity) {
            (true, _) => "score, mean over the heads of the first layer",
            (false, Similarity::InnerProduct) => "inner product of two positions",
            (false, Similarity::Cosine) => "cosine of two positions",
        };
        // The compare view shows whole matrices.
        let part = match self.link.positions.part {
            _ if self.link.view == View::Compare => "",
            MatrixPart::Whole => "",
            MatrixPart::Toeplitz => "; every diagonal replaced by its mean",
            MatrixPart::Residual => "; minus its diagonal mean",
        };
        format!("Colour: {of}{part}.")
    }

    fn position_mean(&self) -> &'static str {
        match (self.kind.is_relative(), self.link.positions.similarity) {
            (true, _) => "mean score",
            (false, Similarity::InnerProduct) => "mean inner product",
            (false, Similarity::Cosine) => "mean cosine",
        }
    }

    /// Whether heads have their scores from the mean query and key over a text.
    fn has_text_means(&self) -> bool {
        self.kind == PositionKind::Rotary && self.link.has_text_means()
    }

    /// Names the mean query and key over a text, with the number of its tokens if it has passed the model.
    fn text_means(&self) -> String {
        let tokens = match self.text_tokens {
            Some(1) => "one token".to_owned(),
            Some(tokens) => format!("{tokens} tokens"),
            None => "the tokens".to_owned(),
        };
        format!("mean query and key over {tokens} of a text")
    }

    /// A sentence on the text from which the figure takes the scores of heads. Empty for other scores.
    fn text_source(&self) -> String {
        let is_budget_of_words = self.figure.id == FigureId::PositionBudget
            && self.link.heads.budget == BudgetSource::Words;
        let is_of_heads = self.figure.shows_head_scores() || is_budget_of_words;
        match is_of_heads && self.has_text_means() {
            true => format!("Heads: {}.", self.text_means()),
            false => String::new(),
        }
    }

    /// Describes the scores of a head, and how they are computed.
    #[must_use]
    pub fn head_score(&self) -> String {
        let from = match self.link.heads.mode {
            _ if self.has_text_means() => format!("by offset alone, {}", self.text_means()),
            _ if self.kind.has_heads_by_offset() => "by offset alone".to_owned(),
            ScoreMode::Paper => "weights only".to_owned(),
            ScoreMode::AsComputed => "with LayerNorm and biases".to_owned(),
        };
        format!("positional score before softmax ({from})")
    }

    /// Describes the scores that attention is computed from.
    fn score_states(&self) -> String {
        let words = match self.link.heads.mode {
            _ if self.has_text_means() => {
                return format!(
                    "Scores depend on the offset alone, for the {}.",
                    self.text_means()
                );
            }
            _ if self.kind.has_heads_by_offset() => "Scores depend on the offset alone.",
            ScoreMode::Paper => "Scores of positions, weights only.",
            ScoreMode::AsComputed => "Scores of positions, with LayerNorm and biases.",
        };
        words.to_owned()
    }

    /// Describes the states that queries and keys are computed from in figures of waves.
    fn wave_states(&self) -> &'static str {
        match self.link.heads.mode {
            ScoreMode::Paper => "Queries and keys of the position table, weights only.",
            ScoreMode::AsComputed => {
                "Queries and keys of the position table, with LayerNorm, biases and the mean word everywhere."
            }
        }
    }

    fn head_numbers(&self) -> &'static str {
        match self.link.heads.sort {
            Sort::Peak => "its peak offset",
            Sort::Layer | Sort::R2 => "its Toeplitz R²",
        }
    }

    fn patch_colours(&self) -> &'static str {
        match self.link.image_models.similarity {
            _ if self.kind.is_relative() => {
                "Colour: score by (Δy, Δx), each head on its own scale; the query is in the middle."
            }
            Similarity::Cosine => "Colour: cosine of two patches’ position embeddings.",
            Similarity::InnerProduct => {
                "Colour: inner product of two patches’ position embeddings."
            }
        }
    }

    /// Returns the legend of the kernels on the sliders.
    fn kernels(&self) -> Vec<(Ink, String)> {
        let kernels = self.link.kernels.kernels.0.iter().enumerate();
        let entries = kernels.map(|(at, kernel)| {
            let muted = if kernel.is_muted { ", muted" } else { "" };
            let text = format!(
                "kernel {}: a = {}, b = {}, c = {}{muted}",
                at + 1,
                number(kernel.a),
                number(kernel.b),
                number(kernel.c)
            );
            (Ink::Category(at), text)
        });
        entries.collect()
    }

    /// Lists the kernels that are not muted, for figures whose colours do not distinguish them.
    fn kernels_in_words(&self) -> String {
        let kernels = self.link.kernels.kernels.0.iter();
        let each: Vec<String> = kernels
            .filter(|kernel| !kernel.is_muted)
            .map(|kernel| {
                let (a, b, c) = (number(kernel.a), number(kernel.b), number(kernel.c));
                format!("({a}, {b}, {c})")
            })
            .collect();
        match each.is_empty() {
            true => String::new(),
            false => format!("Kernels (a, b, c): {}.", each.join(", ")),
        }
    }
}
