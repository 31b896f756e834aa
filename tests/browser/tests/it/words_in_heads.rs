//! Words in the heads view: terms of scores, attention for random words, R² of what softmax sees.

use browser::session::key;
use browser::{Page, Result, scenarios};
use serde_json::json;
use std::path::Path;

use crate::checkpoints::files;
use crate::golden::near;

scenarios! {
    in_chromium: [
        a_term_is_switched_off_and_the_link_keeps_it,
        a_term_of_the_formula_points_at_its_map,
        keys_go_through_the_terms_of_the_formula,
        keys_go_through_the_maps_of_the_terms,
        terms_of_equations_9_to_12_lead_to_their_maps,
        heads_are_ranked_by_what_softmax_sees,
        random_words_lower_the_share_of_an_offset,
        a_layer_is_a_convolution_along_its_positions,
        models_without_words_or_terms_say_so,
    ],
}

const TERMS: &str =
    "?view=heads&model=minilm-l6&mode=computed&layer=1&head=6&more=word-and-position";

/// Values of a column of a figure's table.
fn column(page: &Page, figure: &str, name: &str) -> Result<Vec<f64>> {
    page.csv(figure)?.numbers(name)
}

/// Value of a column of a figure's table at an offset.
fn at_offset(page: &Page, figure: &str, name: &str, offset: f64) -> Result<f64> {
    let table = page.csv(figure)?;
    let row = table.numbers("offset")?.iter().position(|k| *k == offset);
    let row = row.ok_or("the offset is in the table")?;
    Ok(table.numbers(name)?[row])
}

fn a_term_is_switched_off_and_the_link_keeps_it(page: &Page) -> Result {
    page.open(TERMS)?;
    page.figure("score-terms")?;
    let shares = column(page, "score-terms", "share")?;
    near("the sum of shares", shares.iter().sum(), 1.0, 1e-6)?;
    let before = page.painted_at("score-terms")?;
    page.click_named("rest")?;
    page.wait_until("new URLSearchParams(location.search).get('terms') === 'cc.cp.pc.pp'")?;
    page.painted_since("score-terms", before)?;
    page.wait_until("document.querySelector('#score-terms [aria-pressed=\"false\"]')?.textContent.trim() === 'rest'")?;
    Ok(())
}

/// Outline of a map of the terms.
const OUTLINE: &str = "document.querySelector('#score-terms .term-outline')";
/// Key of the highlighted term in the formula of the terms.
const HIGHLIGHTED_KEY: &str =
    "document.querySelector('#score-terms .formula [data-highlighted]')?.dataset.term";

/// Waits until a term and its map are highlighted.
fn highlights(page: &Page, key: &str) -> Result {
    page.wait_until(&format!("{OUTLINE} && {HIGHLIGHTED_KEY} === '{key}'"))
        .map_err(|error| format!("{key}: {error}"))?;
    Ok(())
}

/// Waits until no term is highlighted.
fn highlights_nothing(page: &Page) -> Result {
    page.wait_until(&format!("!{OUTLINE} && !{HIGHLIGHTED_KEY}"))?;
    Ok(())
}

/// Moves the focus without scrolling, so that nothing comes under the pointer.
fn focus(page: &Page, css: &str) -> Result {
    page.script(
        "document.querySelector(arguments[0]).focus({ preventScroll: true })",
        vec![json!(css)],
    )?;
    Ok(())
}

fn a_term_of_the_formula_points_at_its_map(page: &Page) -> Result {
    page.open(TERMS)?;
    page.figure("score-terms")?;
    assert_eq!(page.eval(&format!("Boolean({OUTLINE})"))?, false);
    page.point("#score-terms .formula [data-term=pp]", 0.5, 0.5)?;
    highlights(page, "pp")?;
    // The other way round: the first map is that of words alone.
    page.point("#score-terms .figure-view", 0.08, 0.15)?;
    page.wait_until(&format!(
        "{HIGHLIGHTED_KEY} === 'cc' && parseFloat({OUTLINE}.style.left) === 0 && parseFloat({OUTLINE}.style.top) === 0"
    ))?;
    page.point("#score-terms h2", 0.5, 0.5)?;
    highlights_nothing(page)?;
    page.met_no_error()
}

fn keys_go_through_the_terms_of_the_formula(page: &Page) -> Result {
    const FOCUSED_KEY: &str = "document.activeElement?.dataset.term";
    page.open(TERMS)?;
    page.figure("score-terms")?;
    page.point("#score-terms h2", 0.5, 0.5)?;
    // One of the terms is in the tab order, and all have names.
    const STOPS: &str =
        "[...document.querySelectorAll('#score-terms .formula-term')].map(e => e.tabIndex)";
    assert_eq!(page.eval(STOPS)?, json!([0, -1, -1, -1, -1]));
    let name = "document.querySelector('#score-terms button[data-term=pp]').textContent.replace(/\\s/g, '')";
    assert_eq!(page.eval(name)?, json!("EMETposition–position"));
    focus(page, "#score-terms .formula-term")?;
    highlights(page, "sum")?;
    page.keys(&[key::RIGHT, key::RIGHT])?;
    highlights(page, "cp")?;
    assert_eq!(page.eval(FOCUSED_KEY)?, json!("cp"));
    page.wait_until(&format!("String({STOPS}) === '-1,-1,0,-1,-1'"))?;
    page.has_no_barriers("a highlighted term")?;
    page.dark(true)?;
    page.has_no_barriers("a highlighted term, dark")?;
    page.dark(false)?;
    page.keys(&[key::LEFT])?;
    highlights(page, "cc")?;
    // Escape removes the highlight, and the focus stays.
    page.keys(&[key::ESCAPE])?;
    highlights_nothing(page)?;
    assert_eq!(page.eval(FOCUSED_KEY)?, json!("cc"));
    // The last term is an end.
    page.keys(&[key::RIGHT, key::RIGHT, key::RIGHT, key::RIGHT])?;
    highlights(page, "pp")?;
    page.script("document.activeElement.blur()", vec![])?;
    highlights_nothing(page)?;
    page.met_no_error()
}

fn keys_go_through_the_maps_of_the_terms(page: &Page) -> Result {
    page.open(TERMS)?;
    page.figure("score-terms")?;
    page.point("#score-terms h2", 0.5, 0.5)?;
    // After the press of a key, focus that a script moves counts as that of the keyboard.
    page.keys(&['x'])?;
    focus(page, "#score-terms .figure-view")?;
    highlights(page, "cc")?;
    page.keys(&['t', 't'])?;
    highlights(page, "pc")?;
    page.wait_until(
        "document.querySelector('#score-terms .announcement').textContent === 'position–content'",
    )?;
    page.chord(&[key::SHIFT], 't')?;
    highlights(page, "cp")?;
    // The cursor moves in all maps, and the map stays.
    page.keys(&[key::RIGHT])?;
    page.wait_until("location.search.includes('pin=')")?;
    highlights(page, "cp")?;
    page.keys(&[key::ESCAPE])?;
    highlights_nothing(page)?;
    page.wait_until("!location.search.includes('pin=')")?;
    page.keys(&['t'])?;
    highlights(page, "cc")?;
    page.script("document.activeElement.blur()", vec![])?;
    highlights_nothing(page)?;
    page.met_no_error()
}

fn terms_of_equations_9_to_12_lead_to_their_maps(page: &Page) -> Result {
    const IN_GRID: &str =
        "document.querySelector('#head-grid .formula [data-highlighted]')?.dataset.term";
    const TERM: &str = "#head-grid .formula [data-term=pc]";
    page.open("?view=heads&model=minilm-l6&mode=paper&layer=1&head=6")?;
    page.figure("head-grid")?;
    let terms =
        "[...document.querySelectorAll('#head-grid .formula-term')].map(e => e.dataset.term)";
    assert_eq!(page.eval(terms)?, json!(["pp", "pc", "cp"]));
    // The maps are folded: the term alone is highlighted, and a press unfolds them.
    page.point(TERM, 0.5, 0.5)?;
    page.wait_until(&format!("{IN_GRID} === 'pc'"))?;
    assert_eq!(page.eval(&format!("Boolean({OUTLINE})"))?, json!(false));
    page.click(TERM)?;
    page.wait_until("location.search.includes('more=word-and-position')")?;
    page.figure("score-terms")?;
    page.point("#head-grid h2", 0.5, 0.5)?;
    page.point(TERM, 0.5, 0.5)?;
    highlights(page, "pc")?;
    // The other way round: the third map is that of position and content, the first is no term of F̂_P.
    page.script("document.activeElement.blur()", vec![])?;
    page.point("#score-terms h2", 0.5, 0.5)?;
    page.keys(&['x'])?;
    focus(page, "#score-terms .figure-view")?;
    highlights(page, "cc")?;
    page.wait_until(&format!("!{IN_GRID}"))?;
    page.keys(&['t', 't'])?;
    highlights(page, "pc")?;
    page.wait_until(&format!("{IN_GRID} === 'pc'"))?;
    page.met_no_error()
}

fn heads_are_ranked_by_what_softmax_sees(page: &Page) -> Result {
    page.open("?view=heads&model=minilm-l6&layer=1&head=10&r2=centred&sort=r2")?;
    page.figure("head-grid")?;
    page.wait_until("document.querySelector('[data-head=\"1-10\"]')?.getAttribute('aria-label').includes('0.634')")?;
    // In the order of the grid, not of the table.
    page.click_named("weighted by attention")?;
    page.wait_until("new URLSearchParams(location.search).get('r2') === 'attention'")?;
    page.wait_until("document.querySelector('[data-head=\"1-10\"]')?.getAttribute('aria-label').includes('0.658')")?;
    let weighted = page.csv("head-grid")?;
    let of_head = weighted.numbers("r2_attention")?;
    assert_eq!(of_head.len(), 72);
    assert!(
        of_head.iter().all(|r2| (0.0..=1.0).contains(r2)),
        "{of_head:?}"
    );
    Ok(())
}

fn random_words_lower_the_share_of_an_offset(page: &Page) -> Result {
    page.open("?view=heads&model=minilm-l6-whole&mode=computed&layer=1&head=6")?;
    page.figure("position-dependence")?;
    page.wait_until(
        "document.querySelector('#position-dependence')?.textContent.includes('20 draws')",
    )?;
    let mean = at_offset(page, "position-dependence", "mean_word", -1.0)?;
    let random = at_offset(page, "position-dependence", "random_words", -1.0)?;
    // The shares that an audit of the sources found, with five draws.
    near("with the mean word", mean, 0.74, 0.01)?;
    near("with random words", random, 0.24, 0.02)
}

fn a_layer_is_a_convolution_along_its_positions(page: &Page) -> Result {
    page.open("?view=images&model=minilm-l6-whole&layer=1&more=text-convolutions")?;
    page.figure("layer-convolution")?;
    // From an independent program: 3.80, 0.85, 0.72, 0.69 and 0.53.
    for (offset, norm) in [
        (-1.0, 3.80),
        (-2.0, 0.85),
        (0.0, 0.72),
        (1.0, 0.69),
        (2.0, 0.53),
    ] {
        let found = at_offset(page, "layer-convolution", "norm", offset)?;
        near(&format!("the tap at {offset}"), found, norm, 0.02)?;
    }
    Ok(())
}

fn models_without_words_or_terms_say_so(page: &Page) -> Result {
    // The preset has the mean of its words alone.
    page.open(
        "?view=heads&model=minilm-l6&layer=1&head=1&more=word-and-position&term-words=random",
    )?;
    page.wait_until("document.querySelector('#score-terms')?.textContent.includes('no table of token embeddings')")?;
    page.open("?view=heads")?;
    let paths = files("t5")?;
    let paths: Vec<&Path> = paths.iter().map(AsRef::as_ref).collect();
    page.open_files(&paths)?;
    page.wait_until("!document.querySelector('#word-and-position')")?;
    page.figure("position-dependence")?;
    Ok(())
}
