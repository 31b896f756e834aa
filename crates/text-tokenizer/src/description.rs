//! The description of a tokenizer: `tokenizer.json`, or other files brought into its form.

use crate::{
    TokenizerError, checks,
    error::short,
    files::{TokenizerFile, TokenizerFileSet},
};
use serde_json::Value;
use tokenizers::Tokenizer;

/// The description of a tokenizer in the form of `tokenizer.json`.
#[derive(Debug)]
pub(crate) struct TokenizerDescription {
    json: Value,
    /// Name of the file that it comes from.
    file: String,
}

impl TokenizerDescription {
    /// Finds the description among files.
    pub(crate) fn find(files: &TokenizerFileSet<'_>) -> Result<Self, TokenizerError> {
        let new = |file: TokenizerFile<'_>, json| {
            Ok(Self {
                json,
                file: short(file.name),
            })
        };
        if let Some(file) = files.get("tokenizer.json") {
            return new(file, file.json()?);
        }
        Err(TokenizerError::Absent)
    }

    /// Builds the tokenizer, without its padding, its truncation and the dropout of its training.
    pub(crate) fn build(mut self) -> Result<Tokenizer, TokenizerError> {
        let malformed = |fault: String| TokenizerError::malformed(&self.file, fault);
        checks::check(&self.json).map_err(malformed)?;
        for part in ["padding", "truncation"] {
            self.json[part] = Value::Null;
        }
        if !self.json["model"]["dropout"].is_null() {
            self.json["model"]["dropout"] = Value::Null;
        }
        serde_json::from_value(self.json).map_err(|error| malformed(short(&error.to_string())))
    }
}
