//! Layout of a figure with heading, axis names and notes on one sheet.

use super::{
    FigureLabels, TextOutlines,
    column_setter::{ColumnSetter, GAP, LabelledFigure, TITLE},
};
use crate::figure::{Figure, Ink, Scene, text::TEXT};

/// Width of a saved picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SheetWidth {
    /// A column of a two-column paper, 84 mm.
    #[default]
    Column,
    /// Both columns, 175 mm.
    Page,
}

impl SheetWidth {
    /// Width in pixels of the scene; see [`Sheet::MILLIMETRES`].
    #[must_use]
    pub fn pixels(self) -> f64 {
        match self {
            Self::Column => 360.0,
            Self::Page => 750.0,
        }
    }
}

/// Background of a saved picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Background {
    /// The white of a page.
    #[default]
    White,
    /// No background. Inks are still those for white paper.
    Transparent,
}

/// Heading above the figure on a sheet. The metadata contain the title in either case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Heading {
    /// The title, and the model or head.
    #[default]
    Title,
    /// No heading, since the caption in the paper has it.
    Nothing,
}

/// The content of a sheet.
#[derive(Clone)]
pub struct Sheet<'a> {
    /// The figure.
    pub figure: &'a dyn Figure,
    /// Its title.
    pub title: &'a str,
    /// The model or head. Empty if the figure names it itself.
    pub subject: &'a str,
    /// Labels around the figure.
    pub words: &'a FigureLabels,
    /// Width of the sheet.
    pub width: SheetWidth,
    /// Whether title and subject are written above the figure.
    pub heading: Heading,
}

impl std::fmt::Debug for Sheet<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sheet")
            .field("title", &self.title)
            .field("subject", &self.subject)
            .finish_non_exhaustive()
    }
}

/// Margin around a sheet.
pub(super) const MARGIN: f64 = 2.0;

impl Sheet<'_> {
    /// Millimetres per pixel of the scene: 360 pixels are 84 mm. A font size of 12 pixels is 7.9 pt, and a hairline is
    /// 0.66 pt.
    pub const MILLIMETRES: f64 = 84.0 / 360.0;
    /// Resolution of a PNG in dots per inch, the usual requirement for print.
    pub const DOTS_PER_INCH: f64 = 300.0;
    /// Dots per pixel of the scene.
    pub const DOTS: f64 = Self::DOTS_PER_INCH * Self::MILLIMETRES / 25.4;

    /// Returns the sheet as a scene. Texts are outlines if the font has all their characters.
    #[must_use]
    pub fn scene(&self, letters: &TextOutlines<'_>) -> Scene {
        let mut column = ColumnSetter {
            letters,
            marks: Vec::new(),
            left: MARGIN,
            width: self.width.pixels() - 2.0 * MARGIN,
            y: MARGIN,
        };
        if self.heading == Heading::Title {
            column.lines(self.title, TITLE, Ink::Ink);
            column.lines(self.subject, TEXT, Ink::Muted);
            column.y += GAP;
        }
        column.figure(self.labelled_figure());
        column.notes(self.words);
        Scene {
            width: self.width.pixels(),
            height: (column.y + MARGIN).ceil(),
            marks: column.marks,
        }
    }

    fn labelled_figure(&self) -> LabelledFigure<'_> {
        LabelledFigure {
            figure: self.figure,
            labels: self.words,
        }
    }

    /// Width of the figure on the sheet, in pixels of the scene.
    #[must_use]
    pub fn figure_width(&self) -> f64 {
        self.labelled_figure()
            .width(self.width.pixels() - 2.0 * MARGIN)
    }

    /// Number of PNG dots along the longer side of the figure's plot. A matrix needs no more blocks per side than that.
    #[must_use]
    pub fn plot_dots(&self) -> Option<usize> {
        let frame = self.figure.plot_frame(self.figure_width())?;
        let side = frame.width.max(frame.height);
        Some((side * Self::DOTS).round() as usize)
    }
}
