//! A broken file gives a message that names the fault, and the open model stays open.

use std::time::Duration;

use browser::bad_files::{BadFiles, is_sentence};
use browser::session::PATIENCE;
use browser::{Page, Result, scenarios};
use serde_json::json;

scenarios! {
    in_chromium: [
        each_bad_file_gets_a_sentence,
        a_very_long_table_opens,
        names_stay_text,
    ],
}

/// Limit for a response: longer than the page may be unresponsive, shorter than a visitor waits.
const QUICKLY: Duration = Duration::from_secs(10);

fn each_bad_file_gets_a_sentence(page: &Page) -> Result {
    let bad = BadFiles::write(&format!("each-{}", page.engine.name()))?;
    page.open("?view=positions&model=minilm-l6")?;
    page.table_r2(0.4742, 2e-4)?;
    let mut wrong = Vec::new();
    for (what, file) in &bad.files {
        page.open_files(&[file])?;
        let message = page.wait_until_within(
            "[...document.querySelectorAll('[role=alert], #message')].filter(e => !e.hidden)\
             .map(e => e.textContent.trim()).join(' ').trim()",
            QUICKLY,
        );
        match message {
            Ok(text) if !is_sentence(text.as_str().unwrap_or_default()) => {
                wrong.push(format!("{what}: says {text}"));
            }
            Err(_) => wrong.push(format!("{what}: nothing is said")),
            Ok(_) => {}
        }
        if page.current_model()? != "minilm-l6" {
            wrong.push(format!("{what}: {} is open now", page.current_model()?));
        }
        // Reload, so that the next message belongs to the next file.
        page.open("?view=positions&model=minilm-l6")?;
        page.table_r2(0.4742, 2e-4)?;
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    Ok(())
}

fn a_very_long_table_opens(page: &Page) -> Result {
    let bad = BadFiles::write(&format!("long-{}", page.engine.name()))?;
    page.open("?model=sinusoidal")?;
    page.figure("position-matrix")?;
    let painted = page.painted_at("position-matrix")?;
    page.open_files(&[&bad.very_long_table()?])?;
    // The table is drawn as far as possible, with a note, and the page stays responsive.
    page.model("long")?;
    page.painted_since("position-matrix", painted)?;
    page.figure("position-matrix")?;
    // The R² of the new table differs clearly from the old one, which is 1.
    page.wait_until(
        "parseFloat(document.querySelector(\"[data-r2='whole']\")?.textContent) < 0.9999",
    )?;
    page.computed(PATIENCE)?;
    page.view("kernels")?;
    page.figure("kernel-function")
}

fn names_stay_text(page: &Page) -> Result {
    let bad = BadFiles::write(&format!("names-{}", page.engine.name()))?;
    page.open("?model=sinusoidal")?;
    let title = page.eval("document.title")?;
    page.open_files(&[&bad.hostile_names()?])?;
    // A file of no known family lists its two-dimensional tensors.
    page.wait_until("document.body.textContent.includes('<img src=x')")?;
    assert_eq!(
        page.eval("document.querySelectorAll('img').length")?,
        json!(0),
        "a name became markup"
    );
    assert_eq!(page.eval("document.title")?, title);
    Ok(())
}
