//! Every open model among the others: what it is numbered and called, whether it takes part, and what was typed
//! beside it.
//!
//! In the views that show several models, the link says all of it, see `compared_link`.
//!
//! It lives as long as the page, so that nothing of this is lost when another view is shown. What is asked about
//! models is not kept here: each row of a view asks for its own model, and the engine keeps the answers.

use super::page::PageState;
use crate::{
    analysis::{Brief, ModelId, ModelSummary, ModelVersion, Similarity},
    app::models::entry::ModelEntry,
    figure::training_timeline::RunRecord,
    model::published_performance,
    url_state::{AmongOthers, ModelsSection},
};
use leptos::prelude::*;
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// An open model among others. Its number and its name stay as they are for as long as it is open.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::app) struct ListedModel {
    /// As what it is open.
    pub(in crate::app) opened: ModelVersion,
    /// From 1, in the order in which models were opened; it also gives the model's colour.
    pub(in crate::app) number: usize,
    /// Its name on the shelf, which no other has.
    pub(in crate::app) name: String,
    /// What is known of it.
    pub(in crate::app) summary: Arc<ModelSummary>,
    /// Whether it is somebody's file, as against a preset or a computed table.
    pub(in crate::app) is_file: bool,
    /// Whether it is computed and not read.
    pub(in crate::app) is_computed: bool,
    /// What the link said about it when it was opened.
    said: AmongOthers,
}

impl ListedModel {
    /// Its number in the worker, which stays when something else is chosen in it.
    pub(in crate::app) fn id(&self) -> ModelId {
        self.opened.id
    }

    /// What its row or picture is made anew for: another opening of it is not.
    pub(in crate::app) fn shown_as(&self) -> (ModelId, String) {
        (self.id(), self.name.clone())
    }

    /// Whether it has heads that can be read.
    pub(in crate::app) fn has_heads(&self) -> bool {
        self.summary.layers > 0
    }

    /// Layers, and heads a layer.
    pub(in crate::app) fn size(&self) -> (usize, usize) {
        let heads = self.summary.heads.map_or(0, |(heads, _)| heads as usize);
        (self.summary.layers, heads)
    }
}

/// The open models of a shelf: those that a link named first, in its order, then as they came. Those that were listed
/// before keep their numbers.
fn listed(shelf: &[ModelEntry], named: &ModelsSection, before: &[ListedModel]) -> Vec<ListedModel> {
    let place_of = |item: &ModelEntry| named.place_of(item.names());
    let stays = |model: &ListedModel| {
        let item = shelf.iter().find(|item| item.id() == Some(model.id()))?;
        Some(ListedModel {
            opened: item.opened?,
            summary: item.summary.clone()?,
            name: item.title.clone(),
            ..model.clone()
        })
    };
    let mut models: Vec<ListedModel> = before.iter().filter_map(stays).collect();
    for item in shelf {
        // A preset is listed once all of it is here.
        let (Some(opened), Some(summary), false) =
            (item.opened, item.summary.clone(), item.is_part())
        else {
            continue;
        };
        if models.iter().any(|model| model.id() == opened.id) {
            continue;
        }
        let place = place_of(item);
        let is_free = |number: &usize| models.iter().all(|model| model.number != *number);
        // The numbers that the link gave are kept for those it names.
        let is_given = |number: &usize| {
            let mut places = 0..named.named.len();
            places.any(|place| named.number_at(place) == *number)
        };
        let given = place.map(|place| named.number_at(place)).filter(is_free);
        let free = || (1..).find(|number| is_free(number) && !is_given(number));
        models.push(ListedModel {
            opened,
            number: given.or_else(free).unwrap_or(1),
            name: item.title.clone(),
            summary,
            is_file: item.is_file(),
            is_computed: item.reference.is_computed(),
            said: place.map_or(AmongOthers::default(), |place| named.named[place].among),
        });
    }
    models.sort_by_key(|model| {
        let item = shelf.iter().find(|item| item.id() == Some(model.id()));
        item.and_then(place_of).unwrap_or(usize::MAX)
    });
    models
}

/// What lives as long as the page belongs to this.
#[derive(Debug, Clone)]
pub(in crate::app) struct PageOwner(Owner);

impl PageOwner {
    /// The page is the caller.
    pub(in crate::app) fn provide() {
        provide_context(Self(Owner::current().unwrap_or_default()));
    }
}

/// The open models and what the person has chosen about them.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct Comparison {
    pub(in crate::app) state: PageState,
    /// Every open model, in the order in which they came or the link named them.
    pub(in crate::app) models: Memo<Vec<ListedModel>>,
    /// What the link named last.
    pub(in crate::app) named: RwSignal<ModelsSection>,
    /// Whether models are compared, where somebody has said so since they were opened.
    left_out: RwSignal<HashMap<ModelId, bool>>,
    /// Performances as typed; an emptied field is not the same as an untouched one.
    typed: RwSignal<HashMap<ModelId, Option<f64>>>,
    /// Models whose heads somebody asked for.
    with_heads: RwSignal<HashSet<ModelId>>,
    /// What is kept of the timeline's snapshots.
    pub(in crate::app) run: RwSignal<RunRecord>,
}

impl Comparison {
    /// Follows the shelf and the link for as long as the page is there.
    fn provide(state: PageState) -> Self {
        let named = RwSignal::new(ModelsSection::default());
        let models = Memo::new(move |before: Option<&Vec<ListedModel>>| {
            let before = before.map_or(&[][..], Vec::as_slice);
            named.with(|named| state.shelf.with(|shelf| listed(shelf, named, before)))
        });
        let comparison = Self {
            state,
            models,
            named,
            left_out: RwSignal::default(),
            typed: RwSignal::default(),
            with_heads: RwSignal::default(),
            run: RwSignal::default(),
        };
        provide_context(comparison);
        comparison.follow_link();
        comparison.forget_closed();
        comparison
    }

    /// Forgets what was said and computed of models that are closed, for as long as the page is there.
    fn forget_closed(self) {
        let open = Memo::new(move |_| -> HashSet<ModelVersion> {
            self.models
                .with(|models| models.iter().map(|model| model.opened).collect())
        });
        Effect::new(move || {
            let open = open.get();
            let ids: HashSet<ModelId> = open.iter().map(|opened| opened.id).collect();
            // No effect reads a forgotten answer, so none is notified.
            self.left_out
                .update_untracked(|left_out| left_out.retain(|id, _| ids.contains(id)));
            self.typed
                .update_untracked(|typed| typed.retain(|id, _| ids.contains(id)));
            self.with_heads
                .update_untracked(|models| models.retain(|id| ids.contains(id)));
            self.run
                .update(|run| run.keep_only(|of| open.contains(&of)));
        });
    }

    /// The page's. The first view that compares makes it; it belongs to the page, not to that view.
    pub(in crate::app) fn from_context() -> Self {
        use_context().unwrap_or_else(|| {
            let PageOwner(page) = expect_context();
            page.with(|| Self::provide(PageState::from_context()))
        })
    }

    /// A model as it is now.
    pub(in crate::app) fn model(self, id: ModelId) -> Memo<Option<ListedModel>> {
        Memo::new(move |_| {
            self.models
                .with(|models| models.iter().find(|model| model.id() == id).cloned())
        })
    }

    /// The models that take part, or those that do not.
    pub(in crate::app) fn taking_part(self, takes_part: bool) -> Vec<ListedModel> {
        let models = self.models.get().into_iter();
        self.left_out.with(|left_out| {
            let is_out = |model: &ListedModel| {
                let said = left_out.get(&model.id()).copied();
                said.unwrap_or(model.said.left_out)
            };
            models.filter(|model| is_out(model) != takes_part).collect()
        })
    }

    /// Lets a model take part, or not.
    pub(in crate::app) fn include(self, id: ModelId, takes_part: bool) {
        self.left_out.update(|left_out| {
            left_out.insert(id, !takes_part);
        });
    }

    /// How a model does elsewhere: as typed, or as published.
    pub(in crate::app) fn performance(self, model: &ListedModel) -> Option<f64> {
        self.typed_performance(model)
            .unwrap_or_else(|| published_performance(&model.name))
    }

    /// What was typed; nothing in it where the field was emptied.
    pub(in crate::app) fn typed_performance(self, model: &ListedModel) -> Option<Option<f64>> {
        let typed = self.typed.with(|typed| typed.get(&model.id()).copied());
        typed.or(model.said.performance)
    }

    /// Takes what was typed; nothing when the field was emptied.
    pub(in crate::app) fn set_performance(self, id: ModelId, performance: Option<f64>) {
        self.typed.update(|typed| {
            typed.insert(id, performance);
        });
    }

    /// Whether somebody asked for the heads of a model.
    pub(in crate::app) fn wants_heads(self, model: &ListedModel) -> bool {
        self.with_heads.with(|models| models.contains(&model.id())) || model.said.with_heads
    }

    /// Asks for the heads of a model, and for those of whatever is chosen in it later.
    pub(in crate::app) fn want_heads(self, id: ModelId) {
        self.with_heads.update(|models| {
            models.insert(id);
        });
    }
}

/// Puts R² on the shelf whenever it comes with a model in short.
pub(in crate::app) fn shelve_r2(
    state: PageState,
    of: ModelVersion,
    similarity: Similarity,
    brief: &Brief,
) {
    if similarity == Similarity::InnerProduct {
        state.with_item(of.id, |item| {
            if item.opened == Some(of) {
                item.r2 = Some(brief.r2());
            }
        });
    }
}
