//! Measures a first visit over a slow network: the time that the byte budgets stand for.
//!
//! The server slows every request, also the workers'. Chromium slows the page's main thread only, so computations of the
//! worker take as long as on this machine.

use std::time::{Duration, Instant};

use serde_json::json;
use xtask::Result;
use xtask::server::{Content, Server};
use xtask::throttle::Throttle;

use crate::Page;
use crate::page::dist;

const VISITS: usize = 5;
/// Longest visit.
const PATIENCE: Duration = Duration::from_secs(180);

/// Records in `window.visit` the times since the navigation at which the first figure is painted, and at which the
/// preset is read whole, as [`Page::open`] waits for it. A time is taken when its frame is drawn.
const OBSERVER: &str = "
    const visit = window.visit = {};
    const presets = () => performance.getEntriesByType('resource').map(e => e.name.split('presets/')[1]).filter(Boolean);
    const channel = new MessageChannel();
    const frame = () => requestAnimationFrame(() => channel.port2.postMessage(0));
    channel.port1.onmessage = () => {
        const now = performance.now();
        if (!visit.figure && document.querySelector(\"main figure[data-figure][data-state='ready']\")) {
            visit.figure = now;
            visit.read = presets();
        }
        if (visit.figure && document.documentElement.dataset.ready === 'true'
            && !document.querySelector('[aria-busy=true]') && presets().includes('minilm-l6.safetensors')) {
            visit.whole = now;
            return;
        }
        frame();
    };
    frame();";

/// Visits the page with an empty cache, over slow 4G with a CPU slowed to a quarter, and unthrottled.
///
/// # Errors
/// If the page or the browser fails, or the first figure is not the stored table's.
pub fn measure(page: &Page) -> Result {
    let profiles = [
        ("slow 4G, CPU ÷ 4", Some(Throttle::SLOW_4G), 4),
        ("unthrottled", None, 1),
    ];
    for (profile, throttle, slowdown) in profiles {
        let content = Content {
            folder: dist(),
            overlay: xtask::offline::removal_files(&dist())?,
            throttle,
            ..Content::default()
        };
        let server = Server::start(content, 0)?;
        let (mut figure, mut whole) = (Vec::new(), Vec::new());
        // The first visit, in which the server compresses the files, is not counted.
        for counted in [false].into_iter().chain([true; VISITS]) {
            let [first, last] = visit(page, server.url(), slowdown)?;
            if counted {
                figure.push(first);
                whole.push(last);
            }
        }
        line(
            &format!("first visit to the first figure, {profile}"),
            figure,
        );
        line("… to the preset read whole", whole);
        // The page that is still open may request more of its server.
        page.renew_tab()?;
    }
    println!(
        "Every request is slowed, also the workers'; the CPU is slowed for the page's main thread only."
    );
    page.resize(1440, 900)
}

/// Visits the page in a fresh tab without a cache. Returns the milliseconds from the navigation to the first figure, and
/// to the whole preset.
fn visit(page: &Page, url: &str, slowdown: u32) -> Result<[f64; 2]> {
    page.renew_tab()?;
    page.resize(1440, 900)?;
    page.devtools("Network.clearBrowserCache", json!({}))?;
    page.devtools(
        "Emulation.setCPUThrottlingRate",
        json!({ "rate": slowdown }),
    )?;
    page.devtools(
        "Page.addScriptToEvaluateOnNewDocument",
        json!({ "source": format!("{{{OBSERVER}}}") }),
    )?;
    page.goto(url)?;
    let begun = Instant::now();
    // Seldom, because every question takes time of the slow page.
    while page.eval("window.visit?.whole ?? null")?.is_null() {
        if begun.elapsed() > PATIENCE {
            let seconds = PATIENCE.as_secs();
            return Err(format!("the preset was not read within {seconds} s").into());
        }
        std::thread::sleep(Duration::from_millis(500));
    }
    let visit = page.eval("window.visit")?;
    let read = &visit["read"];
    if read[0] != json!("minilm-l6-positions.safetensors") {
        return Err(format!("the first figure was drawn with {read}, not the stored table").into());
    }
    let time = |name: &str| visit[name].as_f64().ok_or("a visit without its times");
    Ok([time("figure")?, time("whole")?])
}

/// Prints a line of the report: median, and range in place of the goal.
fn line(what: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    if let [lowest, .., highest] = times[..] {
        let median = times[times.len() / 2];
        println!(
            "{what:<58}{median:>10.0}{:>20} ms  ({} samples)",
            format!("{lowest:.0} to {highest:.0}"),
            times.len()
        );
    }
}
