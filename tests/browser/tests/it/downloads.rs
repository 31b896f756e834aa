//! Downloads of figures and numbers, compared with the reference's numbers.

use std::time::Instant;

use browser::session::PATIENCE;
use browser::{Page, Result, scenarios, suite};
use serde_json::Value;
use xtask::minilm::minilm;

use crate::golden::{self, PROFILE, R2, near, numbers};

scenarios! {
    in_every_engine: [
        what_the_worker_has_not_opened_is_no_file,
        every_format_downloads,
    ],
    in_chromium: [
        the_scores_are_the_references,
        the_profile_is_the_references,
        the_heads_are_the_references,
    ],
}

/// Opens the real checkpoint; `false` if it is not available.
fn open(page: &Page) -> Result<bool> {
    let Some(files) = minilm() else {
        suite::skip("the MiniLM checkpoint")?;
        return Ok(false);
    };
    page.open("?model=sinusoidal")?;
    page.open_files(&[&files.model, &files.config])?;
    page.table_r2(0.4742, R2)?;
    Ok(true)
}

fn the_scores_are_the_references(page: &Page) -> Result {
    if !open(page)? {
        return Ok(());
    }
    let golden = golden::minilm()?;
    let table = page.csv("toeplitz-scores")?;
    let (rows, r2) = (table.numbers("rows")?, table.numbers("r2")?);
    let mut compared = 0;
    for ((scope, rows), r2) in table.column("scope")?.zip(rows).zip(r2) {
        let expected = match scope.strip_prefix("leading-") {
            None if scope == "whole" => &golden["table"]["inner_product_r2"],
            None => continue,
            Some(leading) => &golden["table"]["inner_product_r2_leading"][leading],
        };
        if let Some(expected) = expected.as_f64() {
            near(scope, r2, expected, R2)?;
            assert!(
                scope == "whole" || scope == format!("leading-{rows}"),
                "{scope} has {rows} rows"
            );
            compared += 1;
        }
    }
    assert!(
        compared >= 4,
        "only {compared} scores of the reference: {table:?}"
    );
    Ok(())
}

fn the_profile_is_the_references(page: &Page) -> Result {
    if !open(page)? {
        return Ok(());
    }
    let expected = numbers(&golden::minilm()?["table"]["inner_product_diagonal_mean"]);
    // The spread is a question of its own and arrives a moment after the means.
    let start = Instant::now();
    let table = loop {
        let table = page.csv("offset-profile")?;
        if table.numbers("low")?.iter().all(|low| low.is_finite()) {
            break table;
        }
        assert!(start.elapsed() < PATIENCE, "the spread never comes");
    };
    let (offsets, means) = (table.numbers("offset")?, table.numbers("mean")?);
    let (low, high, cells) = (
        table.numbers("low")?,
        table.numbers("high")?,
        table.numbers("cells")?,
    );
    assert_eq!((offsets.len(), offsets[0]), (1023, -511.0));
    let range = span(&means);
    assert!(expected.len() >= 64, "{} golden means", expected.len());
    for (k, expected) in expected.iter().enumerate() {
        // The matrix of inner products is symmetric.
        for at in [511 + k, 511 - k] {
            near(
                &format!("f({})", offsets[at]),
                means[at],
                *expected,
                PROFILE * range,
            )?;
            assert!(
                low[at] <= means[at] && means[at] <= high[at],
                "the spread at {k} is beside its mean"
            );
            near(
                "cells",
                cells[at],
                512.0 - f64::from(u32::try_from(k)?),
                0.0,
            )?;
        }
    }
    Ok(())
}

fn the_heads_are_the_references(page: &Page) -> Result {
    if !open(page)? {
        return Ok(());
    }
    page.view("heads")?;
    page.wait_until("document.querySelectorAll('button[data-head]').length === 72")?;
    let golden = golden::minilm()?;
    let table = page.csv("head-grid")?;
    assert_eq!(table.rows.len(), 72);
    let (layers, heads, r2) = (
        table.numbers("layer")?,
        table.numbers("head")?,
        table.numbers("r2")?,
    );
    let mut compared = 0;
    let (causal, peaks) = (table.numbers("causal_r2")?, table.numbers("peak_offset")?);
    for (at, (layer, head)) in layers.iter().zip(&heads).enumerate() {
        assert!(
            causal[at] <= 1.0 && peaks[at].abs() <= 511.0,
            "{:?}",
            table.rows[at]
        );
        let one = &golden["layers"]
            .get(*layer as usize - 1)
            .and_then(|l| l.get(*head as usize - 1));
        if let Some(expected) = one.and_then(|one| one["paper_r2"].as_f64()) {
            near(
                &format!("R² of layer {layer}, head {head}"),
                r2[at],
                expected,
                R2,
            )?;
            compared += 1;
        }
    }
    assert!(compared >= 12, "only {compared} heads of the reference");
    first_head_profile(page, &golden["layers"][0][0]["paper_diagonal_mean"])
}

/// The first head is open. The reference holds its profile around offset 0, minus the overall mean.
fn first_head_profile(page: &Page, expected: &Value) -> Result {
    let expected = numbers(expected);
    assert!(expected.len() > 16, "{} golden means", expected.len());
    let table = page.csv("head-profile")?;
    let (means, cells) = (table.numbers("mean")?, table.numbers("cells")?);
    let overall =
        means.iter().zip(&cells).map(|(m, c)| m * c).sum::<f64>() / cells.iter().sum::<f64>();
    let (range, zero) = (span(&means), means.len() / 2);
    for (at, expected) in expected.iter().enumerate() {
        near(
            &format!("f({at} − 16)"),
            means[zero + at - 16] - overall,
            *expected,
            PROFILE * range,
        )?;
    }
    Ok(())
}

fn every_format_downloads(page: &Page) -> Result {
    page.open("?view=positions&model=sinusoidal&rows=96&width=32")?;
    // A computed table is drawn before the worker has opened it, and whole matrices come from the worker. Pictures have
    // a test file of their own.
    page.figure("position-table")?;
    let npy = page.download("position-matrix", "NPY")?;
    let header = String::from_utf8_lossy(&npy.bytes[10..128.min(npy.bytes.len())]).into_owned();
    assert!(
        npy.bytes.starts_with(b"\x93NUMPY") && header.contains("(96, 96"),
        "{header}"
    );

    let table = page.csv("position-matrix")?;
    assert_eq!(table.rows.len(), 96);
    let diagonal: f64 = table.rows[7][table.columns.len() - 96 + 7].parse()?;
    // sin² + cos² of 16 frequencies.
    near("E₇·E₇", diagonal, 16.0, 1e-4)
}

fn span(values: &[f64]) -> f64 {
    let (low, high) = values
        .iter()
        .fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
    high - low
}

/// The first figure is painted before the worker has opened its table. A file saved then would hold block means.
fn what_the_worker_has_not_opened_is_no_file(page: &Page) -> Result {
    page.open("?model=sinusoidal")?;
    page.script(
        "sessionStorage.setItem('hold', 'from the beginning')",
        vec![],
    )?;
    page.load("?model=sinusoidal&rows=1024&width=32")?;
    page.figure("position-matrix")?;
    page.open_save_menu("#position-matrix")?;
    let disabled = |kind: &str| {
        page.eval(&format!(
            "document.querySelector(\"#position-matrix button[aria-label='Download {kind}']\").disabled"
        ))
    };
    assert_eq!(disabled("PNG")?, false);
    assert_eq!(
        (disabled("CSV")?, disabled("NPY")?),
        (true.into(), true.into())
    );
    page.wait_until(
        "document.querySelector('#position-table .waiting')?.textContent === 'Opening …'",
    )?;
    page.script("probe.release()", vec![])?;
    page.wait_until(
        "!document.querySelector(\"#position-matrix button[aria-label='Download CSV']\").disabled",
    )?;
    assert_eq!(page.csv("position-matrix")?.rows.len(), 1024);

    // The same holds while a preset is being fetched.
    page.load("?model=minilm-l6")?;
    page.wait_until(
        "document.querySelector('#position-matrix .waiting')?.textContent === 'Opening …'",
    )?;
    page.script("sessionStorage.removeItem('hold'); probe.release()", vec![])?;
    page.table_r2(0.474, 1e-3)
}
