//! Between the comparison and the link, which in the views that show several models says all that is open and what was
//! chosen about it, and says it to whoever opens that link.

use super::comparison::{Comparison, ListedModel};
use crate::{
    app::models::{entry::ModelEntry, opening::Opener},
    url_state::{AmongOthers, LazySection, Link, ModelsSection, NamedModel, View},
};
use leptos::prelude::*;

impl Comparison {
    /// Opens what the link names, and keeps in the link what is open: now and for as long as the page is there.
    pub(in crate::app) fn follow_link(self) {
        let state = self.state;
        state.settle(|link| &mut link.models);
        let in_link = state.part(|link| (shows_several(link), link.models.clone()));
        let now = Memo::new(move |_| {
            let (shows_several, _) = in_link.get();
            let section = shows_several.then(|| self.section());
            section.map_or_else(LazySection::default, LazySection::from)
        });
        let written = StoredValue::new(LazySection::default());
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
        // Before anything is listed: a model that is open already has the number that the link gives it.
        self.named.set(said.clone());
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
        expect_context::<Opener>().open_named(said);
    }

    /// Everything that is open, and what is still to come of what the link named.
    fn section(self) -> ModelsSection {
        let models = self.models.get();
        let left_out = self.taking_part(false);
        let among = |model: &ListedModel, namesake: Option<usize>| AmongOthers {
            number: Some(model.number),
            left_out: left_out.iter().any(|out| out.id() == model.id()),
            performance: self.typed_performance(model),
            with_heads: self.wants_heads(model),
            namesake,
        };
        let named = self.named.get();
        let front = self.state.link.with(|link| link.model.clone());
        self.state.shelf.with(|shelf| {
            let as_named = |item: &ModelEntry, among: AmongOthers| NamedModel {
                model: item.reference.clone(),
                choice: item.choice.clone(),
                among,
            };
            let open = models.iter().filter_map(|model| {
                let item = shelf.iter().find(|item| item.id() == Some(model.id()))?;
                Some(as_named(item, among(model, item.namesake)))
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
