//! Files and folders from this device. The code that groups and opens them is a lazy part; it is not needed before the
//! first model is open.

use super::{Opener, retry::RetryRequest};
use crate::{
    analysis::{Failure, FailureKind, ModelId},
    app::{query_client::NamedFile, state::own_files::open_own_lessons},
    same_origin_files,
};
use leptos::wasm_split::{SplitLoaderError, wasm_split};
use wasm_bindgen_futures::spawn_local;
use web_sys::FileSystemEntry;

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
type TakeFiles = fn(Opener, UserFiles);

// Returns the function instead of calling it: the arguments of a split function must be plain types.
#[wasm_split(details, wasm_split_path = leptos::wasm_split, fallible)]
fn handed_over_part() -> Result<TakeFiles, SplitLoaderError> {
    Ok(take_now)
}

fn take_now(opener: Opener, what: UserFiles) {
    match what {
        UserFiles::Files(files) => {
            let is_lesson = |(path, _): &NamedFile| path.to_ascii_lowercase().ends_with(".md");
            let (lessons, files) = files.into_iter().partition(is_lesson);
            open_own_lessons(opener.state, opener.client, lessons);
            opener.sort(files);
        }
        UserFiles::Folders(entries) => opener.open_folders(entries),
        UserFiles::Shard(file, to) => opener.give_shard(file, to),
    }
}

impl Opener {
    /// Opens files that the user dropped or chose.
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
                    self.say_failed(&sentence, &failure, RetryRequest::UserFiles(what));
                }
            }
        });
    }
}
