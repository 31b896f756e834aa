//! Tokens of the samples beside the open text.

use super::{
    text_state::plain_tokens,
    tokenizer::{TokenizerState, TokenizerStatus},
};
use crate::{
    analysis::TextTokens, app::state::UrlState, text_samples::TextSample, url_state::TextScope,
};
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

/// Returns the tokens of all samples but the open one if the link takes means over samples, otherwise none. `None` while
/// they are being computed. Without a tokenizer there are none. `open` is the open sample, `None` for another text.
pub(super) fn sample_tokens(
    tokenizer: TokenizerState,
    longest: Memo<Option<usize>>,
    open: Memo<Option<&'static str>>,
) -> Memo<Option<Vec<TextTokens>>> {
    let scope = UrlState::from_context().select(|link| link.text.scope);
    let samples: RwSignal<Option<Vec<(&'static str, TextTokens)>>> = RwSignal::new(None);
    let generation = StoredValue::new(0_u32);
    Effect::new(move || {
        generation.update_value(|number| *number += 1);
        let number = generation.get_value();
        let is_loaded = matches!(tokenizer.status.get(), TokenizerStatus::Loaded(_));
        let longest = longest.get().filter(|_| is_loaded);
        samples.set(None);
        let (TextScope::Samples, Some(longest)) = (scope.get(), longest) else {
            return;
        };
        spawn_local(async move {
            let mut all = Vec::new();
            for sample in TextSample::all() {
                // A sample that the tokenizer refuses is left out; the figure names the number of texts.
                if let Ok(tokens) = tokenizer.tokens_of(sample.text, longest).await {
                    all.push((sample.id, plain_tokens(&tokens)));
                }
            }
            if generation.try_get_value() == Some(number) {
                samples.set(Some(all));
            }
        });
    });
    Memo::new(move |_| match (scope.get(), tokenizer.status.get()) {
        (TextScope::Samples, TokenizerStatus::Loaded(_)) => samples.with(|samples| {
            let open = open.get();
            let others = samples.as_ref()?.iter().filter(|(id, _)| Some(*id) != open);
            Some(others.map(|(_, tokens)| tokens.clone()).collect())
        }),
        _ => Some(Vec::new()),
    })
}
