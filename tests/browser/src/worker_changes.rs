//! The page with a modified worker.

use std::fs;

use xtask::Result;
use xtask::server::Content;

use crate::Page;

/// Workers that a script is added to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worker {
    /// The page's worker and its helpers.
    All,
    /// The helpers alone; they run the same script from the same address.
    Helpers,
}

/// Marks the addresses of a worker's helpers, so that a script can tell that it runs in a helper.
const TELL_HELPERS: &str = "{ const Own = Worker; globalThis.Worker = class extends Own { constructor(address, options) { super(address + (address.includes('?') ? '&' : '?') + 'helper', options); } }; }\n";

/// The page, with a script that runs in workers before their own.
///
/// # Errors
/// If the page has no worker.
pub fn with_script(page: &Page, workers: Worker, script: &str) -> Result<Content> {
    with_start_script(page, |start| match workers {
        Worker::All => format!("{script}{start}"),
        Worker::Helpers => format!(
            "if (location.search.includes('helper')) {{\n{script}}} else {TELL_HELPERS}{start}"
        ),
    })
}

/// The page, with a changed version of the script that starts its worker.
///
/// # Errors
/// If the page has no worker.
pub fn with_start_script(page: &Page, change: impl FnOnce(&str) -> String) -> Result<Content> {
    let mut content = page.content()?;
    let folder = fs::read_dir(&content.folder)?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .find(|name| name.starts_with("worker-"))
        .ok_or("no worker")?;
    let start = format!("{folder}/start.js");
    let text = content
        .overlay
        .remove(&start)
        .ok_or("no script of the worker")?;
    let text = change(&String::from_utf8(text)?);
    content.overlay.insert(start, text.into_bytes());
    Ok(content)
}
