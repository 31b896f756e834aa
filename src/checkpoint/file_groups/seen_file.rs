//! A file among others, classified by its first bytes.

use super::module_folders::layer_folders;
use crate::checkpoint::{
    adapter::Adapter, byte_source::ByteSource, file_kind::FileKind, limits::FIRST_READ,
    named_kinds::describe_named, source_error::SourceError,
};
use text_tokenizer::is_tokenizer_file;

/// Maximum size of a JSON file that is parsed, in bytes.
const LONGEST_TEXT: u64 = 64 << 20;

/// Keys that mark JSON as the configuration of a model. Configurations from before 2020, and those of Meta and Mistral,
/// name no model type, but state the number of heads or the width.
const CONFIG_KEYS: &[&str] = &[
    "\"model_type\"",
    "\"architectures\"",
    "\"num_attention_heads\"",
    "\"encoder_attention_heads\"",
    "\"num_heads\"",
    "\"n_heads\"",
    "\"n_head\"",
    "\"num_hidden_layers\"",
    "\"n_layers\"",
    "\"n_layer\"",
    "\"hidden_size\"",
    "\"d_model\"",
    "\"n_embd\"",
    "\"dim\"",
    "\"rope_theta\"",
];

/// A file and its content, classified by its first bytes.
pub(super) struct SeenFile<S> {
    /// Its position among the files that were passed in.
    pub(super) input: usize,
    pub(super) path: String,
    pub(super) source: Option<S>,
    pub(super) content: FileContent,
}

impl<S> SeenFile<S> {
    pub(super) fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    pub(super) fn file(&self) -> &str {
        self.path
            .rsplit_once('/')
            .map_or(&self.path, |(_, file)| file)
    }

    pub(super) fn is_weights(&self) -> bool {
        matches!(self.content, FileContent::Weights(_))
    }
}

#[derive(PartialEq)]
pub(super) enum FileContent {
    Weights(FileKind),
    Config(String),
    Index(String),
    /// The configuration of an adapter.
    Adapter(Adapter),
    /// The `modules.json` of sentence-transformers: folders of layers behind the model.
    Layers(Vec<String>),
    /// A file of a tokenizer, by its name.
    Tokenizer,
    Other(FileKind),
}

/// Classifies a file by its content, and a tokenizer's by its name.
pub(super) async fn look<S: ByteSource>(path: &str, source: &S) -> Result<FileContent, String> {
    if is_tokenizer_file(path) {
        return Ok(FileContent::Tokenizer);
    }
    let sentence = |error: SourceError| error.to_string();
    let read = async |end| source.read(0..end).await.map_err(sentence);
    source.ready().await.map_err(sentence)?;
    let first = read(source.size().min(FIRST_READ)).await?;
    let kind = describe_named(path, &first);
    if kind != FileKind::Json || source.size() > LONGEST_TEXT {
        return Ok(if kind.may_hold_tensors() {
            FileContent::Weights(kind)
        } else {
            FileContent::Other(kind)
        });
    }
    // The keys appear within the first lines.
    let has = |key: &[u8]| first.windows(key.len()).any(|window| window == key);
    let is_index = has(b"\"weight_map\"");
    let is_adapter = has(b"\"peft_type\"");
    let is_list = path == "modules.json" || path.ends_with("/modules.json");
    let is_config =
        CONFIG_KEYS.iter().any(|key| has(key.as_bytes())) && !has(b"\"tokenizer_class\"");
    if !is_index && !is_adapter && !is_list && !is_config {
        return Ok(FileContent::Other(kind));
    }
    let text = String::from_utf8_lossy(&read(source.size()).await?).into_owned();
    Ok(if is_index {
        FileContent::Index(text)
    } else if is_adapter {
        FileContent::Adapter(Adapter::from_config(&text))
    } else if is_list {
        FileContent::Layers(layer_folders(&text))
    } else {
        FileContent::Config(text)
    })
}
