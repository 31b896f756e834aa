//! Names of the files that describe a tokenizer.

/// Names of the files that describe a tokenizer, the most complete ones first. A file whose name ends in one of them
/// after a hyphen, a dot or an underscore is meant as well, as in `bert-base-uncased-vocab.txt`.
pub const TOKENIZER_FILES: &[&str] = &[
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "spiece.model",
    "spm.model",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
];

/// Name of a model's configuration, which names the kind of model.
#[cfg(feature = "library")]
pub(crate) const CONFIGURATION: &str = "config.json";

/// The standard name that a file's name, or the end of its path, means; `None` if it is no file of a tokenizer.
pub(crate) fn standard_name(path: &str) -> Option<&'static str> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let names = TOKENIZER_FILES.iter().copied();
    let is_meant = |standard: &&str| {
        let before = name.strip_suffix(*standard);
        before.is_some_and(|before| before.is_empty() || before.ends_with(['-', '.', '_']))
    };
    // The longest one, since `tokenizer_config.json` ends in no other name, but a later one might.
    names.filter(is_meant).max_by_key(|standard| standard.len())
}

/// Whether a file belongs to a tokenizer, by its name or the end of its path.
#[must_use]
pub fn is_tokenizer_file(path: &str) -> bool {
    standard_name(path).is_some()
}
