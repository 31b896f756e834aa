//! Heads of rotary models whose mean queries and keys are those of a text.

use browser::page::figure;
use browser::{Page, Result, scenarios};
use serde_json::json;
use std::path::Path;

use crate::checkpoints::files;
use crate::texts::type_text;

scenarios! {
    in_chromium: [
        a_text_gives_every_layer_heads,
        a_typed_text_gives_heads_and_stays_out_of_the_link,
        kernels_are_fitted_to_a_head_over_a_text,
        a_model_of_position_weights_alone_says_so_once,
    ],
}

/// Token ids of a text in a link: the small model has no tokenizer.
const IDS: &str = "6%2016%206%2010%2028%2026%2038%2030%2036";

fn open_qwen(page: &Page, query: &str) -> Result {
    page.open(query)?;
    let files = files("forward/qwen3")?;
    let files: Vec<&Path> = files.iter().map(AsRef::as_ref).collect();
    page.open_files(&files)
}

/// The layers in the table of the head grid.
fn layers(page: &Page) -> Result<f64> {
    let layers = page.csv("head-grid")?.numbers("layer")?;
    Ok(layers.into_iter().fold(0.0, f64::max))
}

fn waits_for_caption(page: &Page, id: &str, words: &str) -> Result {
    let figure = figure(id);
    page.wait_until(&format!(
        "document.querySelector(\"{figure} .caption\")?.textContent.includes('{words}')"
    ))?;
    Ok(())
}

fn a_text_gives_every_layer_heads(page: &Page) -> Result {
    open_qwen(
        page,
        &format!("?view=heads&layer=2&head=2&centres=text&text={IDS}"),
    )?;
    for id in [
        "head-grid",
        "head-profile",
        "head-matrix",
        "position-budget",
    ] {
        page.figure(id)?;
        waits_for_caption(page, id, "over 8 tokens of the text")?;
    }
    assert_eq!(layers(page)?, 2.0);
    let budget = page.csv("position-budget")?;
    let last = budget.columns.last().map(String::as_str);
    assert_eq!(last, Some("source"));
    assert_eq!(budget.numbers("layer")?.last(), Some(&2.0));
    page.has_no_barriers("heads over a text")?;
    // From weights there is one layer.
    page.click_named("from weights")?;
    page.wait_until("!new URLSearchParams(location.search).has('centres')")?;
    page.figure("head-grid")?;
    page.wait_until("!document.querySelector('.text-means')")?;
    assert_eq!(layers(page)?, 1.0);
    page.met_no_error()
}

fn a_typed_text_gives_heads_and_stays_out_of_the_link(page: &Page) -> Result {
    open_qwen(page, "?view=text")?;
    page.wait_until("!!document.querySelector('.run-state')")?;
    type_text(page, "6 16 6 10 28")?;
    page.figure("text-head-grid")?;
    page.click("nav a[data-view='heads']")?;
    page.figure("head-grid")?;
    page.click_named("over the last text")?;
    waits_for_caption(page, "head-grid", "over 4 tokens of the text")?;
    assert_eq!(layers(page)?, 2.0);
    page.wait_until("!new URLSearchParams(location.search).has('centres')")?;
    page.met_no_error()
}

fn kernels_are_fitted_to_a_head_over_a_text(page: &Page) -> Result {
    open_qwen(
        page,
        &format!(
            "?view=kernels&layer=2&head=1&fit=head.3&more=fit-beside-head&centres=text&text={IDS}"
        ),
    )?;
    for id in ["kernel-function", "kernel-fit"] {
        page.figure(id)?;
        waits_for_caption(page, id, "over 8 tokens of the text")?;
    }
    assert_eq!(
        page.eval("document.querySelectorAll('.text-means').length")?,
        json!(1)
    );
    page.met_no_error()
}

/// A run that ships with the page has no values, so no text can pass it.
fn a_model_of_position_weights_alone_says_so_once(page: &Page) -> Result {
    page.open(&format!(
        "?view=heads&model=run&run=repeat.rotary.m.1.1000&centres=text&text={IDS}"
    ))?;
    page.wait_until(
        "document.querySelector('.text-means [role=alert]')?.textContent.includes('only the weights that positions need')",
    )?;
    page.wait_until(
        "document.querySelector('#head-grid .waiting').textContent === 'No text has passed this model.'",
    )?;
    page.wait_until("document.querySelectorAll('#message > *').length === 0")?;
    page.click_named("from weights")?;
    page.figure("head-grid")?;
    page.met_no_error()
}
