//! Constants of the training view. Programs read the folders of runs: those that ship with the page, and those in archives
//! that the page saves.

use super::{super::literal::dict_literal, Choices, Literal, positions::similarity_name};
use crate::{
    analysis::MatrixPart,
    figure::training::RunHistory,
    math::Similarity,
    training::{EncodingName, TrainingRecipe},
    url_state::{FigureId, View},
};

pub(super) const CONSTANTS: &[(&str, &str)] = &[
    (
        "RUN_FOLDERS",
        "folders of runs, of the page or from saved archives",
    ),
    ("STEP", "the step that is shown; None is the last one"),
    ("SHOWN", "the checkpoint that is shown, from 0"),
    ("RUN_MATRIX", "the matrix of positions that is shown"),
    ("FITTED_SHAPES", "penalty, and b and c of fitted kernels"),
];

impl Choices {
    pub(super) fn training_constant(&self, name: &str) -> Option<String> {
        if self.figure.views().first() != Some(&View::Training) {
            return None;
        }
        Some(match name {
            "SIMILARITY" if self.is_by_step() => {
                similarity_name(Similarity::InnerProduct).literal()
            }
            // Pictures of checkpoints are those of cosines.
            "SIMILARITY" if self.figure == FigureId::TrainingMatrix => {
                similarity_name(Similarity::Cosine).literal()
            }
            "STEP" => self.link.training.looked_at.map(|(step, _)| step).literal(),
            "RUN_MATRIX" => match (self.link.positions.part, self.link.positions.similarity) {
                (MatrixPart::Residual, _) => "residual",
                (_, Similarity::Cosine) => "cosines",
                _ => "inner products",
            }
            .literal(),
            _ => return None,
        })
    }

    /// Whether the figure has R² by step, which is that of inner products.
    fn is_by_step(&self) -> bool {
        matches!(
            self.figure,
            FigureId::TrainingLosses | FigureId::TrainingCurves
        )
    }
}

/// Name of a run, step, layer and head.
type FitPlace<'a> = (&'a str, u32, usize, usize);

/// Penalty of a fit, and b and c of its kernels.
type FitShapes = (f64, Vec<(f64, f64)>);

/// A run that programs read.
#[derive(Debug, Clone)]
pub struct ProgramRun {
    /// The recipe, in its form in links.
    pub recipe: String,
    /// Whether it ships with the page.
    pub is_shipped: bool,
    /// The run as figures show it.
    pub history: RunHistory,
}

impl ProgramRun {
    /// The folder with its files.
    fn folder(&self) -> String {
        match self.is_shipped {
            true => format!("presets/runs/{}", self.recipe),
            false => self.recipe.clone(),
        }
    }

    /// Whether the run has an encoding.
    fn has(&self, is_it: fn(EncodingName) -> bool) -> bool {
        let recipe = self.recipe.parse::<TrainingRecipe>();
        recipe.is_ok_and(|recipe| is_it(recipe.encoding))
    }

    /// The fits to the heads of its snapshots, as entries of a dictionary.
    fn fits(&self) -> impl Iterator<Item = (FitPlace<'_>, FitShapes)> {
        self.history.reports.iter().flat_map(|report| {
            report.fit_penalties.iter().map(|(place, penalty)| {
                let kernels = report.kernels.iter();
                let of_head = kernels.filter(|kernel| (kernel.layer, kernel.head) == *place);
                let shapes = of_head.map(|kernel| (kernel.b, kernel.c)).collect();
                let (layer, head) = *place;
                let key = (self.history.name.as_str(), report.step, layer, head);
                (key, (*penalty, shapes))
            })
        })
    }
}

/// A constant or a condition of the programs of runs.
#[must_use]
pub fn run_constant(runs: &[ProgramRun], name: &str) -> Option<String> {
    let any = |is_it: fn(EncodingName) -> bool| runs.iter().any(|run| run.has(is_it)).literal();
    Some(match name {
        "RUN_FOLDERS" if !runs.is_empty() => runs
            .iter()
            .map(ProgramRun::folder)
            .collect::<Vec<_>>()
            .literal(),
        "FITTED_SHAPES" => dict_literal(runs.iter().flat_map(ProgramRun::fits)),
        "t5-runs" => any(|encoding| encoding == EncodingName::T5),
        "shaw-runs" => any(|encoding| encoding == EncodingName::Shaw),
        _ => return None,
    })
}
