//! Figures that fill the window.

use browser::page::figure;
use browser::session::key;
use browser::{Page, Result, scenarios};
use serde_json::{Value, json};

scenarios! {
    in_every_engine: [
        the_key_makes_the_figure_under_the_pointer_large,
    ],
    in_chromium: [
        every_large_figure_fits_the_window,
        a_lesson_lights_its_step_again,
        a_press_makes_a_figure_large_and_escape_returns,
    ],
}

/// Whether a figure is large.
const IS_LARGE: &str = "document.documentElement.dataset.alone === 'large'";

/// The visible figures, by their identifiers.
const VISIBLE: &str = "[...document.querySelectorAll('figure[data-figure]')].filter(e => e.checkVisibility()).map(e => e.id)";

/// Whether the page and the visible picture are within the window, and the share of its height that the picture takes.
const FIT: &str = "(() => { const root = document.documentElement, canvas = [...document.querySelectorAll('figure[data-figure] > .stage > .figure-view > .picture')].find(e => e.checkVisibility());\
    const box = canvas?.getBoundingClientRect();\
    return { fits: root.scrollWidth <= innerWidth + 1 && (!box || box.left >= -1 && box.right <= innerWidth + 1 && box.bottom <= innerHeight + 1), height: box ? box.height / innerHeight : 1, width: box ? box.width / innerWidth : 1 }; })()";

/// Waits until the large figure has the size for this window, and returns [`FIT`].
fn fit(page: &Page) -> Result<Value> {
    page.wait_until(IS_LARGE)?;
    page.eval_async("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 200))))")?;
    page.eval(FIT)
}

fn a_press_makes_a_figure_large_and_escape_returns(page: &Page) -> Result {
    page.open("?view=positions&model=minilm-l6")?;
    page.figure("offset-profile")?;
    page.figure("position-table")?;
    const PLACE: &str = "(r => [Math.round(r.top), Math.round(r.width), Math.round(r.height)])(document.querySelector('#offset-profile .picture').getBoundingClientRect())";
    let button = format!("{} .enlarge", figure("offset-profile"));
    page.script(
        "document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })",
        vec![json!(button)],
    )?;
    let before = page.eval(PLACE)?;
    page.click(&button)?;
    let found = fit(page)?;
    assert_eq!(found["fits"], true, "{found}");
    assert!(
        found["height"].as_f64() > Some(0.5) && found["width"].as_f64() > Some(0.9),
        "{found}"
    );
    assert_eq!(page.eval(VISIBLE)?, json!(["offset-profile"]));
    let seen = "['.caption', '.formula', 'h2'].every(css => document.querySelector('#offset-profile ' + css).checkVisibility())";
    assert_eq!(page.eval(seen)?, json!(true));
    page.has_no_barriers("a large figure")?;
    page.keys(&[key::ESCAPE])?;
    page.wait_until(&format!("!({IS_LARGE})"))?;
    // The same size in the same place, and the focus is in the figure.
    page.wait_until(&format!(
        "JSON.stringify({PLACE}) === {}",
        json!(before.to_string())
    ))?;
    assert_eq!(page.eval(&format!("{VISIBLE}.length > 3"))?, json!(true));
    page.wait_until("!!document.activeElement.closest('#offset-profile') || document.activeElement === document.body")
        .map(drop)
}

fn the_key_makes_the_figure_under_the_pointer_large(page: &Page) -> Result {
    page.open("?view=positions&model=minilm-l6")?;
    page.figure("position-matrix")?;
    page.point("#position-matrix .figure-view", 0.5, 0.5)?;
    page.keys(&['f'])?;
    let found = fit(page)?;
    assert_eq!(found["fits"], true, "{found}");
    assert!(found["height"].as_f64() > Some(0.8), "{found}");
    assert_eq!(page.eval(VISIBLE)?, json!(["position-matrix"]));
    page.keys(&['f'])?;
    page.wait_until(&format!("!({IS_LARGE})"))?;
    // The focus decides before the pointer, and returns to its element.
    page.script(
        "document.querySelector('#offset-profile .ask').focus()",
        vec![],
    )?;
    page.keys(&['f'])?;
    page.wait_until(&format!(
        "JSON.stringify({VISIBLE}) === '[\"offset-profile\"]'"
    ))?;
    page.keys(&['f'])?;
    page.wait_until(&format!("!({IS_LARGE})"))?;
    page.wait_until("document.activeElement.matches('#offset-profile .ask')")
        .map(drop)
}

fn every_large_figure_fits_the_window(page: &Page) -> Result {
    const FEW: &[&str] = &["positions", "kernels"];
    for (width, height, text, views) in [
        (
            1280,
            720,
            "100",
            &["positions", "heads", "kernels", "waves"][..],
        ),
        (390, 844, "100", FEW),
        (1440, 900, "150", FEW),
    ] {
        page.resize(width, height)?;
        for view in views {
            page.open(&format!("?view={view}&model=minilm-l6"))?;
            page.script(
                "localStorage.setItem('diagonal-text', arguments[0])",
                vec![json!(text)],
            )?;
            page.load(&format!("?view={view}&model=minilm-l6"))?;
            for id in page.ready_figures()? {
                page.script(
                    "document.querySelector(arguments[0]).click()",
                    vec![json!(format!("{} .enlarge", figure(&id)))],
                )?;
                let found = fit(page)?;
                assert_eq!(
                    found["fits"], true,
                    "{id} at {width} × {height}, text {text} %: {found}"
                );
                assert_eq!(page.eval(VISIBLE)?, json!([id]));
                page.keys(&['f'])?;
                page.wait_until(&format!("!({IS_LARGE})"))?;
            }
        }
    }
    page.script("localStorage.removeItem('diagonal-text')", vec![])
        .map(drop)
}

fn a_lesson_lights_its_step_again(page: &Page) -> Result {
    page.open("?lesson=04-toeplitz")?;
    const LIT: &str = "[...document.querySelectorAll('figure[data-lit]')].map(e => e.id)";
    page.wait_until(&format!("{LIT}.length > 0"))?;
    let lit = page.eval(LIT)?;
    page.wait_until("!!document.querySelector('#main figure[data-state=ready] .enlarge')")?;
    page.script(
        "document.querySelector('#main figure:not([data-lit]) .enlarge').click()",
        vec![],
    )?;
    fit(page)?;
    page.keys(&[key::ESCAPE])?;
    page.wait_until(&format!("!({IS_LARGE})"))?;
    page.wait_until(&format!(
        "JSON.stringify({LIT}) === {}",
        json!(lit.to_string())
    ))
    .map(drop)
}
