//! Takes screenshots of every view, at common widths, light and dark.
//!
//! `cargo xtask shots DIR`.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use browser::{Engine, Page, Result};
use serde_json::json;

/// Window sizes: a laptop, a projector, a phone.
const SIZES: [(u32, u32); 3] = [(1440, 900), (1280, 720), (390, 844)];

/// Views to capture: name and address.
const VIEWS: [(&str, &str); 7] = [
    ("first", ""),
    ("positions", "?view=positions&model=minilm-l6&pin=130,128"),
    ("heads", "?view=heads&model=minilm-l6&layer=1&head=1"),
    ("kernels", "?view=kernels&model=minilm-l6&layer=1&head=1"),
    (
        "encodings",
        "?view=encodings&model=minilm-l6&layer=1&head=1",
    ),
    ("waves", "?view=waves&model=minilm-l6&layer=1&head=3"),
    ("images", "?view=images&model=minilm-l6&filter=edges"),
];

fn main() -> Result {
    let folder = std::env::args()
        .nth(1)
        .ok_or("a folder for the screenshots is needed")?;
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    let page = Page::start_plain(Engine::Chromium, &Engine::Chromium.programs()?)?;
    for dark in [false, true] {
        page.dark(dark)?;
        for (width, height) in SIZES {
            page.resize(width, height)?;
            for (view, query) in VIEWS {
                let name = format!(
                    "{view}-{width}x{height}-{}",
                    if dark { "dark" } else { "light" }
                );
                page.open(query)?;
                page.model("minilm-l6")?;
                page.ready_figures()?;
                if view == "heads" {
                    // Heads arrive layer by layer.
                    page.wait_until(
                        "document.querySelectorAll('button[data-head]').length === 72",
                    )?;
                }
                // Wait two frames, so that pending paints are in the picture.
                page.eval_async(
                    "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))",
                )?;
                fs::write(folder.join(format!("{name}.png")), capture(&page, false)?)?;
                fs::write(
                    folder.join(format!("{name}-whole.png")),
                    capture(&page, true)?,
                )?;
                println!("{name}");
            }
        }
    }
    Ok(())
}

/// Captures the window, or the whole page with `whole`.
fn capture(page: &Page, whole: bool) -> Result<Vec<u8>> {
    let picture = page.devtools(
        "Page.captureScreenshot",
        json!({ "format": "png", "captureBeyondViewport": whole }),
    )?;
    Ok(BASE64_STANDARD.decode(picture["data"].as_str().ok_or("no picture")?)?)
}
