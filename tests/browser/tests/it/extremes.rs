//! Unusual tables: very wide, very large, constant. The page shows their numbers or says why there are none.

use std::path::Path;
use std::time::Duration;

use browser::test_files::{Folder, noise, table, toeplitz_r2};
use browser::{Page, Result, scenarios};
use serde_json::json;

scenarios! {
    in_chromium: [
        a_wide_table_never_wears_another_models_numbers,
        a_table_wider_than_long_is_compared_by_rows,
        numbers_near_the_largest_are_no_perfect_score,
        a_constant_table_has_no_autocorrelation,
    ],
}

const HEADLINE: &str = "(document.querySelector(\"[data-r2='whole']\")?.textContent ?? '').trim()";
const CURRENT: &str = "(document.querySelector('[data-model][aria-current]')?.dataset.model ?? '')";

/// Opens a file after the preset; the numbers of the two differ.
fn open_after_the_preset(page: &Page, file: &Path) -> Result {
    page.open("?view=positions&model=minilm-l6")?;
    page.table_r2(0.4742, 2e-4)?;
    // Checks every frame, so that a mixture of both models is found even if it is brief.
    page.script(
        &format!(
            "window.mixed = [];\
             const look = () => {{ const name = {CURRENT}, r2 = {HEADLINE};\
               if (name && name !== 'minilm-l6' && r2 === '0.4742') mixed.push([name, r2]);\
               requestAnimationFrame(look); }}; look()"
        ),
        Vec::new(),
    )?;
    page.open_files(&[file])
}

fn a_wide_table_never_wears_another_models_numbers(page: &Page) -> Result {
    let folder = Folder::new(&format!("wide-{}", page.engine.name()))?;
    let file = folder.write(
        "wide.safetensors",
        &table(2, 1_000_000, |row, column| noise(row, column) as f32),
    )?;
    open_after_the_preset(page, &file)?;
    // It opens, or is refused with a message and the open model stays open.
    page.wait_until_within(
        &format!("{CURRENT} === 'wide' || [...document.querySelectorAll('[role=alert]')].some(e => !e.hidden)"),
        Duration::from_secs(60),
    )?;
    page.computed(Duration::from_secs(60))?;
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(page.eval("mixed.slice(0, 3)")?, json!([]));
    // The page can still switch between the two models.
    page.choose("minilm-l6")?;
    page.table_r2(0.4742, 2e-4)
}

fn a_table_wider_than_long_is_compared_by_rows(page: &Page) -> Result {
    const ROWS: usize = 512;
    const WIDTH: usize = 16_384;
    const KINDS: usize = 8;
    // Every eighth column is the same: the inner products are those of a table of eight columns, times the number of
    // repetitions.
    let narrow = |row: usize, column: usize| {
        let wave = (row as f64 * 0.05 * (column + 1) as f64).sin();
        wave + 0.5 * noise(row, column)
    };
    let folder = Folder::new(&format!("wider-{}", page.engine.name()))?;
    let file = folder.write(
        "wider.safetensors",
        &table(ROWS, WIDTH, |row, column| {
            narrow(row, column % KINDS) as f32
        }),
    )?;
    open_after_the_preset(page, &file)?;
    page.wait_until_within(&format!("{CURRENT} === 'wider'"), Duration::from_secs(60))?;
    let expected = toeplitz_r2(ROWS, KINDS, |row, column| {
        f64::from(narrow(row, column) as f32)
    });
    page.wait_until_within(
        &format!("Math.abs(parseFloat({HEADLINE}) - {expected}) <= 1e-4"),
        Duration::from_secs(60),
    )?;
    for figure in ["position-matrix", "offset-profile", "position-table"] {
        page.figure(figure)?;
    }
    page.computed(Duration::from_secs(60))?;
    assert_eq!(page.eval("mixed.slice(0, 3)")?, json!([]));
    Ok(())
}

fn numbers_near_the_largest_are_no_perfect_score(page: &Page) -> Result {
    const SIZE: (usize, usize) = (64, 8);
    let expected = toeplitz_r2(SIZE.0, SIZE.1, noise);
    assert!(expected < 0.9, "the table is to be far from Toeplitz");
    let folder = Folder::new(&format!("large-{}", page.engine.name()))?;
    let file = folder.write(
        "large.safetensors",
        &table(SIZE.0, SIZE.1, |row, column| {
            (3e38 * noise(row, column)) as f32
        }),
    )?;
    open_after_the_preset(page, &file)?;
    page.model("large")?;
    page.computed(Duration::from_secs(30))?;
    page.wait_until(&format!("{HEADLINE} !== ''"))?;
    let headline = page.eval(HEADLINE)?;
    let headline = headline.as_str().unwrap_or_default();
    match headline.parse::<f64>() {
        Ok(r2) if r2.is_finite() => crate::golden::near("R²", r2, expected, 1e-3)?,
        _ => {
            let text = page.eval("document.body.innerText.toLowerCase()")?;
            let text = text.as_str().unwrap_or_default();
            assert!(text.contains("not a number"), "{headline} without a reason");
        }
    }
    // No score is perfect.
    let scores = page.csv("toeplitz-scores")?.numbers("r2")?;
    assert!(
        scores.iter().all(|r2| r2.is_nan() || *r2 < 0.999),
        "{scores:?}"
    );
    assert_eq!(page.eval("mixed.slice(0, 3)")?, json!([]));
    Ok(())
}

fn a_constant_table_has_no_autocorrelation(page: &Page) -> Result {
    const SAID: &str =
        "(document.querySelector(\"figure[data-figure='autocorrelation']\")?.innerText ?? '')";
    let folder = Folder::new(&format!("constant-{}", page.engine.name()))?;
    for (name, value) in [("constant", 0.5), ("zero", 0.0)] {
        let file = folder.write(&format!("{name}.safetensors"), &table(48, 16, |_, _| value))?;
        open_after_the_preset(page, &file)?;
        page.model(name)?;
        page.computed(Duration::from_secs(15))
            .map_err(|error| format!("{name}: {error}"))?;
        page.wait_until(&format!("{SAID} !== ''"))?;
        // A text in place of a curve.
        let drawn = page.eval("document.querySelector(\"figure[data-figure='autocorrelation']\").dataset.state === 'ready'")?;
        let waiting = page.eval("document.querySelector(\"figure[data-figure='autocorrelation'] .waiting\")?.innerText ?? ''")?;
        let words = waiting
            .as_str()
            .unwrap_or_default()
            .split_whitespace()
            .count();
        assert!(drawn == json!(true) || words > 3, "{name}: {waiting}");
        assert_eq!(page.eval("mixed.slice(0, 3)")?, json!([]), "{name}");
    }
    Ok(())
}
