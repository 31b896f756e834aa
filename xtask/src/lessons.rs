//! The lessons that come with the page: read here, so that the page need not know Markdown, and put beside it as bytes.

use std::fs;
use std::path::{Path, PathBuf};

use lesson_format::{Lesson, ListedLesson};

use crate::{Result, root};

/// The most bytes of a lesson, compressed.
const BUDGET: usize = 25_000;

/// Writes every lesson into the site, their list, and how one is written.
///
/// # Errors
/// When one is not written as it should be, or weighs more than its budget.
pub fn write(dist: &Path) -> Result {
    let folder = dist.join("lessons");
    fs::create_dir_all(&folder)?;
    let mut list = Vec::new();
    for (id, path) in sources()? {
        let text = fs::read_to_string(&path)?;
        let lesson =
            Lesson::parse(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        let bytes = lesson.to_bytes()?;
        let compressed = crate::sizes::gzipped(&bytes)?;
        if compressed > BUDGET {
            return Err(format!(
                "{} weighs {compressed} bytes compressed, and may weigh {BUDGET}",
                path.display()
            )
            .into());
        }
        fs::write(folder.join(format!("{id}.bin")), bytes)?;
        list.push(ListedLesson {
            id,
            steps: lesson.steps.len(),
            head: lesson.head,
        });
    }
    fs::write(folder.join("list.bin"), ListedLesson::list_to_bytes(&list)?)?;
    Ok(fs::write(
        folder.join("README.md"),
        fs::read(sources_folder().join("README.md"))?,
    )?)
}

/// The texts of the lessons by their identifiers, in the order of their numbers.
///
/// # Errors
/// When the folder cannot be read.
pub fn sources() -> Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(sources_folder())? {
        let path = entry?.path();
        let is_text = path.extension().is_some_and(|end| end == "md");
        if let Some(id) = path.file_stem().and_then(|name| name.to_str())
            && is_text
            && id != "README"
        {
            found.push((id.to_owned(), path.clone()));
        }
    }
    found.sort();
    Ok(found)
}

fn sources_folder() -> PathBuf {
    root().join("www/lessons")
}
