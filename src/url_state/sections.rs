//! Sections of positions, heads, kernels and the cursor. Each belongs to one view, or is shared by the views that show
//! the same thing.

use super::{
    View,
    codec::{
        Decimal, FromOne, HeadFromOne, KernelList, Maybe, OneOf, OneOfNamed, PinnedCell, Whole,
        ZoomedWindow,
    },
    kernel_ranges::AMPLITUDES,
    score_terms::{DRAWS, TermList, TermWords},
    section::fields,
};
use crate::{
    analysis::{BudgetSource, MAX_LENGTH, MIN_LENGTH, MatrixPart, ScoreMode, Similarity, TermSet},
    encoding::{Kernel, Kernels},
    figure::{COLOR_MAPS, ColorMap, FrequencyColours, FrequencyLook},
    math::{AttentionMask, Window},
};
use std::ops::RangeInclusive;

/// Percent of the values that may lie beyond either end of a colour bar.
pub const CLIPS: RangeInclusive<f64> = 0.0..=20.0;

/// How positions are compared. Shared with the view that compares models.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PositionsSection {
    /// Inner product or cosine of two positions.
    pub similarity: Similarity,
    /// The part of their matrix that is shown.
    pub part: MatrixPart,
    /// Whether their profile is drawn at all offsets instead of those of the matrix beside it.
    pub all_offsets: bool,
    /// Whether the autocorrelation is drawn at all lags instead of the first ones.
    pub all_lags: bool,
}

fields! { PositionsSection {
    "compare" => similarity: OneOf(&[
        (Similarity::InnerProduct, "inner"),
        (Similarity::Cosine, "cosine"),
    ]);
    "part" => part: OneOf(&[
        (MatrixPart::Whole, "whole"),
        (MatrixPart::Toeplitz, "toeplitz"),
        (MatrixPart::Residual, "residual"),
    ]);
    "offsets" => all_offsets: OneOf(&[(false, "matrix"), (true, "all")]);
    "lags" => all_lags: OneOf(&[(false, "near"), (true, "all")]);
}}

/// How matrices are drawn, in all views.
#[derive(Debug, Clone, PartialEq)]
pub struct MatricesSection {
    /// The zoomed window.
    pub window: Option<Window>,
    /// Colour map. The default is diverging: scores have a sign, so zero has a colour of its own.
    pub map: ColorMap,
    /// Percent of the values beyond either end of the colour bar.
    pub clip: f64,
}

impl Default for MatricesSection {
    fn default() -> Self {
        Self {
            window: None,
            map: ColorMap::Diverging,
            clip: 1.0,
        }
    }
}

fields! { MatricesSection {
    "window" => window: ZoomedWindow;
    "map" => map: OneOfNamed(COLOR_MAPS);
    "clip" => clip: Decimal(CLIPS);
}}

/// Order of the head grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// By layer, then head.
    #[default]
    Layer,
    /// Most Toeplitz first.
    R2,
    /// By the offset of the profile's peak.
    Peak,
}

/// R² by which the head grid labels and ranks heads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RankingR2 {
    /// Of the scores.
    #[default]
    Scores,
    /// Of the scores without row means.
    WithoutRowMeans,
    /// Weighted by attention.
    Attention,
}

/// Words whose mean query and key give the heads of rotary models their scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CenterWords {
    /// Those that weights alone determine: the mean word, or biases.
    #[default]
    Weights,
    /// The tokens of the text of the text view, which the link names.
    Text,
    /// The tokens of a text that the visitor typed. A link has no such text, so that it leaves this choice out.
    TypedText,
}

impl CenterWords {
    /// Whether they are the tokens of a text.
    #[must_use]
    pub fn is_text(self) -> bool {
        self != Self::Weights
    }
}

/// The open head, and how heads are shown.
#[derive(Debug, Clone, PartialEq)]
pub struct HeadsSection {
    /// Layer from 0.
    pub layer: usize,
    /// Head from 0.
    pub head: usize,
    /// The paper's equations or the model's own computation.
    pub mode: ScoreMode,
    /// The cells of heads and kernels that count. `None` for those that the model uses.
    pub cells: Option<AttentionMask>,
    /// Order of the head grid.
    pub sort: Sort,
    /// R² of the head grid.
    pub r2: RankingR2,
    /// Whether entropies of all layers are shown, not of the open layer alone.
    pub all_entropies: bool,
    /// Whether the sections of a layer's heads have one scale, not one for each head.
    pub common_section_scale: bool,
    /// Whether kernels are fitted to these sections.
    pub section_fits: bool,
    /// Words over which mean queries and keys of rotary heads are taken.
    pub centers: CenterWords,
    /// Words over which the position budget of rotary heads is taken.
    pub budget: BudgetSource,
    /// The look of the map of wavelengths that rotary heads use.
    pub frequencies: FrequencyLook,
    /// Layer and head, from 0, of a second head that is shown beside the open one.
    pub second: Option<(usize, usize)>,
    /// Words at the positions of the figure of score terms.
    pub term_words: TermWords,
    /// Seed of its random words.
    pub draw: u32,
    /// Its terms that are added up.
    pub terms: TermSet,
}

impl Default for HeadsSection {
    fn default() -> Self {
        Self {
            layer: 0,
            head: 0,
            mode: ScoreMode::default(),
            cells: None,
            sort: Sort::default(),
            r2: RankingR2::default(),
            all_entropies: false,
            common_section_scale: false,
            section_fits: false,
            centers: CenterWords::default(),
            budget: BudgetSource::default(),
            frequencies: FrequencyLook::default(),
            second: None,
            term_words: TermWords::default(),
            draw: *DRAWS.start(),
            terms: TermSet::default(),
        }
    }
}

fields! { HeadsSection {
    "layer" in View::Heads => layer: FromOne;
    "head" in View::Heads => head: FromOne;
    "mode" => mode: OneOf(&[(ScoreMode::Paper, "paper"), (ScoreMode::AsComputed, "computed")]);
    "cells" => cells: OneOf(&[
        (None, "model"),
        (Some(AttentionMask::Whole), "whole"),
        (Some(AttentionMask::Causal), "causal"),
    ]);
    "sort" => sort: OneOf(&[
        (Sort::Layer, "layer"),
        (Sort::R2, "r2"),
        (Sort::Peak, "peak"),
    ]);
    "r2" => r2: OneOf(&[
        (RankingR2::Scores, "scores"),
        (RankingR2::WithoutRowMeans, "centred"),
        (RankingR2::Attention, "attention"),
    ]);
    "entropies" => all_entropies: OneOf(&[(false, "layer"), (true, "all")]);
    "section-scales" => common_section_scale: OneOf(&[(false, "own"), (true, "common")]);
    "section-fits" => section_fits: OneOf(&[(false, "none"), (true, "kernels")]);
    "centres" => centers: OneOf(&[
        (CenterWords::Weights, "weights"),
        (CenterWords::Text, "text"),
    ]);
    "budget" => budget: OneOf(&[
        (BudgetSource::Words, "words"),
        (BudgetSource::Weights, "weights"),
    ]);
    "wavelengths" => frequencies: OneOf(FREQUENCY_LOOKS);
    "second" => second: Maybe(HeadFromOne);
    "term-words" => term_words: OneOf(&[
        (TermWords::Mean, "mean"),
        (TermWords::Random, "random"),
        (TermWords::Ids, "ids"),
    ]);
    "draw" => draw: Whole(DRAWS);
    "terms" => terms: TermList;
}}

/// The looks of the map of wavelengths: colours, and whether heads are in the order of their effective pairs.
const FREQUENCY_LOOKS: &[(FrequencyLook, &str)] = &[
    (frequency_look(FrequencyColours::Share, false), "layer"),
    (frequency_look(FrequencyColours::Share, true), "pairs"),
    (
        frequency_look(FrequencyColours::StoredShare, false),
        "weights",
    ),
    (
        frequency_look(FrequencyColours::StoredShare, true),
        "weights-pairs",
    ),
    (frequency_look(FrequencyColours::Bound, false), "bound"),
    (frequency_look(FrequencyColours::Bound, true), "bound-pairs"),
    (
        frequency_look(FrequencyColours::Concentration, false),
        "concentration",
    ),
    (
        frequency_look(FrequencyColours::Concentration, true),
        "concentration-pairs",
    ),
];

const fn frequency_look(colours: FrequencyColours, by_effective_pairs: bool) -> FrequencyLook {
    FrequencyLook {
        colours,
        by_effective_pairs,
    }
}

/// The kernels on the sliders.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelsSection {
    /// The kernels, muted ones included.
    pub kernels: Kernels,
    /// The length n, if chosen; see [`Self::length_beside`].
    pub length: Option<usize>,
    /// Whether they are shown alone instead of beside the open head and added to it.
    pub alone: bool,
    /// The chosen window of their matrices; see [`Self::window_of`].
    pub window: Option<Window>,
}

/// The length at which the kernels view starts, and that of kernels that are not beside a head.
pub const STARTING_LENGTH: usize = 64;
/// The longest matrices that are shown whole by default.
const WHOLE_UP_TO: usize = 1024;
/// The side of the default window of longer ones.
const SIDE: usize = 256;

impl KernelsSection {
    /// Returns the length n: the chosen one, else the number of positions of the open model's heads.
    #[must_use]
    pub fn length_beside(&self, heads: Option<usize>) -> usize {
        let natural = heads.map_or(STARTING_LENGTH, |n| n.clamp(MIN_LENGTH, MAX_LENGTH));
        self.length.unwrap_or(natural)
    }

    /// Lengthens n to that of the open model's heads if it is the one that the view starts at and a kernel has its
    /// centre beyond it, as fitted kernels may.
    pub fn lengthen_for_centres(&mut self) {
        let is_beyond = |kernel: &Kernel| kernel.c.abs() >= STARTING_LENGTH as f64;
        if self.length == Some(STARTING_LENGTH) && self.kernels.0.iter().any(is_beyond) {
            self.length = None;
        }
    }

    /// Returns the window of matrices of n positions: the chosen one, cut to the matrix. By default a short matrix is
    /// shown whole, and a long one in a window around the middle of its diagonal, where kernels have their values.
    #[must_use]
    pub fn window_of(&self, n: usize) -> Window {
        match &self.window {
            Some(window) => window.within(n, n),
            None if n <= WHOLE_UP_TO => Window::whole(n, n),
            None => {
                let around = (n - SIDE) / 2..(n + SIDE) / 2;
                Window {
                    rows: around.clone(),
                    cols: around,
                }
            }
        }
    }
}

impl Default for KernelsSection {
    fn default() -> Self {
        Self {
            kernels: default_kernels(),
            length: None,
            alone: true,
            window: None,
        }
    }
}

fields! { KernelsSection {
    "kernels" => kernels: KernelList;
    "n" => length: Maybe(Whole(MIN_LENGTH..=MAX_LENGTH));
    "added" => alone: OneOf(&[(false, "head"), (true, "alone")]);
    "kernel-window" => window: ZoomedWindow;
}}

/// Three kernels that show the effect of each number: one attends back, one ahead and wide, one away.
#[must_use]
pub fn default_kernels() -> Kernels {
    Kernels(vec![
        Kernel::new(2.6, 0.25, -1.0),
        Kernel::new(1.2, 0.02, 3.0),
        Kernel::new(-0.8, 0.9, 0.0),
    ])
}

/// Returns the kernels on the sliders before any was moved. Beside a head they are scaled so that the span of their sum
/// (greatest minus least value) equals `span`, that of the head's profile.
#[must_use]
pub fn starting_kernels(span: Option<f64>) -> Kernels {
    let mut kernels = default_kernels();
    let own = kernels
        .scores(STARTING_LENGTH)
        .profile()
        .span(AttentionMask::Whole);
    // The span of a profile that is flat up to rounding is ignored.
    let span = span.filter(|span| (1e-9..1e9).contains(span));
    if let Some(factor) = span.map(|span| span / own) {
        for kernel in &mut kernels.0 {
            let a = three_digits(kernel.a * factor);
            kernel.a = a.clamp(*AMPLITUDES.start(), *AMPLITUDES.end());
        }
    }
    kernels
}

/// Rounds a number to three significant digits, as one would type it.
fn three_digits(value: f64) -> f64 {
    let places = 2 - value.abs().log10().floor() as i32;
    // Positive powers of ten are exact, so the result is the float nearest to the decimal.
    if places < 0 {
        let unit = 10_f64.powi(-places);
        (value / unit).round() * unit
    } else {
        let units = 10_f64.powi(places);
        (value * units).round() / units
    }
}

/// The cursor that all figures share.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CursorSection {
    /// A pinned cell, row and column.
    pub pin: Option<(usize, usize)>,
}

fields! { CursorSection {
    "pin" => pin: PinnedCell;
}}
