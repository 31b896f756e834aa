//! The comparison: every open model with its number and name, whether it is compared, and what was typed beside it.
//!
//! In the views that show several models, the link contains all of this, see [`crate::app::models::compared_link`].
//!
//! The comparison lives as long as the page and survives a change of view. It does not store answers: each row of a
//! view asks about its own model, and the query client caches the answers.

use super::{ModelList, PageState, model_entry::ModelEntry};
use crate::{
    analysis::{Brief, ModelId, ModelSummary, ModelVersion, Similarity},
    figure::training_timeline::RunRecord,
    model::published_performance,
    url_state::{AmongOthers, ModelsSection},
};
use leptos::prelude::*;
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// An open model of the comparison. Its number does not change while it is open.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::app) struct ListedModel {
    /// The current version of the model.
    pub(in crate::app) version: ModelVersion,
    /// Number from 1, which also selects the colour. From the link, otherwise the lowest free number.
    pub(in crate::app) number: usize,
    /// Title on the model list, unique among the models.
    pub(in crate::app) name: String,
    pub(in crate::app) summary: Arc<ModelSummary>,
    /// Whether it comes from a file, the web or the samples, as opposed to the default preset or a computed table.
    pub(in crate::app) is_file: bool,
    /// Whether it is a computed table.
    pub(in crate::app) is_computed: bool,
    /// Options from the link at the time of opening.
    link_options: AmongOthers,
}

impl ListedModel {
    /// Returns the model's number in the worker, which stays the same for all versions.
    pub(in crate::app) fn id(&self) -> ModelId {
        self.version.id
    }

    /// Returns the key of its row or picture. It is the same for all versions of the model.
    pub(in crate::app) fn row_key(&self) -> (ModelId, String) {
        (self.id(), self.name.clone())
    }

    /// Whether the model has heads.
    pub(in crate::app) fn has_heads(&self) -> bool {
        self.summary.layers > 0
    }

    /// Returns the number of layers, and of heads per layer.
    pub(in crate::app) fn size(&self) -> (usize, usize) {
        let heads = self.summary.heads.map_or(0, |(heads, _)| heads as usize);
        (self.summary.layers, heads)
    }
}

/// Lists the open models: first those of the link, in its order, then the others in the order in which their openings
/// were requested. Models in `before` keep their numbers.
fn list_models(
    entries: &[ModelEntry],
    named: &ModelsSection,
    before: &[ListedModel],
) -> Vec<ListedModel> {
    let place_of = |item: &ModelEntry| named.place_of(item.names());
    let stays = |model: &ListedModel| {
        let item = entries.iter().find(|item| item.id() == Some(model.id()))?;
        Some(ListedModel {
            version: item.version?,
            summary: item.summary.clone()?,
            name: item.title.clone(),
            ..model.clone()
        })
    };
    let mut models: Vec<ListedModel> = before.iter().filter_map(stays).collect();
    for item in entries {
        // A preset is listed once it is completely loaded.
        let (Some(version), Some(summary), false) =
            (item.version, item.summary.clone(), item.is_part())
        else {
            continue;
        };
        if models.iter().any(|model| model.id() == version.id) {
            continue;
        }
        let place = place_of(item);
        let is_free = |number: &usize| models.iter().all(|model| model.number != *number);
        // Numbers from the link are reserved for the models it lists.
        let is_of_link = |number: &usize| {
            let mut places = 0..named.models.len();
            places.any(|place| named.number_at(place) == *number)
        };
        let number_of_link = place.map(|place| named.number_at(place)).filter(is_free);
        let free = || (1..).find(|number| is_free(number) && !is_of_link(number));
        models.push(ListedModel {
            version,
            number: number_of_link.or_else(free).unwrap_or(1),
            name: item.title.clone(),
            summary,
            is_file: item.is_file(),
            is_computed: item.reference.is_computed(),
            link_options: place.map_or(AmongOthers::default(), |place| named.models[place].among),
        });
    }
    models.sort_by_key(|model| {
        let item = entries.iter().find(|item| item.id() == Some(model.id()));
        (item.and_then(place_of).unwrap_or(usize::MAX), model.id())
    });
    models
}

/// Reactive owner of values that live as long as the page.
#[derive(Debug, Clone)]
pub(in crate::app) struct PageOwner(Owner);

impl PageOwner {
    /// Provides the current owner as the owner of the page.
    pub(in crate::app) fn provide() {
        provide_context(Self(Owner::current().unwrap_or_default()));
    }

    /// Calls a function with the page as the owner of the signals that it creates.
    pub(in crate::app) fn own<T>(&self, call: impl FnOnce() -> T) -> T {
        self.0.with(call)
    }
}

/// The open models and the user's choices about them.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct Comparison {
    pub(in crate::app) state: PageState,
    /// Every open model, in the order of the link, then of opening.
    pub(in crate::app) models: Memo<Vec<ListedModel>>,
    /// The models section of the link that was applied last.
    pub(in crate::app) applied_section: RwSignal<ModelsSection>,
    /// Whether a model is left out, if the user changed that since its opening.
    left_out: RwSignal<HashMap<ModelId, bool>>,
    /// Performance as typed. `None` is an emptied field; a missing entry is an untouched one.
    typed_performances: RwSignal<HashMap<ModelId, Option<f64>>>,
    /// Models whose heads the user requested.
    with_heads: RwSignal<HashSet<ModelId>>,
    /// Scores and colour ranges of the timeline's snapshots.
    pub(in crate::app) run: RwSignal<RunRecord>,
}

impl Comparison {
    /// Creates the comparison, which follows the model list and the link from now on.
    fn provide(state: PageState) -> Self {
        let named = RwSignal::new(ModelsSection::default());
        let models = Memo::new(move |before: Option<&Vec<ListedModel>>| {
            let before = before.map_or(&[][..], Vec::as_slice);
            named.with(|named| {
                state
                    .models
                    .entries
                    .with(|entries| list_models(entries, named, before))
            })
        });
        let comparison = Self {
            state,
            models,
            applied_section: named,
            left_out: RwSignal::default(),
            typed_performances: RwSignal::default(),
            with_heads: RwSignal::default(),
            run: RwSignal::default(),
        };
        provide_context(comparison);
        comparison.follow_link();
        comparison.forget_closed();
        comparison
    }

    /// Removes the choices and scores of closed models, whenever one is closed.
    fn forget_closed(self) {
        let open = Memo::new(move |_| -> HashSet<ModelVersion> {
            self.models
                .with(|models| models.iter().map(|model| model.version).collect())
        });
        Effect::new(move || {
            let open = open.get();
            let ids: HashSet<ModelId> = open.iter().map(|model| model.id).collect();
            // Untracked: no effect reads the entries of a closed model.
            self.left_out
                .update_untracked(|left_out| left_out.retain(|id, _| ids.contains(id)));
            self.typed_performances
                .update_untracked(|typed| typed.retain(|id, _| ids.contains(id)));
            self.with_heads
                .update_untracked(|models| models.retain(|id| ids.contains(id)));
            self.run
                .update(|run| run.keep_only(|of| open.contains(&of)));
        });
    }

    /// Returns the comparison. The first view that needs it creates it, with the page as its owner.
    pub(in crate::app) fn from_context() -> Self {
        use_context().unwrap_or_else(|| {
            let page: PageOwner = expect_context();
            page.own(|| Self::provide(PageState::from_context()))
        })
    }

    /// Returns the current state of a model.
    pub(in crate::app) fn model(self, id: ModelId) -> Memo<Option<ListedModel>> {
        Memo::new(move |_| {
            self.models
                .with(|models| models.iter().find(|model| model.id() == id).cloned())
        })
    }

    /// Returns the models that are compared, or those that are not.
    pub(in crate::app) fn taking_part(self, takes_part: bool) -> Vec<ListedModel> {
        let models = self.models.get().into_iter();
        self.left_out.with(|left_out| {
            let is_out = |model: &ListedModel| {
                let choice = left_out.get(&model.id()).copied();
                choice.unwrap_or(model.link_options.left_out)
            };
            models.filter(|model| is_out(model) != takes_part).collect()
        })
    }

    /// Sets whether a model is compared.
    pub(in crate::app) fn include(self, id: ModelId, takes_part: bool) {
        self.left_out.update(|left_out| {
            left_out.insert(id, !takes_part);
        });
    }

    /// Returns the performance of a model on a benchmark, as typed or as published.
    pub(in crate::app) fn performance(self, model: &ListedModel) -> Option<f64> {
        self.typed_performance(model)
            .unwrap_or_else(|| published_performance(&model.name))
    }

    /// Returns the typed performance. `Some(None)` if the field was emptied, `None` if it was not touched.
    pub(in crate::app) fn typed_performance(self, model: &ListedModel) -> Option<Option<f64>> {
        let typed = self
            .typed_performances
            .with(|typed| typed.get(&model.id()).copied());
        typed.or(model.link_options.performance)
    }

    /// Stores a typed performance; `None` if the field was emptied.
    pub(in crate::app) fn set_performance(self, id: ModelId, performance: Option<f64>) {
        self.typed_performances.update(|typed| {
            typed.insert(id, performance);
        });
    }

    /// Whether the heads of a model were requested.
    pub(in crate::app) fn wants_heads(self, model: &ListedModel) -> bool {
        self.with_heads.with(|models| models.contains(&model.id())) || model.link_options.with_heads
    }

    /// Requests the heads of a model, for all its versions.
    pub(in crate::app) fn want_heads(self, id: ModelId) {
        self.with_heads.update(|models| {
            models.insert(id);
        });
    }
}

/// Stores the R² of a model in the model list, from a brief answer about it.
pub(in crate::app) fn store_r2(
    models: ModelList,
    of: ModelVersion,
    similarity: Similarity,
    brief: &Brief,
) {
    if similarity == Similarity::InnerProduct {
        models.update_entry(of.id, |item| {
            if item.version == Some(of) {
                item.r2 = Some(brief.r2());
            }
        });
    }
}
