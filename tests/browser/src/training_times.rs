//! Measures runs that train in the page: a run that ships with it, the first step, frames and scrubbing beside two runs,
//! pauses, and memory.

use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::json;
use xtask::Result;

use crate::Page;
use crate::memory::Renderer;
use crate::recorder::{RECORDER, print_samples, samples};

/// Visits that a time is taken of.
const VISITS: usize = 5;
/// Longest wait.
const PATIENCE: Duration = Duration::from_secs(120);

/// Two runs of many steps at size M.
const TWO_RUNS: &str = "chain.learned%2Btisa3.m.1.20000";
/// A run at the limits of recipes: the greatest model with the longest sequences.
const GREATEST: &str = "chain.learned.n256d128l4h8r4b16.1.20000";

/// Longest step at size M, in milliseconds of one WebAssembly thread.
const STEP_OF_M: f64 = 150.0;

/// Whether the position matrices have been painted.
const PAINTED: &str = "performance.getEntriesByName('diagonal:painted:training-matrix').length > 0";
/// Number of steps of the first run.
const STEPS: &str = "document.querySelector('[data-run] progress')?.value ?? 0";

/// Measures everything, and prints a line each.
///
/// # Errors
/// If the page or the browser fails.
pub fn measure(page: &Page) -> Result {
    shipped_run(page)?;
    first_step(page)?;
    beside_two_runs(page)?;
    memory(page)
}

/// Times from the press that opens the view to the painted matrix of the run that ships with the page.
fn shipped_run(page: &Page) -> Result {
    let mut times = Vec::new();
    for _ in 0..VISITS {
        page.load("?view=encodings&model=sinusoidal")?;
        page.script(RECORDER, vec![json!("click"), json!(PAINTED)])?;
        page.switch_view("training")?;
        page.wait_until_within("samples.length > 0", PATIENCE)?;
        times.extend(samples(page, "samples")?);
    }
    print_samples(
        "training: view to the shipped run’s matrix",
        &times,
        "ms",
        300.0,
    );
    Ok(())
}

/// Times from the press on Train to the first step that is reported, with the program fetched.
fn first_step(page: &Page) -> Result {
    let mut times = Vec::new();
    for _ in 0..VISITS {
        page.load(&format!("?view=training&model=sinusoidal&train={TWO_RUNS}"))?;
        page.wait_until("document.querySelector('.run-controls')")?;
        let stepped = format!("({STEPS}) > 0");
        page.script(RECORDER, vec![json!("click"), json!(stepped)])?;
        page.click_named("Train")?;
        page.wait_until_within("samples.length > 0", PATIENCE)?;
        times.extend(samples(page, "samples")?);
    }
    print_samples(
        "training: Train to the first steps of two runs",
        &times,
        "ms",
        1000.0,
    );
    Ok(())
}

/// Frames, scrubbing and pauses while the two runs of [`first_step`] train.
fn beside_two_runs(page: &Page) -> Result {
    page.wait_until_within(&format!("({STEPS}) > 64"), PATIENCE)?;
    let frames = page.eval_async(
        "new Promise(done => { const times = []; const frame = now => { times.push(now); \
         if (now - times[0] < 10000) requestAnimationFrame(frame); \
         else done(times.slice(1).map((time, at) => time - times[at])); }; requestAnimationFrame(frame); })",
    )?;
    let frames: Vec<f64> = serde_json::from_value(frames)?;
    print_samples("training: frames beside two runs", &frames, "ms", 33.0);
    page.script(RECORDER, vec![json!("input"), json!(PAINTED)])?;
    for place in 0..12 {
        page.script(
            "const slider = document.querySelector('.transport input[type=range]');\
             slider.value = arguments[0];\
             slider.dispatchEvent(new Event('input', { bubbles: true }))",
            vec![json!(place)],
        )?;
        page.wait_until_within(&format!("samples.length > {place}"), PATIENCE)?;
    }
    let scrubbing = samples(page, "samples")?;
    print_samples(
        "training: a step of the transport to its matrices",
        &scrubbing,
        "ms",
        33.0,
    );
    let step = step_duration(page)?;
    print_samples(
        "training: a step of one of two runs",
        &[step],
        "ms",
        STEP_OF_M,
    );
    let mut pauses = Vec::new();
    for _ in 0..VISITS {
        // The time of the last step that is reported after the press.
        page.eval(&format!(
            "(() => {{ window.pressed = performance.now(); window.lastStep = pressed; let steps = {STEPS}; \
             const look = () => {{ if (({STEPS}) !== steps) {{ steps = {STEPS}; lastStep = performance.now(); }} \
             if (performance.now() - pressed < 2000) setTimeout(look, 4); }}; look(); return true; }})()"
        ))?;
        page.click_named("Pause")?;
        sleep(Duration::from_millis(2200));
        pauses.extend(page.eval("lastStep - pressed")?.as_f64());
        page.click_named("Go on")?;
        sleep(Duration::from_millis(500));
    }
    // A pause is heard within a step, however long the step is beside another run.
    print_samples("training: Pause to the last step", &pauses, "ms", step);
    page.click_named("Stop").map(drop)
}

/// Mean duration of a step of the first run over 5 seconds, in milliseconds.
fn step_duration(page: &Page) -> Result<f64> {
    let read = || Ok::<_, Box<dyn std::error::Error>>(page.eval(STEPS)?.as_f64().unwrap_or(0.0));
    let (before, start) = (read()?, Instant::now());
    sleep(Duration::from_secs(5));
    let steps = read()? - before;
    Ok(start.elapsed().as_secs_f64() * 1000.0 / steps.max(1.0))
}

/// Memory of the page's process while a run at the limits trains, above that before.
fn memory(page: &Page) -> Result {
    page.load(&format!("?view=training&model=sinusoidal&train={GREATEST}"))?;
    page.wait_until("document.querySelector('.run-controls')")?;
    let renderer = Renderer::of(page)?;
    let before = renderer.settle(page)?;
    page.click_named("Train")?;
    page.wait_until_within(&format!("({STEPS}) > 4"), PATIENCE)?;
    let grown = renderer.peak()? - before;
    print_samples(
        "training: memory of the greatest run, with its page",
        &[grown],
        "MB",
        64.0,
    );
    page.click_named("Stop").map(drop)
}
