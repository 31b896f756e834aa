//! Opening models: the shipped preset, and the real checkpoint.

use std::path::PathBuf;

use browser::session::PATIENCE;
use browser::{Page, Result, scenarios, suite};
use xtask::minilm::minilm;
use xtask::root;

use crate::checkpoints::golden;
use crate::golden::near;

scenarios! {
    in_every_engine: [
        the_real_checkpoint_opens,
    ],
    in_chromium: [
        a_checkpoint_without_its_config_opens,
        a_missing_shard_is_taken_when_it_comes,
        positions_of_encoder_and_decoder_can_be_chosen,
        patches_have_a_profile_in_two_dimensions,
        the_shape_of_an_image_can_be_chosen,
        scores_by_offset_need_no_table,
        a_correction_can_be_switched,
        a_choice_in_a_figure_outlives_the_model,
        the_preset_shows_its_numbers,
    ],
}

fn the_preset_shows_its_numbers(page: &Page) -> Result {
    page.open("?model=sinusoidal")?;
    page.click("[data-model='minilm-l6']")?;
    page.model("minilm-l6")?;
    page.table_r2(0.4742, 2e-4)?;
    page.view("heads")?;
    page.figure("head-grid")?;
    first_head(page)?;
    // The open model stays open in other views.
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
    page.open("?model=sinusoidal")?;
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
    page.open("?model=sinusoidal")?;
    page.open_files(&[&files.model])?;
    page.table_r2(0.4742, 1e-4)?;
    // The file does not determine whether heads have 32 or 64 columns. The page shows its assumption, and accepts
    // another number.
    const NUMBER: &str = ".details .assumed select";
    page.view("heads")?;
    page.wait_until("/inferred/i.test(document.querySelector('.details .assumed')?.textContent)")?;
    let assumed =
        "Number(document.querySelector('.details .assumed select').selectedOptions[0].textContent)";
    page.wait_until(&format!(
        "document.querySelectorAll('button[data-head]').length === 6 * {assumed}"
    ))?;
    for heads in [6, 12] {
        choose_heads(page, heads)?;
        page.wait_until(&format!(
            "document.querySelectorAll('button[data-head]').length === 6 * {heads}"
        ))?;
        page.wait_until(&format!(
            "document.querySelector('{NUMBER}') && {assumed} === {heads}"
        ))?;
    }
    first_head(page)
}

/// Chooses the number of heads of the open model, if its file does not determine it.
pub(crate) fn choose_heads(page: &Page, heads: u32) -> Result {
    page.wait_until("!!document.querySelector('.details .assumed select')")?;
    let chosen = page.script(
        "const select = document.querySelector('.details .assumed select');\
         const option = [...select.options].find(o => o.textContent === String(arguments[0]));\
         if (!option) return false;\
         select.value = option.value; select.dispatchEvent(new Event('change', { bubbles: true })); return true",
        vec![heads.into()],
    )?;
    assert_eq!(chosen, true, "{heads} heads cannot be chosen");
    Ok(())
}

/// The files of a checkpoint in `tests/data`.
fn checkpoint(name: &str) -> Result<Vec<PathBuf>> {
    let files = std::fs::read_dir(root().join("tests/data").join(name))?;
    let mut files: Vec<PathBuf> = files
        .map(|file| file.map(|file| file.path()))
        .collect::<std::io::Result<_>>()?;
    // The golden numbers are not part of the checkpoint.
    files.retain(|file| !file.ends_with("golden.json"));
    files.sort();
    Ok(files)
}

fn open(page: &Page, files: &[PathBuf]) -> Result {
    let files: Vec<_> = files.iter().map(PathBuf::as_path).collect();
    page.open_files(&files)
}

fn a_missing_shard_is_taken_when_it_comes(page: &Page) -> Result {
    let mut files = checkpoint("bert-sharded")?;
    // One of seven shards is missing; the position table is shown, the heads are not.
    let behind = files
        .iter()
        .position(|file| file.ends_with("model-00003-of-00007.safetensors"))
        .ok_or("no third shard")?;
    let shard = files.remove(behind);
    page.open("?view=heads&model=sinusoidal")?;
    open(page, &files)?;
    page.message_with("model-00003-of-00007.safetensors")?;
    open(page, &[shard])?;
    page.figure("head-grid")?;
    page.figure("head-matrix")?;
    page.wait_until("!document.querySelector('.missing')")
        .map(drop)
}

fn positions_of_encoder_and_decoder_can_be_chosen(page: &Page) -> Result {
    page.open("?model=sinusoidal")?;
    open(page, &checkpoint("bart-scaled")?)?;
    let select = ".details .choice select";
    page.wait_until(&format!(
        "document.querySelector('{select}')?.options.length > 1"
    ))?;
    page.script(
        "const select = document.querySelector(arguments[0]); select.value = '1';\
         select.dispatchEvent(new Event('change'))",
        vec![select.into()],
    )?;
    page.wait_until("location.search.includes('source=decoder')")?;
    page.wait_until(&format!(
        "document.querySelector('{select}')?.value === '1'"
    ))?;
    // The decoder's numbers, not only its name.
    let expected = golden("bart-scaled")?["table"]["decoder"]["inner_product_r2"]
        .as_f64()
        .ok_or("no golden R² of the decoder")?;
    page.table_r2(expected, 6e-4)?;
    page.figure("position-matrix")
}

fn the_shape_of_an_image_can_be_chosen(page: &Page) -> Result {
    page.open("?model=sinusoidal")?;
    page.open_files(&[&root().join("tests/data/cases/timm-rectangular/model.safetensors")])?;
    let shows = |shape: &str| {
        page.wait_until(&format!(
            "[...document.querySelectorAll('.details select')].some(s => s.selectedOptions[0]?.textContent === '{shape}')"
        ))
    };
    // Without a configuration, the patch grid with the highest R² is chosen.
    shows("16 × 8")?;
    page.script(
        "const named = s => [...s.options].find(o => o.textContent === arguments[0]);\
         const select = [...document.querySelectorAll('.details select')].find(named);\
         select.value = named(select).value; select.dispatchEvent(new Event('change', { bubbles: true }))",
        vec!["8 × 16".into()],
    )?;
    page.wait_until("location.search.includes('image-shape=8x16')")?;
    shows("8 × 16").map(drop)
}

fn patches_have_a_profile_in_two_dimensions(page: &Page) -> Result {
    page.open("?model=sinusoidal")?;
    open(page, &checkpoint("vit")?)?;
    page.wait_until(
        "/patches/.test(document.querySelector('.item[aria-current] .about')?.textContent)",
    )?;
    let table = page.csv("grid-profile")?;
    assert_eq!(table.columns, ["dy", "dx", "mean", "cells"]);
    page.view("heads")?;
    page.figure("head-grid-profile")?;
    let heads = page.csv("head-grid")?;
    for column in ["r2_2d", "r2_2d_softmax"] {
        assert!(heads.columns.iter().any(|name| name == column), "{column}");
    }
    Ok(())
}

fn scores_by_offset_need_no_table(page: &Page) -> Result {
    page.open("?model=sinusoidal")?;
    open(page, &checkpoint("t5")?)?;
    page.wait_until(
        "/positions/.test(document.querySelector('.item[aria-current] .about')?.textContent)",
    )?;
    page.figure("position-matrix")?;
    page.wait_until("!document.querySelector(\"figure[data-figure='position-table']\")")?;
    page.fill("input[aria-label='positions n']", "64")?;
    page.wait_until("location.search.includes('length=64')")?;
    page.wait_until(
        "/64 positions/.test(document.querySelector('.item[aria-current] .about')?.textContent)",
    )?;
    page.computed(PATIENCE)?;
    assert_eq!(page.csv("position-matrix")?.rows.len(), 64);
    Ok(())
}

fn a_correction_can_be_switched(page: &Page) -> Result {
    page.open("?model=sinusoidal")?;
    open(page, &checkpoint("bert")?)?;
    page.wait_until("!!document.querySelector('#switch-norm')")?;
    page.click("#notes")?;
    page.script(
        "const button = document.querySelector('#effects'); button.focus(); button.click()",
        vec![],
    )?;
    page.wait_until("/with, .* without/.test(document.querySelector('.notes')?.textContent)")?;
    assert_eq!(page.eval("document.activeElement.id")?, "effects");
    page.click("#switch-norm")?;
    page.wait_until("document.querySelector('#switch-norm')?.checked === false")?;
    page.wait_until("location.search.includes('switched=norm')")?;
    // The notes stay unfolded, and the effect of the corrections is shown again.
    page.wait_until("document.querySelector('.notes')?.open && /with, .* without/.test(document.querySelector('.notes').textContent)")?;
    Ok(())
}

/// Checks R² of layer 1, head 1, in paper mode, by its thumbnail's label.
pub(crate) fn r2_of_first_head(page: &Page, expected: f64) -> Result {
    page.wait_until("/R² [0-9]/.test(document.querySelector(\"button[data-head='1-1']\")?.getAttribute('aria-label') ?? '')")?;
    let label = page
        .attribute("button[data-head='1-1']", "aria-label")?
        .unwrap_or_default();
    let r2 = label
        .strip_prefix("layer 1, head 1, R² ")
        .and_then(|rest| rest.split([',', ' ']).next())
        .ok_or_else(|| format!("the first head is labelled {label}"))?;
    near("R² of layer 1, head 1", r2.parse()?, expected, 1e-3)
}

/// Checks R² of MiniLM's first head, and opens its figures.
fn first_head(page: &Page) -> Result {
    r2_of_first_head(page, 0.841)?;
    page.click("button[data-head='1-1']")?;
    for figure in ["head-matrix", "head-profile", "head-sections"] {
        page.figure(figure)?;
    }
    Ok(())
}

fn a_choice_in_a_figure_outlives_the_model(page: &Page) -> Result {
    const ALL: &str = "[data-figure='offset-profile'] [aria-label='Offsets'] button:last-child";
    page.open("?view=positions&model=minilm-l6")?;
    page.table_r2(0.4742, 2e-4)?;
    page.figure("offset-profile")?;
    page.click(ALL)?;
    page.script(
        "window.used = document.querySelector(arguments[0]); window.used.focus()",
        vec![ALL.into()],
    )?;
    page.wait_until(&format!(
        "document.querySelector(\"{ALL}\").getAttribute('aria-pressed') === 'true'"
    ))?;
    // A file opens without moving the focus, as when it is dropped.
    let table = browser::test_files::table(24, 8, |row, column| {
        browser::test_files::noise(row, column) as f32
    });
    let expected = browser::test_files::toeplitz_r2(24, 8, |row, column| {
        f64::from(browser::test_files::noise(row, column) as f32)
    });
    page.script(
        "const files = new DataTransfer();\
         files.items.add(new File([new Uint8Array(arguments[0])], 'other.safetensors'));\
         const field = document.querySelector('#open-file');\
         field.files = files.files; field.dispatchEvent(new Event('change', { bubbles: true }))",
        vec![table.into()],
    )?;
    page.model("other")?;
    page.table_r2(expected, 1e-4)?;
    page.figure("offset-profile")?;
    let stayed = page.script(
        "return [window.used.isConnected, document.activeElement === window.used,\
                 document.querySelector(arguments[0]).getAttribute('aria-pressed')].join(' ')",
        vec![ALL.into()],
    )?;
    assert_eq!(
        stayed, "true true true",
        "made anew, without its focus or its choice"
    );
    // Another model of the model list, and back again.
    page.choose("minilm-l6")?;
    page.table_r2(0.4742, 2e-4)?;
    page.wait_until(&format!(
        "document.querySelector(\"{ALL}\").getAttribute('aria-pressed') === 'true' && window.used.isConnected"
    ))?;
    Ok(())
}
