//! Recognises kinds of file by their names, where the first bytes tell nothing or too little.

use super::{error::CheckpointError, file_kind::FileKind, sniff::describe};

/// Recognises a file by its first bytes and, if they are not enough, by its name, which may begin with folders.
pub fn describe_named(path: &str, first: &[u8]) -> FileKind {
    refine(describe(first), path)
}

/// Corrects the error of opening a file by its name, where the error is about its format.
pub(super) fn with_name(error: CheckpointError, path: &str) -> CheckpointError {
    match error {
        CheckpointError::WrongKind(kind) => CheckpointError::WrongKind(refine(kind, path)),
        CheckpointError::Malformed { .. } | CheckpointError::CutOff { .. } => {
            by_name(path).map_or(error, CheckpointError::WrongKind)
        }
        error => error,
    }
}

/// The kind of a file whose bytes are of the given kind.
fn refine(kind: FileKind, path: &str) -> FileKind {
    match kind {
        // Bytes of some formats look like those of others, or like nothing.
        FileKind::PyTorch | FileKind::Pickle | FileKind::Zip | FileKind::Unknown => {
            by_name(path).unwrap_or(kind)
        }
        FileKind::Text => text_by_name(path).unwrap_or(kind),
        kind => kind,
    }
}

fn text_by_name(path: &str) -> Option<FileKind> {
    let name = path.rsplit('/').next()?;
    if name.to_ascii_lowercase().ends_with(".py") {
        Some(FileKind::Python)
    } else if name == "checkpoint" {
        // TensorFlow's list of checkpoints.
        Some(FileKind::TensorFlow)
    } else {
        None
    }
}

fn by_name(path: &str) -> Option<FileKind> {
    let path = path.to_ascii_lowercase();
    let name = path.rsplit('/').next()?;
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    let kind = if ends(&[".distcp"]) {
        FileKind::DistributedCheckpoint
    } else if ends(&["_optim_states.pt"]) {
        FileKind::ZeroShard
    } else if ends(&[".keras"]) {
        FileKind::Keras
    } else if name.starts_with("events.out.tfevents") {
        FileKind::EventLog
    } else if is_tensorflow_shard(name)
        || ends(&[".pb"])
        || (name.contains(".ckpt") && ends(&[".index", ".meta"]))
    {
        FileKind::TensorFlow
    } else if ends(&[".onnx", ".onnx_data", ".onnx.data"]) {
        FileKind::OnnxPart
    } else if ends(&[".mlmodel"]) || path.contains(".mlpackage/") {
        FileKind::CoreMl
    } else if name.starts_with("openvino_") && ends(&[".bin"]) {
        FileKind::OpenVino
    } else {
        return None;
    };
    Some(kind)
}

/// Whether a name ends like `.data-00000-of-00001`.
fn is_tensorflow_shard(name: &str) -> bool {
    let Some((_, numbers)) = name.rsplit_once(".data-") else {
        return false;
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers
        .split_once("-of-")
        .is_some_and(|(number, of)| is_number(number) && is_number(of))
}
