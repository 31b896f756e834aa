//! The view of lessons: the list of the page's lessons, a field for a lesson's address, and the offline section. In the
//! second window of a lecture, it shows the notes instead.

use super::{lesson_files::fetch_list, progress::finished_lessons, speaker::SpeakerView};
use crate::app::lazy::lazy_view;
use crate::app::state::own_files::fetch_address;
use crate::{
    app::{
        controls::{
            focus::{focus_next, focusable},
            offline::KeepOffline,
            while_mounted::while_mounted,
        },
        figure::painter::mark_ready,
        query_client::QueryClient,
        state::{PageState, UrlState},
    },
    url_state::Link,
};
use leptos::{
    either::{Either, EitherOf3},
    prelude::*,
    task::spawn_local,
};
use lesson_format::ListedLesson;

lazy_view! {
    /// The view of lessons.
    pub(in crate::app) const LESSONS = LessonsView in lessons;
}

/// The list of lessons, or the notes in the second window of a lecture.
#[component]
fn LessonsView() -> impl IntoView {
    let is_speaker = UrlState::from_context()
        .link
        .with_untracked(|link| link.lesson.speaker.is_some());
    if is_speaker {
        Either::Left(view! { <SpeakerView/> })
    } else {
        Either::Right(view! { <LessonList/> })
    }
}

/// The lessons that come with the page, and the controls beside them.
#[component]
fn LessonList() -> impl IntoView {
    let list = RwSignal::new(Ok(Vec::new()));
    let fetch = move || {
        list.set(Ok(Vec::new()));
        spawn_local(async move {
            let fetched = fetch_list().await;
            mark_ready();
            // Another view may be displayed by now.
            let _ = list.try_set(fetched);
        });
    };
    fetch();
    let try_again = move |_| {
        fetch();
        // The clicked button is removed, so the focus moves to the page.
        focus_next(|| focusable("#main"));
    };
    let content = move || match list.get() {
        Err(why) => EitherOf3::A(view! {
            <section class="nothing" role="alert">
                <p>{format!("The list of lessons could not be fetched. {why}")}</p>
                <button type="button" class="primary" on:click=try_again>"Try again"</button>
            </section>
        }),
        Ok(lessons) if lessons.is_empty() => {
            EitherOf3::B(view! { <p class="nothing" role="status">"Fetching the lessons …"</p> })
        }
        Ok(lessons) => {
            let finished = finished_lessons();
            let ids: Vec<String> = lessons.iter().map(|lesson| lesson.id.clone()).collect();
            let is_finished = |id: &String| finished.contains(id);
            // A place to start: the first lesson that is not finished and builds on finished ones alone.
            let start = lessons.iter().position(|lesson| {
                !is_finished(&lesson.id) && lesson.head.needs.iter().all(is_finished)
            });
            let all = lessons.into_iter().enumerate().map(|(at, lesson)| {
                let state = match start == Some(at) {
                    _ if is_finished(&lesson.id) => "Finished",
                    true if finished.is_empty() => "Start here",
                    true => "Go on here",
                    false => "",
                };
                let number = |id: &String| ids.iter().position(|other| other == id);
                let needs = lesson.head.needs.iter().filter_map(number);
                let needs: Vec<usize> = needs.map(|at| at + 1).collect();
                view! { <LessonEntry at lesson state needs/> }
            });
            EitherOf3::C(view! { <ol class="lesson-list">{all.collect_view()}</ol> })
        }
    };
    view! {
        <div class="view lessons">
            <div class="column">
                <p class="caption">
                    "Each lesson is a tour of the page: a few sentences per step, the figures they describe, and numbers that are read from these figures. Change anything; one click returns to the step."
                </p>
                {content}
            </div>
            <div class="column">
                <OwnLesson/>
                <section>
                    <h2>"Present"</h2>
                    <p class="caption">
                        "Open a lesson and press " <kbd>"p"</kbd>
                        ". Page Down, " <kbd>"→"</kbd> ", Space and a clicker show the answer to a question first, and then the next step. Page Up and "
                        <kbd>"←"</kbd> " go the same way back. " <kbd>"b"</kbd>
                        " blanks the screen, " <kbd>"."</kbd>
                        " lights what the step points at. The notes have a window of their own."
                    </p>
                </section>
                <KeepOffline/>
            </div>
        </div>
    }
}

/// An entry in the list.
#[component]
fn LessonEntry(
    /// Index of the lesson, from 0.
    at: usize,
    lesson: ListedLesson,
    /// Whether it is finished, or where to start.
    state: &'static str,
    /// Numbers of the lessons that it builds on, from 1.
    needs: Vec<usize>,
) -> impl IntoView {
    let url = UrlState::from_context();
    let ListedLesson { id, head, steps } = lesson;
    let minutes = head.minutes.map(|minutes| format!("{minutes} minutes"));
    let after = (!needs.is_empty()).then(|| {
        let needs: Vec<String> = needs.iter().map(usize::to_string).collect();
        format!("after {}", needs.join(" and "))
    });
    let facts = [minutes, Some(format!("{steps} steps")), after];
    let facts = facts.into_iter().flatten().collect::<Vec<_>>().join(" · ");
    let link = Link::from_lesson(&id);
    let address = format!("?{}", link.query());
    let open = move |event: leptos::ev::MouseEvent| {
        // A click with a modifier opens another tab, as with any link.
        if !(event.ctrl_key() || event.meta_key() || event.shift_key()) {
            event.prevent_default();
            url.link.set(link.clone());
        }
    };
    view! {
        <li>
            <a href=address on:click=open>
                <span class="lesson-number">{at + 1}</span>
                <span class="lesson-title">{head.title}</span>
                <span class="hint">{facts}</span>
            </a>
            <p class="lesson-state" hidden=state.is_empty()>{state}</p>
            <p class="caption">{head.about}</p>
        </li>
    }
}

/// Form that opens a lesson from an address.
#[component]
fn OwnLesson() -> impl IntoView {
    let state = PageState::from_context();
    let client = QueryClient::from_context();
    let typed = RwSignal::new(String::new());
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let address = typed.get_untracked().trim().to_owned();
        if !address.is_empty() {
            // Typing the address is the consent to fetch it.
            fetch_address(state, client, address);
        }
    };
    view! {
        <section class="from-web">
            <h2>"Your own lesson"</h2>
            <p class="caption">
                "A lesson is a text file. Drop one on the page, or give its address; "
                <a href="lessons/README.md" target="_blank">"how it is written"</a>
                " fits on a screen. It stays on this machine."
            </p>
            <form on:submit=while_mounted(submit)>
                <label for="lesson-address">"Address of a lesson"</label>
                <div>
                    <input
                        type="text"
                        id="lesson-address"
                        placeholder="https://…/lesson.md"
                        autocomplete="off"
                        autocapitalize="off"
                        spellcheck="false"
                        bind:value=typed
                    />
                    <button type="submit">"Open"</button>
                </div>
            </form>
        </section>
    }
}
