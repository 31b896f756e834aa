//! Files of dropped folders.

use super::Opener;
use crate::app::query_client::NamedFile;
use js_sys::{Array, Function, Promise};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{File, FileSystemDirectoryEntry, FileSystemEntry, FileSystemFileEntry};

/// Most files in a dropped folder. No model has more.
const MOST_FILES: usize = 10_000;
/// Deepest nesting of folders.
const DEEPEST: usize = 16;

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
    let mut waiting: Vec<_> = dropped.into_iter().map(|entry| (entry, 0)).collect();
    while let Some((entry, depth)) = waiting.pop() {
        if files.len() + waiting.len() >= MOST_FILES {
            return Err(
                "That folder holds more than 10,000 files, which no model does. Drop the folder of one model.",
            );
        }
        if depth > DEEPEST {
            return Err(
                "Folders lie more than 16 deep in that folder. Drop the folder of one model.",
            );
        }
        if entry.name().starts_with('.') {
            continue;
        }
        if let Some(folder) = entry.dyn_ref::<FileSystemDirectoryEntry>() {
            let reader = folder.create_reader();
            loop {
                // A reader returns a batch of entries at a time, and an empty batch at the end.
                let batch = called_back(|done, failed| {
                    reader.read_entries_with_callback_and_callback(done, failed)
                });
                let batch: Array = batch.await?.unchecked_into();
                if batch.length() == 0 {
                    break;
                }
                let entries = batch.iter().map(JsCast::unchecked_into);
                waiting.extend(entries.map(|entry| (entry, depth + 1)));
            }
        } else if let Some(file) = entry.dyn_ref::<FileSystemFileEntry>() {
            let path = entry.full_path().trim_start_matches('/').to_owned();
            let file = called_back(|done, failed| {
                file.file_with_callback_and_callback(done, failed);
                Ok(())
            });
            let file: File = file.await?.unchecked_into();
            files.push((path, file.into()));
        }
    }
    Ok(files)
}

/// Awaits a browser function that takes callbacks for success and failure.
async fn called_back(
    mut start: impl FnMut(&Function, &Function) -> Result<(), JsValue>,
) -> Result<JsValue, &'static str> {
    let promise = Promise::new(&mut |done, failed| {
        if let Err(reason) = start(&done, &failed) {
            // Ignored: rejecting a promise cannot fail.
            let _ = failed.call1(&JsValue::NULL, &reason);
        }
    });
    JsFuture::from(promise).await.map_err(|_reason| {
        "The browser could not read that folder. It may have been moved or changed. Drop it again."
    })
}
