//! The tokenizer of the open model, and the tokens of the text.

use crate::{
    analysis::{ModelId, word_rows},
    app::{
        query_client::{NamedFile, QueryClient},
        state::{ModelList, PageState},
        tokenizer::{TokenizerClient, tokenizer_files},
    },
    figure::text_attention::TextToken,
};
use leptos::prelude::*;
use std::{cell::RefCell, sync::Arc, time::Duration};
use text_tokenizer::{TextEncoding, Token, TokenizerSummary};
use wasm_bindgen_futures::spawn_local;

/// Pause after which typed text is tokenized.
const PAUSE: Duration = Duration::from_millis(200);
/// Characters of the text before the place where it was cut, in the message.
const BEFORE_CUT: usize = 20;

thread_local! {
    /// The tokenizer that was loaded last, with its model. It outlives the view.
    static LAST: RefCell<Option<LoadedTokenizer>> = const { RefCell::new(None) };
}

/// A loaded tokenizer and the model that it belongs to.
#[derive(Clone)]
struct LoadedTokenizer {
    of: ModelId,
    client: TokenizerClient,
    summary: TokenizerSummary,
}

/// State of the tokenizer of the open model.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenizerStatus {
    /// None has been found: the text is read as token ids.
    Missing,
    /// It is being loaded.
    Loading,
    /// It can be used.
    Loaded(TokenizerSummary),
    /// Its files cannot be used; the sentence says why.
    Failed(String),
}

/// The text in tokens.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct TokenizedText {
    tokens: Arc<[TextToken]>,
    /// A sentence about a text that was cut, or that has no tokens.
    pub(super) message: String,
}

impl TokenizedText {
    /// Returns the tokens.
    pub(super) fn tokens(&self) -> Arc<[TextToken]> {
        Arc::clone(&self.tokens)
    }

    fn from_failure(message: String) -> Self {
        Self {
            message,
            ..Self::default()
        }
    }

    /// The tokens of a text that a tokenizer returned.
    fn from_encoding(encoding: TextEncoding, text: &str) -> Self {
        let count = encoding.tokens.len();
        let message = match encoding.cut_at {
            None if count == 0 => "The text has no tokens.".to_owned(),
            None => String::new(),
            Some(byte) => {
                let before = text.get(..byte).unwrap_or_default().chars();
                let end: Vec<char> = before.rev().take(BEFORE_CUT).collect();
                let end: String = end.into_iter().rev().collect();
                format!(
                    "The text is cut after “…{end}”: the model has positions for {count} tokens."
                )
            }
        };
        let token = |token: Token| TextToken {
            id: token.id,
            piece: token.piece,
            is_special: token.is_special,
        };
        Self {
            tokens: encoding.tokens.into_iter().map(token).collect(),
            message,
        }
    }

    /// The tokens of a text that lists their ids. Numbers beyond the model's words fail in the run.
    fn from_ids(text: &str, longest: usize) -> Self {
        let mut ids = match word_rows(text) {
            Ok(ids) if !ids.is_empty() => ids,
            Ok(_) => return Self::from_failure("Type token ids, such as 101 1996 102.".to_owned()),
            Err(_) => {
                return Self::from_failure(
                    "This model has no tokenizer here. Add its tokenizer.json, or type token ids, such as 101 1996 102."
                        .to_owned(),
                );
            }
        };
        let message = match ids.len() > longest {
            true => format!(
                "Only the first {longest} tokens are used: the model has no more positions."
            ),
            false => String::new(),
        };
        ids.truncate(longest);
        let token = |id: u32| TextToken {
            id,
            piece: format!("#{id}"),
            is_special: false,
        };
        Self {
            tokens: ids.into_iter().map(token).collect(),
            message,
        }
    }
}

/// The tokenizer, and the tokens of the text.
#[derive(Clone, Copy)]
pub(super) struct TokenizerState {
    models: ModelList,
    client: QueryClient,
    /// State of the tokenizer.
    pub(super) status: RwSignal<TokenizerStatus>,
    /// The text in tokens.
    pub(super) text_in_tokens: RwSignal<TokenizedText>,
}

impl TokenizerState {
    /// Tokenizes a text whenever it, the tokenizer, or the model's longest text changes.
    pub(super) fn new(text: Memo<String>, longest: Memo<Option<usize>>) -> Self {
        let PageState {
            models, own_files, ..
        } = PageState::from_context();
        let client = QueryClient::from_context();
        let state = Self {
            models,
            client,
            status: RwSignal::new(TokenizerStatus::Missing),
            text_in_tokens: RwSignal::default(),
        };
        let id = Memo::new(move |_| models.open.get().map(|model| model.id));
        Effect::new(move |before: Option<u32>| {
            let (id, changes) = (id.get(), own_files.tokenizer_changes.get());
            let last = LAST.with_borrow(Clone::clone);
            let own = last.filter(|last| Some(last.of) == id);
            // Files that were added replace those that came with the model.
            let is_same = before.is_none_or(|before| before == changes);
            match (own.filter(|_| is_same), id) {
                (Some(own), _) => state.status.set(TokenizerStatus::Loaded(own.summary)),
                (None, Some(id)) => state.load_of_model(id),
                (None, None) => state.status.set(TokenizerStatus::Missing),
            }
            changes
        });
        let generation = StoredValue::new(0_u32);
        Effect::new(move |before: Option<()>| {
            let (text, status, longest) = (text.get(), state.status.get(), longest.get());
            generation.update_value(|number| *number += 1);
            let number = generation.get_value();
            let is_current = move || generation.try_get_value() == Some(number);
            let Some(longest) = longest else { return };
            match status {
                TokenizerStatus::Missing | TokenizerStatus::Failed(_) => {
                    state
                        .text_in_tokens
                        .set(TokenizedText::from_ids(&text, longest));
                }
                // The tokens of another tokenizer mean nothing to this model.
                TokenizerStatus::Loading => state.text_in_tokens.set(TokenizedText::default()),
                TokenizerStatus::Loaded(_) => {
                    let tokenize = move || {
                        if is_current() {
                            state.tokenize(text, longest, is_current);
                        }
                    };
                    match before {
                        None => tokenize(),
                        Some(()) => set_timeout(tokenize, PAUSE),
                    }
                }
            }
        });
        state
    }

    fn tokenize(self, text: String, longest: usize, is_current: impl Fn() -> bool + 'static) {
        let Some(client) = self.loaded_client() else {
            return;
        };
        spawn_local(async move {
            let encoding = client.encode(&text, longest).await;
            if is_current() {
                let text_in_tokens = match encoding {
                    Ok(encoding) => TokenizedText::from_encoding(encoding, &text),
                    Err(sentence) => TokenizedText::from_failure(sentence),
                };
                self.text_in_tokens.set(text_in_tokens);
            }
        });
    }

    /// Tokenizes another text, up to `longest` tokens.
    ///
    /// # Errors
    /// If no tokenizer is loaded, or it fails.
    pub(super) async fn tokens_of(
        self,
        text: &str,
        longest: usize,
    ) -> Result<Arc<[TextToken]>, String> {
        let client = self.loaded_client().ok_or("No tokenizer is loaded.")?;
        let encoding = client.encode(text, longest).await?;
        Ok(TokenizedText::from_encoding(encoding, text).tokens)
    }

    /// The client with the tokenizer of the open model.
    fn loaded_client(self) -> Option<TokenizerClient> {
        let open = self.models.open.get_untracked()?;
        let last = LAST.with_borrow(Clone::clone)?;
        (last.of == open.id).then_some(last.client)
    }

    /// Loads the tokenizer of a model from the files that were opened with it, added to it, or are beside it on the web.
    fn load_of_model(self, of: ModelId) {
        self.status.set(TokenizerStatus::Loading);
        spawn_local(async move {
            let status = match tokenizer_files(self.client, of).await {
                Ok(files) if files.is_empty() => TokenizerStatus::Missing,
                Ok(files) => load(of, files).await,
                Err(failure) => TokenizerStatus::Failed(failure.sentence),
            };
            // The view may have been left, or another model opened.
            let open = self.models.open.try_get_untracked().flatten();
            if open.is_some_and(|open| open.id == of) {
                let _ = self.status.try_set(status);
            }
        });
    }

    /// Looks up the pieces of ids. Nothing happens if there is no tokenizer.
    pub(super) fn look_up(self, ids: Vec<u32>, receive: impl Fn(Vec<(u32, String)>) + 'static) {
        let Some(client) = self.loaded_client() else {
            return;
        };
        spawn_local(async move {
            if let Ok(pieces) = client.pieces(ids).await {
                let pieces = pieces.into_iter();
                receive(
                    pieces
                        .filter_map(|piece| Some((piece.id, piece.piece?)))
                        .collect(),
                );
            }
        });
    }
}

/// Loads a tokenizer, which outlives the view.
async fn load(of: ModelId, files: Vec<NamedFile>) -> TokenizerStatus {
    let client = TokenizerClient::default();
    match client.load(files).await {
        Ok(summary) => {
            LAST.set(Some(LoadedTokenizer {
                of,
                client,
                summary: summary.clone(),
            }));
            TokenizerStatus::Loaded(summary)
        }
        Err(sentence) => TokenizerStatus::Failed(sentence),
    }
}
