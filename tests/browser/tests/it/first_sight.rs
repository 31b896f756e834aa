//! The page at its bare address.

use browser::{Page, Result, scenarios};
use serde_json::json;
use xtask::root;

use crate::golden;

scenarios! {
    in_every_engine: [
        begins_with_the_preset,
        the_table_comes_first_and_the_rest_behind_it,
    ],
    in_chromium: [
        a_table_without_the_rest_is_shown_and_not_saved,
        another_picture_keeps_the_place_of_the_table,
        says_what_it_is_before_it_is_there,
        the_title_names_view_and_model,
    ],
}

/// Preset files that were requested.
const ASKED: &str = "performance.getEntriesByType('resource').map(e => e.name.split('presets/')[1]).filter(Boolean)";

fn begins_with_the_preset(page: &Page) -> Result {
    let what = "[...document.querySelectorAll('[data-r2], .caption, [data-model][aria-current] .about')].map(e => e.textContent)";
    page.open("")?;
    assert_eq!(page.current_model()?, "minilm-l6");
    page.table_r2(0.4742, 5e-5)?;
    page.wait_until("!!document.querySelector('.notes')")?;
    let bare = page.eval(what)?;
    // A link that names the preset shows the same.
    page.open("?model=minilm-l6")?;
    page.table_r2(0.4742, 5e-5)?;
    page.wait_until("!!document.querySelector('.notes')")?;
    assert_eq!(page.eval(what)?, bare);
    Ok(())
}

fn the_table_comes_first_and_the_rest_behind_it(page: &Page) -> Result {
    page.open("")?;
    let requests = page.eval(ASKED)?;
    assert_eq!(
        requests,
        json!(["minilm-l6-positions.safetensors", "minilm-l6.safetensors"])
    );
    // Exports use the whole table, and the heads arrive.
    let golden = golden::minilm()?;
    let saved = page.csv("toeplitz-scores")?.numbers("r2")?[0];
    let expected = golden["table"]["inner_product_r2"]
        .as_f64()
        .ok_or("no golden R²")?;
    assert!((saved - expected).abs() < 1e-5, "{saved}, {expected}");
    page.view("heads")?;
    page.figure("head-matrix")?;
    // A view that needs more than the table does not fetch the table file first.
    page.open("?view=heads")?;
    page.figure("head-matrix")?;
    assert_eq!(page.eval(ASKED)?, json!(["minilm-l6.safetensors"]));
    Ok(())
}

fn a_table_without_the_rest_is_shown_and_not_saved(page: &Page) -> Result {
    page.load("?model=random")?;
    page.model("random")?;
    page.script(
        "window.online = fetch; window.fetch = (what, ...given) => \
           String(what).includes('presets/minilm-l6.s') ? Promise.reject(new TypeError('no network')) : window.online(what, ...given)",
        vec![],
    )?;
    page.click("[data-model='minilm-l6']")?;
    page.table_r2(0.4742, 2e-4)?;
    let message = page.message_with("half precision")?;
    assert!(message.contains("with its heads"), "{message}");
    page.press_in_save_menu("#toeplitz-scores", "Download CSV")?;
    page.message_with("was not saved")?;
    assert_eq!(page.eval("probe.downloads.length")?, json!(0));
    // The view of heads does not claim that the model has none.
    page.view("heads")?;
    page.wait_until("document.querySelector('#head-matrix .waiting') !== null")?;
    let text = page.text("main")?;
    for none in ["has no heads", "no heads to show"] {
        assert!(!text.contains(none), "{text}");
    }
    page.view("positions")?;
    page.table_r2(0.4742, 2e-4)?;
    // Back online, the rest arrives, and the numbers are the same up to their last digits.
    page.script("window.fetch = window.online", vec![])?;
    page.click("#message .primary")?;
    page.wait_until("!!document.querySelector('.notes')")?;
    page.dismiss()?;
    let golden = golden::minilm()?;
    let saved = page.csv("toeplitz-scores")?.numbers("r2")?[0];
    let expected = golden["table"]["inner_product_r2"]
        .as_f64()
        .ok_or("no golden R²")?;
    assert!((saved - expected).abs() < 1e-5, "{saved}, {expected}");
    page.view("heads")?;
    page.figure("head-matrix")
}

fn another_picture_keeps_the_place_of_the_table(page: &Page) -> Result {
    page.load("?model=random")?;
    page.script("sessionStorage.setItem('hold', 'yes')", vec![])?;
    page.load("")?;
    page.wait_until("performance.getEntriesByName('diagonal:painted:stand-in').length > 0")?;
    // It is labelled as the sinusoidal table, and has no numbers.
    let caption = page.text("#position-matrix .caption")?;
    assert!(
        caption.contains("This is a sinusoidal table until"),
        "{caption}"
    );
    page.open_save_menu("#position-matrix")?;
    let state = page.eval(
        "[document.querySelector('#position-matrix').dataset.state,\
          document.querySelector(\"[data-r2='whole']\").textContent,\
          document.querySelector(\"#position-matrix button[aria-label='Download PNG']\").disabled,\
          document.querySelector('#position-matrix .summary').textContent]",
    )?;
    assert_eq!(state, json!(["waiting", "", true, ""]));
    page.script("sessionStorage.removeItem('hold'); probe.release()", vec![])?;
    page.figure("position-matrix")?;
    page.wait_until("document.querySelector('.stand-in').hidden")?;
    let caption = page.text("#position-matrix .caption")?;
    assert!(!caption.contains("sinusoidal"), "{caption}");
    // A table that the visitor chose is not labelled as a placeholder.
    page.open("?model=sinusoidal")?;
    page.table_r2(1.0, 5e-5)?;
    let caption = page.text("#position-matrix .caption")?;
    assert!(!caption.contains("until"), "{caption}");
    // Nine bars that all read 1 are drawn as one, with a sentence; the CSV has all nine numbers.
    let text = page.text("#toeplitz-scores .caption")?;
    assert!(text.contains("every R² is 1"), "{text}");
    assert_eq!(page.csv("toeplitz-scores")?.rows.len(), 9);
    Ok(())
}

fn says_what_it_is_before_it_is_there(page: &Page) -> Result {
    let still = "[...document.querySelectorAll('h1')].map(e => e.textContent.trim()).join() + ' ' + document.querySelector('.intro').textContent";
    page.open("")?;
    let there = page.eval(still)?;
    assert_eq!(
        page.eval("document.querySelectorAll('#still, #still-header').length")?,
        json!(0)
    );
    // The static document says the same, without any script.
    let html = std::fs::read_to_string(browser::page::dist().join("index.html"))?;
    let body = &html[html.find("<body").ok_or("no body")?..];
    let unscripted = page.eval(&format!(
        "(document => {still})(new DOMParser().parseFromString({}, 'text/html'))",
        json!(body)
    ))?;
    assert_eq!(unscripted, there);
    // The static picture has the same place as the page's own.
    let source = std::fs::read_to_string(root().join("index.html"))?;
    assert!(source.contains("<svg viewBox"), "there is no still picture");
    Ok(())
}

fn the_title_names_view_and_model(page: &Page) -> Result {
    let titled = |title: &str| {
        page.wait_until(&format!("document.title === {}", json!(title)))
            .map(drop)
            .map_err(|error| format!("{title}: {error}"))
    };
    page.open("")?;
    titled("Positions · minilm-l6 · Diagonal")?;
    page.view("heads")?;
    titled("Heads · minilm-l6 · Diagonal")?;
    page.choose("sinusoidal")?;
    titled("Heads · sinusoidal · Diagonal")?;
    for title in [
        "Heads · minilm-l6 · Diagonal",
        "Positions · minilm-l6 · Diagonal",
    ] {
        page.script("history.back()", vec![])?;
        titled(title)?;
    }
    page.script("history.forward()", vec![])?;
    titled("Heads · minilm-l6 · Diagonal")?;
    // A file name is shown as text, shortened.
    let folder = root().join("target/tmp");
    std::fs::create_dir_all(&folder)?;
    let name = format!("{} <b>&amp; so on", "x".repeat(80));
    let path = folder.join(format!("{name}.safetensors"));
    std::fs::copy(root().join("tests/data/bert/model.safetensors"), &path)?;
    page.open_files(&[&path])?;
    titled(&format!("Heads · {}… · Diagonal", "x".repeat(59)))?;
    std::fs::remove_file(path)?;
    Ok(())
}
