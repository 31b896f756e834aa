//! Words in the heads view: terms of scores, attention for random words, R² of what softmax sees.

use browser::{Page, Result, scenarios};
use std::path::Path;

use crate::checkpoints::files;
use crate::golden::near;

scenarios! {
    in_chromium: [
        a_term_is_switched_off_and_the_link_keeps_it,
        a_term_of_the_formula_points_at_its_map,
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

fn a_term_of_the_formula_points_at_its_map(page: &Page) -> Result {
    const OUTLINE: &str = "document.querySelector('#score-terms .term-outline')";
    const POINTED: &str =
        "document.querySelector('#score-terms .formula [data-pointed]')?.dataset.term";
    page.open(TERMS)?;
    page.figure("score-terms")?;
    assert_eq!(page.eval(&format!("Boolean({OUTLINE})"))?, false);
    page.point("#score-terms .formula [data-term=pp]", 0.5, 0.5)?;
    page.wait_until(&format!("{OUTLINE} && {POINTED} === 'pp'"))?;
    // The other way round: the first map is that of words alone.
    page.point("#score-terms .figure-view", 0.08, 0.15)?;
    page.wait_until(&format!(
        "{POINTED} === 'cc' && parseFloat({OUTLINE}.style.left) === 0 && parseFloat({OUTLINE}.style.top) === 0"
    ))?;
    page.point("#score-terms h2", 0.5, 0.5)?;
    page.wait_until(&format!("!{OUTLINE} && !{POINTED}"))?;
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
