//! Two heads side by side, with their difference.

use browser::session::key;
use browser::{Page, Result, scenarios};
use serde_json::json;

use crate::golden::near;

scenarios! {
    in_chromium: [
        both_profiles_are_those_of_the_heads,
        a_second_head_is_chosen_by_mouse_keys_and_lists,
    ],
}

const BOTH: &str = "?view=heads&model=minilm-l6&layer=1&head=1";

/// The parameter `second` of the address.
fn second(page: &Page) -> Result<String> {
    let second = page.eval("new URLSearchParams(location.search).get('second') || ''")?;
    Ok(second.as_str().unwrap_or_default().to_owned())
}

fn wait_for_second(page: &Page, head: &str) -> Result {
    let is_there = format!("new URLSearchParams(location.search).get('second') === '{head}'");
    page.wait_until(&is_there).map(drop)
}

fn a_second_head_is_chosen_by_mouse_keys_and_lists(page: &Page) -> Result {
    page.open(BOTH)?;
    page.figure("head-grid")?;
    page.wait_until("!!document.querySelector(\"[data-head='6-12']\")")?;
    assert_eq!(
        page.eval("!!document.querySelector('#head-difference')")?,
        json!(false)
    );
    // With the mouse.
    page.script(
        "document.querySelector(\"[data-head='1-12']\").dispatchEvent(new MouseEvent('click', { bubbles: true, shiftKey: true }))",
        vec![],
    )?;
    wait_for_second(page, "1.12")?;
    page.figure("head-difference")?;
    page.figure("head-pair-profile")?;
    let label =
        page.eval("document.querySelector(\"[data-head='1-12']\").getAttribute('aria-label')")?;
    let is_told = label
        .as_str()
        .is_some_and(|label| label.ends_with("beside the open head"));
    assert!(is_told, "{label}");
    // From the keyboard: the open head is kept as the second one, and the next one is opened beside it.
    page.script(
        "document.querySelector(\"[data-head='1-1']\").focus()",
        vec![],
    )?;
    page.script(
        "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', shiftKey: true, bubbles: true, cancelable: true }))",
        vec![],
    )?;
    wait_for_second(page, "1.1")?;
    page.wait_until("!document.querySelector('#head-difference')")?;
    page.keys(&[key::RIGHT])?;
    page.figure("head-difference")?;
    assert_eq!(second(page)?, "1.1");
    // From the lists.
    page.script(
        "const list = document.querySelector('.second-head select');\
         list.value = [...list.options].find(o => o.textContent === '3').value;\
         list.dispatchEvent(new Event('change', { bubbles: true }))",
        vec![],
    )?;
    wait_for_second(page, "3.1")?;
    page.figure("head-difference")?;
    page.click_named("Show no second head")?;
    page.wait_until("!document.querySelector('#head-difference')")?;
    page.wait_until("!new URLSearchParams(location.search).has('second')")
        .map(drop)
}

fn both_profiles_are_those_of_the_heads(page: &Page) -> Result {
    page.open(&format!("{BOTH}&second=1.12"))?;
    page.figure("head-difference")?;
    let of_open = page.csv("head-profile")?.numbers("mean")?;
    let both = page.csv("head-pair-profile")?;
    assert_eq!(
        both.columns,
        [
            "layer",
            "head",
            "offset",
            "mean",
            "cells",
            "r2",
            "correlation"
        ]
    );
    let means = both.numbers("mean")?;
    assert_eq!(means.len(), 2 * of_open.len());
    for (found, expected) in means.iter().zip(&of_open) {
        near("a mean", *found, *expected, 1e-9)?;
    }
    let r2 = both.numbers("r2")?;
    near("R² of head 1", r2[0], 0.84, 0.01)?;
    near("R² of head 12", r2[of_open.len()], 0.10, 0.01)?;
    // The file has every cell of the difference.
    let difference = page.csv("head-difference")?;
    assert_eq!(difference.columns.len(), 512);
    let svg = String::from_utf8(page.download("head-difference", "SVG")?.bytes)?;
    for label in [
        "a",
        "b",
        "c",
        "layer 1, head 1",
        "layer 1, head 12",
        "a − b",
    ] {
        assert!(svg.contains(&format!("aria-label=\"{label}\"")), "{label}");
    }
    assert_eq!(
        svg.matches("<image").count(),
        6,
        "three maps and their bars"
    );
    Ok(())
}
