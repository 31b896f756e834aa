//! A text as tokens, pieces of ids, special tokens.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A text as tokens, with the special tokens that the tokenizer adds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextEncoding {
    /// The tokens, in order.
    pub tokens: Vec<Token>,
    /// Byte offset in the text at which it was cut, if it has more tokens than the limit allowed.
    pub cut_at: Option<usize>,
}

/// A token of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// Row of the token in the model's word embeddings.
    pub id: u32,
    /// Piece of text as the vocabulary spells it: `##ing`, `▁the`, `Ġthe`.
    pub piece: String,
    /// Bytes of the text that the token covers, on borders of characters. Empty for a token that the tokenizer adds.
    /// Several tokens may cover one character.
    pub bytes: Range<usize>,
    /// Whether it is a special token, be it added by the tokenizer or typed, as `[MASK]`.
    pub is_special: bool,
}

/// A piece of the vocabulary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// Row of the piece in the model's word embeddings.
    pub id: u32,
    /// Piece as the vocabulary spells it; `None` if the vocabulary has no such id.
    pub piece: Option<String>,
    /// Text that the piece stands for, with its spaces. Incomplete characters are `�`.
    pub text: String,
    /// Whether it is a special token.
    pub is_special: bool,
}

/// Ids of the special tokens that a tokenizer has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecialTokens {
    /// Token in place of a word that the model predicts: `[MASK]`, `<mask>`.
    pub mask: Option<u32>,
    /// Token for the whole text, at its beginning: `[CLS]`, `<s>`.
    pub class: Option<u32>,
    /// Token between or after texts: `[SEP]`, `</s>`.
    pub separator: Option<u32>,
    /// Token in place of text without a piece: `[UNK]`, `<unk>`.
    pub unknown: Option<u32>,
    /// Token at the beginning of a text: `<s>`, `<|endoftext|>`.
    pub begin: Option<u32>,
    /// Token at the end of a text: `</s>`, `<|endoftext|>`.
    pub end: Option<u32>,
    /// Token that fills texts up to one length: `[PAD]`, `<pad>`.
    pub padding: Option<u32>,
}
