//! The sections that are read with the link, before the first paint. Each is owned by one view or shared by
//! the views that show the same thing.

use super::{
    View,
    codec::{Decimal, FromOne, KernelList, Listed, Maybe, OneOf, PinnedCell, Whole, ZoomedWindow},
    section::fields,
};
use crate::{
    analysis::{MAX_LENGTH, MIN_LENGTH, MatrixPart, ScoreMode, Similarity},
    encoding::{Kernel, Kernels},
    figure::{COLOR_MAPS, ColorMap},
    math::{AttentionMask, Window},
};
use std::ops::RangeInclusive;

/// Amplitudes a kernel may have.
pub const AMPLITUDES: RangeInclusive<f64> = -1e6..=1e6;
/// Sharpnesses a kernel may have.
pub const SHARPNESSES: RangeInclusive<f64> = 0.0..=100.0;
/// Centres a kernel may have.
pub const CENTRES: RangeInclusive<f64> = -65_536.0..=65_536.0;
/// Percent of the values that may lie beyond either end of a colour bar.
pub const CLIPS: RangeInclusive<f64> = 0.0..=20.0;

/// How positions are compared; also in the view that compares models.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PositionsSection {
    /// The inner product of two positions, or its cosine.
    pub similarity: Similarity,
    /// Which part of their matrix is shown.
    pub part: MatrixPart,
    /// Whether their profile is shown at all offsets, and not at those of the matrix beside it.
    pub all_offsets: bool,
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
}}

/// How matrices are drawn, in every view that draws some.
#[derive(Debug, Clone, PartialEq)]
pub struct MatricesSection {
    /// The window that is zoomed to.
    pub window: Option<Window>,
    /// Their colours. Scores have a sign, so their zero has a colour of its own unless others are chosen.
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
    "map" => map: Listed(COLOR_MAPS);
    "clip" => clip: Decimal(CLIPS);
}}

/// How the head grid is ordered.
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

/// Which head is open, and how heads are shown.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HeadsSection {
    /// Layer from 0.
    pub layer: usize,
    /// Head from 0.
    pub head: usize,
    /// Paper's equations or the model's own computation.
    pub mode: ScoreMode,
    /// Which cells of heads and kernels count; `None` for those that the model uses.
    pub cells: Option<AttentionMask>,
    /// Order of the head grid.
    pub sort: Sort,
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
}}

/// The kernels on the sliders.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelsSection {
    /// The kernels.
    pub kernels: Kernels,
    /// Their length n, where it was chosen; see [`Self::length_beside`].
    pub length: Option<usize>,
    /// Whether they stand alone, or beside the open head and added to it.
    pub alone: bool,
    /// The window of their matrices that was chosen, see [`Self::window_of`].
    pub window: Option<Window>,
}

/// The length of kernels that stand beside no head.
const LENGTH_ALONE: usize = 64;
/// The longest matrices that are shown as a whole unless somebody chooses otherwise.
const WHOLE_UP_TO: usize = 1024;
/// The side of the window that is shown of longer ones.
const SIDE: usize = 256;

impl KernelsSection {
    /// The length n: the one that was chosen, else that of the open model's heads, which have so many positions.
    #[must_use]
    pub fn length_beside(&self, heads: Option<usize>) -> usize {
        let natural = heads.map_or(LENGTH_ALONE, |n| n.clamp(MIN_LENGTH, MAX_LENGTH));
        self.length.unwrap_or(natural)
    }

    /// The window that is shown of matrices of n positions: the one that was chosen, as far as it lies in them. Where
    /// there is none, all of a short matrix, and of a long one a window around its diagonal, where kernels are.
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

/// Three kernels that show what each number does: one looks back, one ahead and wide, one away.
#[must_use]
pub fn default_kernels() -> Kernels {
    Kernels(vec![
        Kernel::new(2.6, 0.25, -1.0),
        Kernel::new(1.2, 0.02, 3.0),
        Kernel::new(-0.8, 0.9, 0.0),
    ])
}

/// The kernels that stand on the sliders before anybody has touched them. Beside a head they have its size: their sum
/// reaches as far from its least to its greatest value as the head's profile does, which is `span`.
#[must_use]
pub fn starting_kernels(span: Option<f64>) -> Kernels {
    let mut kernels = default_kernels();
    let own = kernels
        .scores(LENGTH_ALONE)
        .profile()
        .span(AttentionMask::Whole);
    // A profile that is flat but for its rounding has no size.
    let span = span.filter(|span| (1e-9..1e9).contains(span));
    if let Some(factor) = span.map(|span| span / own) {
        for kernel in &mut kernels.0 {
            let a = three_digits(kernel.a * factor);
            kernel.a = a.clamp(*AMPLITUDES.start(), *AMPLITUDES.end());
        }
    }
    kernels
}

/// A number rounded to three digits, as one would type it.
fn three_digits(value: f64) -> f64 {
    let places = 2 - value.abs().log10().floor() as i32;
    // Two exact powers, so that the result is the number nearest to what is written.
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
