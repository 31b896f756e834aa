//! A script in the page that records errors, copied links, and saved files.
//!
//! Engines differ in how much of this their WebDriver reports. The tests' server adds a small script to the page,
//! before the page's own; the Content-Security-Policy allows it as a file of the same origin.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use xtask::Result;

const SCRIPT: &str = include_str!("probe.js");
const NAME: &str = "probe.js";
const IN_WORKER: &str = include_str!("worker_probe.js");

/// Files that are served differently from the built page: the page with the script in it, the script, and the worker's
/// start with a script of its own.
pub fn overlay(dist: &Path) -> Result<HashMap<String, Vec<u8>>> {
    const INDEX: &str = "index.html";
    // Ends caching, so that nothing of one scenario is kept for the next.
    let mut files = xtask::offline::removal_files(dist)?;
    let html = String::from_utf8(files.remove(INDEX).unwrap_or_default())?;
    // After the policy, which applies to it; before everything else.
    let place = html
        .find("<meta charset")
        .ok_or("index.html has no <meta charset>")?;
    let html = format!(
        "{}<script src=\"{NAME}\"></script>\n{}",
        &html[..place],
        &html[place..]
    );
    let named = html.split("name=\"worker\" content=\"").nth(1);
    let worker = named
        .and_then(|rest| rest.split('"').next())
        .ok_or("index.html does not name the worker")?
        .to_owned();
    let start = fs::read_to_string(dist.join(&worker))?;
    files.insert(worker, format!("{IN_WORKER}{start}").into_bytes());
    files.insert(INDEX.to_owned(), html.into_bytes());
    files.insert(NAME.to_owned(), SCRIPT.into());
    Ok(files)
}
