//! What the page does unseen: errors, links it copies, and files it hands to the visitor.
//!
//! Engines differ in what a WebDriver tells of these, so the tests' server adds a small script to the
//! page, ahead of the page's own; the page's Content-Security-Policy allows it like any file of its own.

use std::collections::HashMap;
use std::path::Path;

use xtask::Result;

const SCRIPT: &str = include_str!("probe.js");
const NAME: &str = "probe.js";

/// The built page's files that are served differently: the page with the script in it, and the script.
pub fn overlay(dist: &Path) -> Result<HashMap<String, Vec<u8>>> {
    const INDEX: &str = "index.html";
    // Nothing of one scenario is kept for the next.
    let mut files = xtask::offline::ended(dist)?;
    let html = String::from_utf8(files.remove(INDEX).unwrap_or_default())?;
    // After the policy, which is to hold for it; before everything else.
    let place = html
        .find("<meta charset")
        .ok_or("index.html has no <meta charset>")?;
    let html = format!(
        "{}<script src=\"{NAME}\"></script>\n{}",
        &html[..place],
        &html[place..]
    );
    files.insert(INDEX.to_owned(), html.into_bytes());
    files.insert(NAME.to_owned(), SCRIPT.into());
    Ok(files)
}
