//! The view of waves: its numbers are the golden ones, its verdicts are true, and what is chosen stands in the link.

use browser::{Page, Result, in_every_engine};
use std::time::Duration;

use crate::golden::{minilm, near, numbers};

in_every_engine!(
    the_spectrum_holds_its_golden_numbers,
    a_sinusoidal_table_is_told_as_one,
    a_head_turns_as_it_looks,
    heads_are_grouped_by_what_they_do,
    a_link_restores_what_was_chosen
);

/// Longer than all heads of the preset take.
const SOON: Duration = Duration::from_secs(30);

fn caption(page: &Page, id: &str) -> Result<String> {
    page.text(&format!("{} .caption", browser::page::figure(id)))
}

fn the_spectrum_holds_its_golden_numbers(page: &Page) -> Result {
    let golden = minilm()?;
    let golden = &golden["table"];
    page.open("?view=waves&model=minilm-l6")?;
    page.model("minilm-l6")?;
    page.figure("spectrum")?;
    let spectrum = page.csv("spectrum")?;
    for (column, golden) in [
        ("mean", &golden["spectrum_mean"]),
        ("quartile_low", &golden["spectrum_quartiles"][0]),
        ("quartile_high", &golden["spectrum_quartiles"][1]),
    ] {
        let found = spectrum.numbers(column)?;
        assert_eq!(found.len(), 257);
        for (f, (found, golden)) in found.into_iter().zip(numbers(golden)).enumerate() {
            // The table that is seen first has half the digits.
            near(&format!("{column} at {f}"), found, golden, 2e-3)?;
        }
    }
    page.figure("components")?;
    let cumulative = page.csv("components")?.numbers("cumulative")?;
    for (found, golden) in cumulative
        .into_iter()
        .zip(numbers(&golden["pca_cumulative"]))
    {
        near("cumulative share", found, golden, 1e-4)?;
    }
    page.figure("sinusoid-test")?;
    let said = caption(page, "sinusoid-test")?;
    assert!(
        said.starts_with("Learned, and made of a few waves."),
        "{said}"
    );
    Ok(())
}

fn a_sinusoidal_table_is_told_as_one(page: &Page) -> Result {
    page.open("?view=waves&model=sinusoidal")?;
    page.figure("sinusoid-test")?;
    let said = caption(page, "sinusoid-test")?;
    assert!(
        said.starts_with("Sinusoidal: this is the computed table"),
        "{said}"
    );
    let distances = page.csv("sinusoid-test")?.numbers("distance")?;
    assert!(distances[0] < 1e-3 && distances[2] > 0.02, "{distances:?}");
    // It has no heads, and says so in place of their figures.
    page.wait_until("document.querySelector('.waves .nothing')?.textContent.includes('no heads')")?;
    page.wait_until("!document.querySelector(\"figure[data-figure='head-waves']\")")?;
    Ok(())
}

fn a_head_turns_as_it_looks(page: &Page) -> Result {
    page.open("?view=waves&model=minilm-l6&layer=1&head=3")?;
    page.model("minilm-l6")?;
    page.figure("head-rotation")?;
    let said = caption(page, "head-rotation")?;
    assert!(
        said.contains("Δ = 0.9") && said.contains("The profile peaks at k = −1."),
        "{said}"
    );
    page.figure("head-cross-correlation")?;
    let table = page.csv("head-cross-correlation")?;
    let (component, offset) = (table.numbers("component")?, table.numbers("offset")?);
    let correlation = table.numbers("correlation")?;
    let first: Vec<usize> = (0..component.len())
        .filter(|at| component[*at] == 1.0)
        .collect();
    let peak = first
        .into_iter()
        .max_by(|a, b| correlation[*a].total_cmp(&correlation[*b]));
    assert_eq!(peak.map(|at| offset[at]), Some(-1.0));
    // The sums are those of the scores, and the page says how nearly.
    page.figure("head-cross-covariance")?;
    let said = caption(page, "head-cross-covariance")?;
    assert!(said.contains("Here both sides agree to"), "{said}");
    let first = page.csv("head-cross-covariance")?.numbers("sum")?;
    // Another head, by the list.
    let painted = page.painted_at("head-waves")?;
    page.script(
        "const list = [...document.querySelectorAll('.waves select')][1]; list.selectedIndex = 8; list.dispatchEvent(new Event('change', { bubbles: true }))",
        vec![],
    )?;
    page.painted_since("head-waves", painted)?;
    page.wait_until("location.search.includes('head=9')")?;
    page.computed(SOON)?;
    assert_ne!(page.csv("head-cross-covariance")?.numbers("sum")?, first);
    Ok(())
}

fn heads_are_grouped_by_what_they_do(page: &Page) -> Result {
    page.open("?view=waves&model=minilm-l6&groups=6")?;
    page.model("minilm-l6")?;
    page.computed(SOON)?;
    page.figure("head-clusters")?;
    let grid = page.csv("head-clusters")?;
    assert_eq!(grid.columns, ["layer", "head", "cluster", "name"]);
    assert_eq!(grid.rows.len(), 72);
    let third = &grid.rows[2];
    assert_eq!((&*third[0], &*third[1], &*third[3]), ("1", "3", "previous"));
    let spectrum = page.csv("layer-spectrum")?;
    assert_eq!(spectrum.columns, ["layer", "part", "frequency", "maximum"]);
    assert_eq!(spectrum.rows.len(), 6 * 2 * 257);
    Ok(())
}

fn a_link_restores_what_was_chosen(page: &Page) -> Result {
    page.open(
        "?view=waves&model=minilm-l6&columns=random.7&frequencies=all&groups=4&wave-seed=9&wave-part=key",
    )?;
    page.model("minilm-l6")?;
    page.computed(SOON)?;
    page.figure("columns")?;
    let columns = page.csv("columns")?.columns;
    assert_eq!(columns.len(), 4, "{columns:?}");
    let said = caption(page, "head-clusters")?;
    assert!(said.contains("seed 9"), "{said}");
    // Others, and the link says which.
    let painted = page.painted_at("columns")?;
    page.click_named("Others")?;
    page.painted_since("columns", painted)?;
    page.wait_until("location.search.includes('columns=random.8')")?;
    page.wait_until(
        "location.search.includes('wave-seed=9') && location.search.includes('wave-part=key')",
    )?;
    Ok(())
}
