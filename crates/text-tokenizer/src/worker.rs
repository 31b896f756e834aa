//! The worker: holds a tokenizer and answers requests about it.

use js_sys::{ArrayBuffer, Uint8Array};
use std::{cell::RefCell, rc::Rc};
use text_tokenizer::{TextTokenizer, TokenizerProgram, TokenizerRequest, TokenizerResponse};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;
use worker_protocol::{Attachments, Responder};

/// Message if a request needs a tokenizer and none is loaded.
const NOT_LOADED: &str = "No tokenizer is loaded. Add the tokenizer.json of the model.";

/// The tokenizer in use.
type CurrentTokenizer = Rc<RefCell<Option<TextTokenizer>>>;

/// Answers requests until the worker is terminated.
pub(crate) fn start() {
    let current = CurrentTokenizer::default();
    worker_protocol::serve(
        move |request: TokenizerRequest,
              attachments: Attachments,
              responder: Responder<TokenizerProgram>| {
            let current = Rc::clone(&current);
            async move {
                let response = answer(request, &attachments, &current).await;
                let response = response.unwrap_or_else(TokenizerResponse::Failed);
                responder.send(&response, &Attachments::new());
            }
        },
    );
}

/// Answers a request. The error is a sentence.
async fn answer(
    request: TokenizerRequest,
    attachments: &Attachments,
    current: &CurrentTokenizer,
) -> Result<TokenizerResponse, String> {
    match request {
        TokenizerRequest::Load { names } => {
            // The one before would take its memory until the new one is ready.
            current.take();
            let mut files = Vec::new();
            for (name, file) in names.into_iter().zip(attachments.files()) {
                let bytes = read(&file).await;
                let bytes = bytes.ok_or_else(|| {
                    format!("The file {name} can no longer be read. Open it again.")
                })?;
                files.push((name, bytes));
            }
            let tokenizer = TextTokenizer::from_files(&files).map_err(|error| error.to_string())?;
            let summary = tokenizer.summary();
            current.replace(Some(tokenizer));
            Ok(TokenizerResponse::Loaded(summary))
        }
        TokenizerRequest::Encode { text, limit } => {
            let current = current.borrow();
            let tokenizer = current.as_ref().ok_or(NOT_LOADED)?;
            let encoding = tokenizer.encode(&text, limit);
            encoding
                .map(TokenizerResponse::Encoded)
                .map_err(|error| error.to_string())
        }
        TokenizerRequest::Pieces { ids } => {
            let current = current.borrow();
            let tokenizer = current.as_ref().ok_or(NOT_LOADED)?;
            Ok(TokenizerResponse::Pieces(tokenizer.pieces(&ids)))
        }
    }
}

/// The bytes of a file; `None` if it cannot be read any more.
async fn read(file: &Blob) -> Option<Vec<u8>> {
    let buffer = JsFuture::from(file.array_buffer()).await.ok()?;
    let buffer: ArrayBuffer = buffer.unchecked_into();
    Some(Uint8Array::new(&buffer).to_vec())
}
