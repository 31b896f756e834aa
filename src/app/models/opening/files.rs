//! Files and folders that the user chooses or drops. The code that groups and opens them is a lazy part; it is not
//! needed before the first model is open.

use super::{Opener, retry::RetryRequest};
use crate::{
    analysis::{Failure, FailureKind, ModelId},
    app::{query_client::NamedFile, state::own_files::open_own_lessons},
    same_origin_files,
};
use js_sys::{Array, Function, Promise, Reflect};
use leptos::{
    prelude::*,
    wasm_split::{SplitLoaderError, wasm_split},
};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    DataTransfer, DragEvent, File, FileList, FileSystemDirectoryEntry, FileSystemEntry,
    FileSystemFileEntry,
};

/// Most files in a dropped folder. No model has more.
const MOST_FILES: usize = 10_000;
/// Deepest nesting of folders.
const DEEPEST: usize = 16;

/// Returns the files of a list with their paths relative to the chosen folder.
pub(in crate::app) fn files_of(files: &FileList) -> Vec<NamedFile> {
    (0..files.length())
        .filter_map(|at| files.get(at))
        .map(|file| {
            let path = Reflect::get(&file, &"webkitRelativePath".into()).ok();
            let path = path.and_then(|path| path.as_string());
            let path = path.filter(|path| !path.is_empty());
            (path.unwrap_or_else(|| file.name()), file.into())
        })
        .collect()
}

/// Accepts files and folders dropped anywhere on the page.
#[component]
pub(in crate::app) fn DropZone() -> impl IntoView {
    let opener = Opener::from_context();
    let over = RwSignal::new(false);
    let holds_files = |event: &DragEvent| {
        event
            .data_transfer()
            .is_some_and(|data| data.types().includes(&"Files".into(), 0))
    };
    // These listeners are never removed.
    window_event_listener(leptos::ev::dragover, move |event| {
        if holds_files(&event) {
            event.prevent_default();
            over.set(true);
        }
    });
    window_event_listener(leptos::ev::dragleave, move |event| {
        if event.related_target().is_none() {
            over.set(false);
        }
    });
    window_event_listener(leptos::ev::drop, move |event| {
        over.set(false);
        if let Some(data) = event.data_transfer().filter(|_| holds_files(&event)) {
            event.prevent_default();
            opener.open_dropped(&data);
        }
    });
    view! {
        <div class="drop" hidden=move || !over.get() aria-hidden="true">
            <p>"Drop checkpoints or folders. They stay on this machine."</p>
        </div>
    }
}

/// Files or folders from the user.
#[derive(Debug)]
pub(super) enum UserFiles {
    /// Files, models or lessons.
    Files(Vec<NamedFile>),
    /// Dropped folders, and files dropped with them.
    Folders(Vec<FileSystemEntry>),
    /// A shard, and the model that lacks it.
    Shard(NamedFile, ModelId),
}

/// The function of the lazy part that opens them.
type OpenUserFiles = fn(Opener, UserFiles);

// Returns the function instead of calling it: the arguments of a split function must be plain types.
#[wasm_split(details, wasm_split_path = leptos::wasm_split, fallible)]
fn user_files_part() -> Result<OpenUserFiles, SplitLoaderError> {
    Ok(open_user_files_now)
}

fn open_user_files_now(opener: Opener, what: UserFiles) {
    match what {
        UserFiles::Files(files) => {
            let is_lesson = |(path, _): &NamedFile| path.to_ascii_lowercase().ends_with(".md");
            let (lessons, files) = files.into_iter().partition(is_lesson);
            open_own_lessons(opener.state, opener.client, lessons);
            opener.open_by_kind(files);
        }
        UserFiles::Folders(entries) => opener.open_folders(entries),
        UserFiles::Shard(file, to) => opener.give_shard(file, to),
    }
}

impl Opener {
    fn open_dropped(self, data: &DataTransfer) {
        // Entries are accessible only during the event. Their contents can be read later.
        let items = data.items();
        let entries: Vec<_> = (0..items.length())
            .filter_map(|at| items.get(at)?.webkit_get_as_entry().ok().flatten())
            .collect();
        if !entries.iter().any(FileSystemEntry::is_directory) {
            let files = data.files().map(|files| files_of(&files));
            return self.open_files(files.unwrap_or_default());
        }
        self.open_user_files(UserFiles::Folders(entries));
    }

    /// Opens files that the user dropped or chose.
    pub(in crate::app) fn open_files(self, files: Vec<NamedFile>) {
        self.open_user_files(UserFiles::Files(files));
    }

    pub(super) fn open_user_files(self, what: UserFiles) {
        spawn_local(async move {
            match user_files_part().await {
                Ok(take) => take(self, what),
                Err(_) => {
                    let sentence = format!(
                        "Nothing was opened: the part of the page that opens files could not be fetched. {}",
                        same_origin_files::last_failure()
                    );
                    let failure = Failure::new(FailureKind::Network, sentence.as_str());
                    self.report_with_retry(&sentence, &failure, RetryRequest::UserFiles(what));
                }
            }
        });
    }
}

impl Opener {
    /// Opens the files in folders.
    pub(super) fn open_folders(self, entries: Vec<FileSystemEntry>) {
        spawn_local(async move {
            match walk(entries).await {
                Ok(files) if files.is_empty() => self
                    .state
                    .messages
                    .warn("That folder is empty. Drop the folder that holds the checkpoint."),
                Ok(files) => self.group_files(files),
                Err(sentence) => self.state.messages.warn(sentence),
            }
        });
    }
}

/// Returns every file in dropped entries. Skips hidden files and folders, which belong to tools.
async fn walk(dropped: Vec<FileSystemEntry>) -> Result<Vec<NamedFile>, &'static str> {
    let mut files = Vec::new();
    let mut unread_entries: Vec<_> = dropped.into_iter().map(|entry| (entry, 0)).collect();
    while let Some((entry, depth)) = unread_entries.pop() {
        if files.len() + unread_entries.len() >= MOST_FILES {
            return Err(
                "That folder has more than 10,000 files, more than any model. Drop the folder of one model.",
            );
        }
        if depth > DEEPEST {
            return Err("That folder has folders more than 16 deep. Drop the folder of one model.");
        }
        if entry.name().starts_with('.') {
            continue;
        }
        if let Some(folder) = entry.dyn_ref::<FileSystemDirectoryEntry>() {
            let reader = folder.create_reader();
            loop {
                // A reader returns a batch of entries at a time, and an empty batch at the end.
                let batch = await_callback(|resolve, reject| {
                    reader.read_entries_with_callback_and_callback(resolve, reject)
                });
                let batch: Array = batch.await?.unchecked_into();
                if batch.length() == 0 {
                    break;
                }
                let entries = batch.iter().map(JsCast::unchecked_into);
                unread_entries.extend(entries.map(|entry| (entry, depth + 1)));
            }
        } else if let Some(file) = entry.dyn_ref::<FileSystemFileEntry>() {
            let path = entry.full_path().trim_start_matches('/').to_owned();
            let file = await_callback(|resolve, reject| {
                file.file_with_callback_and_callback(resolve, reject);
                Ok(())
            });
            let file: File = file.await?.unchecked_into();
            files.push((path, file.into()));
        }
    }
    Ok(files)
}

/// Awaits a browser function that takes callbacks for success and failure.
async fn await_callback(
    mut start: impl FnMut(&Function, &Function) -> Result<(), JsValue>,
) -> Result<JsValue, &'static str> {
    let promise = Promise::new(&mut |resolve, reject| {
        if let Err(reason) = start(&resolve, &reject) {
            // Ignored: rejecting a promise cannot fail.
            let _ = reject.call1(&JsValue::NULL, &reason);
        }
    });
    JsFuture::from(promise).await.map_err(|_reason| {
        "The browser could not read that folder. It may have been moved or changed. Drop it again."
    })
}
