//! Presented lessons: every step fits the window, and keys unfold answers.

use std::time::Duration;

use crate::lessons::{LACKS, PAGE_DOWN, PAGE_UP, at_step, press};
use browser::session::key;
use browser::suite::Scenario;
use browser::{Page, Result};
use lesson_format::Lesson;
use serde_json::{Value, json};
use xtask::lessons::sources;

/// Longer than any figure of a step takes.
const SOON: Duration = Duration::from_secs(40);

/// Window sizes: a projector, a large screen and an old 4 : 3 projector. A laptop's shape lies between these.
const SIZES: [(u32, u32); 3] = [(1280, 720), (1920, 1080), (1024, 768)];

/// Number of [`SIZES`] at which figures fill the pane.
const FILLED: usize = 2;

/// Least share of the pane that the figures of a step take, of the largest share that their shapes allow.
const LEAST_SHARE: f64 = 0.5;

pub(crate) fn scenarios() -> Vec<Scenario> {
    let mut all = Vec::new();
    for (id, path) in sources().unwrap_or_default() {
        let name = format!("it::presenting::every_step_fits::{id}");
        all.push(Scenario::new(&name, move |page| {
            let lesson = Lesson::parse(&std::fs::read_to_string(&path)?)?;
            every_step_fits(page, &id, &lesson)
        }));
    }
    for (name, scenario) in [
        (
            "keys_unfold_the_answer_first",
            keys_unfold_the_answer_first as fn(&Page) -> Result,
        ),
        ("presenting_begins_at_the_top", presenting_begins_at_the_top),
        (
            "a_step_looks_the_same_however_it_is_reached",
            a_step_looks_the_same_however_it_is_reached,
        ),
        (
            "a_step_looks_the_same_whenever_it_is_loaded",
            a_step_looks_the_same_whenever_it_is_loaded,
        ),
        ("the_last_step_leads_on", the_last_step_leads_on),
        ("notes_show_the_answer", notes_show_the_answer),
    ] {
        all.push(Scenario::new(&format!("it::presenting::{name}"), scenario));
    }
    all
}

/// Elements of a presented step that do not fit: a list of sentences, empty if everything fits.
///
/// Checks the page, the pane, the column of text and everything else that can scroll; figures and controls that are
/// narrow, leave the window or overlap; and text in a column of one or two letters.
const MISFITS: &str = r#"(() => {
    const found = [], root = document.documentElement, near = 1.5;
    const seen = e => e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length > 0;
    if (root.scrollHeight > innerHeight + near || root.scrollWidth > innerWidth + near)
        found.push(`the page is ${root.scrollWidth} by ${root.scrollHeight} px`);
    const name = e => e.id || e.className || e.tagName;
    for (const e of document.querySelectorAll('main, main *, .lesson, .lesson *')) {
        if (!seen(e)) continue;
        const style = getComputedStyle(e);
        if (/auto|scroll/.test(style.overflowY) && e.scrollHeight > e.clientHeight + near && e.clientHeight > 0)
            found.push(`${name(e)} is ${e.scrollHeight} px high in ${e.clientHeight}`);
        if (/auto|scroll/.test(style.overflowX) && e.scrollWidth > e.clientWidth + near && e.clientWidth > 0)
            found.push(`${name(e)} is ${e.scrollWidth} px wide in ${e.clientWidth}`);
    }
    const pane = document.querySelector('main').getBoundingClientRect();
    const blocks = [...document.querySelectorAll('figure[data-lit], .kernel-controls, .schemes')].filter(seen);
    const rects = blocks.map(e => e.getBoundingClientRect());
    blocks.forEach((e, at) => {
        const r = rects[at], least = innerWidth / 7;
        if (r.width < least) found.push(`${name(e)} is only ${r.width} px wide`);
        const parts = [e, ...e.querySelectorAll('canvas:not(.overlay), table, .controls, header')].filter(seen);
        for (const part of parts) {
            const p = part.getBoundingClientRect();
            if (p.left < pane.left - near || p.right > pane.right + near || p.top < -near || p.bottom > innerHeight + near)
                found.push(`${name(part)} of ${name(e)} leaves the pane`);
            if (p.left < r.left - near || p.right > r.right + near || p.bottom > r.bottom + near)
                found.push(`${name(part)} leaves ${name(e)}`);
        }
        for (let other = 0; other < at; other++) {
            const o = rects[other];
            if (Math.min(r.right, o.right) - Math.max(r.left, o.left) > near && Math.min(r.bottom, o.bottom) - Math.max(r.top, o.top) > near)
                found.push(`${name(e)} covers ${name(blocks[other])}`);
        }
    });
    const walker = document.createTreeWalker(document.querySelector('.body'), NodeFilter.SHOW_TEXT), range = document.createRange();
    for (let node; (node = walker.nextNode());) {
        const text = node.data.trim(), parent = node.parentElement;
        // Headings that only screen readers read are a pixel wide.
        const hidden = parent.offsetWidth < 3 || parent.closest('.summary, select, math');
        if (text.length < 5 || !seen(parent) || hidden) continue;
        const style = getComputedStyle(parent);
        if (!style.writingMode.startsWith('horizontal')) continue;
        range.selectNodeContents(node);
        const lines = [...range.getClientRects()];
        const widest = Math.max(...lines.map(r => r.width)), size = parseFloat(style.fontSize);
        if (lines.length > 2 && widest < 2.5 * size) found.push(`“${text}” stands in ${lines.length} lines`);
        if (size < innerHeight / 80) found.push(`“${text}” has letters of ${size} px`);
    }
    return found; })()"#;

/// Shares of the pane, which is the window without the column of text: that of the pictures with their axes, and the
/// largest that pictures of these shapes can have. Matrices and grids of heads have fixed shapes; other pictures, and
/// tables, can have any.
const SHARES: &str = r#"(() => {
    const width = document.querySelector('main').getBoundingClientRect().width, height = innerHeight;
    const figures = [...document.querySelectorAll('figure[data-lit]')];
    const fixed = /matrix|attention$|position-table|head-grid|fit-grid|head-convolution|filtered-image|gaussian-heads|head-clusters|first-layer|phasors|component-path|head-rotation/;
    const pictures = figures.map(figure => {
        const r = (figure.querySelector(':scope > .stage > .figure-view > .picture') ?? figure.querySelector('.criteria') ?? figure).getBoundingClientRect();
        return { width: r.width, height: r.height, aspect: r.width / r.height, fixed: fixed.test(figure.id) };
    });
    const share = pictures.reduce((sum, p) => sum + p.width * p.height, 0) / (width * height);
    let possible = 1;
    if (pictures.every(p => p.fixed)) {
        const wide = pictures.reduce((sum, p) => sum + p.aspect, 0), high = pictures.reduce((sum, p) => sum + 1 / p.aspect, 0);
        const row = Math.min(height, width / wide), column = Math.min(width, height / high);
        possible = Math.max(row * row * wide, column * column * high) / (width * height);
    }
    const controls = [...document.querySelectorAll('.kernel-controls, figure[data-lit] > .controls')].some(e => e.checkVisibility());
    return { share, possible, figures: figures.length, controls };
})()"#;

/// Waits until the layout is unchanged for some frames.
const SETTLED: &str = "(async () => {\
    const frame = () => new Promise(requestAnimationFrame);\
    const now = () => [...document.querySelectorAll('main, .lesson, .lesson *, [data-placed], [data-placed] canvas')].map(e => [e.offsetLeft, e.offsetTop, e.offsetWidth, e.offsetHeight]).join();\
    for (let before = '', same = 0, tries = 0; same < 3 && tries < 120; tries++) { const next = now(); same = next === before ? same + 1 : 0; before = next; await frame(); }\
    return true; })()";

/// Goes through a lesson once, and checks each step at every size, with its answer folded and unfolded.
fn every_step_fits(page: &Page, id: &str, lesson: &Lesson) -> Result {
    page.resize(SIZES[0].0, SIZES[0].1)?;
    page.open(&format!("?lesson={id}&present"))?;
    let mut misfits = Vec::new();
    for (at, step) in lesson.steps.iter().enumerate() {
        page.wait_until(&format!(
            "document.querySelector('.lesson .place')?.textContent.startsWith('{} of ')",
            at + 1
        ))?;
        for figure in &step.light {
            page.wait_until_within(
                &format!(
                    "!!document.querySelector(\"figure#{figure}[data-lit][data-state='ready']\")"
                ),
                SOON,
            )?;
        }
        page.wait_until_within(&format!("{LACKS}.length === 0"), SOON)
            .map_err(|error| {
                let lacks = page.eval(LACKS).unwrap_or_default();
                format!("{id}, step {}: {lacks}; {error}", at + 1)
            })?;
        let alerts = page.eval(
            "[...document.querySelectorAll('[role=alert]')].filter(e => !e.hidden).map(e => e.textContent)",
        )?;
        assert_eq!(alerts, json!([]), "{id}, step {}", at + 1);
        for (width, height) in SIZES {
            page.resize(width, height)?;
            let place = format!("{id}, step {}, {width}×{height}", at + 1);
            page.eval_async(SETTLED)?;
            let measured = format!(
                "[false, true].flatMap(unfolds => {{\
                   const question = document.querySelector('.lesson .question:not([open])');\
                   if (unfolds && question) question.open = true;\
                   const found = {MISFITS};\
                   if (unfolds && question) question.open = false;\
                   return found.map(misfit => unfolds ? `${{misfit}} (answer unfolded)` : misfit); }})"
            );
            // After a stream of changes, a step is laid out again within a second.
            let mut found = page.eval(&measured)?;
            for _ in 0..12 {
                if found == json!([]) {
                    break;
                }
                std::thread::sleep(Duration::from_millis(250));
                found = page.eval(&measured)?;
            }
            let Value::Array(found) = found else {
                return Err("no list of misfits".into());
            };
            misfits.extend(found.iter().map(|misfit| format!("{place}: {misfit}")));
            if SIZES[..FILLED].contains(&(width, height)) {
                misfits.extend(unfilled(page, &place)?);
            }
            let lit = page.eval("[...document.querySelectorAll('figure[data-lit]')].filter(e => e.checkVisibility() && e.offsetWidth > 0).length")?;
            if lit != json!(step.light.len()) {
                misfits.push(format!("{place}: {lit} figures are seen"));
            }
        }
        if at + 1 < lesson.steps.len() {
            page.script(
                "document.querySelector(\".lesson [aria-label='Next step']\").click()",
                Vec::new(),
            )?;
        }
    }
    assert!(misfits.is_empty(), "{}", misfits.join("\n"));
    page.met_no_error()
}

/// Prints the share of the pane that the figures of a step take. Returns a sentence if it is too little for one figure or
/// a pair without sliders.
fn unfilled(page: &Page, place: &str) -> Result<Option<String>> {
    let mut relative = 0.0;
    // After a stream of changes, a step is laid out again within a second.
    for _ in 0..12 {
        let shares = page.eval(SHARES)?;
        let number = |key: &str| shares[key].as_f64().ok_or("no share");
        let (share, possible) = (number("share")?, number("possible")?);
        relative = share / possible;
        let is_plain = shares["controls"] == json!(false) && number("figures")? <= 2.0;
        if !is_plain || relative >= LEAST_SHARE {
            println!(
                "{place}: figures take {share:.2} of the pane, {relative:.2} of the possible {possible:.2}"
            );
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(250));
    }
    Ok(Some(format!(
        "{place}: figures take {relative:.2} of what they could"
    )))
}

/// Positions and sizes of the placed figures, in whole pixels.
const PLACES: &str = "[...document.querySelectorAll('[data-placed], [data-placed] .picture')].map(e => { const r = e.getBoundingClientRect(); return [r.x, r.y, r.width, r.height].map(Math.round); })";

/// Waits for the figures of a step, and returns the places of its blocks and pictures.
fn places(page: &Page, step: usize) -> Result<Value> {
    at_step(page, step)?;
    page.wait_until_within(
        "[...document.querySelectorAll('figure[data-lit]')].every(e => e.dataset.state === 'ready') && document.querySelectorAll('[data-placed]').length > 0",
        SOON,
    )?;
    std::thread::sleep(Duration::from_secs(1));
    page.eval_async(SETTLED)?;
    page.eval(PLACES)
}

/// A step that is presented at once has the layout of its figures, not of the room reserved for them: which of the two
/// is measured first differs from load to load.
fn a_step_looks_the_same_whenever_it_is_loaded(page: &Page) -> Result {
    const LOADS: usize = 4;
    page.resize(SIZES[0].0, SIZES[0].1)?;
    let mut loads = Vec::new();
    for _ in 0..LOADS {
        page.open("?lesson=10-your-checkpoint&present")?;
        loads.push(places(page, 1)?);
    }
    assert!(
        loads.iter().all(|load| *load == loads[0]),
        "layouts of one step: {loads:?}"
    );
    page.met_no_error()
}

/// Walks to a step by keys, reloads it, and chooses it in the list of steps.
fn a_step_looks_the_same_however_it_is_reached(page: &Page) -> Result {
    const STEP: usize = 8;
    page.resize(SIZES[0].0, SIZES[0].1)?;
    page.open(&format!(
        "?lesson=04-toeplitz&lesson-step={}&present",
        STEP - 2
    ))?;
    at_step(page, STEP - 2)?;
    page.script("document.activeElement.blur()", Vec::new())?;
    for _ in 0..4 {
        if page.eval("document.querySelector('.lesson .place').textContent")?
            == json!(format!("{STEP} of 12"))
        {
            break;
        }
        page.keys(&[PAGE_DOWN])?;
        std::thread::sleep(Duration::from_millis(300));
    }
    let walked = places(page, STEP)?;
    page.open(&format!("?lesson=04-toeplitz&lesson-step={STEP}&present"))?;
    let reloaded = places(page, STEP)?;
    assert_eq!(walked, reloaded);
    page.keys(&['p'])?;
    page.wait_until(&format!("!({IS_PRESENTED})"))?;
    page.script("scrollTo(0, 400)", Vec::new())?;
    page.keys(&['p'])?;
    page.wait_until(IS_PRESENTED)?;
    assert_eq!(places(page, STEP)?, reloaded);
    page.met_no_error()
}

/// The last step offers the next lesson, the list and the reader's own model, and is remembered as reached.
fn the_last_step_leads_on(page: &Page) -> Result {
    page.open("?lesson=01-order&lesson-step=10")?;
    at_step(page, 10)?;
    page.wait_until("document.querySelector('.onward').hidden")?;
    press(page, "Next step")?;
    at_step(page, 11)?;
    page.wait_until(
        "document.querySelector('.onward').checkVisibility() && document.querySelector('.onward .primary')?.textContent.startsWith('Next lesson: ')",
    )?;
    press(page, "All lessons")?;
    page.wait_until("document.querySelector('.lesson-state')?.textContent === 'Finished'")?;
    page.wait_until(
        "document.querySelectorAll('.lesson-list .hint')[1].textContent.includes('minutes')",
    )?;
    page.wait_until("[...document.querySelectorAll('.lesson-state')].filter(e => e.textContent === 'Go on here').length === 1")?;
    page.open("?lesson=01-order&lesson-step=11&present")?;
    at_step(page, 11)?;
    page.wait_until("document.querySelector('.onward .primary')?.checkVisibility()")?;
    page.script(
        "document.querySelector('.onward .primary').click()",
        Vec::new(),
    )?;
    page.wait_until("location.search.includes('lesson=02-sinusoids')")?;
    page.wait_until(IS_PRESENTED)?;
    at_step(page, 1)?;
    page.met_no_error()
}

fn is_unfolded(page: &Page, unfolded: bool) -> Result {
    page.wait_until(&format!(
        "document.querySelector('.lesson .question')?.open === {unfolded}"
    ))?;
    Ok(())
}

const IS_PRESENTED: &str = "document.documentElement.dataset.alone === 'present'";

/// Step 1 of this lesson has no question, steps 2 and 3 have one.
fn keys_unfold_the_answer_first(page: &Page) -> Result {
    page.open("?lesson=04-toeplitz")?;
    at_step(page, 1)?;
    // Starts with the button, as a person does, and then presses Space.
    page.script(
        "[...document.querySelectorAll('.lesson button')].find(b => b.textContent === 'Present').focus()",
        Vec::new(),
    )?;
    page.keys(&[' '])?;
    page.wait_until(IS_PRESENTED)?;
    page.keys(&[' '])?;
    at_step(page, 2)?;
    page.wait_until(IS_PRESENTED)?;
    for (unfold, go_on) in [(PAGE_DOWN, key::RIGHT), (key::RIGHT, ' ')] {
        is_unfolded(page, false)?;
        page.keys(&[unfold])?;
        is_unfolded(page, true)?;
        page.keys(&[go_on])?;
    }
    at_step(page, 4)?;
    is_unfolded(page, false)?;
    // Going back unfolds the same way.
    page.keys(&[PAGE_UP])?;
    at_step(page, 3)?;
    is_unfolded(page, true)?;
    page.keys(&[key::LEFT])?;
    is_unfolded(page, false)?;
    at_step(page, 3)?;
    page.keys(&[PAGE_UP, PAGE_UP, PAGE_UP])?;
    at_step(page, 1)?;
    page.keys(&[PAGE_UP])?;
    at_step(page, 1)?;
    // A focused control is pressed, and nothing else happens.
    page.script(
        "document.querySelector(\".lesson [aria-label='Next step']\").focus()",
        Vec::new(),
    )?;
    page.keys(&[' '])?;
    at_step(page, 2)?;
    is_unfolded(page, false)?;
    page.script(
        "document.querySelector('.question summary').focus()",
        Vec::new(),
    )?;
    page.keys(&[' '])?;
    is_unfolded(page, true)?;
    at_step(page, 2)?;
    // An answer that was unfolded manually counts.
    page.keys(&[PAGE_DOWN])?;
    at_step(page, 3)?;
    page.keys(&[key::ESCAPE])?;
    page.wait_until(&format!("!({IS_PRESENTED})"))?;
    page.met_no_error()
}

/// The page is scrolled before the presentation starts.
fn presenting_begins_at_the_top(page: &Page) -> Result {
    page.open("?lesson=09-schemes")?;
    at_step(page, 1)?;
    page.figure("criteria")?;
    page.script("scrollTo(0, 1500)", Vec::new())?;
    page.wait_until("scrollY > 100")?;
    page.script("document.activeElement.blur()", Vec::new())?;
    page.keys(&['p'])?;
    page.wait_until(IS_PRESENTED)?;
    page.wait_until(
        "scrollY === 0 && document.querySelector('#criteria h2').getBoundingClientRect().top > 0",
    )?;
    page.eval_async(SETTLED)?;
    assert_eq!(page.eval("scrollY")?, json!(0));
    Ok(())
}

fn notes_show_the_answer(page: &Page) -> Result {
    const TURN: &str = ".speaker button[data-turns-answer]";
    page.open("?lesson=04-toeplitz&lesson-step=2&present")?;
    at_step(page, 2)?;
    is_unfolded(page, false)?;
    // Opens the window as a tab.
    page.script(
        "window.open = address => { window.opened = address; return null; }",
        Vec::new(),
    )?;
    press(page, "Notes window")?;
    let address = page.wait_until("window.opened")?;
    let [lecture, notes] = page.another_tab()?;
    page.goto(&format!(
        "{}{}",
        page.base(),
        address.as_str().ok_or("no address")?
    ))?;
    page.wait_until(&format!(
        "document.querySelector('{TURN}')?.textContent === 'Show answer'"
    ))?;
    page.click(TURN)?;
    page.wait_until(&format!(
        "document.querySelector('{TURN}').textContent === 'Hide answer'"
    ))?;
    // The button keeps the focus, and Space presses it again.
    page.keys(&[' '])?;
    page.wait_until(&format!(
        "document.querySelector('{TURN}').textContent === 'Show answer'"
    ))?;
    // Keys in this window act as on the presentation.
    page.keys(&[PAGE_DOWN])?;
    page.wait_until(&format!(
        "document.querySelector('{TURN}').textContent === 'Hide answer'"
    ))?;
    page.to_tab(&lecture)?;
    at_step(page, 2)?;
    is_unfolded(page, true)?;
    page.to_tab(&notes)?;
    page.keys(&[PAGE_DOWN])?;
    page.wait_until(
        "document.querySelector('.speaker section .hint').textContent.startsWith('Step 3 of ')",
    )?;
    page.to_tab(&lecture)?;
    page.close_tab(&notes)?;
    at_step(page, 3)?;
    is_unfolded(page, false)
}
