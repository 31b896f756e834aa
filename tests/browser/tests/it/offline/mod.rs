//! The page without a network after one visit, and updates to a newer version.

mod cached_page;
mod host;

use browser::{
    Engine, Page, Result,
    hub::{self, Hub},
    scenarios,
};
use cached_page::{KEPT_WITHIN, comes_true, forget, keeps, kept};
use host::{Host, ready};
use serde_json::json;
use std::{fs, time::Duration};
use xtask::{faults::Fault, offline};

scenarios! {
    in_every_engine: [
        after_one_visit_no_network_is_needed,
        a_newer_version_is_a_line_with_a_button,
        a_damaged_entry_is_fetched_anew,
    ],
    in_chromium: [
        a_tab_of_an_older_version_finds_its_parts,
        nothing_of_another_origin_is_kept,
        a_page_that_cannot_be_kept_says_nothing,
        a_page_that_was_kept_is_given_up,
        a_sign_in_page_is_never_kept,
    ],
}

const IS_LATER: &str = "!!document.querySelector('meta[name=later]')";

const SAYS_NEWER: &str = "[...document.querySelectorAll('#message > *')].some(e => e.textContent.includes('newer version'))";

/// Views with figures of the preset, each in a lazy part of its own.
const VIEWS: [&str; 6] = [
    "heads",
    "kernels",
    "encodings",
    "waves",
    "images",
    "positions",
];

/// WebKit, driven by a program, sometimes reports a newer version in a browser that has cached pages of other hosts;
/// the cause is not known. Scenarios that would need a fresh browser for that are skipped there.
fn is_unsteady_here(page: &Page) -> bool {
    let unsteady = page.engine == Engine::WebKit;
    if unsteady {
        println!("\nnot in WebKit, whose service workers of earlier scenarios linger");
    }
    unsteady
}

fn view(page: &Page, id: &str) -> Result {
    page.view(id)?;
    page.wait_until_within(
        "!!document.querySelector(\"main figure[data-figure][data-state='ready']\")",
        KEPT_WITHIN,
    )?;
    let text = page.text("main")?;
    if text.contains("could not be fetched") {
        return Err(format!("{id}: a part could not be fetched").into());
    }
    Ok(())
}

fn after_one_visit_no_network_is_needed(page: &Page) -> Result {
    let mut host = Host::start(page, "none")?;
    if !keeps(page, &host)? {
        return Ok(());
    }
    kept(page)?;
    host.end();
    host.show(page, "?view=positions&model=minilm-l6")?;
    page.table_r2(0.4742, 1e-3)?;
    for id in VIEWS {
        view(page, id)?;
    }
    // Another view by a link, in a reloaded page.
    host.show(page, "?view=heads&model=minilm-l6&layer=2&head=3")?;
    page.figure("head-grid")?;
    // Lectures work offline, too, and the list of lessons shows how much is cached.
    host.show(page, "?lesson=04-toeplitz&lesson-step=3")?;
    page.wait_until("document.querySelector('.lesson .place')?.textContent === '3 of 12'")?;
    page.figure("position-matrix")?;
    page.view("lessons")?;
    page.wait_until(
        "/are saved on this device: [0-9.]+ MB/.test(document.querySelector('.keep-offline')?.textContent)",
    )?;
    assert_eq!(page.eval(SAYS_NEWER)?, json!(false));
    // Fonts and code for saving pictures are cached, too.
    comes_true(
        page,
        "caches.keys().then(async names => (await (await caches.open(names[0])).keys())\
           .filter(r => /split_saving|inter\\.otf|later-|\\.woff2/.test(r.url)).length >= 6)",
    )?;
    forget(page)
}

fn a_newer_version_is_a_line_with_a_button(page: &Page) -> Result {
    let mut host = Host::start(page, "newer")?;
    if !keeps(page, &host)? {
        return Ok(());
    }
    kept(page)?;
    host.deploy_later()?;
    page.eval_async(
        "navigator.serviceWorker.getRegistration().then(found => found.update()).then(() => true)",
    )?;
    page.wait_until_within(SAYS_NEWER, KEPT_WITHIN)?;
    // The open page is unchanged, and its other parts can still be fetched.
    view(page, "encodings")?;
    host.show(page, "?view=positions&model=minilm-l6")?;
    assert_eq!(page.eval(IS_LATER)?, json!(false));
    page.wait_until_within(SAYS_NEWER, KEPT_WITHIN)?;
    page.click("#message button.primary")?;
    page.wait_until_within(IS_LATER, KEPT_WITHIN)?;
    ready(page)?;
    view(page, "kernels")?;
    assert_eq!(page.eval(SAYS_NEWER)?, json!(false));
    // No page uses the previous version any more.
    comes_true(page, "caches.keys().then(names => names.length === 1)")?;
    host.end();
    host.show(page, "?view=positions&model=minilm-l6")?;
    assert_eq!(page.eval(IS_LATER)?, json!(true));
    forget(page)
}

fn a_tab_of_an_older_version_finds_its_parts(page: &Page) -> Result {
    if is_unsteady_here(page) {
        return Ok(());
    }
    let mut host = Host::start(page, "tabs")?;
    if !keeps(page, &host)? {
        return Ok(());
    }
    kept(page)?;
    let [older, newer] = page.another_tab()?;
    host.show(page, "?view=positions&model=minilm-l6")?;
    host.deploy_later()?;
    page.eval_async(
        "navigator.serviceWorker.getRegistration().then(found => found.update()).then(() => true)",
    )?;
    page.wait_until_within(SAYS_NEWER, KEPT_WITHIN)?;
    page.click("#message button.primary")?;
    page.wait_until_within(IS_LATER, KEPT_WITHIN)?;
    ready(page)?;
    kept(page)?;
    view(page, "encodings")?;
    page.to_tab(&older)?;
    assert_eq!(page.eval(IS_LATER)?, json!(false));
    for id in VIEWS {
        view(page, id)?;
    }
    assert_eq!(
        page.eval_async("caches.keys().then(names => names.length)")?,
        json!(2)
    );
    page.close_tab(&newer)?;
    forget(page)
}

fn nothing_of_another_origin_is_kept(page: &Page) -> Result {
    if is_unsteady_here(page) {
        return Ok(());
    }
    let host = Host::start(page, "origins")?;
    let hub = Hub::start(0, false)?;
    hub.put("org/small", "model.safetensors", hub::Content::bert(64));
    hub.put("org/small", "config.json", hub::Content::bert_config());
    let index = host.site.path().join("index.html");
    let named = format!(
        "<meta name=\"hub\" content=\"{}\"><meta charset",
        hub.origin()
    );
    let html = fs::read_to_string(&index)?;
    fs::write(&index, html.replacen("<meta charset", &named, 1))?;
    offline::finish(host.site.path())?;
    if !keeps(page, &host)? {
        return Ok(());
    }
    kept(page)?;
    host.show(page, "?view=positions&model=minilm-l6")?;
    page.wait_until(
        "!!navigator.serviceWorker.controller && !!document.querySelector('#from-web')",
    )?;
    page.fill("#from-web", "org/small")?;
    page.click(".from-web button")?;
    page.wait_until(
        "/512 × 768/.test(document.querySelector('[data-model][aria-current]')?.textContent)",
    )?;
    assert!(!hub.take_log().is_empty());
    let addresses = page.eval_async(
        "caches.keys().then(async names => (await Promise.all(names.map(async name => (await (await caches.open(name)).keys())\
           .map(r => r.url)))).flat())",
    )?;
    let addresses: Vec<String> = serde_json::from_value(addresses)?;
    assert!(addresses.len() > 20);
    let others: Vec<_> = addresses
        .iter()
        .filter(|url| !url.starts_with(&host.url))
        .collect();
    assert!(others.is_empty(), "{others:?}");
    forget(page)
}

fn a_page_that_cannot_be_kept_says_nothing(page: &Page) -> Result {
    const REFUSES: &str = "for (const one of ['register', 'getRegistration'])\
                             globalThis.ServiceWorkerContainer && (ServiceWorkerContainer.prototype[one] = () => Promise.reject(new DOMException('refused', 'SecurityError')));";
    const LACKS: &str = "globalThis.ServiceWorkerContainer && Object.defineProperty(Navigator.prototype, 'serviceWorker', { value: undefined });";
    let mut host = Host::start(page, "refused")?;
    let html = fs::read_to_string(host.site.path().join("index.html"))?;
    // Adds a script to the page, so that it differs from the service worker's list.
    let html = html.replacen(
        "<meta charset",
        "<script src=\"first.js\"></script><meta charset",
        1,
    );
    host.overlay.insert("index.html".to_owned(), html.into());
    for script in [REFUSES, LACKS, ""] {
        host.overlay.insert("first.js".to_owned(), script.into());
        host.return_again()?;
        host.show(page, "?view=positions&model=minilm-l6")?;
        view(page, "encodings")?;
        // Time for a message to appear.
        std::thread::sleep(Duration::from_millis(500));
        assert_eq!(page.text("#message")?, "");
        if page.eval("!!globalThis.caches")? == json!(true) {
            let cached = "caches.match(document.baseURI).then(found => !!found, () => false)";
            assert_eq!(page.eval_async(cached)?, json!(false));
        }
    }
    page.forgive("")
}

fn a_page_that_was_kept_is_given_up(page: &Page) -> Result {
    if is_unsteady_here(page) {
        return Ok(());
    }
    let mut host = Host::start(page, "ended")?;
    if !keeps(page, &host)? {
        return Ok(());
    }
    kept(page)?;
    host.overlay = offline::removal_files(host.site.path())?;
    host.return_again()?;
    host.show(page, "?view=positions&model=minilm-l6")?;
    page.wait_until_within(
        "!!document.querySelector('meta[name=not-offline]')",
        KEPT_WITHIN,
    )?;
    ready(page)?;
    comes_true(page, "caches.keys().then(names => names.length === 0)")?;
    comes_true(
        page,
        "navigator.serviceWorker.getRegistration().then(found => !found)",
    )?;
    page.forgive("")
}

/// Damages every cached file: half of them are truncated, the others have a changed byte.
const DAMAGE: &str = "(async () => {\
    const cache = await caches.open((await caches.keys())[0]), all = await cache.keys();\
    for (const [at, request] of all.entries()) {\
      const found = await cache.match(request), bytes = new Uint8Array(await found.arrayBuffer());\
      bytes[bytes.length - 1] ^= 1;\
      await cache.put(request, new Response(at % 2 ? bytes : bytes.slice(0, bytes.length / 2), { headers: found.headers }));\
    }\
    return all.length; })()";

fn a_damaged_entry_is_fetched_anew(page: &Page) -> Result {
    if is_unsteady_here(page) {
        return Ok(());
    }
    let mut host = Host::start(page, "damaged")?;
    if !keeps(page, &host)? {
        return Ok(());
    }
    kept(page)?;
    host.show(page, "?view=positions&model=minilm-l6")?;
    page.wait_until("!!navigator.serviceWorker.controller")?;
    assert!(page.eval_async(DAMAGE)?.as_u64() > Some(30));
    host.show(page, "?view=positions&model=minilm-l6")?;
    page.table_r2(0.4742, 2e-4)?;
    for id in VIEWS {
        view(page, id)?;
    }
    host.show(page, "?lesson=04-toeplitz&lesson-step=3")?;
    page.wait_until("document.querySelector('.lesson .place')?.textContent === '3 of 12'")?;
    // Damaged files are replaced: requested ones are cached again.
    host.end();
    host.show(page, "?view=heads&model=minilm-l6")?;
    page.figure("head-grid")?;
    host.show(page, "?lesson=04-toeplitz&lesson-step=3")?;
    page.wait_until("document.querySelector('.lesson .place')?.textContent === '3 of 12'")?;
    forget(page)
}

/// Number of cached files that hold the answer of a network with a sign-in page.
const SIGN_IN_PAGES: &str = "(async () => {\
    let count = 0;\
    for (const name of await caches.keys()) {\
      const cache = await caches.open(name);\
      for (const request of await cache.keys())\
        if ((await (await cache.match(request)).text()).includes('Welcome to this network')) count += 1;\
    }\
    return count; })()";

fn a_sign_in_page_is_never_kept(page: &Page) -> Result {
    const PRESET: &str = "presets/minilm-l6.safetensors";
    const LESSON: &str = "lessons/04-toeplitz.bin";
    if is_unsteady_here(page) {
        return Ok(());
    }
    let host = Host::start(page, "portal")?;
    host.faults
        .set([PRESET, LESSON].map(str::to_owned), Fault::WebPage);
    if !keeps(page, &host)? {
        return Ok(());
    }
    page.message_with("sign-in page")?;
    comes_true(
        page,
        "navigator.serviceWorker.getRegistration().then(found => !found?.installing)",
    )?;
    assert_eq!(page.eval_async(SIGN_IN_PAGES)?, json!(0));
    host.faults.clear();
    page.forgive("")?;
    page.click("#message [role=alert] button.primary")?;
    page.view("heads")?;
    page.figure("head-grid")?;
    // Another visit caches everything; lost files are requested again, and a sign-in page is not accepted.
    host.show(page, "?view=positions&model=minilm-l6")?;
    kept(page)?;
    page.wait_until("!!navigator.serviceWorker.controller")?;
    let lose = "(async () => { for (const name of await caches.keys()) for (const file of ARGUMENTS)\
        await (await caches.open(name)).delete(new URL(file, document.baseURI)); return true; })()";
    page.eval_async(&lose.replace("ARGUMENTS", &json!([PRESET, LESSON]).to_string()))?;
    host.faults
        .set([PRESET, LESSON].map(str::to_owned), Fault::WebPage);
    page.goto(&format!("{}?lesson=04-toeplitz&lesson-step=3", host.url))?;
    page.wait_until(
        "document.querySelector('#lesson [role=alert]')?.textContent.includes('sign-in page')",
    )?;
    page.message_with("sign-in page")?;
    assert_eq!(page.eval_async(SIGN_IN_PAGES)?, json!(0));
    host.faults.clear();
    page.forgive("")?;
    page.click("#lesson [role=alert] button.primary")?;
    page.wait_until("document.querySelector('.lesson .place')?.textContent === '3 of 12'")?;
    page.click("#message [role=alert] button.primary")?;
    kept(page)?;
    forget(page)
}
