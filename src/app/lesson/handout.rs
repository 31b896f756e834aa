//! Printed hand-out of a lesson: each step with its text, its figures and its link as text. The page visits all steps
//! to draw their figures, prints, and returns to the step it came from.

use super::{
    Steps,
    interpolation::{StepNumbers, fill},
    text::Blocks,
};
use crate::{
    app::{
        display::root::set_root_attribute,
        figure::{canvas, registry::FigureRegistry},
        state::{PageState, address_of, go_to},
    },
    figure::{PRINT, svg::svg},
    url_state::{FigureId, Link},
};
use futures_channel::oneshot;
use leptos::{prelude::*, task::spawn_local};
use lesson_format::{Block, Number};
use std::{sync::Arc, time::Duration};

/// Width of the drawn figures in CSS pixels; two fit beside one another on paper.
const WIDTH: f64 = 340.0;
/// Interval and maximum number of checks whether a step's figures are complete: 15 seconds in all.
const LOOKS_EVERY: Duration = Duration::from_millis(60);
const MOST_LOOKS: usize = 250;

/// A printed step. Numbers are filled into its texts.
#[derive(Debug, Clone, PartialEq)]
struct PrintedStep {
    title: String,
    text: Vec<Block>,
    question: Vec<Block>,
    source: String,
    figures: Vec<PrintedFigure>,
    link: String,
}

/// A printed figure: its title, its picture as a data URL, and its summary.
#[derive(Debug, Clone, PartialEq)]
struct PrintedFigure {
    title: &'static str,
    picture: String,
    summary: String,
}

/// Button that prints the lesson.
#[component]
pub(super) fn HandoutButton(steps: Steps) -> impl IntoView {
    let state = PageState::from_context();
    let registry = FigureRegistry::from_context();
    let drawing = RwSignal::new(None::<usize>);
    let printed = RwSignal::new(Vec::new());
    let print = move |_| {
        if drawing.get_untracked().is_some() {
            return;
        }
        drawing.set(Some(0));
        spawn_local(async move {
            let (link, at) = (state.url.link.get_untracked(), steps.at.get_untracked());
            let mut pages = Vec::new();
            for step in 0..steps.count() {
                // `try_set` fails once the lesson is closed; nothing is printed then.
                if drawing.try_set(Some(step)).is_some() {
                    return;
                }
                steps.go(step);
                pages.push(print_step(state, registry, steps, step).await);
            }
            if drawing.try_set(None).is_some() {
                return;
            }
            go_to(state, link, &Default::default());
            steps.highlight(at);
            printed.set(pages);
            // The pages are in the document by the next frame.
            request_animation_frame(|| {
                // Ignored: a browser that cannot print reports that itself.
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

/// The printed pages. Hidden on screen.
#[component]
fn Handout(
    steps: Steps,
    /// The printed steps.
    printed: RwSignal<Vec<PrintedStep>>,
) -> impl IntoView {
    set_root_attribute("data-handout", Some(""));
    on_cleanup(|| set_root_attribute("data-handout", None));
    let listener = window_event_listener(
        leptos::ev::Custom::<web_sys::Event>::new("afterprint"),
        move |_| printed.set(Vec::new()),
    );
    on_cleanup(move || listener.remove());
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

/// A printed step.
#[component]
fn PrintedPage(
    /// Index of the step, from 0.
    at: usize,
    step: PrintedStep,
) -> impl IntoView {
    let numbers = StepNumbers::none();
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
            <Blocks blocks=step.text numbers/>
            <blockquote><Blocks blocks=step.question numbers/></blockquote>
            <div class="pictures">{figures.collect_view()}</div>
            <p class="source" dir="auto">{step.source}</p>
            <p class="address">{step.link}</p>
        </section>
    }
}

/// Forms a printed step once its figures are complete, or after the longest wait.
async fn print_step(
    state: PageState,
    registry: FigureRegistry,
    steps: Steps,
    at: usize,
) -> PrintedStep {
    let lesson = steps.lesson();
    let step = &lesson.steps[at];
    let whole = |id: &str| {
        let figure = untrack(|| registry.find(FigureId::from_id(id)?))?;
        let whole = figure.is_whole.get_untracked();
        Some((
            figure.title,
            figure.figure.get_untracked().filter(|_| whole)?,
        ))
    };
    let needed = || {
        let read = step.numbers().filter_map(Number::figure);
        let named = step.light.iter().map(String::as_str).chain(read);
        // Other people's lessons may name figures that the page does not have.
        named.filter(|id| FigureId::from_id(id).is_some())
    };
    for _ in 0..MOST_LOOKS {
        wait(LOOKS_EVERY).await;
        if needed().all(|id| whole(id).is_some()) {
            break;
        }
    }
    let written = |number: &Number| {
        let filled = untrack(|| {
            fill(number, state.models, |id| {
                whole(id).map(|(_, figure)| Arc::new(figure.table()))
            })
        });
        filled.displayed_text(number)
    };
    let with_numbers = |blocks: &[Block]| {
        blocks
            .iter()
            .map(|block| block.fill_numbers(&written))
            .collect()
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
        let mut blocks: Vec<Block> = with_numbers(&question.reveals);
        blocks.insert(
            0,
            Block::Paragraph(lesson_format::fill_numbers(&question.asks, &written)),
        );
        blocks
    });
    let own = Link::at_step(&state.url.link.get_untracked().lesson);
    PrintedStep {
        title: step.title.clone(),
        text: with_numbers(&step.text),
        question: question.unwrap_or_default(),
        source: step.source.clone(),
        figures: figures.collect(),
        link: address_of(&own),
    }
}

async fn wait(time: Duration) {
    let (sender, receiver) = oneshot::channel();
    set_timeout(
        move || {
            // Ignored: the receiver may be dropped already.
            let _ = sender.send(());
        },
        time,
    );
    // Ends when the sender sends or is dropped.
    let _ = receiver.await;
}
