//! Tokenizers of language models, from the files beside a checkpoint.
//!
//! | module | content |
//! |---|---|
//! | `text_encoding` | a text as tokens, pieces of ids, special tokens |
//! | `program` | the program in a worker: its requests and responses |
//! | `file_names` | names of the files that describe a tokenizer |
//! | `text_tokenizer` | the tokenizer; only with the feature `library` |
//! | `error` | reasons why files are no tokenizer; only with the feature `library` |
//!
//! A page uses the messages and the names alone. The feature `library` adds the tokenizers, which weigh more than half a
//! megabyte and run in a worker of their own: patterns in files are untrusted, and a worker can be ended.

mod file_names;
mod program;
mod text_encoding;

#[cfg(feature = "library")]
mod added_tokens;
#[cfg(feature = "library")]
mod byte_pairs;
#[cfg(feature = "library")]
mod character_map;
#[cfg(feature = "library")]
mod checks;
#[cfg(feature = "library")]
mod description;
#[cfg(feature = "library")]
mod error;
#[cfg(feature = "library")]
mod files;
#[cfg(feature = "library")]
mod kind;
#[cfg(feature = "library")]
mod piece_text;
#[cfg(feature = "library")]
mod protobuf;
#[cfg(feature = "library")]
mod sentence_piece;
#[cfg(feature = "library")]
mod settings;
#[cfg(feature = "library")]
mod special_tokens;
#[cfg(feature = "library")]
mod template;
#[cfg(feature = "library")]
mod text_tokenizer;
#[cfg(feature = "library")]
mod word_piece;

#[cfg(feature = "library")]
pub use error::TokenizerError;
pub use file_names::{TOKENIZER_FILES, is_tokenizer_file};
pub use program::{TokenizerProgram, TokenizerRequest, TokenizerResponse, TokenizerSummary};
pub use text_encoding::{Piece, SpecialTokens, TextEncoding, Token};
#[cfg(feature = "library")]
pub use text_tokenizer::TextTokenizer;
