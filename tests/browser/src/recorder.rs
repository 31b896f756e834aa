//! Measures the time from an event to the frame that shows the answer.

use xtask::Result;

use crate::Page;

/// Records, in `window.samples`, the time from each event to the frame in which `shown()` is true, and in
/// `window.drawn` the time to the end of the page's own work on it. A later recording ends an earlier one.
pub const RECORDER: &str = "
    const [event, shown] = [arguments[0], new Function('return ' + arguments[1])];
    window.recording?.abort();
    window.recording = new AbortController();
    window.samples = [];
    window.drawn = [];
    const channel = new MessageChannel();
    let begun = null;
    // The message arrives when every callback of the frame has run and the frame is drawn.
    const frame = () => requestAnimationFrame(() => channel.port2.postMessage(0));
    channel.port1.onmessage = () => {
        if (!shown()) return frame();
        samples.push(performance.now() - begun);
        const marks = performance.getEntriesByType('mark').filter(m => m.name.startsWith('diagonal:painted:'));
        drawn.push(Math.max(...marks.map(m => m.startTime)) - begun);
        begun = null;
    };
    addEventListener(event, () => {
        if (begun !== null) return;
        begun = performance.now();
        performance.clearMarks();
        frame();
    }, { capture: true, signal: recording.signal });";

/// The samples recorded under `samples` or `drawn`.
///
/// # Errors
/// If the page does not answer.
pub fn samples(page: &Page, name: &str) -> Result<Vec<f64>> {
    Ok(serde_json::from_value(page.eval(name)?)?)
}

/// Prints the median and the 95th percentile of samples, and a goal, in a unit.
pub fn print_samples(what: &str, samples: &[f64], unit: &str, goal: f64) {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| {
        sorted
            .get(((sorted.len() as f64 - 1.0) * share).round() as usize)
            .copied()
            .unwrap_or(f64::NAN)
    };
    let (median, p95) = (at(0.5), at(0.95));
    println!(
        "{what:<58}{median:>10.1}{p95:>10.1}{goal:>10.0} {unit}  ({} samples)",
        sorted.len()
    );
}
