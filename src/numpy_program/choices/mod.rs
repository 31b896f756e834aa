//! The choices on the page, as constants of programs.

mod encodings;
mod heads;
mod images;
mod kernels;
mod positions;
mod rotary;
mod text;
mod training;
mod waves;

pub use images::own_image_constant;
pub use rotary::angle_constant;
pub use training::{ProgramRun, run_constant};

use super::literal::Literal;
use crate::{
    analysis::{BudgetSource, ModelSummary, PositionKind},
    figure::{FrequencyColours, Table, training::WavePicture},
    math::AttentionMask,
    url_state::{FigureId, Link, View},
};
use std::{fmt, sync::Arc};

/// The state of the page that a program depends on.
#[derive(Clone)]
pub struct Choices {
    /// The figure.
    pub figure: FigureId,
    /// The link.
    pub link: Link,
    /// Summary of the first model that the program reads.
    pub summary: Option<Arc<ModelSummary>>,
    /// Layer and head of the open head, from 0.
    pub head: Option<(usize, usize)>,
    /// Layer and head of the second head, from 0.
    pub second: Option<(usize, usize)>,
    /// Mask of heads and kernels.
    pub cells: AttentionMask,
    /// Number of positions in figures of kernels, and the length n of the kernels.
    pub lengths: (usize, usize),
    /// The table of the figure, for numbers that a search has found.
    pub table: Table,
    /// Constants that only the view of the figure knows, by name: values as Python literals.
    pub of_view: ViewConstants,
}

/// Finds a constant of a view by its name.
pub type ViewConstants = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

impl fmt::Debug for Choices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Choices")
            .field("figure", &self.figure)
            .finish_non_exhaustive()
    }
}

/// The constants of programs, each with the comment beside it.
const CONSTANTS: &[&[(&str, &str)]] = &[
    positions::CONSTANTS,
    heads::CONSTANTS,
    kernels::CONSTANTS,
    encodings::CONSTANTS,
    waves::CONSTANTS,
    images::CONSTANTS,
    text::CONSTANTS,
    training::CONSTANTS,
];

/// Finds the comment of a constant; `None` if programs have no such constant.
#[must_use]
pub fn comment(name: &str) -> Option<&'static str> {
    let mut constants = CONSTANTS.iter().copied().flatten();
    constants
        .find(|(other, _)| *other == name)
        .map(|(_, comment)| *comment)
}

impl Choices {
    /// The line that assigns a constant.
    ///
    /// # Errors
    /// A sentence if the page cannot say it.
    pub fn line(&self, name: &str) -> Result<String, String> {
        let found = (self.of_view)(name)
            .or_else(|| self.encodings_constant(name))
            .or_else(|| self.images_constant(name))
            .or_else(|| self.text_constant(name))
            .or_else(|| self.training_constant(name))
            .or_else(|| self.kernels_constant(name))
            .or_else(|| self.positions_constant(name))
            .or_else(|| self.heads_constant(name))
            .or_else(|| self.waves_constant(name));
        let value = found.ok_or_else(|| {
            let about = comment(name).unwrap_or(name);
            format!("This program needs something that the page does not know yet: {about}.")
        })?;
        let about = comment(name).unwrap_or_default();
        let line = format!("{name} = {value}");
        Ok(
            match line.contains('\n') || about.is_empty() || line.len() + about.len() > LONGEST_LINE
            {
                true => line,
                false => format!("{line}  # {about}"),
            },
        )
    }

    /// Whether a condition in a program holds.
    #[must_use]
    pub fn is_set(&self, condition: &str) -> bool {
        self.encodings_condition(condition)
            .or_else(|| self.images_condition(condition))
            .or_else(|| self.condition(condition))
            .unwrap_or(false)
    }

    /// Conditions in the programs of other views.
    fn condition(&self, condition: &str) -> Option<bool> {
        Some(match (self.figure, condition) {
            (FigureId::KernelFunction, "head") => self.head.is_some(),
            (_, "without-rows") => self.summary.as_ref().is_some_and(|summary| {
                matches!(summary.kind, PositionKind::Line | PositionKind::Window)
            }),
            (_, "sinks") => self
                .summary
                .as_ref()
                .is_some_and(|summary| summary.has_sinks),
            (FigureId::PositionDependence, "by-offset") => self.has_heads_by_offset(),
            (FigureId::PositionBudget, "text") => {
                self.has_text_means() && self.link.heads.budget == BudgetSource::Words
            }
            (FigureId::PositionBudget, "words") => self.link.heads.budget == BudgetSource::Words,
            (FigureId::RotaryFrequencies, "statistics") => {
                self.table.column("concentration").is_some()
            }
            (FigureId::RotaryFrequencies, "bound") => {
                self.link.heads.frequencies.colours == FrequencyColours::Bound
            }
            (FigureId::TrainingWaves, "columns") => {
                self.link.training.waves == WavePicture::Columns
            }
            (FigureId::TrainingWaves, "autocorrelation") => {
                self.link.training.waves == WavePicture::Autocorrelation
            }
            (FigureId::TrainingWaves, "density") => {
                self.link.training.waves == WavePicture::Density
            }
            (_, condition) => (self.of_view)(condition).is_some_and(|value| value == "True"),
        })
    }

    /// Whether scores of the model's heads depend on the offset alone.
    fn has_heads_by_offset(&self) -> bool {
        let summary = self.summary.as_ref();
        summary.is_some_and(|summary| summary.kind.has_heads_by_offset())
    }

    /// Whether the figure shows heads of a rotary model that have their scores from a text.
    pub(super) fn has_text_means(&self) -> bool {
        let views = self.figure.views();
        let kind = self.summary.as_ref().map(|summary| summary.kind);
        [View::Heads, View::Kernels]
            .iter()
            .any(|view| views.contains(view))
            && kind == Some(PositionKind::Rotary)
            && self.link.heads.centers.is_text()
    }

    /// Number of positions of the model.
    fn rows(&self) -> usize {
        self.summary.as_ref().map_or(0, |summary| summary.rows)
    }
}

/// The most bytes of a line with a comment.
const LONGEST_LINE: usize = 105;
