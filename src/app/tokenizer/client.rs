//! The client of the program that tokenizes.

use super::loss;
use crate::app::query_client::{NamedFile, meta};
use futures_channel::oneshot;
use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    fmt,
    rc::Rc,
};
use text_tokenizer::{
    Piece, TextEncoding, TokenizerProgram, TokenizerRequest, TokenizerResponse, TokenizerSummary,
};
use worker_protocol::{Attachments, Loss, SilenceLimit, WorkerHandle, WorkerProgram};

/// Message of requests that need a tokenizer while none is loaded.
const NO_TOKENIZER: &str = "No tokenizer is loaded. Add the tokenizer.json of the model.";

/// Message of a request that another one replaced.
const OTHER_TOKENIZER: &str = "Another tokenizer was loaded instead.";

/// Message if no worker can be started.
const CANNOT_START: &str =
    "The tokenizer cannot be started. Your browser or an extension of it forbids workers here.";

/// A client of the program that tokenizes, with one tokenizer at a time. The program is downloaded when the first
/// tokenizer is loaded, and ended with the last copy of the client. If it is lost, the open requests fail, and the next
/// one starts it again with the same tokenizer. Errors are sentences for the visitor.
#[derive(Clone, Default)]
pub(in crate::app) struct TokenizerClient(Rc<ProgramState>);

#[derive(Default)]
struct ProgramState {
    worker: RefCell<Option<WorkerHandle<TokenizerProgram>>>,
    /// Receivers of the responses to open requests, by number.
    open: RefCell<HashMap<u32, oneshot::Sender<Result<TokenizerResponse, String>>>>,
    last_number: Cell<u32>,
    /// Files of the tokenizer in use.
    files: RefCell<Vec<NamedFile>>,
    /// Whether the current worker has loaded them.
    is_loaded: Cell<bool>,
}

impl fmt::Debug for TokenizerClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenizerClient").finish_non_exhaustive()
    }
}

impl TokenizerClient {
    /// Loads a tokenizer in place of the one before. Opens no file that is none of a tokenizer's.
    ///
    /// # Errors
    /// If the files describe no tokenizer, or the program is lost.
    pub(in crate::app) async fn load(
        &self,
        files: Vec<NamedFile>,
    ) -> Result<TokenizerSummary, String> {
        // A program that is busy with the tokenizer before may never end.
        if self.end(OTHER_TOKENIZER) {
            self.0.worker.take();
        }
        self.0.files.replace(files);
        let loaded = self.load_files().await;
        if loaded.is_err() {
            self.0.files.take();
        }
        loaded
    }

    /// Tokenizes a text, with the special tokens that the model expects around it, up to `limit` tokens.
    ///
    /// # Errors
    /// If no tokenizer is loaded, it fails at this text, or the program is lost.
    pub(in crate::app) async fn encode(
        &self,
        text: &str,
        limit: usize,
    ) -> Result<TextEncoding, String> {
        let text = text.to_owned();
        match self.ask(TokenizerRequest::Encode { text, limit }).await? {
            TokenizerResponse::Encoded(encoding) => Ok(encoding),
            other => Err(mismatch(other)),
        }
    }

    /// Looks up pieces of the vocabulary by their ids, one for each id.
    ///
    /// # Errors
    /// If no tokenizer is loaded, or the program is lost.
    pub(in crate::app) async fn pieces(&self, ids: Vec<u32>) -> Result<Vec<Piece>, String> {
        match self.ask(TokenizerRequest::Pieces { ids }).await? {
            TokenizerResponse::Pieces(pieces) => Ok(pieces),
            other => Err(mismatch(other)),
        }
    }

    /// Sends a request that needs the tokenizer, which is loaded again if the program was lost.
    async fn ask(&self, request: TokenizerRequest) -> Result<TokenizerResponse, String> {
        if self.0.files.borrow().is_empty() {
            return Err(NO_TOKENIZER.to_owned());
        }
        if !self.0.is_loaded.get() {
            self.load_files().await?;
        }
        self.send(&request, &Attachments::new()).await
    }

    /// Loads the tokenizer in use into the program.
    async fn load_files(&self) -> Result<TokenizerSummary, String> {
        let (names, blobs): (_, Vec<_>) = self.0.files.borrow().iter().cloned().unzip();
        let request = TokenizerRequest::Load { names };
        let response = self
            .send(&request, &Attachments::from_files(&blobs))
            .await?;
        let TokenizerResponse::Loaded(summary) = response else {
            return Err(mismatch(response));
        };
        self.0.is_loaded.set(true);
        Ok(summary)
    }

    /// Sends a request, and starts the program if it does not run.
    async fn send(
        &self,
        request: &TokenizerRequest,
        attachments: &Attachments,
    ) -> Result<TokenizerResponse, String> {
        let (sender, receiver) = oneshot::channel();
        if self.0.worker.borrow().is_none() {
            let worker = self.start().ok_or(CANNOT_START)?;
            self.0.worker.replace(Some(worker));
        }
        let number = self.0.last_number.get().wrapping_add(1);
        self.0.last_number.set(number);
        self.0.open.borrow_mut().insert(number, sender);
        if let Some(worker) = &*self.0.worker.borrow() {
            worker.send(number, request, attachments);
        }
        receiver
            .await
            .unwrap_or_else(|_| Err(OTHER_TOKENIZER.to_owned()))
    }

    /// Starts a worker. It refers to the client weakly, so that both end with the last copy of the client.
    fn start(&self) -> Option<WorkerHandle<TokenizerProgram>> {
        let address = meta(TokenizerProgram::NAME);
        let address = address.unwrap_or_else(|| format!("{}/start.js", TokenizerProgram::NAME));
        let (receiver, owner) = (Rc::downgrade(&self.0), Rc::downgrade(&self.0));
        let worker = WorkerHandle::start(
            &address,
            Some(SilenceLimit::from_seconds(loss::SILENCE_LIMIT_S)),
            move |number, response, _attachments| {
                if let Some(state) = receiver.upgrade() {
                    state.receive(number, response);
                }
            },
            move |loss: Loss| {
                if let Some(state) = owner.upgrade() {
                    let client = Self(state);
                    client.end(&loss::sentence(&loss));
                    client.0.worker.take();
                }
            },
        );
        worker.ok()
    }

    /// Fails the open requests. Returns whether there were any.
    fn end(&self, sentence: &str) -> bool {
        self.0.is_loaded.set(false);
        let open = self.0.open.take();
        let was_busy = !open.is_empty();
        for (_, sender) in open {
            // The receiver is dropped when the view that waits for the response goes.
            let _ = sender.send(Err(sentence.to_owned()));
        }
        was_busy
    }
}

impl ProgramState {
    fn receive(&self, number: u32, response: TokenizerResponse) {
        let sender = self.open.borrow_mut().remove(&number);
        if let Some(sender) = sender {
            let _ = sender.send(match response {
                TokenizerResponse::Failed(sentence) => Err(sentence),
                response => Ok(response),
            });
        }
    }
}

/// Message if the program sends another kind of response, which a build of one version never does.
fn mismatch(response: TokenizerResponse) -> String {
    match response {
        TokenizerResponse::Failed(sentence) => sentence,
        _ => loss::sentence(&Loss::Ended),
    }
}
