//! Files that belong to a checkpoint in the same folder or below: its configuration, and its tokenizer.

use super::seen_file::{FileContent, SeenFile};

/// The configuration in a folder, or in the nearest parent folder that has one, with its index among the input. Prefers
/// `config.json`, then one that names a model type.
pub(super) fn config_for<'a, S>(
    candidates: &'a [SeenFile<S>],
    folder: &str,
) -> Option<(usize, &'a str)> {
    in_nearest_folder(folder, |folder| {
        let configs = candidates.iter().filter_map(|file| match &file.content {
            FileContent::Config(text) if file.folder() == folder => Some((file, text)),
            _ => None,
        });
        let (file, text) = configs.max_by_key(|(file, text)| {
            let names_kind = text.contains("\"model_type\"");
            (file.file() == "config.json", names_kind)
        })?;
        Some((file.input, text.as_str()))
    })
}

/// The files of a tokenizer in a folder, or in the nearest parent folder that has some, as indices among the input.
pub(super) fn tokenizer_for<S>(candidates: &[SeenFile<S>], folder: &str) -> Vec<usize> {
    let files = in_nearest_folder(folder, |folder| {
        let files = candidates
            .iter()
            .filter(|file| file.content == FileContent::Tokenizer && file.folder() == folder);
        let files: Vec<usize> = files.map(|file| file.input).collect();
        (!files.is_empty()).then_some(files)
    });
    files.unwrap_or_default()
}

/// The first value that a folder has, among this one and those above it.
fn in_nearest_folder<T>(mut folder: &str, find: impl Fn(&str) -> Option<T>) -> Option<T> {
    loop {
        let found = find(folder);
        if found.is_some() || folder.is_empty() {
            return found;
        }
        folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
    }
}
