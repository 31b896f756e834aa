//! The files of a tokenizer beside a model on a server.

use super::{fetch::Fetch, network::Network, remote_error::RemoteError};

/// Largest file of a tokenizer, in bytes. The largest published one has 34 MB.
const MOST_BYTES: u64 = 64 << 20;

/// Sets of files that describe a tokenizer, in the order in which they are looked for. `tokenizer.json` is complete; the
/// others need the files of [`SETTINGS`] as well.
const VOCABULARIES: &[&[&str]] = &[
    &["tokenizer.json"],
    &["vocab.txt"],
    &["vocab.json", "merges.txt"],
    &["spiece.model"],
    &["spm.model"],
];

/// Files that name special tokens.
const SPECIAL_TOKENS: &[&str] = &["tokenizer_config.json", "special_tokens_map.json"];

/// Further files that a vocabulary needs.
const SETTINGS: &[&str] = &["added_tokens.json", "config.json"];

/// Files by name.
pub type NamedBytes = Vec<(String, Vec<u8>)>;

/// Requests the files of a tokenizer, of which `address` returns the addresses. Returns no files if the first file of
/// no set exists.
///
/// # Errors
/// If a file exists and cannot be read.
pub(super) async fn tokenizer_files<F: Fetch>(
    network: &Network<F>,
    address: impl Fn(&str) -> String,
) -> Result<NamedBytes, RemoteError> {
    let mut files = NamedBytes::new();
    let ask = async |name: &str, files: &mut NamedBytes| {
        let bytes = existing(network.bytes(&address(name), MOST_BYTES).await)?;
        let exists = bytes.is_some();
        files.extend(bytes.map(|bytes| (name.to_owned(), bytes)));
        Ok::<bool, RemoteError>(exists)
    };
    for vocabulary in VOCABULARIES {
        for name in *vocabulary {
            if !ask(name, &mut files).await? {
                break;
            }
        }
        if !files.is_empty() {
            let is_whole = files[0].0 == "tokenizer.json";
            let settings = if is_whole { &[] } else { SETTINGS };
            for name in SPECIAL_TOKENS.iter().chain(settings) {
                ask(name, &mut files).await?;
            }
            break;
        }
    }
    Ok(files)
}

/// Turns the error for a missing file into `None`. Some hosts forbid what does not exist.
fn existing<T>(result: Result<T, RemoteError>) -> Result<Option<T>, RemoteError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(RemoteError::Status {
            status: 403 | 404 | 410,
            code,
        }) if code.as_deref().is_none_or(|code| code == "EntryNotFound") => Ok(None),
        Err(error) => Err(error),
    }
}
