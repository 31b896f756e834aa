//! Checkpoints of every family and format through the page's one file input, against the golden numbers of
//! the libraries that wrote them.

use std::fs;
use std::path::PathBuf;

use browser::{Page, Result, scenarios};
use serde_json::{Value, json};

use crate::golden::{PROFILE, R2, near, numbers};

scenarios! {
    in_chromium: [
        tables_of_every_family,
        heads_of_every_family,
        relative_positions_have_profiles,
        an_image_has_two_dimensions,
        a_missing_shard_is_taken_when_it_comes,
    ],
}

/// Folders of `tests/data` whose first source is a table. Some hold the same numbers; no two of those are adjacent, so
/// a change of R² shows that the next one is displayed.
const TABLES: &[&str] = &[
    "albert",
    "bert",
    "bart",
    "bert-f16",
    "clip",
    "bert-pickle",
    "deit",
    "bert-sharded",
    "distilbert",
    "bert-bf16",
    "electra",
    "gguf",
    "gpt2",
    "bert-old-names",
    "gpt2-masks-prefix",
    "torch-sharded",
    "longformer",
    "torch-training",
    "mbart",
    "mpnet",
    "openai-gpt",
    "opt-projected",
    "roberta",
    "timm-deit3",
    "timm-vit",
    "vit",
    "whisper",
    "xlm-roberta",
];

/// Folders whose heads are compared too. ALBERT's golden heads are those of the second pass.
const HEADS: &[&str] = &[
    "bart",
    "bert-bf16",
    "bert-pickle",
    "bert-sharded",
    "distilbert",
    "electra",
    "gpt2",
    "mbart",
    "opt-projected",
    "roberta",
    "deit",
    "xlm-roberta",
];

/// Minimum number of golden heads in each mode.
const LEAST_HEADS: usize = 16;

/// The files of a folder, without the golden numbers.
pub(crate) fn files(folder: &str) -> Result<Vec<PathBuf>> {
    let folder = xtask::root().join("tests/data").join(folder);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let other = [
            "golden.json",
            "golden.safetensors",
            "config-v4.json",
            "README.md",
        ];
        if !other.iter().any(|name| path.ends_with(name)) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

pub(crate) fn open(page: &Page, folder: &str) -> Result {
    let files = files(folder)?;
    let files: Vec<_> = files.iter().map(PathBuf::as_path).collect();
    page.open_files(&files)
}

pub(crate) fn golden(folder: &str) -> Result<Value> {
    let path = xtask::root()
        .join("tests/data")
        .join(folder)
        .join("golden.json");
    Ok(serde_json::from_str(&fs::read_to_string(path)?)?)
}

/// Golden numbers of a folder's first source. Older golden files have no level for the source.
fn of_first<'a>(golden: &'a Value, key: &str) -> &'a Value {
    let found = &golden[key];
    ["positions", "encoder", "text"]
        .iter()
        .map(|source| &found[*source])
        .find(|value| value.is_object() || value.is_array())
        .unwrap_or(found)
}

fn tables_of_every_family(page: &Page) -> Result {
    page.open("?model=sinusoidal")?;
    for folder in TABLES {
        let golden = golden(folder)?;
        let table = of_first(&golden, "table");
        let expected = table["inner_product_r2"].as_f64().ok_or("no golden R²")?;
        open(page, folder)?;
        // For image patches, the headline is the R² of two-dimensional offsets.
        let headline = table["inner_product_r2_2d"].as_f64().unwrap_or(expected);
        let shown = page.table_r2(headline, 6e-4);
        shown.map_err(|error| format!("{folder}: {error}; {:?}", page.message()))?;
        let scores = page.csv("toeplitz-scores")?;
        let whole = scores.column("scope")?.position(|scope| scope == "whole");
        let whole = whole.ok_or("no score of the whole")?;
        near(folder, scores.numbers("r2")?[whole], expected, R2)?;
    }
    Ok(())
}

fn heads_of_every_family(page: &Page) -> Result {
    for mode in ["paper", "computed"] {
        let mut compared = 0;
        for folder in HEADS {
            page.load(&format!("?view=heads&model=sinusoidal&mode={mode}"))?;
            let golden = golden(folder)?;
            let key = if mode == "paper" {
                "layer0_heads_paper"
            } else {
                "layer0_heads_as_computed"
            };
            let heads = of_first(&golden, key).as_array();
            // Some golden files hold the heads of only one mode.
            let Some(heads) = heads else { continue };
            open(page, folder)?;
            let last = format!("button[data-head='1-{}']", heads.len());
            page.wait_until(&format!("!!document.querySelector(\"{last}\")"))
                .map_err(|error| format!("{folder}: {error}; {:?}", page.message()))?;
            let grid = page.csv("head-grid")?;
            let r2 = grid.numbers("r2")?;
            for (head, expected) in heads.iter().enumerate() {
                let expected = expected["r2"].as_f64().ok_or("no golden R²")?;
                near(
                    &format!("{folder}, {mode}, head {}", head + 1),
                    r2[head],
                    expected,
                    R2,
                )?;
                compared += 1;
            }
        }
        assert!(
            compared >= LEAST_HEADS,
            "only {compared} heads were compared, {mode}"
        );
    }
    Ok(())
}

fn relative_positions_have_profiles(page: &Page) -> Result {
    let golden = golden("t5")?;
    page.load("?view=heads&model=sinusoidal&mode=computed")?;
    open(page, "t5")?;
    page.figure("head-grid")?;
    // Scores by offset have neither modes nor a formula of position rows; a link that names a mode is still valid.
    let scores = "!!document.querySelector(\"#head-grid [aria-label='Scores']\")";
    assert_eq!(page.eval(scores)?, json!(false));
    let formula = "document.querySelector('#head-grid .formula').textContent";
    assert_eq!(page.eval(formula)?, json!(""));
    assert!(
        page.text("#head-matrix .caption")?
            .contains("from their offset alone")
    );
    let biases = golden["encoder_bias"]
        .as_array()
        .ok_or("no golden biases")?;
    assert!(!biases.is_empty());
    for (head, expected) in biases.iter().enumerate() {
        page.click(&format!("button[data-head='1-{}']", head + 1))?;
        let expected = numbers(expected);
        let range = expected.iter().copied().fold(f64::MIN, f64::max)
            - expected.iter().copied().fold(f64::MAX, f64::min);
        page.wait_until(&format!(
            "document.querySelector(\"button[data-head='1-{}']\")?.getAttribute('aria-pressed') === 'true' || \
             document.querySelector(\"button[data-head='1-{}']\")?.getAttribute('aria-current') !== null",
            head + 1,
            head + 1
        ))?;
        // The open head's figures arrive a moment later.
        let mut close = Ok(());
        for _ in 0..40 {
            let table = page.csv("head-profile")?;
            let (offsets, means) = (table.numbers("offset")?, table.numbers("mean")?);
            // The page shows more positions than the golden numbers cover.
            let reach = (expected.len() / 2) as f64;
            let inner = offsets.iter().zip(&means).filter(|(k, _)| k.abs() <= reach);
            assert_eq!(inner.clone().count(), expected.len());
            close = inner.zip(&expected).try_for_each(|((_, mean), expected)| {
                near("the bias", *mean, *expected, PROFILE * range)
            });
            assert!(means.len() > expected.len());
            if close.is_ok() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        close?;
    }
    Ok(())
}

fn a_missing_shard_is_taken_when_it_comes(page: &Page) -> Result {
    const LATE: &str = "model-00006-of-00007.safetensors";
    page.load("?view=heads&model=sinusoidal")?;
    let files = files("bert-sharded")?;
    let now: Vec<_> = files
        .iter()
        .filter(|f| !f.ends_with(LATE))
        .map(PathBuf::as_path)
        .collect();
    page.open_files(&now)?;
    page.message_with(LATE)?;
    let late = files
        .iter()
        .find(|f| f.ends_with(LATE))
        .ok_or("no such shard")?;
    page.open_files(&[late])?;
    page.wait_until("document.querySelectorAll('button[data-head]').length === 8")?;
    page.wait_until("[...document.querySelectorAll('button[data-head]')].every(b => /R² [0-9]/.test(b.getAttribute('aria-label')))")
        .map(drop)
}

fn an_image_has_two_dimensions(page: &Page) -> Result {
    page.open("?model=sinusoidal")?;
    open(page, "vit")?;
    let golden = golden("vit")?;
    let r2 = |name: &str| golden["table"][name].as_f64().ok_or("no golden R²");
    let in_two_dimensions = r2("inner_product_r2_2d")?;
    // The two-dimensional score comes first.
    page.table_r2(in_two_dimensions, 6e-4)?;
    let scores = page.csv("toeplitz-scores")?;
    let scopes: Vec<&str> = scores.column("scope")?.collect();
    assert_eq!(scopes[..2], ["whole-2d", "whole"]);
    let found = scores.numbers("r2")?;
    near("R² in two dimensions", found[0], in_two_dimensions, R2)?;
    near("R² row by row", found[1], r2("inner_product_r2")?, R2)?;
    let profile = page.csv("grid-profile")?;
    assert_eq!(profile.columns[..4], ["dy", "dx", "mean", "cells"]);
    // 8 × 8 patches: offsets from −7 to 7 both ways.
    assert_eq!(profile.rows.len(), 15 * 15);
    Ok(())
}
