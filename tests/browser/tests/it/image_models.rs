//! The open model in the view of images: which heads are convolutions, and the similarity of its patches.

use browser::{Page, Result, page::figure, scenarios};
use serde_json::json;
use std::time::Duration;

use crate::checkpoints::open;

scenarios! {
    in_chromium: [
        heads_of_a_text_are_curves_with_letters,
        patches_of_an_image_are_compared,
        a_table_is_brought_to_another_grid,
        windows_are_shown_by_head,
        heads_of_the_papers_own_code_open,
    ],
}

/// Longer than all heads of the preset take.
const SOON: Duration = Duration::from_secs(60);

fn caption(page: &Page, id: &str) -> Result<String> {
    page.text(&format!("{} .caption", figure(id)))
}

fn heads_of_a_text_are_curves_with_letters(page: &Page) -> Result {
    page.open("?view=images&model=minilm-l6&mode=computed")?;
    page.model("minilm-l6")?;
    page.wait_until("/no patches/.test(document.querySelector('.of-text')?.textContent)")?;
    assert_eq!(
        page.eval("!!document.querySelector('#head-convolution')")?,
        json!(false)
    );
    page.click("#text-convolutions > summary")?;
    page.computed(SOON)?;
    page.figure("head-convolution")?;
    let table = page.csv("head-convolution")?;
    assert_eq!(
        table.columns,
        [
            "layer",
            "head",
            "explained",
            "scores_r2",
            "profile",
            "attention_near",
            "peak_offset",
            "width"
        ]
    );
    assert_eq!(table.rows.len(), 72);
    let explained = table.numbers("explained")?;
    assert!(
        explained.iter().all(|share| (0.0..=1.0).contains(share)),
        "{explained:?}"
    );
    // Head 3 of the first layer attends to the previous position.
    assert_eq!(table.numbers("peak_offset")?[2], -1.0);
    let text = page.text(&format!("{} .summary", figure("head-convolution")))?;
    assert!(
        text.contains("Layer 1: ") && text.contains("Layer 6: "),
        "{text}"
    );
    // Clicking a head opens it, as in the grid of heads.
    let css = format!("{} button[data-head='1-3']", figure("head-convolution"));
    page.click(&css)?;
    page.wait_until("location.search.includes('head=3')")?;
    page.wait_until(&format!(
        "document.querySelector({css:?}).getAttribute('aria-pressed') === 'true'"
    ))?;
    // Positions in one row have no patches, and the card names a model kind that does.
    page.wait_until(
        "document.querySelector(\"figure[data-figure='grid-similarity']\").dataset.state === 'failed'",
    )?;
    let text = page.text(&format!("{} .waiting", figure("grid-similarity")))?;
    assert!(
        text.contains("image model") && text.contains("ViT"),
        "{text}"
    );
    Ok(())
}

fn patches_of_an_image_are_compared(page: &Page) -> Result {
    page.open("?view=images&model=sinusoidal")?;
    open(page, "vit")?;
    page.figure("grid-similarity")?;
    let table = page.csv("grid-similarity")?;
    assert_eq!(
        table.columns[..5],
        ["y", "x", "patch_y", "patch_x", "similarity"]
    );
    assert_eq!(table.rows.len(), 64 * 64);
    let similarity = table.numbers("similarity")?;
    for patch in 0..64 {
        let own = similarity[patch * 64 + patch];
        assert!((own - 1.0).abs() < 1e-5, "{patch}: {own}");
    }
    // Pointing at a patch in a map shows the similarity of the two.
    page.script(
        "const view = document.querySelector(arguments[0]); const place = view.getBoundingClientRect();\
         view.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, clientX: place.left + 2, clientY: place.top + 2 }))",
        vec![json!(format!("{} .figure-view", figure("grid-similarity")))],
    )?;
    page.wait_until(
        "[...document.querySelectorAll('.images .readout div')].some(d => d.textContent.startsWith('similarity') && parseFloat(d.querySelector('dd').textContent) === 1)",
    )?;
    page.figure("head-convolution")?;
    let heads = page.csv("head-convolution")?;
    assert_eq!(heads.rows.len(), 8);
    assert!(
        heads.columns.contains(&"peak_dy".to_owned()),
        "{:?}",
        heads.columns
    );
    // Inner products give other numbers, and the link stores the choice.
    let painted = page.painted_at("grid-similarity")?;
    page.click_named("inner product")?;
    page.painted_since("grid-similarity", painted)?;
    page.wait_until("location.search.includes('patches=inner-product')")?;
    page.computed(SOON)?;
    assert_ne!(
        page.csv("grid-similarity")?.numbers("similarity")?,
        similarity
    );
    Ok(())
}

fn a_table_is_brought_to_another_grid(page: &Page) -> Result {
    page.open("?view=images&model=sinusoidal")?;
    open(page, "vit")?;
    page.figure("grid-similarity")?;
    page.fill("input[aria-label='Patch rows']", "12")?;
    page.wait_until("location.search.includes('patch-grid=12x8')")?;
    page.wait_until(
        "document.querySelector(\"figure[data-figure='grid-similarity'] .caption\").textContent.includes('Resampled from 8 × 8 to 12 × 8')",
    )?;
    page.computed(SOON)?;
    assert_eq!(page.csv("grid-similarity")?.rows.len(), 96 * 96);
    let bicubic = caption(page, "grid-similarity")?;
    let painted = page.painted_at("grid-similarity")?;
    page.click_named("bilinear")?;
    page.painted_since("grid-similarity", painted)?;
    page.wait_until("location.search.includes('resampling=bilinear')")?;
    page.computed(SOON)?;
    assert_ne!(caption(page, "grid-similarity")?, bicubic);
    page.click_named("Own grid")?;
    page.wait_until("!location.search.includes('patch-grid')")?;
    page.wait_until(
        "document.querySelector(\"figure[data-figure='grid-similarity'] .caption\").textContent.startsWith('One map per patch')",
    )?;
    Ok(())
}

fn windows_are_shown_by_head(page: &Page) -> Result {
    page.open("?view=images&model=sinusoidal")?;
    open(page, "swin")?;
    page.figure("grid-similarity")?;
    assert_eq!(
        page.csv("grid-similarity")?.columns,
        ["layer", "head", "dy", "dx", "score"]
    );
    page.figure("head-convolution")?;
    let heads = page.csv("head-convolution")?;
    for (scores, attention) in heads
        .numbers("scores_r2")?
        .into_iter()
        .zip(heads.numbers("explained")?)
    {
        assert!(scores > 0.999_999, "{scores}");
        assert!(attention < 1.0 && attention > 0.5, "{attention}");
    }
    let text = caption(page, "head-convolution")?;
    assert!(text.contains("edges"), "{text}");
    Ok(())
}

fn heads_of_the_papers_own_code_open(page: &Page) -> Result {
    for (folder, layers) in [("attention-cnn-torch", 2), ("attention-cnn-learned", 2)] {
        page.load("?view=images&model=sinusoidal")?;
        open(page, folder)?;
        page.figure("head-convolution")?;
        page.figure("grid-similarity")?;
        assert_eq!(page.csv("head-convolution")?.rows.len(), 4 * layers);
        // A note beside the layer choice says that learned heads are not Gaussians; there is no separate message.
        page.computed(SOON)?;
        let announced =
            "document.getElementById('message')?.textContent.includes('Gaussians') ?? false";
        assert_eq!(page.eval(announced)?, json!(false), "{folder}");
        let here = "[...document.querySelectorAll('main .hint')].some(e => e.textContent.includes('not stored as Gaussians'))";
        assert_eq!(
            page.eval(here)?,
            json!(folder == "attention-cnn-learned"),
            "{folder}"
        );
    }
    Ok(())
}
