//! Lessons: every step of each, presenting with a clicker's keys, custom lessons, handouts and embedded figures.

use std::time::Duration;

use browser::session::key;
use browser::suite::Scenario;
use browser::test_files::Folder;
use browser::{Page, Result};
use lesson_format::Lesson;
use serde_json::{Value, json};
use xtask::lessons::sources;

/// Longer than any figure of a step takes.
const SOON: Duration = Duration::from_secs(40);

/// Scenarios of windows, keys, dropped files and printing, in which engines differ.
const EVERY_ENGINE: [&str; 4] = [
    "a_lecture_is_held_by_a_clicker",
    "notes_have_a_window_of_their_own",
    "a_lesson_of_ones_own_is_dropped",
    "a_lesson_is_printed",
];

pub(crate) fn scenarios() -> Vec<Scenario> {
    let mut all = Vec::new();
    // Two lessons beside the views, as a reader has them; `presenting` goes through all of them.
    for (id, path) in sources().unwrap_or_default().into_iter().take(2) {
        let name = format!("it::lessons::steps::{id}");
        all.push(
            Scenario::new(&name, move |page| {
                let lesson = Lesson::parse(&std::fs::read_to_string(&path)?)?;
                every_step_shows_what_it_says(page, &id, &lesson)
            })
            .in_chromium(),
        );
    }
    for (name, scenario) in [
        (
            "a_lecture_is_held_by_a_clicker",
            a_lecture_is_held_by_a_clicker as fn(&Page) -> Result,
        ),
        (
            "notes_have_a_window_of_their_own",
            notes_have_a_window_of_their_own,
        ),
        (
            "a_visitor_who_changes_a_step_returns_to_it",
            a_visitor_who_changes_a_step_returns_to_it,
        ),
        (
            "a_lesson_of_ones_own_is_dropped",
            a_lesson_of_ones_own_is_dropped,
        ),
        ("what_is_no_lesson_is_said", what_is_no_lesson_is_said),
        ("a_lesson_is_printed", a_lesson_is_printed),
        ("a_figure_is_embedded", a_figure_is_embedded),
        (
            "a_step_is_ready_before_it_is_reached",
            a_step_is_ready_before_it_is_reached,
        ),
    ] {
        let scenario = Scenario::new(&format!("it::lessons::{name}"), scenario);
        all.push(if EVERY_ENGINE.contains(&name) {
            scenario
        } else {
            scenario.in_chromium()
        });
    }
    all
}

/// Missing or wrong parts of a step: numbers and claims.
pub(crate) const LACKS: &str = "(() => { const lacks = [];\
    for (const e of document.querySelectorAll('.lesson .filled')) if (e.dataset.filled !== 'there') lacks.push(`${e.dataset.filled}: ${e.title}`);\
    for (const e of document.querySelectorAll('.lesson .claim')) if (e.dataset.claim !== 'holds') lacks.push(`${e.dataset.claim}: ${e.textContent}`);\
    return lacks; })()";

fn every_step_shows_what_it_says(page: &Page, id: &str, lesson: &Lesson) -> Result {
    page.resize(1280, 720)?;
    page.open(&format!("?lesson={id}"))?;
    let count = lesson.steps.len();
    for (at, step) in lesson.steps.iter().enumerate() {
        let place = format!("{id}, step {}", at + 1);
        page.wait_until(&format!(
            "document.querySelector('.lesson .place')?.textContent === '{} of {count}'",
            at + 1
        ))?;
        for figure in &step.light {
            page.wait_until_within(
                &format!(
                    "!!document.querySelector(\"figure#{figure}[data-lit][data-state='ready']\")"
                ),
                SOON,
            )
            .map_err(|error| format!("{place}: {error}"))?;
        }
        page.wait_until_within(&format!("{LACKS}.length === 0"), SOON)
            .map_err(|error| {
                let lacks = page.eval(LACKS).unwrap_or_default();
                format!("{place}: {lacks}; {error}")
            })?;
        let alerts = page.eval("[...document.querySelectorAll('[role=alert]')].filter(e => !e.hidden).map(e => e.textContent)")?;
        assert_eq!(alerts, json!([]), "{place}");
        // The highlighted figure is on screen, and not covered by the text.
        let lit = step.light.first().ok_or("nothing is lit")?;
        page.wait_until(&format!(
            "(() => {{ const e = document.querySelector('#{lit} :is(.stage, .figure-view, table, svg)').getBoundingClientRect();\
               const panel = document.querySelector('.lesson').getBoundingClientRect();\
               const bottom = panel.top > 100 ? panel.top : innerHeight;\
               return e.width > 0 && e.top < bottom - 60 && e.bottom > 60; }})()"
        ))
        .map_err(|error| format!("{place}: {lit} is out of sight: {error}"))?;
        // The steps differ by their words and figures, which `access` checks in every view; axe takes a second a step.
        if at == 0 {
            page.has_no_barriers(&place)?;
        }
        if at + 1 < count {
            press(page, "Next step")?;
        }
    }
    page.met_no_error()
}

/// Presses a button of the lesson by its name.
pub(crate) fn press(page: &Page, name: &str) -> Result {
    let pressed = page.script(
        "const button = [...document.querySelectorAll('.lesson button')].find(b => (b.ariaLabel || b.textContent) === arguments[0]);\
         button?.click(); return !!button",
        vec![json!(name)],
    )?;
    assert_eq!(pressed, json!(true), "the lesson has no button {name}");
    Ok(())
}

pub(crate) fn at_step(page: &Page, step: usize) -> Result {
    page.wait_until(&format!(
        "document.querySelector('.lesson .place')?.textContent.startsWith('{step} of ') && location.search.includes('lesson=')"
    ))?;
    Ok(())
}

pub(crate) const PAGE_DOWN: char = '\u{E00F}';
pub(crate) const PAGE_UP: char = '\u{E00E}';

fn is_seen(page: &Page, css: &str, seen: bool) -> Result {
    page.wait_until(&format!(
        "(e => !!e && e.checkVisibility({{ visibilityProperty: true }}) === {seen})(document.querySelector('{css}'))"
    ))?;
    Ok(())
}

fn a_lecture_is_held_by_a_clicker(page: &Page) -> Result {
    page.open("?lesson=04-toeplitz")?;
    at_step(page, 1)?;
    // Some browsers allow full screen only after a person's click; the lesson is then presented in the window.
    page.script(
        "document.body.focus(); document.activeElement.blur()",
        Vec::new(),
    )?;
    page.keys(&['p'])?;
    page.wait_until("document.documentElement.dataset.alone === 'present'")?;
    page.has_no_barriers("a lecture")?;
    is_seen(page, "nav[aria-label=Views]", false)?;
    is_seen(page, "#position-matrix", true)?;
    is_seen(page, "#autocorrelation", false)
        .or_else(|_| is_seen(page, "#toeplitz-scores", false))?;
    page.keys(&[PAGE_DOWN])?;
    at_step(page, 2)?;
    // First the answer unfolds, then the next step follows.
    page.keys(&[key::RIGHT, key::RIGHT])?;
    at_step(page, 3)?;
    page.keys(&[PAGE_UP])?;
    at_step(page, 2)?;
    page.keys(&['b'])?;
    is_seen(page, ".lesson", false)?;
    page.keys(&['b'])?;
    is_seen(page, ".lesson", true)?;
    // A reload restores the step.
    page.wait_until(
        "location.search.includes('present') && location.search.includes('lesson-step=2')",
    )?;
    // From the page: WebKit's driver reports an earlier address.
    let address = page.eval("location.href")?;
    page.goto(address.as_str().ok_or("no address")?)?;
    at_step(page, 2)?;
    page.wait_until("document.documentElement.dataset.alone === 'present'")?;
    page.keys(&[key::ESCAPE])?;
    page.wait_until("!document.documentElement.dataset.alone")?;
    is_seen(page, "nav[aria-label=Views]", true)?;
    // Back does too. WebKit skips history entries that no click has created, so the button is clicked.
    page.click(".lesson [aria-label='Next step']")?;
    at_step(page, 3)?;
    page.back()?;
    at_step(page, 2)?;
    // The list of lessons leads back to the open lesson, and Back from there to the list.
    page.view("lessons")?;
    page.click(".lesson-list a[href*='04-toeplitz']")?;
    at_step(page, 1)?;
    page.wait_until("location.search.includes('view=positions')")?;
    page.wait_until(&format!("{LACKS}.length === 0"))?;
    page.back()?;
    page.wait_until("!!document.querySelector('.lesson-list')")?;
    Ok(())
}

fn notes_have_a_window_of_their_own(page: &Page) -> Result {
    page.open("?lesson=04-toeplitz&lesson-step=2")?;
    at_step(page, 2)?;
    page.wait_until(&format!("{LACKS}.length === 0"))?;
    // A browser that blocks popups.
    page.script("window.open = () => null", Vec::new())?;
    press(page, "Notes window")?;
    page.wait_until(
        "document.querySelector('#message')?.textContent.includes('open ' + location.origin + location.pathname + '?view=lessons&speaker=')",
    )?;
    let notes = page.eval("document.querySelector('#message').textContent.match(/open (\\S+speaker=[0-9a-f]{16}) /)[1]")?;
    let address = notes.as_str().ok_or("no address of notes")?.to_owned();
    let [lecture, notes] = page.another_tab()?;
    page.goto(&address)?;
    page.wait_until("document.querySelector('.speaker .notes')?.textContent.length > 40")?;
    assert_eq!(page.text(".speaker section .hint")?, "Step 2 of 12");
    page.has_no_barriers("notes")?;
    let title = page.text(".speaker h1")?;
    page.click(".speaker button.primary")?;
    page.wait_until(&format!(
        "document.querySelector('.speaker h1').textContent !== {}",
        json!(title)
    ))?;
    assert_eq!(page.text(".speaker section .hint")?, "Step 3 of 12");
    page.to_tab(&lecture)?;
    at_step(page, 3)?;
    page.close_tab(&notes)?;
    press(page, "Next step")?;
    at_step(page, 4)
}

fn a_visitor_who_changes_a_step_returns_to_it(page: &Page) -> Result {
    page.open("?lesson=06-tisa")?;
    at_step(page, 1)?;
    page.wait_until(&format!("{LACKS}.length === 0"))?;
    std::thread::sleep(Duration::from_millis(500));
    page.wait_until("!document.querySelector('.lesson .left')")?;
    let kernels = "new URLSearchParams(location.search).get('kernels')";
    let before = page.eval(kernels)?;
    page.script(
        "const slider = document.querySelector('.kernel input[type=range]'); slider.focus()",
        Vec::new(),
    )?;
    page.keys(&[key::RIGHT, key::RIGHT])?;
    page.wait_until("!!document.querySelector('.lesson .left')")?;
    page.wait_until(&format!("{kernels} !== {before}"))?;
    // The visitor's changes stay until the return button is pressed.
    page.click(".lesson .left button")?;
    page.wait_until(&format!(
        "{kernels} === {before} && !document.querySelector('.lesson .left')"
    ))?;
    press(page, "Close lesson")?;
    page.wait_until("!document.querySelector('.lesson') && !location.search.includes('lesson')")?;
    Ok(())
}

const OWN: &str = "---\ntitle: درس صغير\nlanguage: ar\n---\n\n## One step\n\n- state: view=positions&model=sinusoidal&lesson=04-toeplitz\n- light: position-matrix, no-such-figure\n\n\
This table has {model: rows} rows, and {toeplitz-scores: r2 where scope=nowhere} of {nothing-here: at}. <3\n\n## Another\n\n- state: view=nowhere&model=sinusoidal\n\nText with [a link](?view=encodings).\n";

/// The next step's questions are asked in advance, and none is left to ask when it is shown.
fn a_step_is_ready_before_it_is_reached(page: &Page) -> Result {
    // Waits until no questions have been asked for a while and counts them; then goes to the step and counts the
    // questions until it is painted.
    const GO_ON: &str = "(async () => {\
        const frame = () => new Promise(requestAnimationFrame), pause = ms => new Promise(done => setTimeout(done, ms));\
        for (let before = -1; before !== window.asked;) { before = window.asked; await pause(1500); }\
        const ahead = window.asked;\
        document.querySelector('.lesson [aria-label=\"Next step\"]').click();\
        while (!document.querySelector('#head-matrix[data-lit][data-state=ready]')) await frame();\
        return [ahead, window.asked - ahead]; })()";
    page.open("?lesson=05-heads&lesson-step=7")?;
    at_step(page, 7)?;
    page.figure("head-profile")?;
    page.script(
        "window.asked = 0; const post = Worker.prototype.postMessage;\
         Worker.prototype.postMessage = function (...sent) { window.asked += 1; return post.apply(this, sent); }",
        Vec::new(),
    )?;
    press(page, "Next step")?;
    at_step(page, 8)?;
    let [ahead, then]: [u32; 2] = serde_json::from_value(page.eval_async(GO_ON)?)?;
    assert!(ahead > 0, "nothing was asked ahead");
    assert_eq!(then, 0, "the step had to ask");
    // Prefetching has no visible effect: identifiers are unique, and only the step's own address is in the history.
    let twice = page.eval("[...document.querySelectorAll('[id]')].map(e => e.id).filter((id, at, all) => all.indexOf(id) !== at)")?;
    assert_eq!(twice, json!([]));
    at_step(page, 9)?;
    page.met_no_error()
}

fn a_lesson_of_ones_own_is_dropped(page: &Page) -> Result {
    let folder = Folder::new(&format!("lesson-{}", page.engine.name()))?;
    let path = folder.path().join("mine.md");
    std::fs::write(&path, OWN)?;
    page.open("?model=minilm-l6")?;
    page.model("minilm-l6")?;
    page.open_files(&[&path])?;
    page.wait_until("document.querySelector('.lesson h2')?.textContent === 'درس صغير'")?;
    at_step(page, 1)?;
    // A step's state cannot open another lesson; the link names this one.
    page.wait_until("location.search.includes('lesson=file:mine.md')")?;
    press(page, "Next step")?;
    at_step(page, 2)?;
    assert!(page.message_with("nowhere")?.contains("nowhere"));
    press(page, "Back to the step before")?;
    at_step(page, 1)?;
    page.wait_until("document.querySelector('.filled')?.textContent === '512'")?;
    page.wait_until("document.querySelectorAll('.filled')[1].dataset.filled === 'missing'")?;
    // After a reload the file is not available.
    page.open("?lesson=file:mine.md")?;
    page.wait_until(
        "document.querySelector('.lesson')?.textContent.includes('refers to a local lesson')",
    )?;
    Ok(())
}

fn what_is_no_lesson_is_said(page: &Page) -> Result {
    let folder = Folder::new(&format!("no-lesson-{}", page.engine.name()))?;
    let path = folder.path().join("bad.md");
    std::fs::write(
        &path,
        "---\ntitle: T\n---\n\n## Step\n\n<script>alert(1)</script>\n",
    )?;
    page.open("?model=minilm-l6")?;
    page.model("minilm-l6")?;
    page.open_files(&[&path])?;
    let message = page.message_with("bad.md")?;
    assert!(
        message.contains("Line 7") && message.contains("no HTML"),
        "{message}"
    );
    assert_eq!(page.current_model()?, "minilm-l6");
    page.open("?lesson=no-such-lesson")?;
    page.wait_until("document.querySelector('.lesson [role=alert]')?.textContent.includes('could not be fetched')")?;
    page.forgive("404")?;
    // The page asks before it fetches from an address.
    page.open("?lesson=https://example.org/a.md")?;
    page.wait_until(
        "document.querySelector('.lesson [role=alert]')?.textContent.includes('example.org')",
    )?;
    page.met_no_error()
}

fn a_lesson_is_printed(page: &Page) -> Result {
    page.open("?lesson=04-toeplitz&lesson-step=2")?;
    at_step(page, 2)?;
    page.script(
        "window.printed = 0; window.print = () => { window.printed += 1; }",
        Vec::new(),
    )?;
    press(page, "Print hand-out")?;
    page.wait_until_within("window.printed === 1", Duration::from_secs(120))?;
    let found = page.eval(
        "[...document.querySelectorAll('#handout > section')].map(s => [s.querySelectorAll('img').length > 0, /\\d/.test(s.textContent), s.textContent.includes('…'), s.querySelector('.address').textContent.includes('lesson-step=') || s === document.querySelector('#handout > section')])",
    )?;
    let Value::Array(sections) = &found else {
        return Err("no hand-out".into());
    };
    assert_eq!(sections.len(), 12);
    for section in sections {
        assert_eq!(*section, json!([true, true, false, true]), "{found}");
    }
    page.wait_until("[...document.querySelectorAll('#handout img')].every(i => i.complete && i.naturalWidth > 0)")?;
    at_step(page, 2)?;
    page.script("dispatchEvent(new Event('afterprint'))", Vec::new())?;
    page.wait_until("!document.querySelector('#handout')")?;
    Ok(())
}

fn a_figure_is_embedded(page: &Page) -> Result {
    page.open("?embed=kernel-function&kernels=3:0.25:-1")?;
    page.figure("kernel-function")?;
    is_seen(page, "nav[aria-label=Views]", false)?;
    is_seen(page, "#kernel-function canvas", true)?;
    is_seen(page, ".kernel input[type=range]", true)?;
    is_seen(page, ".way-out a", true)?;
    page.has_no_barriers("an embedded figure")?;
    let way = page.eval("document.querySelector('.way-out a').getAttribute('href')")?;
    let way = way.as_str().ok_or("no way out")?;
    assert!(
        way.contains("view=kernels") && !way.contains("embed"),
        "{way}"
    );
    let seen = page.eval("[...document.querySelectorAll('figure[data-figure]')].filter(e => e.checkVisibility()).map(e => e.id)")?;
    assert_eq!(seen, json!(["kernel-function"]));
    // The HTML for embedding the figure in another page.
    page.open("?model=minilm-l6")?;
    page.model("minilm-l6")?;
    page.figure("offset-profile")?;
    page.press_in_save_menu("#offset-profile", "Copy embed code")?;
    let code = page.wait_until("window.probe.copied.shift()")?;
    let code = code.as_str().ok_or("no code")?;
    assert!(
        code.starts_with("<iframe src=\"http") && code.contains("embed=offset-profile"),
        "{code}"
    );
    // An unknown figure is reported, and the whole page is shown.
    page.open("?embed=nothing")?;
    assert!(page.message_with("embed")?.contains("nothing"));
    is_seen(page, "nav[aria-label=Views]", true)
}
