//! The description of a tokenizer: `tokenizer.json`, or other files brought into its form.

use crate::{
    TokenizerError,
    added_tokens::Roles,
    byte_pairs, checks,
    error::short,
    files::{TokenizerFile, TokenizerFileSet},
    piece_text::Spelling,
    sentence_piece,
    settings::TokenizerSettings,
    word_piece,
};
use serde_json::Value;
use tokenizers::Tokenizer;

/// The description of a tokenizer in the form of `tokenizer.json`.
#[derive(Debug)]
pub(crate) struct TokenizerDescription {
    json: Value,
    /// Special tokens of its kind; none for `tokenizer.json`, which does not state the kind.
    pub(crate) roles: Roles,
    /// Name of the file that it comes from.
    file: String,
}

impl TokenizerDescription {
    /// Finds the description among files. `tokenizer.json` comes first, since it is complete.
    pub(crate) fn find(
        files: &TokenizerFileSet<'_>,
        settings: &TokenizerSettings,
    ) -> Result<Self, TokenizerError> {
        let new = |file: TokenizerFile<'_>, (json, roles)| {
            Ok(Self {
                json,
                roles,
                file: short(file.name),
            })
        };
        if let Some(file) = files.get("tokenizer.json") {
            return new(file, (file.json()?, &[]));
        }
        if let Some(file) = files.get("vocab.txt") {
            return new(file, word_piece::describe(file, settings)?);
        }
        if let Some(file) = files.get("spiece.model").or_else(|| files.get("spm.model")) {
            return new(file, sentence_piece::describe(file, settings)?);
        }
        let incomplete = |file: TokenizerFile<'_>, needs| TokenizerError::Incomplete {
            file: short(file.name),
            needs,
        };
        match (files.get("vocab.json"), files.get("merges.txt")) {
            (Some(vocabulary), Some(merges)) => new(
                vocabulary,
                byte_pairs::describe(vocabulary, merges, settings)?,
            ),
            (Some(vocabulary), None) => Err(incomplete(vocabulary, "merges.txt")),
            (None, Some(merges)) => Err(incomplete(merges, "vocab.json")),
            (None, None) => Err(TokenizerError::Absent),
        }
    }

    /// How the tokenizer spells text in its pieces.
    pub(crate) fn spelling(&self) -> Spelling {
        Spelling::read(&self.json)
    }

    /// Builds the tokenizer, without its padding, its truncation, the dropout of its training, and its decoder, which
    /// nothing needs.
    pub(crate) fn build(mut self) -> Result<Tokenizer, TokenizerError> {
        let malformed = |fault: String| TokenizerError::malformed(&self.file, fault);
        checks::check(&self.json).map_err(malformed)?;
        for part in ["padding", "truncation", "decoder"] {
            self.json[part] = Value::Null;
        }
        if !self.json["model"]["dropout"].is_null() {
            self.json["model"]["dropout"] = Value::Null;
        }
        serde_json::from_value(self.json).map_err(|error| malformed(short(&error.to_string())))
    }
}
