//! Files that take a while: several at once, and one that is too large to be gathered first.

use std::collections::BTreeSet;
use std::time::Duration;

use browser::page::figure;
use browser::{Page, Result, in_every_engine};
use serde_json::json;

in_every_engine!(
    two_downloads_at_once_both_arrive,
    a_very_large_export_is_streamed_or_asked_about,
    a_full_disk_is_a_sentence,
    what_saves_can_be_fetched_again,
);

fn two_downloads_at_once_both_arrive(page: &Page) -> Result {
    page.open("?view=positions&model=minilm-l6")?;
    page.table_r2(0.4742, 2e-4)?;
    page.figure("position-matrix")?;
    page.figure("position-table")?;
    let buttons = [
        ("position-matrix", "CSV"),
        ("position-table", "NPY"),
        ("position-matrix", "NPY"),
        ("position-table", "CSV"),
    ];
    let css =
        buttons.map(|(id, kind)| format!("{} button[aria-label='Download {kind}']", figure(id)));
    page.script(
        "for (const css of arguments[0]) document.querySelector(css).click()",
        vec![json!(css)],
    )?;
    let mut names = BTreeSet::new();
    for arrived in 0..buttons.len() {
        let file = page
            .downloaded()
            .map_err(|error| format!("only {arrived} arrived, {names:?}: {error}"))?;
        assert!(!file.bytes.is_empty(), "{} is empty", file.name);
        names.insert(file.name);
    }
    let expected =
        buttons.map(|(id, kind)| format!("diagonal-{id}-minilm-l6.{}", kind.to_lowercase()));
    assert_eq!(names, BTreeSet::from(expected));
    Ok(())
}

/// Asks for a matrix of a gigabyte: 16,384 × 16,384 numbers of four bytes.
fn ask_for_a_gigabyte(page: &Page, room: u64) -> Result {
    page.open("?view=kernels&model=sinusoidal&n=16384&kernel-window=0-16384,0-16384")?;
    page.figure("kernel-matrix")?;
    page.script("probe.room = arguments[0]", vec![json!(room)])?;
    page.click(&format!(
        "{} button[aria-label='Download NPY']",
        figure("kernel-matrix")
    ))
}

/// A message with the size of a file, and a way to go on or not.
const ASKED: &str = "[...document.querySelectorAll('#message > *')].some(e => /[0-9][0-9.,]*\\s*(MB|GB|MiB|GiB)/.test(e.textContent) && \
                     (e.matches('[role=alert]') || e.querySelector('button.primary')))";

fn a_very_large_export_is_streamed_or_asked_about(page: &Page) -> Result {
    ask_for_a_gigabyte(page, 200_000_000)?;
    page.wait_until_within(
        &format!("probe.streams.some(s => s.bytes > 100_000_000) || {ASKED}"),
        Duration::from_secs(60),
    )?;
    // What goes to the disk goes in pieces.
    let largest = page.eval("Math.max(0, ...probe.streams.map(s => s.largest))")?;
    assert!(
        largest.as_f64() <= Some(64e6 * 1.05),
        "a piece of {largest} bytes"
    );
    assert_eq!(
        page.eval("probe.downloads.length")?,
        json!(0),
        "gathered all the same"
    );
    // The page is not held up by it.
    let painted = page.painted_at("kernel-function")?;
    page.fill("input[aria-label='centre c, kernel 1, exact']", "2")?;
    page.painted_since("kernel-function", painted)
}

fn a_full_disk_is_a_sentence(page: &Page) -> Result {
    ask_for_a_gigabyte(page, 20_000_000)?;
    // Where the browser has no such files, the page asks before it gathers anything, as another test sees.
    if page.eval("typeof window.showSaveFilePicker")? != json!("function") {
        return Ok(());
    }
    page.wait_until_within(
        &format!("probe.streams.some(s => s.bytes > 20_000_000) || {ASKED}"),
        Duration::from_secs(60),
    )?;
    if page.eval("probe.streams.length")? == json!(0) {
        return Ok(());
    }
    let said = page.wait_until(
        "[...document.querySelectorAll('[role=alert]')].filter(e => !e.hidden).map(e => e.textContent.trim()).join(' ')",
    )?;
    assert!(
        browser::bad_files::is_sentence(said.as_str().unwrap_or_default()),
        "{said}"
    );
    // It ends there.
    let written = page.eval("probe.streams[0].bytes")?;
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(page.eval("probe.streams[0].bytes")?, written);
    Ok(())
}

/// What saves is fetched when something is saved.
fn what_saves_can_be_fetched_again(page: &Page) -> Result {
    page.open("?view=kernels&model=file&file=mine.safetensors")?;
    page.figure("kernel-function")?;
    page.script(
        "window.online = fetch; window.fetch = () => Promise.reject(new TypeError('no network'))",
        vec![],
    )?;
    page.click(&format!(
        "{} button[aria-label='Download CSV']",
        figure("kernel-function")
    ))?;
    page.message_with("could not be fetched")?;
    // The browser's console keeps the reason.
    page.forgive("no network")?;
    assert_eq!(page.eval("probe.downloads.length")?, json!(0));
    page.script("window.fetch = window.online", vec![])?;
    let table = page.csv("kernel-function")?;
    assert!(table.rows.len() > 100, "{} rows", table.rows.len());
    Ok(())
}
