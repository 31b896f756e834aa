//! The recipes that the link names, and the runs of them.

use crate::{
    app::{
        state::UrlState,
        training::{RunStatus, TrainingRunState, TrainingRuns},
        views::wants_less_motion,
    },
    figure::training::{ReportRanges, RunHistory},
    training::{EncodingName, TaskName, TrainingRecipe},
};
use leptos::prelude::*;

/// The recipes of the link, which the form changes, and their runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recipes {
    url: UrlState,
    pub(super) runs: TrainingRuns,
    /// The recipes of the link, or the usual one if it names none.
    pub(super) recipes: Memo<Vec<TrainingRecipe>>,
    /// A sentence about recipes of the link that cannot be read.
    pub(super) fault: Memo<Option<String>>,
    /// The runs of the recipes, as far as they were started.
    pub(super) current_runs: Memo<Vec<TrainingRunState>>,
    /// Colour ranges of the runs' reports.
    ranges: StoredValue<ReportRanges>,
}

/// The recipes without a link.
fn usual() -> Vec<TrainingRecipe> {
    vec![TrainingRecipe::usual(
        TaskName::Chain,
        EncodingName::Learned,
    )]
}

impl Recipes {
    pub(super) fn new() -> Self {
        let url = UrlState::from_context();
        let runs = TrainingRuns::from_context();
        let link = url.select(|link| link.training.recipes.clone());
        let read = Memo::new(move |_| match link.get() {
            Some(link) => TrainingRecipe::from_link(&link).map_err(|error| error.to_string()),
            None => Ok(usual()),
        });
        let recipes = Memo::new(move |_| read.get().unwrap_or_else(|_| usual()));
        let current_runs = Memo::new(move |_| {
            let recipes = recipes.get();
            recipes
                .iter()
                .filter_map(|recipe| runs.find(recipe))
                .collect()
        });
        Self {
            url,
            runs,
            recipes,
            fault: Memo::new(move |_| read.get().err()),
            current_runs,
            ranges: StoredValue::default(),
        }
    }

    /// Changes the recipes of the link. They differ by their encoding alone. Figures follow the latest step again.
    pub(super) fn change(self, change: impl FnOnce(&mut Vec<TrainingRecipe>)) {
        let mut recipes = self.recipes.get_untracked();
        change(&mut recipes);
        let link = TrainingRecipe::to_link(&recipes);
        self.url.link.update(|page| {
            page.training.recipes = link;
            page.training.looked_at = None;
        });
    }

    /// The first recipe, from which the others differ by their encoding alone.
    pub(super) fn first(self) -> TrainingRecipe {
        let first = self.recipes.with(|recipes| recipes.first().cloned());
        first.unwrap_or_else(|| TrainingRecipe::usual(TaskName::Chain, EncodingName::Learned))
    }

    /// Whether a run has this status.
    pub(super) fn any(self, is_it: impl Fn(&RunStatus) -> bool) -> bool {
        let runs = self.current_runs.get();
        runs.iter().any(|run| run.status.with(&is_it))
    }

    /// Calls a function for each run of the recipes.
    pub(super) fn for_each(self, call: impl Fn(TrainingRunState)) {
        for run in self.current_runs.get_untracked() {
            call(run);
        }
    }

    /// The step that figures show; `None` if they follow the latest.
    pub(super) fn looked_at(self) -> Option<u64> {
        self.runs.looked_at()
    }

    /// Shows the snapshots of a step, or follows the latest. The link of a step names the recipes, too.
    pub(super) fn look_at(self, step: Option<u64>) {
        let recipes = TrainingRecipe::to_link(&self.recipes.get_untracked());
        self.url.link.update(|link| {
            link.training.looked_at = step.map(|step| (step, 0));
            if step.is_some() && link.training.recipes.is_none() {
                link.training.recipes = recipes;
            }
        });
    }

    /// The steps of all snapshots of the runs, in order.
    pub(super) fn steps(self) -> Vec<u64> {
        let mut steps: Vec<u64> = self
            .current_runs
            .get()
            .iter()
            .flat_map(|run| {
                run.snapshots
                    .with(|run| run.iter().map(|snapshot| snapshot.step).collect::<Vec<_>>())
            })
            .collect();
        steps.sort_unstable();
        steps.dedup();
        steps
    }

    /// The runs as figures show them; without losses, which come with every pulse, they change with reports alone. With
    /// reduced motion all of them change with snapshots alone.
    pub(super) fn histories(self, with_losses: bool) -> Vec<RunHistory> {
        let step = self.looked_at();
        let is_calm = wants_less_motion();
        let latest = |run: &TrainingRunState| {
            let snapshot = is_calm.then(|| run.snapshot_at(None)).flatten();
            snapshot.map_or_else(|| run.latest.get(), |snapshot| Some(snapshot.report))
        };
        let history = |run: &TrainingRunState| {
            let description = run.description.get();
            let mut reports = run.evaluations.get();
            run.snapshots.with(|run| {
                reports.extend(run.iter().map(|snapshot| snapshot.model.report.clone()));
            });
            reports.sort_by_key(|report| report.step);
            RunHistory {
                name: run_name(*run),
                color: run.number - 1,
                best_loss: description.as_ref().and_then(|run| run.best_loss),
                bag_loss: description.map_or(f64::NAN, |run| run.bag_loss),
                losses: match with_losses {
                    true if is_calm => run.losses.get_untracked(),
                    true => run.losses.get(),
                    false => Vec::new(),
                },
                current: match step {
                    None => latest(run),
                    Some(_) => run.snapshot_at(step).map(|snapshot| snapshot.report),
                },
                reports,
                lengths: run.lengths.get(),
                ranges: self.ranges.get_value(),
            }
        };
        self.current_runs.get().iter().map(history).collect()
    }
}

/// Name of a run beside others of one task: its task and encoding, as `chain · learned`.
pub(super) fn run_name(run: TrainingRunState) -> String {
    match run.recipe() {
        Some(recipe) => format!("{} · {}", recipe.task, recipe.encoding),
        None => run.name(),
    }
}
