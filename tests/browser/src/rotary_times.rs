//! Benchmark: heads and wavelengths of rotary models from weights beside NumPy, blocks of GGUF, and the sliders of angles.
//!
//! The models have the names and shapes of published ones and small pseudo-random numbers. Their files are in the disk's
//! cache, for the page as for NumPy.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use xtask::{Result, python, root};

use crate::hub::{Content, LlamaSizes};
use crate::recorder::{RECORDER, print_samples, samples};
use crate::{Page, race_module};

/// Longest computation.
const PATIENCE: Duration = Duration::from_secs(120);
/// Openings of each model.
const OPENINGS: usize = 5;
/// Kinds of blocks, in the order of `BlockRace`.
const BLOCKS: [&str; 3] = ["Q8_0", "Q4_K", "Q6_K"];
/// Megabytes of a tensor in blocks.
const BLOCK_MEGABYTES: usize = 32;

/// NumPy's times in milliseconds, and its matrix library.
#[derive(Deserialize)]
struct Peer {
    library: String,
    /// Mean query and key of the first layer's heads, and their scores by offset.
    heads: f64,
    /// The same, and the norms of all pairs of columns of all layers.
    map: f64,
}

/// Measures models of the sizes of Llama-3.1-8B and SmolLM2-135M, and blocks. A configuration of a model with a change of
/// its angles remains in the returned file, for the sliders.
///
/// # Errors
/// If the page or the browser fails.
pub fn measure(page: &Page) -> Result<PathBuf> {
    let folder = root().join("target/bench");
    fs::create_dir_all(&folder)?;
    let grid = is_painted("head-grid");
    let map = format!("{grid} && {}", is_painted("rotary-frequencies"));
    for (what, sizes, condition, goal, peer) in [
        (
            "Llama-3.1-8B's shape: file to the 32 heads of layer 1",
            LlamaSizes::llama_8b(1),
            &grid,
            1500.0,
            (|peer| peer.heads) as fn(&Peer) -> f64,
        ),
        (
            "SmolLM2-135M's shape: file to heads and to the map of 270",
            LlamaSizes::SMOLLM2_135M,
            &map,
            3000.0,
            |peer| peer.map,
        ),
    ] {
        let files = ["rotary.safetensors", "config.json"].map(|name| folder.join(name));
        Content::llama(sizes).write_repeated(&files[0])?;
        Content::llama_config(sizes).write_sparse(&files[1], u64::MAX)?;
        print_samples(what, &openings(page, &files, condition)?, "ms", goal);
        match numpy(&files) {
            Some(found) => println!(
                "{:<58}{:>10.1}{:>20} ms  (NumPy, all threads, {})",
                "… the same numbers in NumPy",
                peer(&found),
                "",
                found.library
            ),
            None => println!("… NumPy is not measured, for there is no Python with it"),
        }
    }
    fs::remove_file(folder.join("rotary.safetensors"))?;
    blocks(page)?;
    let config = folder.join("config.json");
    Content::llama_config(LlamaSizes::llama_8b(32)).write_sparse(&config, u64::MAX)?;
    Ok(config)
}

/// Condition that a figure is painted with its whole answer.
fn is_painted(figure: &str) -> String {
    format!(
        "performance.getEntriesByName('diagonal:painted:{figure}').length > 0 \
         && document.querySelector('#{figure}')?.dataset.state === 'ready'"
    )
}

/// Times from the choice of a model's files to a condition.
fn openings(page: &Page, files: &[PathBuf; 2], condition: &str) -> Result<Vec<f64>> {
    let files: Vec<&Path> = files.iter().map(AsRef::as_ref).collect();
    let mut times = Vec::new();
    for _ in 0..OPENINGS {
        page.load("?view=heads&model=sinusoidal")?;
        page.script(RECORDER, vec![json!("change"), json!(condition)])?;
        page.open_files(&files)?;
        page.wait_until_within("samples.length > 0", PATIENCE)?;
        times.extend(samples(page, "samples")?);
    }
    Ok(times)
}

fn numpy(files: &[PathBuf; 2]) -> Option<Peer> {
    let output = Command::new(python::find()?)
        .arg(root().join("tests/browser/src/numpy_rotary.py"))
        .args(files)
        .output()
        .ok()?;
    serde_json::from_slice(&output.stdout).ok()
}

/// Reads tensors in blocks of GGUF in one thread: megabytes of the file in a second.
fn blocks(page: &Page) -> Result {
    let _server = race_module::serve(page)?;
    for (kind, name) in BLOCKS.iter().enumerate() {
        let run = format!(
            "(async () => {{\
               const {{ default: start, BlockRace }} = await import(new URL('races.js', location.href));\
               await start();\
               const race = new BlockRace({kind}, {BLOCK_MEGABYTES}), rates = [];\
               for (let run = 0; run < {OPENINGS}; run++) {{\
                 const begun = performance.now(); race.read(); rates.push(1000 * {BLOCK_MEGABYTES} / (performance.now() - begun));\
                 await new Promise(done => setTimeout(done));\
               }}\
               race.free();\
               return rates; }})()"
        );
        let rates: Vec<f64> = serde_json::from_value(page.eval_async(&run)?)?;
        let what = format!("{name} to single precision, one worker");
        print_samples(&what, &rates, "MB/s", 300.0);
    }
    Ok(())
}
