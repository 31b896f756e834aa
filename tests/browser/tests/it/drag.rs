//! Dragging: scales stay fixed, fields show their allowed values, sliders do not block touch scrolling.

use browser::page::figure;
use browser::session::key;
use browser::{Page, Result, scenarios};
use serde_json::json;

use crate::checkpoints;

scenarios! {
    in_every_engine: [
        scales_hold_still_while_a_slider_is_pulled,
        a_swipe_over_a_slider_leaves_it_alone,
    ],
    in_chromium: [
        attention_statistics_update_when_a_drag_pauses,
        sliders_come_from_the_kernels,
        a_field_says_what_it_takes,
        a_field_says_what_became_of_a_number,
        long_attention_is_drafted_while_a_slider_is_pulled,
    ],
}

const SLIDER: &str = "input[type='range'][aria-label='amplitude a, kernel 1']";
const FIELD: &str = "input[aria-label='amplitude a, kernel 1, exact']";
const SHARPNESS: &str = "input[aria-label='sharpness b, kernel 1, exact']";
const LENGTH: &str = "input[aria-label='length n, exact']";

/// Vertical position of the first kernel's handle in the plot, as a share of its height.
fn handle(page: &Page) -> Result<f64> {
    let view = format!("{} canvas.picture", figure("kernel-function"));
    let height = page.eval_async(&format!(
        "(async () => {{\
           const frame = () => new Promise(requestAnimationFrame);\
           await frame(); await frame();\
           const canvas = document.querySelector(\"{view}\"), {{ width, height }} = canvas;\
           const colour = document.createElement('canvas').getContext('2d');\
           colour.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--c0').trim();\
           colour.fillRect(0, 0, 1, 1);\
           const [r, g, b] = colour.getImageData(0, 0, 1, 1).data;\
           const {{ data }} = canvas.getContext('2d').getImageData(0, 0, width, height);\
           const solid = (x, y) => {{ const at = 4 * (y * width + x); return data[at] === r && data[at + 1] === g && data[at + 2] === b; }};\
           for (let y = 0; y < height; y += 1) for (let x = 0; x < width - 5; x += 1)\
             if ([0, 1, 2, 3, 4].every(dx => solid(x + dx, y))) return y / height;\
           return null;\
         }})()"
    ))?;
    height.as_f64().ok_or_else(|| "no handle is drawn".into())
}

fn scales_hold_still_while_a_slider_is_pulled(page: &Page) -> Result {
    page.open("?view=kernels&model=sinusoidal&kernels=1:0.05:0&n=64")?;
    page.figure("kernel-function")?;
    let before = handle(page)?;
    let pull = |value: f64| {
        page.script(
            "const slider = document.querySelector(arguments[0]);\
             slider.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, isPrimary: true }));\
             slider.value = arguments[1]; slider.dispatchEvent(new Event('input', { bubbles: true }))",
            vec![json!(SLIDER), json!(value)],
        )
    };
    let mut last = before;
    for value in [0.8, 0.6, 0.4] {
        pull(value)?;
        let now = handle(page)?;
        assert!(
            now > last + 0.05,
            "at a = {value} the peak went from {last} to {now}"
        );
        last = now;
    }
    page.script(
        "document.querySelector(arguments[0]).dispatchEvent(new PointerEvent('pointerup', { bubbles: true, isPrimary: true }))",
        vec![json!(SLIDER)],
    )?;
    let settled = handle(page)?;
    assert!(
        (settled - before).abs() < 0.03,
        "let go, the peak stands at {settled} and not at {before}"
    );
    Ok(())
}

/// Scores by offset have any length: at 1500 positions softmax of every row takes longer than a frame.
fn long_attention_is_drafted_while_a_slider_is_pulled(page: &Page) -> Result {
    page.load("?view=kernels&model=sinusoidal&added=head&kernels=1:0.05:0&n=1500")?;
    checkpoints::open(page, "t5")?;
    page.figure("added-attention")?;
    page.eval(
        "(history.pushState(null, '', location.search + '&length=1500'),\
         dispatchEvent(new PopStateEvent('popstate')), true)",
    )?;
    page.wait_until("document.body.textContent.includes('1500 positions')")?;

    page.figure("added-attention")?;
    let pointer = |kind: &str| {
        page.script(
            "document.querySelector(arguments[0]).dispatchEvent(new PointerEvent(arguments[1], { bubbles: true, isPrimary: true }))",
            vec![json!(SLIDER), json!(kind)],
        )
    };
    let state = format!(
        "document.querySelector(\"{}\").dataset.state",
        figure("added-attention")
    );
    pointer("pointerdown")?;
    for value in [0.8, 0.5] {
        let before = page.painted_at("added-attention")?;
        page.script(
            "const slider = document.querySelector(arguments[0]);\
             slider.value = arguments[1]; slider.dispatchEvent(new Event('input', { bubbles: true }))",
            vec![json!(SLIDER), json!(value)],
        )?;
        page.painted_since("added-attention", before)?;
        page.wait_until(&format!("{state} === 'partial'"))?;
    }
    pointer("pointerup")?;
    page.figure("added-attention")?;
    assert_eq!(page.eval(&state)?, json!("ready"));
    Ok(())
}

/// The numbers update when the slider has paused during a drag.
fn attention_statistics_update_when_a_drag_pauses(page: &Page) -> Result {
    page.open("?view=kernels&model=minilm-l6&layer=2&head=3&n=16&kernels=1:0.05:0&added=head")?;
    page.model("minilm-l6")?;
    page.wait_until("document.querySelector('.looks tbody td')?.textContent")?;
    page.script(
        "const [slider, looks] = [document.querySelector(arguments[0]), document.querySelector('.looks tbody')];\
         window.moved = window.followed = null;\
         new MutationObserver(() => { window.followed ??= performance.now(); })\
           .observe(looks, { subtree: true, childList: true, characterData: true });\
         slider.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, isPrimary: true }));\
         for (const value of [0.8, 0.6, 0.4]) {\
           slider.value = value; slider.dispatchEvent(new Event('input', { bubbles: true }));\
         }\
         window.moved = performance.now();",
        vec![json!(SLIDER)],
    )?;
    page.wait_until("followed !== null")?;
    let later = page.eval("followed - moved")?.as_f64().unwrap_or_default();
    assert!(later >= 140.0, "they came after {later} ms");
    page.script(
        "document.querySelector(arguments[0]).dispatchEvent(new PointerEvent('pointerup', { bubbles: true, isPrimary: true }))",
        vec![json!(SLIDER)],
    )
    .map(drop)
}

fn sliders_come_from_the_kernels(page: &Page) -> Result {
    page.open("?view=kernels&model=sinusoidal&kernels=0.00425:0.05:0&n=64")?;
    page.figure("kernel-function")?;
    let reach = |page: &Page| -> Result<f64> {
        let most = page.attribute(SLIDER, "max")?.unwrap_or_default();
        Ok(most.parse()?)
    };
    let opened = reach(page)?;
    assert!(
        (0.00425..0.05).contains(&opened),
        "the slider runs to {opened}"
    );
    page.script(
        "document.querySelector(arguments[0]).focus()",
        vec![json!(SLIDER)],
    )?;
    page.keys(&[key::RIGHT])?;
    let a: f64 = page
        .attribute(FIELD, "aria-valuenow")?
        .unwrap_or_default()
        .parse()?;
    assert!(
        (a - 0.00425).abs() < 2.0 * opened / 1000.0 && a > 0.00425,
        "one step led to {a}"
    );
    // The exact field has the same steps.
    page.script(
        "document.querySelector(arguments[0]).focus()",
        vec![json!(FIELD)],
    )?;
    page.keys(&[key::UP])?;
    let next: f64 = page
        .attribute(FIELD, "aria-valuenow")?
        .unwrap_or_default()
        .parse()?;
    assert!(
        (next - a - opened / 1000.0).abs() < 1e-9,
        "from {a} to {next}"
    );
    Ok(())
}

/// The hint below a field.
fn hint_text(page: &Page, field: &str) -> Result<String> {
    let hint = page.script(
        "return document.querySelector(arguments[0]).parentElement.querySelector('.allowed').textContent",
        vec![json!(field)],
    )?;
    Ok(hint.as_str().unwrap_or_default().to_owned())
}

fn a_field_says_what_it_takes(page: &Page) -> Result {
    page.open("?view=kernels&model=sinusoidal&kernels=1:0.25:0&n=64")?;
    page.figure("kernel-function")?;
    let text = |field: &str| {
        let value = page.script(
            "return document.querySelector(arguments[0]).value",
            vec![json!(field)],
        )?;
        Ok::<_, Box<dyn std::error::Error>>(value.as_str().unwrap_or_default().to_owned())
    };
    let now = |field: &str| page.attribute(field, "aria-valuenow");
    page.fill(FIELD, "1,5")?;
    assert_eq!(
        (text(FIELD)?, hint_text(page, FIELD)?),
        ("1.5".to_owned(), String::new())
    );
    for (field, typed, sentence, kept) in [
        (SHARPNESS, "-5", "Numbers from 0 to 100.", "0.25"),
        (LENGTH, "0", "Whole numbers from 8 to 16384.", "64"),
        (LENGTH, "64.5", "Whole numbers from 8 to 16384.", "64"),
        (FIELD, "much", "Numbers from −1000000 to 1000000.", "1.5"),
    ] {
        page.fill(field, typed)?;
        assert_eq!(hint_text(page, field)?, sentence);
        assert_eq!(text(field)?, typed, "what was typed stays");
        assert_eq!(now(field)?.as_deref(), Some(kept), "and is not taken");
        assert_eq!(
            page.attribute(field, "aria-invalid")?.as_deref(),
            Some("true")
        );
        page.script(
            "document.querySelector(arguments[0]).focus()",
            vec![json!(field)],
        )?;
        page.keys(&[key::ESCAPE])?;
        assert_eq!(
            (text(field)?.as_str(), hint_text(page, field)?.as_str()),
            (kept, "")
        );
    }
    Ok(())
}

/// A sinusoidal table has as many sines as cosines, so odd widths are rejected.
fn a_field_says_what_became_of_a_number(page: &Page) -> Result {
    const WIDTH: &str = "input[aria-label='d model, exact']";
    page.open("?view=encodings&model=sinusoidal")?;
    page.figure("flat-lines")?;
    page.fill(WIDTH, "7")?;
    assert_eq!(hint_text(page, WIDTH)?, "Taken as 8.");
    assert_eq!(
        page.attribute(WIDTH, "aria-valuenow")?.as_deref(),
        Some("8")
    );
    page.fill(WIDTH, "16")?;
    assert_eq!(hint_text(page, WIDTH)?, "");
    Ok(())
}

fn a_swipe_over_a_slider_leaves_it_alone(page: &Page) -> Result {
    page.open("?view=kernels&model=sinusoidal&kernels=1:0.25:0&n=64")?;
    page.figure("kernel-function")?;
    let action = page.script(
        "return getComputedStyle(document.querySelector(arguments[0])).touchAction",
        vec![json!(SLIDER)],
    )?;
    assert_eq!(action, json!("pan-y"));
    // The browser cancels the pointer to scroll after the slider has already moved.
    page.script(
        "const slider = document.querySelector(arguments[0]), finger = { bubbles: true, isPrimary: true, pointerType: 'touch' };\
         slider.dispatchEvent(new PointerEvent('pointerdown', finger));\
         slider.value = 5; slider.dispatchEvent(new Event('input', { bubbles: true }));\
         slider.dispatchEvent(new PointerEvent('pointercancel', finger))",
        vec![json!(SLIDER)],
    )?;
    assert_eq!(
        page.attribute(FIELD, "aria-valuenow")?.as_deref(),
        Some("1")
    );
    Ok(())
}
