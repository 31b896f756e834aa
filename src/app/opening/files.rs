//! Files and folders, chosen or dropped.

use super::Opener;
use crate::app::engine::NamedFile;
use js_sys::{Array, Function, Promise, Reflect};
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    DataTransfer, DragEvent, File, FileList, FileSystemDirectoryEntry, FileSystemEntry,
    FileSystemFileEntry,
};

/// Files of a dropped folder at most; more are no model.
const MOST_FILES: usize = 10_000;
/// Folders within folders at most.
const DEEPEST: usize = 16;

/// The files of a list, each by its path in the folder it was chosen with.
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

/// Takes files and folders dropped anywhere on the page.
#[component]
pub(in crate::app) fn DropZone() -> impl IntoView {
    let opener = Opener::from_context();
    let over = RwSignal::new(false);
    let holds_files = |event: &DragEvent| {
        event
            .data_transfer()
            .is_some_and(|data| data.types().includes(&"Files".into(), 0))
    };
    // These listen for as long as the page is there.
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
            opener.take_dropped(&data);
        }
    });
    view! {
        <div class="drop" hidden=move || !over.get() aria-hidden="true">
            <p>"Drop checkpoints or folders. They stay on this machine."</p>
        </div>
    }
}

impl Opener {
    fn take_dropped(self, data: &DataTransfer) {
        // Entries can be had only now; what is in them can be read later.
        let items = data.items();
        let entries: Vec<_> = (0..items.length())
            .filter_map(|at| items.get(at)?.webkit_get_as_entry().ok().flatten())
            .collect();
        if !entries.iter().any(FileSystemEntry::is_directory) {
            let files = data.files().map(|files| files_of(&files));
            return self.open_files(files.unwrap_or_default());
        }
        spawn_local(async move {
            match walk(entries).await {
                Ok(files) if files.is_empty() => self
                    .state
                    .warn("That folder is empty. Drop the folder that holds the checkpoint."),
                Ok(files) => self.open_files(files),
                Err(sentence) => self.state.warn(sentence),
            }
        });
    }
}

/// Every file in what was dropped. Hidden ones belong to tools, not to models.
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
                // A reader gives some entries at a time, and none at the end.
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

/// What a function of the browser calls back with.
async fn called_back(
    mut start: impl FnMut(&Function, &Function) -> Result<(), JsValue>,
) -> Result<JsValue, &'static str> {
    let promise = Promise::new(&mut |done, failed| {
        if let Err(reason) = start(&done, &failed) {
            // Refusing a promise cannot fail.
            let _ = failed.call1(&JsValue::NULL, &reason);
        }
    });
    JsFuture::from(promise).await.map_err(|_reason| {
        "The browser could not read that folder. It may have been moved or changed. Drop it again."
    })
}
