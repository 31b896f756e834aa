//! Grouping of files into models, and placement of single shards.

use super::{Opener, OpeningRequest, retry::RetryRequest};
use crate::{
    analysis::{GroupFiles, GroupedFiles, ModelId, Origin, UnplacedShard},
    app::{
        query_client::{MutationEvent, NamedFile},
        state::message::{Action, Message},
    },
    url_state::ModelRef,
};
use leptos::prelude::*;

impl Opener {
    /// Opens files. The worker groups them into models, and assigns shards to models that are open.
    pub(super) fn group_files(self, files: Vec<NamedFile>) {
        if files.is_empty() {
            return;
        }
        let handed_over = files.clone();
        self.client
            .run(GroupFiles, files, move |event| match event {
                MutationEvent::Chunk(groups) => self.open_groups(&handed_over, groups),
                MutationEvent::Failed(failure) => {
                    let files = RetryRequest::Gathering(handed_over.clone());
                    self.say_failed(&failure.sentence, &failure, files);
                }
                MutationEvent::Bytes(_) | MutationEvent::Done => {}
            });
    }

    fn open_groups(self, files: &[NamedFile], groups: GroupedFiles) {
        let nothing = groups.found.is_empty() && groups.shards.is_empty();
        for sentence in groups.messages {
            if nothing {
                self.state.messages.warn(sentence);
            } else {
                self.state.messages.notify(sentence);
            }
        }
        let mut show = true;
        for group in groups.found {
            let own = group.files.iter().filter_map(|&at| files.get(at).cloned());
            let reference = ModelRef::File {
                name: group.name,
                hash: None,
            };
            // The first model that the link does not list is shown. Listed models only fill their reserved entries.
            let is_shown = show && self.wanted(&reference).is_none();
            show &= !is_shown;
            self.ask(reference, Origin::Files, own.collect(), is_shown);
        }
        for shard in groups.shards {
            if let Some(file) = files.get(shard.file) {
                self.place_shard(&shard, file.clone());
            }
        }
    }

    /// Gives a shard to the model that lacks it. If there are several, the user is asked.
    fn place_shard(self, shard: &UnplacedShard, file: NamedFile) {
        match shard.fits[..] {
            [] => {
                let reference = ModelRef::File {
                    name: shard.name.clone(),
                    hash: None,
                };
                self.ask(reference, Origin::Files, vec![file], false);
            }
            [only] => self.give_shard(file, only),
            _ => {
                let number = self.count();
                self.kept.update_value(|kept| {
                    kept.shards.insert(number, file);
                });
                let mut message = Message::new(format!(
                    "Several open models lack a file named {} with such tensors. To which of them does it belong?",
                    shard.name
                ));
                for &to in &shard.fits {
                    let title = self.title_of(to);
                    let action = Action::GiveShard {
                        shard: number,
                        to,
                        title: title.clone(),
                    };
                    message = message.with(format!("To {title}"), action);
                }
                self.state.messages.push(message);
            }
        }
    }

    /// Returns the title of a model, also of one that could not be opened yet.
    fn title_of(self, id: ModelId) -> String {
        let on_shelf = self.state.models.entry(id).map(|item| item.title);
        on_shelf.unwrap_or_else(|| {
            self.kept.with_value(|kept| {
                let request = kept.failed.get(id);
                request.map_or_else(String::new, |request| request.reference.title().to_owned())
            })
        })
    }

    /// Opens a model again with a file that it lacked.
    pub(super) fn give_shard(self, file: NamedFile, to: ModelId) {
        let failed = || {
            let failed = self.kept.with_value(|kept| kept.failed.get(to).cloned())?;
            let opened = self.anew(to);
            Some(OpeningRequest { opened, ..failed })
        };
        let Some(request) = self.as_open(to).or_else(failed) else {
            return;
        };
        // The message about the missing file is obsolete.
        self.calm();
        let mut files = request.files;
        // Replaces an unreadable file of the same name.
        files.retain(|(path, _)| name(path) != name(&file.0));
        let folder = files.first().map_or("", |(path, _)| folder(path));
        let path = format!("{folder}{}", name(&file.0));
        files.push((path, file.1));
        self.open(OpeningRequest { files, ..request });
    }
}

/// Returns a file's name without its folders.
fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the folders before a file's name, including the last slash.
fn folder(path: &str) -> &str {
    &path[..path.len() - name(path).len()]
}
