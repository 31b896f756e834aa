//! The text view: the model's attention over a text, beside what its weights promise.

mod displayed_head;
mod head_figures;
mod heads;
mod predictions;
mod program_constants;
mod sample_tokens;
mod score_parts;
mod suggestions;
mod text_input;
mod text_means;
mod text_state;
mod token_buttons;
mod token_strip;
mod tokenizer;

use crate::app::figure::painter::mark_ready;
use head_figures::{HeadMapFigure, HeadProfileFigure, HeadReadout, HeadSwitches};
use heads::TextHeadsFigure;
use leptos::prelude::*;
use predictions::Predictions;
use score_parts::ScorePartsFold;
use text_input::TextInput;
pub(super) use text_means::TextMeans;
use text_state::TextState;
use token_strip::TokenStripFigure;

/// The text view.
#[component]
pub(in crate::app) fn TextView() -> impl IntoView {
    let text = TextState::new();
    provide_context(text);
    program_constants::provide(text);
    let has_tokens = Memo::new(move |_| text.tokens.with(|tokens| !tokens.is_empty()));
    // Without tokens there is no figure that would report the page as ready.
    Effect::new(move || {
        if !has_tokens.get() {
            mark_ready();
        }
    });
    view! {
        <div class="view text">
            <TextInput/>
            <Show when=move || has_tokens.get()>
                <TokenStripFigure/>
                <HeadSwitches/>
                <div class="column all-heads">
                    <TextHeadsFigure/>
                </div>
                <div class="column">
                    <HeadMapFigure/>
                    <HeadProfileFigure/>
                    <HeadReadout/>
                </div>
                <ScorePartsFold/>
                <Predictions/>
            </Show>
        </div>
    }
}
