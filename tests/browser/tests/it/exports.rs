//! Exports that take a while: several at once, and one that is too large to be collected in memory.

use std::collections::BTreeSet;
use std::time::Duration;

use browser::page::figure;
use browser::{Page, Result, scenarios};
use diagonal::figure_spec::{FileNumbers, specs};
use serde_json::{Value, json};

scenarios! {
    in_every_engine: [
        a_very_large_export_is_streamed_or_asked_about,
    ],
    in_chromium: [
        what_saves_can_be_fetched_again,
        every_matrix_is_saved_whole,
        two_downloads_at_once_both_arrive,
        a_full_disk_is_a_sentence,
    ],
}

fn two_downloads_at_once_both_arrive(page: &Page) -> Result {
    page.open("?view=positions&model=minilm-l6")?;
    page.table_r2(0.4742, 2e-4)?;
    page.figure("position-matrix")?;
    page.figure("position-table")?;
    let figures = ["position-matrix", "position-table"];
    for id in figures {
        let figure = figure(id);
        for kind in ["CSV", "NPY"] {
            page.press_in_save_menu(&figure, &format!("Download {kind}"))?;
        }
    }
    let mut names = BTreeSet::new();
    let expected = figures
        .into_iter()
        .flat_map(|id| ["csv", "npy"].map(|ending| format!("diagonal-{id}-minilm-l6.{ending}")));
    let expected = BTreeSet::from_iter(expected);
    for arrived in 0..expected.len() {
        let file = page
            .next_download()
            .map_err(|error| format!("only {arrived} arrived, {names:?}: {error}"))?;
        assert!(!file.bytes.is_empty(), "{} is empty", file.name);
        names.insert(file.name);
    }
    assert_eq!(names, expected);
    Ok(())
}

/// Requests a matrix of 1 GiB: 16,384 × 16,384 numbers of four bytes.
fn ask_for_a_gigabyte(page: &Page, room: u64) -> Result {
    page.open("?view=kernels&model=sinusoidal&n=16384&kernel-window=0-16384,0-16384")?;
    page.figure("kernel-matrix")?;
    page.script("probe.room = arguments[0]", vec![json!(room)])?;
    page.press_in_save_menu(&figure("kernel-matrix"), "Download NPY")
}

/// A message with a file size and buttons to continue or cancel.
const ASKED: &str = "[...document.querySelectorAll('#message > *')].some(e => /[0-9][0-9.,]*\\s*(MB|GB|MiB|GiB)/.test(e.textContent) && \
                     (e.matches('[role=alert]') || e.querySelector('button.primary')))";

fn a_very_large_export_is_streamed_or_asked_about(page: &Page) -> Result {
    ask_for_a_gigabyte(page, 200_000_000)?;
    page.wait_until_within(
        &format!("probe.streams.some(s => s.bytes > 100_000_000) || {ASKED}"),
        Duration::from_secs(60),
    )?;
    // Data is streamed to disk in pieces.
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
    // The page stays responsive meanwhile.
    let painted = page.painted_at("kernel-function")?;
    page.fill("input[aria-label='centre c, kernel 1, exact']", "2")?;
    page.painted_since("kernel-function", painted)
}

fn a_full_disk_is_a_sentence(page: &Page) -> Result {
    ask_for_a_gigabyte(page, 20_000_000)?;
    // Without streaming to disk, the page asks before it collects anything in memory; another test covers that.
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
    let message = page.wait_until(
        "[...document.querySelectorAll('[role=alert]')].filter(e => !e.hidden).map(e => e.textContent.trim()).join(' ')",
    )?;
    assert!(
        browser::bad_files::is_sentence(message.as_str().unwrap_or_default()),
        "{message}"
    );
    // Writing has stopped.
    let written = page.eval("probe.streams[0].bytes")?;
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(page.eval("probe.streams[0].bytes")?, written);
    Ok(())
}

/// The code for exports is fetched at the first export.
fn what_saves_can_be_fetched_again(page: &Page) -> Result {
    page.open("?view=kernels&model=file&file=mine.safetensors")?;
    page.figure("kernel-function")?;
    page.open_save_menu(&figure("kernel-function"))?;
    page.script(
        "window.online = fetch; window.fetch = () => Promise.reject(new TypeError('no network'))",
        vec![],
    )?;
    page.press_in_save_menu(&figure("kernel-function"), "Download CSV")?;
    page.message_with("could not be fetched")?;
    // The browser's console keeps the cause.
    page.forgive("did not come")?;
    assert_eq!(page.eval("probe.downloads.length")?, json!(0));
    page.script("window.fetch = window.online", vec![])?;
    let table = page.csv("kernel-function")?;
    assert!(table.rows.len() > 100, "{} rows", table.rows.len());
    Ok(())
}

/// Numbers of rows and columns in an NPY header.
fn shape(npy: &[u8]) -> Result<(usize, usize)> {
    let header = String::from_utf8_lossy(&npy[10..npy.len().min(138)]).into_owned();
    let numbers = header.split(['(', ')']).nth(1).ok_or("no shape")?;
    let mut numbers = numbers.split(',').map(str::trim);
    let mut next = || -> Result<usize> { Ok(numbers.next().ok_or("no number")?.parse()?) };
    Ok((next()?, next()?))
}

/// More positions than blocks per side in the first layer's map: the file is saved from the full matrix, not from the
/// drawn one.
const N: usize = 160;

fn every_matrix_is_saved_whole(page: &Page) -> Result {
    let kernels = format!(
        "?view=kernels&model=minilm-l6&n={N}&added=head&first-layer=open&fit=head.2&more=fit-beside-head"
    );
    let mut seen = BTreeSet::new();
    for (query, n, last) in [
        (kernels.as_str(), N, "first-layer-none"),
        (
            "?view=positions&model=sinusoidal&rows=200&width=32",
            200,
            "position-table",
        ),
        (
            "?view=heads&model=minilm-l6&layer=3&head=2",
            512,
            "head-matrix",
        ),
    ] {
        page.open(query)?;
        page.figure(last)?;
        if last == "first-layer-none" {
            page.figure("fit-head-attention")?;
        }
        let present = page.eval(
            "[...document.querySelectorAll('figure[data-figure]')].map(f => f.dataset.figure)",
        )?;
        let present: Vec<&str> = present
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for spec in specs().filter(|spec| present.contains(&spec.id.id())) {
            let id = spec.id.id();
            if spec.numbers == FileNumbers::Table {
                let table = page.csv(id)?;
                let is_cell = |name: &String| {
                    name.starts_with("key_") || name == "query" && table.columns.len() > 9
                };
                assert!(
                    !table.columns.iter().any(is_cell),
                    "{id} is saved as cells: {:?}",
                    table.columns
                );
                continue;
            }
            let width = if id == "position-table" { 32 } else { n };
            let table = page.csv(id)?;
            assert_eq!((table.rows.len(), table.columns.len()), (n, width), "{id}");
            let keys: Vec<String> = (0..width).map(|key| key.to_string()).collect();
            assert_eq!(table.columns, keys, "{id}");
            assert_eq!(shape(&page.download(id, "NPY")?.bytes)?, (n, width), "{id}");
            if id.starts_with("first-layer") || id.ends_with("attention") {
                let row = table.rows[n / 2].iter().map(|cell| cell.parse::<f64>());
                let row: f64 = row.sum::<std::result::Result<f64, _>>()?;
                assert!(
                    (row - 1.0).abs() < 1e-3,
                    "{id}: a row of attention adds up to {row}"
                );
            }
            seen.insert(id);
        }
    }
    for id in [
        "fit-attention",
        "fit-head-attention",
        "first-layer-added",
        "head-matrix",
        "position-table",
    ] {
        assert!(seen.contains(id), "{id} was not saved: {seen:?}");
    }
    Ok(())
}
