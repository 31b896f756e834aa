//! The page with a worker that has been tampered with.

use std::fs;

use xtask::Result;
use xtask::server::Content;

use crate::Page;

/// The page, with a change to the script that starts its worker.
///
/// # Errors
/// When there is no such script.
pub fn tampered(page: &Page, change: impl FnOnce(&str) -> String) -> Result<Content> {
    let mut content = page.content()?;
    let folder = fs::read_dir(&content.folder)?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .find(|name| name.starts_with("worker-"))
        .ok_or("no worker")?;
    let start = format!("{folder}/start.js");
    let text = fs::read_to_string(content.folder.join(&start))?;
    content.overlay.insert(start, change(&text).into_bytes());
    Ok(content)
}
