//! The first seconds: a computed figure, a strict policy, any place on any host.

use browser::session::PATIENCE;
use browser::{Page, Result, in_every_engine};
use diagonal::link::VIEWS;
use serde_json::json;
use xtask::server::{Content, Server};

in_every_engine!(
    opens_with_a_computed_figure,
    holds_to_its_policy,
    works_under_any_path,
    fetches_a_view_when_it_is_shown,
    says_when_a_view_cannot_be_fetched
);

fn opens_with_a_computed_figure(page: &Page) -> Result {
    page.open("")?;
    // Its canvas is painted a frame after the figure is there.
    page.painted_since("position-matrix", 0.0)?;
    assert_eq!(page.current_model()?, "sinusoidal");
    // Sines and cosines depend on the offset alone.
    page.table_r2(1.0, 5e-5)?;
    let painted = page.eval(
        "(() => { const c = document.querySelector(\"figure[data-figure='position-matrix'] canvas\");\
                  const data = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;\
                  return new Set(new Uint32Array(data.buffer)).size; })()",
    )?;
    assert!(
        painted.as_u64() > Some(20),
        "the matrix shows {painted} colours"
    );
    // No download before that: nothing but the page's code has been asked for.
    let asked = page.eval("performance.getEntriesByType('resource').map(e => e.name).filter(n => n.includes('presets/'))")?;
    assert_eq!(asked, json!([]), "asked for without being wanted");
    Ok(())
}

fn holds_to_its_policy(page: &Page) -> Result {
    page.open("")?;
    let policy = page
        .attribute("meta[http-equiv='Content-Security-Policy']", "content")?
        .unwrap_or_default();
    for rule in [
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval' 'sha256-",
        "style-src 'self';",
        "connect-src 'self'",
    ] {
        assert!(policy.contains(rule), "{rule} is missing from: {policy}");
    }
    assert!(
        !policy.contains("'unsafe-inline'") && !policy.contains("'unsafe-eval'"),
        "{policy}"
    );
    let ran = page.eval_async(
        "new Promise(done => { const script = document.createElement('script');\
           script.textContent = 'window.injected = true'; document.head.append(script);\
           setTimeout(() => done(window.injected ?? false), 50); })",
    )?;
    assert_eq!(ran, json!(false), "inline code ran");
    // That violation was meant; everything else counts.
    page.forgive("script-src")?;
    for (_, view, _) in VIEWS {
        page.view(view)?;
        page.wait_until("document.querySelector('main').innerText.trim().length > 100")?;
        page.computed(PATIENCE)?;
    }
    let asked = page.eval("performance.getEntriesByType('resource').map(e => new URL(e.name).origin).filter(o => o !== location.origin && o !== 'null')")?;
    assert_eq!(asked, json!([]), "asked of other hosts");
    Ok(())
}

fn works_under_any_path(page: &Page) -> Result {
    let server = Server::start(
        Content {
            mount: "/some/place".to_owned(),
            ..page.content()?
        },
        0,
    )?;
    page.goto(&format!("{}?view=positions&model=minilm-l6", server.url()))?;
    page.figure("position-matrix")?;
    // The worker and the preset were found too.
    page.table_r2(0.4742, 2e-4)
}

fn fetches_a_view_when_it_is_shown(page: &Page) -> Result {
    let later = "performance.getEntriesByType('resource').map(e => e.name.split('/').pop()).filter(n => /^(split|chunk)_/.test(n))";
    page.open("?model=minilm-l6")?;
    page.figure("position-matrix")?;
    // What can be set of a model comes once one is open; a view comes when it is shown.
    let views = page.eval(&format!(
        "{later}.filter(n => /^split_(?!details)/.test(n))"
    ))?;
    assert_eq!(views, json!([]), "fetched before being shown");
    page.view("kernels")?;
    page.figure("kernel-function")?;
    let fetched = page.eval(&format!("{later}.sort().join(' ')"))?;
    let fetched = fetched.as_str().unwrap_or_default();
    assert!(
        fetched.contains("split_kernels") && !fetched.contains("split_models"),
        "{fetched}"
    );
    // What is here is not fetched again, and what both views need is there for the other.
    page.view("positions")?;
    page.view("kernels")?;
    page.figure("kernel-function")?;
    page.view("heads")?;
    page.figure("head-grid")?;
    let again = page.eval(&format!("(n => n.length - new Set(n).size)({later})"))?;
    assert_eq!(again, json!(0), "fetched twice");
    Ok(())
}

fn says_when_a_view_cannot_be_fetched(page: &Page) -> Result {
    page.open("")?;
    page.script(
        "window.online = fetch; window.fetch = () => Promise.reject(new TypeError('no network'))",
        vec![],
    )?;
    page.view("kernels")?;
    page.wait_until("!!document.querySelector('#main [role=alert] button')")?;
    let told = page.text("#main [role=alert]")?;
    assert!(told.contains("could not be fetched"), "{told}");
    // The browser's console keeps the reason.
    page.forgive("no network")?;
    // The others still work, and the view is there once the network is.
    page.view("positions")?;
    page.figure("position-matrix")?;
    page.view("kernels")?;
    page.wait_until("!!document.querySelector('#main [role=alert] button')")?;
    page.forgive("no network")?;
    page.script("window.fetch = window.online", vec![])?;
    page.click("#main [role=alert] button")?;
    page.figure("kernel-function")
}
