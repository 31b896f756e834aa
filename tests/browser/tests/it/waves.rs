//! The view of waves: its numbers equal the golden ones, its statements are true, and its options are in the link.

use browser::session::key;
use browser::{Page, Result, scenarios};
use serde_json::json;
use std::time::Duration;

use crate::golden::{minilm, near, numbers};

scenarios! {
    in_every_engine: [
        the_path_turns_in_space,
    ],
    in_chromium: [
        the_spectrum_holds_its_golden_numbers,
        a_sinusoidal_table_is_told_as_one,
        a_head_turns_as_it_looks,
        heads_are_grouped_by_what_they_do,
        a_link_restores_what_was_chosen,
        columns_are_typed,
        one_message_replaces_the_view_without_a_table,
        a_link_unfolds_what_it_names,
        a_head_is_made_to_look_further_and_saved,
    ],
}

/// Longer than all heads of the preset take.
const SOON: Duration = Duration::from_secs(30);

fn caption(page: &Page, id: &str) -> Result<String> {
    page.text(&format!("{} .caption", browser::page::figure(id)))
}

fn the_spectrum_holds_its_golden_numbers(page: &Page) -> Result {
    let golden = minilm()?;
    let golden = &golden["table"];
    page.open("?view=waves&model=minilm-l6&more=table-waves")?;
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
            // The table file of the preset has half the digits.
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
    let text = caption(page, "sinusoid-test")?;
    assert!(
        text.starts_with("This table was learned and consists mostly of a few waves."),
        "{text}"
    );
    Ok(())
}

fn a_sinusoidal_table_is_told_as_one(page: &Page) -> Result {
    page.open("?view=waves&model=sinusoidal")?;
    page.figure("sinusoid-test")?;
    let text = caption(page, "sinusoid-test")?;
    assert!(text.starts_with("This table is sinusoidal"), "{text}");
    let distances = page.csv("sinusoid-test")?.numbers("distance")?;
    assert!(distances[0] < 1e-3 && distances[2] > 0.02, "{distances:?}");
    // The model has no heads; a sentence replaces their figures.
    page.wait_until("document.querySelector('.waves .nothing')?.textContent.includes('no heads')")?;
    page.wait_until("!document.querySelector(\"figure[data-figure='head-waves']\")")?;
    Ok(())
}

fn a_head_turns_as_it_looks(page: &Page) -> Result {
    page.open("?view=waves&model=minilm-l6&layer=1&head=3")?;
    page.model("minilm-l6")?;
    page.figure("head-rotation")?;
    let text = caption(page, "head-rotation")?;
    assert!(
        text.contains("Δ = 0.9") && text.contains("The profile peaks at k = −1."),
        "{text}"
    );
    // The sentence about omitted columns appears once, at the top.
    let caveats = "[...document.querySelectorAll('.waves .caption')].filter(e => /with real text|[Ii]n a text/.test(e.textContent)).length";
    assert_eq!(page.eval(caveats)?, json!(1));
    // Further figures are computed once they are unfolded.
    assert_eq!(
        page.eval("document.querySelectorAll('.more[open]').length")?,
        json!(0)
    );
    page.click("#head-correlations > summary")?;
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
    // The sums equal those of the scores, and the page states the tolerance.
    page.figure("head-cross-covariance")?;
    let text = caption(page, "head-cross-covariance")?;
    assert!(text.contains("Both sides agree to"), "{text}");
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
    assert_eq!(grid.columns[..4], ["layer", "head", "cluster", "name"]);
    assert_eq!(grid.rows.len(), 72);
    let third = &grid.rows[2];
    assert_eq!((&*third[0], &*third[1], &*third[3]), ("1", "3", "previous"));
    // Every group attends somewhere more than the same heads with random keys do.
    page.wait_until(
        "document.querySelector(\"figure[data-figure='cluster-traces'] .caption\")?.textContent.includes('Every group has a peak above its shade')",
    )?;
    let traces = page.csv("cluster-traces")?;
    let (found, random) = (
        traces.numbers("explained")?,
        traces.numbers("chance_explained_high")?,
    );
    assert!(found[0] > random[0], "{found:?} {random:?}");
    page.click("#layer-waves > summary")?;
    page.computed(SOON)?;
    let spectrum = page.csv("layer-spectrum")?;
    assert_eq!(spectrum.columns, ["layer", "part", "frequency", "maximum"]);
    // The table's own row is above those of the layers.
    assert_eq!(spectrum.rows.len(), (1 + 6 * 2) * 257);
    assert_eq!(spectrum.rows[0][..3], ["0", "table", "0"]);
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
    let text = caption(page, "head-clusters")?;
    assert!(text.contains("seed 9"), "{text}");
    // Other columns, and the link names them.
    let painted = page.painted_at("columns")?;
    page.click_named("Others")?;
    page.painted_since("columns", painted)?;
    page.wait_until("location.search.includes('columns=random.8')")?;
    page.wait_until(
        "location.search.includes('wave-seed=9') && location.search.includes('wave-part=key')",
    )?;
    Ok(())
}

fn columns_are_typed(page: &Page) -> Result {
    const FIELD: &str = "input[aria-label='Columns by number']";
    page.open("?view=waves&model=minilm-l6")?;
    page.model("minilm-l6")?;
    page.computed(SOON)?;
    page.click_named("by number")?;
    // The field starts with the columns in the figure.
    page.wait_until(&format!(
        "document.querySelector(\"{FIELD}\")?.value.split(', ').length === 3"
    ))?;
    page.fill(FIELD, "3, 17 200")?;
    page.wait_until("location.search.includes('columns=3.17.200')")?;
    page.computed(SOON)?;
    assert_eq!(
        page.csv("columns")?.columns,
        ["position", "dimension_3", "dimension_17", "dimension_200"]
    );
    // Invalid input stays in the field, with a message; nothing else changes.
    page.fill(FIELD, "3, 999")?;
    let hint = "document.querySelector('.columns-by-number .allowed').textContent";
    page.wait_until(&format!("{hint}.startsWith('There is no column 999')"))?;
    let invalid = page.attribute(FIELD, "aria-invalid")?;
    assert_eq!(invalid.as_deref(), Some("true"));
    assert_eq!(
        page.eval("location.search.includes('columns=3.17.200')")?,
        json!(true)
    );
    Ok(())
}

fn the_path_turns_in_space(page: &Page) -> Result {
    page.open("?view=waves&model=minilm-l6&plane=space&seen-from=10:20")?;
    page.model("minilm-l6")?;
    page.figure("component-path")?;
    assert_eq!(
        page.csv("component-path")?.columns,
        ["position", "x", "y", "z"]
    );
    // By keys, on the slider.
    let painted = page.painted_at("component-path")?;
    let body =
        "document.querySelector(\"input[aria-label='rotation of the path in degrees']\").focus()";
    page.script(body, vec![])?;
    page.keys(&[key::RIGHT])?;
    page.painted_since("component-path", painted)?;
    page.wait_until("location.search.includes('seen-from=11:20')")?;
    // By dragging.
    page.drag("#component-path .figure-view", (0.5, 0.5), (0.6, 0.45))?;
    let seen_from = "(([turn, tilt]) => turn > 11 && tilt < 20)(/seen-from=([-0-9]+):([-0-9]+)/.exec(location.search).slice(1))";
    page.wait_until(seen_from)?;
    Ok(())
}

fn one_message_replaces_the_view_without_a_table(page: &Page) -> Result {
    page.open("?view=waves&model=sinusoidal")?;
    page.figure("sinusoid-test")?;
    crate::checkpoints::open(page, "t5")?;
    page.wait_until(
        "/no position table/.test(document.querySelector('#main .nothing')?.textContent)",
    )?;
    assert_eq!(
        page.eval("document.querySelectorAll('#main figure').length")?,
        json!(0)
    );
    page.click_named("Show minilm-l6")?;
    page.figure("sinusoid-test")?;
    Ok(())
}

fn a_link_unfolds_what_it_names(page: &Page) -> Result {
    for (named, figures, folds) in [
        ("", &["sinusoid-test", "spectrum", "columns"][..], 0),
        ("&numbers=components", &["components"], 1),
        ("&guides=layer-spectrum", &["layer-spectrum"], 1),
        (
            "&embed=head-cross-covariance",
            &["head-cross-covariance"],
            1,
        ),
    ] {
        page.open(&format!("?view=waves&model=minilm-l6{named}"))?;
        page.model("minilm-l6")?;
        for figure in figures {
            page.figure(figure)?;
        }
        let open = page.eval("document.querySelectorAll('.more[open]').length")?;
        assert_eq!(open, json!(folds), "{named}");
    }
    // A section that is folded again stays folded in the link.
    page.open("?view=waves&model=minilm-l6&numbers=components&more=table-waves")?;
    page.figure("components")?;
    page.click("#table-waves > summary")?;
    page.wait_until(
        "!document.querySelector('#components') && !/components|table-waves/.test(location.search)",
    )?;
    Ok(())
}

/// The saved file has one tensor, under the name and in the shape that the model's file has.
fn a_head_is_made_to_look_further_and_saved(page: &Page) -> Result {
    page.open("?view=waves&model=minilm-l6&layer=1&head=3&more=head-correlations&retarget=1")?;
    page.figure("retarget-head")?;
    let peaks = |page: &Page| -> Result<(f64, f64)> {
        let table = page.csv("retarget-head")?;
        Ok((
            table.numbers("peak_before")?[0],
            table.numbers("peak_after")?[0],
        ))
    };
    assert_eq!(peaks(page)?, (-1.0, 0.0));
    let painted = page.painted_at("retarget-head")?;
    page.eval("document.querySelector('#retarget-head input[type=range]').focus()")?;
    page.keys(&[key::RIGHT])?;
    page.wait_until("new URLSearchParams(location.search).get('retarget') === '2'")?;
    page.painted_since("retarget-head", painted)?;
    assert_eq!(peaks(page)?, (-1.0, 1.0));
    page.click_named("Save W_K as safetensors")?;
    let file = page.next_download()?;
    assert_eq!(file.name, "layer-1-head-3-shift-2.safetensors");
    let (length, rest) = file.bytes.split_at(8);
    let length = usize::try_from(u64::from_le_bytes(length.try_into()?))?;
    let header: serde_json::Value = serde_json::from_slice(&rest[..length])?;
    let tensor = &header["encoder.layer.0.attention.self.key.weight"];
    assert_eq!(tensor["shape"], json!([384, 384]), "{header}");
    assert_eq!(rest.len() - length, 4 * 384 * 384);
    page.met_no_error()
}
