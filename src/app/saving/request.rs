//! What can be saved.

use super::large_save::LargeSave;
use crate::{
    analysis::MatrixFormat,
    app::{figure_view::AnyFigure, matrix_source::ShownMatrix},
    publish::{Background, SheetWidth},
};

/// What is to be saved.
pub(in crate::app) enum SaveRequest {
    /// A figure's picture or its numbers.
    Figure(FigureSave),
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
pub(in crate::app) struct FigureSave {
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
}

/// How pictures are saved. It holds for every figure and as long as the page is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::app) struct PictureChoice {
    /// How wide they are.
    pub(in crate::app) width: SheetWidth,
    /// What lies behind them.
    pub(in crate::app) background: Background,
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
