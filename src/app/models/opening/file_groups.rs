//! Sorting of files: images and tables of heads for the image view, models, single shards.

use super::{Opener, OpeningRequest, retry::RetryRequest};
use crate::{
    analysis::{GroupFiles, GroupedFiles, ModelId, Origin, UnplacedShard},
    app::{
        query_client::{MutationEvent, NamedFile},
        state::message::{Action, Message},
    },
    kernel_io::{heads_of_csv, looks_like_heads},
    url_state::{ModelRef, View},
};
use leptos::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Largest file that may be a table of heads, in bytes.
const LARGEST_TABLE: f64 = 1e6;

impl Opener {
    /// Opens images and tables of heads in the image view; other files are grouped into models.
    pub(super) fn open_by_kind(self, mut files: Vec<NamedFile>) {
        let is_image = |(_, file): &NamedFile| file.type_().starts_with("image/");
        if let Some(image) = files.iter().find(|file| is_image(file)).cloned() {
            files.retain(|file| !is_image(file));
            self.state.own_files.image.set(Some(image));
            self.state.url.link.update(|link| link.view = View::Images);
        }
        match &files[..] {
            [(name, file)] if name.ends_with(".csv") && file.size() <= LARGEST_TABLE => {
                spawn_local(self.open_head_table(files));
            }
            _ => self.group_files(files),
        }
    }

    async fn open_head_table(self, files: Vec<NamedFile>) {
        let (name, file) = &files[0];
        let text = JsFuture::from(file.text()).await.ok();
        let text = text.and_then(|text| text.as_string()).unwrap_or_default();
        if !looks_like_heads(&text) {
            return self.group_files(files);
        }
        match heads_of_csv(&text) {
            Ok(heads) => self.state.url.link.update(|link| {
                link.view = View::Images;
                link.images.heads = Some(heads);
                link.images.head = 0;
            }),
            Err(why) => self
                .state
                .messages
                .warn(format!("“{name}” has no heads: {why}")),
        }
    }

    /// Opens files. The worker groups them into models, and assigns shards to models that are open.
    pub(super) fn group_files(self, files: Vec<NamedFile>) {
        if files.is_empty() {
            return;
        }
        let user_files = files.clone();
        self.client
            .run(GroupFiles, files, move |event| match event {
                MutationEvent::Chunk(groups) => self.open_groups(&user_files, groups),
                MutationEvent::Failed(failure) => {
                    let files = RetryRequest::Grouping(user_files.clone());
                    self.report_with_retry(&failure.sentence, &failure, files);
                }
                MutationEvent::Bytes(_) | MutationEvent::Done => {}
            });
    }

    fn open_groups(self, files: &[NamedFile], groups: GroupedFiles) {
        let nothing = groups.models.is_empty() && groups.shards.is_empty();
        if !groups.tokenizer.is_empty() {
            let own = groups.tokenizer.iter();
            self.add_tokenizer(own.filter_map(|&at| files.get(at).cloned()).collect());
        }
        for sentence in groups.messages {
            if nothing {
                self.state.messages.warn(sentence);
            } else {
                self.state.messages.notify(sentence);
            }
        }
        let mut show = true;
        for group in groups.models {
            let own = group.files.iter().filter_map(|&at| files.get(at).cloned());
            let reference = ModelRef::File {
                name: group.name,
                hash: None,
            };
            // The first model that the link does not list is shown. Listed models only fill their reserved entries.
            let is_shown = show && self.reserved_entry(&reference).is_none();
            show &= !is_shown;
            self.open_new(reference, Origin::Files, own.collect(), is_shown);
        }
        for shard in groups.shards {
            if let Some(file) = files.get(shard.file) {
                self.place_shard(&shard, file.clone());
            }
        }
    }

    /// Gives the files of a tokenizer that came without a model to the open one.
    fn add_tokenizer(self, files: Vec<NamedFile>) {
        let Some(open) = self.state.models.open_entry() else {
            return self.state.messages.warn(
                "These files describe a tokenizer. Open its model first, or drop them together with it.",
            );
        };
        let Some(id) = open.id() else {
            return;
        };
        self.client.add_files(id, files);
        self.state
            .own_files
            .tokenizer_changes
            .update(|count| *count += 1);
        self.state
            .messages
            .notify(format!("The tokenizer was added to {}.", open.title));
    }

    /// Gives a shard to the model that lacks it. If there are several, the user is asked.
    fn place_shard(self, shard: &UnplacedShard, file: NamedFile) {
        match shard.fits[..] {
            [] => {
                let reference = ModelRef::File {
                    name: shard.name.clone(),
                    hash: None,
                };
                self.open_new(reference, Origin::Files, vec![file], false);
            }
            [only] => self.give_shard(file, only),
            _ => {
                let number = self.next_number();
                self.memory.update_value(|memory| {
                    memory.shards.insert(number, file);
                });
                let mut message = Message::new(format!(
                    "Several open models lack a file named {} with these tensors. To which model does it belong?",
                    shard.name
                ));
                for &to in &shard.fits {
                    let title = self.title(to);
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
    fn title(self, id: ModelId) -> String {
        let title = self.state.models.entry(id).map(|item| item.title);
        title.unwrap_or_else(|| {
            self.memory.with_value(|memory| {
                let request = memory.failed_requests.get(&id);
                request.map_or_else(String::new, |request| request.reference.title().to_owned())
            })
        })
    }

    /// Opens a model again with a file that it lacked.
    pub(super) fn give_shard(self, file: NamedFile, to: ModelId) {
        let failed_request = || {
            let request = self
                .memory
                .with_value(|memory| memory.failed_requests.get(&to).cloned())?;
            let version = self.next_version(to);
            Some(OpeningRequest { version, ..request })
        };
        let Some(request) = self.reopening_request(to).or_else(failed_request) else {
            return;
        };
        // The message about the missing file is obsolete.
        self.clear_errors();
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
