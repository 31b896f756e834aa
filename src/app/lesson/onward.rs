//! Where to go after the last step of a lesson.

use super::{Steps, lesson_files::fetch_list, progress::record_finished};
use crate::{
    app::{
        controls::focus::{focus_next, focusable},
        state::UrlState,
    },
    url_state::{LessonSection, Link, View},
};
use leptos::{prelude::*, task::spawn_local};
use lesson_format::ListedLesson;

/// Links to the next lesson, to the list, and to the page with the reader's own model. Shown at the last step, which it
/// records as reached.
#[component]
pub(super) fn Onward(steps: Steps) -> impl IntoView {
    let url = UrlState::from_context();
    let name = url.select(|link| link.lesson.lesson.clone());
    let list: RwSignal<Vec<ListedLesson>> = RwSignal::default();
    spawn_local(async move {
        // Without the list, no next lesson is offered.
        if let Ok(lessons) = fetch_list().await {
            // The lesson may be closed by now.
            let _ = list.try_set(lessons);
        }
    });
    let is_last = Memo::new(move |_| steps.at.get() + 1 == steps.count());
    Effect::new(move || {
        if is_last.get()
            && let Some(name) = name.get()
        {
            record_finished(&name);
        }
    });
    let next = Memo::new(move |_| {
        let name = name.get()?;
        list.with(|list| {
            let at = list.iter().position(|lesson| lesson.id == name)?;
            list.get(at + 1)
                .map(|lesson| (lesson.id.clone(), lesson.head.title.clone()))
        })
    });
    let open = move |id: &str| {
        let mut link = Link::from_lesson(id);
        // A presentation goes on with the next lesson.
        link.lesson.is_presented = url.link.with_untracked(|link| link.lesson.is_presented);
        url.link.set(link);
        focus_next(|| focusable("#lesson"));
    };
    let show_list = move |_| {
        url.link.update(|link| {
            link.lesson = LessonSection::default();
            link.view = View::Lessons;
        });
    };
    let own_model = move |_| {
        url.link
            .update(|link| link.lesson = LessonSection::default());
        focus_next(|| focusable("#open-file"));
    };
    view! {
        <nav class="onward" aria-label="After this lesson" hidden=move || !is_last.get()>
            {move || next.get().map(|(id, title)| view! {
                <button type="button" class="primary" on:click=move |_| open(&id)>{format!("Next lesson: {title}")}</button>
            })}
            <button type="button" on:click=show_list>"All lessons"</button>
            <button type="button" on:click=own_model>"Try it on your own model"</button>
        </nav>
    }
}
