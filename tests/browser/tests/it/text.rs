//! Text of the page: at every window and text size, none leaves the window or its figure, is cut off, or covers other
//! text or a control.

use browser::suite::Scenario;
use browser::views_with_figures;
use browser::{Page, Result};

/// Window sizes: a laptop, a projector, a phone.
const WINDOWS: [(u32, u32); 3] = [(1440, 900), (1280, 720), (390, 844)];

/// Layout faults of text: an array of sentences.
///
/// A formula counts as one text. Content that scrolls sideways may be wider than its place; a name with an ellipsis is
/// cut on purpose; visually hidden text is for screen readers.
const FAULTS: &str = include_str!("text.js");

pub(crate) fn scenarios() -> Vec<Scenario> {
    let of_view = |(_, id, _): &(_, &'static str, &'static str)| {
        let id = *id;
        let name = format!("it::text::{id}::none_leaves_its_place_at_any_size");
        Scenario::new(&name, move |page| {
            page.open(&format!("?view={id}&model=minilm-l6&pin=20,28"))?;
            in_all_sizes(page, id)
        })
    };
    let mut scenarios: Vec<Scenario> = views_with_figures().map(of_view).collect();
    scenarios.push(Scenario::new(
        "it::text::kernels_beside_a_head::none_leaves_its_place_at_any_size",
        |page| {
            page.open("?view=kernels&model=minilm-l6&layer=1&head=1&added=head&pin=20,28")?;
            in_all_sizes(page, "kernels beside a head")
        },
    ));
    scenarios
}

/// Presses the button for larger text until the text has this size.
fn enlarge(page: &Page, percent: u8) -> Result {
    // The button cycles through 100 %, 125 % and 150 %.
    for _ in 0..2 {
        if page.attribute("html", "data-text")? == Some(percent.to_string()) {
            break;
        }
        page.click(".text-size")?;
    }
    let is_as_large = format!("document.documentElement.dataset.text === '{percent}'");
    page.wait_until(&is_as_large).map(drop)
}

/// Checks every text of the page in every window, at 100 % and 150 %.
fn in_all_sizes(page: &Page, what: &str) -> Result {
    let mut found = Vec::new();
    for percent in [100, 150] {
        enlarge(page, percent)?;
        for (width, height) in WINDOWS {
            page.resize(width, height)?;
            page.computed(browser::page::RECOVERY)?;
            // Figures are laid out a frame after their width is known.
            page.eval_async("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))")?;
            for fault in page.eval(FAULTS)?.as_array().ok_or("no list")? {
                found.push(format!("{width} × {height}, text {percent} %: {fault}"));
            }
        }
        page.resize(WINDOWS[0].0, WINDOWS[0].1)?;
    }
    match found.is_empty() {
        true => Ok(()),
        false => Err(format!("{what}:\n  {}", found.join("\n  ")).into()),
    }
}
