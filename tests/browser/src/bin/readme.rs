//! Takes the README's pictures: one of each feature.
//!
//! `cargo xtask pictures`.

use std::fs;
use std::path::PathBuf;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use browser::{Engine, Page, Result};
use serde_json::json;

/// A picture of a feature.
struct Picture {
    /// File name without its ending.
    name: &'static str,
    /// Address.
    query: &'static str,
    /// Checkpoints in `tests/data` to open first.
    files: &'static [&'static str],
    /// Figures to wait for.
    figures: &'static [&'static str],
    /// Figure at the top of the picture, if it is not the top of the view.
    top: Option<&'static str>,
}

/// Window size in CSS pixels.
const SIZE: (u32, u32) = (1280, 720);

const PICTURES: &[Picture] = &[
    Picture {
        name: "heads",
        query: "?view=heads&model=minilm-l6&layer=1&head=1",
        files: &[],
        figures: &["head-grid", "head-matrix"],
        top: None,
    },
    Picture {
        name: "text",
        query: "?view=text&model=minilm-l6-whole&sample=dog&layer=1&head=3",
        files: &[],
        figures: &["text-head-grid", "text-matrix"],
        top: Some("text-head-grid"),
    },
    Picture {
        name: "kernels",
        query: "?view=kernels&kernels=3:0.01:-40;2:0.05:20&n=256",
        files: &[],
        figures: &["kernel-function", "kernel-matrix", "kernel-attention"],
        top: None,
    },
    Picture {
        name: "fits",
        query: "?view=kernels&model=minilm-l6&layer=4&head=11&fit=head.5&more=fit-beside-head",
        files: &[],
        figures: &["kernel-fit", "fit-residual", "fit-curve"],
        top: Some("kernel-fit"),
    },
    Picture {
        name: "encodings",
        query: "?view=encodings&model=minilm-l6&layer=1&head=1",
        files: &[],
        figures: &["encoding-profile", "flat-lines"],
        top: None,
    },
    Picture {
        name: "waves",
        query: "?view=waves&model=minilm-l6&layer=1&head=3",
        files: &[],
        figures: &["spectrum", "sinusoid-test", "columns"],
        top: Some("spectrum"),
    },
    Picture {
        name: "images",
        query: "?view=images&model=minilm-l6&filter=edges",
        files: &[],
        figures: &["gaussian-heads", "filtered-image", "query-attention"],
        top: None,
    },
    Picture {
        name: "compare",
        query: "?view=compare&model=minilm-l6",
        files: &["bert/model.safetensors", "gpt2/model.safetensors"],
        figures: &["compare-profiles", "model-scores"],
        top: None,
    },
    Picture {
        name: "training",
        query: "?view=training&model=sinusoidal&train=chain.learned.m.1.800&step=800",
        files: &[],
        figures: &["training-losses", "training-curves", "training-matrix"],
        top: None,
    },
    Picture {
        name: "rotary",
        query: "?view=heads&model=run&run=repeat.rotary.m.1.1000&layer=1&head=2",
        files: &[],
        figures: &[
            "head-grid",
            "head-profile",
            "position-budget",
            "rotary-frequencies",
        ],
        top: Some("head-entropy"),
    },
    Picture {
        name: "lessons",
        query: "?lesson=04-toeplitz&lesson-step=2&present=",
        files: &[],
        figures: &["position-matrix"],
        top: None,
    },
];

fn main() -> Result {
    let folder = xtask::root().join(".github/pictures");
    fs::create_dir_all(&folder)?;
    let page = Page::start_plain(Engine::Chromium, &Engine::Chromium.programs()?)?;
    page.resize(SIZE.0, SIZE.1)?;
    // The first view is also the picture that sites show beside a link, so it is a PNG.
    page.open("")?;
    for figure in ["position-matrix", "offset-profile", "toeplitz-scores"] {
        page.figure(figure)?;
    }
    fs::write(
        xtask::root().join(".github/picture.png"),
        capture(&page, "png")?,
    )?;
    for picture in PICTURES {
        page.open(picture.query)?;
        if !picture.files.is_empty() {
            let files: Vec<PathBuf> = (picture.files.iter())
                .map(|file| xtask::root().join("tests/data").join(file))
                .collect();
            let paths: Vec<_> = files.iter().map(PathBuf::as_path).collect();
            page.open_files(&paths)?;
        }
        for figure in picture.figures {
            page.figure(figure)?;
        }
        page.computed(std::time::Duration::from_secs(60))?;
        if let Some(top) = picture.top {
            page.eval(&format!(
                "document.getElementById('{top}').scrollIntoView()"
            ))?;
        }
        let file = folder.join(format!("{}.webp", picture.name));
        fs::write(file, capture(&page, "webp")?)?;
        println!("{}", picture.name);
    }
    Ok(())
}

/// Captures the window after two frames, so that pending paints are in the picture.
fn capture(page: &Page, format: &str) -> Result<Vec<u8>> {
    page.eval_async(
        "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))",
    )?;
    let picture = page.devtools("Page.captureScreenshot", json!({ "format": format }))?;
    Ok(BASE64_STANDARD.decode(picture["data"].as_str().ok_or("no picture")?)?)
}
