//! Several figures saved as panels of one sheet.

use browser::{Page, Result, scenarios};
use serde_json::json;

scenarios! {
    in_chromium: [
        panels_are_moved_and_removed,
        figures_of_two_views_are_saved_as_one_sheet,
    ],
}

const PANELS: &str = "[...document.querySelectorAll('.sheet-editor li')].map(e => e.querySelector('b').textContent + ' ' + e.querySelector('.name').textContent)";

fn add(page: &Page, id: &str) -> Result {
    page.figure(id)?;
    page.press_in_save_menu(&format!("figure#{id}"), "Add to sheet")
}

fn wait_for_panels(page: &Page, count: usize) -> Result {
    page.wait_until(&format!("{PANELS}.length === {count}"))
        .map(drop)
}

fn save(page: &Page, name: &str) -> Result<String> {
    page.script(
        "[...document.querySelectorAll('.sheet-editor button')].find(b => b.textContent === arguments[0]).click()",
        vec![json!(name)],
    )?;
    let file = page.next_download()?;
    assert!(
        file.name.starts_with("diagonal-sheet-2-panels-"),
        "{}",
        file.name
    );
    Ok(String::from_utf8_lossy(&file.bytes).into_owned())
}

/// A panel stays in the sheet, and as it was, when its view and its model are left.
fn figures_of_two_views_are_saved_as_one_sheet(page: &Page) -> Result {
    page.open("?view=positions&model=sinusoidal&rows=96&width=32")?;
    add(page, "position-matrix")?;
    wait_for_panels(page, 1)?;
    page.switch_view("encodings")?;
    add(page, "flat-lines")?;
    wait_for_panels(page, 2)?;
    let svg = save(page, "Save SVG")?;
    for label in [
        "a",
        "b",
        "How alike are two positions?",
        "Inner products at fixed distances",
    ] {
        assert!(svg.contains(&format!("aria-label=\"{label}\"")), "{label}");
    }
    assert!(svg.contains("width=\"175mm\""));
    assert!(svg.contains("#position-matrix") && svg.contains("#flat-lines"));
    let png = save(page, "Save PNG")?;
    assert!(png.contains("PNG") && png.contains("Software"));
    Ok(())
}

fn panels_are_moved_and_removed(page: &Page) -> Result {
    page.open("?view=positions&model=minilm-l6")?;
    add(page, "offset-profile")?;
    add(page, "position-matrix")?;
    wait_for_panels(page, 2)?;
    let first = |title: &str| format!("{PANELS}[0].startsWith('a {title}')");
    page.wait_until(&first("Mean of each diagonal"))?;
    page.script(
        "const later = document.querySelector('.sheet-editor li .moves button:last-child'); later.focus(); later.click()",
        vec![],
    )?;
    page.wait_until(&first("How alike"))?;
    // The focus stays on the button of the panel that was moved.
    page.wait_until("document.activeElement.closest('li')?.textContent.includes('Mean of each diagonal') ?? false")?;
    page.script(
        "document.querySelector('.sheet-editor [data-remove]').click()",
        vec![],
    )?;
    wait_for_panels(page, 1)?;
    page.wait_until(&first("Mean of each diagonal"))?;
    page.script(
        "document.querySelector('.sheet-editor [data-remove]').click()",
        vec![],
    )?;
    page.wait_until("document.querySelector('.sheet-editor').hidden")?;
    Ok(())
}
