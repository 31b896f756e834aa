//! Links: the address holds the state, and is not trusted.

use browser::hub::Hub;
use browser::{Page, Result, scenarios};
use xtask::root;

use crate::golden::numbers;

scenarios! {
    in_every_engine: [
        a_link_restores_what_it_names,
    ],
    in_chromium: [
        the_address_follows_the_page,
        a_malformed_link_opens_with_a_note,
        a_link_to_the_hub_asks_first,
    ],
}

fn a_link_restores_what_it_names(page: &Page) -> Result {
    page.open("?view=heads&model=minilm-l6&layer=3&head=7&map=viridis")?;
    page.figure("head-matrix")?;
    assert_eq!(page.current_model()?, "minilm-l6");
    page.wait_until(
        "document.querySelector(\"button[data-head='3-7']\")\
         ?.matches('[aria-current], [aria-pressed=true]')",
    )?;

    page.open("?view=kernels&model=sinusoidal&kernels=2:0.5:-1;-1.5:0.01:4:m&n=128")?;
    page.figure("kernel-function")?;
    let values = page.eval(
        "[...document.querySelectorAll(\"input[aria-label*=', kernel '][aria-label$=', exact']\")].map(e => parseFloat(e.value))",
    )?;
    assert_eq!(numbers(&values), [2.0, 0.5, -1.0, -1.5, 0.01, 4.0]);
    Ok(())
}

fn the_address_follows_the_page(page: &Page) -> Result {
    page.open("?model=sinusoidal")?;
    page.click("[data-model='minilm-l6']")?;
    page.view("heads")?;
    page.figure("head-grid")?;
    page.click("button[data-head='2-5']")?;
    page.figure("head-matrix")?;
    page.wait_until("location.search.includes('layer=2') && location.search.includes('head=5')")?;
    let link = page.link("head-matrix")?;
    assert!(
        link.starts_with(page.base()),
        "{link} is no address of this page"
    );
    for part in ["view=heads", "model=minilm-l6", "layer=2", "head=5"] {
        assert!(link.contains(part), "{link} lacks {part}");
    }
    page.goto("about:blank")?;
    page.goto(&link)?;
    page.figure("head-matrix")?;
    assert_eq!(page.current_model()?, "minilm-l6");
    Ok(())
}

fn a_malformed_link_opens_with_a_note(page: &Page) -> Result {
    let malformed = [
        "?view=nowhere",
        "?model=../../etc/passwd",
        "?view=heads&model=minilm-l6&layer=99&head=-1",
        "?view=kernels&kernels=1:2;NaN:1:1",
        "?n=1e99&clip=many&window=9-1,0-0&pin=%F0%9F",
        "?unknown=%3Cimg%20src=x%20onerror=alert(1)%3E",
    ];
    for query in malformed {
        page.open(query)?;
        page.wait_until("!!document.querySelector(\"figure[data-figure][data-state='ready']\")")?;
        // The message area only: other parts of the page may show text at any time.
        let note = page.wait_until(
            "[...document.querySelectorAll('#message')]\
             .filter(e => !e.hidden).map(e => e.textContent.trim()).join(' ').trim()",
        );
        let note = note.map_err(|error| format!("{query}: {error}"))?;
        assert!(
            browser::bad_files::is_sentence(note.as_str().unwrap_or_default()),
            "{query}: {note}"
        );
        assert_eq!(
            page.eval("document.querySelectorAll('img').length")?,
            0,
            "{query} became markup"
        );
    }
    Ok(())
}

fn a_link_to_the_hub_asks_first(page: &Page) -> Result {
    let hub = Hub::start(0, false)?;
    hub.put_folder("test/tiny", &root().join("tests/data/bert"))?;
    let url = page.serve_beside(page.content_beside(&hub)?)?;
    page.goto(&format!("{url}?view=positions&hf=test/tiny"))?;
    let message = page.message_with("asks to fetch test/tiny from")?;
    assert!(message.contains(&hub.origin()), "{message}");
    assert_eq!(hub.take_log().len(), 0, "fetched without being asked to");
    page.click("#message .primary")?;
    page.model("test/tiny")?;
    page.figure("position-matrix")?;
    assert!(!hub.take_log().is_empty());
    page.wait_until("location.search.includes('hf=test/tiny')")?;
    // A closed model is removed, and the next one is shown.
    page.click("[data-model='test/tiny'] + .close")?;
    page.wait_until("!document.querySelector(\"[data-model='test/tiny']\")")?;
    page.model("sinusoidal")?;
    // Typing a name counts as consent.
    page.fill("#from-web", "test/tiny")?;
    page.click(".from-web button")?;
    page.model("test/tiny")?;
    page.figure("position-matrix")
}
