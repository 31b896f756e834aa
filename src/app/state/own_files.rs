//! The user's own lessons and image. Lessons come from files and addresses; the worker parses them, and the page opens
//! the latest.

use super::PageState;
use crate::{
    analysis::ReadLesson,
    app::query_client::{MutationEvent, NamedFile, QueryClient},
    url_state::LessonPlace,
};
use leptos::prelude::*;
use lesson_format::Lesson;
use std::sync::Arc;

/// Files of the user that are not models.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct OwnFiles {
    /// Lessons from files and addresses, by their names in links.
    pub(in crate::app) lessons: RwSignal<Vec<(String, Arc<Lesson>)>>,
    /// An image with its name, for the image view.
    pub(in crate::app) image: RwSignal<Option<NamedFile>, LocalStorage>,
    /// Number of times that a tokenizer was added to an open model. Its files are kept with the model's.
    pub(in crate::app) tokenizer_changes: RwSignal<u32>,
}

impl OwnFiles {
    pub(super) fn new() -> Self {
        Self {
            lessons: RwSignal::default(),
            image: RwSignal::new_local(None),
            tokenizer_changes: RwSignal::new(0),
        }
    }
}

/// Fetches and opens a lesson at an address. Call only with the user's consent.
pub(in crate::app) fn fetch_address(state: PageState, client: QueryClient, address: String) {
    read(state, client, address.clone(), Some(address), Vec::new());
}

/// Opens lesson files. The last one is shown.
pub(in crate::app) fn open_own_lessons(
    state: PageState,
    client: QueryClient,
    files: Vec<NamedFile>,
) {
    for file in files {
        let name = LessonPlace::File(&file.0).name();
        read(state, client, name, None, vec![file]);
    }
}

/// Sends a lesson to the worker for parsing, and shows the result.
fn read(
    state: PageState,
    client: QueryClient,
    name: String,
    address: Option<String>,
    files: Vec<NamedFile>,
) {
    client.run(ReadLesson { address }, files, move |event| match event {
        MutationEvent::Chunk(lesson) => {
            let entry = (name.clone(), Arc::new(lesson));
            state.own_files.lessons.update(|own| {
                own.retain(|(other, _)| *other != entry.0);
                own.push(entry);
            });
            state.url.link.update(|link| {
                if link.lesson.lesson.as_ref() != Some(&name) {
                    link.lesson.lesson = Some(name.clone());
                    link.lesson.step = 0;
                }
            });
        }
        MutationEvent::Failed(failure) => state.messages.warn(failure.sentence),
        MutationEvent::Bytes(_) | MutationEvent::Done => {}
    });
}
