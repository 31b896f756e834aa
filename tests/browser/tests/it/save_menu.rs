//! The menu “Save” of a figure: opening and closing it, its place in the window, and copied pictures.

use browser::page::figure;
use browser::session::key;
use browser::{Page, Result, scenarios};
use serde_json::json;

scenarios! {
    in_every_engine: [
        the_menu_opens_and_closes_by_keyboard,
        a_picture_is_copied,
    ],
    in_chromium: [
        the_menu_stays_in_the_window,
        toolbars_of_neighbours_are_in_line,
        the_menu_closes_by_a_press_elsewhere,
        a_figure_has_two_tab_stops,
    ],
}

/// The button that opens the menu of the figure in these scenarios.
const BUTTON: &str = "#position-matrix .save > button";

/// Whether the menu is open.
const IS_OPEN: &str = "!!document.querySelector('.save-menu')";

/// Whether the button has the focus.
fn button_has_focus(page: &Page) -> Result {
    let has_focus = format!("document.activeElement === document.querySelector(\"{BUTTON}\")");
    page.wait_until(&has_focus).map(drop)
}

fn open(page: &Page) -> Result {
    page.open("?model=sinusoidal&rows=96&width=32")?;
    page.figure("position-table")
}

fn the_menu_opens_and_closes_by_keyboard(page: &Page) -> Result {
    open(page)?;
    page.script(
        "document.querySelector(arguments[0]).focus()",
        vec![json!(BUTTON)],
    )?;
    page.keys(&[key::ENTER])?;
    page.wait_until("document.activeElement.getAttribute('aria-label') === 'Download PNG'")?;
    page.has_no_barriers("the menu of a figure")?;
    page.keys(&[key::TAB])?;
    page.wait_until("document.activeElement.getAttribute('aria-label') === 'Download SVG'")?;
    page.keys(&[key::ESCAPE])?;
    page.wait_until(&format!("!{IS_OPEN}"))?;
    button_has_focus(page)?;
    // Leaving the menu closes it.
    page.keys(&[key::ENTER])?;
    page.wait_until(IS_OPEN)?;
    page.wait_until("!!document.querySelector('.save-menu').contains(document.activeElement)")?;
    page.script(
        "document.querySelector('#position-matrix .ask').focus()",
        vec![],
    )?;
    page.wait_until(&format!("!{IS_OPEN}"))?;
    // A file closes it as well.
    page.download("position-matrix", "SVG")?;
    page.wait_until(&format!("!{IS_OPEN}"))?;
    button_has_focus(page)
}

fn the_menu_closes_by_a_press_elsewhere(page: &Page) -> Result {
    open(page)?;
    page.open_save_menu("#position-matrix")?;
    // A choice keeps it open.
    page.click(".save-menu .picture-options button:not([aria-pressed='true'])")?;
    page.wait_until("document.querySelector('.save-menu p').textContent.includes('175 mm')")?;
    page.click("#position-matrix h2")?;
    page.wait_until(&format!("!{IS_OPEN}"))?;
    page.open_save_menu("#position-matrix")?;
    page.click(BUTTON)?;
    page.wait_until(&format!("!{IS_OPEN}")).map(drop)
}

fn a_figure_has_two_tab_stops(page: &Page) -> Result {
    open(page)?;
    let stops = page.eval(
        "[...document.querySelectorAll('main figure[data-figure] > header')].map(header => \
           [...header.querySelectorAll('a[href], button, input, select, [tabindex]')].filter(e => e.tabIndex >= 0 && e.checkVisibility()).length)",
    )?;
    let stops: Vec<u64> = serde_json::from_value(stops)?;
    assert!(
        stops.len() > 2 && stops.iter().all(|count| *count == 2),
        "{stops:?}"
    );
    Ok(())
}

fn a_picture_is_copied(page: &Page) -> Result {
    open(page)?;
    page.press_in_save_menu("#position-matrix", "Copy picture")?;
    let picture = page.wait_until("probe.pictures.shift()")?;
    assert_eq!(picture["type"], "image/png");
    // As wide as the PNG file: 84 mm at 300 dots per inch.
    assert_eq!(picture["width"], 992);
    page.wait_until("document.querySelector(\".save-menu button[aria-label='Copy picture']\").textContent === 'Copied'")?;
    assert_eq!(page.eval("probe.downloads.length")?, json!(0));
    // A browser that copies text alone.
    page.script("delete window.ClipboardItem", vec![])?;
    page.press_in_save_menu("#position-matrix", "Copy picture")?;
    page.message_with("This browser cannot copy pictures. Save the PNG instead.")?;
    assert_eq!(page.eval("probe.pictures.length")?, json!(0));
    Ok(())
}

/// Distances of the open menu from the edges of the window, negative outside of it, and the least side of its buttons.
const PLACE: &str = "(() => { const box = document.querySelector('.save-menu').getBoundingClientRect();\
    const sides = [...document.querySelectorAll('.save-menu button')].flatMap(e => { const r = e.getBoundingClientRect(); return [r.width, r.height]; });\
    return [box.left, box.top, document.documentElement.clientWidth - box.right, innerHeight - box.bottom, Math.min(...sides)]; })()";

fn the_menu_stays_in_the_window(page: &Page) -> Result {
    for (width, height, query) in [
        (390, 844, "?view=positions&model=minilm-l6"),
        (390, 844, "?view=encodings"),
        (844, 390, "?view=positions&model=minilm-l6"),
        (830, 720, "?view=kernels&model=minilm-l6"),
        (1280, 720, "?view=waves&model=minilm-l6"),
    ] {
        page.resize(width, height)?;
        page.open(query)?;
        for id in page.ready_figures()? {
            page.open_save_menu(&figure(&id))?;
            let place: Vec<f64> = serde_json::from_value(page.eval(PLACE)?)?;
            assert!(
                place[..4].iter().all(|distance| *distance > -1.0),
                "{id} in {query} at {width} × {height}: {place:?}"
            );
            page.keys(&[key::ESCAPE])?;
        }
    }
    // Fingers.
    page.devtools(
        "Emulation.setTouchEmulationEnabled",
        json!({ "enabled": true }),
    )?;
    page.resize(390, 844)?;
    page.open("?model=minilm-l6")?;
    page.figure("position-matrix")?;
    if page.eval("matchMedia('(pointer: coarse)').matches")? == json!(true) {
        page.open_save_menu("#position-matrix")?;
        let place: Vec<f64> = serde_json::from_value(page.eval(PLACE)?)?;
        assert!(place[4] >= 44.0, "a button of {} px", place[4]);
    }
    page.devtools(
        "Emulation.setTouchEmulationEnabled",
        json!({ "enabled": false }),
    )
    .map(drop)
}

/// Toolbars of figures whose headings begin at the same height, that end at another distance from the right edge of
/// their figure or begin at another height.
const OUT_OF_LINE: &str = "(() => {\
    const all = [...document.querySelectorAll('main figure[data-figure]:not(.multiple)')].map(figure => {\
      const [f, h, t] = [figure, figure.querySelector('h2'), figure.querySelector('.toolbar')].map(e => e.getBoundingClientRect());\
      return { id: figure.id, top: Math.round(h.top), at: [Math.round(f.right - t.right), Math.round(t.top)] }; });\
    return all.filter(one => Math.abs(one.at[0]) > 1 || all.some(other => other.top === one.top && Math.abs(other.at[1] - one.at[1]) > 1)).map(one => JSON.stringify(one)); })()";

fn toolbars_of_neighbours_are_in_line(page: &Page) -> Result {
    for query in [
        "?view=positions",
        "?view=waves",
        "?view=heads",
        "?view=kernels",
    ] {
        for (width, height) in [(1440, 900), (1280, 720)] {
            page.resize(width, height)?;
            page.open(&format!("{query}&model=minilm-l6"))?;
            let figures = page.ready_figures()?;
            assert!(figures.len() > 2, "{figures:?}");
            let found: Vec<String> = serde_json::from_value(page.eval(OUT_OF_LINE)?)?;
            assert!(found.is_empty(), "{query} at {width} × {height}: {found:?}");
        }
    }
    Ok(())
}
