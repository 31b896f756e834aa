//! Failures of the worker or of the page itself. Open models are restored, and a message tells the visitor.

use std::collections::HashMap;
use std::time::Duration;

use browser::page::RECOVERY;
use browser::session::PATIENCE;
use browser::suite::Scenario;
use browser::views_with_figures;
use browser::worker_changes::with_start_script;
use browser::{Engine, Page, Result};
use serde_json::json;

use crate::checkpoints::{golden, open};

/// Ways to lose the worker, as named in `probe.js`: with an error event, or silently.
const TRAP: &str = "trap";
const SILENCE: &str = "silence";

/// Number of messages that the worker was restarted; one, however often it happens.
pub(crate) const STARTED_AGAIN: &str = "[...document.querySelectorAll('#message > *')].filter(e => e.textContent.includes('started again')).length";

const READY: &str = "!!document.querySelector(\"main figure[data-figure][data-state='ready']\")";

pub(crate) fn scenarios() -> Vec<Scenario> {
    let named =
        |name: &str, run: fn(&Page) -> Result| Scenario::new(&format!("it::recovery::{name}"), run);
    let mut all = vec![
        named("a_worker_is_lost_twice", a_worker_is_lost_twice).in_chromium(),
        named(
            "a_worker_that_always_dies_is_given_up",
            a_worker_that_always_dies_is_given_up,
        )
        .in_chromium(),
        named(
            "a_worker_is_lost_while_the_page_begins",
            a_worker_is_lost_while_the_page_begins,
        )
        .in_chromium(),
        named(
            "a_worker_that_cannot_start_is_a_sentence",
            a_worker_that_cannot_start_is_a_sentence,
        )
        .in_chromium(),
        named("memory_is_used_up", memory_is_used_up).in_chromium(),
        named("lost_pixels_are_painted_anew", lost_pixels_are_painted_anew),
        named(
            "a_panic_is_shown_and_the_link_reloads",
            a_panic_is_shown_and_the_link_reloads,
        ),
    ];
    let comes_back = |id: &'static str, how: &'static str| {
        let name = format!("it::recovery::{id}::after_{how}");
        Scenario::new(&name, move |page| everything_comes_back(page, id, how))
    };
    for (at, (_, id, _)) in views_with_figures().enumerate() {
        // Engines and ways differ in how a worker ends, not in what the views do then. The views ask through the same
        // client, so every third one is a sample of them.
        if at == 0 {
            all.extend([TRAP, SILENCE].map(|how| comes_back(id, how)));
        } else if at % 3 == 0 {
            all.push(comes_back(id, TRAP).in_chromium());
        }
    }
    all
}

/// Chooses a model and loses the worker in the middle of the first answer for it. If no answer is needed, the worker is
/// lost while idle.
fn lose_worker(page: &Page, how: &str, model: &str) -> Result {
    page.script(
        "probe.lose = arguments[0]; document.querySelector(arguments[1]).click()",
        vec![json!(how), json!(format!("[data-model='{model}']"))],
    )?;
    if page
        .wait_until_within("probe.lost > 0", Duration::from_secs(2))
        .is_err()
    {
        page.script(
            "probe.lose = null; probe.loseWorker(probe.workers.at(-1), arguments[0])",
            vec![json!(how)],
        )?;
    }
    Ok(())
}

fn everything_comes_back(page: &Page, view: &str, how: &str) -> Result {
    // A computed table, a preset and a file.
    page.open("?view=positions&model=sinusoidal")?;
    page.table_r2(1.0, 5e-5)?;
    page.choose("minilm-l6")?;
    page.table_r2(0.4742, 2e-4)?;
    open(page, "bert")?;
    let of_file = golden("bert")?["table"]["inner_product_r2"]
        .as_f64()
        .ok_or("no golden R²")?;
    page.table_r2(of_file, 6e-4)?;
    let file = page.current_model()?;
    page.view(view)?;
    page.computed(PATIENCE)?;
    page.choose("minilm-l6")?;
    page.computed(PATIENCE)?;
    // Some views have no figure for these models.
    let ready = page.eval(READY)?;

    lose_worker(page, how, &file)?;
    page.model(&file)?;
    page.computed(RECOVERY)?;
    page.wait_until(&format!("{READY} || !{ready}"))?;
    if view != "positions" {
        page.view("positions")?;
    }
    for (model, r2, tolerance) in [
        (file.as_str(), of_file, 6e-4),
        ("minilm-l6", 0.4742, 2e-4),
        ("sinusoidal", 1.0, 5e-5),
    ] {
        page.choose(model)?;
        // A worker that fell silent while idle is detected at the first question.
        page.wait_until_within(
            &format!(
                "Math.abs(parseFloat(document.querySelector(\"[data-r2='whole']\")?.textContent) - {r2}) <= {tolerance}"
            ),
            RECOVERY,
        )
        .map_err(|error| format!("{model}: {error}"))?;
        for figure in ["position-matrix", "offset-profile", "toeplitz-scores"] {
            page.figure(figure)?;
        }
    }
    assert_eq!(page.eval(STARTED_AGAIN)?, json!(1), "{}", page.message()?);
    assert!(page.eval("probe.workers.length")?.as_u64() > Some(1));
    // The heads are read from the files again, not from cached answers.
    page.choose("minilm-l6")?;
    page.view("heads")?;
    page.wait_until("/R² 0\\.84/.test(document.querySelector(\"button[data-head='1-1']\")?.getAttribute('aria-label') ?? '')")?;
    page.figure("head-matrix")
}

fn a_worker_is_lost_twice(page: &Page) -> Result {
    page.open("?view=heads&model=minilm-l6")?;
    page.figure("head-matrix")?;
    page.wait_until("document.querySelectorAll('button[data-head]').length === 72")?;
    for times in 1..=2 {
        page.script("probe.lost = 0", Vec::new())?;
        page.script(
            "probe.lose = 'trap'; document.querySelector(arguments[0]).click()",
            vec![json!(format!("button[data-head='{}-3']", times + 1))],
        )?;
        page.wait_until("probe.lost > 0")?;
        // The message may remain from the first time; the worker is a new one each time.
        page.wait_until_within(&format!("probe.workers.length === {}", times + 1), RECOVERY)?;
        page.wait_until_within(&format!("{STARTED_AGAIN} === 1"), RECOVERY)?;
        page.computed(RECOVERY)?;
        page.figure("head-matrix")?;
        page.wait_until("document.querySelectorAll('button[data-head]').length === 72")?;
    }
    assert_eq!(page.eval("probe.workers.length")?, json!(3));
    Ok(())
}

fn a_worker_that_always_dies_is_given_up(page: &Page) -> Result {
    page.open("?view=positions&model=minilm-l6")?;
    page.table_r2(0.4742, 2e-4)?;
    page.script(
        "probe.lose = 'always'; document.querySelector(\"[data-model='random']\").click()",
        Vec::new(),
    )?;
    page.wait_until("probe.lost > 0")?;
    page.wait_until_within(
        "[...document.querySelectorAll('[role=alert]')].some(e => !e.hidden && e.textContent.trim().split(' ').length > 4)",
        RECOVERY,
    )?;
    page.computed(RECOVERY)?;
    // The page stops restarting it.
    let made = page.eval("probe.workers.length")?;
    assert!(made.as_u64() < Some(20), "{made} workers were started");
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(page.eval("probe.workers.length")?, made);
    Ok(())
}

/// The first messages open the link's model: its position table first, then the whole model.
fn a_worker_is_lost_while_the_page_begins(page: &Page) -> Result {
    // Engines differ in how a worker ends, not in what the page asks again.
    let last = if page.engine == Engine::Chromium {
        8
    } else {
        2
    };
    page.open("")?;
    for message in 1..=last {
        page.script(
            "sessionStorage.setItem('trapAt', arguments[0])",
            vec![json!(message)],
        )?;
        page.load("")?;
        page.wait_until("probe.lost > 0")?;
        page.wait_until_within(
            "document.documentElement.dataset.ready === 'true' && !document.querySelector('[aria-busy=true]')",
            RECOVERY,
        )
        .map_err(|error| format!("lost at message {message}: {error}"))?;
        page.computed(RECOVERY)?;
        page.figure("position-matrix")?;
        assert_eq!(page.eval(STARTED_AGAIN)?, json!(1), "{}", page.message()?);
    }
    page.script("sessionStorage.removeItem('trapAt')", Vec::new())
        .map(drop)
}

fn a_worker_that_cannot_start_is_a_sentence(page: &Page) -> Result {
    page.open("?model=sinusoidal")?;
    let worker = page.attribute("meta[name='worker']", "content")?;
    let worker = worker.ok_or("the page names no worker")?;
    let mut content = page.content()?;
    let broken = HashMap::from([(worker, b"}{ this is no program".to_vec())]);
    content.overlay.extend(broken);
    let url = page.serve_beside(content)?;
    page.goto(&format!("{url}?view=positions&model=sinusoidal"))?;
    page.wait_until_within(
        "[...document.querySelectorAll('[role=alert]')].some(e => !e.hidden && e.textContent.trim().split(' ').length > 4)",
        RECOVERY,
    )?;
    page.computed(RECOVERY)?;
    // Figures that the page computes by itself still work.
    page.view("kernels")?;
    page.figure("kernel-function")?;
    page.computed(RECOVERY)?;
    page.forgive("worker:")
}

/// The worker's memory is filled to the 32-bit limit, and it then needs more.
fn memory_is_used_up(page: &Page) -> Result {
    // On a message, allocates all available memory, in ever smaller pieces.
    const TAKE: &str = "const { memory } = await init({ module_or_path: program });
        new BroadcastChannel('memory').addEventListener('message', () => {
          for (let pages = 1 << 15; pages >= 1; pages >>= 1) {
            try { for (;;) memory.grow(pages); } catch {}
          }
        });";
    let content = with_start_script(page, |start| {
        start.replace("await init({ module_or_path: program });", TAKE)
    })?;
    let url = page.serve_beside(content)?;
    page.goto(&format!("{url}?view=positions&model=minilm-l6"))?;
    page.table_r2(0.4742, 2e-4)?;
    page.computed(PATIENCE)?;
    page.eval("(new BroadcastChannel('memory').postMessage(1), true)")?;
    page.choose("random")?;
    page.wait_until_within(&format!("{STARTED_AGAIN} === 1"), RECOVERY)?;
    page.computed(RECOVERY)?;
    page.figure("position-matrix")?;
    page.choose("minilm-l6")?;
    page.table_r2(0.4742, 2e-4)?;
    page.forgive("nreachable")
}

fn a_panic_is_shown_and_the_link_reloads(page: &Page) -> Result {
    page.open("?view=heads&model=minilm-l6&layer=2&head=3")?;
    page.figure("head-matrix")?;
    page.click("button[data-head='3-5']")?;
    page.wait_until("location.search.includes('layer=3') && location.search.includes('head=5')")?;
    page.computed(PATIENCE)?;
    // A function that the page uses throws once, in the middle of the page's own work.
    page.script("window.stayed = true; probe.breakDown()", Vec::new())?;
    page.click("button[data-head='2-4']")?;
    page.wait_until("[...document.querySelectorAll('[data-panic][role=alert]')].some(e => e.getClientRects().length > 0 && e.textContent.trim().split(' ').length > 4)")?;
    page.forgive("")?;
    let address = page.eval("location.href")?;
    let named = address.as_str().unwrap_or_default();
    assert!(
        named.contains("view=heads") && named.contains("model=minilm-l6"),
        "{named}"
    );
    page.click("[data-panic] button")?;
    page.wait_until("window.stayed === undefined && document.readyState === 'complete'")?;
    page.figure("head-matrix")?;
    assert_eq!(page.eval("location.href")?, address);
    page.met_no_error()
}

/// With a GPU, a browser may lose the pixels of its canvases; it restores them empty and fires an event.
fn lost_pixels_are_painted_anew(page: &Page) -> Result {
    page.open("?view=positions&model=sinusoidal")?;
    page.figure("position-matrix")?;
    // The font of figures has loaded, so that later paints are due to the loss.
    page.wait_until("document.fonts.check('11px Inter')")?;
    let pixels = "window.lostPixels = () => {\
          const canvas = document.querySelector('#position-matrix canvas.picture');\
          const { width, height } = canvas, context = canvas.getContext('2d');\
          const { data } = context.getImageData(0, 0, width, height);\
          return [canvas, context, data.reduce((sum, v, at) => (sum * 31 + v * (at % 97)) % 1e9, 0)];\
        };\
        const [canvas, context, sum] = lostPixels();\
        window.sumBefore = sum;\
        context.clearRect(0, 0, canvas.width, canvas.height);\
        window.sumLost = lostPixels()[2];\
        canvas.dispatchEvent(new Event('contextrestored'));";
    page.script(pixels, vec![])?;
    assert_ne!(page.eval("sumLost")?, page.eval("sumBefore")?);
    page.wait_until("lostPixels()[2] === sumBefore").map(drop)
}
