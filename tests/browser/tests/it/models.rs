//! Opening models: the shipped preset, and the real checkpoint.

use browser::{Page, Result, in_every_engine, suite};
use xtask::minilm::minilm;

use crate::golden::near;

in_every_engine!(
    the_preset_shows_its_numbers,
    the_real_checkpoint_opens,
    a_checkpoint_without_its_config_opens
);

fn the_preset_shows_its_numbers(page: &Page) -> Result {
    page.open("")?;
    page.click("[data-model='minilm-l6']")?;
    page.model("minilm-l6")?;
    page.table_r2(0.4742, 2e-4)?;
    page.view("heads")?;
    page.figure("head-grid")?;
    first_head(page)?;
    // What was open stays open from view to view.
    page.view("kernels")?;
    page.view("positions")?;
    page.figure("position-matrix")?;
    assert_eq!(page.current_model()?, "minilm-l6");
    Ok(())
}

fn the_real_checkpoint_opens(page: &Page) -> Result {
    let Some(files) = minilm() else {
        return suite::skip("the MiniLM checkpoint");
    };
    page.open("")?;
    page.open_files(&[&files.model, &files.config])?;
    page.table_r2(0.4742, 1e-4)?;
    page.figure("position-matrix")?;
    let read = page.megabytes_read()?;
    assert!(
        read > 0.7 && read <= 1.2,
        "read {read} MB for the position matrix"
    );
    assert!(
        page.text("#meter")?.contains("of 90.9 MB"),
        "{}",
        page.text("#meter")?
    );

    page.view("heads")?;
    page.figure("head-grid")?;
    first_head(page)?;
    // 6 layers of 12 heads.
    page.wait_until("document.querySelectorAll('button[data-head]').length === 72")?;
    Ok(())
}

fn a_checkpoint_without_its_config_opens(page: &Page) -> Result {
    let Some(files) = minilm() else {
        return suite::skip("the MiniLM checkpoint");
    };
    page.open("")?;
    page.open_files(&[&files.model])?;
    page.table_r2(0.4742, 1e-4)?;
    // Heads of 32 or of 64: the file does not say. The page either asks or says what it took.
    page.view("heads")?;
    page.wait_until("/heads/i.test(document.body.textContent) && !!document.querySelector('button[data-head], select, input')")?;
    Ok(())
}

/// Layer 1, head 1, in paper mode, as its thumbnail is labelled.
fn first_head(page: &Page) -> Result {
    page.wait_until("/R² [0-9]/.test(document.querySelector(\"button[data-head='1-1']\")?.getAttribute('aria-label') ?? '')")?;
    let label = page
        .attribute("button[data-head='1-1']", "aria-label")?
        .unwrap_or_default();
    let r2 = label
        .strip_prefix("layer 1, head 1, R² ")
        .ok_or_else(|| format!("the first head is labelled {label}"))?;
    near(
        "R² of layer 1, head 1",
        r2.split([',', ' ']).next().unwrap_or("").parse()?,
        0.841,
        1e-3,
    )?;

    page.click("button[data-head='1-1']")?;
    for figure in ["head-matrix", "head-profile", "head-sections"] {
        page.figure(figure)?;
    }
    Ok(())
}
