//! The text box with its samples, the files of the tokenizer, and the state of the run.

use super::{
    suggestions::Suggestions,
    text_state::TextState,
    tokenizer::{TokenizedText, TokenizerStatus},
};
use crate::{
    app::{
        controls::{
            buttons::{CopyButton, Select, options},
            while_mounted::while_mounted,
        },
        models::{opening::files_of, stored_models::StoredModels},
        query_client::{QueryClient, QueryStatus},
        state::{ModelList, PageState, UrlState, address_of},
    },
    model::SITE_MODELS,
    text_samples::{SAMPLE_LANGUAGES, TextSample},
    url_state::{LONGEST_LINKED_TEXT, ModelRef},
};
use leptos::{
    ev::{Event, Targeted},
    prelude::*,
};
use std::time::Duration;
use web_sys::{HtmlInputElement, HtmlTextAreaElement};

/// Time between two announcements of the progress.
const ANNOUNCEMENT: Duration = Duration::from_secs(1);

/// The text box, its samples, and the state of the run.
#[component]
pub(super) fn TextInput() -> impl IntoView {
    let text = TextState::from_context();
    let models = ModelList::from_context();
    let take = move |event: Targeted<Event, HtmlTextAreaElement>| {
        text.set_typed(event.target().value());
    };
    let source = move || {
        let sample = text.sample();
        match text.is_own() {
            true => "Your own text stays in this browser.".to_owned(),
            false => format!("{} ({}).", sample.source, sample.licence),
        }
    };
    let can_run = Memo::new(move |_| text.support.with(|support| support.is_some()));
    let refusal = text.refusal();
    let is_open = Memo::new(move |_| models.open.with(Option::is_some));
    let changes =
        Signal::derive(move || text.run.with(|run| run.map_or(0, |run| run.passed_layers)));
    let nothing = move || {
        let is_empty = !is_open.get() && !models.is_opening();
        is_empty.then(|| view! { <p class="caption">"Open a model to run it over a text."</p> })
    };
    view! {
        <section class="text-input" aria-labelledby="text-input-title">
            <h2 id="text-input-title">"Attention over a text"</h2>
            <p class="caption">"Type a text. The model reads it, and every head shows to which tokens it attends."</p>
            <textarea
                aria-label="Text"
                rows="3"
                autocapitalize="off"
                spellcheck="false"
                prop:value=move || text.text.get()
                on:input:target=while_mounted(take)
            ></textarea>
            <div class="controls">
                <SampleChoice/>
                <TokenizerInput/>
                <CopyTextLink/>
                <span class="hint source">{source}</span>
            </div>
            {nothing}
            <Show when=move || can_run.get()>
                <RunState/>
            </Show>
            <StoredModels changes/>
            {move || refusal.get().map(|sentence| view! {
                <p class="cannot-run" role="alert">{sentence}</p>
                <SiteModels/>
                <Suggestions/>
            })}
        </section>
    }
}

/// Buttons that open the whole models of this site, where a preset has only an extract.
#[component]
fn SiteModels() -> impl IntoView {
    let models = ModelList::from_context();
    let buttons = SITE_MODELS.iter().map(|model| {
        let open = move |_| models.show(&ModelRef::Site(model.id.to_owned()));
        view! {
            <button type="button" class="primary" on:click=open>{format!("Fetch {}, {} MB, and run", model.name, model.layer_megabytes)}</button>
        }
    });
    view! { <div class="controls">{buttons.collect_view()}</div> }
}

/// A sample in the list; `None` is the visitor's own text.
type SampleId = Option<&'static str>;

/// List of samples, with their languages.
#[component]
fn SampleChoice() -> impl IntoView {
    let text = TextState::from_context();
    let language = |sample: &TextSample| {
        let entry = SAMPLE_LANGUAGES
            .iter()
            .find(|(id, _)| *id == sample.language);
        entry.map_or("", |(_, name)| *name)
    };
    let samples = TextSample::all().map(|sample| {
        let name = format!("{} · {}", sample.title, language(&sample));
        (Some(sample.id), name)
    });
    let own: (SampleId, String) = (None, "your own text".to_owned());
    let list = options(samples.chain([own]));
    let value = Signal::derive(move || (!text.is_own()).then(|| text.sample().id));
    let set = move |id: SampleId| {
        if let Some(id) = id {
            text.set_sample(id);
        }
    };
    view! { <Select label="Sample" options=list value set/> }
}

/// Button that adds files of a tokenizer, and the state of the tokenizer.
#[component]
fn TokenizerInput() -> impl IntoView {
    let text = TextState::from_context();
    let (state, client) = (PageState::from_context(), QueryClient::from_context());
    let status = text.tokenizer.status;
    let take = move |event: Targeted<Event, HtmlInputElement>| {
        let input = event.target();
        let files = input.files().map(|files| files_of(&files));
        // The same file may be chosen again after it was corrected.
        input.set_value("");
        if let (Some(files), Some(model)) = (files, state.models.open.get_untracked()) {
            client.add_files(model.id, files);
            state
                .own_files
                .tokenizer_changes
                .update(|count| *count += 1);
        }
    };
    let sentence = move || match status.get() {
        TokenizerStatus::Missing => "No tokenizer yet.".to_owned(),
        TokenizerStatus::Loading => "Loading the tokenizer …".to_owned(),
        TokenizerStatus::Loaded(summary) => {
            format!(
                "Tokenizer with {} pieces.",
                crate::figure::group_thousands(summary.vocabulary_size as u64)
            )
        }
        TokenizerStatus::Failed(sentence) => sentence,
    };
    view! {
        <label class="file-button">
            <u>"Add tokenizer files"</u>
            <input
                type="file"
                multiple=true
                accept=".json,.txt,.model"
                on:change:target=while_mounted(take)
            />
        </label>
        <span class="hint" role="status">{sentence}</span>
    }
}

/// Button that copies a link with the visitor's own text.
#[component]
fn CopyTextLink() -> impl IntoView {
    let text = TextState::from_context();
    let url = UrlState::from_context();
    let address = move |()| {
        let mut link = url.link.get_untracked();
        let words = text.text.get_untracked();
        link.text.words = Some(words.chars().take(LONGEST_LINKED_TEXT).collect());
        address_of(&link)
    };
    view! {
        <Show when=move || text.is_own()>
            <CopyButton
                name="Copy link with my text"
                label="Copy link with my text"
                class=""
                text=Callback::new(address)
            />
        </Show>
    }
}

/// State of the run: what it needs, its progress in layers and seconds, and buttons that start and stop it.
#[component]
pub(super) fn RunState() -> impl IntoView {
    let text = TextState::from_context();
    let message = Memo::new(move |_| {
        text.tokenizer
            .text_in_tokens
            .with(|text: &TokenizedText| text.message.clone())
    });
    let is_running = Memo::new(move |_| {
        matches!(
            text.run.status(),
            QueryStatus::Computing | QueryStatus::NextAnswer
        )
    });
    let (started, seconds) = (StoredValue::new(0.0), RwSignal::new(0.0));
    Effect::new(move |before: Option<bool>| {
        let is_running = is_running.get();
        match (before.unwrap_or(false), is_running) {
            (false, true) => started.set_value(now()),
            (true, false) => seconds.set((now() - started.get_value()) / 1000.0),
            _ => {}
        }
        is_running
    });
    let progress = Memo::new(move |_| {
        let texts = text.run.question().map_or(1, |run| run.texts.len());
        let tokens = match (texts, text.tokens.with(|tokens| tokens.len())) {
            (1, tokens) => format!("{tokens} tokens"),
            (_, tokens) => format!("{texts} texts, the first of {tokens} tokens,"),
        };
        let layers = text.sizes().map_or(0, |sizes| sizes.layers);
        // The answer to the run before stays for a moment.
        let current = text.run.question().map(|run| run.run);
        let answer = text.run.get_with_question();
        let answer = answer.filter(|(run, _)| Some(run.run) == current);
        let passed = answer.map_or(0, |(_, layers)| layers.passed_layers);
        match text.run.status() {
            QueryStatus::Failed(sentence) => sentence,
            QueryStatus::Nothing if passed == layers && passed > 0 => {
                let seconds = seconds.get();
                format!("{tokens} passed {layers} layers in {seconds:.2} s.")
            }
            QueryStatus::Nothing => String::new(),
            QueryStatus::Computing | QueryStatus::NextAnswer => {
                let seconds = (now() - started.get_value()) / 1000.0;
                let layer = (passed + 1).min(layers);
                format!("{tokens} in layer {layer} of {layers}, after {seconds:.1} s …")
            }
        }
    });
    let megabytes = move || {
        let bytes = text.bytes_to_agree()?;
        Some(format!("{:.0} MB", bytes as f64 / 1e6))
    };
    let can_repeat = Memo::new(move |_| {
        text.is_stopped.get() || matches!(text.run.status(), QueryStatus::Failed(_))
    });
    view! {
        <div class="run-state">
            <p class="hint" hidden=move || message.with(String::is_empty) role="status">{message}</p>
            {move || megabytes().map(|size| view! {
                <p>{format!("The run reads the weights of all layers, {size}, from the model’s host.")}</p>
                <button type="button" class="primary" on:click=move |_| text.agree()>{format!("Fetch {size} and run")}</button>
            })}
            <p class="progress" aria-hidden="true">{progress}</p>
            <Announcement progress/>
            <Show when=move || is_running.get()>
                <button type="button" on:click=move |_| text.is_stopped.set(true)>"Stop"</button>
            </Show>
            <Show when=move || can_repeat.get()>
                <button type="button" on:click=move |_| text.run_again()>"Run again"</button>
            </Show>
        </div>
    }
}

/// The progress for screen readers, at most once a second.
#[component]
fn Announcement(progress: Memo<String>) -> impl IntoView {
    let announced = RwSignal::new(String::new());
    let announce = move || {
        if let (Some(now), Some(before)) =
            (progress.try_get_untracked(), announced.try_get_untracked())
            && now != before
        {
            announced.set(now);
        }
    };
    let timer = set_interval_with_handle(announce, ANNOUNCEMENT).ok();
    on_cleanup(move || {
        if let Some(timer) = timer {
            timer.clear();
        }
    });
    view! { <p class="announcement" role="status">{announced}</p> }
}

/// The page's clock in milliseconds.
fn now() -> f64 {
    window().performance().map_or(0.0, |clock| clock.now())
}
