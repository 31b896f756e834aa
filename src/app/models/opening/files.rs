//! Files and folders that the user chooses or drops.

use super::{Opener, dropped_files::UserFiles};
use crate::app::query_client::NamedFile;
use js_sys::Reflect;
use leptos::prelude::*;
use web_sys::{DataTransfer, DragEvent, FileList, FileSystemEntry};

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
        // Entries are accessible only during the event. Their contents can be read later.
        let items = data.items();
        let entries: Vec<_> = (0..items.length())
            .filter_map(|at| items.get(at)?.webkit_get_as_entry().ok().flatten())
            .collect();
        if !entries.iter().any(FileSystemEntry::is_directory) {
            let files = data.files().map(|files| files_of(&files));
            return self.open_files(files.unwrap_or_default());
        }
        self.take(UserFiles::Folders(entries));
    }
}
