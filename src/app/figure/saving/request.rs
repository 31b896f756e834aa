//! What can be saved.

use super::large_save::LargeSave;
use crate::{
    analysis::MatrixFormat,
    app::figure::{matrix_source::ShownMatrix, view::AnyFigure},
    export::{Background, Heading, SheetWidth},
};
use leptos::prelude::*;

/// What is to be saved.
pub(in crate::app) enum SaveRequest {
    /// A figure's picture or its numbers.
    Figure(ExportRequest),
    /// A matrix that is put together in memory, however large it is.
    InMemory(LargeSave),
}

impl SaveRequest {
    /// What messages call it.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Figure(figure) => &figure.title,
            Self::InMemory(matrix) => &matrix.name,
        }
    }
}

/// A figure that is to be saved, as it was when somebody asked for it.
pub(in crate::app) struct ExportRequest {
    /// Its identifier on the page.
    pub(in crate::app) id: &'static str,
    /// The model that it shows, where several figures have one identifier.
    pub(in crate::app) model: Option<String>,
    /// In which format.
    pub(in crate::app) format: FigureFormat,
    /// Its title.
    pub(in crate::app) title: String,
    /// What is said over it.
    pub(in crate::app) caption: String,
    /// The figure.
    pub(in crate::app) figure: AnyFigure,
    /// Whether it still is the answer to an earlier question.
    pub(in crate::app) is_earlier: bool,
    /// The matrix behind it: its numbers are then those of the matrix.
    pub(in crate::app) matrix: Option<ShownMatrix>,
    /// Says beside the figure that it is being saved.
    pub(in crate::app) saves: Saves,
}

/// How many files of a figure are being made: while there are some, its toolbar says so.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::app) struct Saves(RwSignal<usize>);

impl Saves {
    /// Of a figure whose toolbar is made just now.
    pub(in crate::app) fn new() -> Self {
        Self(RwSignal::new(0))
    }

    /// Whether a file is being made.
    pub(in crate::app) fn is_under_way(self) -> bool {
        self.0.try_get().is_some_and(|count| count > 0)
    }

    /// Counts a file until what is returned is dropped. The figure may leave the page meanwhile.
    pub(in crate::app) fn begin(self) -> SaveUnderWay {
        let _ = self.0.try_update(|count| *count += 1);
        SaveUnderWay(self)
    }
}

/// A file that is being made.
#[derive(Debug)]
pub(in crate::app) struct SaveUnderWay(Saves);

impl Drop for SaveUnderWay {
    fn drop(&mut self) {
        let Saves(count) = self.0;
        let _ = count.try_update(|count| *count = count.saturating_sub(1));
    }
}

/// How pictures are saved. It holds for every figure and as long as the page is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::app) struct PictureFormat {
    /// How wide they are.
    pub(in crate::app) width: SheetWidth,
    /// What lies behind them.
    pub(in crate::app) background: Background,
    /// Content above the figure.
    pub(in crate::app) heading: Heading,
}

/// A way to save a figure.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) enum FigureFormat {
    /// Its picture in pixels.
    Png,
    /// Its picture in shapes.
    Svg,
    /// Its numbers.
    Numbers(MatrixFormat),
}

/// Every way to save a figure, with its name.
pub(in crate::app) const FIGURE_FORMATS: [(FigureFormat, &str); 4] = [
    (FigureFormat::Png, "PNG"),
    (FigureFormat::Svg, "SVG"),
    (FigureFormat::Numbers(MatrixFormat::Csv), "CSV"),
    (FigureFormat::Numbers(MatrixFormat::Npy), "NPY"),
];
