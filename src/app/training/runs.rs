//! All runs of the page.

use super::{
    run::{RunStatus, TrainingRunState},
    snapshot_models::open_snapshots,
};
use crate::{
    app::{
        models::opening::Opener,
        query_client::QueryClient,
        state::{PageState, comparison::PageOwner},
    },
    training::{MOST_RUNS, SHIPPED_RUNS, TrainingRecipe},
    url_state::ModelRef,
};
use leptos::{ev, prelude::*};
use std::sync::Arc;

/// Greatest number of runs that train at once. The analysing worker and the page keep a core.
const MOST_AT_ONCE: usize = 3;

/// Greatest number of runs that the page keeps: those of a link, and those before.
const MOST_KEPT: usize = 2 * MOST_RUNS;

/// The runs of the page. They outlive the view that shows them.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct TrainingRuns {
    /// Every run, in the order in which they were started.
    pub(in crate::app) list: RwSignal<Vec<TrainingRunState>>,
    /// Whether runs go on while the tab is hidden.
    pub(in crate::app) trains_hidden: RwSignal<bool>,
    /// The visitor's own text, with its name, for tasks on texts.
    pub(in crate::app) text: RwSignal<Option<(String, Arc<[u8]>)>>,
    /// Runs that were paused when the tab was hidden.
    paused_hidden: RwSignal<Vec<usize>>,
    state: PageState,
    client: QueryClient,
    opener: Opener,
    page: StoredValue<PageOwner>,
}

impl TrainingRuns {
    /// Returns the runs. The first view that needs them creates them, with the page as their owner.
    pub(in crate::app) fn from_context() -> Self {
        use_context().unwrap_or_else(|| {
            let page: PageOwner = expect_context();
            page.clone().own(|| {
                let runs = Self {
                    page: StoredValue::new(page),
                    list: RwSignal::new(Vec::new()),
                    trains_hidden: RwSignal::new(false),
                    text: RwSignal::new(None),
                    paused_hidden: RwSignal::new(Vec::new()),
                    state: PageState::from_context(),
                    client: QueryClient::from_context(),
                    opener: Opener::from_context(),
                };
                provide_context(runs);
                runs.follow_visibility();
                runs.start_waiting();
                open_snapshots(runs);
                runs
            })
        })
    }

    /// Returns the run of a recipe, if there is one.
    pub(in crate::app) fn find(self, recipe: &TrainingRecipe) -> Option<TrainingRunState> {
        let name = recipe.to_string();
        self.list
            .with(|list| list.iter().copied().find(|run| run.name() == name))
    }

    /// Starts runs of these recipes, each as soon as fewer than three train. A run of the same recipe starts again.
    pub(in crate::app) fn train(self, recipes: &[TrainingRecipe]) {
        for recipe in recipes {
            match untrack(|| self.find(recipe)) {
                Some(run) => {
                    run.end();
                    run.status.set(RunStatus::Waiting);
                }
                None => {
                    self.add(recipe);
                }
            }
        }
    }

    /// Loads those of these recipes whose runs ship with the page, unless they are here.
    pub(in crate::app) fn load_shipped(self, recipes: &[TrainingRecipe]) {
        for recipe in recipes {
            let is_shipped = SHIPPED_RUNS.contains(&&*recipe.to_string());
            if is_shipped && untrack(|| self.find(recipe)).is_none() {
                let step = untrack(|| self.looked_at());
                self.add(recipe).load_record(step);
            }
        }
    }

    /// Ends a run, removes it from the list, and closes its model.
    pub(in crate::app) fn close(self, run: TrainingRunState) {
        run.end();
        self.list.update(|list| list.retain(|other| *other != run));
        let model = ModelRef::Run(run.name());
        match self.opener.lists(&model) {
            true => self.opener.close(&model),
            false => run.cancel_opening(self.opener),
        }
    }

    fn add(self, recipe: &TrainingRecipe) -> TrainingRunState {
        let runs = self.list.get_untracked();
        // The oldest run that is over makes room.
        let is_over = |run: &&TrainingRunState| {
            let status = run.status.get_untracked();
            !status.is_active() && status != RunStatus::Waiting
        };
        if runs.len() >= MOST_KEPT
            && let Some(oldest) = runs.iter().find(is_over)
        {
            self.close(*oldest);
        }
        let runs = self.list.get_untracked();
        let is_free = |number: &usize| runs.iter().all(|run| run.number != *number);
        let number = (1..).find(is_free).unwrap_or(1);
        // The page owns the signals of a run, which outlive the view.
        let run = || TrainingRunState::new(number, recipe, self.client);
        let run = self.page.with_value(|page| page.own(run));
        self.list.update(|list| list.push(run));
        run
    }

    /// Starts runs that wait, whenever fewer than three train.
    fn start_waiting(self) {
        Effect::new(move || {
            let runs = self.list.get();
            let is_active = |run: &&TrainingRunState| run.status.with(RunStatus::is_active);
            let active = runs.iter().filter(is_active).count();
            let waiting = runs
                .iter()
                .filter(|run| run.status.get() == RunStatus::Waiting);
            for run in waiting.take(MOST_AT_ONCE.saturating_sub(active)) {
                let text = self.text.get_untracked();
                run.start(text.as_ref().map_or(&[], |(_, text)| text));
            }
        });
    }

    /// Pauses the runs when the tab is hidden, and lets them go on when it is visible again.
    fn follow_visibility(self) {
        let listener = window_event_listener(ev::visibilitychange, move |_| {
            if document().hidden() {
                if self.trains_hidden.get_untracked() {
                    return;
                }
                let runs = self.list.get_untracked().into_iter();
                let training: Vec<_> = runs
                    .filter(|run| run.status.get_untracked() == RunStatus::Training)
                    .collect();
                for run in &training {
                    run.pause();
                }
                let numbers = training.iter().map(|run| run.number).collect();
                self.paused_hidden.set(numbers);
                return;
            }
            let numbers = self.paused_hidden.get_untracked();
            self.paused_hidden.set(Vec::new());
            for run in self.list.get_untracked() {
                if numbers.contains(&run.number) {
                    run.resume();
                }
            }
        });
        on_cleanup(move || listener.remove());
    }

    /// Whether the link names recipes.
    pub(in crate::app) fn is_in_link(self) -> bool {
        let link = self.state.url.link;
        link.with(|link| link.training.recipes.is_some())
    }

    /// The step that the link looks at; `None` if it follows the latest.
    pub(in crate::app) fn looked_at(self) -> Option<u64> {
        self.state
            .url
            .link
            .with(|link| link.training.looked_at.map(|(step, _)| step))
    }
}
