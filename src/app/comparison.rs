//! Every open model among the others: what it is numbered and called, whether it takes part, and what was typed
//! beside it.
//!
//! In the views that show several models, the link says all of it, and says it to whoever opens that link.
//!
//! It lives as long as the page, so that nothing of this is lost when another view is shown. What is asked about
//! models is not kept here: each row of a view asks for its own model, and the engine keeps the answers.

use super::{
    engine::{Answered, Waiting},
    opening::Opener,
    shelf_item::ShelfItem,
    state::State,
};
use crate::{
    analysis::{Brief, ModelId, ModelSummary, Opened, Question, Similarity},
    figure::{compared::telling_name, run::RunRecord},
    link::{AmongOthers, Link, ModelsSection, NamedModel, Unread, View},
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
    /// What the link said about it when it was opened.
    said: AmongOthers,
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

/// The open models of a shelf: those that a link named first, in its order, then as they came. Those that were listed
/// before are called as they were.
fn listed(shelf: &[ShelfItem], named: &ModelsSection, before: &[ListedModel]) -> Vec<ListedModel> {
    let place_of = |item: &ShelfItem| named.place_of(item.names());
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
            name: telling_name(&item.title, &summary.family, is_taken),
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
    state: State,
    /// Every open model, in the order in which they came or the link named them.
    pub(super) models: Memo<Vec<ListedModel>>,
    /// What the link named last.
    named: RwSignal<ModelsSection>,
    /// Whether models are compared, where somebody has said so since they were opened.
    left_out: RwSignal<HashMap<ModelId, bool>>,
    /// Performances as typed; an emptied field is not the same as an untouched one.
    typed: RwSignal<HashMap<ModelId, Option<f64>>>,
    /// Models whose heads somebody asked for.
    with_heads: RwSignal<HashSet<ModelId>>,
    /// What is kept of the timeline's snapshots.
    pub(super) run: RwSignal<RunRecord>,
}

impl Comparison {
    /// Follows the shelf and the link for as long as the page is there.
    fn provide(state: State) -> Self {
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
            let is_out = |model: &ListedModel| {
                let said = left_out.get(&model.id()).copied();
                said.unwrap_or(model.said.left_out)
            };
            models.filter(|model| is_out(model) != takes_part).collect()
        })
    }

    /// Lets a model take part, or not.
    pub(super) fn include(self, id: ModelId, takes_part: bool) {
        self.left_out.update(|left_out| {
            left_out.insert(id, !takes_part);
        });
    }

    /// How a model does elsewhere: as typed, or as published.
    pub(super) fn performance(self, model: &ListedModel) -> Option<f64> {
        self.typed_performance(model)
            .unwrap_or_else(|| published_performance(&model.name))
    }

    fn typed_performance(self, model: &ListedModel) -> Option<Option<f64>> {
        let typed = self.typed.with(|typed| typed.get(&model.id()).copied());
        typed.or(model.said.performance)
    }

    /// Takes what was typed; nothing when the field was emptied.
    pub(super) fn set_performance(self, id: ModelId, performance: Option<f64>) {
        self.typed.update(|typed| {
            typed.insert(id, performance);
        });
    }

    /// Whether somebody asked for the heads of a model.
    pub(super) fn wants_heads(self, model: &ListedModel) -> bool {
        self.with_heads.with(|models| models.contains(&model.id())) || model.said.with_heads
    }

    /// Asks for the heads of a model, and for those of whatever is chosen in it later.
    pub(super) fn want_heads(self, id: ModelId) {
        self.with_heads.update(|models| {
            models.insert(id);
        });
    }
}

/// Between the comparison and the link.
impl Comparison {
    /// Opens what the link names, and keeps in the link what is open: now and for as long as the page is there.
    fn follow_link(self) {
        let state = self.state;
        state.settle(|link| &mut link.models);
        let in_link = state.part(|link| (shows_several(link), link.models.clone()));
        let now = Memo::new(move |_| {
            let (shows_several, _) = in_link.get();
            let section = shows_several.then(|| self.section());
            section.map_or_else(Unread::default, Unread::from)
        });
        let written = StoredValue::new(Unread::default());
        let keep = move || {
            let (_, said) = in_link.get();
            if !said.is_empty() && written.with_value(|written| *written != said) {
                untrack(|| self.take(said.get()));
            }
            let now = now.get();
            written.set_value(now.clone());
            if state.link.with_untracked(|link| link.models != now) {
                state.link.update(|link| link.models = now);
            }
        };
        // The link is heard before anything is listed.
        untrack(keep);
        Effect::new(keep);
    }

    /// Takes what a link says.
    fn take(self, said: &ModelsSection) {
        let among = |model: &ListedModel| {
            let item = self.state.item(model.id())?;
            let place = said.place_of(item.names())?;
            Some(said.named[place].among)
        };
        for model in self.models.get() {
            if let Some(among) = among(&model) {
                self.include(model.id(), !among.left_out);
                if let Some(performance) = among.performance {
                    self.set_performance(model.id(), performance);
                }
                if among.with_heads {
                    self.want_heads(model.id());
                }
            }
        }
        self.named.set(said.clone());
        expect_context::<Opener>().open_named(said);
    }

    /// Everything that is open, and what is still to come of what the link named.
    fn section(self) -> ModelsSection {
        let models = self.models.get();
        let left_out = self.taking_part(false);
        let among = |model: &ListedModel| AmongOthers {
            number: Some(model.number),
            left_out: left_out.iter().any(|out| out.id() == model.id()),
            performance: self.typed_performance(model),
            with_heads: self.wants_heads(model),
        };
        let named = self.named.get();
        let front = self.state.link.with(|link| link.model.clone());
        self.state.shelf.with(|shelf| {
            let as_named = |item: &ShelfItem, among: AmongOthers| NamedModel {
                model: item.reference.clone(),
                choice: item.choice.clone(),
                among,
            };
            let open = models.iter().filter_map(|model| {
                let item = shelf.iter().find(|item| item.id() == Some(model.id()))?;
                Some(as_named(item, among(model)))
            });
            let to_come = shelf
                .iter()
                .filter(|item| item.is_wanted && item.id().is_none());
            let to_come = to_come.filter_map(|item| {
                let place = named.place_of(item.names())?;
                let number = Some(named.number_at(place));
                let among = AmongOthers {
                    number,
                    ..named.named[place].among
                };
                Some(as_named(item, among))
            });
            let mut all: Vec<NamedModel> = open.chain(to_come).collect();
            all.sort_by_key(|model| named.place_of([&model.model]).unwrap_or(usize::MAX));
            ModelsSection::naming(&all, &front)
        })
    }
}

/// Whether a link is of a view that shows several models.
fn shows_several(link: &Link) -> bool {
    matches!(link.view, View::Compare | View::Training)
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
