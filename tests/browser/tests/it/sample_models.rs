//! The samples of the model list: trained models that ship with the page.

use std::fs;

use browser::{Page, Result, scenarios};
use serde_json::{Value, json};
use xtask::root;

use crate::golden::near;
use crate::models::r2_of_first_head;

scenarios! {
    in_chromium: [
        samples_show_their_numbers,
        fine_tuning_is_compared_at_once,
        a_link_opens_a_sample,
        a_sample_is_fetched_when_it_is_chosen,
    ],
}

/// Files of presets that were requested.
const REQUESTS: &str = "performance.getEntriesByType('resource').map(e => e.name.split('presets/')[1]).filter(Boolean)";

fn golden(id: &str) -> Result<Value> {
    let text = fs::read_to_string(root().join("tests/data/presets.golden.json"))?;
    let golden: Value = serde_json::from_str(&text)?;
    Ok(golden[id].clone())
}

/// R² of all cells of a sample's inner products.
fn table_r2(id: &str) -> Result<f64> {
    let r2 = &golden(id)?["table"]["inner_product_r2"];
    Ok(r2.as_f64().ok_or("no golden R²")?)
}

fn choose_sample(page: &Page, first: &str) -> Result {
    page.wait_until("!!document.querySelector('.samples summary')")?;
    if page.eval("document.querySelector('.samples').open")? == json!(false) {
        page.click(".samples summary")?;
    }
    page.click(&format!("[data-sample='{first}']"))
}

fn a_sample_is_fetched_when_it_is_chosen(page: &Page) -> Result {
    page.open("?view=positions&model=sinusoidal")?;
    page.wait_until("!!document.querySelector('.samples summary')")?;
    assert_eq!(page.eval(REQUESTS)?, json!([]));
    choose_sample(page, "rxnmapper")?;
    page.model("rxnmapper")?;
    page.table_r2(table_r2("rxnmapper")?, 2e-4)?;
    page.wait_until("location.search.includes('model=rxnmapper')")?;
    assert_eq!(page.eval(REQUESTS)?, json!(["rxnmapper.safetensors"]));
    // A closed sample is not on the list, and can be chosen again.
    page.click("[aria-label='Close rxnmapper']")?;
    page.wait_until("!document.querySelector(\"[data-model='rxnmapper']\")")?;
    choose_sample(page, "rxnmapper")?;
    page.model("rxnmapper")?;
    page.table_r2(table_r2("rxnmapper")?, 2e-4)
}

fn samples_show_their_numbers(page: &Page) -> Result {
    page.open("?view=positions&model=sinusoidal")?;
    for (id, layers) in [("rxnmapper", 1), ("sapiens-vh", 4)] {
        choose_sample(page, id)?;
        page.model(id)?;
        page.table_r2(table_r2(id)?, 2e-4)?;
        page.view("heads")?;
        page.figure("head-grid")?;
        page.wait_until(&format!(
            "document.querySelectorAll('button[data-head]').length === {}",
            8 * layers
        ))?;
        let expected = &golden(id)?["layers"][0][0]["paper_r2"];
        r2_of_first_head(page, expected.as_f64().ok_or("no golden R²")?)?;
        page.view("positions")?;
        page.figure("position-matrix")?;
    }
    Ok(())
}

/// One click opens the pretrained BERT and the two that were fine-tuned from it, in this order.
fn fine_tuning_is_compared_at_once(page: &Page) -> Result {
    const MODELS: [&str; 3] = ["rxnfp-pretrained", "rxnfp-ft-10k", "rxnfp-ft"];
    page.open("?view=training&model=sinusoidal")?;
    choose_sample(page, MODELS[0])?;
    page.model(MODELS[0])?;
    page.wait_until(&format!(
        "[...document.querySelectorAll('[data-snapshot]')].map(e => e.dataset.snapshot).join(' ') === '{}'",
        MODELS.join(" ")
    ))?;
    let curves = page.csv("training-curves")?;
    for (r2, id) in curves.numbers("r2")?.into_iter().zip(MODELS) {
        near(id, r2, table_r2(id)?, 1e-4)?;
    }
    page.view("compare")?;
    page.wait_until("document.querySelectorAll(\"figure[data-figure='position-matrix'][data-state='ready']\").length >= 4")?;
    let scores = page.csv("model-scores")?;
    let whole: Vec<_> = scores
        .column("model")?
        .zip(scores.column("scope")?)
        .collect();
    for id in MODELS {
        let at = whole.iter().position(|row| *row == (id, "whole"));
        let at = at.ok_or_else(|| format!("{id} is not compared"))?;
        near(id, scores.numbers("r2")?[at], table_r2(id)?, 1e-4)?;
    }
    Ok(())
}

fn a_link_opens_a_sample(page: &Page) -> Result {
    page.open("?view=positions&model=sapiens-vh")?;
    page.model("sapiens-vh")?;
    page.table_r2(table_r2("sapiens-vh")?, 2e-4)?;
    // Back to a sample that was closed opens it again.
    page.choose("sinusoidal")?;
    page.click("[aria-label='Close sapiens-vh']")?;
    page.wait_until("!document.querySelector(\"[data-model='sapiens-vh']\")")?;
    page.script("history.back()", vec![])?;
    page.model("sapiens-vh")?;
    page.table_r2(table_r2("sapiens-vh")?, 2e-4)
}
