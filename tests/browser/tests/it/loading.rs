//! Files of the page that fail to load: missing, cut off, silent, or a web page in their place. Each failure gives a
//! message with a retry button, and the rest of the page keeps working.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use browser::page::{RECOVERY, dist};
use browser::session::PATIENCE;
use browser::suite::Scenario;
use browser::test_files::Folder;
use browser::worker_changes::{Worker, with_script};
use browser::{Engine, Page, Result};
use serde_json::json;
use xtask::faults::{Fault, Faults};
use xtask::root;

use crate::pool::{all_are_there, fit_all};
use crate::recovery::STARTED_AGAIN;

/// Each fault, its name, and words of its message.
const FAULTS: [(Fault, &str, &str); 4] = [
    (Fault::Missing, "missing", "when the connection is back"),
    (Fault::CutOff, "cut_off", "when the connection is back"),
    (Fault::Silent, "silent", "sent nothing for 20 seconds"),
    (Fault::WebPage, "web_page", "sign-in page"),
];

/// Shortens twenty seconds to one, in the page and in its workers.
const HASTE: &str = "{ const own = setTimeout; globalThis.setTimeout = (call, ms, ...more) => own(call, ms === 20_000 ? 1000 : ms, ...more); }\n";

const READY: &str = "!!document.querySelector(\"main figure[data-figure][data-state='ready']\")";

pub(crate) fn scenarios() -> Vec<Scenario> {
    let named =
        |name: &str, run: fn(&Page) -> Result| Scenario::new(&format!("it::loading::{name}"), run);
    let mut all = vec![
        named("parts_of_the_page", parts_of_the_page).in_chromium(),
        named("parts_of_the_worker", parts_of_the_worker).in_chromium(),
        named("files_beside_the_page", files_beside_the_page).in_chromium(),
        named("a_silent_network_recovers", a_silent_network_recovers).in_chromium(),
        named("a_lock_comes_late_or_never", a_lock_comes_late_or_never).in_chromium(),
    ];
    for (fault, name, words) in FAULTS {
        let begins = move |page: &Page| what_the_page_begins_with(page, fault, words);
        let scenario = Scenario::new(&format!("it::loading::beginning::{name}"), begins);
        // Engines report a missing file differently; the behaviour after it is the same in all.
        all.push(if fault == Fault::Missing {
            scenario
        } else {
            scenario.in_chromium()
        });
    }
    for (name, script) in HELPERS {
        let fails = move |page: &Page| helpers_are_done_without(page, script);
        let scenario = Scenario::new(&format!("it::loading::helpers::{name}"), fails);
        // Engines report an error in a nested worker differently; the behaviour after it is the same in all.
        all.push(if name.contains("throw") {
            scenario
        } else {
            scenario.in_chromium()
        });
    }
    all
}

/// The page on a server whose faults may change while it is open.
struct Site {
    faults: Faults,
    url: String,
}

impl Site {
    /// Serves the page with faster timers, so that timeouts are short.
    fn hasty(page: &Page) -> Result<Self> {
        let mut content = with_script(page, Worker::All, HASTE)?;
        let probe = content.overlay.get_mut("probe.js").ok_or("no probe")?;
        probe.splice(0..0, HASTE.bytes());
        let faults = content.faults.clone();
        let url = page.serve_beside(content)?;
        Ok(Self { faults, url })
    }

    fn open(&self, page: &Page, query: &str) -> Result {
        page.goto(&format!("{}{query}", self.url))
    }
}

/// The files of the built page, by path, that match a rule.
fn files(rule: impl Fn(&str) -> bool) -> Result<BTreeSet<String>> {
    fn walk(folder: &Path, found: &mut BTreeSet<String>) -> Result {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                walk(&path, found)?;
            } else {
                let name = path
                    .strip_prefix(dist())?
                    .to_string_lossy()
                    .replace('\\', "/");
                found.insert(name);
            }
        }
        Ok(())
    }
    let mut found = BTreeSet::new();
    walk(&dist(), &mut found)?;
    found.retain(|name| rule(name));
    Ok(found)
}

fn is_part(name: &str, of: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or_default();
    name.starts_with(of) && (file.starts_with("split_") || file.starts_with("chunk_"))
}

/// A JavaScript expression: a visible element contains the words.
fn shows(css: &str, words: &str) -> String {
    format!(
        "[...document.querySelectorAll({})].some(e => e.getClientRects().length > 0 && e.textContent.includes({}))",
        json!(css),
        json!(words)
    )
}

fn what_the_page_begins_with(page: &Page, fault: Fault, words: &str) -> Result {
    let is_page =
        |name: &str| name.ends_with(".css") || name.starts_with("page-") && !is_part(name, "page-");
    let of_page = files(is_page)?;
    let of_worker = files(|name| name.starts_with("worker-") && !is_part(name, "worker-"))?;
    assert!(
        of_page.len() >= 4 && of_worker.len() >= 3,
        "{of_page:?} {of_worker:?}"
    );
    for file in of_page.iter().chain(&of_worker) {
        let (place, button) = match of_page.contains(file) {
            true => ("#no-start", "#load-again"),
            false => (
                "#message [role=alert]",
                "#message [role=alert] button.primary",
            ),
        };
        // Style sheets report no cause, and browsers do not distinguish truncated ones.
        let words = match fault {
            Fault::WebPage if file.ends_with(".css") => FAULTS[0].2,
            _ => words,
        };
        // A silent style sheet delays the load event that WebDriver waits for when it opens a page.
        if fault == Fault::Silent && file.ends_with(".css") {
            continue;
        }
        // Another address each time: Firefox does not request a style sheet again that it has read.
        let site = Site::hasty(page)?;
        site.faults.set([file.clone()], fault);
        site.open(page, "?view=positions&model=sinusoidal")?;
        page.wait_until_within(&shows(place, words), RECOVERY)
            .map_err(|error| format!("{file}: {error}; {}", page.message().unwrap_or_default()))?;
        site.faults.clear();
        page.forgive("")?;
        page.click(button)?;
        page.wait_until(READY)
            .map_err(|error| format!("{file}: {error}"))?;
        page.wait_until(&format!("!({})", shows(place, "")))?;
    }
    page.forgive("")
}

/// Every view, and the element that reports a failure of its part: the view of positions comes with the page, so its
/// element is that of the tools in the header.
const VIEWS: [(&str, &str); 10] = [
    ("positions", ".top [role=alert]"),
    ("heads", "#main [role=alert]"),
    ("text", "#main [role=alert]"),
    ("kernels", "#main [role=alert]"),
    ("encodings", "#main [role=alert]"),
    ("waves", "#main [role=alert]"),
    ("images", "#main [role=alert]"),
    ("compare", "#main [role=alert]"),
    ("training", "#main [role=alert]"),
    ("lessons", "#main [role=alert]"),
];

/// Every part of the page, with each fault in turn.
fn parts_of_the_page(page: &Page) -> Result {
    let parts = files(|name| is_part(name, "page-"))?;
    let site = Site::hasty(page)?;
    let is_there =
        format!("({READY}) || !!document.querySelector('.lesson-list, .drawing, .text-input')");
    for ((view, alert), (fault, name, words)) in VIEWS.into_iter().zip(FAULTS.into_iter().cycle()) {
        site.faults.set(parts.iter().cloned(), fault);
        site.open(page, &format!("?view={view}&model=minilm-l6"))?;
        page.wait_until(&shows(alert, words))
            .map_err(|error| format!("{view}, {name}: {error}"))?;
        site.faults.clear();
        page.forgive("")?;
        // Each failed part has a button, and the last of them may appear late. Clicked by script, since arriving
        // figures move the buttons away from a pointer.
        let press_all = format!(
            "[...document.querySelectorAll('{alert} button')].map(button => button.click()).length === 0"
        );
        page.wait_until(&format!("({press_all}) && ({is_there})"))
            .map_err(|error| format!("{view}, {name}: {error}"))?;
    }
    page.view("positions")?;
    page.figure("toeplitz-scores")?;
    let (fault, _, words) = FAULTS[0];
    page.open_save_menu("#toeplitz-scores")?;
    site.faults.set(parts.iter().cloned(), fault);
    page.press_in_save_menu("#toeplitz-scores", "Download CSV")?;
    page.message_with(words)?;
    site.faults.clear();
    page.csv("toeplitz-scores")?;
    page.forgive("")
}

/// Lazy parts of the worker, with each fault in turn.
fn parts_of_the_worker(page: &Page) -> Result {
    let parts = files(|name| is_part(name, "worker-"))?;
    let site = Site::hasty(page)?;
    site.open(page, "?view=positions&model=minilm-l6")?;
    let alert = "#message [role=alert]";
    let own = Folder::new(&format!("loading-{}", page.engine.name()))?;
    let lesson = own.path().join("own.md");
    fs::write(&lesson, "---\ntitle: T\n---\n\n## Step\n\nText.\n")?;
    let table = root().join("tests/data/numpy/f4-c.npy");
    type Needs<'a> = (&'a str, &'a dyn Fn() -> Result, &'a str);
    let needs: [Needs<'_>; 3] = [
        (
            "reads other files",
            &|| page.open_files(&[&table]),
            "document.body.textContent.includes('f4-c')",
        ),
        ("finds waves", &|| page.view("waves"), READY),
        (
            "reads lessons",
            &|| page.open_files(&[&lesson]),
            "document.querySelector('.lesson h2')?.textContent === 'T'",
        ),
    ];
    for ((does, act, there), (fault, _, words)) in needs.into_iter().zip(FAULTS.into_iter().skip(1))
    {
        site.faults.set(parts.iter().cloned(), fault);
        act()?;
        page.wait_until(&shows(alert, does))
            .map_err(|error| format!("{does}: {error}"))?;
        let message = page.message()?;
        assert!(message.contains(words), "{message}");
        site.faults.clear();
        page.forgive("")?;
        match does {
            // The file is opened again.
            "reads lessons" => act()?,
            _ => page.click(&format!("{alert} button.primary"))?,
        }
        page.wait_until(there)
            .map_err(|error| format!("{does}: {error}"))?;
    }
    // The worker has survived.
    assert_eq!(page.eval("probe.workers.length")?, json!(1));
    page.forgive("")
}

/// Presets, the list of lessons and lessons, with each fault in turn; outside Chromium as many as there are faults.
fn files_beside_the_page(page: &Page) -> Result {
    let site = Site::hasty(page)?;
    let lessons = files(|name| name.starts_with("lessons/") && name.ends_with(".bin"))?;
    let mut places = vec![(
        files(|name| name.starts_with("presets/"))?,
        "?view=positions&model=minilm-l6".to_owned(),
        "#message [role=alert]",
        READY,
    )];
    for file in lessons {
        let id = file.trim_start_matches("lessons/").trim_end_matches(".bin");
        places.push(match id {
            "list" => (
                BTreeSet::from([file]),
                "?view=lessons".to_owned(),
                "#main [role=alert]",
                "!!document.querySelector('.lesson-list')",
            ),
            id => (
                BTreeSet::from([file.clone()]),
                format!("?lesson={id}"),
                "#lesson [role=alert]",
                "!!document.querySelector('.lesson .place')",
            ),
        });
    }
    // Engines report faults differently; the lessons behave alike.
    if page.engine != Engine::Chromium {
        places.truncate(FAULTS.len());
    }
    for (at, (files, query, alert, there)) in places.into_iter().enumerate() {
        let (fault, name, words) = FAULTS[(at + 3) % FAULTS.len()];
        site.faults.set(files, fault);
        site.open(page, &query)?;
        let words = match alert {
            "#lesson [role=alert]" if words == FAULTS[0].2 => "the connection is lost",
            _ => words,
        };
        page.wait_until(&shows(alert, words))
            .map_err(|error| format!("{query}, {name}: {error}"))?;
        site.faults.clear();
        page.forgive("")?;
        page.click(&format!("{alert} button.primary"))?;
        page.wait_until(there)
            .map_err(|error| format!("{query}: {error}"))?;
    }
    page.forgive("")
}

/// The second try succeeds, and no message mentions the first.
fn a_silent_network_recovers(page: &Page) -> Result {
    let site = Site::hasty(page)?;
    site.open(page, "?view=positions&model=minilm-l6")?;
    page.wait_until(READY)?;
    site.faults
        .set(files(|name| is_part(name, "page-"))?, Fault::Silent);
    page.view("kernels")?;
    std::thread::sleep(Duration::from_millis(500));
    site.faults.clear();
    page.figure("kernel-function")?;
    assert_eq!(
        page.eval("[...document.querySelectorAll('[role=alert] button')].filter(e => e.getClientRects().length > 0).length")?,
        json!(0)
    );
    assert!(!site.faults.requested_faults().is_empty());
    Ok(())
}

/// Behaviours of a worker's lock: late, refused, never granted, and without the API.
const LOCKS: [&str; 4] = [
    "const own = navigator.locks.request.bind(navigator.locks); navigator.locks.request = (...given) => new Promise(done => setTimeout(done, 300)).then(() => own(...given));",
    "navigator.locks.request = () => Promise.reject(new DOMException('refused', 'SecurityError'));",
    "navigator.locks.request = () => new Promise(() => {});",
    "Object.defineProperty(Object.getPrototypeOf(navigator), 'locks', { value: undefined });",
];

fn a_lock_comes_late_or_never(page: &Page) -> Result {
    for lock in LOCKS {
        let content = with_script(page, Worker::All, &format!("{{ {lock} }}\n"))?;
        let url = page.serve_beside(content)?;
        page.goto(&format!("{url}?view=positions&model=sinusoidal"))?;
        page.table_r2(1.0, 5e-5)?;
        // Long enough to notice a lock that is free.
        std::thread::sleep(Duration::from_millis(500));
        page.choose("random")?;
        page.computed(PATIENCE)?;
        page.figure("position-matrix")?;
        assert_eq!(page.eval("probe.workers.length")?, json!(1), "{lock}");
        assert_eq!(page.eval(STARTED_AGAIN)?, json!(0), "{lock}");
    }
    Ok(())
}

/// Failures of helpers, as scripts that run in them before their own.
const HELPERS: [(&str, &str); 5] = [
    ("their_script_throws", "throw new Error('on purpose');"),
    (
        "they_throw_later",
        "setTimeout(() => { throw new Error('on purpose'); }, 400);",
    ),
    (
        "their_promises_break",
        "setTimeout(() => Promise.reject(new Error('on purpose')), 400);",
    ),
    ("their_script_is_silent", "await new Promise(() => {});"),
    (
        "their_parts_do_not_come",
        "const own = fetch; globalThis.fetch = (address, init) => !/split_|chunk_/.test(address) ? own(address, init)\
           : new Promise((_, fail) => init.signal.addEventListener('abort', () => fail(init.signal.reason)));",
    ),
];

/// Helpers fail: everything is computed, the worker survives, and helpers are not restarted forever.
fn helpers_are_done_without(page: &Page, script: &str) -> Result {
    let content = with_script(page, Worker::Helpers, &format!("{HASTE}{script}\n"))?;
    let url = page.serve_beside(content)?;
    page.goto(&format!("{url}?view=kernels&model=minilm-l6"))?;
    page.wait_until("document.querySelector('.fit button.primary')?.disabled === false")?;
    page.script(
        "probe.helpers = { started: 0 }; probe.channel = new BroadcastChannel('helpers');\
         probe.channel.onmessage = ({ data }) => { if (data.started) probe.helpers = data; };",
        vec![],
    )?;
    fit_all(page)?;
    all_are_there(page)?;
    page.wait_until("(probe.channel.postMessage('count'), probe.helpers.started > 0)")?;
    assert_eq!(page.eval("probe.workers.length")?, json!(1));
    assert_eq!(page.eval(STARTED_AGAIN)?, json!(0));
    // At most the number that may be lost in a row, and those that were already starting.
    let started = page.eval("probe.helpers.started")?;
    assert!(
        started.as_u64() <= Some(5),
        "{started} helpers were started"
    );
    page.forgive("")
}
