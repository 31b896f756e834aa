//! Two checkpoints whose shards have the same names: a shard is added to the one that it belongs to, or the page asks.

use std::path::Path;

use browser::test_files::{Shards, shard};
use browser::{Page, Result, scenarios};
use serde_json::{Value, json};

use crate::checkpoints::golden;
use crate::golden::{R2, near};

scenarios! {
    in_chromium: [
        a_shard_of_two_fine_tunes_is_asked_about,
        a_shard_that_fits_one_goes_there,
    ],
}

/// Number of the missing shard; it holds the heads' weights of the first layer.
const LATE: usize = 3;

/// Opens all shards except one, and returns the model's name in the model list.
fn open(page: &Page, shards: &Shards) -> Result<String> {
    let titles = "[...document.querySelectorAll('.shelf [data-model]')].map(e => e.dataset.model)";
    let before = page.eval(titles)?;
    page.open_files(&shards.without(LATE))?;
    page.wait_until(&format!("{titles}.length > {before}.length"))?;
    page.message_with(&shard(LATE))?;
    let after: Vec<String> = serde_json::from_value(page.eval(titles)?)?;
    let before: Vec<String> = serde_json::from_value(before)?;
    let new: Vec<&String> = after.iter().filter(|name| !before.contains(name)).collect();
    match new.as_slice() {
        [name] => Ok((*name).clone()),
        _ => Err(format!("no title of its own among {after:?}").into()),
    }
}

fn add(page: &Page, file: &Path) -> Result {
    page.open_files(&[file])
}

/// R² of the heads of a model's first layer, once they have arrived.
fn heads(page: &Page, model: &str) -> Result<Vec<f64>> {
    page.choose(model)?;
    page.wait_until("document.querySelectorAll('button[data-head]').length === 8")?;
    page.wait_until("[...document.querySelectorAll('button[data-head]')].every(b => /R² [0-9]/.test(b.getAttribute('aria-label')))")?;
    let table = page.csv("head-grid")?;
    Ok(table.numbers("r2")?[..4].to_vec())
}

fn are_the_originals(heads: &[f64]) -> Result<bool> {
    let golden = golden("bert")?;
    let expected = golden["layer0_heads_paper"].as_array().ok_or("no heads")?;
    let of = |head: &Value| head["r2"].as_f64().unwrap_or(f64::NAN);
    Ok(heads
        .iter()
        .zip(expected)
        .all(|(r2, expected)| near("R²", *r2, of(expected), R2).is_ok()))
}

const LACKS: &str = "!!document.querySelector('.missing')";

fn a_shard_of_two_fine_tunes_is_asked_about(page: &Page) -> Result {
    let engine = page.engine.name();
    let first = Shards::original(&format!("first-{engine}"))?;
    let second = Shards::fine_tuned(&format!("second-{engine}"))?;
    page.load("?view=heads&model=sinusoidal")?;
    let first_title = open(page, &first)?;
    let second_title = open(page, &second)?;
    // Names, shapes and sizes are the same in both, so the visitor must choose.
    add(page, &second.shard(LATE))?;
    page.wait_until("document.querySelectorAll('#message button[data-takes]').length === 2")?;
    let takes: Vec<String> = serde_json::from_value(page.eval(
        "[...document.querySelectorAll('#message button[data-takes]')].map(e => e.dataset.takes)",
    )?)?;
    assert!(
        takes.contains(&first_title) && takes.contains(&second_title),
        "{takes:?}"
    );
    page.click(&format!("#message button[data-takes='{second_title}']"))?;
    page.wait_until("document.querySelectorAll('#message button[data-takes]').length === 0")?;
    let of_second = heads(page, &second_title)?;
    assert!(
        !are_the_originals(&of_second)?,
        "the fine-tune's heads are others"
    );
    page.choose(&first_title)?;
    page.wait_until(LACKS)?;
    // Now only one checkpoint lacks it.
    add(page, &first.shard(LATE))?;
    page.wait_until(&format!("!({LACKS})"))?;
    let of_first = heads(page, &first_title)?;
    assert!(are_the_originals(&of_first)?, "{of_first:?}");
    assert_eq!(heads(page, &second_title)?, of_second);
    Ok(())
}

fn a_shard_that_fits_one_goes_there(page: &Page) -> Result {
    let engine = page.engine.name();
    let first = Shards::original(&format!("plain-{engine}"))?;
    let second = Shards::renamed(&format!("renamed-{engine}"))?;
    page.load("?view=heads&model=sinusoidal")?;
    let first_title = open(page, &first)?;
    let second_title = open(page, &second)?;
    // The shard's tensor names are those of the second index.
    add(page, &second.shard(LATE))?;
    let of_second = heads(page, &second_title)?;
    assert!(
        !are_the_originals(&of_second)?,
        "the fine-tune's heads are others"
    );
    assert_eq!(
        page.eval("document.querySelectorAll('#message button[data-takes]').length")?,
        json!(0)
    );
    page.choose(&first_title)?;
    page.wait_until(LACKS)?;
    add(page, &first.shard(LATE))?;
    page.wait_until(&format!("!({LACKS})"))?;
    assert!(are_the_originals(&heads(page, &first_title)?)?);
    Ok(())
}
