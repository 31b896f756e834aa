//! Loads the lesson that the link names: from beside the page, from an address after the user agrees, or from a dropped
//! file.

use super::lesson_files::fetch_lesson;
use crate::{
    app::state::{PageState, UrlState},
    lazy::LoadFailure,
    short_text::short_name,
    url_state::LessonPlace,
};
use leptos::{prelude::*, task::spawn_local};
use lesson_format::Lesson;
use std::sync::Arc;

/// State of the linked lesson.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum LessonState {
    /// It is being fetched.
    Fetching,
    /// It is on another host, at this address; the user has not agreed to fetch it yet.
    Asks(String),
    /// The loaded lesson.
    There(Arc<Lesson>),
    /// It cannot be loaded, for this reason.
    Failed(String),
    /// It comes with the page and could not be fetched, for this reason. A retry may help.
    NotFetched(String),
}

/// Loads the lesson that the link names, now and whenever the link changes. A change of `again` retries a lesson of the
/// page.
pub(super) fn follow_lesson(state: PageState, again: RwSignal<u32>) -> Signal<LessonState> {
    let name = state.url.select(|link| link.lesson.lesson.clone());
    let opening = RwSignal::new(LessonState::Fetching);
    Effect::new(move || {
        again.track();
        let Some(name) = name.get() else {
            return;
        };
        // Dropped lessons, and lessons fetched from an address, are stored here.
        let own = state.own_files.lessons.with(|own| {
            let entry = own.iter().find(|(other, _)| *other == name);
            entry.map(|(_, lesson)| Arc::clone(lesson))
        });
        let now = match (own, LessonPlace::from_name(&name)) {
            (Some(lesson), _) => LessonState::There(lesson),
            (None, LessonPlace::Address(address)) => LessonState::Asks(address.to_owned()),
            (None, LessonPlace::File(file)) => LessonState::Failed(format!(
                "This link refers to a local lesson, “{}”. Open your copy of the file to go on.",
                short_name(file)
            )),
            (None, LessonPlace::Page(id)) => {
                fetch(id.to_owned(), name.clone(), state.url, opening);
                LessonState::Fetching
            }
        };
        opening.set(now);
    });
    opening.into()
}

fn fetch(id: String, name: String, url: UrlState, opening: RwSignal<LessonState>) {
    spawn_local(async move {
        let now = match fetch_lesson(&id).await {
            Ok(lesson) => LessonState::There(Arc::new(lesson)),
            Err(LoadFailure::Lost) => LessonState::NotFetched(format!(
                "The lesson “{}” could not be fetched: no lesson has this name, or the connection is lost. Check the name and the connection.",
                short_name(&id)
            )),
            Err(why) => {
                let id = short_name(&id);
                LessonState::NotFetched(format!("The lesson “{id}” could not be fetched. {why}"))
            }
        };
        // The link may name another lesson by now.
        let is_meant = url
            .link
            .try_with_untracked(|link| link.lesson.lesson.as_deref() == Some(&*name));
        if is_meant == Some(true) {
            let _ = opening.try_set(now);
        }
    });
}
