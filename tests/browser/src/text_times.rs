//! Measures runs of models over texts in the page: reading, all layers, the summaries of all heads, and painting.
//!
//! The models are files on this machine, so reading is that of the disk's cache. A text is typed as token ids, which need
//! no tokenizer and no pause.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use xtask::minilm::minilm;
use xtask::{Result, root};

use crate::Page;
use crate::hub::Content;
use crate::memory::Renderer;
use crate::recorder::{RECORDER, print_samples, samples};

/// Runs of each text.
const RUNS: u32 = 5;
/// Longest run.
const PATIENCE: Duration = Duration::from_secs(120);

/// Whether the text has passed a layer, or all layers. The number of tokens in the sentence alternates from run to run,
/// since the sentence of the run before stays for a moment.
const FIRST_LAYER: &str = "new RegExp(`^${window.tokens} tokens (in layer ([2-9]|1[0-9]) |passed)`).test(document.querySelector('.progress')?.textContent)";
const ALL_LAYERS: &str =
    "document.querySelector('.progress')?.textContent.startsWith(`${window.tokens} tokens passed`)";

/// Measures MiniLM-L6 and a model of the size of BERT-base.
///
/// # Errors
/// If the page or the browser fails.
pub fn measure(page: &Page) -> Result {
    let folder = root().join("target/bench");
    fs::create_dir_all(&folder)?;
    if let Some(files) = minilm() {
        open(page, &[&files.model, &files.config])?;
        runs(page, "MiniLM-L6", 128, [60.0, 250.0])?;
        runs(page, "MiniLM-L6", 512, [f64::NAN, f64::NAN])?;
        heads(page, "MiniLM-L6")?;
    } else {
        println!("texts through MiniLM-L6: not measured, the checkpoint is not to be had");
    }
    let files = large_model(&folder)?;
    let files: Vec<&Path> = files.iter().map(AsRef::as_ref).collect();
    let renderer = Renderer::of(page)?;
    open(page, &files)?;
    runs(page, "BERT-base", 128, [f64::NAN, 2000.0])?;
    let before = renderer.settle(page)?;
    runs(page, "BERT-base", 512, [f64::NAN, 6000.0])?;
    let grown = renderer.peak()? - before;
    print_samples("… memory, above that of 128 tokens", &[grown], "MB", 200.0);
    heads(page, "BERT-base")?;
    prediction(page)?;
    stop(page)?;
    Ok(fs::remove_dir_all(&folder)?)
}

/// Writes a model with the names and shapes of BERT-base and a prediction head. Its numbers are small and random.
pub(crate) fn large_model(folder: &Path) -> Result<[PathBuf; 2]> {
    let files = ["text-model.safetensors", "config.json"].map(|name| folder.join(name));
    Content::masked_bert(30_522).write_sparse(&files[0], u64::MAX)?;
    Content::bert_config().write_sparse(&files[1], u64::MAX)?;
    Ok(files)
}

/// Opens a model in the text view.
fn open(page: &Page, files: &[&Path]) -> Result {
    page.load("?view=text&model=sinusoidal")?;
    page.open_files(files)?;
    page.wait_until_within("!!document.querySelector('.run-state')", PATIENCE)
        .map(drop)
}

/// Types ids that no run has had, one less in every other run.
fn type_ids(page: &Page, tokens: u32, run: u32) -> Result {
    let tokens = tokens - run % 2;
    let ids: Vec<String> = (0..tokens)
        .map(|at| (1000 + (at * 37 + run * 101) % 20_000).to_string())
        .collect();
    page.script(
        "window.tokens = arguments[1];\
         const field = document.querySelector('textarea[aria-label=Text]');\
         field.value = arguments[0];\
         field.dispatchEvent(new Event('input', { bubbles: true }))",
        vec![json!(ids.join(" ")), json!(tokens)],
    )
    .map(drop)
}

/// Times from the typed text to the first and the last layer.
fn runs(page: &Page, model: &str, tokens: u32, goals: [f64; 2]) -> Result {
    for (at, (what, condition)) in [("first layer", FIRST_LAYER), ("all layers", ALL_LAYERS)]
        .into_iter()
        .enumerate()
    {
        page.script(RECORDER, vec![json!("input"), json!(condition)])?;
        for run in 0..RUNS {
            type_ids(page, tokens, at as u32 * RUNS + run)?;
            page.wait_until_within(&format!("samples.length > {run}"), PATIENCE)?;
            page.wait_until_within(ALL_LAYERS, PATIENCE)?;
        }
        let what = format!("{model}, {tokens} tokens: typed to {what}");
        print_samples(&what, &samples(page, "samples")?, "ms", goals[at]);
    }
    Ok(())
}

/// Times from a press on a head to its painted map. The last text stays open.
fn heads(page: &Page, model: &str) -> Result {
    const PAINTED: &str = "performance.getEntriesByName('diagonal:painted:text-matrix').length > 0\
                           && document.querySelector('[data-figure=text-matrix]').dataset.state === 'ready'";
    page.figure("text-matrix")?;
    page.script(RECORDER, vec![json!("click"), json!(PAINTED)])?;
    for head in 0..12 {
        page.script(
            "document.querySelectorAll('[data-text-head]')[arguments[0]].click()",
            vec![json!(12 + head)],
        )?;
        page.wait_until(&format!("samples.length > {head}"))?;
    }
    let what = format!("{model}, 512 tokens: a head to its painted map");
    print_samples(&what, &samples(page, "samples")?, "ms", 50.0);
    Ok(())
}

/// Times from a press on a token to its painted predictions.
fn prediction(page: &Page) -> Result {
    const PAINTED: &str = "performance.getEntriesByName('diagonal:painted:text-predictions').length > 0\
         && document.querySelector('[data-figure=text-predictions]')?.dataset.state === 'ready'";
    page.script(
        "document.querySelector('#predictions summary').click()",
        vec![],
    )?;
    page.click("[data-token=\"3\"]")?;
    page.figure("text-predictions")?;
    page.script(RECORDER, vec![json!("click"), json!(PAINTED)])?;
    for token in 0..6 {
        page.script(
            "document.querySelectorAll('[data-token]')[arguments[0]].click()",
            vec![json!(10 + token)],
        )?;
        page.wait_until(&format!("samples.length > {token}"))?;
    }
    print_samples(
        "BERT-base, 512 tokens: a token to its predictions",
        &samples(page, "samples")?,
        "ms",
        200.0,
    );
    Ok(())
}

/// Times from a press on Stop, in the middle of a run, to an answer about another model.
fn stop(page: &Page) -> Result {
    const ANSWERED: &str = "performance.getEntriesByName('diagonal:painted:position-matrix').length > 0\
                            && document.querySelector('[data-figure=position-matrix]')?.dataset.state === 'ready'";
    let mut times = Vec::new();
    for run in 0..RUNS {
        type_ids(page, 512, 2 * RUNS + run)?;
        page.wait_until("/in layer [3-9]/.test(document.querySelector('.progress')?.textContent)")?;
        page.script(RECORDER, vec![json!("click"), json!(ANSWERED)])?;
        // The table has another size each time, so that no answer is in the cache.
        page.script(
            "[...document.querySelectorAll('.run-state button')].find(b => b.textContent === 'Stop').click();\
             history.pushState(null, '', arguments[0]);\
             dispatchEvent(new PopStateEvent('popstate'))",
            vec![json!(format!("?view=positions&model=sinusoidal&rows={}", 100 + run))],
        )?;
        page.wait_until_within("samples.length > 0", PATIENCE)?;
        times.extend(samples(page, "samples")?);
        page.back()?;
        page.wait_until("!!document.querySelector('textarea[aria-label=Text]')")?;
    }
    print_samples(
        "BERT-base, 512 tokens: Stop to another answer",
        &times,
        "ms",
        100.0,
    );
    Ok(())
}
