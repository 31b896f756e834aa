//! What is asked about fits, and what has come of it: one place for the sliders, the buttons and the figures.

use crate::{
    analysis::{
        Fits, HeadFit, HeadFits, HeadOverview, KernelFit, ScoreMode, fit_caveats, group_progress,
        head_progress, set_of_fits,
    },
    app::{
        query_client::{Query, QueryClient, QueryStatus},
        state::page::PageState,
    },
    encoding::Kernels,
    kernel_io::KernelFile,
    math::Profile,
    url_state::{FitChoice, FitScope},
};
use leptos::prelude::*;
use std::sync::Arc;

/// Fits of the open head, and of its layer or model when the link says so.
#[derive(Clone, Copy)]
pub(super) struct KernelFits {
    state: PageState,
    choice: Memo<FitChoice>,
    of_head: Query<HeadFit>,
    of_group: Query<HeadFits>,
    overview: Query<HeadOverview>,
    chosen: Memo<Option<KernelFit>>,
    /// The fitted kernels that were put on the sliders last.
    pub(super) taken: RwSignal<Option<Kernels>>,
}

impl KernelFits {
    /// Asks, and puts what comes into the context. The open head is fitted before anybody presses, so that a
    /// press shows its fit at once.
    pub(super) fn provide(state: PageState) {
        let engine = QueryClient::from_context();
        let choice = state.part(|link| link.kernel_questions.get().fit);
        // All but the number of kernels: the curve over them is one answer whatever that is, which says no more
        // than what comes first. Another number asks nothing.
        let asked = Memo::new(move |_| FitChoice {
            scope: None,
            kernels: FitChoice::default().kernels,
            ..choice.get()
        });
        let of_head = engine.ask(move || {
            let (asked, cells) = (asked.get(), state.cells());
            let of = state.head_on_line()?;
            let kernels = choice.with_untracked(|choice| choice.kernels);
            let options = FitChoice { kernels, ..asked }.options(cells);
            Some(HeadFit { of, options })
        });
        let of_group = engine.ask(move || {
            let choice = choice.get();
            let head = choice
                .is_of_group()
                .then(|| state.head_on_line())
                .flatten()?;
            Some(HeadFits {
                of: head.model,
                mode: head.mode,
                layer: (choice.scope == Some(FitScope::Layer)).then_some(head.layer),
                options: choice.options(state.cells()),
            })
        });
        let chosen = Memo::new(move |_| {
            let choice = choice.get();
            choice.scope?;
            of_head_now(of_head)?.of_kernels(choice.kernels).cloned()
        });
        let fits = Self {
            state,
            choice,
            of_head,
            of_group,
            overview: engine.ask(move || Some(HeadOverview { of: state.head()? })),
            chosen,
            taken: RwSignal::new(None),
        };
        provide_context(fits);
    }

    /// The view's.
    pub(super) fn from_context() -> Self {
        expect_context()
    }

    /// What is chosen.
    pub(super) fn choice(self) -> FitChoice {
        self.choice.get()
    }

    /// Chooses something else.
    pub(super) fn choose(self, change: impl FnOnce(&mut FitChoice)) {
        self.state
            .link
            .update(|link| link.kernel_questions.change(|asked| change(&mut asked.fit)));
    }

    /// The fit to the open head with as many kernels as are chosen, once somebody asked for fits and it is there.
    pub(super) fn chosen(self) -> Option<KernelFit> {
        self.chosen.get()
    }

    /// The fits to the open head, one for each number of kernels.
    pub(super) fn of_head(self) -> Option<Arc<Fits>> {
        of_head_now(self.of_head)
    }

    /// The fits to its layer or model, where they are asked for.
    pub(super) fn of_group(self) -> Option<Arc<Fits>> {
        let (question, fits) = self.of_group.get_with_question()?;
        (self.of_group.question()? == question).then_some(fits)
    }

    /// The fits to show and to take home: of the layer or the model where they are asked for, else of the open
    /// head.
    pub(super) fn shown(self) -> Vec<KernelFit> {
        match self.of_group() {
            Some(fits) if !fits.fits.is_empty() => fits.fits.clone(),
            _ => self.chosen().into_iter().collect(),
        }
    }

    /// The same as a file.
    pub(super) fn file(self) -> KernelFile {
        let item = self.state.open_item();
        let heads = item
            .as_ref()
            .and_then(|item| item.summary.as_ref()?.heads)
            .map_or(1, |(heads, _)| heads as usize);
        let mode = match self.state.link.with_untracked(|link| link.heads.mode) {
            _ if untrack(|| self.state.kind()).is_relative() => "scores by offset",
            ScoreMode::Paper => "paper, eqs. 9–12",
            ScoreMode::AsComputed => "as computed",
        };
        KernelFile {
            model: item.map_or_else(String::new, |item| item.title),
            mode: mode.to_owned(),
            set: set_of_fits(&untrack(|| self.shown()), heads),
        }
    }

    /// The open head's profile.
    pub(super) fn profile(self) -> Option<Profile> {
        let head = self.state.head()?;
        let (question, detail) = self.overview.get_with_question()?;
        (question.of == head).then(|| detail.fit.f.clone())
    }

    /// Whether fits to the open head are still to come.
    pub(super) fn is_head_pending(self) -> bool {
        self.of_head.is_pending()
    }

    /// Whether fits to its layer or model are still to come.
    pub(super) fn is_group_pending(self) -> bool {
        self.of_group.is_pending()
    }

    /// Whether something that somebody asked for is being fitted.
    pub(super) fn is_running(self) -> bool {
        self.choice().scope.is_some() && (self.is_head_pending() || self.is_group_pending())
    }

    /// What a figure of the chosen fit waits for.
    pub(super) fn waiting(self) -> QueryStatus {
        match (self.of_head.waiting(), self.of_head()) {
            (QueryStatus::Nothing, Some(_)) if self.chosen().is_some() => {
                // The fit is there: what is missing is the profile under it.
                self.overview.waiting()
            }
            (QueryStatus::Nothing, Some(fits)) => {
                QueryStatus::Failed(head_progress(&fits, self.choice().kernels, false))
            }
            (waiting, _) => waiting,
        }
    }

    /// What the figure of all fits waits for.
    pub(super) fn waiting_for_group(self) -> QueryStatus {
        let refused = self
            .of_group()
            .and_then(|fits| fits.refused.first().cloned());
        match (self.of_group.waiting(), refused) {
            (QueryStatus::Nothing, Some(sentence)) => QueryStatus::Failed(sentence),
            (waiting, _) => waiting,
        }
    }

    /// What is under way, or what came of it.
    pub(super) fn progress(self) -> String {
        if self.state.head().is_none() {
            return "What is open has no heads to fit. Open a checkpoint that has some.".to_owned();
        }
        if self.state.head_on_line().is_none() {
            return "The positions of this model are patches of an image. The offset k in reading order mixes steps down with steps across, so no kernels are fitted. Look at the scores by (Δy, Δx) under Heads.".to_owned();
        }
        let choice = self.choice();
        if choice.scope.is_none() {
            return String::new();
        }
        let of_group = choice.is_of_group().then(|| match self.of_group.failure() {
            Some(failure) => failure.sentence,
            None => {
                let fits = self.of_group().unwrap_or_default();
                group_progress(&fits, self.heads_asked(choice), self.is_group_pending())
            }
        });
        let of_head = match self.of_head.failure() {
            // Both have failed for the same reason.
            Some(failure) if of_group.as_ref() == Some(&failure.sentence) => String::new(),
            Some(failure) => failure.sentence,
            None => {
                let fits = self.of_head().unwrap_or_default();
                head_progress(&fits, choice.kernels, self.is_head_pending())
            }
        };
        let said = of_group.into_iter().chain([of_head]);
        let said: Vec<String> = said.filter(|sentence| !sentence.is_empty()).collect();
        said.join(" ")
    }

    /// What has to be said of the chosen fit beside its R².
    pub(super) fn caveats(self) -> String {
        self.chosen
            .with(|fit| fit.as_ref().map_or_else(String::new, fit_caveats))
    }

    /// How many heads are to be fitted.
    fn heads_asked(self, choice: FitChoice) -> usize {
        self.state.summary().map_or(0, |summary| {
            let heads = summary.heads.map_or(0, |(heads, _)| heads as usize);
            match choice.scope {
                Some(FitScope::All) => heads * summary.layers,
                _ => heads,
            }
        })
    }

    /// Puts a fit's kernels on the sliders.
    pub(super) fn take(self, fit: &KernelFit) {
        self.taken.set(Some(fit.kernels.clone()));
        let fitted = fit.kernels.clone();
        self.state.edit_kernels(None, |kernels| *kernels = fitted);
    }
}

/// The fits to the head that is open now, found as is chosen now: those of before are of another head.
fn of_head_now(of_head: Query<HeadFit>) -> Option<Arc<Fits>> {
    let (question, fits) = of_head.get_with_question()?;
    (of_head.question()? == question).then_some(fits)
}
