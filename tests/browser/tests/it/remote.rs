//! Remote models, by name and by address: few requests, and every kind of failure.

use std::time::Duration;

use browser::hub::{Content, Hub};
use browser::{Page, Result, scenarios};
use xtask::root;

use crate::checkpoints::golden;

scenarios! {
    in_every_engine: [
        an_address_opens,
    ],
    in_chromium: [
        a_name_in_a_link_is_asked_about_before_anything_is_fetched,
        a_model_of_the_gallery_is_fetched_when_it_is_chosen,
        a_model_opens_by_its_name_in_few_requests,
        faults_are_sentences_and_leave_the_rest_alone,
    ],
}

/// Serves the page beside a local Hub; returns the page's address and the Hub.
fn beside_a_hub(page: &Page) -> Result<(String, Hub)> {
    let hub = Hub::start(0, false)?;
    for folder in ["bert", "bert-sharded"] {
        hub.put_folder(
            &format!("org/{folder}"),
            &root().join("tests/data").join(folder),
        )?;
    }
    hub.put("org/large", "model.safetensors", Content::bert(30_522));
    hub.put("org/large", "config.json", Content::bert_config());
    Ok((page.serve_beside(page.content_beside(&hub)?)?, hub))
}

fn load(page: &Page, url: &str, query: &str) -> Result {
    page.goto(&format!("{url}{query}"))?;
    page.wait_until("!!document.querySelector('#open-file')")
        .map(drop)
}

fn type_name(page: &Page, name: &str) -> Result {
    page.fill("#from-web", name)?;
    page.click(".from-web button")
}

fn a_name_in_a_link_is_asked_about_before_anything_is_fetched(page: &Page) -> Result {
    let (url, hub) = beside_a_hub(page)?;
    load(page, &url, "?hf=org/bert")?;
    page.message_with("org/bert")?;
    std::thread::sleep(Duration::from_millis(300));
    assert!(hub.take_log().is_empty(), "nothing is fetched unasked");
    page.click("#message .primary")?;
    let r2 = golden("bert")?["table"]["inner_product_r2"]
        .as_f64()
        .ok_or("no golden R²")?;
    page.table_r2(r2, 6e-4)
}

fn a_model_of_the_gallery_is_fetched_when_it_is_chosen(page: &Page) -> Result {
    const NAME: &str = "google-bert/bert-base-uncased";
    let hub = Hub::start(0, false)?;
    hub.put_folder(NAME, &root().join("tests/data/bert"))?;
    let url = page.serve_beside(page.content_beside(&hub)?)?;
    load(page, &url, "")?;
    page.click("#gallery-button")?;
    page.wait_until("!!document.querySelector('.gallery [data-hub]')")?;
    std::thread::sleep(Duration::from_millis(300));
    assert!(
        hub.take_log().is_empty(),
        "nothing is fetched before a model is chosen"
    );
    page.click(&format!("[data-hub='{NAME}']"))?;
    page.model(NAME)?;
    let r2 = golden("bert")?["table"]["inner_product_r2"]
        .as_f64()
        .ok_or("no golden R²")?;
    page.table_r2(r2, 6e-4)?;
    let log = hub.take_log();
    assert!(
        log.iter().any(|request| request.path.contains(NAME)),
        "{log:?}"
    );
    page.wait_until("!document.querySelector('.gallery')")
        .map(drop)
}

fn a_model_opens_by_its_name_in_few_requests(page: &Page) -> Result {
    let (url, hub) = beside_a_hub(page)?;
    load(page, &url, "")?;
    type_name(page, "org/large")?;
    page.wait_until("/BERT.*512 × 768/.test(document.querySelector('[data-model][aria-current]')?.textContent ?? '')")?;
    page.figure("position-matrix")?;
    let log = hub.take_log();
    let requests = log.iter().filter(|request| request.status != 302).count();
    let bytes: u64 = log.iter().map(|request| request.sent).sum();
    assert!(requests <= 6, "{log:?}");
    assert!(bytes <= 2_500_000, "{bytes} bytes: {log:?}");
    // The word embeddings of a remote model are sampled, and the page says so.
    page.view("heads")?;
    page.wait_until("document.querySelectorAll('button[data-head]').length === 144")?;
    page.wait_until("/estimated/i.test(document.querySelector('.notes')?.textContent ?? '')")?;
    Ok(())
}

fn an_address_opens(page: &Page) -> Result {
    let (url, hub) = beside_a_hub(page)?;
    load(page, &url, "")?;
    type_name(
        page,
        &format!("{}/org/bert/blob/main/model.safetensors", hub.origin()),
    )?;
    let r2 = golden("bert")?["table"]["inner_product_r2"]
        .as_f64()
        .ok_or("no golden R²")?;
    page.table_r2(r2, 6e-4)?;
    type_name(page, "org/bert-sharded")?;
    page.model("org/bert-sharded")?;
    page.table_r2(r2, 6e-4)
}

fn faults_are_sentences_and_leave_the_rest_alone(page: &Page) -> Result {
    let (url, _hub) = beside_a_hub(page)?;
    load(page, &url, "?model=sinusoidal")?;
    page.figure("position-matrix")?;
    for (fault, word) in [
        ("lie", "again"),
        ("cut-off", "broke off"),
        ("circle", "could not be reached"),
        ("no-cors", "CORS"),
        ("gated", "download"),
        ("too-many", "again"),
        ("broken", "again"),
        ("other-etag", "changed"),
    ] {
        // A file that is read in one request cannot change between two.
        let model = if fault == "other-etag" {
            "large"
        } else {
            "bert"
        };
        page.dismiss()?;
        type_name(page, &format!("org/{model}@{fault}"))?;
        page.message_with(word)
            .map_err(|error| format!("{fault}: {error}; {:?}", page.message()))?;
        assert_eq!(page.current_model()?, "sinusoidal", "{fault}");
    }
    // The page asks before it uses a server that sends only whole files; it retries after a single broken response.
    type_name(page, "org/large@no-range")?;
    page.message_with("whole")?;
    type_name(page, "org/bert@broken-once")?;
    let r2 = golden("bert")?["table"]["inner_product_r2"]
        .as_f64()
        .ok_or("no golden R²")?;
    page.table_r2(r2, 6e-4)?;
    // The browser's log of failed requests is expected.
    page.forgive("Failed to load resource")?;
    page.forgive("CORS")
}
