//! The pointer at the edges of figures, and after it has left them.

use browser::page::figure;
use browser::session::key;
use browser::{Page, Result, scenarios};
use serde_json::json;
use xtask::root;

scenarios! {
    in_every_engine: [
        the_wheel_zooms_after_a_click,
    ],
    in_chromium: [
        the_cursor_goes_with_the_pointer,
        the_outermost_pixels_can_be_clicked,
    ],
}

/// Clicks every pixel along a figure's outline, and between pixels.
fn click_along_the_edges(page: &Page, css: &str) -> Result {
    let clicked = page.script(
        "const view = document.querySelector(arguments[0]), box = view.getBoundingClientRect();\
         const click = (x, y) => view.dispatchEvent(new MouseEvent('click', { bubbles: true, clientX: x, clientY: y }));\
         const height = box.height / 2, reach = 90;\
         let clicked = 0;\
         for (let x = 0; x <= reach; x += 0.5)\
           for (const at of [box.left + x, box.right - x]) { click(at, box.top + height); clicked += 1; }\
         for (let y = 0; y <= reach; y += 0.5)\
           for (const at of [box.top + y, box.bottom - y]) { click(box.left + box.width / 2, at); clicked += 1; }\
         for (const x of [box.left, box.right]) for (const y of [box.top, box.bottom]) click(x, y);\
         return clicked",
        vec![json!(css)],
    )?;
    assert!(clicked.as_u64() > Some(300));
    Ok(())
}

fn the_outermost_pixels_can_be_clicked(page: &Page) -> Result {
    let inside = |id: &str| format!("{} .figure-view", figure(id));
    // At this length the leftmost pixel of the plot lies beyond the first offset.
    page.open("?view=kernels&model=sinusoidal&n=32")?;
    page.figure("kernel-function")?;
    for id in ["kernel-function", "kernel-matrix", "kernel-attention"] {
        click_along_the_edges(page, &inside(id))?;
        page.met_no_error()
            .map_err(|error| format!("{id}: {error}"))?;
    }
    page.open("?view=positions&model=sinusoidal&rows=32&width=16")?;
    page.figure("offset-profile")?;
    page.click("[aria-label='Offsets'] button:last-child")?;
    for id in ["offset-profile", "position-matrix", "autocorrelation"] {
        page.figure(id)?;
        click_along_the_edges(page, &inside(id))?;
        page.met_no_error()
            .map_err(|error| format!("{id}: {error}"))?;
    }
    page.view("compare")?;
    page.figure("compare-profiles")?;
    page.click("[data-figure='compare-profiles'] [aria-label='Offsets'] button:last-child")?;
    for id in ["compare-profiles", "position-matrix"] {
        click_along_the_edges(page, &inside(id))?;
        page.met_no_error()
            .map_err(|error| format!("{id}: {error}"))?;
    }
    page.open("?view=heads&model=sinusoidal")?;
    let bert = root().join("tests/data/bert");
    page.open_files(&[&bert.join("model.safetensors"), &bert.join("config.json")])?;
    for id in ["head-matrix", "head-profile"] {
        page.figure(id)?;
        click_along_the_edges(page, &inside(id))?;
        page.met_no_error()
            .map_err(|error| format!("{id}: {error}"))?;
    }
    // The page still works.
    page.view("kernels")?;
    let painted = page.painted_at("kernel-function")?;
    page.fill("input[aria-label='centre c, kernel 1, exact']", "2")?;
    page.painted_since("kernel-function", painted)
}

fn the_cursor_goes_with_the_pointer(page: &Page) -> Result {
    page.open("?view=kernels&model=sinusoidal&n=64")?;
    page.figure("kernel-matrix")?;
    page.figure("kernel-function")?;
    page.point(
        &format!("{} .figure-view", figure("kernel-matrix")),
        0.5,
        0.5,
    )?;
    let drawn = "[...document.querySelectorAll('main canvas.overlay')].filter(c => c.width > 0 && c.height > 0 && \
                 new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer).some(p => p !== 0)).length";
    page.wait_until(&format!("{drawn} > 0"))?;
    // The pointer leaves, and an answer arrives before the next frame: both are painted in that frame.
    for value in ["0.3", "0.7", "1.1"] {
        page.eval_async(&format!(
            "(async () => {{\
               const frame = () => new Promise(requestAnimationFrame), task = () => new Promise(done => {{ const c = new MessageChannel(); c.port1.onmessage = done; c.port2.postMessage(0); }});\
               const view = document.querySelector(\"{matrix} .figure-view\"), box = view.getBoundingClientRect();\
               const at = {{ clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, pointerType: 'mouse', isPrimary: true }};\
               view.dispatchEvent(new PointerEvent('pointermove', {{ ...at, bubbles: true }}));\
               await frame(); await frame(); await frame();\
               for (const name of ['pointerout', 'mouseout']) view.dispatchEvent(new PointerEvent(name, {{ ...at, bubbles: true }}));\
               for (const name of ['pointerleave', 'mouseleave']) view.dispatchEvent(new PointerEvent(name, at));\
               await null; await task();\
               const slider = document.querySelector(\"input[type='range'][aria-label='centre c, kernel 1']\");\
               slider.value = {value}; slider.dispatchEvent(new Event('input', {{ bubbles: true }}));\
               await frame(); await frame(); await frame();\
             }})()",
            matrix = figure("kernel-matrix"),
        ))?;
        assert_eq!(page.eval(drawn)?, json!(0), "a cursor without a pointer");
    }
    Ok(())
}

fn the_wheel_zooms_after_a_click(page: &Page) -> Result {
    const VIEW: &str = "#position-matrix .figure-view";
    page.open("?view=positions&model=minilm-l6")?;
    page.figure("position-matrix")?;
    // Returns whether the page takes the wheel for itself; otherwise the browser scrolls.
    let event = |make: &str| {
        page.script(
            &format!(
                "const view = document.querySelector(arguments[0]), box = view.getBoundingClientRect();\
                 const at = {{ bubbles: true, cancelable: true, clientX: box.left + box.width / 2, clientY: box.top + box.width / 2 }};\
                 return !view.dispatchEvent({make})"
            ),
            vec![json!(VIEW)],
        )
    };
    let wheel = || event("new WheelEvent('wheel', { ...at, deltaY: -200 })");
    let does = |what: &str| {
        page.wait_until(&format!(
            "document.querySelector('{VIEW}').dataset.wheel === '{what}'"
        ))
    };
    does("scrolls")?;
    assert_eq!(wheel()?, json!(false));
    page.click_at(VIEW, 0.5, 0.5)?;
    does("zooms")?;
    assert_eq!(wheel()?, json!(true));
    page.wait_until("location.search.includes('window=')")?;
    event("new MouseEvent('dblclick', at)")?;
    page.wait_until("!location.search.includes('window=')")?;
    page.keys(&[key::ESCAPE])?;
    does("scrolls")?;
    assert_eq!(wheel()?, json!(false));
    page.click_at(VIEW, 0.5, 0.5)?;
    does("zooms")?;
    page.point("#position-matrix h2", 0.5, 0.5)?;
    does("scrolls")?;
    assert_eq!(wheel()?, json!(false));
    // Other figures do not zoom.
    let wheels = page.eval("[...document.querySelectorAll('#offset-profile .figure-view')].map(e => e.dataset.wheel ?? null)")?;
    assert_eq!(wheels, json!([null]));
    Ok(())
}
