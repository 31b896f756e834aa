//! Runs that ship with the page: loaded, scrubbed, shown in other views, and missing.

use super::training::{SOON, row, row_says};
use browser::{
    Page, Result, scenarios,
    session::key,
    worker_changes::{Worker, with_script},
};
use diagonal::training::RECORD_FILE;
use xtask::faults::Fault;

scenarios! {
    in_chromium: [
        the_view_begins_with_a_run_that_ships,
        a_link_to_any_step_loads_every_snapshot,
        a_link_opens_the_model_of_a_run_that_ships,
        a_rotary_run_has_heads,
        a_missing_record_gets_a_sentence,
    ],
}

/// The run with rotary positions that ships.
const ROTARY: &str = "repeat.rotary.m.1.1000";

/// The recipe of a run that ships with the page.
const SHIPPED: &str = "chain.learned.m.1.800";

fn the_view_begins_with_a_run_that_ships(page: &Page) -> Result {
    page.open("?view=training&model=sinusoidal")?;
    row_says(page, SHIPPED, "trained before")?;
    let curves = page.csv("training-curves")?;
    let steps: Vec<f64> = curves.numbers("step")?;
    assert_eq!((steps[0], steps.last()), (0.0, Some(&800.0)));
    let r2 = curves.numbers("r2_off_diagonal")?;
    assert!(r2[0] < 0.1 && r2[r2.len() - 1] > 0.5, "{r2:?}");
    for figure in [
        "training-spectra",
        "training-matrix",
        "training-heads",
        "training-table",
        "training-waves",
        "training-lengths",
    ] {
        page.figure(figure)?;
    }
    // The program that trains is not fetched, and the list of models stays as it was.
    let fetched =
        "performance.getEntriesByType('resource').some(entry => entry.name.includes('trainer'))";
    assert_eq!(page.eval(fetched)?, false);
    let is_listed = format!("Boolean(document.querySelector(\"[data-model='{SHIPPED}']\"))");
    assert_eq!(page.eval(&is_listed)?, false);
    // Scrubbing opens the snapshots in every view.
    page.script(
        "document.querySelector('.transport input[type=range]').focus()",
        Vec::new(),
    )?;
    page.keys(&[key::HOME])?;
    page.wait_until(
        "document.querySelector('#training-heads .summary').textContent.includes('step 0')",
    )?;
    page.wait_until_within(&is_listed, SOON)?;
    // Train replaces the record by a run of this page.
    page.click_named("Train")?;
    page.wait_until_within(
        &format!("{}?.textContent.includes('left')", row(SHIPPED)),
        SOON,
    )?;
    page.click_named("Stop")?;
    row_says(page, SHIPPED, "stopped")?;
    page.met_no_error()
}

/// The steps that figures have do not depend on the step that a link looks at.
fn a_link_to_any_step_loads_every_snapshot(page: &Page) -> Result {
    let mut all: Option<Vec<f64>> = None;
    for step in ["", "&step=0", "&step=96", "&step=384", "&step=800"] {
        page.open(&format!(
            "?view=training&model=sinusoidal&train={SHIPPED}{step}"
        ))?;
        row_says(page, SHIPPED, "trained before")?;
        let steps = page.csv("training-curves")?.numbers("step")?;
        let all = all.get_or_insert_with(|| steps.clone());
        assert_eq!(&steps, all, "{step}");
    }
    Ok(())
}

fn a_link_opens_the_model_of_a_run_that_ships(page: &Page) -> Result {
    page.open(&format!("?view=positions&model=run&run={SHIPPED}"))?;
    page.figure("position-matrix")?;
    let r2 = page.csv("toeplitz-scores")?.numbers("r2")?;
    assert!(r2[0] > 0.5, "{r2:?}");
    page.switch_view("heads")?;
    page.figure("head-grid")?;
    page.met_no_error()
}

/// Heads of a rotary run come from its weights: in the first layer those of the mean token.
fn a_rotary_run_has_heads(page: &Page) -> Result {
    page.open(&format!(
        "?view=heads&model=run&run={ROTARY}&layer=1&head=2"
    ))?;
    for figure in [
        "head-grid",
        "head-profile",
        "position-budget",
        "rotary-frequencies",
    ] {
        page.figure(figure)?;
    }
    let profile = page.csv("head-profile")?;
    let (offsets, means) = (profile.numbers("offset")?, profile.numbers("mean")?);
    let seen = offsets.iter().zip(&means).filter(|(k, _)| **k <= 0.0);
    let peak = seen.max_by(|a, b| a.1.total_cmp(b.1));
    assert_eq!(peak.map(|(k, _)| *k), Some(-1.0));
    let budget = page.csv("position-budget")?.numbers("position")?;
    assert!(budget.len() == 4 && budget[1] > 0.5, "{budget:?}");
    the_map_of_wavelengths_is_read(page)?;
    page.switch_view("positions")?;
    page.figure("rotary-angles")?;
    page.wait_until("document.querySelectorAll('.findings li').length > 0")?;
    // The slider begins where the file stands, and a button brings it back there.
    let wavelengths = || page.csv("rotary-angles")?.numbers("wavelength");
    let before = wavelengths()?;
    page.eval(
        "document.querySelector(\"figure[data-figure='rotary-angles'] input[type=range]\").focus()",
    )?;
    page.keys(&[key::RIGHT])?;
    assert_ne!(wavelengths()?, before);
    page.click_named("As in the file")?;
    assert_eq!(wavelengths()?, before);
    page.met_no_error()
}

/// The map of wavelengths names the pair under the pointer, and the pairs to which arrow keys move.
fn the_map_of_wavelengths_is_read(page: &Page) -> Result {
    const MAP: &str = "figure[data-figure='rotary-frequencies'] .figure-view";
    const READING: &str = ".pair-reading";
    assert!(page.text(READING)?.starts_with("Point at the map"));
    page.point(MAP, 0.5, 0.4)?;
    let reading = "document.querySelector('.pair-reading').textContent";
    page.wait_until(&format!("{reading}.startsWith('Layer ')"))?;
    page.point("#rotary-frequencies h2", 0.5, 0.5)?;
    page.wait_until(&format!("{reading}.startsWith('Point at the map')"))?;
    page.eval(&format!("document.querySelector(\"{MAP}\").focus()"))?;
    page.keys(&[key::RIGHT])?;
    page.wait_until(&format!("{reading}.startsWith('Layer 1, head 1, pair 1:')"))?;
    page.keys(&[key::RIGHT, key::DOWN])?;
    page.wait_until(&format!("{reading}.startsWith('Layer 1, head 2, pair 2:')"))?;
    page.eval(&format!("document.querySelector(\"{MAP}\").blur()"))?;
    page.wait_until(&format!("{reading}.startsWith('Point at the map')"))?;
    page.met_no_error()
}

fn a_missing_record_gets_a_sentence(page: &Page) -> Result {
    let content = with_script(page, Worker::All, "")?;
    let faults = content.faults.clone();
    let site = page.serve_beside(content)?;
    let record = format!("presets/runs/{SHIPPED}/{RECORD_FILE}");
    faults.set([record], Fault::Missing);
    page.goto(&format!("{site}?view=training&model=sinusoidal"))?;
    row_says(page, SHIPPED, "Press Train to train it here")?;
    page.forgive("")
}
