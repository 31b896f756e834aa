//! The notes window of a lecture: notes, the title of the next step, and the time. The windows exchange messages on a
//! `BroadcastChannel` of this browser; nothing is sent over a network.

use super::{
    Steps,
    interpolation::StepNumbers,
    lecture::lecture_name,
    presenting::is_pressed,
    text::{Blocks, inline},
};
use crate::app::{
    figure::registry::show_alone,
    state::{Messages, UrlState, message::Message},
};
use js_sys::Uint8Array;
use leptos::prelude::*;
use lesson_format::{Block, Inline, fill_numbers};
use send_wrapper::SendWrapper;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{BroadcastChannel, MessageEvent};

/// Prefix of channel names; the lecture's name follows.
const CHANNEL: &str = "diagonal-lecture-";
/// Message of the notes window when it opens: asks for the current step.
const WHO: &str = "who";
/// Address of the notes window; the lecture's name follows.
const SPEAKER: &str = "?view=lessons&speaker=";
/// Messages of the notes window's buttons: next step, previous step, toggle the answer.
const NEXT: &str = "next";
const BACK: &str = "back";
const ANSWER: &str = "answer";
/// Messages of its keys, which act as in the first window.
const ADVANCE: &str = "advance";
const RETREAT: &str = "retreat";

/// Opens the channel of a lecture. It is closed with the caller's reactive owner.
fn channel(
    lecture: &str,
    hear: impl Fn(JsValue) + 'static,
) -> Option<SendWrapper<BroadcastChannel>> {
    let channel = SendWrapper::new(BroadcastChannel::new(&format!("{CHANNEL}{lecture}")).ok()?);
    let handler =
        Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| hear(event.data()));
    channel.set_onmessage(Some(handler.as_ref().unchecked_ref()));
    let (own, handler) = (channel.clone(), SendWrapper::new(handler));
    on_cleanup(move || {
        own.close();
        drop(handler);
    });
    Some(channel)
}

/// Sends a step's notes to the notes window whenever they change, while the step is displayed.
pub(super) fn tell_speaker(steps: Steps, at: usize, numbers: StepNumbers) {
    let hear = move |message: JsValue| match message.as_string().as_deref() {
        Some(WHO) => steps.notes_request.notify(),
        Some(NEXT) => steps.go_on(1),
        Some(BACK) => steps.go_on(-1),
        Some(ANSWER) => steps.turn_answer(),
        Some(ADVANCE) => steps.advance(),
        Some(RETREAT) => steps.retreat(),
        _ => {}
    };
    let Some(channel) = channel(&lecture_name(), hear) else {
        return;
    };
    Effect::new(move || {
        steps.notes_request.track();
        if let Some(notes) = SpeakerNotes::new(steps, at, numbers).pack() {
            // Ignored: an array of bytes can always be cloned.
            let _ = channel.post_message(&notes);
        }
    });
}

/// Content of the notes window, as sent over the channel. Numbers are filled into its texts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct SpeakerNotes {
    lesson: String,
    place: String,
    title: String,
    notes: Vec<Block>,
    question: Vec<Inline>,
    reveals: Vec<Block>,
    next: String,
    /// Whether the first window shows the answer to the question; `None` without a question.
    answer: Option<bool>,
}

impl SpeakerNotes {
    fn new(steps: Steps, at: usize, numbers: StepNumbers) -> Self {
        let lesson = steps.lesson();
        let step = &lesson.steps[at];
        let write = |number: &_| numbers.displayed_text(number);
        let blocks = |blocks: &[Block]| {
            blocks
                .iter()
                .map(|block| block.fill_numbers(&write))
                .collect()
        };
        let question = step.question.as_ref();
        Self {
            lesson: lesson.head.title.clone(),
            place: format!("Step {} of {}", at + 1, lesson.steps.len()),
            title: step.title.clone(),
            notes: blocks(&step.notes),
            question: question
                .map_or_else(Vec::new, |question| fill_numbers(&question.asks, &write)),
            reveals: question.map_or_else(Vec::new, |question| blocks(&question.reveals)),
            next: lesson
                .steps
                .get(at + 1)
                .map_or_else(|| "The end".to_owned(), |step| step.title.clone()),
            answer: steps
                .has_question(at)
                .then(|| steps.unfolded_step.get() == Some(at)),
        }
    }

    /// Its bytes, unless memory runs out.
    fn pack(&self) -> Option<JsValue> {
        let bytes = postcard::to_stdvec(self).ok()?;
        Some(Uint8Array::from(&*bytes).into())
    }

    /// `None` if the message is not of this version of the page.
    fn unpack(message: &JsValue) -> Option<Self> {
        let bytes: &Uint8Array = message.dyn_ref()?;
        postcard::from_bytes(&bytes.to_vec()).ok()
    }
}

/// Button that opens the notes window.
#[component]
pub(super) fn NotesButton() -> impl IntoView {
    let messages = Messages::from_context();
    let open = move |_| {
        let lecture = lecture_name();
        let notes_window = window().open_with_url_and_target_and_features(
            &format!("{SPEAKER}{lecture}"),
            // The same window name makes another press reload the open window.
            &format!("diagonal-speaker-{lecture}"),
            "popup,width=720,height=640",
        );
        if !matches!(notes_window, Ok(Some(_))) {
            let location = window().location();
            let own =
                location.origin().unwrap_or_default() + &location.pathname().unwrap_or_default();
            messages.push(Message::verbatim(format!(
                "This browser did not open the window with notes. Allow windows of this page, or open {own}{SPEAKER}{lecture} in a window of your own."
            )));
        }
    };
    view! { <button type="button" on:click=open>"Notes window"</button> }
}

/// The notes window.
#[component]
pub(in crate::app) fn SpeakerView() -> impl IntoView {
    show_alone("speaker");
    let notes = RwSignal::new(SpeakerNotes::default());
    let lecture = UrlState::from_context()
        .link
        .with_untracked(|link| link.lesson.speaker.clone());
    let lecture = lecture.filter(|lecture| !lecture.is_empty());
    let channel = lecture.and_then(|lecture| {
        channel(&lecture, move |message| {
            if let Some(update) = SpeakerNotes::unpack(&message) {
                notes.set(update);
            }
        })
    });
    let channel = StoredValue::new(channel);
    let say = move |word: &'static str| {
        channel.with_value(|channel| {
            if let Some(channel) = channel {
                // Ignored: a string can always be cloned.
                let _ = channel.post_message(&word.into());
            }
        });
    };
    say(WHO);
    document().set_title("Notes · Diagonal");
    let (start, now) = (
        RwSignal::new(js_sys::Date::now()),
        RwSignal::new(js_sys::Date::now()),
    );
    let ticking = set_interval_with_handle(
        move || now.set(js_sys::Date::now()),
        Duration::from_millis(500),
    );
    on_cleanup(move || {
        if let Ok(ticking) = ticking {
            ticking.clear();
        }
    });
    let keys = window_event_listener(leptos::ev::keydown, move |event| {
        // Shortcuts of the browser, such as Alt+← for Back, are left to it.
        if event.default_prevented() || event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let key = event.key();
        match key.as_str() {
            // Space and Enter press a focused button.
            " " | "Enter" if is_pressed(&event) => return,
            " " if event.shift_key() => say(RETREAT),
            "ArrowRight" | "ArrowDown" | "PageDown" | " " | "Enter" => say(ADVANCE),
            "ArrowLeft" | "ArrowUp" | "PageUp" => say(RETREAT),
            _ => return,
        }
        event.prevent_default();
    });
    on_cleanup(move || keys.remove());
    let elapsed = move || {
        let seconds = ((now.get() - start.get()) / 1000.0).max(0.0) as u64;
        format!("{}:{:02}", seconds / 60, seconds % 60)
    };
    let clock = move || {
        let date = js_sys::Date::new(&now.get().into());
        format!("{:02}:{:02}", date.get_hours(), date.get_minutes())
    };
    let numbers = StepNumbers::none();
    let question = move || {
        let SpeakerNotes {
            question, reveals, ..
        } = notes.get();
        (!question.is_empty()).then(|| {
            view! {
                <p dir="auto">{inline(question, numbers)}</p>
                <Blocks blocks=reveals numbers/>
            }
        })
    };
    let is_alone = move || notes.with(|notes| notes.place.is_empty());
    view! {
        <div class="speaker">
            <header>
                <p class="hint" dir="auto">{move || notes.get().lesson}</p>
                <p class="clock"><b>{elapsed}</b> " " <span>{clock}</span></p>
                <button type="button" on:click=move |_| start.set(js_sys::Date::now())>"Restart timer"</button>
            </header>
            <p class="nothing" hidden=move || !is_alone()>
                "This window shows the notes of one lecture. If that lecture is closed, open a lesson in another window of this browser and press “Notes window” there."
            </p>
            <section hidden=is_alone aria-live="polite">
                <p class="hint">{move || notes.get().place}</p>
                <h1 dir="auto">{move || notes.get().title}</h1>
                <div class="notes">{move || view! { <Blocks blocks=notes.get().notes numbers/> }}</div>
                <div class="asked">{question}</div>
                <p class="next">"Next: " <b dir="auto">{move || notes.get().next}</b></p>
                <div class="lesson-tools">
                    <button type="button" on:click=move |_| say(BACK)>"Back"</button>
                    <button type="button" data-turns-answer="" hidden=move || notes.get().answer.is_none() on:click=move |_| say(ANSWER)>
                        {move || if notes.get().answer == Some(true) { "Hide answer" } else { "Show answer" }}
                    </button>
                    <button type="button" class="primary" on:click=move |_| say(NEXT)>"Next"</button>
                </div>
            </section>
        </div>
    }
}
