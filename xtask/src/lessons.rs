//! Builds the lessons shipped with the page: parses them, so that the page needs no Markdown parser, and writes them as
//! bytes.

use std::fs;
use std::path::{Path, PathBuf};

use lesson_format::{Lesson, ListedLesson};

use crate::{Result, root};

/// Maximum size of a lesson in gzipped bytes.
const BUDGET: usize = 25_000;

/// Writes every lesson, their list, and the description of the format into the site.
///
/// # Errors
/// If a lesson is invalid, or exceeds its budget.
pub fn write(dist: &Path) -> Result {
    let folder = dist.join("lessons");
    fs::create_dir_all(&folder)?;
    let mut list = Vec::new();
    for (id, path) in sources()? {
        let text = fs::read_to_string(&path)?;
        let lesson =
            Lesson::parse(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        let bytes = lesson.to_bytes()?;
        let compressed = crate::sizes::gzip_size(&bytes)?;
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

/// The lessons' source files with their identifiers, sorted by identifier.
///
/// # Errors
/// If the folder cannot be read.
pub fn sources() -> Result<Vec<(String, PathBuf)>> {
    let mut lessons = Vec::new();
    for entry in fs::read_dir(sources_folder())? {
        let path = entry?.path();
        let is_text = path.extension().is_some_and(|end| end == "md");
        if let Some(id) = path.file_stem().and_then(|name| name.to_str())
            && is_text
            && id != "README"
        {
            lessons.push((id.to_owned(), path.clone()));
        }
    }
    lessons.sort();
    Ok(lessons)
}

fn sources_folder() -> PathBuf {
    root().join("www/lessons")
}
