//! `vocab.json` with `merges.txt`, the vocabulary of GPT-2 and its kin, in the form of `tokenizer.json`.

use crate::{
    TokenizerError,
    added_tokens::{Roles, added_tokens, role},
    error::short,
    files::TokenizerFile,
    kind::{StatedKind, TokenizerKind},
    settings::TokenizerSettings,
    template::{TemplateToken, roberta_template, template},
};
use serde_json::{Map, Value, json};

const GPT_TOKENS: Roles = &[role("unk_token", "<unk>")];

const GPT2_TOKENS: Roles = &[
    role("bos_token", "<|endoftext|>"),
    role("eos_token", "<|endoftext|>"),
    role("unk_token", "<|endoftext|>"),
];

const OPT_TOKENS: Roles = &[
    role("bos_token", "</s>"),
    role("eos_token", "</s>"),
    role("unk_token", "</s>"),
    role("pad_token", "<pad>"),
];

const QWEN2_TOKENS: Roles = &[
    role("eos_token", "<|endoftext|>"),
    role("unk_token", "<|endoftext|>"),
    role("pad_token", "<|endoftext|>"),
];

const ROBERTA_TOKENS: Roles = &[
    role("bos_token", "<s>"),
    role("eos_token", "</s>"),
    role("unk_token", "<unk>"),
    role("sep_token", "</s>"),
    role("pad_token", "<pad>"),
    role("cls_token", "<s>"),
    role("mask_token", "<mask>"),
];

const DEBERTA_TOKENS: Roles = &[
    role("bos_token", "[CLS]"),
    role("eos_token", "[SEP]"),
    role("unk_token", "[UNK]"),
    role("sep_token", "[SEP]"),
    role("pad_token", "[PAD]"),
    role("cls_token", "[CLS]"),
    role("mask_token", "[MASK]"),
];

/// Qwen's pattern of words: contractions, letters, single digits, signs, line breaks, spaces.
const QWEN2_WORDS: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// Describes the tokenizer of a `vocab.json`, which has ids by piece, and a `merges.txt`, which has a pair of pieces in
/// each line, the first to be merged first.
pub(crate) fn describe(
    vocabulary: TokenizerFile<'_>,
    merges: TokenizerFile<'_>,
    settings: &TokenizerSettings,
) -> Result<(Value, Roles), TokenizerError> {
    let Value::Object(pieces) = vocabulary.json()? else {
        return Err(TokenizerError::malformed(
            vocabulary.name,
            "it is no list of pieces",
        ));
    };
    let kind = match StatedKind::read(settings) {
        StatedKind::Known(kind) => kind,
        StatedKind::Unstated => kind_of_pieces(&pieces),
        StatedKind::Other(kind) => {
            return Err(TokenizerError::Unsupported {
                file: short(vocabulary.name),
                kind: short(&kind),
            });
        }
    };
    let roles = match kind {
        TokenizerKind::Gpt => GPT_TOKENS,
        TokenizerKind::Opt => OPT_TOKENS,
        TokenizerKind::Qwen2 => QWEN2_TOKENS,
        TokenizerKind::Roberta => ROBERTA_TOKENS,
        TokenizerKind::Deberta => DEBERTA_TOKENS,
        _ => GPT2_TOKENS,
    };
    let token = |name: &str| {
        let role = roles.iter().find(|role| role.name == name)?;
        let piece = settings.special_token(name).unwrap_or(role.usual);
        let id = pieces.get(piece).and_then(Value::as_u64);
        TemplateToken::new(piece, id.and_then(|id| u32::try_from(id).ok()))
    };
    let post_processor = match kind {
        TokenizerKind::Roberta => {
            roberta_template(token("cls_token"), token("sep_token"), settings)
        }
        TokenizerKind::Deberta => template(token("cls_token"), token("sep_token")),
        _ => {
            let has_begin = settings.switch("add_bos_token");
            let has_begin = has_begin.unwrap_or(kind == TokenizerKind::Opt);
            template(token("bos_token").filter(|_| has_begin), None)
        }
    };
    let is_gpt = kind == TokenizerKind::Gpt;
    let byte_level = |has_words: bool| {
        json!({
            "type": "ByteLevel",
            "add_prefix_space": settings.switch("add_prefix_space").unwrap_or(false),
            "trim_offsets": true,
            "use_regex": has_words,
        })
    };
    let (normalizer, pre_tokenizer) = match kind {
        TokenizerKind::Gpt => (
            json!({
                "type": "BertNormalizer",
                "clean_text": true,
                "handle_chinese_chars": true,
                "strip_accents": null,
                "lowercase": true,
            }),
            json!({ "type": "BertPreTokenizer" }),
        ),
        TokenizerKind::Qwen2 => {
            let words = json!({
                "type": "Split",
                "pattern": { "Regex": QWEN2_WORDS },
                "behavior": "Isolated",
                "invert": false,
            });
            (
                json!({ "type": "NFC" }),
                json!({ "type": "Sequence", "pretokenizers": [words, byte_level(false)] }),
            )
        }
        _ => (Value::Null, byte_level(true)),
    };
    let json = json!({
        "added_tokens": added_tokens(settings, roles, []),
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": post_processor,
        "model": {
            "type": "BPE",
            "unk_token": is_gpt.then(|| settings.special_token("unk_token").unwrap_or("<unk>")),
            "continuing_subword_prefix": "",
            "end_of_word_suffix": if is_gpt { "</w>" } else { "" },
            "merges": pairs(merges)?,
            "vocab": pieces,
        },
    });
    Ok((json, roles))
}

/// The kind of tokenizer whose usual pieces a vocabulary has.
fn kind_of_pieces(pieces: &Map<String, Value>) -> TokenizerKind {
    if pieces.keys().any(|piece| piece.ends_with("</w>")) {
        TokenizerKind::Gpt
    } else if pieces.contains_key("<mask>") {
        TokenizerKind::Roberta
    } else if pieces.contains_key("[CLS]") {
        TokenizerKind::Deberta
    } else {
        TokenizerKind::Gpt2
    }
}

/// The pairs of a `merges.txt`.
fn pairs(file: TokenizerFile<'_>) -> Result<Value, TokenizerError> {
    let lines = file.text()?.lines().zip(1..);
    let is_pair = |(line, _): &(&str, usize)| !line.is_empty() && !line.starts_with("#version");
    let pair = |(line, number): (&str, usize)| {
        let pair = line
            .split_once(' ')
            .filter(|(_, right)| !right.contains(' '));
        let pair = pair.map(|(left, right)| json!([left, right]));
        pair.ok_or_else(|| {
            TokenizerError::malformed(file.name, format!("its line {number} is no pair of pieces"))
        })
    };
    lines.filter(is_pair).map(pair).collect()
}
