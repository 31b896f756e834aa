//! What somebody hands over from this device. How it is sorted and opened comes with the details of the first model that
//! is open: nothing of it is needed before.

use super::{Opener, retry::RetryRequest};
use crate::{
    analysis::{Failure, FailureKind, ModelId},
    app::{lesson::open_own_lessons, query_client::NamedFile},
    same_origin_files,
};
use leptos::wasm_split::{SplitLoaderError, wasm_split};
use wasm_bindgen_futures::spawn_local;
use web_sys::FileSystemEntry;

/// Something handed over.
#[derive(Debug)]
pub(super) enum UserFiles {
    /// Files.
    Files(Vec<NamedFile>),
    /// Folders, and files beside them.
    Folders(Vec<FileSystemEntry>),
    /// A shard for the model that lacks it.
    Shard(NamedFile, ModelId),
}

/// What takes it, once that is there.
type TakeFiles = fn(Opener, UserFiles);

// The function is handed over instead of called: what a part is called with has to be plain.
#[wasm_split(details, wasm_split_path = leptos::wasm_split, fallible)]
fn handed_over_part() -> Result<TakeFiles, SplitLoaderError> {
    Ok(take_now)
}

fn take_now(opener: Opener, what: UserFiles) {
    match what {
        UserFiles::Files(files) => {
            let is_lesson = |(path, _): &NamedFile| path.to_ascii_lowercase().ends_with(".md");
            let (lessons, files) = files.into_iter().partition(is_lesson);
            open_own_lessons(opener.state, opener.engine, lessons);
            opener.sort(files);
        }
        UserFiles::Folders(entries) => opener.open_folders(entries),
        UserFiles::Shard(file, to) => opener.give_shard(file, to),
    }
}

impl Opener {
    /// Opens files that were handed over.
    pub(in crate::app) fn open_files(self, files: Vec<NamedFile>) {
        self.take(UserFiles::Files(files));
    }

    pub(super) fn take(self, what: UserFiles) {
        spawn_local(async move {
            match handed_over_part().await {
                Ok(take) => take(self, what),
                Err(_) => {
                    let sentence = format!(
                        "Nothing was opened: the part of the page that opens files could not be fetched. {}",
                        same_origin_files::last_failure()
                    );
                    let failure = Failure::new(FailureKind::Network, sentence.as_str());
                    self.say_failed(&sentence, &failure, RetryRequest::HandedOver(what));
                }
            }
        });
    }
}
