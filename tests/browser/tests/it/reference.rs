//! The line below the header, and the dialog of reference texts.

use browser::session::key;
use browser::{Page, Result, scenarios};
use diagonal::page_reference::{GESTURES, NOTATION, SHORTCUTS, SOURCES};
use serde_json::json;

scenarios! {
    in_every_engine: [
        the_dialog_opens_and_closes_by_keyboard,
    ],
    in_chromium: [
        the_tour_keeps_the_open_models,
        texts_open_from_figures_and_links,
        the_first_matrix_is_on_the_screen,
        the_line_says_what_the_page_is_and_leads_on,
    ],
}

const WINDOWS: [(u32, u32); 3] = [(1440, 900), (1280, 720), (390, 844)];

/// Title of the open dialog, or null.
const OPEN: &str = "(document.querySelector('dialog.reference[open] h2')?.textContent ?? null)";

fn is_open(page: &Page, title: &str) -> Result {
    page.wait_until(&format!("{OPEN} === {}", json!(title)))
        .map(drop)
}

fn is_closed(page: &Page) -> Result {
    page.wait_until(&format!("{OPEN} === null")).map(drop)
}

/// Opens the page and waits for the part that handles its links.
fn open(page: &Page, query: &str) -> Result {
    page.open(query)?;
    page.wait_until("!!document.querySelector('dialog.reference')")
        .map(drop)
}

fn focused(page: &Page, css: &str) -> Result {
    page.wait_until(&format!("document.activeElement.matches({})", json!(css)))
        .map(drop)
}

fn the_line_says_what_the_page_is_and_leads_on(page: &Page) -> Result {
    for (width, height) in WINDOWS {
        page.resize(width, height)?;
        open(page, "?model=minilm-l6")?;
        let line = page.text(".intro")?;
        for words in [
            "encode position",
            "Take the tour",
            "Open your model",
            "About",
        ] {
            assert!(line.contains(words), "{width} × {height}: {line}");
        }
        let bottom =
            page.eval("document.querySelector('.intro').getBoundingClientRect().bottom")?;
        assert!(
            bottom.as_f64().is_some_and(|bottom| bottom < 220.0),
            "{bottom}"
        );
        // The field for files gets the focus, also where the model list is folded.
        page.click(".intro [data-opens=chooser]")?;
        focused(page, "#open-file")?;
        page.wait_until(
            "document.querySelector('.open-file').getBoundingClientRect().height > 20",
        )?;
    }
    page.resize(1440, 900)
}

fn the_tour_keeps_the_open_models(page: &Page) -> Result {
    open(page, "?model=sinusoidal")?;
    page.script("window.isSameDocument = true", vec![])?;
    page.click(".intro [data-opens=tour]")?;
    page.wait_until(
        "!!document.querySelector('.lesson h3') && location.search.includes('lesson=')",
    )?;
    assert_eq!(page.eval("window.isSameDocument")?, json!(true));
    Ok(())
}

fn the_dialog_opens_and_closes_by_keyboard(page: &Page) -> Result {
    open(page, "?model=minilm-l6")?;
    const LINK: &str = ".intro [data-opens=about]";
    page.script(
        "document.querySelector(arguments[0]).focus()",
        vec![json!(LINK)],
    )?;
    page.keys(&[key::ENTER])?;
    is_open(page, "About Diagonal")?;
    page.wait_until("!!document.querySelector('.sources li')")?;
    // The focus is in the dialog, and Escape returns it to the link.
    page.wait_until("!!document.activeElement.closest('dialog.reference')")?;
    page.keys(&[key::ESCAPE])?;
    is_closed(page)?;
    focused(page, LINK)?;
    // A key opens a text, another shows another one, and the same closes it.
    page.keys(&['n'])?;
    is_open(page, "Notation")?;
    page.keys(&['?'])?;
    is_open(page, "Keyboard shortcuts")?;
    page.keys(&['?'])?;
    is_closed(page)?;
    focused(page, LINK)?;
    // Where a text is typed, keys are letters.
    page.fill("#from-web", "n")?;
    is_closed(page)?;
    // So they are with a modifier, which belongs to the browser.
    assert_eq!(
        page.eval("document.querySelector('#from-web').value")?,
        json!("n")
    );
    Ok(())
}

fn texts_open_from_figures_and_links(page: &Page) -> Result {
    open(page, "?model=minilm-l6")?;
    page.click(".headline .term")?;
    is_open(page, "Notation")?;
    page.wait_until(&format!(
        "document.querySelectorAll('.notation > div').length === {}",
        NOTATION.len()
    ))?;
    page.has_no_barriers("the notation")?;
    page.click("dialog.reference header button")?;
    is_closed(page)?;
    page.click("#toeplitz-scores .ask")?;
    page.wait_until("!!document.querySelector('#toeplitz-scores .guide [data-opens=notation]')")?;
    page.click("#toeplitz-scores .guide [data-opens=notation]")?;
    is_open(page, "Notation")?;
    page.keys(&[key::ESCAPE])?;
    is_closed(page)?;
    page.click(".computing [data-opens=shortcuts]")?;
    is_open(page, "Keyboard shortcuts")?;
    let keys: usize = SHORTCUTS.iter().map(|group| group.shortcuts.len()).sum();
    let rows = keys + GESTURES.len();
    page.wait_until(&format!(
        "document.querySelectorAll('.shortcuts dl > div').length === {rows}"
    ))?;
    page.has_no_barriers("the shortcuts")?;
    page.keys(&[key::ESCAPE])?;
    // A link to a text opens it with the page.
    page.open("?model=minilm-l6&view=heads#about")?;
    is_open(page, "About Diagonal")?;
    page.wait_until(&format!(
        "document.querySelectorAll('.sources li').length === {}",
        SOURCES.len()
    ))?;
    page.has_no_barriers("about the page")?;
    page.dark(true)?;
    page.has_no_barriers("about the page, dark")?;
    page.dark(false)?;
    // Lessons compute nothing, so the footer does not speak of it.
    page.keys(&[key::ESCAPE])?;
    page.wait_until("document.querySelector('.computing .device').checkVisibility()")?;
    page.view("lessons")?;
    page.wait_until("!document.querySelector('.computing .device').checkVisibility()")
        .map(drop)
}

fn the_first_matrix_is_on_the_screen(page: &Page) -> Result {
    for (width, height) in &WINDOWS[..2] {
        page.resize(*width, *height)?;
        page.open("?model=minilm-l6")?;
        page.figure("position-matrix")?;
        page.wait_until("document.querySelector('#position-matrix canvas').getBoundingClientRect().bottom <= innerHeight")
            .map_err(|error| format!("{width} × {height}: {error}"))?;
    }
    // On a phone, the picture comes before what changes it.
    page.resize(390, 844)?;
    page.wait_until(
        "(figure => figure.querySelector('canvas').getBoundingClientRect().bottom <= figure.querySelector('.controls').getBoundingClientRect().top)\
         (document.querySelector('#position-matrix'))",
    )?;
    page.resize(1440, 900)
}
