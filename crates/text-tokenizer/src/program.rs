//! The program in a worker: its requests and responses.

use crate::{Piece, SpecialTokens, TextEncoding};
use serde::{Deserialize, Serialize};
use worker_protocol::WorkerProgram;

/// The program that tokenizes texts, with one tokenizer at a time.
#[derive(Debug, Clone, Copy)]
pub enum TokenizerProgram {}

impl WorkerProgram for TokenizerProgram {
    const NAME: &'static str = "tokenizer";
    type Request = TokenizerRequest;
    type Response = TokenizerResponse;

    fn is_last(_response: &TokenizerResponse) -> bool {
        true
    }
}

/// A request to the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TokenizerRequest {
    /// Loads a tokenizer in place of the one before. Its files are the message's attachments.
    Load {
        /// Path or name of each file.
        names: Vec<String>,
    },
    /// Tokenizes a text.
    Encode {
        /// The text.
        text: String,
        /// Greatest number of tokens, special tokens included.
        limit: usize,
    },
    /// Looks up pieces of the vocabulary.
    Pieces {
        /// Ids, in any order.
        ids: Vec<u32>,
    },
}

/// The response to a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TokenizerResponse {
    /// The tokenizer is loaded.
    Loaded(TokenizerSummary),
    /// A text as tokens.
    Encoded(TextEncoding),
    /// A piece for each id, in the order of the request.
    Pieces(Vec<Piece>),
    /// A sentence that says why the request failed, in which file, and what to do.
    Failed(String),
}

/// Properties of a tokenizer that its users need before the first text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenizerSummary {
    /// Ids of its special tokens.
    pub special: SpecialTokens,
    /// Number of pieces: one more than the greatest id.
    pub vocabulary_size: usize,
    /// Number of special tokens that it adds around a text.
    pub added_tokens: usize,
}
