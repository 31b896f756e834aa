//! The run over a text from which the heads of a rotary model take their mean queries and keys.

use super::{
    text_input::RunState,
    text_state::TextState,
    tokenizer::{TokenizedText, TokenizerStatus},
};
use crate::{
    analysis::HeadOverview,
    app::{
        figure::painter::mark_ready,
        query_client::QueryClient,
        state::{OpenHead, UrlState},
    },
    url_state::View,
};
use leptos::prelude::*;

/// Characters of the text in the sentence that names it.
const BEGINNING: usize = 60;

/// Runs the text of the text view, and says which one it is and how far it has come.
#[component]
pub(in crate::app) fn TextMeans() -> impl IntoView {
    let text = TextState::new();
    provide_context(text);
    let open_head = OpenHead::from_context();
    // The states of the text may have been dropped for those of other texts.
    let overview = QueryClient::from_context().ask(move || {
        Some(HeadOverview {
            of: open_head.get()?,
        })
    });
    text.repeat_when_gone(overview);
    // Without a run no figure reports the page as ready.
    Effect::new(move || {
        if !text.run.is_pending() && open_head.waits_for_text() {
            mark_ready();
        }
    });
    let can_run = Memo::new(move |_| text.support.with(|support| support.is_some()));
    let refusal = text.refusal();
    let about = move || {
        let tokenizer = match text.tokenizer.status.get() {
            TokenizerStatus::Failed(sentence) => sentence,
            TokenizerStatus::Missing => text
                .tokenizer
                .text_in_tokens
                .with(|text: &TokenizedText| text.message.clone()),
            TokenizerStatus::Loading | TokenizerStatus::Loaded(_) => String::new(),
        };
        format!("{} {tokenizer}", text.text.with(|text| sentence_on(text)))
    };
    let url = UrlState::from_context();
    let open_text = move |_| url.link.update(|link| link.view = View::Text);
    view! {
        <section class="text-means" aria-label="Text of the mean queries and keys">
            <p class="caption">
                {about}
                " "
                <button type="button" on:click=open_text>"Change the text"</button>
            </p>
            {move || refusal.get().map(|sentence| view! { <p role="alert">{sentence}</p> })}
            <Show when=move || can_run.get()>
                <RunState/>
            </Show>
        </section>
    }
}

/// Names a text by its beginning.
fn sentence_on(text: &str) -> String {
    let mut words: String = text.chars().take(BEGINNING).collect();
    if text.chars().nth(BEGINNING).is_some() {
        words.push('…');
    }
    format!("Queries and keys are averaged over the text “{words}”.")
}
