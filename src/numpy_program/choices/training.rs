//! Constants of the training view. Programs read the files of runs that ship with the page.

use super::{Choices, Literal, positions::similarity_name};
use crate::{
    analysis::MatrixPart,
    math::Similarity,
    training::SHIPPED_RUNS,
    url_state::{FigureId, View},
};

pub(super) const CONSTANTS: &[(&str, &str)] = &[
    (
        "RUN_FOLDERS",
        "folders of runs, as they ship with the page in presets/runs/",
    ),
    ("STEP", "the step that is shown; None is the last one"),
    ("RUN_MATRIX", "the matrix of positions that is shown"),
    (
        "FITTED_SHAPES",
        "b and c of fitted kernels; models with kernels have none",
    ),
];

impl Choices {
    pub(super) fn training_constant(&self, name: &str) -> Option<String> {
        if self.figure.views().first() != Some(&View::Training) {
            return None;
        }
        Some(match name {
            "RUN_FOLDERS" => {
                let folders = self.shipped_runs()?;
                folders
                    .into_iter()
                    .map(|run| format!("presets/runs/{run}"))
                    .collect::<Vec<_>>()
                    .literal()
            }
            "SIMILARITY" if self.is_by_step() => {
                similarity_name(Similarity::InnerProduct).literal()
            }
            "STEP" => self.link.training.looked_at.map(|(step, _)| step).literal(),
            "RUN_MATRIX" => match (self.link.positions.part, self.link.positions.similarity) {
                (MatrixPart::Residual, _) => "residual",
                (_, Similarity::Cosine) => "cosines",
                _ => "inner products",
            }
            .literal(),
            // Kernels that are parameters need no fit.
            "FITTED_SHAPES" if self.shipped_runs()?.iter().all(|run| run.contains(".tisa")) => {
                "{}".to_owned()
            }
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

    /// The recipes of the link, one for each encoding, if all ship with the page.
    fn shipped_runs(&self) -> Option<Vec<String>> {
        let recipes = self.link.training.recipes.as_deref()?;
        let mut runs = Vec::new();
        for recipe in recipes
            .split([';', ','])
            .filter(|recipe| !recipe.is_empty())
        {
            let (task, rest) = recipe.split_once('.')?;
            let (encodings, rest) = rest.split_once('.')?;
            let run = |encoding| format!("{task}.{encoding}.{rest}");
            runs.extend(encodings.split(['+', ' ']).map(run));
        }
        let is_shipped = |run: &String| SHIPPED_RUNS.contains(&run.as_str());
        runs.iter().all(is_shipped).then_some(runs)
    }
}
