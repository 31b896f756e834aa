//! Requests to export a figure or a matrix.

use crate::{
    analysis::MatrixFormat,
    app::{
        figure::{matrix_source::ShownMatrix, view::AnyFigure},
        state::saving::{LargeSave, Saves},
    },
    figure_spec::FigureSpec,
};
use futures_channel::oneshot;
use web_sys::Blob;

/// A request to export.
pub(in crate::app) enum SaveRequest {
    /// A figure's picture or numbers.
    Figure(ExportRequest),
    /// A figure as a panel of the sheet. Its format is that of a picture.
    Panel(ExportRequest),
    /// A matrix of any size, assembled in memory.
    InMemory(LargeSave),
}

impl SaveRequest {
    /// Returns the name to use in messages.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Figure(figure) | Self::Panel(figure) => &figure.title,
            Self::InMemory(matrix) => &matrix.name,
        }
    }

    /// Returns the participle to use in messages.
    pub(super) fn outcome(&self) -> &'static str {
        match self {
            Self::Figure(figure) | Self::Panel(figure) => figure.outcome(),
            Self::InMemory(_) => "saved",
        }
    }
}

/// A figure to export, in its state at the time of the click.
pub(in crate::app) struct ExportRequest {
    /// The figure.
    pub(in crate::app) spec: &'static FigureSpec,
    /// The model that the figure shows, if several figures share a specification.
    pub(in crate::app) model: Option<String>,
    pub(in crate::app) format: FigureFormat,
    /// Receives the picture in place of a file, for the clipboard.
    pub(in crate::app) clipboard: Option<oneshot::Sender<Blob>>,
    pub(in crate::app) title: String,
    /// Caption of the figure.
    pub(in crate::app) caption: String,
    pub(in crate::app) figure: AnyFigure,
    /// Whether the figure still answers an earlier question.
    pub(in crate::app) is_earlier: bool,
    /// The matrix behind the figure. The numbers are then those of the matrix.
    pub(in crate::app) matrix: Option<ShownMatrix>,
    /// Shows on the toolbar that a file is being created.
    pub(in crate::app) saves: Saves,
}

impl ExportRequest {
    /// Returns the participle to use in messages.
    pub(super) fn outcome(&self) -> &'static str {
        match self.clipboard {
            Some(_) => "copied",
            None => "saved",
        }
    }

    /// Returns the imperative to use in messages.
    pub(super) fn verb(&self) -> &'static str {
        match self.clipboard {
            Some(_) => "Copy",
            None => "Save",
        }
    }
}

/// A file format for figures.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) enum FigureFormat {
    /// Picture as pixels.
    Png,
    /// Picture as vector shapes.
    Svg,
    /// Numbers as CSV or NPY.
    Numbers(MatrixFormat),
}
