//! The page with a worker that has been tampered with.

use std::fs;

use xtask::Result;
use xtask::server::Content;

use crate::Page;

/// Which workers a script is put into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worker {
    /// The page's worker and its helpers.
    All,
    /// The helpers alone, which are the same program at the same address.
    Helpers,
}

/// Gives the helpers of a worker an address by which they know that they are helpers.
const TELL_HELPERS: &str = "{ const Own = Worker; globalThis.Worker = class extends Own { constructor(address, options) { super(address + (address.includes('?') ? '&' : '?') + 'helper', options); } }; }\n";

/// The page, with a script that runs in workers before their own.
///
/// # Errors
/// When the page has no worker.
pub fn tampered(page: &Page, workers: Worker, script: &str) -> Result<Content> {
    changed(page, |start| match workers {
        Worker::All => format!("{script}{start}"),
        Worker::Helpers => format!(
            "if (location.search.includes('helper')) {{\n{script}}} else {TELL_HELPERS}{start}"
        ),
    })
}

/// The page, with a change to the script that starts its worker, as tests serve it.
///
/// # Errors
/// When the page has no worker.
pub fn changed(page: &Page, change: impl FnOnce(&str) -> String) -> Result<Content> {
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
