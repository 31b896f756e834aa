//! The start of a worker on a busy computer: a living worker is not taken for dead, and the end of one is noticed.

use std::thread::sleep;
use std::time::Duration;

use browser::page::RECOVERY;
use browser::processor_load::ProcessorLoad;
use browser::suite::Scenario;
use browser::worker_changes::{Worker, with_script};
use browser::{Page, Result};
use serde_json::json;

use crate::recovery::STARTED_AGAIN;

pub(crate) fn scenarios() -> Vec<Scenario> {
    let named = |name: &str, run: fn(&Page) -> Result| {
        Scenario::new(&format!("it::worker_start::{name}"), run).in_chromium()
    };
    vec![
        named(
            "fresh_pages_under_load_keep_their_worker",
            fresh_pages_under_load_keep_their_worker,
        ),
        named(
            "a_page_that_stalls_while_its_worker_starts_keeps_it",
            a_page_that_stalls_while_its_worker_starts_keeps_it,
        ),
        named(
            "the_end_of_a_worker_whose_lock_came_late_is_noticed",
            the_end_of_a_worker_whose_lock_came_late_is_noticed,
        ),
    ]
}

/// Number of pages that are loaded one after the other.
const PAGES: usize = 20;

/// Grants the worker's lock up to half a second late: before or after its program is ready.
const LATE_LOCK: &str = "{ const own = navigator.locks.request.bind(navigator.locks);
    navigator.locks.request = async (...options) => {
      await new Promise(done => setTimeout(done, 500 * Math.random()));
      return own(...options);
    }; }\n";

/// Checks that the page has its first worker, and that its answers arrive.
fn has_its_first_worker(page: &Page) -> Result {
    page.computed(RECOVERY)?;
    page.figure("position-matrix")?;
    assert_eq!(page.eval("probe.workers.length")?, json!(1));
    assert_eq!(page.eval(STARTED_AGAIN)?, json!(0), "{}", page.message()?);
    Ok(())
}

fn fresh_pages_under_load_keep_their_worker(page: &Page) -> Result {
    let url = page.serve_beside(with_script(page, Worker::All, LATE_LOCK)?)?;
    let load = ProcessorLoad::start(2);
    for at in 0..PAGES {
        let first = || -> Result {
            page.goto(&format!("{url}?view=positions&model=random"))?;
            has_its_first_worker(page)?;
            // The lock may be granted after the first answers.
            sleep(Duration::from_millis(700));
            has_its_first_worker(page)?;
            page.met_no_error()
        };
        first().map_err(|error| format!("page {at}: {error}"))?;
    }
    drop(load);
    Ok(())
}

/// Lets the timer that checks a worker's start run after a second, and keeps the page's thread busy for three seconds
/// from the task after the one that starts the worker. The worker's first messages arrive in that time.
const STALL: &str = "{ const Own = Worker, own = setTimeout;
    let isNext = false;
    globalThis.Worker = class extends Own {
      constructor(...options) {
        super(...options);
        isNext = true;
        own(() => { for (const end = performance.now() + 3000; performance.now() < end;); globalThis.hasStalled = true; });
      }
    };
    globalThis.setTimeout = (call, ms, ...more) => {
      const isCheck = isNext && ms === 20_000;
      if (isCheck) isNext = false;
      return own(call, isCheck ? 1000 : ms, ...more);
    }; }\n";

fn a_page_that_stalls_while_its_worker_starts_keeps_it(page: &Page) -> Result {
    let mut content = page.content()?;
    let probe = content.overlay.get_mut("probe.js").ok_or("no probe")?;
    probe.splice(0..0, STALL.bytes());
    let url = page.serve_beside(content)?;
    page.goto(&format!("{url}?view=positions&model=random"))?;
    page.wait_until_within("window.hasStalled === true", RECOVERY)?;
    has_its_first_worker(page)?;
    // The last check of the start comes a second after the first.
    sleep(Duration::from_millis(1500));
    has_its_first_worker(page)
}

fn the_end_of_a_worker_whose_lock_came_late_is_noticed(page: &Page) -> Result {
    let url = page.serve_beside(with_script(page, Worker::All, LATE_LOCK)?)?;
    page.goto(&format!("{url}?view=positions&model=random"))?;
    has_its_first_worker(page)?;
    sleep(Duration::from_millis(700));
    // No event tells the page, so that only the lock can.
    page.script(
        "probe.loseWorker(probe.workers.at(-1), 'silence')",
        Vec::new(),
    )?;
    page.wait_until_within(&format!("{STARTED_AGAIN} === 1"), RECOVERY)?;
    page.computed(RECOVERY)?;
    page.choose("sinusoidal")?;
    page.table_r2(1.0, 5e-5)?;
    assert_eq!(page.eval("probe.workers.length")?, json!(2));
    Ok(())
}
