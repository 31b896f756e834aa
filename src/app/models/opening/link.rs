//! Opening the models that a link names: the current model, and those it lists for comparison. Presets and computed
//! tables are opened, remote models need the user's consent, and files must be provided by the user.

use super::{Opener, hub};
use crate::{
    analysis::Origin,
    app::state::{
        message::{Action, FETCH_ALL, Message},
        model_entry::ModelEntry,
    },
    model::ModelOptions,
    url_state::{ModelRef, ModelsSection, NamedModel, disambiguate, model_name},
};
use leptos::prelude::*;

impl Opener {
    /// Opens the link's model, now and whenever the link changes.
    pub(super) fn open_model_of_link(self) {
        let model = self
            .state
            .url
            .select(|link| (link.model.clone(), link.choice.clone()));
        Effect::new(move || {
            let (model, choice) = model.get();
            self.open_linked(model, choice);
        });
    }

    fn open_linked(self, reference: ModelRef, choice: ModelOptions) {
        let state = self.state;
        let entry = state.models.entries.with_untracked(|entries| {
            let exactly = entries.iter().find(|item| item.reference == reference);
            exactly
                .or_else(|| entries.iter().find(|item| item.is_called(&reference)))
                .cloned()
        });
        if let Some(item) = &entry
            && let Some(version) = item.version
        {
            let shown_version = self.version_to_show(version);
            if state.models.open.get_untracked() != shown_version {
                state.models.open.set(shown_version);
            }
            if item.choice != choice && !item.is_part() {
                // The link changed only the options.
                self.reopen(version.id, item.reference.clone(), choice, true);
            }
            return;
        }
        let is_coming = entry.is_some_and(|item| {
            item.opening_id.is_some() && reference.is_read_in_parts()
                || item.is_coming() && reference.is_sample()
        });
        if is_coming {
            // It is being fetched; for another host the user has agreed to that.
            return;
        }
        match reference.clone() {
            ModelRef::Sinusoidal(_) | ModelRef::Random(_) => self.open_computed(reference),
            ModelRef::Preset(id) => self.fetch_preset(reference, &id),
            ModelRef::Site(_) => self.fetch(vec![reference], false, false),
            ModelRef::File { name, .. } => state.messages.push(Message::about_link(format!(
                "This link refers to a local file, “{name}”. Open your copy to see the same figure."
            ))),
            ModelRef::Run(_) if self.fetch_shipped_run(&reference) => {}
            ModelRef::Run(run) => state.messages.push(Message::about_link(format!(
                "This link shows a model that was trained on this page, “{run}”. Train it in the view Training to see the same figure."
            ))),
            ModelRef::Hub(name) => self.ask_consent(reference, &format!("{name} from {}", hub())),
            ModelRef::Url(address) => self.ask_consent(reference, &address),
        }
    }

    /// Opens a preset or a computed table before a link names it, unless it is open or being opened.
    pub(in crate::app) fn prefetch(self, reference: &ModelRef) {
        let is_idle = self.is_idle(reference);
        match reference {
            ModelRef::Preset(id) if is_idle => self.fetch_preset(reference.clone(), id),
            ModelRef::Site(_) => self.fetch(vec![reference.clone()], false, false),
            ModelRef::Sinusoidal(_) | ModelRef::Random(_) if is_idle => {
                self.open_computed(reference.clone());
            }
            _ => {}
        }
    }

    /// Whether a model is neither open nor being fetched or opened: an entry of the list, or a sample.
    pub(super) fn is_idle(self, reference: &ModelRef) -> bool {
        self.state.models.entries.with_untracked(|entries| {
            let item = entries.iter().find(|item| item.reference == *reference);
            item.map_or(reference.is_sample(), |item| {
                item.version.is_none() && !item.is_coming()
            })
        })
    }

    /// Opens the models that a link lists, except the current model, which [`Opener::open_model_of_link`] opens. Messages
    /// state which files and consents are needed.
    pub(in crate::app) fn open_listed(self, section: &ModelsSection) {
        let current = self
            .state
            .url
            .link
            .with_untracked(|link| link.model.clone());
        let (mut remote, mut files) = (Vec::new(), Vec::new());
        for named in &section.models {
            let is_current = named.model.is_same_model(&current);
            let item = self.state.models.entries.with_untracked(|entries| {
                let item = entries.iter().find(|item| item.is_same_as(&named.model));
                item.cloned()
            });
            if let Some(item) = &item
                && let Some(id) = item.id()
            {
                if item.choice != named.choice && !is_current {
                    self.reopen(id, item.reference.clone(), named.choice.clone(), false);
                }
                continue;
            }
            let is_coming = item.is_some_and(|item| item.opening_id.is_some() || item.is_reserved);
            if is_coming || is_current && !named.model.is_from_visitor() {
                continue;
            }
            self.reserve_entry(named);
            let reference = named.model.clone();
            match &named.model {
                ModelRef::File { .. } if is_current => {}
                ModelRef::File { name, hash } => files.push(describe_file(name, *hash)),
                ModelRef::Run(_) if self.fetch_shipped_run(&reference) => {}
                ModelRef::Run(run) => {
                    files.push(format!("“{run}” (train it in the view Training)"));
                }
                ModelRef::Hub(_) | ModelRef::Url(_) => remote.push(reference),
                ModelRef::Preset(id) => self.fetch_preset(reference, id),
                ModelRef::Site(_) => self.fetch(vec![reference], false, false),
                ModelRef::Sinusoidal(_) | ModelRef::Random(_) => self.open_computed(reference),
            }
        }
        if !remote.is_empty() {
            self.ask_consent_for_all(remote, &section.models);
        }
        if !files.is_empty() {
            self.state.messages.push(Message::about_link(format!(
                "This link also compares local files: {}. Open your copies, and each takes its place.",
                files.join(", ")
            )));
        }
        if section.more > 0 {
            self.state.messages.push(Message::about_link(format!(
                "When this link was made, {} more models were open than a link can name. Open them here to see them, too.",
                section.more
            )));
        }
    }

    /// Opens the computed tables of the model list if no more than one model is open or requested, so that there is
    /// something to compare.
    pub(in crate::app) fn open_baselines(self) {
        let tables = self.state.models.entries.with_untracked(|entries| {
            let is_taken = |item: &&ModelEntry| {
                item.version.is_some() || item.opening_id.is_some() || item.is_reserved
            };
            if entries.iter().filter(is_taken).count() > 1 {
                return Vec::new();
            }
            let free = entries.iter().filter(|item| !is_taken(item));
            let references = free.map(|item| item.reference.clone());
            references.filter(ModelRef::is_computed).collect()
        });
        for reference in tables {
            self.open_computed(reference);
        }
    }

    /// Opens a computed table. Ignores other models.
    fn open_computed(self, reference: ModelRef) {
        let origin = match &reference {
            ModelRef::Sinusoidal(table) => Origin::Sinusoidal(*table),
            ModelRef::Random(table) => Origin::Random(*table),
            _ => return,
        };
        self.open_new(reference, origin, Vec::new(), false);
    }

    /// Reserves an entry of the model list for a model that a link lists.
    fn reserve_entry(self, named: &NamedModel) {
        let status = match &named.model {
            ModelRef::File { hash, .. } => {
                hash.map_or("wanted".to_owned(), |hash| format!("wanted · {hash:016x}"))
            }
            _ => String::new(),
        };
        self.state.models.entries.update(|entries| {
            let at = entries
                .iter()
                .position(|item| item.is_same_as(&named.model));
            let at = at.unwrap_or_else(|| {
                let has_title = |title: &str| entries.iter().any(|item| item.title == title);
                let name = model_name(named.model.title(), None);
                let namesake = named.among.namesake;
                let (title, _) = disambiguate(&name, namesake, has_title);
                entries.push(ModelEntry {
                    namesake,
                    ..ModelEntry::new(named.model.clone(), &title)
                });
                entries.len() - 1
            });
            let item = &mut entries[at];
            item.reference = named.model.clone();
            item.choice = named.choice.clone();
            item.status = status;
            item.is_reserved = true;
        });
    }

    /// Asks for consent to fetch the remote models that a link lists.
    fn ask_consent_for_all(self, remote: Vec<ModelRef>, named: &[NamedModel]) {
        let names = remote.iter().map(|reference| {
            let (ModelRef::Hub(what) | ModelRef::Url(what)) = reference else {
                return String::new();
            };
            let has_heads =
                |named: &NamedModel| named.model == *reference && named.among.with_heads;
            let heads = if named.iter().any(has_heads) {
                " with all its heads"
            } else {
                ""
            };
            match reference {
                ModelRef::Hub(_) => format!("{what} from {}{heads}", hub()),
                _ => format!("{what}{heads}"),
            }
        });
        let names = names.collect::<Vec<_>>().join(", ");
        let action = Action::Fetch {
            models: remote,
            whole: false,
            show: false,
        };
        let message = Message::about_link(format!(
            "To compare, this link also asks to fetch {names}. Nothing has been fetched yet."
        ));
        self.offer_fetch(message, FETCH_ALL, action);
    }
}

/// Formats a requested file, with the hash that tells it from others of the same name.
fn describe_file(name: &str, hash: Option<u64>) -> String {
    match hash {
        Some(hash) => format!("“{name}” (table {hash:016x})"),
        None => format!("“{name}”"),
    }
}
