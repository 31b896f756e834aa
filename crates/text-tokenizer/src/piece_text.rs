//! The text that a piece of a vocabulary stands for.

use std::{collections::HashMap, sync::LazyLock};

/// How a tokenizer spells text in its pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// A letter for each byte (GPT-2).
    Bytes,
    /// `##` before a piece that continues a word (BERT).
    Continuation,
    /// `</w>` after a piece that ends a word (GPT).
    WordEnd,
    /// `▁` for a space, and `<0x0A>` for a byte without a piece (SentencePiece).
    SpaceSign,
}

/// The letters that stand for bytes in pieces of GPT-2, with their bytes: a printable letter of Latin-1 for itself, and
/// the letters from U+0100 on for the other bytes, in order.
static BYTE_OF_LETTER: LazyLock<HashMap<char, u8>> = LazyLock::new(|| {
    let is_printable = |byte: &u8| matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    let others = (0..=u8::MAX).filter(|byte| !is_printable(byte));
    let others = others
        .zip(0x100_u32..)
        .filter_map(|(byte, code)| Some((char::from_u32(code)?, byte)));
    let printable = (0..=u8::MAX).filter(is_printable);
    printable
        .map(|byte| (char::from(byte), byte))
        .chain(others)
        .collect()
});

impl Spelling {
    /// The spelling of a description in the form of `tokenizer.json`.
    pub(crate) fn read(json: &serde_json::Value) -> Self {
        let parts = ["normalizer", "pre_tokenizer", "decoder"].map(|part| json[part].to_string());
        let has = |kind: &str| {
            parts
                .iter()
                .any(|part| part.contains(&format!("\"{kind}\"")))
        };
        if has("ByteLevel") {
            Self::Bytes
        } else if json["model"]["end_of_word_suffix"] == "</w>" {
            Self::WordEnd
        } else if json["model"]["type"] == "WordPiece"
            || json["model"]["continuing_subword_prefix"] == "##"
        {
            Self::Continuation
        } else {
            Self::SpaceSign
        }
    }

    /// The text of a piece, with its spaces. Bytes that are no whole character are `�`.
    pub(crate) fn text(&self, piece: &str) -> String {
        match self {
            Self::Bytes => {
                let bytes: Option<Vec<u8>> = piece
                    .chars()
                    .map(|letter| BYTE_OF_LETTER.get(&letter).copied())
                    .collect();
                bytes.map_or_else(
                    || piece.to_owned(),
                    |bytes| String::from_utf8_lossy(&bytes).into_owned(),
                )
            }
            Self::Continuation => piece.strip_prefix("##").unwrap_or(piece).to_owned(),
            Self::WordEnd => piece.replace("</w>", " "),
            Self::SpaceSign => match byte_piece(piece) {
                Some(byte) => String::from_utf8_lossy(&[byte]).into_owned(),
                None => piece.replace('▁', " "),
            },
        }
    }
}

/// The byte of a piece such as `<0x0A>`.
fn byte_piece(piece: &str) -> Option<u8> {
    let digits = piece.strip_prefix("<0x")?.strip_suffix('>')?;
    u8::from_str_radix(digits, 16)
        .ok()
        .filter(|_| digits.len() == 2)
}
