//! Accessibility: keyboard, names, summaries, narrow windows.

use browser::page::figure;
use browser::session::{PATIENCE, key};
use browser::{Page, Result, scenarios};
use diagonal::url_state::{FigureId, VIEWS, View};
use serde_json::json;
use std::collections::HashSet;

scenarios! {
    in_every_engine: [
        the_keyboard_moves_the_cursor,
        a_matrix_is_moved_about_by_keys,
        a_phone_scrolls_one_way,
    ],
    in_chromium: [
        the_papers_models_are_a_list,
        everything_has_a_name,
        every_figure_has_its_words,
        text_grows_with_its_figures,
    ],
}

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
    // Query, key and offset under the cursor, as shown on the page. A minus may be typed as a hyphen.
    const CURSOR: &str = "(fields => ['position i', 'position j', 'offset k'].map(name => parseInt(fields[name]?.replace('−', '-'))))\
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

/// Waits for a ready figure or a text. The timeline has no figure without checkpoints of a run.
fn shows_something(page: &Page) -> Result {
    page.wait_until(
        "!!document.querySelector(\"figure[data-state='ready'], main [role=note], main p\")",
    )?;
    page.computed(PATIENCE)
}

/// Opens the preset and goes through all views, the last first: its link is the farthest in the menu.
fn in_every_view(page: &Page, check: impl Fn(View, &str) -> Result) -> Result {
    let (_, last, _) = VIEWS.last().ok_or("no view")?;
    page.open(&format!("?view={last}&model=minilm-l6"))?;
    page.model("minilm-l6")?;
    for (view, id, _) in VIEWS.iter().rev() {
        let in_view = || {
            if id != last {
                page.switch_view(id)?;
            }
            shows_something(page)?;
            check(*view, id)
        };
        in_view().map_err(|error| format!("{id}: {error}"))?;
    }
    Ok(())
}

fn everything_has_a_name(page: &Page) -> Result {
    in_every_view(page, |_, view| {
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
        page.has_no_barriers(view)?;
        page.dark(true)?;
        page.has_no_barriers(&format!("{view}, dark"))?;
        page.dark(false)
    })
}

fn every_figure_has_its_words(page: &Page) -> Result {
    in_every_view(page, |of_view, view| {
        // The figures that are ready; models side by side share one summary.
        let figures = page.ready_figures()?;
        let is_of_view = |id: &String| {
            FigureId::from_id(id).is_some_and(|figure| figure.views().contains(&of_view))
        };
        assert!(figures.iter().all(is_of_view), "{view}: {figures:?}");
        // A timeline needs checkpoints of a run, a comparison several models, attention over a text a whole model.
        let has_figures =
            of_view.has_figures() && !of_view.shows_several_models() && of_view != View::Text;
        assert!(
            !has_figures || !figures.is_empty(),
            "{view} shows no figure"
        );
        for id in &figures {
            page.open_save_menu(&figure(id))?;
            let lacks = page.script(
                "const f = document.querySelector(arguments[0]);\
                 const names = [...f.querySelectorAll('button')].map(b => (b.getAttribute('aria-label') ?? b.textContent).trim());\
                 return [\
                   !(f.querySelector('.summary')?.textContent.trim().split(' ').length > 3) && 'a summary',\
                   !f.querySelector('details.numbers') && 'its numbers',\
                   !f.querySelector('h2, h3, h4, figcaption') && 'a heading',\
                   ...['Download PNG', 'Download SVG', 'Download CSV', 'Download NPY', 'Copy picture', 'Copy link', 'Copy embed code', 'How to read this figure'].map(n => !names.includes(n) && n),\
                 ].filter(Boolean)",
                vec![json!(figure(id))],
            )?;
            assert_eq!(lacks, json!([]), "{id} lacks something");
            page.script(
                "const figure = document.querySelector(arguments[0]);\
                 figure.querySelector('details.numbers').open = true; figure.querySelector('.ask').click()",
                vec![json!(figure(id))],
            )?;
            page.wait_until(&format!(
                "!!document.querySelector(\"{0} details.numbers td\") && document.querySelectorAll(\"{0} .guide dd\").length === 2",
                figure(id)
            ))?;
        }
        // Each figure has its own question, and the link lists the open guides.
        let questions: HashSet<String> = serde_json::from_value(page.eval(
            "[...document.querySelectorAll('main figure .guide .question')].map(e => e.textContent)",
        )?)?;
        assert_eq!(questions.len(), figures.len(), "{questions:?}");
        let open_guides = |count: usize| {
            page.wait_until(&format!(
                "(new URLSearchParams(location.search).get('guides') ?? '').split(',').filter(id => id).length === {count}"
            ))
        };
        open_guides(figures.len())?;
        page.script(
            "for (const id of arguments[0]) document.querySelector(`figure[data-figure='${id}'] .ask`).click()",
            vec![json!(figures)],
        )?;
        open_guides(0).map(drop)
    })
}

fn a_matrix_is_moved_about_by_keys(page: &Page) -> Result {
    page.open("?model=minilm-l6&pin=256,256")?;
    page.figure("position-matrix")?;
    page.script(
        "document.querySelector(arguments[0]).focus()",
        vec![json!(format!("{} .figure-view", figure("position-matrix")))],
    )?;
    page.keys(&['+', '+', '+'])?;
    // First row and one past the last, the same for columns, and the pin.
    const WINDOW: &str = "((search, numbers) => [...numbers(search.get('window')), ...numbers(search.get('pin'))])\
        (new URLSearchParams(location.search), text => (text ?? '').split(/[^0-9]+/).filter(t => t).map(Number))";
    page.wait_until(&format!("String({WINDOW}) === '224,288,224,288,256,256'"))?;
    page.keys(&[key::RIGHT; 60])?;
    // The rows stay, and the columns follow the pin.
    page.wait_until(&format!("String({WINDOW}) === '224,288,253,317,256,316'"))?;
    page.keys(&['-', '0'])?;
    page.wait_until(&format!("String({WINDOW}) === '256,316'"))
        .map(drop)
}

fn text_grows_with_its_figures(page: &Page) -> Result {
    page.open("?view=heads&model=minilm-l6&layer=2&head=3")?;
    page.figure("head-matrix")?;
    let size = "parseFloat(getComputedStyle(document.querySelector('#main')).fontSize)";
    let before = page.eval(size)?.as_f64().ok_or("no size")?;
    for percent in [125.0, 150.0] {
        page.click(".text-size")?;
        page.wait_until(&format!(
            "Math.abs({size} / {before} - {percent} / 100) < 0.01"
        ))?;
        page.computed(PATIENCE)?;
        // Buttons lie over the heads that they open, and a click in the matrix pins its cell.
        page.click("button[data-head='4-5']")?;
        page.wait_until("document.querySelector(\"button[data-head='4-5']\").getAttribute('aria-pressed') === 'true' || location.search.includes('layer=4')")?;
        page.click("button[data-head='2-3']")?;
        page.figure("head-matrix")?;
        let inside = page.eval(
            "(canvas => [...document.querySelectorAll('button[data-head]')].every(e => { const r = e.getBoundingClientRect();\
               return r.left >= canvas.left - 1 && r.right <= canvas.right + 1 && r.bottom <= canvas.bottom + 1; }))\
             (document.querySelector('#head-grid canvas.picture').getBoundingClientRect())",
        )?;
        assert_eq!(
            inside,
            json!(true),
            "heads lie outside their picture at {percent} %"
        );
    }
    // The text size is remembered; after the largest comes the first.
    page.open("?view=positions&model=minilm-l6")?;
    page.wait_until("document.documentElement.dataset.text === '150'")?;
    page.click(".text-size")?;
    page.wait_until("document.documentElement.dataset.text === '100'")
        .map(drop)
}

fn the_papers_models_are_a_list(page: &Page) -> Result {
    page.open("?model=minilm-l6")?;
    page.click("#gallery-button")?;
    page.wait_until("document.activeElement.id === 'gallery-title'")?;
    page.has_no_barriers("the gallery")?;
    const SAID: &str = "document.querySelector('.paper-models > button').textContent";
    let fetches = |what: &str| page.wait_until(&format!("{SAID} === '{what}'")).map(drop);
    let mark = |group: usize| {
        page.script(
            "document.querySelectorAll('.paper-models legend input')[arguments[0]].click()",
            vec![json!(group)],
        )
    };
    fetches("Fetch 4 models, 3.7 MB")?;
    // Models of two figures are fetched once: two of the eight in Figure 5 are also in Figure 1.
    mark(2)?;
    fetches("Fetch 10 models, 5.2 MB")?;
    mark(2)?;
    fetches("Fetch 2 models, 3.2 MB")?;
    mark(0)?;
    mark(0)?;
    fetches("Fetch")?;
    page.wait_until(
        "document.querySelector('.paper-models > button').getAttribute('aria-disabled') === 'true'",
    )?;
    page.click(".gallery header button")?;
    page.wait_until(
        "!document.querySelector('.gallery') && document.activeElement.id === 'gallery-button'",
    )?;
    Ok(())
}

fn a_phone_scrolls_one_way(page: &Page) -> Result {
    page.resize(390, 844)?;
    in_every_view(page, |_, view| {
        // Not innerWidth: a phone zooms out until wide content fits.
        let wide = page.eval(
            "(() => { const width = document.documentElement.clientWidth;\
               return document.documentElement.scrollWidth <= width ? [] : [...document.querySelectorAll('body *')]\
               .filter(e => e.getBoundingClientRect().right > width + 1).map(e => e.outerHTML.slice(0, 80)).slice(0, 5); })()",
        )?;
        assert_eq!(wide, json!([]), "wider than the window in {view}");
        page.wait_until(
            "(() => { const row = document.querySelector('.top nav').getBoundingClientRect(),\
               link = document.querySelector('.top nav a[aria-current]').getBoundingClientRect();\
               return link.left >= row.left - 1 && link.right <= row.right + 1; })()",
        )
        .map(drop)
    })
}
