//! Queries for kernel fits and their answers, shared by the sliders, buttons and figures.

use crate::{
    analysis::{
        Fits, HeadFit, HeadFits, HeadOverview, KernelFit, ScoreMode, fit_caveats, group_progress,
        head_progress, set_of_fits,
    },
    app::{
        query_client::{Query, QueryClient, QueryStatus},
        state::PageState,
    },
    encoding::Kernels,
    kernel_io::KernelFile,
    math::Profile,
    url_state::{FitChoice, FitScope, Link},
};
use leptos::prelude::*;
use std::sync::Arc;

/// Fits of the open head, and of its layer or model if the link requests them.
#[derive(Clone, Copy)]
pub(super) struct KernelFits {
    state: PageState,
    choice: Memo<FitChoice>,
    of_head: Query<HeadFit>,
    of_group: Query<HeadFits>,
    overview: Query<HeadOverview>,
    chosen_fit: Memo<Option<KernelFit>>,
    /// The kernels of the fit that was last put on the sliders.
    pub(super) applied_kernels: RwSignal<Option<Kernels>>,
}

impl KernelFits {
    /// Creates the queries and provides them as context. The open head is fitted in advance, so that a press shows its
    /// fit at once.
    pub(super) fn provide(state: PageState) {
        let open_head = state.open_head;
        let client = QueryClient::from_context();
        let choice = state.url.select(|link| link.kernel_options.fit);
        // The choice without the number of kernels. The answer holds the fits for all numbers; the number only decides
        // which is computed first, so changing it asks no new question.
        let options_choice = Memo::new(move |_| FitChoice {
            scope: None,
            kernels: FitChoice::default().kernels,
            ..choice.get()
        });
        let of_head = client.ask(move || {
            let (options_choice, cells) = (options_choice.get(), open_head.cells());
            let of = open_head.on_line()?;
            let kernels = choice.with_untracked(|choice| choice.kernels);
            let options = FitChoice {
                kernels,
                ..options_choice
            }
            .options(cells);
            Some(HeadFit { of, options })
        });
        let of_group = client.ask(move || {
            let choice = choice.get();
            let head = choice
                .is_of_group()
                .then(|| open_head.on_line())
                .flatten()?;
            Some(HeadFits {
                of: head.model,
                input: head.input,
                layer: (choice.scope == Some(FitScope::Layer)).then_some(head.layer),
                options: choice.options(open_head.cells()),
            })
        });
        let chosen = Memo::new(move |_| {
            let choice = choice.get();
            choice.scope?;
            open_head_fits(of_head)?
                .with_kernels(choice.kernels)
                .cloned()
        });
        let fits = Self {
            state,
            choice,
            of_head,
            of_group,
            overview: client.ask(move || {
                Some(HeadOverview {
                    of: open_head.get()?,
                })
            }),
            chosen_fit: chosen,
            applied_kernels: RwSignal::new(None),
        };
        provide_context(fits);
    }

    pub(super) fn from_context() -> Self {
        expect_context()
    }

    pub(super) fn choice(self) -> FitChoice {
        self.choice.get()
    }

    /// Changes the choice.
    pub(super) fn choose(self, change: impl FnOnce(&mut FitChoice)) {
        self.state
            .url
            .link
            .update(|link| change(&mut link.kernel_options.fit));
    }

    /// Returns the fit to the open head with the chosen number of kernels, once fits were requested and it has arrived.
    pub(super) fn chosen_fit(self) -> Option<KernelFit> {
        self.chosen_fit.get()
    }

    /// Returns the fits to the open head, one for each number of kernels.
    pub(super) fn head_fits(self) -> Option<Arc<Fits>> {
        open_head_fits(self.of_head)
    }

    /// Returns the fits to the head's layer or model, if they were requested.
    pub(super) fn group_fits(self) -> Option<Arc<Fits>> {
        let (question, fits) = self.of_group.get_with_question()?;
        (self.of_group.question()? == question).then_some(fits)
    }

    /// Returns the fits to display and export: of the layer or model if they were requested, else of the open head.
    pub(super) fn displayed_fits(self) -> Vec<KernelFit> {
        match self.group_fits() {
            Some(fits) if !fits.fits.is_empty() => fits.fits.clone(),
            _ => self.chosen_fit().into_iter().collect(),
        }
    }

    /// Returns the same fits as a file.
    pub(super) fn file(self) -> KernelFile {
        let item = self.state.models.open_entry();
        let heads = item
            .as_ref()
            .and_then(|item| item.summary.as_ref()?.heads)
            .map_or(1, |(heads, _)| heads as usize);
        let mode = match self.state.url.link.with_untracked(|link| link.heads.mode) {
            _ if untrack(|| self.state.models.kind()).has_heads_by_offset() => "scores by offset",
            ScoreMode::Paper => "weights only",
            ScoreMode::AsComputed => "with LayerNorm and biases",
        };
        KernelFile {
            model: item.map_or_else(String::new, |item| item.title),
            mode: mode.to_owned(),
            set: set_of_fits(&untrack(|| self.displayed_fits()), heads),
        }
    }

    /// Returns the open head's profile.
    pub(super) fn profile(self) -> Option<Profile> {
        let head = self.state.open_head.get()?;
        let (question, detail) = self.overview.get_with_question()?;
        (question.of == head).then(|| detail.fit.f.clone())
    }

    /// Whether fits to the open head are pending.
    pub(super) fn is_head_pending(self) -> bool {
        self.of_head.is_pending()
    }

    /// Whether fits to its layer or model are pending.
    pub(super) fn is_group_pending(self) -> bool {
        self.of_group.is_pending()
    }

    /// Whether a requested fit is being computed.
    pub(super) fn is_running(self) -> bool {
        self.choice().scope.is_some() && (self.is_head_pending() || self.is_group_pending())
    }

    /// Returns the status of a figure of the chosen fit.
    pub(super) fn status(self) -> QueryStatus {
        match (self.of_head.status(), self.head_fits()) {
            (QueryStatus::Nothing, Some(_)) if self.chosen_fit().is_some() => {
                // The fit has arrived, so the figure waits for the profile.
                self.overview.status()
            }
            (QueryStatus::Nothing, Some(fits)) => {
                QueryStatus::Failed(head_progress(&fits, self.choice().kernels, false))
            }
            (status, _) => status,
        }
    }

    /// Returns the status of the grid of fits.
    pub(super) fn waiting_for_group(self) -> QueryStatus {
        let refusal = self
            .group_fits()
            .and_then(|fits| fits.refusals.first().cloned());
        match (self.of_group.status(), refusal) {
            (QueryStatus::Nothing, Some(sentence)) => QueryStatus::Failed(sentence),
            (status, _) => status,
        }
    }

    /// Returns a sentence on the progress or result of the requested fits.
    pub(super) fn progress(self) -> String {
        if self.state.open_head.get().is_none() {
            return "The open model has no attention heads to fit. Open a checkpoint that has some.".to_owned();
        }
        if self.state.open_head.on_line().is_none() {
            return "A one-dimensional offset mixes vertical and horizontal steps, so no kernels are fitted to image models. See “Score by (Δy, Δx)” under Heads.".to_owned();
        }
        let choice = self.choice();
        if choice.scope.is_none() {
            return String::new();
        }
        let of_group = choice.is_of_group().then(|| match self.of_group.failure() {
            Some(failure) => failure.sentence,
            None => {
                let fits = self.group_fits().unwrap_or_default();
                group_progress(&fits, self.heads_asked(choice), self.is_group_pending())
            }
        });
        let of_head = match self.of_head.failure() {
            // Both failed for the same reason; state it once.
            Some(failure) if of_group.as_ref() == Some(&failure.sentence) => String::new(),
            Some(failure) => failure.sentence,
            None => {
                let fits = self.head_fits().unwrap_or_default();
                head_progress(&fits, choice.kernels, self.is_head_pending())
            }
        };
        let sentences = of_group.into_iter().chain([of_head]);
        let sentences: Vec<String> = sentences.filter(|sentence| !sentence.is_empty()).collect();
        sentences.join(" ")
    }

    /// Returns notes on the chosen fit that its R² does not show.
    pub(super) fn caveats(self) -> String {
        self.chosen_fit
            .with(|fit| fit.as_ref().map_or_else(String::new, fit_caveats))
    }

    /// Returns the number of heads to fit.
    fn heads_asked(self, choice: FitChoice) -> usize {
        let size = self.state.open_head.size();
        size.map_or(0, |(layers, heads)| match choice.scope {
            Some(FitScope::All) => heads * layers,
            _ => heads,
        })
    }

    /// Puts a fit’s kernels on the sliders, and lengthens n where their centres need it.
    pub(super) fn take(self, fit: &KernelFit) {
        self.applied_kernels.set(Some(fit.kernels.clone()));
        let fitted = fit.kernels.clone();
        self.state.kernels.edit(None, |kernels| *kernels = fitted);
        let lengthen = |link: &mut Link| link.kernels.lengthen_for_centres();
        self.state.url.link.update(lengthen);
    }
}

/// Returns the fits that answer the current question; `None` while they are of another head or choice.
fn open_head_fits(of_head: Query<HeadFit>) -> Option<Arc<Fits>> {
    let (question, fits) = of_head.get_with_question()?;
    (of_head.question()? == question).then_some(fits)
}
