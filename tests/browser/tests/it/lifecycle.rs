//! Objects that outlive their part of the page: late event handlers, channels of lectures, answers about closed models;
//! and restrictions while the page is in a frame of another one.

use browser::session::key;
use browser::suite::Scenario;
use browser::test_files::{Folder, noise, table};
use browser::{Page, Result, scenarios};
use http::Method;
use serde_json::{Value, json};
use xtask::server::Content;

scenarios! {
    in_every_engine: [
        a_view_may_go_while_something_in_it_is_pulled,
    ],
    in_chromium: [
        events_that_come_late_find_no_view,
        a_change_that_waits_is_not_written_over_another_entry,
        nothing_is_fetched_in_a_frame_of_another_page,
        a_name_of_any_length_is_shown_in_a_line,
        a_view_may_go_whatever_of_it_has_the_focus,
    ],
}

/// Scenarios for one engine. Only Chromium can collect garbage on request, and WebKit's driver stops answering when a
/// page loads in a second tab of a lecture.
pub(crate) fn chromium_scenarios() -> Vec<Scenario> {
    let memory = Scenario::new(
        "it::lifecycle::closed_models_leave_no_memory",
        closed_models_leave_no_memory,
    );
    let lectures = Scenario::new(
        "it::lifecycle::lectures_in_two_tabs_move_apart",
        lectures_in_two_tabs_move_apart,
    );
    vec![memory.in_chromium(), lectures.in_chromium()]
}

/// Fails if the page has stopped.
fn goes_on(page: &Page) -> Result {
    let stopped =
        page.eval("document.querySelector('#stopped:not([hidden])')?.textContent ?? ''")?;
    assert_eq!(stopped, json!(""));
    page.met_no_error()
}

/// Identifiers of the views, as the page lists them.
fn views(page: &Page) -> Result<Vec<String>> {
    let views =
        page.eval("[...document.querySelectorAll('nav a[data-view]')].map(a => a.dataset.view)")?;
    Ok(serde_json::from_value(views)?)
}

/// Enters a view of a model with heads from another view of the open page, so that Back leaves it. Unfolds sections
/// with fields.
fn step_into(page: &Page, view: &str) -> Result {
    let before = if view == "lessons" {
        "positions"
    } else {
        "lessons"
    };
    page.view(before)?;
    page.switch_view(view)?;
    page.computed(browser::session::PATIENCE)?;
    page.script(
        "for (const fold of document.querySelectorAll('main .view details:not(.numbers)')) fold.open = true",
        Vec::new(),
    )?;
    // Each section reports its change in a task of its own.
    page.eval_async("new Promise(done => setTimeout(done, 100))")?;
    page.computed(browser::session::PATIENCE)
}

/// Focuses one element of each kind after the other, changes it by one key, and goes Back and Forward.
const FOCUS_EACH: &str = "(async () => {\
    const home = document.querySelector('nav a[aria-current]').dataset.view;\
    const now = () => document.querySelector('nav a[aria-current]').dataset.view;\
    const until = async is => { for (let tries = 0; !is(); tries += 1) {\
        if (tries > 500) throw `waited in vain for ${is}`; await new Promise(done => setTimeout(done, 10)); } };\
    const kind = e => [e.tagName, e.type, e.role, e.className, e.parentElement.className].join('|');\
    const find = () => { const found = new Map();\
        for (const fold of document.querySelectorAll('main .view details:not(.numbers)')) fold.open = true;\
        for (const e of document.querySelectorAll('main .view :is(a[href], button, input, select, textarea, summary, [tabindex]:not([tabindex=\"-1\"]))'))\
            if (e.checkVisibility() && !e.disabled && !found.has(kind(e))) found.set(kind(e), e);\
        return found; };\
    let count = 0;\
    for (const name of find().keys()) {\
        let e;\
        for (let tries = 0; !(e = find().get(name)) && tries < 200; tries += 1) await new Promise(done => setTimeout(done, 10));\
        if (!e) continue;\
        count += 1;\
        e.focus();\
        if (e.matches('input:not([type]), input[type=text], input[type=search], textarea')) document.execCommand('insertText', false, '1');\
        else if (e.matches('input[type=range]')) { e.stepUp(); e.dispatchEvent(new Event('input', { bubbles: true })); }\
        else if (e.matches('summary')) e.click();\
        history.back();\
        await until(() => now() !== home && !e.isConnected);\
        history.forward();\
        await until(() => now() === home);\
    }\
    return count; })()";

fn a_view_may_go_whatever_of_it_has_the_focus(page: &Page) -> Result {
    page.open("")?;
    let mut focused = 0;
    for view in views(page)? {
        step_into(page, &view)?;
        let of_view = page
            .eval_async(FOCUS_EACH)
            .map_err(|error| format!("{view}: {error}"))?;
        focused += of_view.as_u64().unwrap_or(0);
        goes_on(page).map_err(|error| format!("{view}: {error}"))?;
    }
    assert!(focused > 30, "only {focused} elements were focused");
    Ok(())
}

/// Sends late events to every element that was removed.
const SEND_LATE: &str = "for (const e of window.gone) {\
    if (e.isConnected) continue;\
    for (const kind of ['blur', 'focusout', 'change', 'input', 'toggle', 'close', 'cancel', 'scroll']) e.dispatchEvent(new Event(kind, { bubbles: true }));\
    for (const kind of ['pointermove', 'pointerup', 'pointercancel', 'pointerleave', 'lostpointercapture', 'pointerdown'])\
        e.dispatchEvent(new PointerEvent(kind, { bubbles: true, isPrimary: true, pointerId: 1 }));\
    for (const key of ['ArrowUp', 'ArrowRight', 'Enter', 'Escape', '+']) for (const kind of ['keydown', 'keyup'])\
        e.dispatchEvent(new KeyboardEvent(kind, { bubbles: true, key }));\
    e.dispatchEvent(new WheelEvent('wheel', { bubbles: true, ctrlKey: true, deltaY: 10 }));\
    e.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true }));\
    } return window.gone.filter(e => !e.isConnected).length";

fn events_that_come_late_find_no_view(page: &Page) -> Result {
    page.open("")?;
    let mut all = views(page)?;
    // The panel of a lesson is removed, too, when Back leaves the lesson.
    all.push("a lesson".to_owned());
    for view in all {
        if view == "a lesson" {
            page.open("?view=lessons")?;
            page.click(".lesson-list a")?;
            page.wait_until("!!document.querySelector('.lesson .place')")?;
            page.wait_until("location.search.includes('lesson=')")?;
        } else {
            step_into(page, &view)?;
        }
        page.script(
            "window.gone = [...document.querySelectorAll('main *, .lesson *')]",
            Vec::new(),
        )?;
        page.script("history.back()", Vec::new())?;
        page.wait_until("window.gone.some(e => !e.isConnected)")?;
        // Wait for delayed handlers of the view.
        page.eval_async("new Promise(done => setTimeout(done, 50))")?;
        let gone = page.script(SEND_LATE, Vec::new())?;
        assert!(
            gone.as_u64() > Some(10),
            "{view}: {gone} elements have gone"
        );
        goes_on(page).map_err(|error| format!("{view}: {error}"))?;
    }
    Ok(())
}

/// Performs pointer actions in order; a pressed button stays pressed.
fn pointer(page: &Page, actions: &Value) -> Result {
    let mouse = json!([{ "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" }, "actions": actions }]);
    page.command(Method::POST, "actions", json!({ "actions": mouse }))
        .map(drop)
}

fn a_view_may_go_while_something_in_it_is_pulled(page: &Page) -> Result {
    page.open("?view=lessons")?;
    for pulled in [
        "input[type='range'][aria-label='amplitude a, kernel 1']",
        "#kernel-function canvas.picture",
        "#kernel-matrix canvas.picture",
    ] {
        page.view("lessons")?;
        page.view("kernels")?;
        page.figure("kernel-function")?;
        page.figure("kernel-matrix")?;
        page.computed(browser::session::PATIENCE)?;
        let at = page.eval(&format!(
            "(e => {{ e.scrollIntoView({{ block: 'center', behavior: 'instant' }}); const box = e.getBoundingClientRect();\
             return [box.left + box.width / 2, box.top + box.height / 2].map(Math.round); }})(document.querySelector(\"{pulled}\"))"
        ))?;
        let to = |by: i64| json!({ "type": "pointerMove", "duration": 0, "x": at[0].as_i64().map(|x| x + by), "y": at[1] });
        pointer(
            page,
            &json!([to(0), { "type": "pointerDown", "button": 0 }, to(8)]),
        )?;
        page.script("history.back()", Vec::new())?;
        page.wait_until(
            "!!document.querySelector('.lesson-list') && !document.querySelector('.kernels')",
        )?;
        pointer(page, &json!([to(16), { "type": "pointerUp", "button": 0 }]))?;
        // Longer than any delay after a drag.
        page.eval_async("new Promise(done => setTimeout(done, 500))")?;
        goes_on(page).map_err(|error| format!("{pulled}: {error}"))?;
        // The next drag reports its changes again.
        page.view("positions")?;
        page.figure("position-matrix")?;
    }
    Ok(())
}

/// A small change reaches the address after a delay, and only in the history entry where it was made.
fn a_change_that_waits_is_not_written_over_another_entry(page: &Page) -> Result {
    page.open("?view=lessons&model=sinusoidal")?;
    let before = page.eval("location.search")?;
    page.view("kernels")?;
    page.figure("kernel-function")?;
    page.eval_async("new Promise(done => setTimeout(done, 500))")?;
    page.script(
        "const slider = document.querySelector(\"input[type='range'][aria-label='amplitude a, kernel 1']\");\
         slider.value = 0.4; slider.dispatchEvent(new Event('input', { bubbles: true })); history.back()",
        Vec::new(),
    )?;
    page.wait_until("!!document.querySelector('.lesson-list')")?;
    page.eval_async("new Promise(done => setTimeout(done, 600))")?;
    assert_eq!(page.eval("location.search")?, before);
    assert_eq!(
        page.eval("document.querySelector('nav a[aria-current]').dataset.view")?,
        json!("lessons")
    );
    goes_on(page)
}

/// Waits until the lesson in this tab is at a step.
fn step(page: &Page, number: u32) -> Result {
    page.wait_until(&format!(
        "document.querySelector('.lesson .place')?.textContent.startsWith('{number} of ')"
    ))
    .map(drop)
}

/// Address of the notes of the lecture in this tab.
fn notes_of_lecture(page: &Page) -> Result<String> {
    page.script(
        "window.open = address => { window.notes = new URL(address, location.href).href; return window; };\
         [...document.querySelectorAll('.lesson-tools button')].find(b => b.textContent === 'Notes window').click()",
        Vec::new(),
    )?;
    let address = page.wait_until("window.notes")?;
    Ok(address.as_str().ok_or("no address")?.to_owned())
}

/// Waits until the notes in this tab are at a step.
fn notes_are_of(page: &Page, number: u32) -> Result {
    page.wait_until(&format!(
        "document.querySelector('.speaker section .hint')?.textContent.startsWith('Step {number} of ')"
    ))
    .map(drop)
}

/// Reloads the page of this tab.
fn reload(page: &Page) -> Result {
    let address = page.eval("location.href")?;
    page.goto(address.as_str().ok_or("no address")?)
}

fn lectures_in_two_tabs_move_apart(page: &Page) -> Result {
    const LECTURE: &str = "?lesson=04-toeplitz&lesson-step=2&present=";
    page.open(LECTURE)?;
    step(page, 2)?;
    let [first, second] = page.another_tab()?;
    page.open(LECTURE)?;
    step(page, 2)?;
    let address = notes_of_lecture(page)?;
    assert!(address.contains("speaker="), "{address}");
    let [_, notes] = page.another_tab()?;
    page.goto(&address)?;
    notes_are_of(page, 2)?;
    // Only the first lecture moves.
    page.to_tab(&first)?;
    // The first press unfolds the answer.
    page.keys(&[key::RIGHT])?;
    page.keys(&[key::RIGHT])?;
    step(page, 3)?;
    page.to_tab(&notes)?;
    page.eval_async("new Promise(done => setTimeout(done, 300))")?;
    notes_are_of(page, 2)?;
    page.to_tab(&second)?;
    step(page, 2)?;
    // The notes move their own lecture.
    page.to_tab(&notes)?;
    page.click(".speaker button.primary")?;
    page.click(".speaker button.primary")?;
    notes_are_of(page, 4)?;
    page.to_tab(&first)?;
    step(page, 3)?;
    page.to_tab(&second)?;
    step(page, 4)?;
    // The notes follow their lecture when it is reloaded, and reconnect when they are reloaded themselves.
    page.wait_until("location.search.includes('lesson-step=4')")?;
    reload(page)?;
    page.wait_until("!!document.querySelector('#open-file')")?;
    step(page, 4)?;
    assert_eq!(notes_of_lecture(page)?, address, "a lecture keeps its name");
    page.to_tab(&notes)?;
    reload(page)?;
    page.wait_until("!!document.querySelector('.speaker')")?;
    notes_are_of(page, 4)?;
    page.click(".speaker button.primary")?;
    notes_are_of(page, 5)?;
    page.to_tab(&second)?;
    step(page, 5)?;
    page.met_no_error()?;
    page.to_tab(&first)?;
    page.close_tab(&notes)?;
    page.close_tab(&second)
}

/// Models opened and closed before measuring, while the page allocates permanent memory, and during it.
const WARM_UP: usize = 8;
const CLOSED: usize = 32;
/// Bytes by which the page's memory may grow during it: a fraction of one model's answers times the models.
const GROWTH: u64 = 2 << 20;

/// Answers about a model are released with it.
fn closed_models_leave_no_memory(page: &Page) -> Result {
    let folder = Folder::new("closed-models")?;
    let file = folder.write(
        "closed.safetensors",
        &table(256, 16, |i, j| noise(i, j) as f32),
    )?;
    page.open("?model=sinusoidal")?;
    let bytes = || -> Result<u64> {
        page.devtools("HeapProfiler.collectGarbage", json!({}))?;
        // Memory held by garbage is freed in later tasks.
        page.eval_async("new Promise(done => setTimeout(done, 100))")?;
        let bytes =
            page.eval("Math.max(...probe.memories.map(memory => memory.buffer.byteLength))")?;
        Ok(bytes.as_u64().ok_or("no memory")?)
    };
    let mut before = 0;
    for model in 0..WARM_UP + CLOSED {
        page.open_files(&[&file])?;
        page.model("closed")?;
        page.figure("position-matrix")?;
        page.figure("toeplitz-scores")?;
        page.click("[aria-label='Close closed']")?;
        page.wait_until("!document.querySelector(\"[data-model='closed']\")")?;
        page.figure("position-matrix")?;
        if model % WARM_UP == WARM_UP - 1 {
            let now = bytes()?;
            before = if model < WARM_UP { now } else { before };
        }
    }
    let after = bytes()?;
    assert!(
        after <= before + GROWTH,
        "{CLOSED} models that were closed left {} KB of {before} bytes",
        (after - before) >> 10
    );
    Ok(())
}

/// A page that shows an address in a frame.
fn around(address: &str) -> Vec<u8> {
    format!("<!doctype html><title>Around</title><iframe src=\"{address}\" width=\"1200\" height=\"700\"></iframe>")
        .into_bytes()
}

fn nothing_is_fetched_in_a_frame_of_another_page(page: &Page) -> Result {
    const BUTTONS: &str = "[...document.querySelectorAll('#message button.primary, .lesson button.primary')].map(b => b.textContent)";
    let asks = [
        "?hf=org/model",
        "?url=https://example.org/m.safetensors",
        "?lesson=https://example.org/a.md",
    ];
    let embedded = "?embed=position-matrix&hf=org/model";
    let own = page.serve_beside(page.content()?)?;
    let foreign = |query: &str| -> Result<String> {
        let address = format!("{own}{}", query.replace('&', "&amp;"));
        let overlay = [("index.html".to_owned(), around(&address))].into();
        page.serve_beside(Content {
            overlay,
            ..Content::default()
        })
    };
    let in_frame = |host: &str| -> Result<Value> {
        page.goto(host)?;
        page.command(Method::POST, "frame", json!({ "id": 0 }))?;
        page.wait_until(&format!("{BUTTONS}.length > 0"))?;
        let buttons = page.eval(BUTTONS)?;
        page.command(Method::POST, "frame", json!({ "id": null }))?;
        Ok(buttons)
    };
    for query in asks {
        assert_eq!(
            in_frame(&foreign(query)?)?,
            json!(["Open in a new tab"]),
            "{query}"
        );
        // In a tab of its own, and in a frame of its own site, the page may ask for consent.
        page.goto(&format!("{own}{query}"))?;
        page.wait_until(&format!("{BUTTONS}.length > 0"))?;
        assert_eq!(page.eval(BUTTONS)?, json!(["Fetch it"]), "{query}");
    }
    assert_eq!(
        in_frame(&foreign(embedded)?)?,
        json!(["Fetch it"]),
        "an embedded figure"
    );
    let mut content = page.content()?;
    content
        .overlay
        .insert("around.html".to_owned(), around(&format!("./{}", asks[0])));
    let own_frame = page.serve_beside(content)?;
    assert_eq!(
        in_frame(&format!("{own_frame}around.html"))?,
        json!(["Fetch it"]),
        "a frame of the page's own site"
    );
    // The button opens the same link in a new tab, and nothing is fetched here.
    page.goto(&foreign(asks[0])?)?;
    page.command(Method::POST, "frame", json!({ "id": 0 }))?;
    page.wait_until(&format!("{BUTTONS}.length > 0"))?;
    page.script(
        "window.open = address => { window.opened = address; }",
        Vec::new(),
    )?;
    page.click("#message button.primary")?;
    let opened = page.wait_until("window.opened")?;
    assert!(
        opened
            .as_str()
            .is_some_and(|address| address.contains("hf=org/model")),
        "{opened}"
    );
    page.command(Method::POST, "frame", json!({ "id": null }))?;
    // The servers of the other pages have no other files.
    page.forgive("404")
}

/// A word of 100,000 letters takes a browser seconds to lay out.
fn a_name_of_any_length_is_shown_in_a_line(page: &Page) -> Result {
    page.open("?model=sinusoidal")?;
    page.figure("position-matrix")?;
    page.script(
        "window.named = `?view=positions&model=file&file=${'a'.repeat(100000)}`;\
         history.pushState(null, '', window.named); dispatchEvent(new PopStateEvent('popstate'))",
        Vec::new(),
    )?;
    let message = page.message_with("refers to a local file")?;
    assert!(
        message.chars().count() < 1000,
        "{} characters",
        message.len()
    );
    let longest =
        page.eval("Math.max(...document.body.innerText.split(/\\s/).map(word => word.length))")?;
    assert!(longest.as_u64() < Some(500), "a word of {longest} letters");
    // The link still names the file, so that it can be opened here.
    page.eval_async("new Promise(done => setTimeout(done, 500))")?;
    assert_eq!(page.eval("location.search === window.named")?, json!(true));
    goes_on(page)
}
