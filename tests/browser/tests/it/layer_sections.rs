//! Sections of every head of a layer: their panels open heads, their scales and fits are in the link.

use browser::{Page, Result, scenarios, session::key};

scenarios! {
    in_chromium: [
        panels_open_their_heads,
        kernels_are_fitted_beside_the_sections,
    ],
}

const SECTIONS: &str = "?view=heads&model=minilm-l6&mode=computed&layer=1&head=1&more=near-offsets";
/// The head in the link.
const HEAD: &str = "new URLSearchParams(location.search).get('head')";

fn panels_open_their_heads(page: &Page) -> Result {
    page.open(SECTIONS)?;
    page.figure("layer-sections")?;
    page.click("[data-section='1-6']")?;
    page.wait_until(&format!("{HEAD} === '6'"))?;
    page.wait_until("document.querySelector('[data-section=\"1-6\"]').ariaPressed === 'true'")?;
    // The next panel by keyboard.
    page.keys(&[key::RIGHT])?;
    page.wait_until(&format!("{HEAD} === '7'"))?;
    page.wait_until("document.activeElement.dataset.section === '1-7'")?;
    page.met_no_error()
}

fn kernels_are_fitted_beside_the_sections(page: &Page) -> Result {
    page.open(SECTIONS)?;
    page.figure("layer-sections")?;
    let columns = page.csv("layer-sections")?;
    assert_eq!(columns.numbers("head")?.last(), Some(&12.0));
    assert!(columns.numbers("fit_r2").is_err());
    page.click_named("with fitted kernels")?;
    page.wait_until("new URLSearchParams(location.search).has('section-fits')")?;
    page.figure("layer-sections")?;
    let fits = page.csv("layer-sections")?.numbers("fit_r2")?;
    assert!(fits.iter().all(|r2| (0.5..=1.0).contains(r2)), "{fits:?}");
    page.click_named("one scale")?;
    page.wait_until("new URLSearchParams(location.search).has('section-scales')")?;
    page.figure("layer-sections")?;
    page.met_no_error()
}
