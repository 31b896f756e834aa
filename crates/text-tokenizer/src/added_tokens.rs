//! Tokens that are found in a text before it is split: special tokens, and those that were added to a vocabulary.

use crate::settings::TokenizerSettings;
use serde_json::{Value, json};

/// A special token that a kind of tokenizer has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpecialTokenRole {
    /// Its name in settings, as `mask_token`.
    pub(crate) name: &'static str,
    /// Its usual content.
    pub(crate) usual: &'static str,
    /// Whether it usually takes the spaces before it, as a word would.
    pub(crate) takes_space: bool,
}

/// The special tokens of a kind of tokenizer, in the order in which they get ids if the vocabulary lacks them.
pub(crate) type Roles = &'static [SpecialTokenRole];

/// A special token that takes no spaces.
pub(crate) const fn role(name: &'static str, usual: &'static str) -> SpecialTokenRole {
    SpecialTokenRole {
        name,
        usual,
        takes_space: false,
    }
}

/// A special token that takes the spaces before it.
pub(crate) const fn word_role(name: &'static str, usual: &'static str) -> SpecialTokenRole {
    SpecialTokenRole {
        name,
        usual,
        takes_space: true,
    }
}

/// The tokens of a tokenizer in the form of `tokenizer.json`: those that settings add to the vocabulary, special tokens
/// in the order of their roles, and further ones. Tokens that the vocabulary lacks get the next ids in this order.
pub(crate) fn added_tokens(
    settings: &TokenizerSettings,
    roles: Roles,
    further: impl IntoIterator<Item = Value>,
) -> Value {
    let mut tokens: Vec<Value> = Vec::new();
    let stored = settings
        .further_tokens()
        .into_iter()
        .map(|(_, token)| token);
    let of_roles = roles
        .iter()
        .filter(|role| !settings.denies(role.name))
        .map(|role| settings.special_token_entry(role.name, role.usual, role.takes_space));
    for mut token in stored.chain(of_roles).chain(further) {
        let same = tokens
            .iter_mut()
            .find(|other| other["content"] == token["content"]);
        if let Some(same) = same {
            // A token with a role is special, even if the settings add it as a word.
            if token["special"] == true {
                same["special"] = Value::Bool(true);
            }
            continue;
        }
        // The library finds the id by the content.
        token["id"] = json!(0);
        tokens.push(token);
    }
    Value::Array(tokens)
}

/// A token without properties, in the form of `tokenizer.json`.
pub(crate) fn plain_token(content: &str, is_special: bool) -> Value {
    json!({
        "content": content,
        "single_word": false,
        "lstrip": false,
        "rstrip": false,
        "normalized": false,
        "special": is_special,
    })
}
