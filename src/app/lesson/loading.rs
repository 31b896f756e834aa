//! The lesson that the link names: fetched from beside the page, from an address once somebody agrees, or handed over
//! as a file.

use super::lesson_files::fetch_lesson;
use crate::{
    analysis::ReadLesson,
    app::{
        query_client::{MutationEvent, NamedFile, QueryClient},
        state::page::PageState,
    },
    lazy::LoadFailure,
    short_text::short_name,
    url_state::LessonPlace,
};
use leptos::{prelude::*, task::spawn_local};
use lesson_format::Lesson;
use std::sync::Arc;

/// How it is with the lesson that the link names.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum LessonState {
    /// It is on its way.
    Fetching,
    /// It lies on another host, and nobody has agreed to fetch it yet.
    Asks(String),
    /// It is there.
    There(Arc<Lesson>),
    /// It is not, for this reason.
    Failed(String),
    /// It comes with the page and could not be fetched, for this reason.
    NotFetched(String),
}

/// Opens whatever lesson the link names, now and whenever it changes.
/// A change of `again` fetches a lesson of the page once more.
pub(super) fn follow_lesson(state: PageState, again: RwSignal<u32>) -> Signal<LessonState> {
    let name = state.part(|link| link.lesson.get().lesson.clone());
    let opening = RwSignal::new(LessonState::Fetching);
    Effect::new(move || {
        again.track();
        let Some(name) = name.get() else {
            return;
        };
        // Whoever hands a lesson over, or agrees to fetch it, puts it here.
        let own = state.own_lessons.with(|own| {
            let found = own.iter().find(|(other, _)| *other == name);
            found.map(|(_, lesson)| Arc::clone(lesson))
        });
        let now = match (own, LessonPlace::of(&name)) {
            (Some(lesson), _) => LessonState::There(lesson),
            (None, LessonPlace::Address(address)) => LessonState::Asks(address.to_owned()),
            (None, LessonPlace::File(file)) => LessonState::Failed(format!(
                "This link was made with the lesson “{}”, which stayed with whoever made it. Open that file here to go on.",
                short_name(file)
            )),
            (None, LessonPlace::Page(id)) => {
                fetch(id.to_owned(), name.clone(), state, opening);
                LessonState::Fetching
            }
        };
        opening.set(now);
    });
    opening.into()
}

fn fetch(id: String, name: String, state: PageState, opening: RwSignal<LessonState>) {
    spawn_local(async move {
        let now = match fetch_lesson(&id).await {
            Ok(lesson) => LessonState::There(Arc::new(lesson)),
            Err(LoadFailure::Lost) => LessonState::NotFetched(format!(
                "The lesson “{}” could not be fetched: there is none of that name, or the connection is gone.",
                short_name(&id)
            )),
            Err(why) => {
                let id = short_name(&id);
                LessonState::NotFetched(format!("The lesson “{id}” could not be fetched. {why}"))
            }
        };
        // Another one may be open by now.
        let is_meant = state
            .link
            .try_with_untracked(|link| link.lesson.get().lesson.as_deref() == Some(&*name));
        if is_meant == Some(true) {
            let _ = opening.try_set(now);
        }
    });
}

/// Opens a lesson at an address, now that somebody has agreed.
pub(in crate::app) fn fetch_address(state: PageState, engine: QueryClient, address: String) {
    read(state, engine, address.clone(), Some(address), Vec::new());
}

/// Opens lessons that were handed over; the last of them is shown.
pub(in crate::app) fn open_own_lessons(
    state: PageState,
    engine: QueryClient,
    files: Vec<NamedFile>,
) {
    for file in files {
        let name = LessonPlace::File(&file.0).name();
        read(state, engine, name, None, vec![file]);
    }
}

/// Has the worker read a lesson, and shows it.
fn read(
    state: PageState,
    engine: QueryClient,
    name: String,
    address: Option<String>,
    files: Vec<NamedFile>,
) {
    engine.run(ReadLesson { address }, files, move |heard| match heard {
        MutationEvent::Chunk(lesson) => {
            let entry = (name.clone(), Arc::new(lesson));
            state.own_lessons.update(|own| {
                own.retain(|(other, _)| *other != entry.0);
                own.push(entry);
            });
            state.link.update(|link| {
                if link.lesson.get().lesson.as_ref() != Some(&name) {
                    link.lesson.change(|section| {
                        section.lesson = Some(name.clone());
                        section.step = 0;
                    });
                }
            });
        }
        MutationEvent::Failed(failure) => state.warn(failure.sentence),
        MutationEvent::Bytes(_) | MutationEvent::Done => {}
    });
}
