//! The text view: a text, the run of a model over it, and the figures of its heads.

use browser::session::key;
use browser::{Page, Result, scenarios};
use serde_json::json;

use crate::checkpoints::files;
use std::path::Path;

scenarios! {
    in_every_engine: [
        token_ids_run_through_a_model_without_a_tokenizer,
    ],
    in_chromium: [
        typed_text_enters_a_link_only_when_asked_for,
        a_model_without_its_weights_says_so,
        the_whole_minilm_runs_over_a_sample,
        tokens_and_heads_are_reached_by_keys,
    ],
}

/// The figures of a run.
pub(crate) const FIGURES: [&str; 4] = [
    "text-tokens",
    "text-head-grid",
    "text-matrix",
    "text-profile",
];

/// R² of the attention of MiniLM's heads in the first and last layers over the first sample, computed with the
/// transformers library: `BertModel` in f64 on the same weights, eager attention.
const MINILM_R2: [f64; 24] = [
    0.118_604, 0.115_768, 0.941_169, 0.491_746, 0.293_411, 0.459_043, 0.144_665, 0.066_140,
    0.313_397, 0.282_856, 0.134_355, 0.089_571, 0.121_697, 0.142_894, 0.070_410, 0.119_094,
    0.145_248, 0.125_137, 0.128_399, 0.131_264, 0.072_229, 0.092_041, 0.119_142, 0.076_959,
];

/// Opens a small BERT in the text view and types token ids.
fn run(page: &Page, ids: &str) -> Result {
    page.open("?view=text")?;
    let files = files("bert")?;
    let files: Vec<&Path> = files.iter().map(AsRef::as_ref).collect();
    page.open_files(&files)?;
    page.wait_until("!!document.querySelector('.run-state')")?;
    type_text(page, ids)?;
    for id in FIGURES {
        page.figure(id)?;
    }
    Ok(())
}

/// Types a text into the text box.
pub(crate) fn type_text(page: &Page, text: &str) -> Result {
    page.script(
        "const field = document.querySelector('textarea[aria-label=Text]');\
         field.value = arguments[0];\
         field.dispatchEvent(new Event('input', { bubbles: true }))",
        vec![json!(text)],
    )
    .map(drop)
}

fn token_ids_run_through_a_model_without_a_tokenizer(page: &Page) -> Result {
    run(page, "3 7 11 7 5")?;
    let tokens = page.csv("text-tokens")?;
    assert_eq!(
        tokens.columns,
        ["position", "piece", "id", "special", "value"]
    );
    assert_eq!(tokens.numbers("id")?, [3.0, 7.0, 11.0, 7.0, 5.0]);
    let matrix = page.csv("text-matrix")?;
    assert_eq!(matrix.columns, ["0", "1", "2", "3", "4"]);
    // Each row of the attention sums to one.
    for row in 0..5 {
        let cells = matrix
            .columns
            .iter()
            .map(|key| Ok(matrix.numbers(key)?[row]));
        let sum: f64 = cells.collect::<Result<Vec<f64>>>()?.iter().sum();
        assert!((sum - 1.0).abs() < 1e-5, "row {row}: {sum}");
    }
    let profile = page.csv("text-profile")?;
    assert_eq!(
        profile.columns,
        ["offset", "mean", "low", "high", "texts", "weights"]
    );
    assert_eq!(profile.numbers("offset")?.len(), 9);
    // Words are not ids: nothing is run, and the page says what to type.
    type_text(page, "dog")?;
    page.wait_until("document.querySelector('.run-state').innerText.includes('tokenizer.json')")
        .map(drop)
}

fn tokens_and_heads_are_reached_by_keys(page: &Page) -> Result {
    run(page, "3 7 11 7 5")?;
    page.script(
        "document.querySelector('[data-token=\"0\"]').focus()",
        vec![],
    )?;
    page.keys(&[key::RIGHT])?;
    let focused = page.eval("document.activeElement.getAttribute('aria-label')")?;
    assert_eq!(focused, json!("#7, position 1"));
    page.keys(&[key::ENTER])?;
    page.wait_until("new URLSearchParams(location.search).get('token') === 'from.1'")?;
    page.figure("text-tokens")?;
    let values = page.csv("text-tokens")?.numbers("value")?;
    assert!(
        (values.iter().sum::<f64>() - 1.0).abs() < 1e-5,
        "{values:?}"
    );
    page.script(
        "document.querySelector('[data-text-head=\"1-1\"]').focus()",
        vec![],
    )?;
    page.keys(&[key::RIGHT])?;
    page.wait_until("new URLSearchParams(location.search).get('head') === '2'")?;
    page.figure("text-matrix")
}

fn typed_text_enters_a_link_only_when_asked_for(page: &Page) -> Result {
    run(page, "3 7 11 7 5")?;
    let address = page.eval("location.search")?;
    assert!(
        !address.as_str().unwrap_or_default().contains("11"),
        "{address}"
    );
    let has_button = "[...document.querySelectorAll('button')].some(b => b.textContent === 'Copy link with my text')";
    assert_eq!(page.eval(has_button)?, json!(true));
    // A sample takes the place of the text again.
    page.script(
        "const list = document.querySelector('.text-input select');\
         list.value = '0';\
         list.dispatchEvent(new Event('change', { bubbles: true }))",
        vec![],
    )?;
    page.wait_until(
        "document.querySelector('textarea[aria-label=Text]').value.startsWith('The dog')",
    )?;
    assert_eq!(page.eval(has_button)?, json!(false));
    // A text of a link is shown, and nothing of it is run before a model is open.
    page.open("?view=text&text=1%202%203")?;
    page.wait_until("document.querySelector('textarea[aria-label=Text]')?.value === '1 2 3'")
        .map(drop)
}

fn a_model_without_its_weights_says_so(page: &Page) -> Result {
    page.open("?view=text&model=minilm-l6")?;
    page.wait_until("!!document.querySelector('.cannot-run')")?;
    page.click_named("openai-community/gpt2")?;
    let name = page.eval("document.querySelector('#from-web').value")?;
    assert_eq!(name, json!("openai-community/gpt2"));
    let requests = page.eval("performance.getEntriesByType('resource').map(e => new URL(e.name).origin).filter(o => o !== location.origin && o !== 'null')")?;
    assert_eq!(requests, json!([]), "a suggestion fetches nothing");
    Ok(())
}

/// The site's own MiniLM is fetched whole by a button, and its tokenizer splits the sample.
fn the_whole_minilm_runs_over_a_sample(page: &Page) -> Result {
    page.open("?view=text&model=minilm-l6&layer=1&head=3")?;
    page.wait_until("!!document.querySelector('.cannot-run')")?;
    page.click_named("Fetch MiniLM-L6 whole, 21 MB, and run")?;
    page.wait_until("document.querySelector('.run-state')?.innerText.includes('passed 6 layers')")?;
    for id in FIGURES {
        page.figure(id)?;
    }
    let tokens = page.csv("text-tokens")?;
    let ids = tokens.numbers("id")?;
    let expected = [
        101.0, 1996.0, 3899.0, 2978.0, 1996.0, 2214.0, 2158.0, 1010.0, 1998.0, 1996.0, 2214.0,
        2158.0, 2978.0, 1996.0, 3899.0, 1012.0, 102.0,
    ];
    assert_eq!(ids, expected);
    let heads = page.csv("text-head-grid")?;
    let r2 = heads.numbers("attention_r2")?;
    assert_eq!(r2.len(), 72);
    for (value, expected) in r2[..12].iter().chain(&r2[60..]).zip(MINILM_R2) {
        assert!((value - expected).abs() < 1e-4, "{value} for {expected}");
    }
    let weights = page.csv("text-profile")?;
    let offsets = weights.numbers("offset")?;
    let means = weights.numbers("mean")?;
    let previous = offsets.iter().zip(&means).find(|(k, _)| **k == -1.0);
    let mean = previous.map_or(f64::NAN, |(_, mean)| *mean);
    assert!((mean - 0.999_794).abs() < 2e-5, "{mean}");
    Ok(())
}
