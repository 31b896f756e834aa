//! Measures what the heads view computes about words and softmax, and a layer as a convolution: the time from a changed
//! link to the painted figure.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use xtask::minilm::minilm;
use xtask::{Result, root};

use crate::Page;
use crate::recorder::{RECORDER, print_samples, samples};
use crate::text_times::large_model;

/// Longest computation.
const PATIENCE: Duration = Duration::from_secs(120);
/// Repetitions of a measurement whose answer is of all heads.
const REPETITIONS: usize = 5;
/// Heads of a layer of both models.
const HEADS: usize = 12;

/// Measures MiniLM-L6 (72 heads of 512 positions) and a model of the size of BERT-base.
///
/// # Errors
/// If the page or the browser fails.
pub fn measure(page: &Page) -> Result {
    let folder = root().join("target/bench");
    fs::create_dir_all(&folder)?;
    match minilm() {
        Some(files) => {
            open(page, &[&files.model, &files.config], "")?;
            terms(page, "MiniLM-L6")?;
            draws(page, "MiniLM-L6")?;
        }
        None => println!("heads of MiniLM-L6: not measured, the checkpoint is not to be had"),
    }
    let files = large_model(&folder)?;
    let files: Vec<&Path> = files.iter().map(AsRef::as_ref).collect();
    open(page, &files, "")?;
    terms(page, "BERT-base")?;
    draws(page, "BERT-base")?;
    all_heads(page, &files)?;
    convolution(page)?;
    Ok(fs::remove_dir_all(&folder)?)
}

/// Opens a model in the heads view, with further fields of the link.
fn open(page: &Page, files: &[&Path], fields: &str) -> Result {
    page.load(&format!(
        "?view=heads&model=sinusoidal&mode=computed&more=word-and-position{fields}"
    ))?;
    page.open_files(files)?;
    page.wait_until_within(
        "document.querySelector('#head-grid')?.dataset.state === 'ready'",
        PATIENCE,
    )
    .map(drop)
}

/// Condition that a figure is painted with its whole answer.
fn is_painted(figure: &str) -> String {
    format!(
        "performance.getEntriesByName('diagonal:painted:{figure}').length > 0 \
         && document.querySelector('#{figure}')?.dataset.state === 'ready'"
    )
}

/// Sets fields of the link as the history does.
fn change_link(page: &Page, fields: &[(&str, String)]) -> Result {
    page.script(
        "const link = new URLSearchParams(location.search);\
         for (const [name, value] of arguments[0]) link.set(name, value);\
         history.pushState(null, '', '?' + link);\
         dispatchEvent(new PopStateEvent('popstate'))",
        vec![json!(fields)],
    )
    .map(drop)
}

/// Times from another head in the link to a painted figure about it.
fn another_head(page: &Page, figure: &str, layer: usize) -> Result<Vec<f64>> {
    page.figure(figure)?;
    page.script(RECORDER, vec![json!("popstate"), json!(is_painted(figure))])?;
    for head in 1..=HEADS {
        change_link(
            page,
            &[("layer", layer.to_string()), ("head", head.to_string())],
        )?;
        page.wait_until_within(&format!("samples.length >= {head}"), PATIENCE)?;
    }
    samples(page, "samples")
}

/// Times to the four terms of a head's scores.
fn terms(page: &Page, model: &str) -> Result {
    let times = another_head(page, "score-terms", 2)?;
    let what = format!("{model}, 512 positions: a head to its terms");
    print_samples(&what, &times, "ms", 120.0);
    Ok(())
}

/// Times to the attention of a head for 20 draws of random words.
fn draws(page: &Page, model: &str) -> Result {
    let times = another_head(page, "position-dependence", 3)?;
    let what = format!("{model}, 512 positions: a head to its 20 draws of words");
    print_samples(&what, &times, "ms", 300.0);
    Ok(())
}

/// Times of R² of all 144 heads of BERT-base, weighted by attention, beside that of the list of heads, which has R² of
/// the scores and of the scores without row means.
fn all_heads(page: &Page, files: &[&Path]) -> Result {
    let (mut lists, mut weighted) = (Vec::new(), Vec::new());
    for _ in 0..REPETITIONS {
        open(page, files, "")?;
        page.script(
            RECORDER,
            vec![json!("popstate"), json!(is_painted("head-grid"))],
        )?;
        for (times, field) in [
            (&mut lists, ("mode", "paper")),
            (&mut weighted, ("r2", "attention")),
        ] {
            let before = samples(page, "samples")?.len();
            change_link(page, &[(field.0, field.1.to_owned())])?;
            page.wait_until_within(&format!("samples.length > {before}"), PATIENCE)?;
            times.extend(samples(page, "samples")?.pop());
        }
    }
    print_samples("BERT-base: R² of 144 heads", &lists, "ms", f64::NAN);
    print_samples(
        "BERT-base: R² of 144 heads, weighted by attention",
        &weighted,
        "ms",
        f64::NAN,
    );
    let ratios: Vec<f64> = weighted.iter().zip(&lists).map(|(a, b)| a / b).collect();
    print_samples("… of that, ratio to the list of heads", &ratios, "×", 1.3);
    Ok(())
}

/// Times from another layer of BERT-base to its convolution along the positions.
fn convolution(page: &Page) -> Result {
    const FIGURE: &str = "layer-convolution";
    change_link(
        page,
        &[
            ("view", "images".to_owned()),
            ("more", "text-convolutions".to_owned()),
        ],
    )?;
    page.wait_until_within(
        &format!("document.querySelector('#{FIGURE}')?.dataset.state === 'ready'"),
        PATIENCE,
    )?;
    page.script(RECORDER, vec![json!("popstate"), json!(is_painted(FIGURE))])?;
    for layer in 4..=HEADS {
        change_link(page, &[("layer", layer.to_string())])?;
        page.wait_until_within(&format!("samples.length > {}", layer - 4), PATIENCE)?;
    }
    let times = samples(page, "samples")?;
    print_samples(
        "BERT-base: a layer to its convolution",
        &times,
        "ms",
        1000.0,
    );
    Ok(())
}
