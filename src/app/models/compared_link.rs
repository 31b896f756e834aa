//! Synchronisation of the comparison with the link. In the views that show several models, the link lists all open
//! models and their options, so that it can be shared.

use super::opening::Opener;
use crate::{
    app::state::{
        comparison::{Comparison, ListedModel},
        model_entry::ModelEntry,
    },
    url_state::{AmongOthers, ModelsSection, NamedModel},
};
use leptos::prelude::*;

impl Comparison {
    /// Opens the models that the link names and writes the open models to the link, now and whenever either changes.
    pub(in crate::app) fn follow_link(self) {
        let state = self.state;
        let in_link = state
            .url
            .select(|link| (link.view.shows_several_models(), link.models.clone()));
        let now = Memo::new(move |_| {
            let (shows_several, _) = in_link.get();
            let section = shows_several.then(|| self.section());
            section.unwrap_or_default()
        });
        let written = StoredValue::new(ModelsSection::default());
        let keep = move || {
            let (_, section) = in_link.get();
            let names_models = section != ModelsSection::default();
            if names_models && written.with_value(|written| *written != section) {
                untrack(|| self.take(&section));
            }
            let now = now.get();
            written.set_value(now.clone());
            if state.url.link.with_untracked(|link| link.models != now) {
                state.url.link.update(|link| link.models = now);
            }
        };
        // The link must be applied before models are listed.
        untrack(keep);
        Effect::new(keep);
    }

    /// Applies the models section of a link.
    fn take(self, section: &ModelsSection) {
        // Set first: a model that is already open then gets the number that the link assigns.
        self.applied_section.set(section.clone());
        let among = |model: &ListedModel| {
            let item = self.state.models.entry(model.id())?;
            let place = section.place_of(item.names())?;
            Some(section.models[place].among)
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
        expect_context::<Opener>().open_listed(section);
    }

    /// Returns the section for the link: all open models, and the models of the link that are not open yet.
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
        let named = self.applied_section.get();
        let front = self.state.url.link.with(|link| link.model.clone());
        self.state.models.entries.with(|entries| {
            let as_named = |item: &ModelEntry, among: AmongOthers| NamedModel {
                model: item.reference.clone(),
                choice: item.choice.clone(),
                among,
            };
            let open = models.iter().filter_map(|model| {
                let item = entries.iter().find(|item| item.id() == Some(model.id()))?;
                Some(as_named(item, among(model, item.namesake)))
            });
            let to_come = entries
                .iter()
                .filter(|item| item.is_reserved && item.id().is_none());
            let to_come = to_come.filter_map(|item| {
                let place = named.place_of(item.names())?;
                let number = Some(named.number_at(place));
                let among = AmongOthers {
                    number,
                    ..named.models[place].among
                };
                Some(as_named(item, among))
            });
            let mut all: Vec<NamedModel> = open.chain(to_come).collect();
            all.sort_by_key(|model| named.place_of([&model.model]).unwrap_or(usize::MAX));
            ModelsSection::from_models(&all, &front)
        })
    }
}
