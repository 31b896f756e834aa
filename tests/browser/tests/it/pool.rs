//! The worker's helpers: they take over heads when it pays off, and the jobs of lost helpers are computed again.

use std::time::Duration;

use browser::worker_changes::{Worker, with_script};
use browser::{Page, Result, scenarios};
use serde_json::json;

use crate::fits::{FIT_BESIDE_HEAD, press};

scenarios! {
    in_every_engine: [
        helpers_compute_and_end_when_idle,
        helpers_are_lost_while_they_compute,
        helpers_that_are_lost_at_once_are_done_without,
    ],
}

/// Records the reports of this page's workers about their helpers.
const LISTEN: &str = "probe.helpers = { started: 0, alive: 0, jobs: 0, lost: 0 };\
    probe.channel = new BroadcastChannel('helpers');\
    probe.channel.onmessage = ({ data }) => { if (data.started) probe.helpers = data; };";

/// Makes the worker's timers of twenty seconds wait for the message "later".
const TIMERS: &str = "{ const own = setTimeout, waiting = [];
    globalThis.setTimeout = (call, ms, ...more) => ms === 20_000 ? void waiting.push(call) : own(call, ms, ...more);
    new BroadcastChannel('helpers').addEventListener('message', ({ data }) => { if (data === 'later') for (const call of waiting.splice(0)) call(); }); }\n";

/// Opens the preset's kernels, and starts to record.
fn begin(page: &Page) -> Result {
    page.open("?view=kernels&model=minilm-l6")?;
    record(page)
}

/// Starts to record once the kernels of the preset can be fitted.
fn record(page: &Page) -> Result {
    page.model("minilm-l6")?;
    page.wait_until("document.querySelector('.fit button.primary')?.disabled === false")?;
    page.script(LISTEN, vec![])?;
    Ok(())
}

fn tell(page: &Page, what: &str) -> Result {
    page.script("probe.channel.postMessage(arguments[0])", vec![json!(what)])?;
    Ok(())
}

fn wait_for(page: &Page, condition: &str) -> Result {
    page.wait_until_within(
        &format!("(probe.channel.postMessage('count'), {condition})"),
        Duration::from_secs(60),
    )?;
    Ok(())
}

pub(crate) fn fit_all(page: &Page) -> Result {
    page.click(".options > summary")?;
    press(page, "Fit all heads")
}

/// Checks that all 72 fits have arrived, and equal those of a single worker.
pub(crate) fn all_are_there(page: &Page) -> Result {
    page.wait_until_within(
        "/^72 heads fitted/.test(document.querySelector('.fit [role=status]').textContent)",
        Duration::from_secs(60),
    )?;
    page.click(FIT_BESIDE_HEAD)?;
    let table = page.csv("kernel-fit")?;
    assert_eq!(table.rows.len(), 72);
    let r2: Vec<f64> = (table.rows.iter())
        .map(|row| row[3].parse())
        .collect::<std::result::Result<_, _>>()?;
    // The mean from a single worker.
    let mean = r2.iter().sum::<f64>() / 72.0;
    assert!((mean - 0.819_098).abs() < 1e-5, "{mean}");
    // Ordered by layer and head.
    let places: Vec<(u32, u32)> = (table.rows.iter())
        .map(|row| Ok((row[0].parse()?, row[1].parse()?)))
        .collect::<Result<_>>()?;
    assert!(places.is_sorted(), "{places:?}");
    Ok(())
}

fn helpers_compute_and_end_when_idle(page: &Page) -> Result {
    let url = page.serve_beside(with_script(page, Worker::All, TIMERS)?)?;
    page.goto(&format!("{url}?view=kernels&model=minilm-l6"))?;
    record(page)?;
    fit_all(page)?;
    all_are_there(page)?;
    wait_for(page, "probe.helpers.jobs > 0")?;
    // A second fit works as well.
    press(page, "Fit layer")?;
    page.wait_until(
        "/^12 heads fitted/.test(document.querySelector('.fit [role=status]').textContent)",
    )?;
    wait_for(page, "probe.helpers.alive > 0")?;
    tell(page, "later")?;
    wait_for(
        page,
        "probe.helpers.alive === 0 && probe.helpers.lost === 0",
    )
}

fn helpers_are_lost_while_they_compute(page: &Page) -> Result {
    begin(page)?;
    fit_all(page)?;
    wait_for(page, "probe.helpers.jobs > 0")?;
    tell(page, "lose next")?;
    all_are_there(page)?;
    press(page, "Fit layer")?;
    tell(page, "lose")?;
    page.wait_until(
        "/^12 heads fitted/.test(document.querySelector('.fit [role=status]').textContent)",
    )?;
    wait_for(page, "probe.helpers.lost > 0")
}

fn helpers_that_are_lost_at_once_are_done_without(page: &Page) -> Result {
    begin(page)?;
    tell(page, "lose new")?;
    fit_all(page)?;
    all_are_there(page)?;
    wait_for(page, "probe.helpers.lost > 0 && probe.helpers.alive === 0")
}
