//! Where an opened model goes: its place on the shelf, in the link, and on the page.

use super::{Asked, EARLY_READS, Opener};
use crate::{
    analysis::{ModelId, ModelSummary, Request},
    app::{engine::Channel, state::Item},
    link::ModelRef,
};
use std::sync::Arc;

impl Opener {
    pub(super) fn shelve(self, id: ModelId, asked: &Asked, summary: ModelSummary) {
        let state = self.state;
        let linked = state.link.with_untracked(|link| link.model.clone());
        // A model that is open already and looked at otherwise is what it was, whatever its numbers.
        let looked_at = state.shelf.with_untracked(|shelf| {
            let item = shelf.iter().find(|item| item.id == Some(id));
            item.map(|item| item.reference.clone())
        });
        let (reference, linked_to) = match &asked.reference {
            ModelRef::File { name, .. } => {
                let hash = Some(summary.hash);
                let reference = ModelRef::File {
                    name: name.clone(),
                    hash,
                };
                let linked_to = match looked_at {
                    Some(before) => before == linked,
                    None => self.is_linked(name, summary.hash, &linked),
                };
                (reference, linked_to)
            }
            other => (other.clone(), linked == *other),
        };
        let item = Item {
            id: Some(id),
            title: match &reference {
                ModelRef::Hub(_) | ModelRef::Url(_) => reference.title().to_owned(),
                _ => summary.name.clone(),
            },
            summary: Some(Arc::new(summary)),
            choice: asked.choice.clone(),
            read: EARLY_READS.with_borrow_mut(|reads| reads.remove(&id)),
            ..Item::new(reference.clone(), "")
        };
        let had_effects = self.place(item);
        if state.open.get_untracked() == Some(id) {
            state.again.update(|count| *count += 1);
        }
        if asked.show {
            state
                .messages
                .update(|messages| messages.retain(|message| !message.alarming));
        }
        if asked.show || linked_to {
            state.link.update(|link| {
                if link.model != reference && !linked_to {
                    (link.matrices.window, link.cursor.pin) = (None, None);
                }
                link.model = reference;
                link.choice = asked.choice.clone();
            });
            // Set even when the number is the same: what is open under it may be another table.
            state.open.set(Some(id));
        }
        state.revised.update(|count| *count += 1);
        if had_effects && state.open.get_untracked() == Some(id) {
            self.ask_effects();
        }
    }

    /// Whether the link on the page was made from this file.
    fn is_linked(self, name: &str, hash: u64, linked: &ModelRef) -> bool {
        let ModelRef::File {
            name: meant,
            hash: meant_hash,
        } = linked
        else {
            return false;
        };
        let same_table = meant_hash.is_none_or(|meant| meant == hash);
        // Only where the link came before the file: what is open already is linked to by itself.
        let linked_is_open = self.state.shelf.with_untracked(|shelf| {
            shelf
                .iter()
                .any(|item| item.id.is_some() && item.reference == *linked)
        });
        if meant == name && !same_table && !linked_is_open {
            self.state.say(
                false,
                format!("{name} is not the file the link was made from: its position table has other numbers."),
            );
        }
        meant == name && same_table
    }

    /// Puts a model on the shelf, in the place of what it replaces. Whether what its corrections do was
    /// known of that.
    fn place(self, mut item: Item) -> bool {
        self.state.shelf.update(|shelf| {
            let replaces = |other: &Item| {
                other.id == item.id
                    || other.reference == item.reference
                    || same_kind(&other.reference, &item.reference)
            };
            let Some(at) = shelf.iter().position(replaces) else {
                shelf.push(item);
                return false;
            };
            let id = item.id;
            item.read = item.read.or(shelf[at].read);
            if shelf[at].id == id {
                item.known_as = shelf[at].names().cloned().collect();
            }
            let before = std::mem::replace(&mut shelf[at], item);
            if let Some(before) = before.id.filter(|before| Some(*before) != id) {
                self.engine
                    .ask(Channel::Open(before), Request::Close(before), |_| {});
            }
            !before.effects.is_empty()
        })
    }
}

/// Computed tables of one kind replace each other on the shelf.
fn same_kind(a: &ModelRef, b: &ModelRef) -> bool {
    let computed =
        |model: &ModelRef| matches!(model, ModelRef::Sinusoidal(_) | ModelRef::Random(_));
    computed(a) && std::mem::discriminant(a) == std::mem::discriminant(b)
}
