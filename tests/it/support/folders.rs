//! Folders of the project.

use std::path::{Path, PathBuf};

/// The folder of the whole project.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("tests/it lies in the project")
        .to_path_buf()
}
