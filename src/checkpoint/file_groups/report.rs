//! Messages about files that belong to no model.

use super::{
    FileGroups,
    seen_file::{FileContent, SeenFile},
};
use crate::checkpoint::{byte_source::ByteSource, error::Name, file_kind::FileKind};
use std::collections::BTreeMap;

impl<S: ByteSource> FileGroups<S> {
    /// Reports files that cannot be used, unless they merely accompany a checkpoint. Each kind of file is reported once,
    /// and kinds that lie beside many models only if there is nothing else to say.
    ///
    /// Configurations for which `opens_alone` holds are bundled without weights if no file could hold some.
    pub(super) fn report(
        &mut self,
        candidates: &[SeenFile<S>],
        opens_alone: &impl Fn(&str) -> bool,
    ) {
        let is_pointer =
            |file: &&SeenFile<S>| file.content == FileContent::Other(FileKind::GitLfsPointer);
        for file in candidates.iter().filter(is_pointer) {
            self.say(&file.path, FileKind::GitLfsPointer.advice());
        }
        if !self.bundles.is_empty() || !self.loose.is_empty() {
            return;
        }
        let kinds = kinds(candidates);
        let (beside, main): (Vec<_>, Vec<_>) =
            kinds.iter().partition(|(kind, _)| kind.is_beside_models());
        if main.is_empty() {
            self.take_configs(candidates, opens_alone);
            if !self.bundles.is_empty() {
                return;
            }
        }
        for (kind, files) in main {
            self.report_kind(*kind, files);
        }
        if !self.messages.is_empty() {
            return;
        }
        let needs_weights = |file: &&SeenFile<S>| {
            matches!(
                file.content,
                FileContent::Config(_) | FileContent::Adapter(_)
            )
        };
        if let Some(file) = candidates.iter().find(needs_weights) {
            let weights = match file.content {
                FileContent::Adapter(_) => "adapter_model.safetensors",
                _ => "model.safetensors",
            };
            self.messages.push(format!(
                "The file {} describes a model, but its weights are not here. Add them: usually {weights}.",
                Name(&file.path)
            ));
        }
        for (kind, files) in beside {
            let is_reported = *kind == FileKind::Json && !self.messages.is_empty();
            if !is_reported {
                self.report_kind(*kind, files);
            }
        }
    }

    /// Reports files of one kind by the first one.
    fn report_kind(&mut self, kind: FileKind, paths: &[&str]) {
        match paths {
            [] => {}
            [path] => self.say(path, kind.advice()),
            [path, others @ ..] => {
                let advice = kind.advice();
                let others = others.len();
                self.add(format!(
                    "The file {} and {others} more of its kind were not opened. {advice}",
                    Name(path)
                ));
            }
        }
    }
}

/// Paths of the files that are of no use, by kind, in the order in which the kinds come.
fn kinds<S>(candidates: &[SeenFile<S>]) -> Vec<(FileKind, Vec<&str>)> {
    let mut order = BTreeMap::new();
    let mut kinds: Vec<(FileKind, Vec<&str>)> = Vec::new();
    for file in candidates {
        let FileContent::Other(kind) = file.content else {
            continue;
        };
        if kind == FileKind::GitLfsPointer {
            continue;
        }
        let at = *order.entry(kind.advice()).or_insert(kinds.len());
        match kinds.get_mut(at) {
            Some((_, paths)) => paths.push(&file.path),
            None => kinds.push((kind, vec![&file.path])),
        }
    }
    kinds
}
