//! `vocab.txt`, the vocabulary of BERT and its kin, in the form of `tokenizer.json`.

use crate::{
    TokenizerError,
    added_tokens::{Roles, added_tokens, role, word_role},
    error::short,
    files::TokenizerFile,
    kind::{StatedKind, TokenizerKind},
    settings::TokenizerSettings,
    template::{TemplateToken, roberta_template, template},
};
use serde_json::{Map, Value, json};

const BERT_TOKENS: Roles = &[
    role("unk_token", "[UNK]"),
    role("sep_token", "[SEP]"),
    role("pad_token", "[PAD]"),
    role("cls_token", "[CLS]"),
    role("mask_token", "[MASK]"),
];

const MPNET_TOKENS: Roles = &[
    role("bos_token", "<s>"),
    role("eos_token", "</s>"),
    role("unk_token", "[UNK]"),
    role("sep_token", "</s>"),
    role("pad_token", "<pad>"),
    role("cls_token", "<s>"),
    word_role("mask_token", "<mask>"),
];

/// Describes the tokenizer of a `vocab.txt`, which has a piece in each line.
pub(crate) fn describe(
    file: TokenizerFile<'_>,
    settings: &TokenizerSettings,
) -> Result<(Value, Roles), TokenizerError> {
    let mut vocabulary = Map::new();
    for (id, line) in file.text()?.lines().enumerate() {
        vocabulary.insert(line.trim_end().to_owned(), json!(id));
    }
    let id = |piece: &str| {
        let id = vocabulary.get(piece).and_then(Value::as_u64);
        id.and_then(|id| u32::try_from(id).ok())
    };
    let kind = match StatedKind::read(settings) {
        StatedKind::Known(kind @ (TokenizerKind::Bert | TokenizerKind::MpNet)) => kind,
        StatedKind::Known(_) | StatedKind::Unstated
            if id("[CLS]").is_none() && id("<s>").is_some() =>
        {
            TokenizerKind::MpNet
        }
        StatedKind::Known(_) | StatedKind::Unstated => TokenizerKind::Bert,
        StatedKind::Other(kind) => {
            return Err(TokenizerError::Unsupported {
                file: short(file.name),
                kind: short(&kind),
            });
        }
    };
    let roles = match kind {
        TokenizerKind::MpNet => MPNET_TOKENS,
        _ => BERT_TOKENS,
    };
    let content = |name: &str| {
        let usual = roles.iter().find(|role| role.name == name);
        let usual = usual.map(|role| role.usual);
        settings.special_token(name).or(usual)
    };
    let token = |name: &str| {
        let content = content(name)?;
        TemplateToken::new(content, id(content))
    };
    let (class, separator) = (token("cls_token"), token("sep_token"));
    let post_processor = match kind {
        TokenizerKind::MpNet => roberta_template(class, separator, settings),
        _ => template(class, separator),
    };
    let is_lower_case = settings
        .switch("do_lower_case")
        .unwrap_or_else(|| !has_capitals(&vocabulary));
    let json = json!({
        "added_tokens": added_tokens(settings, roles, []),
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": true,
            "handle_chinese_chars": settings.switch("tokenize_chinese_chars").unwrap_or(true),
            "strip_accents": settings.switch("strip_accents"),
            "lowercase": is_lower_case,
        },
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "post_processor": post_processor,
        "model": {
            "type": "WordPiece",
            "unk_token": content("unk_token"),
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": vocabulary,
        },
    });
    Ok((json, roles))
}

/// Whether a vocabulary has capital letters, other than in special tokens. If no settings say how letter case is
/// treated, this does: no text in lower case would meet such pieces.
fn has_capitals(vocabulary: &Map<String, Value>) -> bool {
    let is_special = |piece: &str| piece.starts_with(['[', '<']);
    let mut pieces = vocabulary.keys().filter(|piece| !is_special(piece));
    pieces.any(|piece| piece.contains(|letter: char| letter.is_ascii_uppercase()))
}
