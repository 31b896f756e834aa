//! Every open model among the others: what it is numbered and called, whether it takes part, and what was typed
//! beside it.
//!
//! It lives as long as the page, so that nothing of this is lost when another view is shown. What is asked about
//! models is not kept here: each row of a view asks for its own model, and the engine keeps the answers.

use super::{
    engine::{Answered, Waiting},
    shelf_item::ShelfItem,
    state::State,
};
use crate::{
    analysis::{Brief, ModelId, ModelSummary, Opened, Question, Similarity},
    figure::{compared::telling_name, run::RunRecord},
    model::published_performance,
};
use leptos::prelude::*;
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// An open model among others. Its number and its name stay as they are for as long as it is open.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ListedModel {
    /// As what it is open.
    pub(super) opened: Opened,
    /// From 1, in the order in which models were opened; it also gives the model's colour.
    pub(super) number: usize,
    /// A name that no other has.
    pub(super) name: String,
    /// What is known of it.
    pub(super) summary: Arc<ModelSummary>,
    /// Whether it is somebody's file, as against a preset or a computed table.
    pub(super) is_file: bool,
    /// Whether it is computed and not read.
    pub(super) is_computed: bool,
}

impl ListedModel {
    /// Its number in the worker, which stays when something else is chosen in it.
    pub(super) fn id(&self) -> ModelId {
        self.opened.id
    }

    /// Whether it has heads that can be read.
    pub(super) fn has_heads(&self) -> bool {
        self.summary.layers > 0
    }

    /// Layers, and heads a layer.
    pub(super) fn size(&self) -> (usize, usize) {
        let heads = self.summary.heads.map_or(0, |(heads, _)| heads as usize);
        (self.summary.layers, heads)
    }
}

/// The open models of a shelf: those that were listed before first, as they were called.
fn listed(shelf: &[ShelfItem], before: &[ListedModel]) -> Vec<ListedModel> {
    let stays = |model: &ListedModel| {
        let item = shelf.iter().find(|item| item.id() == Some(model.id()))?;
        Some(ListedModel {
            opened: item.opened?,
            summary: item.summary.clone()?,
            ..model.clone()
        })
    };
    let mut models: Vec<ListedModel> = before.iter().filter_map(stays).collect();
    for item in shelf {
        let (Some(opened), Some(summary)) = (item.opened, item.summary.clone()) else {
            continue;
        };
        if models.iter().any(|model| model.id() == opened.id) {
            continue;
        }
        let is_taken = |name: &str| models.iter().any(|model| model.name == name);
        let free = (1..).find(|number| models.iter().all(|model| model.number != *number));
        models.push(ListedModel {
            opened,
            number: free.unwrap_or(1),
            name: telling_name(&item.title, &summary.family, is_taken),
            summary,
            is_file: item.is_file(),
            is_computed: item.reference.is_computed(),
        });
    }
    models
}

/// What lives as long as the page belongs to this.
#[derive(Debug, Clone)]
pub(super) struct PageOwner(Owner);

impl PageOwner {
    /// The page is the caller.
    pub(super) fn provide() {
        provide_context(Self(Owner::current().unwrap_or_default()));
    }
}

/// The open models and what the person has chosen about them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Comparison {
    /// Every open model, in the order in which they came.
    pub(super) models: Memo<Vec<ListedModel>>,
    /// Models that are not compared.
    left_out: RwSignal<HashSet<ModelId>>,
    /// Performances as typed; an emptied field is not the same as an untouched one.
    typed: RwSignal<HashMap<ModelId, Option<f64>>>,
    /// Models whose heads somebody asked for.
    with_heads: RwSignal<HashSet<ModelId>>,
    /// Whether the timeline goes by hand although names tell an order.
    pub(super) by_hand: RwSignal<bool>,
    /// The timeline's order by hand; empty until somebody has moved a snapshot.
    pub(super) hand_order: RwSignal<Vec<ModelId>>,
    /// What is kept of the timeline's snapshots.
    pub(super) run: RwSignal<RunRecord>,
}

impl Comparison {
    /// Follows the shelf for as long as the page is there.
    fn provide(state: State) -> Self {
        let models = Memo::new(move |before: Option<&Vec<ListedModel>>| {
            let before = before.map_or(&[][..], Vec::as_slice);
            state.shelf.with(|shelf| listed(shelf, before))
        });
        let comparison = Self {
            models,
            left_out: RwSignal::default(),
            typed: RwSignal::default(),
            with_heads: RwSignal::default(),
            by_hand: RwSignal::default(),
            hand_order: RwSignal::default(),
            run: RwSignal::default(),
        };
        provide_context(comparison);
        comparison
    }

    /// The page's. The first view that compares makes it; it belongs to the page, not to that view.
    pub(super) fn from_context() -> Self {
        use_context().unwrap_or_else(|| {
            let PageOwner(page) = expect_context();
            page.with(|| Self::provide(State::from_context()))
        })
    }

    /// A model as it is now.
    pub(super) fn model(self, id: ModelId) -> Memo<Option<ListedModel>> {
        Memo::new(move |_| {
            self.models
                .with(|models| models.iter().find(|model| model.id() == id).cloned())
        })
    }

    /// The models that take part, or those that do not.
    pub(super) fn taking_part(self, takes_part: bool) -> Vec<ListedModel> {
        let models = self.models.get().into_iter();
        self.left_out.with(|left_out| {
            models
                .filter(|model| left_out.contains(&model.id()) != takes_part)
                .collect()
        })
    }

    /// Lets a model take part, or not.
    pub(super) fn include(self, id: ModelId, takes_part: bool) {
        self.left_out.update(|left_out| {
            if takes_part {
                left_out.remove(&id);
            } else {
                left_out.insert(id);
            }
        });
    }

    /// How a model does elsewhere: as typed, or as published.
    pub(super) fn performance(self, id: ModelId, name: &str) -> Option<f64> {
        let typed = self.typed.with(|typed| typed.get(&id).copied());
        typed.unwrap_or_else(|| published_performance(name))
    }

    /// Takes what was typed; nothing when the field was emptied.
    pub(super) fn set_performance(self, id: ModelId, performance: Option<f64>) {
        self.typed.update(|typed| {
            typed.insert(id, performance);
        });
    }

    /// Whether somebody asked for the heads of a model.
    pub(super) fn wants_heads(self, id: ModelId) -> bool {
        self.with_heads.with(|models| models.contains(&id))
    }

    /// Asks for the heads of a model, and for those of whatever is chosen in it later.
    pub(super) fn want_heads(self, id: ModelId) {
        self.with_heads.update(|models| {
            models.insert(id);
        });
    }
}

/// What each row of a view has asked about its own model, so that figures can show all of it together.
pub(super) struct AskedByModel<Q: Question>(RwSignal<HashMap<ModelId, Answered<Q>>>);

impl<Q: Question> Clone for AskedByModel<Q> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Q: Question> Copy for AskedByModel<Q> {}

impl<Q: Question> AskedByModel<Q> {
    /// Nothing is asked yet.
    pub(super) fn new() -> Self {
        Self(RwSignal::new(HashMap::new()))
    }

    /// Adds what the caller's row has asked, until that row goes.
    pub(super) fn add(self, id: ModelId, answered: Answered<Q>) {
        self.0.update(|asked| {
            asked.insert(id, answered);
        });
        on_cleanup(move || {
            // When the whole view goes, this goes with it.
            let _ = self.0.try_update(|asked| asked.remove(&id));
        });
    }

    /// What was asked about a model.
    pub(super) fn of(self, id: ModelId) -> Option<Answered<Q>> {
        self.0.with(|asked| asked.get(&id).copied())
    }

    /// What has come about a model as it is open now.
    pub(super) fn answer(self, of: Opened) -> Option<Arc<Q::Answer>> {
        let (question, answer) = self.of(of.id)?.get_with_question()?;
        (question.about() == Some(of)).then_some(answer)
    }

    /// What is waited for as long as nothing has come.
    pub(super) fn waiting(self) -> Waiting {
        let all: Vec<Answered<Q>> = self.0.with(|asked| asked.values().copied().collect());
        let mut waiting = Waiting::Nothing;
        for answered in all {
            match answered.waiting() {
                Waiting::Computing | Waiting::NextAnswer => return Waiting::Computing,
                Waiting::Nothing => {}
                failed @ Waiting::Failed(_) => waiting = failed,
            }
        }
        waiting
    }
}

/// Puts R² on the shelf whenever it comes with a model in short.
pub(super) fn shelve_r2(state: State, of: Opened, similarity: Similarity, brief: &Brief) {
    if similarity == Similarity::InnerProduct {
        state.with_item(of.id, |item| {
            if item.opened == Some(of) {
                item.r2 = Some(brief.r2());
            }
        });
    }
}
