//! Tokens around a text, in the form of `tokenizer.json`.

use crate::settings::TokenizerSettings;
use serde_json::{Map, Value, json};

/// A token of the vocabulary that is put before or after a text.
#[derive(Clone, Debug)]
pub(crate) struct TemplateToken {
    content: String,
    id: u32,
}

impl TemplateToken {
    /// A token, if the vocabulary has an id for it.
    pub(crate) fn new(content: &str, id: Option<u32>) -> Option<Self> {
        Some(Self {
            content: content.to_owned(),
            id: id?,
        })
    }
}

/// Puts tokens around a text.
pub(crate) fn template(before: Option<TemplateToken>, after: Option<TemplateToken>) -> Value {
    let piece =
        |token: &TemplateToken| json!({ "SpecialToken": { "id": token.content, "type_id": 0 } });
    let text = json!({ "Sequence": { "id": "A", "type_id": 0 } });
    let pieces = before
        .iter()
        .map(piece)
        .chain([text])
        .chain(after.iter().map(piece));
    let single: Vec<Value> = pieces.collect();
    let tokens = [&before, &after]
        .into_iter()
        .flatten()
        .map(|TemplateToken { content, id }| {
            let token = json!({ "id": content, "ids": [id], "tokens": [content] });
            (content.clone(), token)
        });
    json!({
        "type": "TemplateProcessing",
        "single": single,
        "pair": [],
        "special_tokens": tokens.collect::<Map<_, _>>(),
    })
}

/// Puts the tokens of RoBERTa around a text, whose words cover their letters without the space before them.
pub(crate) fn roberta_template(
    class: Option<TemplateToken>,
    separator: Option<TemplateToken>,
    settings: &TokenizerSettings,
) -> Value {
    let (Some(class), Some(separator)) = (class, separator) else {
        return Value::Null;
    };
    json!({
        "type": "RobertaProcessing",
        "sep": [separator.content, separator.id],
        "cls": [class.content, class.id],
        "trim_offsets": settings.switch("trim_offsets").unwrap_or(true),
        "add_prefix_space": settings.switch("add_prefix_space").unwrap_or(false),
    })
}
