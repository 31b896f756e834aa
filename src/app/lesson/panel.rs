//! The lesson panel beside the views: the step's text, its question, and the navigation between steps.

use super::{
    SETTLES_WITHIN, Steps,
    fitting::is_fitted,
    handout::HandoutButton,
    interpolation::StepNumbers,
    loading::{LessonState, follow_lesson},
    onward::Onward,
    prefetch::make_ahead,
    presenting::{PresentButton, Presenting},
    speaker::{NotesButton, tell_speaker},
    text::{Blocks, PageLink, inline},
};
use crate::app::lazy::lazy_view;
use crate::app::state::own_files::fetch_address;
use crate::{
    app::{
        controls::{
            buttons::{ActionButton, Select, options},
            focus::{focus_next, focusable},
            while_mounted::while_mounted,
        },
        display::root::set_root_attribute,
        figure::registry::FigureRegistry,
        query_client::QueryClient,
        state::{
            PageState, UrlState,
            framing::{OPEN_ALONE, WHY_ALONE, clicks_may_be_stolen, open_alone},
        },
    },
    lesson_checks::ClaimResult,
    short_text::short_name,
    url_state::{FigureId, LessonSection},
};
use leptos::{either::EitherOf5, prelude::*};
use lesson_format::{Claim, Lesson, LessonQuestion};
use std::sync::Arc;
use wasm_bindgen::JsCast;

lazy_view! {
    /// The panel of the open lesson.
    pub(in crate::app) const LESSON_PANEL = LessonPanel in lessons;
}

/// Panel of the linked lesson, in any loading state.
#[component]
fn LessonPanel() -> impl IntoView {
    let state = PageState::from_context();
    let url = state.url;
    let client = QueryClient::from_context();
    let again = RwSignal::new(0);
    let opening = follow_lesson(state, again);
    let try_again = move |_| {
        *again.write() += 1;
        // The clicked button is removed, so the focus moves to the panel.
        focus_next(|| focusable("#lesson"));
    };
    set_root_attribute("data-lesson", Some(""));
    on_cleanup(|| set_root_attribute("data-lesson", None));
    let content = move || match opening.get() {
        LessonState::Fetching => {
            EitherOf5::A(view! { <p class="nothing" role="status">"Fetching this lesson …"</p> })
        }
        LessonState::Asks(address) => {
            let host = host_of(&address).to_owned();
            let is_alone = !clicks_may_be_stolen(url);
            let agree = move |_| {
                if is_alone {
                    fetch_address(state, client, address.clone());
                } else {
                    open_alone(&url.address());
                }
            };
            let button = if is_alone { "Fetch it" } else { OPEN_ALONE };
            EitherOf5::B(view! {
                <section class="nothing" role="alert">
                    <p>"This link opens a lesson from " <b>{host}</b> ". Nothing is fetched before you agree."</p>
                    {(!is_alone).then(|| view! { <p>{WHY_ALONE}</p> })}
                    <button type="button" class="primary" on:click=agree>{button}</button>
                    <CloseButton/>
                </section>
            })
        }
        LessonState::Failed(why) => EitherOf5::C(view! {
            <section class="nothing" role="alert">
                <p>{why}</p>
                <PageLink to="?view=lessons"><span>"All lessons"</span></PageLink>
                <CloseButton/>
            </section>
        }),
        LessonState::NotFetched(why) => EitherOf5::E(view! {
            <section class="nothing" role="alert">
                <p>{why}</p>
                <button type="button" class="primary" on:click=try_again>"Try again"</button>
                <PageLink to="?view=lessons"><span>"All lessons"</span></PageLink>
                <CloseButton/>
            </section>
        }),
        LessonState::There(lesson) => EitherOf5::D(view! { <OpenLesson lesson/> }),
    };
    view! { <section class="lesson" aria-label="Lesson" id="lesson" tabindex="-1">{content}</section> }
}

fn host_of(address: &str) -> &str {
    let after = address.split_once("://").map_or(address, |(_, rest)| rest);
    after.split(['/', '?', '#']).next().unwrap_or(after)
}

/// Closes the lesson. The displayed state stays.
#[component]
fn CloseButton() -> impl IntoView {
    let url = UrlState::from_context();
    let close = move |_| {
        url.link
            .update(|link| link.lesson = LessonSection::default());
    };
    view! { <button type="button" class="quiet" on:click=close>"Close lesson"</button> }
}

/// A loaded lesson.
#[component]
fn OpenLesson(lesson: Arc<Lesson>) -> impl IntoView {
    let steps = Steps::begin(Arc::clone(&lesson));
    let presenting = Presenting::follow(steps);
    show_first_lit(steps);
    make_ahead(steps);
    let count = steps.count();
    let titles = lesson.steps.iter().map(|step| step.title.clone());
    let titles = options(titles.enumerate());
    let language = Some(lesson.head.language.clone()).filter(|language| !language.is_empty());
    let head = lesson.head.clone();
    let about_source = Some(head.source).filter(|source| !source.is_empty());
    let is_first = Signal::derive(move || steps.at.get() == 0);
    let is_last = Signal::derive(move || steps.at.get() + 1 == count);
    view! {
        <header>
            <p class="hint"><PageLink to="?view=lessons"><span>"Lessons"</span></PageLink></p>
            <h2 dir="auto" lang=language.clone()>{head.title}</h2>
            {about_source.map(|source| view! { <p class="hint" dir="auto">{source}</p> })}
        </header>
        <div class="step" lang=language aria-live="polite">
            {move || view! { <ShownStep steps at=steps.at.get()/> }}
        </div>
        <Show when=move || steps.is_left()>
            <p class="left">
                "You have changed what this step shows. "
                <button type="button" on:click=move |_| steps.show(steps.at.get_untracked())>"Return to the step"</button>
            </p>
        </Show>
        <nav class="steps" aria-label="Steps of the lesson">
            <ActionButton text="Back" label="Back to the step before" idle=is_first press=Callback::new(move |()| steps.go_on(-1))/>
            <span class="place">{move || format!("{} of {count}", steps.at.get() + 1)}</span>
            <ActionButton text="Next" label="Next step" idle=is_last press=Callback::new(move |()| steps.go_on(1))/>
        </nav>
        <Onward steps/>
        <div class="lesson-tools">
            <Select
                label="Step"
                options=titles
                value=steps.at
                set=Callback::new(move |at| steps.go(at))
            />
            <PresentButton presenting/>
            <NotesButton/>
            <HandoutButton steps/>
            <CloseButton/>
        </div>
    }
}

/// A step: its title, text, claims, question and source.
#[component]
fn ShownStep(
    steps: Steps,
    /// Index of the step.
    at: usize,
) -> impl IntoView {
    let step = steps.step(at);
    let numbers = StepNumbers::new(&step);
    tell_speaker(steps, at, numbers);
    light_kernel(step.highlight.kernel);
    let source = Some(step.source).filter(|source| !source.is_empty());
    let unknown = step
        .light
        .iter()
        .filter(|id| FigureId::from_id(id).is_none());
    let unknown = unknown.map(|id| {
        let id = short_name(id);
        view! {
            <p class="claim" role="status">{format!("This step shows “{id}”, and this page has no figure of that name.")}</p>
        }
    });
    let unknown = unknown.collect_view();
    let claims = step
        .claims
        .into_iter()
        .map(|claim| view! { <FailedClaim claim numbers/> })
        .collect_view();
    view! {
        <h3 dir="auto">{step.title}</h3>
        <Blocks blocks=step.text numbers/>
        {unknown}
        {claims}
        {step.question.map(|question| view! { <QuestionBlock question numbers steps at/> })}
        {source.map(|source| view! { <p class="source" dir="auto">{source}</p> })}
    }
}

/// A question whose answer is unfolded on request.
#[component]
fn QuestionBlock(
    question: LessonQuestion,
    /// The numbers of the step.
    numbers: StepNumbers,
    steps: Steps,
    /// Index of the step.
    at: usize,
) -> impl IntoView {
    let is_unfolded = move || steps.unfolded_step.get() == Some(at);
    let unfold = move |event: leptos::ev::Event| {
        let details = event.target().and_then(|target| target.dyn_into().ok());
        let is_open =
            details.is_some_and(|details: web_sys::Element| details.has_attribute("open"));
        // The event is late: another step may be displayed by now, or the lesson closed.
        if steps.at.try_get_untracked() == Some(at)
            && is_open != (steps.unfolded_step.get_untracked() == Some(at))
        {
            steps.unfolded_step.set(is_open.then_some(at));
        }
    };
    // Handled here: the browser's toggle event comes only after the next key.
    let turn = move |event: leptos::ev::MouseEvent| {
        let target = event.target().and_then(|target| target.dyn_into().ok());
        let link = target.and_then(|target: web_sys::Element| target.closest("a").ok().flatten());
        // Clicks on links in the question are followed.
        if link.is_none() {
            event.prevent_default();
            steps.turn_answer();
        }
    };
    view! {
        <details class="question" prop:open=is_unfolded on:toggle=while_mounted(unfold)>
            <summary dir="auto" on:click=while_mounted(turn)>{inline(question.asks, numbers)}</summary>
            <Blocks blocks=question.reveals numbers/>
        </details>
        <button
            type="button"
            class="show-answer"
            hidden=is_unfolded
            on:click=move |_| {
                steps.unfolded_step.set(Some(at));
                // The pressed button is hidden, so the focus moves to the question.
                focus_next(|| focusable("#lesson .question summary"));
            }
        >
            "Show answer"
        </button>
    }
}

/// A claim of the text, displayed if the current numbers contradict it.
#[component]
fn FailedClaim(
    claim: Claim,
    /// The numbers of the step.
    numbers: StepNumbers,
) -> impl IntoView {
    let judged = Memo::new(move |_| numbers.judge(&claim));
    let word = move || match judged.get() {
        ClaimResult::Waiting => "waiting",
        ClaimResult::Holds => "holds",
        ClaimResult::Fails(_) => "fails",
    };
    let message = move || match judged.get() {
        ClaimResult::Fails(why) => Some(format!(
            "This does not hold for the figures as they are now. {why}"
        )),
        ClaimResult::Waiting | ClaimResult::Holds => None,
    };
    view! {
        <p class="claim" data-claim=word hidden=move || message().is_none()>{message}</p>
    }
}

/// Scrolls the first figure that a step highlights into view, each time it becomes complete, until the user changes the
/// displayed state. The figure may be on the page already and be recomputed for the step.
fn show_first_lit(steps: Steps) {
    let registry = FigureRegistry::from_context();
    Effect::new(move |shown: Option<Option<usize>>| {
        let at = steps.at.get();
        let first = steps.step(at).light.into_iter().next()?;
        let figure = FigureId::from_id(&first).and_then(|id| registry.find(id));
        let is_there = figure.is_some_and(|figure| figure.is_whole.get());
        if !is_there {
            return None;
        }
        if shown.flatten() != Some(at) && !untrack(|| steps.is_left()) {
            let again = first.clone();
            request_animation_frame(move || bring_into_sight(&first));
            // Content above the figure may get its height only after this frame.
            set_timeout(
                move || {
                    if steps.at.try_get_untracked() == Some(at) {
                        bring_into_sight(&again);
                    }
                },
                SETTLES_WITHIN,
            );
        }
        Some(at)
    });
}

/// Scrolls to a figure unless all of it is visible between the header and a lesson panel at the bottom of a narrow
/// window.
///
/// Does nothing for a presented step that is fitted to the window.
fn bring_into_sight(id: &str) {
    if is_fitted() {
        return;
    }
    let place = |css: &str| {
        let element = document().query_selector(css).ok().flatten();
        element.map(|element| element.get_bounding_client_rect())
    };
    let Some(figure) = document().get_element_by_id(id) else {
        return;
    };
    let height = window()
        .inner_height()
        .ok()
        .and_then(|height| height.as_f64())
        .unwrap_or_default();
    let top = place(".top").map_or(0.0, |header| header.bottom().max(0.0));
    let bottom = place("#lesson").map_or(height, |lesson| {
        if lesson.top() > 0.5 * height {
            lesson.top()
        } else {
            height
        }
    });
    let own = figure.get_bounding_client_rect();
    if own.top() < top || own.bottom() > bottom {
        figure.scroll_into_view();
    }
}

/// Marks the row of a kernel's sliders in a data attribute of the root, which the style sheet highlights.
fn light_kernel(kernel: Option<usize>) {
    let row = kernel.map(|kernel| (kernel + 1).to_string());
    set_root_attribute("data-lit-kernel", row.as_deref());
}
