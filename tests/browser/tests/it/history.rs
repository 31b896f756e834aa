//! Back and Forward, and undo.

use browser::session::key;
use browser::{Page, Result, scenarios};
use serde_json::{Value, json};

scenarios! {
    in_every_engine: [
        ten_steps_back_and_forward,
    ],
    in_chromium: [
        kernels_are_undone_by_buttons,
        undo_keeps_the_focus,
        kernels_are_undone_by_keys,
    ],
}

/// The state that Back restores.
const LOOKED_AT: &str = "(() => { const query = new URLSearchParams(location.search); return {\
    view: document.querySelector('nav a[aria-current]')?.dataset.view,\
    model: document.querySelector('[data-model][aria-current]')?.dataset.model,\
    address: ['view', 'model', 'layer', 'head', 'kernels'].map(name => query.get(name)).join(' '),\
    head: document.querySelector('button[data-head]:is([aria-pressed=true], [aria-current])')?.dataset.head ?? '',\
    kernels: [...document.querySelectorAll(\"input[aria-label*=', kernel '][aria-label$=', exact']\")].map(e => e.value).join(),\
  }; })()";

/// Waits until the state stops changing, and returns it.
fn looked_at(page: &Page) -> Result<Value> {
    let mut before = Value::Null;
    for _ in 0..100 {
        let now = page.eval(LOOKED_AT)?;
        if now == before {
            return Ok(now);
        }
        before = now;
        // Longer than the address takes to follow.
        std::thread::sleep(std::time::Duration::from_millis(400));
    }
    Err("what is looked at never rests".into())
}

fn entries(page: &Page) -> Result<u64> {
    Ok(page.eval("history.length")?.as_u64().unwrap_or(0))
}

/// Moves in the history and waits until the page shows the expected state.
fn go(page: &Page, by: i32, expected: &Value) -> Result {
    page.script(&format!("history.go({by})"), Vec::new())?;
    let there = format!(
        "JSON.stringify({LOOKED_AT}) === {}",
        json!(expected.to_string())
    );
    // Both objects need their keys in alphabetical order.
    let there = there.replace(
        "JSON.stringify(",
        "(o => JSON.stringify(o, Object.keys(o).sort()))(",
    );
    page.wait_until(&there).map(drop).map_err(|error| {
        let now = page.eval(LOOKED_AT).unwrap_or_default();
        format!("{by}: {now} instead of {expected}: {error}").into()
    })
}

fn ten_steps_back_and_forward(page: &Page) -> Result {
    type Step = fn(&Page) -> Result;
    let steps: [(&str, Step); 10] = [
        ("a model", |page| page.choose("minilm-l6")),
        ("a view", |page| {
            page.view("heads")?;
            // The open head is marked in the grid, with a delay.
            page.wait_until("!!document.querySelector('button[data-head][aria-pressed=true]')")
                .map(drop)
        }),
        ("a head", |page| page.click("button[data-head='1-5']")),
        ("a head of another layer", |page| {
            page.click("button[data-head='3-7']")
        }),
        ("the view with kernels", |page| {
            page.view("kernels")?;
            // Sliders and typed numbers belong to the current entry, however often they change.
            let entries_before = entries(page)?;
            page.figure("kernel-function")?;
            let slider = "input[type='range'][aria-label='centre c, kernel 1']";
            page.drag(slider, (0.5, 0.5), (0.8, 0.5))?;
            page.fill("input[aria-label='amplitude a, kernel 1, exact']", "0.75")?;
            looked_at(page)?;
            assert_eq!(entries(page)?, entries_before, "a slider is no step");
            Ok(())
        }),
        ("another model", |page| page.choose("random")),
        ("a view of the other model", |page| page.view("encodings")),
        ("the view of all models", |page| page.view("compare")),
        ("the first model", |page| page.choose("sinusoidal")),
        ("the first view", |page| page.view("positions")),
    ];
    page.open("?model=sinusoidal")?;
    page.figure("position-matrix")?;
    // A reload would lose this.
    page.script("window.stayed = true", Vec::new())?;
    let mut seen = vec![looked_at(page)?];
    for (what, step) in steps {
        let before = entries(page)?;
        step(page).map_err(|error| format!("{what}: {error}"))?;
        if what.contains("head") {
            page.figure("head-matrix")?;
        }
        seen.push(looked_at(page)?);
        assert_eq!(entries(page)?, before + 1, "{what} is one step");
    }
    assert!(
        seen[5]["kernels"]
            .as_str()
            .is_some_and(|k| k.starts_with("0.75,"))
    );
    for expected in seen.iter().rev().skip(1) {
        go(page, -1, expected)?;
    }
    for expected in &seen[1..] {
        go(page, 1, expected)?;
    }
    // Several entries at once, as from the menu of the Back button; the figure must be painted, not only named.
    go(page, -6, &seen[4])?;
    page.figure("head-matrix")?;
    page.computed(browser::session::PATIENCE)?;
    assert_eq!(
        page.eval("window.stayed")?,
        json!(true),
        "the page was loaded again"
    );
    Ok(())
}

const AMPLITUDE: &str = "input[aria-label='amplitude a, kernel 1, exact']";
const COUNT: &str = "document.querySelectorAll('ul.kernels > li').length";

fn amplitude_is(page: &Page, value: &Value) -> Result {
    let there = format!("document.querySelector(\"{AMPLITUDE}\")?.value === {value}");
    page.wait_until(&there).map(drop)
}

/// Moves a slider, which is one change, and adds a kernel, which is another. Returns the amplitudes before and after.
fn change_twice(page: &Page) -> Result<(Value, Value)> {
    page.open("?view=kernels&model=sinusoidal&n=64")?;
    page.figure("kernel-function")?;
    let amplitude = format!("document.querySelector(\"{AMPLITUDE}\").value");
    let before = page.eval(&amplitude)?;
    page.drag(
        "input[type='range'][aria-label='amplitude a, kernel 1']",
        (0.5, 0.5),
        (0.2, 0.5),
    )?;
    page.wait_until(&format!("{amplitude} !== {before}"))?;
    let after = page.eval(&amplitude)?;
    page.click_named("Add kernel")?;
    page.wait_until(&format!("{COUNT} === 4"))?;
    Ok((before, after))
}

fn kernels_are_undone_by_buttons(page: &Page) -> Result {
    let (before, after) = change_twice(page)?;
    page.click_named("Undo")?;
    page.wait_until(&format!("{COUNT} === 3"))?;
    amplitude_is(page, &after)?;
    let painted = page.painted_at("kernel-function")?;
    page.click_named("Undo")?;
    amplitude_is(page, &before)?;
    page.painted_since("kernel-function", painted)?;
    page.click_named("Redo")?;
    amplitude_is(page, &after)?;
    page.click_named("Redo")?;
    page.wait_until(&format!("{COUNT} === 4"))?;
    Ok(())
}

fn kernels_are_undone_by_keys(page: &Page) -> Result {
    let (before, after) = change_twice(page)?;
    let focus = |css: &str| {
        page.script(
            "document.querySelector(arguments[0]).focus()",
            vec![json!(css)],
        )
    };
    focus("input[type='range'][aria-label='amplitude a, kernel 1']")?;
    page.chord(&[key::CONTROL], 'z')?;
    page.wait_until(&format!("{COUNT} === 3"))?;
    page.chord(&[key::CONTROL], 'z')?;
    amplitude_is(page, &before)?;
    page.chord(&[key::CONTROL, key::SHIFT], 'z')?;
    amplitude_is(page, &after)?;
    page.chord(&[key::CONTROL], 'y')?;
    page.wait_until(&format!("{COUNT} === 4"))?;
    // In a field, the keys undo the typing and leave the kernels unchanged.
    focus(AMPLITUDE)?;
    page.chord(&[key::CONTROL], 'z')?;
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(page.eval(COUNT)?, json!(4));
    Ok(())
}

/// After the last undo, the button is disabled but keeps the keyboard focus.
fn undo_keeps_the_focus(page: &Page) -> Result {
    const FOCUSED: &str =
        "(e => `${e.textContent} ${e.getAttribute('aria-disabled')}`)(document.activeElement)";
    let (before, after) = change_twice(page)?;
    page.script(
        "[...document.querySelectorAll('.kernel-controls button')].find(b => b.textContent === 'Undo').focus()",
        Vec::new(),
    )?;
    page.keys(&[key::ENTER])?;
    page.wait_until(&format!("{COUNT} === 3"))?;
    assert_eq!(page.eval(FOCUSED)?, json!("Undo null"));
    page.keys(&[' '])?;
    amplitude_is(page, &before)?;
    page.wait_until(&format!("{FOCUSED} === 'Undo true'"))?;
    // Another press does nothing, and Tab leads to Redo.
    page.keys(&[key::ENTER, key::TAB])?;
    amplitude_is(page, &before)?;
    page.wait_until(&format!("{FOCUSED} === 'Redo null'"))?;
    page.keys(&[key::ENTER])?;
    amplitude_is(page, &after)?;
    assert_eq!(page.eval(FOCUSED)?, json!("Redo null"));
    Ok(())
}
