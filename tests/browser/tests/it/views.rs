//! Every view, opened by link, by menu and by keyboard alone. Covers new views automatically.

use std::time::Duration;

use browser::session::key;
use browser::suite::Scenario;
use browser::views_with_figures;
use browser::{Page, Result};
use serde_json::{Value, json};
use xtask::root;

/// Longer than any figure of the preset takes.
const SOON: Duration = Duration::from_secs(20);

pub(crate) fn scenarios() -> Vec<Scenario> {
    let of_view = |(_, id, title): &(_, &'static str, &'static str)| {
        let (id, title) = (*id, *title);
        let name = format!("it::views::{id}::by_link_and_menu");
        Scenario::new(&name, move |page| by_link_and_menu(page, id, title)).in_chromium()
    };
    let mut scenarios: Vec<Scenario> = views_with_figures().map(of_view).collect();
    scenarios.extend([
        Scenario::new("it::views::each_by_keyboard", each_by_keyboard).in_chromium(),
        Scenario::new(
            "it::views::cells_are_shown_where_they_fit",
            cells_are_shown_where_they_fit,
        ),
    ]);
    scenarios
}

/// A matrix is drawn in as many blocks as its picture has pixels, and in more when the picture grows.
fn cells_are_shown_where_they_fit(page: &Page) -> Result {
    const ROWS: f64 = 1060.0;
    page.open("?view=positions&model=sinusoidal&rows=1060&width=16")?;
    let mut drawn = Vec::new();
    // In a narrower window the matrix spans the whole width.
    for width in [1280, 810] {
        page.resize(width, 900)?;
        page.figure("position-matrix")?;
        let room = page.eval(
            "(document.querySelector('#position-matrix .figure-view').clientWidth - 56) * devicePixelRatio",
        )?;
        let room = room.as_f64().ok_or("no room")?.max(512.0);
        let step = (ROWS / room.round()).ceil();
        let words = if step > 1.0 {
            format!("shown as means of {step}×{step} blocks")
        } else {
            "against Key 0 to 1059. ".to_owned()
        };
        page.wait_until(&format!(
            "document.querySelector('#position-matrix .summary').textContent.includes('{words}')"
        ))?;
        drawn.push(step);
    }
    assert!(drawn[1] < drawn[0], "{drawn:?}");
    Ok(())
}

/// Opens a model with heads and two checkpoints of one training run, so that every view has figures.
fn open_models(page: &Page, query: &str) -> Result {
    page.open(query)?;
    page.model("minilm-l6")?;
    let snapshots = [0, 2000].map(|step| {
        root().join(format!(
            "tests/data/snapshots/checkpoint-{step}.safetensors"
        ))
    });
    page.open_files(&[&snapshots[0], &snapshots[1]])?;
    for step in [0, 2000] {
        page.wait_until(&format!(
            "!!document.querySelector(\"[data-model='checkpoint-{step}']\")"
        ))?;
    }
    page.choose("minilm-l6")
}

/// Fails if a view is empty, reports an error, or has a figure that never arrives.
fn shows_figures(page: &Page, id: &str) -> Result {
    page.wait_until(&format!(
        "!!document.querySelector(\"nav a[data-view='{id}'][aria-current]\")"
    ))?;
    page.wait_until("!!document.querySelector(\"main figure[data-figure][data-state='ready']\")")?;
    page.computed(SOON)?;
    let alarms = page.eval(
        "[...document.querySelectorAll('[role=alert]')].filter(e => !e.hidden).map(e => e.textContent)",
    )?;
    assert_eq!(alarms, json!([]), "in {id}");
    page.met_no_error()
}

fn by_link_and_menu(page: &Page, id: &str, title: &str) -> Result {
    open_models(page, &format!("?view={id}&model=minilm-l6"))?;
    shows_figures(page, id)?;
    // From another view, by the menu.
    let other = views_with_figures().find(|(_, other, _)| *other != id);
    let (_, other, _) = other.ok_or("there is one view alone")?;
    page.view(other)?;
    shows_figures(page, other)?;
    assert_eq!(page.text(&format!("nav a[data-view='{id}']"))?, title);
    page.view(id)?;
    shows_figures(page, id)?;
    page.wait_until(&format!("location.search.includes('view={id}')"))?;
    assert_eq!(page.current_model()?, "minilm-l6");
    Ok(())
}

/// Goes from each view to the next, and from the last one to the first.
fn each_by_keyboard(page: &Page) -> Result {
    let (_, last, _) = views_with_figures().last().ok_or("there is no view")?;
    open_models(page, &format!("?view={last}&model=minilm-l6"))?;
    shows_figures(page, last)?;
    for (_, id, _) in views_with_figures() {
        by_keyboard(page, id).map_err(|error| format!("{id}: {error}"))?;
    }
    Ok(())
}

/// Goes to a view by keyboard alone and uses its first control.
fn by_keyboard(page: &Page, id: &str) -> Result {
    // From the first focusable element of the page.
    page.script("document.querySelector('a.skip').focus()", Vec::new())?;
    tab_to(page, &format!("nav a[data-view='{id}']"))?;
    page.keys(&[key::ENTER])?;
    shows_figures(page, id)?;
    has_visible_focus(page)?;
    tab_to(
        page,
        "main :is(input[type=range], input[type=checkbox], button[aria-pressed=false]):not([disabled])",
    )?;
    // The visible state of the control.
    const SAYS: &str = "(e => [e.value, e.checked, e.ariaPressed].join())(window.tried)";
    page.script("window.tried = document.activeElement", Vec::new())?;
    let before = page.eval(SAYS)?;
    let slides = page.eval("window.tried.type === 'range'")? == json!(true);
    page.keys(&[if slides { key::RIGHT } else { ' ' }])?;
    page.wait_until(&format!("{SAYS} !== {before}"))?;
    shows_figures(page, id)?;
    assert_eq!(
        page.eval("document.activeElement === window.tried")?,
        json!(true),
        "the focus left the control that was used in {id}"
    );
    has_visible_focus(page)
}

/// Presses Tab until the element has the focus; the focus must be visible at every stop.
fn tab_to(page: &Page, css: &str) -> Result {
    const STOPS: u32 = 200;
    for _ in 0..STOPS {
        page.keys(&[key::TAB])?;
        has_visible_focus(page)?;
        let there = page.script(
            "return document.activeElement.matches(arguments[0])",
            vec![json!(css)],
        )?;
        if there == json!(true) {
            return Ok(());
        }
    }
    Err(format!("{STOPS} times Tab do not reach {css}").into())
}

fn has_visible_focus(page: &Page) -> Result {
    // A file field shows its focus by the outline of its label.
    let unseen = page.eval(
        "(() => { const e = document.activeElement;\
           if (!e || e === document.body) return 'nothing has the focus';\
           const drawn = e => { const s = getComputedStyle(e); return s.outlineStyle !== 'none' || s.boxShadow !== 'none'; };\
           return [e, e.parentElement, ...(e.labels ?? [])].some(drawn) ? null : `no outline: ${e.outerHTML.slice(0, 120)}`; })()",
    )?;
    match unseen {
        Value::Null => Ok(()),
        unseen => Err(unseen.to_string().into()),
    }
}
