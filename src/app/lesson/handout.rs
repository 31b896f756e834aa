//! A lesson on paper: every step with its text, its figures as they stand, and its link as text. The page walks through
//! the steps to draw their figures, prints, and comes back to where it was.

use super::{Steps, interpolation::fill};
use crate::{
    app::{
        figure::{canvas, registry::FigureRegistry},
        state::page::PageState,
    },
    figure::{PRINT, svg::svg},
    url_state::Link,
};
use futures_channel::oneshot;
use leptos::{prelude::*, task::spawn_local};
use lesson_format::{Block, Inline, Number};
use std::{sync::Arc, time::Duration};

/// How wide figures are drawn, in CSS pixels: two stand beside one another on paper.
const WIDTH: f64 = 340.0;
/// How often it is looked whether the figures of a step are there, and how often in all: 15 seconds.
const LOOKS_EVERY: Duration = Duration::from_millis(60);
const MOST_LOOKS: usize = 250;

/// A step as it is printed: texts with their numbers as they were.
#[derive(Debug, Clone, PartialEq)]
struct PrintedStep {
    title: String,
    text: Vec<String>,
    question: Vec<String>,
    source: String,
    figures: Vec<PrintedFigure>,
    link: String,
}

/// A figure as it stood.
#[derive(Debug, Clone, PartialEq)]
struct PrintedFigure {
    title: &'static str,
    picture: String,
    summary: String,
}

/// Prints the lesson.
#[component]
pub(super) fn HandoutButton(
    /// The steps.
    steps: Steps,
) -> impl IntoView {
    let state = PageState::from_context();
    let standing = FigureRegistry::from_context();
    let drawing = RwSignal::new(None::<usize>);
    let printed = RwSignal::new(Vec::new());
    let print = move |_| {
        if drawing.get_untracked().is_some() {
            return;
        }
        drawing.set(Some(0));
        spawn_local(async move {
            let (link, at) = (state.link.get_untracked(), steps.at.get_untracked());
            let mut pages = Vec::new();
            for step in 0..steps.count() {
                // Where the lesson has been closed, it is not printed.
                if drawing.try_set(Some(step)).is_some() {
                    return;
                }
                steps.go(step);
                pages.push(print_step(state, standing, steps, step).await);
            }
            if drawing.try_set(None).is_some() {
                return;
            }
            state.go_to(link, &Default::default());
            steps.light(at);
            printed.set(pages);
            // What was made now is on the page by the next frame.
            request_animation_frame(|| {
                // A browser that prints nothing says so itself.
                let _ = window().print();
            });
        });
    };
    let count = steps.count();
    let name = move || match drawing.get() {
        None => "Print hand-out".to_owned(),
        Some(step) => format!("Drawing step {} of {count} …", step + 1),
    };
    let busy = move || drawing.get().map(|_| "true");
    view! {
        <button type="button" aria-disabled=busy on:click=print>{name}</button>
        <Show when=move || printed.with(|pages| !pages.is_empty())>
            <Handout steps printed/>
        </Show>
    }
}

/// What is printed; on screen it is not seen.
#[component]
fn Handout(
    /// The steps.
    steps: Steps,
    /// Their pages.
    printed: RwSignal<Vec<PrintedStep>>,
) -> impl IntoView {
    let root = document().document_element();
    if let Some(root) = &root {
        // A data attribute can always be set.
        let _ = root.set_attribute("data-handout", "");
    }
    on_cleanup(|| {
        if let Some(root) = document().document_element() {
            // And taken away.
            let _ = root.remove_attribute("data-handout");
        }
    });
    let done = window_event_listener(
        leptos::ev::Custom::<web_sys::Event>::new("afterprint"),
        move |_| printed.set(Vec::new()),
    );
    on_cleanup(move || done.remove());
    let head = steps.lesson().head.clone();
    let pages = move || {
        let pages = printed.get().into_iter().enumerate();
        pages
            .map(|(at, step)| view! { <PrintedPage at step/> })
            .collect_view()
    };
    view! {
        <article id="handout" aria-hidden="true">
            <h1 dir="auto">{head.title}</h1>
            <p dir="auto">{head.about}</p>
            <p dir="auto">{head.source}</p>
            {pages}
        </article>
    }
}

/// A step on paper.
#[component]
fn PrintedPage(
    /// Which it is, from 0.
    at: usize,
    /// The step.
    step: PrintedStep,
) -> impl IntoView {
    let paragraphs = |texts: Vec<String>| {
        let paragraph = |text| view! { <p dir="auto">{text}</p> };
        texts.into_iter().map(paragraph).collect_view()
    };
    let figures = step.figures.into_iter().map(|figure| {
        view! {
            <div>
                <h3>{figure.title}</h3>
                <img src=figure.picture alt=figure.summary/>
            </div>
        }
    });
    view! {
        <section>
            <h2 dir="auto">{format!("{}. {}", at + 1, step.title)}</h2>
            {paragraphs(step.text)}
            <blockquote>{paragraphs(step.question)}</blockquote>
            <div class="pictures">{figures.collect_view()}</div>
            <p class="source" dir="auto">{step.source}</p>
            <p class="address">{step.link}</p>
        </section>
    }
}

/// A step once its figures are there, or have not come for so long.
async fn print_step(
    state: PageState,
    standing: FigureRegistry,
    steps: Steps,
    at: usize,
) -> PrintedStep {
    let lesson = steps.lesson();
    let step = &lesson.steps[at];
    let whole = |id: &str| {
        let figure = untrack(|| standing.find(id))?;
        let whole = figure.is_whole.get_untracked();
        Some((
            figure.title,
            figure.figure.get_untracked().filter(|_| whole)?,
        ))
    };
    let needed = || {
        let read = step.numbers().filter_map(Number::figure);
        step.light.iter().map(String::as_str).chain(read)
    };
    for _ in 0..MOST_LOOKS {
        wait(LOOKS_EVERY).await;
        if needed().all(|id| whole(id).is_some()) {
            break;
        }
    }
    let written = |number: &Number| {
        let filled = untrack(|| {
            fill(number, state, |id| {
                whole(id).map(|(_, figure)| Arc::new(figure.table()))
            })
        });
        filled.written(number)
    };
    let plain = |text: &[Inline]| lesson_format::plain(text, &written);
    let texts = |blocks: &[Block]| {
        let texts = blocks.iter().flat_map(|block| match block {
            Block::Paragraph(text) => vec![plain(text)],
            Block::List { items, .. } => items
                .iter()
                .map(|item| format!("• {}", plain(item)))
                .collect(),
        });
        texts.collect::<Vec<_>>()
    };
    let figures = step.light.iter().filter_map(|id| {
        let (title, figure) = whole(id)?;
        let text = svg(&figure.scene(WIDTH), &PRINT, title, canvas::data_address);
        Some(PrintedFigure {
            title,
            picture: format!("data:image/svg+xml,{}", js_sys::encode_uri_component(&text)),
            summary: figure.summary(),
        })
    });
    let question = step.question.as_ref().map(|question| {
        let mut texts_of = vec![plain(&question.asks)];
        texts_of.extend(texts(&question.reveals));
        texts_of
    });
    let own = Link::at_step(state.link.get_untracked().lesson.get());
    PrintedStep {
        title: step.title.clone(),
        text: texts(&step.text),
        question: question.unwrap_or_default(),
        source: step.source.clone(),
        figures: figures.collect(),
        link: state.address_of(&own),
    }
}

async fn wait(time: Duration) {
    let (done, waiting) = oneshot::channel();
    set_timeout(
        move || {
            // Nobody may wait any more.
            let _ = done.send(());
        },
        time,
    );
    // It is sent or dropped.
    let _ = waiting.await;
}
