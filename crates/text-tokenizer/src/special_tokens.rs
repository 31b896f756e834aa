//! Special tokens by their roles.

use crate::{SpecialTokens, added_tokens::Roles, settings::TokenizerSettings};
use tokenizers::Tokenizer;

/// Usual contents of each role, for files that do not name them.
const MASK: &[&str] = &["[MASK]", "<mask>"];
const CLASS: &[&str] = &["[CLS]"];
const SEPARATOR: &[&str] = &["[SEP]"];
const UNKNOWN: &[&str] = &["[UNK]", "<unk>"];
const BEGIN: &[&str] = &["<s>", "<bos>", "<|begin_of_text|>", "<|endoftext|>"];
const END: &[&str] = &["</s>", "<eos>", "<|end_of_text|>", "<|endoftext|>"];
const PADDING: &[&str] = &["[PAD]", "<pad>", "<|padding|>"];

/// Finds the special tokens of a tokenizer: those that its settings name, else those that its kind has, else those with
/// the usual contents.
pub(crate) fn find(
    tokenizer: &Tokenizer,
    settings: &TokenizerSettings,
    roles: Roles,
) -> SpecialTokens {
    // If the settings or the kind name tokens, tokens with the usual contents have no role by themselves.
    let is_stated = !roles.is_empty() || settings.name_special_tokens();
    let find = |name: &str, usual: &[&str]| {
        if settings.denies(name) {
            return None;
        }
        let named = settings.special_token(name);
        let of_kind = roles.iter().filter(|role| role.name == name);
        let of_kind = of_kind.map(|role| role.usual);
        let usual = if is_stated { &[] } else { usual };
        let mut contents = named
            .into_iter()
            .chain(of_kind)
            .chain(usual.iter().copied());
        contents.find_map(|content| tokenizer.token_to_id(content))
    };
    SpecialTokens {
        mask: find("mask_token", MASK),
        class: find("cls_token", CLASS),
        separator: find("sep_token", SEPARATOR),
        unknown: find("unk_token", UNKNOWN),
        begin: find("bos_token", BEGIN),
        end: find("eos_token", END),
        padding: find("pad_token", PADDING),
    }
}
