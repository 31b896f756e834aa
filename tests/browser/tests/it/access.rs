//! For everyone: keyboard, names, summaries, narrow windows.

use browser::page::figure;
use browser::session::{PATIENCE, key};
use browser::{Page, Result, in_every_engine};
use diagonal::link::VIEWS;
use serde_json::json;

in_every_engine!(
    the_keyboard_moves_the_cursor,
    everything_has_a_name,
    every_figure_has_its_words,
    a_phone_scrolls_one_way
);

fn the_keyboard_moves_the_cursor(page: &Page) -> Result {
    page.open("?model=sinusoidal")?;
    page.figure("position-matrix")?;
    let inside = format!(
        "!!document.activeElement.closest(\"{} canvas, {0} [tabindex='0']\")",
        figure("position-matrix")
    );
    let mut presses = 0;
    while page.eval(&inside)? != json!(true) {
        presses += 1;
        assert!(presses < 120, "Tab never reaches the position matrix");
        page.keys(&[key::TAB])?;
    }
    // Query, key and offset under the cursor, as the page writes them. A minus is typed by hand as a hyphen.
    const CURSOR: &str = "(fields => ['query i', 'key j', 'offset k'].map(name => parseInt(fields[name]?.replace('−', '-'))))\
        (Object.fromEntries([...document.querySelectorAll(\"[aria-label='Cursor'] dt\")].map(e => [e.textContent, e.nextElementSibling.textContent])))";
    page.keys(&[key::RIGHT])?;
    page.wait_until(&format!("{CURSOR}.every(Number.isFinite)"))?;
    let before: Vec<i64> = serde_json::from_value(page.eval(CURSOR)?)?;
    assert_eq!(before[2], before[1] - before[0], "k = j − i");
    page.keys(&[key::RIGHT, key::RIGHT, key::DOWN])?;
    let moved = [before[0] + 1, before[1] + 2, before[2] + 1];
    page.wait_until(&format!(
        "String({CURSOR}) === '{},{},{}'",
        moved[0], moved[1], moved[2]
    ))?;
    page.wait_until(&format!(
        "(c => new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer).some(p => p !== 0))\
         (document.querySelector(\"{} canvas.overlay\"))",
        figure("position-matrix")
    ))?;
    page.keys(&[key::ESCAPE])?;
    page.wait_until(&format!("{CURSOR}.every(Number.isNaN)"))?;
    Ok(())
}

/// The timeline has no figure before there are checkpoints of a run.
fn shows_something(page: &Page) -> Result {
    page.wait_until(
        "!!document.querySelector(\"figure[data-state='ready'], main [role=note], main p\")",
    )?;
    page.computed(PATIENCE)
}

fn everything_has_a_name(page: &Page) -> Result {
    for (_, view, _) in VIEWS {
        page.open(&format!("?view={view}&model=minilm-l6"))?;
        page.model("minilm-l6")?;
        shows_something(page)?;
        let nameless = page.eval(
            "[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex], [role=slider], [role=button], [role=img]')]\
             .filter(e => !e.hidden && e.type !== 'hidden' && e.tabIndex !== -1)\
             .filter(e => ![e.getAttribute('aria-label'), e.title, e.textContent, ...[...(e.labels ?? [])].map(l => l.textContent),\
                            ...(e.getAttribute('aria-labelledby') ?? '').split(' ').map(id => document.getElementById(id)?.textContent)]\
                            .some(name => name?.trim()))\
             .map(e => e.outerHTML.slice(0, 120))",
        )?;
        assert_eq!(nameless, json!([]), "in {view}");
        let twice = page.eval(
            "(() => { const ids = [...document.querySelectorAll('[id]')].map(e => e.id);\
                      return ids.filter((id, at) => ids.indexOf(id) !== at); })()",
        )?;
        assert_eq!(twice, json!([]), "identifiers used twice in {view}");
    }
    Ok(())
}

fn every_figure_has_its_words(page: &Page) -> Result {
    let expected = [
        (
            "positions",
            &[
                "position-table",
                "position-matrix",
                "offset-profile",
                "toeplitz-scores",
            ][..],
        ),
        (
            "heads",
            &["head-grid", "head-matrix", "head-profile", "head-sections"],
        ),
        (
            "kernels",
            &[
                "kernel-function",
                "kernel-matrix",
                "kernel-attention",
                "parameter-count",
            ],
        ),
        (
            "encodings",
            &[
                "encoding-profile",
                "flat-lines",
                "phasors",
                "criteria",
                "permutation",
            ],
        ),
    ];
    for (_, view, _) in VIEWS {
        page.open(&format!("?view={view}&model=minilm-l6"))?;
        page.model("minilm-l6")?;
        let (_, least) = expected
            .iter()
            .find(|(of, _)| of == view)
            .unwrap_or(&("", &[]));
        for id in *least {
            page.figure(id)?;
        }
        // Those and whatever else there is; models side by side share their words.
        shows_something(page)?;
        let figures: Vec<String> = serde_json::from_value(page.eval(
            "[...document.querySelectorAll(\"main figure[data-figure][data-state='ready']:not(.multiple)\")].map(e => e.dataset.figure)",
        )?)?;
        for id in &figures {
            let lacks = page.script(
                "const f = document.querySelector(arguments[0]);\
                 const names = [...f.querySelectorAll('button')].map(b => (b.getAttribute('aria-label') ?? b.textContent).trim());\
                 return [\
                   !(f.querySelector('.summary')?.textContent.trim().split(' ').length > 3) && 'a summary',\
                   !f.querySelector('details.numbers') && 'its numbers',\
                   !f.querySelector('h2, h3, h4, figcaption') && 'a heading',\
                   ...['Download PNG', 'Download SVG', 'Download CSV', 'Download NPY', 'Copy link'].map(n => !names.includes(n) && n),\
                 ].filter(Boolean)",
                vec![json!(figure(id))],
            )?;
            assert_eq!(lacks, json!([]), "{id} lacks something");
            page.script(
                "document.querySelector(arguments[0]).querySelector('details.numbers').open = true",
                vec![json!(figure(id))],
            )?;
            page.wait_until(&format!(
                "!!document.querySelector(\"{} details.numbers td\")",
                figure(id)
            ))?;
        }
    }
    Ok(())
}

fn a_phone_scrolls_one_way(page: &Page) -> Result {
    page.resize(390, 844)?;
    for (_, view, _) in VIEWS {
        page.open(&format!("?view={view}&model=minilm-l6"))?;
        page.model("minilm-l6")?;
        shows_something(page)?;
        // Not innerWidth: a phone zooms out until what is too wide fits.
        let wide = page.eval(
            "(() => { const width = document.documentElement.clientWidth;\
               return document.documentElement.scrollWidth <= width ? [] : [...document.querySelectorAll('body *')]\
               .filter(e => e.getBoundingClientRect().right > width + 1).map(e => e.outerHTML.slice(0, 80)).slice(0, 5); })()",
        )?;
        assert_eq!(wide, json!([]), "wider than the window in {view}");
    }
    Ok(())
}
