//! Runs that train on the page: started, paused, scrubbed, shown in other views, and stopped.

use browser::{Page, Result, scenarios, session::key};
use std::time::Duration;

scenarios! {
    in_every_engine: [two_encodings_learn_beside_each_other],
    in_chromium: [
        a_closed_model_stays_closed,
        a_run_pauses_steps_and_stops,
        a_run_is_closed_while_it_trains,
        a_hidden_tab_pauses_unless_told_otherwise,
        a_run_needs_only_the_keyboard,
        scrubbing_moves_the_model_of_every_view,
        recipes_of_links_that_cannot_be_read_get_a_sentence,
        the_form_changes_the_link,
        a_lost_program_leaves_its_snapshots,
    ],
}

/// Longer than the small runs of these scenarios take.
pub(super) const SOON: Duration = Duration::from_secs(60);

/// Two runs of 40 steps, each of a few milliseconds.
const TWO: &str = "offset2.learned+tisa2.n16d16l1h2r2b4.1.40";
/// A run of many steps.
const LONG: &str = "chain.learned.m.1.20000";

fn open(page: &Page, recipes: &str) -> Result {
    let recipes = recipes.replace('+', "%2B");
    page.open(&format!("?view=training&model=sinusoidal&train={recipes}"))
}

/// JavaScript for the row of a run.
pub(super) fn row(run: &str) -> String {
    format!("document.querySelector(\"[data-run='{run}']\")")
}

/// Waits until the row of a run has a text.
pub(super) fn row_says(page: &Page, run: &str, words: &str) -> Result {
    let says = format!("{}?.textContent.includes({words:?})", row(run));
    page.wait_until_within(&says, SOON)?;
    Ok(())
}

fn steps_of(page: &Page, run: &str) -> Result<f64> {
    let value = page.eval(&format!("{}.querySelector('progress').value", row(run)))?;
    Ok(value.as_f64().ok_or("no steps")?)
}

const LEARNED: &str = "offset2.learned.n16d16l1h2r2b4.1.40";
const TISA: &str = "offset2.tisa2.n16d16l1h2r2b4.1.40";

fn two_encodings_learn_beside_each_other(page: &Page) -> Result {
    open(page, TWO)?;
    // A link starts nothing.
    page.wait_until("document.querySelector('.training-form')")?;
    assert_eq!(
        page.eval("document.querySelectorAll('[data-run]').length")?,
        0
    );
    page.click_named("Train")?;
    for run in [LEARNED, TISA] {
        row_says(page, run, "done")?;
        assert_eq!(steps_of(page, run)?, 40.0);
    }
    let table = page.csv("training-losses")?;
    let steps: Vec<f64> = table.numbers("step")?;
    let of_a_run = [
        0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 40.0,
    ];
    assert_eq!(steps, [of_a_run, of_a_run].concat());
    assert!(
        table
            .numbers("held_out_loss")?
            .iter()
            .all(|loss| loss.is_finite())
    );
    for figure in [
        "training-curves",
        "training-spectra",
        "training-matrix",
        "training-heads",
        "training-kernels",
        "training-kernel-paths",
        "training-table",
        "training-waves",
        "training-lengths",
    ] {
        page.figure(figure)?;
    }
    let kernels = page.csv("training-kernels")?;
    // Two heads with two kernels each, in twelve snapshots; the heads of the table have fits of at most three.
    let sources: Vec<&str> = kernels.column("source")?.collect();
    let count = |source: &str| sources.iter().filter(|other| **other == source).count();
    assert_eq!(count("parameters"), 12 * 4);
    assert!((12..=12 * 6).contains(&count("fit")));
    page.met_no_error()
}

/// A run whose model the visitor closes goes on, and its next snapshots do not list it again.
fn a_closed_model_stays_closed(page: &Page) -> Result {
    open(page, LONG)?;
    page.click_named("Train")?;
    let listed = format!("document.querySelector(\"[data-model='{LONG}']\")");
    page.wait_until_within(&listed, SOON)?;
    page.click(&format!("[aria-label='Close {LONG}']"))?;
    page.wait_until(&format!("!{listed}"))?;
    page.click_named("Take a snapshot now")?;
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(page.eval(&format!("Boolean({listed})"))?, false);
    // Stop takes a last snapshot.
    let step_of_last = "Number(document.querySelector('.transport input[type=range]').max)";
    let before = page.eval(step_of_last)?.as_f64().ok_or("no snapshots")?;
    page.click_named("Stop")?;
    row_says(page, LONG, "stopped")?;
    page.wait_until_within(&format!("{step_of_last} > {before}"), SOON)?;
    page.met_no_error()
}

fn a_run_pauses_steps_and_stops(page: &Page) -> Result {
    open(page, LONG)?;
    page.click_named("Train")?;
    page.wait_until_within(
        &format!("{}?.querySelector('progress').value > 2", row(LONG)),
        SOON,
    )?;
    page.click_named("Pause")?;
    row_says(page, LONG, "paused")?;
    // The step at which the pause is noticed may still be reported.
    std::thread::sleep(Duration::from_millis(1500));
    let paused = steps_of(page, LONG)?;
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(steps_of(page, LONG)?, paused);
    page.click_named("One step, during a pause")?;
    page.wait_until_within(
        &format!("{}.querySelector('progress').value > {paused}", row(LONG)),
        SOON,
    )?;
    let after = steps_of(page, LONG)?;
    page.click_named("Go on")?;
    page.wait_until_within(
        &format!("{}.querySelector('progress').value > {after}", row(LONG)),
        SOON,
    )?;
    page.click_named("Stop")?;
    row_says(page, LONG, "stopped")?;
    page.click_named("Close chain · learned")?;
    page.wait_until("document.querySelectorAll('[data-run]').length === 0")?;
    page.met_no_error()
}

/// Closing a run ends its program in the middle of a step; the run beside it trains to its end.
fn a_run_is_closed_while_it_trains(page: &Page) -> Result {
    page.open("?view=encodings")?;
    // Records the programs that train and those that are ended.
    page.eval(
        "(() => { const own = window.Worker; window.ended = []; window.Worker = class extends own {\
           constructor(...all) { super(...all); this.address = String(all[0]); }\
           terminate() { if (this.address.includes('trainer')) window.ended.push(this.address); super.terminate(); }\
         }; return true; })()",
    )?;
    page.script(
        "history.pushState(null, '', '?view=training&model=sinusoidal&train=' + encodeURIComponent(arguments[0])); dispatchEvent(new PopStateEvent('popstate'));",
        vec!["chain.learned+alibi.m.1.60".into()],
    )?;
    page.wait_until("document.querySelector('.training-form')")?;
    page.click_named("Train")?;
    let (closed, other) = ("chain.learned.m.1.60", "chain.alibi.m.1.60");
    for run in [closed, other] {
        page.wait_until_within(
            &format!("{}?.querySelector('progress').value > 1", row(run)),
            SOON,
        )?;
    }
    page.click_named("Close chain · learned")?;
    page.wait_until(&format!("!{} && window.ended.length === 1", row(closed)))?;
    row_says(page, other, "done")?;
    page.figure("training-losses")?;
    assert_eq!(
        page.eval(&format!(
            "Boolean(document.querySelector(\"[data-model='{closed}']\"))"
        ))?,
        false
    );
    page.met_no_error()
}

/// Makes the page believe that its tab is hidden or visible.
fn set_hidden(page: &Page, is_hidden: bool) -> Result {
    page.script(
        "Object.defineProperty(document, 'hidden', { configurable: true, get: () => arguments[0] });\
         document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))",
        vec![is_hidden.into()],
    )
    .map(drop)
}

/// Waits until a run has done more steps than now.
fn goes_on(page: &Page, run: &str) -> Result {
    let before = steps_of(page, run)?;
    let steps = format!("{}.querySelector('progress').value > {before}", row(run));
    page.wait_until_within(&steps, SOON).map(drop)
}

fn a_hidden_tab_pauses_unless_told_otherwise(page: &Page) -> Result {
    open(page, LONG)?;
    page.click_named("Train")?;
    page.wait_until_within(
        &format!("{}?.querySelector('progress').value > 2", row(LONG)),
        SOON,
    )?;
    set_hidden(page, true)?;
    row_says(page, LONG, "paused")?;
    // The step at which the pause is noticed may still be reported.
    std::thread::sleep(Duration::from_millis(1500));
    let paused = steps_of(page, LONG)?;
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(steps_of(page, LONG)?, paused);
    set_hidden(page, false)?;
    row_says(page, LONG, "left")?;
    goes_on(page, LONG)?;
    // A run that the visitor has paused stays so.
    page.click_named("Pause")?;
    row_says(page, LONG, "paused")?;
    set_hidden(page, true)?;
    set_hidden(page, false)?;
    std::thread::sleep(Duration::from_millis(300));
    row_says(page, LONG, "paused")?;
    page.click_named("Go on")?;
    // Told otherwise, it goes on.
    page.eval(
        "[...document.querySelectorAll('.training-form label')].find(label => label.textContent.includes('while this tab is hidden')).querySelector('input').click()",
    )?;
    set_hidden(page, true)?;
    goes_on(page, LONG)?;
    goes_on(page, LONG)?;
    row_says(page, LONG, "left")?;
    set_hidden(page, false)?;
    page.click_named("Stop")?;
    row_says(page, LONG, "stopped")?;
    page.met_no_error()
}

/// Moves the focus by Tab, or by Shift and Tab, to the control with a name.
fn tab_to(page: &Page, name: &str, is_back: bool) -> Result {
    const MOST_PRESSES: usize = 200;
    const FOCUSED: &str = "(e => (e.getAttribute('aria-label') ?? e.closest('label')?.textContent ?? e.textContent).trim())(document.activeElement)";
    for _ in 0..MOST_PRESSES {
        match is_back {
            true => page.chord(&[key::SHIFT], key::TAB)?,
            false => page.keys(&[key::TAB])?,
        }
        if page.eval(FOCUSED)? == name {
            return Ok(());
        }
    }
    Err(format!("{name} cannot be reached by Tab").into())
}

fn a_run_needs_only_the_keyboard(page: &Page) -> Result {
    const WITH_TISA: &str = "chain.tisa3.m.1.20000";
    open(page, LONG)?;
    page.wait_until("document.querySelector('.run-controls')")?;
    tab_to(page, "TISA", false)?;
    page.keys(&[' '])?;
    // A button keeps the focus when it changes the size.
    for size in ["S", "M"] {
        tab_to(page, size, false)?;
        page.keys(&[key::ENTER])?;
        assert_eq!(page.eval("document.activeElement.textContent")?, size);
    }
    tab_to(page, "Train", false)?;
    page.keys(&[key::ENTER])?;
    for run in [LONG, WITH_TISA] {
        let steps = format!("{}?.querySelector('progress').value > 3", row(run));
        page.wait_until_within(&steps, SOON)?;
    }
    tab_to(page, "Pause", false)?;
    page.keys(&[key::ENTER])?;
    for run in [LONG, WITH_TISA] {
        row_says(page, run, "paused")?;
    }
    page.wait_until_within(
        "Number(document.querySelector('.transport input[type=range]').max) > 2",
        SOON,
    )?;
    tab_to(page, "Step", false)?;
    for (pressed, step) in [
        (key::HOME, "step 0"),
        (key::RIGHT, "step 1"),
        (key::LEFT, "step 0"),
        (key::END, "latest"),
    ] {
        page.keys(&[pressed])?;
        page.wait_until(&format!(
            "document.querySelector('.transport output').textContent === '{step}'"
        ))?;
    }
    tab_to(page, "Stop", true)?;
    page.keys(&[key::ENTER])?;
    for run in [LONG, WITH_TISA] {
        row_says(page, run, "stopped")?;
    }
    page.met_no_error()
}

fn scrubbing_moves_the_model_of_every_view(page: &Page) -> Result {
    open(page, TWO)?;
    page.click_named("Train")?;
    for run in [LEARNED, TISA] {
        row_says(page, run, "done")?;
    }
    // Each run is one model of the list.
    page.wait_until_within(
        &format!("document.querySelector(\"[data-model='{LEARNED}']\")"),
        SOON,
    )?;
    page.wait_until_within(
        &format!("document.querySelector(\"[data-model='{TISA}']\")"),
        SOON,
    )?;
    page.script(
        "document.querySelector('.transport input[type=range]').focus()",
        Vec::new(),
    )?;
    page.keys(&[key::HOME])?;
    page.wait_until("document.querySelector('.transport output').textContent === 'step 0'")?;
    page.wait_until(
        "document.querySelector('#training-heads .summary').textContent.includes('step 0')",
    )?;
    page.choose(LEARNED)?;
    page.switch_view("positions")?;
    page.figure("position-matrix")?;
    let r2_at = |page: &Page| -> Result<f64> {
        let r2 = page.csv("toeplitz-scores")?.numbers("r2")?;
        Ok(*r2.first().ok_or("no scores")?)
    };
    let first = r2_at(page)?;
    page.switch_view("training")?;
    let before = page.csv("training-curves")?.numbers("r2")?;
    assert!(
        (before[0] - first).abs() < 1e-6,
        "{first} is not {}",
        before[0]
    );
    page.script(
        "document.querySelector('.transport input[type=range]').focus()",
        Vec::new(),
    )?;
    page.keys(&[key::END])?;
    page.wait_until("document.querySelector('.transport output').textContent === 'latest'")?;
    // The snapshot is opened a moment later.
    std::thread::sleep(Duration::from_secs(1));
    page.switch_view("positions")?;
    page.figure("position-matrix")?;
    let last = r2_at(page)?;
    assert!(
        (before[11] - last).abs() < 1e-6,
        "{last} is not {}",
        before[11]
    );
    page.met_no_error()
}

fn recipes_of_links_that_cannot_be_read_get_a_sentence(page: &Page) -> Result {
    for (recipes, word) in [
        ("chain.cubic.m.1.5", "no encoding"),
        ("chain.learned.n64d64l5h4r4b1.1.5", "layers"),
        ("<script>", "five parts"),
    ] {
        open(page, recipes)?;
        page.wait_until(&format!(
            "document.querySelector('.training-form .fault')?.textContent.includes('{word}')"
        ))?;
    }
    // The form still works.
    page.click_named("S")?;
    page.wait_until("document.querySelector('.training-form .fault').hidden")?;
    page.met_no_error()
}

fn the_form_changes_the_link(page: &Page) -> Result {
    open(page, "chain.learned.m.1.800")?;
    page.click_named("S")?;
    for name in ["TISA", "rotary"] {
        let boxes = "[...document.querySelectorAll('.encoding-choice label')]";
        page.eval(&format!(
            "{boxes}.find(label => label.textContent.trim() === '{name}').querySelector('input').click()"
        ))?;
    }
    // The address follows a moment later.
    page.wait_until(
        "new URLSearchParams(location.search).get('train') === 'chain.learned+tisa3+rotary.s.1.800'",
    )?;
    page.met_no_error()
}

fn a_lost_program_leaves_its_snapshots(page: &Page) -> Result {
    page.open("?view=encodings")?;
    // Keep every worker that the page starts, to end one of them.
    page.eval(
        "(() => { const own = window.Worker; window.workers = []; window.Worker = class extends own { constructor(...all) { super(...all); window.workers.push([String(all[0]), this]); } }; return true; })()",
    )?;
    page.script(
        "history.pushState(null, '', '?view=training&model=sinusoidal&train=' + arguments[0]); dispatchEvent(new PopStateEvent('popstate'));",
        vec![LONG.into()],
    )?;
    page.wait_until("document.querySelector('.training-form')")?;
    page.click_named("Train")?;
    page.wait_until_within(
        &format!("{}?.querySelector('progress').value > 1", row(LONG)),
        SOON,
    )?;
    // The program itself reports a panic in this form.
    page.eval(
        "(() => { const [, worker] = window.workers.find(([address]) => address.includes('trainer')); worker.onmessage(new MessageEvent('message', { data: [0, 2, 'out of memory'] })); return true; })()",
    )?;
    row_says(page, LONG, "The browser ended this run at step")?;
    page.figure("training-losses")?;
    page.forgive("the worker has stopped")
}
