//! Labels that a figure needs once it leaves the page, where the page around it no longer explains its vertical axis,
//! its colours and its numbers.

use crate::{
    analysis::{MatrixPart, ScoreMode, Similarity},
    figure::{Axis, Ink, number},
    math::AttentionMask,
    url_state::{Link, Sort, View},
};

/// The subject of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelScope {
    /// The open model.
    Model,
    /// The open head.
    Head,
    /// The head of the first layer with the same number as the open head.
    FirstLayer,
    /// The kernels on the sliders.
    Kernels,
    /// The sinusoidal table of the encodings view.
    Sinusoid,
    /// Named by the figure itself: schemes, several models, a training run.
    Itself,
}

/// A figure in its state on the page when it is saved.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// Identifier of the figure.
    pub figure: &'a str,
    /// The link of the page.
    pub link: &'a Link,
    /// The cells of heads and kernels that count.
    pub cells: AttentionMask,
    /// Whether the model's positions are scores by offset instead of vectors that could be compared.
    pub is_relative: bool,
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

/// Returns the subject of a figure.
#[must_use]
pub fn about(figure: &str, link: &Link) -> LabelScope {
    match figure {
        // In the compare view, the caller names the model.
        "position-matrix" | "offset-profile" | "toeplitz-scores" | "grid-profile"
        | "position-table" | "autocorrelation" | "head-grid" | "fit-grid" | "spectrum"
        | "spectrum-columns" | "components" | "component-waves" | "component-path" | "columns"
        | "column-spectra" | "density" | "value-histogram" | "sinusoid-test" | "layer-spectrum"
        | "head-clusters" | "cluster-traces" | "head-convolution" | "grid-similarity" => {
            LabelScope::Model
        }
        "head-matrix"
        | "head-profile"
        | "head-grid-profile"
        | "head-sections"
        | "kernel-fit"
        | "fit-residual"
        | "fit-curve"
        | "fit-attention"
        | "fit-head-attention"
        | "head-scores"
        | "added-scores"
        | "head-attention"
        | "added-attention"
        | "attention-looks"
        | "head-waves"
        | "head-cross-correlation"
        | "head-cross-covariance"
        | "head-rotation" => LabelScope::Head,
        "kernel-function" | "kernel-matrix" | "kernel-attention" => LabelScope::Kernels,
        "first-layer-embeddings"
        | "first-layer-added"
        | "first-layer-instead"
        | "first-layer-none" => LabelScope::FirstLayer,
        "flat-lines" if link.encodings.chosen.open_lines => LabelScope::Model,
        "flat-lines" | "phasors" => LabelScope::Sinusoid,
        _ => LabelScope::Itself,
    }
}

impl LabelScope {
    /// Returns whether the subject is the open model or a part of it.
    #[must_use]
    pub fn is_of_model(self) -> bool {
        matches!(self, Self::Model | Self::Head | Self::FirstLayer)
    }
}

impl FigureLabels {
    /// Returns the labels of a figure.
    #[must_use]
    pub fn new(shown: Shown<'_>) -> Self {
        let words = Self::default();
        match shown.figure {
            "position-matrix" => {
                let down = if shown.is_relative {
                    Axis::Query
                } else {
                    Axis::PositionI
                };
                words.down(down.title()).note(shown.position_colours())
            }
            "offset-profile" => words.down(shown.position_mean()).note(MEAN_AND_SPREAD),
            "toeplitz-scores" => words.note(
                "Toeplitz R² from 0 to 1: the thick bar without k = 0, the thin one of all cells.",
            ),
            "grid-profile" => words
                .down("Δy")
                .note(format!("Colour: {}.", shown.position_mean())),
            "position-table" => words.down("position").note(VALUES),
            "training-table" => words.captioned().down("position").note(VALUES),
            "autocorrelation" => words
                .down("|autocorrelation|")
                .note("Line: mean over the columns; shade: their quartiles."),
            "head-grid" => shown
                .grid(words, shown.head_numbers())
                .note("Colours: each head on a scale of its own."),
            "head-matrix" => words
                .down("query i")
                .note(format!("Colour: {}.", shown.head_score()))
                .note(shown.seen()),
            "head-profile" => words
                .down("mean score")
                .note(MEAN_AND_SPREAD)
                .note(format!("Score: {}.", shown.head_score())),
            "head-grid-profile" => words
                .down("Δy")
                .note(format!("Colour: mean {}.", shown.head_score())),
            "head-sections" => words
                .down("score")
                .note(format!("Score: {}.", shown.head_score())),
            "spectrum" => words.down("amplitude").note(
                "Line: mean of |DFT| over the columns; shade: their quartiles; dashed: the sinusoidal table of that \
                 size, multiplied by the number beside it so that both tables have the same norm.",
            ),
            "spectrum-columns" => words.note("Colour: amplitude |DFT| of the column."),
            "components" => words.down("share of the variance"),
            "component-waves" => words.down("coordinate"),
            "component-path" => words.note(
                "The path of the positions, in their order; in space, what lies behind is thinner.",
            ),
            "value-histogram" => words.note("A Gaussian of the same mean and variance beside it."),
            "columns" => words.down("value"),
            "column-spectra" => words.down("amplitude |DFT|"),
            "density" => words.note("Colour: density of the values around a position."),
            "sinusoid-test" => words.note(
                "Shares from 0 to 1. Distances are those to computed tables, their columns in the best order and in \
                 their own: 0 is the same table, 1 has nothing in common.",
            ),
            "head-waves" => words.note(shown.wave_states()).note(
                "Columns of the redefined queries and keys, each row on a scale of its own; s: singular value; ↔: sine \
                 and cosine of one frequency.",
            ),
            "head-cross-correlation" => words
                .down("cross-correlation")
                .note(shown.wave_states())
                .note("Each line less its mean over the offsets |k| ≤ 20."),
            "head-cross-covariance" => words.down("Σ s · cross-covariance").note(shown.wave_states()),
            "head-rotation" => words
                .note(shown.wave_states())
                .note(
                    "Colour: amplitude of queries along the eigenvectors of that angle. White line, where there is one: \
                     the one shift that describes the head.",
                ),
            "layer-spectrum" => words
                .note(shown.wave_states())
                .note("Colour: greatest amplitude of any head of the layer."),
            "head-clusters" => words.note(
                "Positional attention as the model computes it, the mean word everywhere.",
            ),
            "gaussian-heads" => words.note(
                "Square: the pixel that asks. Inside the solid ring lies half of a head’s attention, inside the dotted \
                 one nine tenths.",
            ),
            "query-attention" => words.down("attention").note(
                "Attention of the marked pixel, each map from 0 to the value under it.",
            ),
            "filtered-image" => {
                words.note("Heads: multi-head attention with one head a tap of the kernel.")
            }
            "convolution-error" => words.down("greatest difference / range").note(
                "Black: over the whole image; blue: where the kernel sees no edge.",
            ),
            "cluster-traces" => words.down("share of attention"),
            "head-convolution" => Self {
                down: "layer",
                across: "heads of a layer in reading order",
                ..words
            }
            .note(
                "Mean positional attention around the query, each head on a scale of its own from zero. Under each: \
                 share of the attention’s variance that the offset explains, and the letter of the profile that heads \
                 of a layer share but for where it is centred.",
            )
            .note(shown.head_score_of()),
            "grid-similarity" if shown.is_relative => words.captioned().note(
                "Colour: score by (Δy, Δx), each head on a scale of its own; the query stands in the middle.",
            ),
            "grid-similarity" => words.captioned().note(match shown.link.image_models.similarity {
                Similarity::Cosine => "Colour: cosine of two patches’ position embeddings.",
                Similarity::InnerProduct => {
                    "Colour: inner product of two patches’ position embeddings."
                }
            }),
            "kernel-function" => shown.kernels(words.down("f(k)")),
            "kernel-matrix" => words
                .down("query i")
                .note("Colour: score f(j − i).")
                .note(shown.kernels_in_words())
                .note(shown.seen()),
            "kernel-attention" => words
                .down("query i")
                .note("Colour: attention, the softmax of f(j − i).")
                .note(shown.kernels_in_words())
                .note(shown.seen()),
            "head-scores" => words
                .down("query i")
                .note(format!("Colour: {}.", shown.head_score()))
                .note(shown.seen()),
            "added-scores" => words
                .down("query i")
                .note(format!(
                    "Colour: {}, and f(j − i) added.",
                    shown.head_score()
                ))
                .note(shown.kernels_in_words())
                .note(shown.seen()),
            "added-attention" => words
                .down("query i")
                .note("Colour: attention, the softmax of the head’s scores and f(j − i).")
                .note(shown.kernels_in_words())
                .note(shown.seen()),
            "attention-looks" => words
                .down("share of attention")
                .note("The share that goes to each offset, averaged over the queries.")
                .note(shown.kernels_in_words())
                .note(shown.seen()),
            "kernel-fit" => words
                .down("mean score")
                .note("Kernels are moved to the level of the fit."),
            "fit-residual" => words.down("profile − fit"),
            "fit-grid" => shown.grid(words, "R² of the fit to its profile").note(
                "Grey: the head’s profile for |k| ≤ 64; blue: the fit. Each on a scale of its own.",
            ),
            "fit-attention" => words
                .down("query i")
                .note("Colour: attention that the fitted kernels alone make.")
                .note(shown.seen()),
            "head-attention" | "fit-head-attention" => words
                .down("query i")
                .note("Colour: attention that the head’s positions alone make.")
                .note(shown.seen()),
            "first-layer-embeddings" => shown.first_layer(words, "with its position embeddings"),
            "first-layer-added" => {
                shown.first_layer(words, "with its position embeddings and the kernels (4a)")
            }
            "first-layer-instead" => shown.first_layer(
                words,
                "with the kernels instead of position embeddings (4b)",
            ),
            "first-layer-none" => shown.first_layer(words, "without any position"),
            "encoding-profile" if shown.link.encodings.chosen.together => words
                .down("score, scaled")
                .note("Every scheme moved to 0 at k = 0 and divided by its range over the offsets shown."),
            "encoding-profile" => words.down("score, each on a scale of its own"),
            "flat-lines" if shown.is_relative => words.down("score").note(
                "Query i and key i + d; dashed, what each line would be if d decided alone.",
            ),
            "flat-lines" => words
                .down("inner product")
                .note("Rows i and i + d; dashed, what each line would be if d decided alone."),
            "compare-profiles" => words.captioned().down("f(k)"),
            "compare-heads" => {
                words.note("Colour: Toeplitz R². A row of cells is a layer, a column a head.")
            }
            "training-matrix" => words
                .captioned()
                .down(Axis::PositionI.title())
                .note("Colour: cosine of two positions."),
            // The remaining figures need no labels: tables, bars with labels, named axes.
            _ => words,
        }
    }

    fn down(mut self, name: &'static str) -> Self {
        self.down = name;
        self
    }

    fn captioned(mut self) -> Self {
        self.caption = true;
        self
    }

    fn note(mut self, note: impl Into<String>) -> Self {
        let note = note.into();
        if !note.is_empty() {
            self.notes.push(note);
        }
        self
    }
}

const VALUES: &str = "Colour: value of the position embedding.";

const MEAN_AND_SPREAD: &str =
    "Line: mean of each diagonal; shade: one standard deviation to either side.";

impl Shown<'_> {
    fn position_colours(&self) -> String {
        let of = match (self.is_relative, self.link.positions.similarity) {
            (true, _) => "score, mean over the heads of the first layer",
            (false, Similarity::InnerProduct) => "inner product of two positions",
            (false, Similarity::Cosine) => "cosine of two positions",
        };
        // The compare view shows whole matrices.
        let part = match self.link.positions.part {
            _ if self.link.view == View::Compare => "",
            MatrixPart::Whole => "",
            MatrixPart::Toeplitz => "; every diagonal replaced by its mean",
            MatrixPart::Residual => "; less the mean of its diagonal",
        };
        format!("Colour: {of}{part}.")
    }

    fn position_mean(&self) -> &'static str {
        match (self.is_relative, self.link.positions.similarity) {
            (true, _) => "mean score",
            (false, Similarity::InnerProduct) => "mean inner product",
            (false, Similarity::Cosine) => "mean cosine",
        }
    }

    fn head_score(&self) -> &'static str {
        match self.link.heads.mode {
            _ if self.is_relative => "positional score before softmax (by offset alone)",
            ScoreMode::Paper => "positional score before softmax (without biases and LayerNorm)",
            ScoreMode::AsComputed => "positional score before softmax (as the model computes it)",
        }
    }

    /// Describes the scores that attention is computed from.
    fn head_score_of(&self) -> &'static str {
        match self.link.heads.mode {
            _ if self.is_relative => "Scores depend on the offset alone.",
            ScoreMode::Paper => "Scores are those of positions without biases and LayerNorm.",
            ScoreMode::AsComputed => "Scores are those of positions as the model computes them.",
        }
    }

    /// Describes the states that queries and keys are computed from in figures of waves.
    fn wave_states(&self) -> &'static str {
        match self.link.heads.mode {
            ScoreMode::Paper => "Queries and keys of the position table as it is stored.",
            ScoreMode::AsComputed => {
                "Queries and keys of the position table as the model computes it, the mean word everywhere."
            }
        }
    }

    fn head_numbers(&self) -> &'static str {
        match self.link.heads.sort {
            Sort::Peak => "the offset of its peak",
            Sort::Layer | Sort::R2 => "its Toeplitz R²",
        }
    }

    fn seen(&self) -> &'static str {
        match self.cells {
            AttentionMask::Whole => "",
            AttentionMask::Causal => "Keys after the query do not count.",
        }
    }

    /// Labels of a grid of small heads.
    fn grid(&self, words: FigureLabels, number: &str) -> FigureLabels {
        let in_rows = self.link.heads.sort == Sort::Layer;
        let words = if in_rows {
            FigureLabels {
                down: "layer",
                across: "heads of a layer in reading order",
                ..words
            }
        } else {
            words
        };
        words
            .note(format!("Under each head: {number}."))
            .note(self.seen())
    }

    /// Adds the kernels on the sliders to the legend.
    fn kernels(&self, mut words: FigureLabels) -> FigureLabels {
        let kernels = self.link.kernels.kernels.0.iter().enumerate();
        words.legend.extend(kernels.map(|(at, kernel)| {
            let muted = if kernel.muted { ", muted" } else { "" };
            let text = format!(
                "kernel {}: a = {}, b = {}, c = {}{muted}",
                at + 1,
                number(kernel.a),
                number(kernel.b),
                number(kernel.c)
            );
            (Ink::Category(at), text)
        }));
        words
    }

    /// Lists the kernels that are not muted, for figures whose colours do not distinguish them.
    fn kernels_in_words(&self) -> String {
        let kernels = self.link.kernels.kernels.0.iter();
        let each: Vec<String> = kernels
            .filter(|kernel| !kernel.muted)
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

    fn first_layer(&self, words: FigureLabels, how: &str) -> FigureLabels {
        words
            .down("query i")
            .note(format!("Colour: attention in the first layer {how}."))
            .note(self.seen())
    }
}
