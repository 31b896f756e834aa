//! The tokenizer of a model.

use crate::{
    Piece, SpecialTokens, TextEncoding, Token, TokenizerError, TokenizerSummary,
    description::TokenizerDescription, error::short, files::TokenizerFileSet, piece_text::Spelling,
    settings::TokenizerSettings, special_tokens,
};
use std::fmt;
use tokenizers::{
    AddedToken, Encoding, Model, PostProcessor, Tokenizer, parallelism::set_parallelism,
};

/// The tokenizer of a model.
pub struct TextTokenizer {
    tokenizer: Tokenizer,
    spelling: Spelling,
    special: SpecialTokens,
    vocabulary_size: usize,
}

impl fmt::Debug for TextTokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextTokenizer")
            .field("special", &self.special)
            .field("vocabulary_size", &self.vocabulary_size)
            .finish_non_exhaustive()
    }
}

impl TextTokenizer {
    /// Builds the tokenizer that files describe together. Each is named by its path or name; files that describe no
    /// tokenizer are ignored, but for `config.json`, which names the kind of model.
    ///
    /// Padding and truncation that a file stores are left out: the sentence model MiniLM stores a length of 128.
    ///
    /// # Errors
    /// If no file describes a tokenizer completely, or one is malformed.
    pub fn from_files(files: &[(String, Vec<u8>)]) -> Result<Self, TokenizerError> {
        // A worker has no threads.
        set_parallelism(false);
        let files = TokenizerFileSet::sort(files)?;
        let settings = TokenizerSettings::read(&files);
        let description = TokenizerDescription::find(&files, &settings)?;
        let (spelling, roles) = (description.spelling(), description.roles);
        let tokenizer = description.build()?;
        let special = special_tokens::find(&tokenizer, &settings, roles);
        let ids = tokenizer.get_vocab(true).into_values();
        let vocabulary_size = ids.max().map_or(0, |last| last as usize + 1);
        Ok(Self {
            tokenizer,
            spelling,
            special,
            vocabulary_size,
        })
    }

    /// Tokenizes a text, with the special tokens that the model expects around it. A text of more tokens than `limit`,
    /// special tokens included, loses its last ones.
    ///
    /// # Errors
    /// If the tokenizer has no token for a part of the text, nor one for unknown text.
    pub fn encode(&self, text: &str, limit: usize) -> Result<TextEncoding, TokenizerError> {
        let encoding = self.tokenizer.encode(text, true);
        let encoding = encoding.map_err(|error| TokenizerError::Text(short(&error.to_string())))?;
        let is_added: Vec<bool> = encoding
            .get_sequence_ids()
            .iter()
            .map(Option::is_none)
            .collect();
        let mut tokens = self.tokens(text, &encoding, &is_added);
        let excess = tokens.len().saturating_sub(limit);
        if excess == 0 {
            return Ok(TextEncoding {
                tokens,
                cut_at: None,
            });
        }
        // The added tokens stay, as long as there is a place for them.
        let last_own = is_added.iter().rposition(|is_added| !is_added);
        let end = last_own.map_or(0, |last| last + 1);
        let own = is_added[..end]
            .iter()
            .filter(|is_added| !**is_added)
            .count();
        let start = end - excess.min(own);
        let cut_at = tokens.get(start).map(|token| token.bytes.start);
        tokens.drain(start..end);
        tokens.truncate(limit);
        Ok(TextEncoding { tokens, cut_at })
    }

    fn tokens(&self, text: &str, encoding: &Encoding, is_added: &[bool]) -> Vec<Token> {
        let columns = encoding.get_ids().iter().zip(encoding.get_offsets());
        let mut tokens = Vec::with_capacity(encoding.len());
        for ((&id, &(start, end)), &is_added) in columns.zip(is_added) {
            let bytes = if is_added {
                0..0
            } else {
                whole_characters(text, start, end)
            };
            tokens.push(Token {
                id,
                piece: self.piece(id).unwrap_or_default(),
                bytes,
                is_special: is_added || self.is_special(id),
            });
        }
        tokens
    }

    /// Looks up pieces of the vocabulary by their ids, one for each id.
    #[must_use]
    pub fn pieces(&self, ids: &[u32]) -> Vec<Piece> {
        let piece = |&id: &u32| {
            let piece = self.piece(id);
            let text = piece.as_ref().map(|piece| self.spelling.text(piece));
            Piece {
                id,
                piece,
                text: text.unwrap_or_default(),
                is_special: self.is_special(id),
            }
        };
        ids.iter().map(piece).collect()
    }

    /// The piece of an id, as the vocabulary spells it.
    fn piece(&self, id: u32) -> Option<String> {
        let added = self.added_token(id).map(|token| token.content.clone());
        added.or_else(|| self.tokenizer.get_model().id_to_token(id))
    }

    fn is_special(&self, id: u32) -> bool {
        self.added_token(id).is_some_and(|token| token.special)
    }

    fn added_token(&self, id: u32) -> Option<&AddedToken> {
        let added = self.tokenizer.get_added_vocabulary();
        added.get_added_tokens_decoder().get(&id)
    }

    /// Number of special tokens that are added around a text.
    #[must_use]
    pub fn added_tokens(&self) -> usize {
        let processor = self.tokenizer.get_post_processor();
        processor.map_or(0, |processor| processor.added_tokens(false))
    }

    /// Ids of the special tokens.
    #[must_use]
    pub fn special(&self) -> SpecialTokens {
        self.special.clone()
    }

    /// Number of pieces: one more than the greatest id.
    #[must_use]
    pub fn vocabulary_size(&self) -> usize {
        self.vocabulary_size
    }

    /// Properties that users of the tokenizer need before the first text.
    #[must_use]
    pub fn summary(&self) -> TokenizerSummary {
        TokenizerSummary {
            special: self.special(),
            vocabulary_size: self.vocabulary_size,
            added_tokens: self.added_tokens(),
        }
    }
}

/// The bytes of a text from `start` to `end`, widened to whole characters.
fn whole_characters(text: &str, start: usize, end: usize) -> std::ops::Range<usize> {
    let start = text.floor_char_boundary(start);
    start..text.ceil_char_boundary(end).max(start)
}
