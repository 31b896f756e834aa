//! SentencePiece files of ALBERT, T5 and DeBERTa, in the form of `tokenizer.json`.
//!
//! Such a file is not the whole tokenizer: ALBERT lowers the case of letters before it, T5 adds `</s>` and a hundred
//! sentinels, DeBERTa adds `[MASK]`. Other kinds number their pieces anew.

use crate::{
    TokenizerError,
    added_tokens::{Roles, added_tokens, plain_token, role},
    error::short,
    files::TokenizerFile,
    kind::{StatedKind, TokenizerKind},
    protobuf::{PieceKind, SentencePieceFile, UNIGRAM},
    settings::TokenizerSettings,
    template::{TemplateToken, template},
};
use prost::Message;
use serde_json::{Value, json};

const ALBERT_TOKENS: Roles = &[
    role("bos_token", "[CLS]"),
    role("eos_token", "[SEP]"),
    role("unk_token", "<unk>"),
    role("sep_token", "[SEP]"),
    role("pad_token", "<pad>"),
    role("cls_token", "[CLS]"),
    role("mask_token", "[MASK]"),
];

const T5_TOKENS: Roles = &[
    role("eos_token", "</s>"),
    role("unk_token", "<unk>"),
    role("pad_token", "<pad>"),
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

/// Number of sentinels of T5, where its settings say nothing else.
const T5_SENTINELS: u64 = 100;
/// Greatest number of sentinels that settings may ask for.
const MOST_SENTINELS: u64 = 10_000;

/// Describes the tokenizer of a SentencePiece file.
pub(crate) fn describe(
    file: TokenizerFile<'_>,
    settings: &TokenizerSettings,
) -> Result<(Value, Roles), TokenizerError> {
    let model = SentencePieceFile::decode(file.bytes);
    let model = model.map_err(|error| {
        let fault = format!(
            "it is no SentencePiece file ({})",
            short(&error.to_string())
        );
        TokenizerError::malformed(file.name, fault)
    })?;
    if model.pieces.is_empty() {
        return Err(TokenizerError::malformed(file.name, "it has no pieces"));
    }
    let Some(trainer) = &model.trainer else {
        // Settings come after the pieces.
        return Err(TokenizerError::malformed(file.name, "its end is missing"));
    };
    if model.pieces.iter().any(|piece| !piece.score().is_finite()) {
        return Err(TokenizerError::malformed(
            file.name,
            "it has a piece whose score is no number",
        ));
    }
    let id = |content: &str| {
        let at = model
            .pieces
            .iter()
            .position(|piece| piece.piece() == content);
        at.and_then(|at| u32::try_from(at).ok())
    };
    let unsupported = |kind: &str| TokenizerError::Unsupported {
        file: short(file.name),
        kind: short(kind),
    };
    if trainer.model_type() != UNIGRAM {
        return Err(unsupported("a model of byte pairs"));
    }
    let kind = match StatedKind::read(settings) {
        StatedKind::Known(kind) => kind,
        StatedKind::Other(kind) => return Err(unsupported(&kind)),
        StatedKind::Unstated if file.name.ends_with("spm.model") => TokenizerKind::DebertaV2,
        StatedKind::Unstated if id("[CLS]").is_some() => TokenizerKind::Albert,
        StatedKind::Unstated => TokenizerKind::T5,
    };
    let (roles, normalizer, pre_tokenizer) = match kind {
        TokenizerKind::Albert => (
            ALBERT_TOKENS,
            albert_normalizer(&model, settings),
            words(settings),
        ),
        TokenizerKind::T5 => (
            T5_TOKENS,
            character_map(&model).unwrap_or_default(),
            words(settings),
        ),
        TokenizerKind::DebertaV2 => (
            DEBERTA_TOKENS,
            deberta_normalizer(settings),
            deberta_words(settings),
        ),
        other => return Err(unsupported(&format!("{other:?}"))),
    };
    let sentinels = match kind {
        TokenizerKind::T5 => settings
            .number("extra_ids")
            .unwrap_or(T5_SENTINELS)
            .min(MOST_SENTINELS),
        _ => 0,
    };
    let sentinel = |number: u64| format!("<extra_id_{number}>");
    let pieces = model
        .pieces
        .iter()
        .map(|piece| json!([piece.piece(), piece.score()]));
    // The last sentinel comes first.
    let pieces = pieces.chain(
        (0..sentinels)
            .rev()
            .map(|number| json!([sentinel(number), 0.0])),
    );
    let control = model.pieces.iter().filter_map(|piece| {
        let kind = piece.kind();
        let is_added = matches!(kind, PieceKind::Control | PieceKind::UserDefined);
        is_added.then(|| plain_token(piece.piece(), kind == PieceKind::Control))
    });
    let further = control.chain((0..sentinels).map(|number| plain_token(&sentinel(number), true)));
    let token = |name: &str| {
        let role = roles.iter().find(|role| role.name == name)?;
        let content = settings.special_token(name).unwrap_or(role.usual);
        TemplateToken::new(content, id(content))
    };
    let post_processor = match kind {
        TokenizerKind::T5 => template(None, token("eos_token")),
        _ => template(token("cls_token"), token("sep_token")),
    };
    let json = json!({
        "added_tokens": added_tokens(settings, roles, further),
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": post_processor,
        "model": {
            "type": "Unigram",
            "unk_id": unknown(&model),
            "byte_fallback": false,
            "vocab": pieces.collect::<Value>(),
        },
    });
    Ok((json, roles))
}

/// Id of the piece for unknown text.
fn unknown(model: &SentencePieceFile) -> Option<usize> {
    let mut pieces = model.pieces.iter();
    pieces.position(|piece| piece.kind() == PieceKind::Unknown)
}

/// The file's own map of characters, if it has one.
fn character_map(model: &SentencePieceFile) -> Option<Value> {
    let map = model.normalizer.as_ref()?.character_map();
    let map = Some(map).filter(|map| !map.is_empty())?;
    Some(json!({ "type": "Precompiled", "precompiled_charsmap": base64::encode(map) }))
}

fn albert_normalizer(model: &SentencePieceFile, settings: &TokenizerSettings) -> Value {
    let quotes = |pattern: &str| json!({ "type": "Replace", "pattern": { "String": pattern }, "content": "\"" });
    let mut steps = vec![quotes("``"), quotes("''")];
    if !settings.switch("keep_accents").unwrap_or(false) {
        steps.extend([json!({ "type": "NFKD" }), json!({ "type": "StripAccents" })]);
    }
    if settings.switch("do_lower_case").unwrap_or(true) {
        steps.push(json!({ "type": "Lowercase" }));
    }
    steps.extend(character_map(model));
    json!({ "type": "Sequence", "normalizers": steps })
}

fn deberta_normalizer(settings: &TokenizerSettings) -> Value {
    let lower_case = settings.switch("do_lower_case").unwrap_or(false);
    let spaces = json!({
        "type": "Replace",
        "pattern": { "Regex": r"\s{2,}|[\n\r\t]" },
        "content": " ",
    });
    let steps = lower_case
        .then(|| json!({ "type": "Lowercase" }))
        .into_iter()
        .chain([
            spaces,
            json!({ "type": "NFC" }),
            json!({ "type": "Strip", "strip_left": false, "strip_right": true }),
        ]);
    json!({ "type": "Sequence", "normalizers": steps.collect::<Vec<_>>() })
}

/// Words with a sign for the space before them.
fn marked_words(settings: &TokenizerSettings, otherwise: &str) -> Value {
    let is_always = settings.switch("add_prefix_space").unwrap_or(true);
    json!({
        "type": "Metaspace",
        "replacement": "▁",
        "prepend_scheme": if is_always { "always" } else { otherwise },
        "split": true,
    })
}

fn words(settings: &TokenizerSettings) -> Value {
    let steps = [
        json!({ "type": "WhitespaceSplit" }),
        marked_words(settings, "never"),
    ];
    json!({ "type": "Sequence", "pretokenizers": steps })
}

fn deberta_words(settings: &TokenizerSettings) -> Value {
    let punctuation = settings.switch("split_by_punct").unwrap_or(false);
    let punctuation = punctuation.then(|| json!({ "type": "Punctuation", "behavior": "Isolated" }));
    let steps: Vec<Value> = punctuation
        .into_iter()
        .chain([marked_words(settings, "first")])
        .collect();
    json!({ "type": "Sequence", "pretokenizers": steps })
}
