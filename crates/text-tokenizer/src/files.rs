//! The files of a tokenizer, by their standard names.

use crate::{
    TokenizerError,
    error::short,
    file_names::{CONFIGURATION, standard_name},
};
use serde_json::Value;

/// Size of a file above which it is no tokenizer, in bytes: the largest published one has 34 MB.
const MOST_BYTES: usize = 256 << 20;

/// A file, with the name under which messages speak of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TokenizerFile<'a> {
    pub(crate) name: &'a str,
    pub(crate) bytes: &'a [u8],
}

impl<'a> TokenizerFile<'a> {
    /// The file as text.
    pub(crate) fn text(self) -> Result<&'a str, TokenizerError> {
        let text = std::str::from_utf8(self.bytes);
        let text = text.map_err(|error| {
            let fault = format!("its byte {} is not UTF-8 text", error.valid_up_to());
            TokenizerError::malformed(self.name, fault)
        })?;
        Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
    }

    /// The file as JSON.
    pub(crate) fn json(self) -> Result<Value, TokenizerError> {
        let value = serde_json::from_str(self.text()?);
        value.map_err(|error| {
            TokenizerError::malformed(
                self.name,
                format!("it is not JSON ({})", short(&error.to_string())),
            )
        })
    }
}

/// The files of one tokenizer, each under its standard name.
#[derive(Debug)]
pub(crate) struct TokenizerFileSet<'a> {
    files: Vec<(&'static str, TokenizerFile<'a>)>,
}

impl<'a> TokenizerFileSet<'a> {
    /// Recognises files by their names. Of several with the same standard name, the first one counts, but one that has
    /// exactly this name comes before others.
    pub(crate) fn sort(files: &'a [(String, Vec<u8>)]) -> Result<Self, TokenizerError> {
        let mut recognised = Vec::new();
        for (path, bytes) in files {
            let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
            let standard =
                standard_name(path).or_else(|| (name == CONFIGURATION).then_some(CONFIGURATION));
            let Some(standard) = standard else {
                continue;
            };
            if bytes.len() > MOST_BYTES {
                return Err(TokenizerError::TooLarge {
                    file: short(name),
                    bytes: bytes.len(),
                });
            }
            recognised.push((standard, TokenizerFile { name, bytes }));
        }
        // A stable sort: otherwise, the order of the files decides.
        recognised.sort_by_key(|(standard, file)| *standard != file.name);
        Ok(Self { files: recognised })
    }

    /// The file of a standard name.
    pub(crate) fn get(&self, standard: &str) -> Option<TokenizerFile<'a>> {
        let mut files = self.files.iter();
        files
            .find(|(name, _)| *name == standard)
            .map(|(_, file)| *file)
    }

    /// A file of settings as JSON. Such files are optional, so one that is malformed counts as absent.
    pub(crate) fn optional_json(&self, standard: &str) -> Option<Value> {
        self.get(standard)?.json().ok()
    }
}
