//! Start of the page: a computed figure, a strict policy, any path on any host.

use std::net::TcpStream;
use std::thread::sleep;
use std::time::{Duration, Instant};

use browser::session::PATIENCE;
use browser::{Page, Result, scenarios};
use diagonal::url_state::VIEWS;
use serde_json::json;
use xtask::root;
use xtask::server::{Content, Server};

use crate::checkpoints::{golden, open};

scenarios! {
    in_every_engine: [
        opens_with_a_computed_figure,
        nothing_moves_once_it_is_there,
        holds_to_its_policy,
        fetches_a_view_when_it_is_shown,
    ],
    in_chromium: [
        works_under_any_path,
        says_when_a_view_cannot_be_fetched,
        fetches_what_reads_a_format_when_a_file_has_it,
    ],
}

fn opens_with_a_computed_figure(page: &Page) -> Result {
    page.open("?model=sinusoidal")?;
    // The canvas is painted a frame after the figure appears.
    page.painted_since("position-matrix", 0.0)?;
    assert_eq!(page.current_model()?, "sinusoidal");
    // Inner products of sines and cosines depend only on the offset.
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
    // Only the page's code has been requested before that.
    let requests = page.eval("performance.getEntriesByType('resource').map(e => e.name).filter(n => n.includes('presets/'))")?;
    assert_eq!(requests, json!([]), "asked for without being wanted");
    Ok(())
}

fn nothing_moves_once_it_is_there(page: &Page) -> Result {
    if page.eval("PerformanceObserver.supportedEntryTypes.includes('layout-shift')")? != json!(true)
    {
        return Ok(());
    }
    let models = [("", 0.4742), ("?model=sinusoidal", 1.0)];
    let windows = [(390, 844), (1280, 720)];
    for ((query, r2), (width, height)) in models
        .into_iter()
        .flat_map(|model| windows.map(|window| (model, window)))
    {
        page.resize(width, height)?;
        page.open(query)?;
        // The worker's answers and the model's options arrive after the first figure.
        page.table_r2(r2, 5e-5)?;
        page.computed(PATIENCE)?;
        page.wait_until("!!document.querySelector('.details .notes')")?;
        let moved = page.eval_async(
            "new Promise(done => { new PerformanceObserver(list => done(list.getEntries().reduce((sum, e) => sum + e.value, 0)))\
               .observe({ type: 'layout-shift', buffered: true }); setTimeout(() => done(0), 500); })",
        )?;
        assert!(
            moved.as_f64() < Some(0.02),
            "{moved} of {width} × {height} moved with “{query}”"
        );
    }
    Ok(())
}

fn holds_to_its_policy(page: &Page) -> Result {
    page.open("?model=sinusoidal")?;
    let policy = page
        .attribute("meta[http-equiv='Content-Security-Policy']", "content")?
        .unwrap_or_default();
    for rule in [
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval' 'sha256-",
        "style-src 'self';",
        "font-src 'self';",
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
    // That violation was expected; all others count. Browsers report violations asynchronously.
    page.wait_until("probe.errors.some(e => e.includes('script-src'))")?;
    page.forgive("script-src")?;
    for (_, view, _) in VIEWS {
        page.view(view)?;
        page.wait_until("document.querySelector('main').innerText.trim().length > 100")?;
        page.computed(PATIENCE)?;
    }
    let requests = page.eval("performance.getEntriesByType('resource').map(e => new URL(e.name).origin).filter(o => o !== location.origin && o !== 'null')")?;
    assert_eq!(requests, json!([]), "asked of other hosts");
    Ok(())
}

fn works_under_any_path(page: &Page) -> Result {
    let url = page.serve_beside(Content {
        mount: "/some/place".to_owned(),
        ..page.content()?
    })?;
    page.goto(&format!("{url}?view=positions&model=minilm-l6"))?;
    page.figure("position-matrix")?;
    // The worker and the preset load too.
    page.table_r2(0.4742, 2e-4)
}

fn fetches_a_view_when_it_is_shown(page: &Page) -> Result {
    let later = "performance.getEntriesByType('resource').map(e => e.name.split('/').pop()).filter(n => /^(split|chunk)_/.test(n))";
    page.open("?model=minilm-l6")?;
    page.figure("position-matrix")?;
    // The model's options are fetched once a model is open; a view when it is shown.
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
    // Fetched parts are not fetched again, and shared parts are reused.
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
    page.open("?model=sinusoidal")?;
    page.script(
        "window.online = fetch; window.fetch = () => Promise.reject(new TypeError('no network'))",
        vec![],
    )?;
    page.view("kernels")?;
    page.wait_until("!!document.querySelector('#main [role=alert] button')")?;
    let message = page.text("#main [role=alert]")?;
    assert!(message.contains("could not be fetched"), "{message}");
    // The browser's console keeps the cause.
    page.forgive("did not come")?;
    // The other views still work, and the failed one loads once the network is back.
    page.view("positions")?;
    page.figure("position-matrix")?;
    page.view("kernels")?;
    page.wait_until("!!document.querySelector('#main [role=alert] button')")?;
    page.forgive("did not come")?;
    page.script("window.fetch = window.online", vec![])?;
    page.click("#main [role=alert] button")?;
    page.figure("kernel-function")
}

/// Ends a server and waits until its port is closed; returns the port.
fn end(server: Server) -> Result<u16> {
    let url = server.url().trim_end_matches('/');
    let port = url.rsplit(':').next().unwrap_or_default().parse()?;
    drop(server);
    let start = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_ok() {
        if start.elapsed() > PATIENCE {
            return Err("the server does not end".into());
        }
        sleep(Duration::from_millis(20));
    }
    Ok(port)
}

fn fetches_what_reads_a_format_when_a_file_has_it(page: &Page) -> Result {
    let server = Server::start(page.content()?, 0)?;
    page.goto(&format!("{}?view=positions&model=minilm-l6", server.url()))?;
    page.table_r2(0.4742, 2e-4)?;
    // The model's options have been fetched.
    page.wait_until("!!document.querySelector('details.notes')")?;

    // Without a connection safetensors open.
    let port = end(server)?;
    open(page, "bert")?;
    let r2 = golden("bert")?["table"]["inner_product_r2"].as_f64();
    page.table_r2(r2.ok_or("no golden R²")?, 6e-4)?;
    let open_before = page.current_model()?;
    // Other formats do not. The page reports it, and the open model stays open.
    let data = root().join("tests/data");
    let two = [
        data.join("gguf/model.gguf"),
        data.join("tisa-torch/tisa.pt"),
    ];
    page.open_files(&[&two[0], &two[1]])?;
    let message = page.message_with("could not be fetched")?;
    assert!(
        message.contains("other files than safetensors"),
        "{message}"
    );
    assert_eq!(page.current_model()?, open_before);
    page.forgive("")?;

    // With a connection both open on a retry.
    let server = Server::start(page.content()?, port)?;
    page.click("#message [role=alert] button.primary")?;
    page.model("small bert")?;
    page.wait_until("!!document.querySelector(\"[data-model='tisa.pt']\")")?;
    page.wait_until("!document.querySelector('#message [role=alert]')")?;
    // Fetched parts are not fetched again.
    end(server)?;
    page.open_files(&[&data.join("numpy/stored.npz")])?;
    page.wait_until("document.querySelector('.chooser')?.textContent.includes('stored.npz')")?;
    page.forgive("")
}
