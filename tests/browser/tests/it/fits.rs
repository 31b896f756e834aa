//! Kernel fits with progress: a head, a layer, a model. Sliders start at the fit and can return to it.

use browser::{Page, Result, scenarios};
use serde_json::json;

use crate::checkpoints::open;

scenarios! {
    in_chromium: [
        all_heads_are_fitted_and_sorted,
        a_fit_can_be_cancelled_and_a_link_restores_it,
        kernels_are_such_as_are_chosen,
        the_first_layer_four_ways,
        a_table_ends_where_kernels_go_on,
        a_head_is_fitted_and_the_sliders_start_there,
    ],
}

/// The summary of the fold with the fit beside its head.
pub(crate) const FIT_BESIDE_HEAD: &str = "#fit-beside-head > summary";

pub(crate) fn press(page: &Page, name: &str) -> Result {
    page.script(
        "const found = [...document.querySelectorAll('.fit button')].find(b => b.textContent.trim() === arguments[0]);\
         document.querySelector('[data-pressed]')?.removeAttribute('data-pressed'); found.dataset.pressed = ''",
        vec![json!(name)],
    )?;
    page.click("[data-pressed]")
}

fn a_head_is_fitted_and_the_sliders_start_there(page: &Page) -> Result {
    page.open("?view=kernels&model=minilm-l6&layer=1&head=1")?;
    page.model("minilm-l6")?;
    press(page, "Fit head")?;
    page.figure("fit-residual")?;
    // The fit beside its head repeats the sliders' figures, so it is computed only once it is unfolded.
    assert_eq!(
        page.eval("!!document.querySelector('#kernel-fit')")?,
        json!(false)
    );
    page.click(FIT_BESIDE_HEAD)?;
    page.figure("kernel-fit")?;
    page.wait_until("location.search.includes('more=fit-beside-head')")?;
    page.wait_until("/R² 0\\.98/.test(document.querySelector('.fit [role=status]').textContent)")?;
    let table = page.csv("kernel-fit")?;
    assert_eq!(
        table.columns[..8],
        [
            "layer",
            "head",
            "kernels",
            "r2",
            "intercept",
            "a1",
            "b1",
            "c1"
        ]
    );
    assert_eq!(table.rows.len(), 1);
    assert_eq!(table.rows[0][..3], ["1", "1", "5"]);
    let r2: f64 = table.rows[0][3].parse()?;
    // The best of scipy's 24 starts has 0.7359.
    assert!(r2 > 0.97, "R² {r2}");
    let curve = page.csv("fit-curve")?;
    assert_eq!(curve.rows.len(), 8);
    page.figure("fit-attention")?;
    page.figure("fit-head-attention")?;
    // The sliders show the fit; after a change, they can return to it. The field shows four digits.
    let first = "document.querySelector('input[aria-label=\"amplitude a, kernel 1, exact\"]')\
                 .getAttribute('aria-valuenow')";
    let fitted = page.eval(first)?;
    let a1: f64 = table.rows[0][5].parse()?;
    let value: f64 = fitted.as_str().unwrap_or_default().parse()?;
    assert!((value - a1).abs() <= 1e-9 * a1.abs(), "{value} {a1}");
    page.fill("input[aria-label='amplitude a, kernel 1, exact']", "0.5")?;
    page.wait_until(&format!("{first} === '0.5'"))?;
    press(page, "Back to fit")?;
    page.wait_until(&format!("{first} === {fitted}"))?;
    // Another number of kernels updates the sliders too.
    page.script(
        "const select = [...document.querySelectorAll('.fit select')].at(-1);\
         select.value = '1'; select.dispatchEvent(new Event('change', { bubbles: true }))",
        vec![],
    )?;
    page.wait_until("document.querySelectorAll('ul.kernels > li').length === 2")?;
    Ok(())
}

fn all_heads_are_fitted_and_sorted(page: &Page) -> Result {
    page.open("?view=kernels&model=sinusoidal")?;
    open(page, "bert")?;
    page.wait_until("!document.querySelector('.fit button.primary').disabled")?;
    page.click(".options > summary")?;
    press(page, "Fit all heads")?;
    page.wait_until(
        "/^8 heads fitted/.test(document.querySelector('.fit [role=status]').textContent)",
    )?;
    page.figure("fit-grid")?;
    page.click(FIT_BESIDE_HEAD)?;
    let table = page.csv("kernel-fit")?;
    assert_eq!(table.rows.len(), 8);
    page.click("#fit-grid [role=group][aria-label=Order] button:nth-child(2)")?;
    page.wait_until("location.search.includes('sort=r2')")?;
    press(page, "Fit layer")?;
    page.wait_until(
        "/^4 heads fitted/.test(document.querySelector('.fit [role=status]').textContent)",
    )?;
    assert_eq!(page.csv("kernel-fit")?.rows.len(), 4);
    Ok(())
}

fn a_fit_can_be_cancelled_and_a_link_restores_it(page: &Page) -> Result {
    page.open("?view=kernels&model=minilm-l6&fit=all.8")?;
    page.model("minilm-l6")?;
    page.wait_until(
        "/of 72 heads/.test(document.querySelector('.fit [role=status]').textContent)",
    )?;
    page.script(
        "const cancel = [...document.querySelectorAll('.fit button')].find(b => b.textContent === 'Cancel'); cancel.focus(); cancel.click()",
        vec![],
    )?;
    page.wait_until(
        "!location.search.includes('fit=all') && !document.querySelector('#fit-residual')",
    )?;
    // The pressed button keeps the focus.
    page.wait_until("document.activeElement.textContent === 'Cancel' && document.activeElement.getAttribute('aria-disabled') === 'true'")?;
    // A link with a fit computes it again and leaves the sliders as in the link.
    page.open("?view=kernels&model=minilm-l6&layer=2&head=3&fit=head.2&kernels=1:0.5:0&more=fit-beside-head")?;
    page.figure("kernel-fit")?;
    let row = page.csv("kernel-fit")?.rows.remove(0);
    assert_eq!(row[..3], ["2", "3", "2"]);
    assert_eq!(
        page.eval("document.querySelectorAll('ul.kernels > li').length")?,
        json!(1)
    );
    Ok(())
}

/// Amplitudes in the table of the single fit.
fn heights(page: &Page) -> Result<Vec<f64>> {
    let row = page.csv("kernel-fit")?.rows.remove(0);
    let heights = row[5..].iter().step_by(3).take(5);
    Ok(heights
        .map(|a| a.parse())
        .collect::<std::result::Result<_, _>>()?)
}

fn kernels_are_such_as_are_chosen(page: &Page) -> Result {
    const SAID: &str = "document.querySelector('section.fit').textContent";
    page.open("?view=kernels&model=minilm-l6&layer=4&head=11&fit=head.5&more=fit-beside-head")?;
    page.figure("kernel-fit")?;
    page.wait_until(&format!(
        "/Least squares alone would explain 0\\.00/.test({SAID})"
    ))?;
    let greatest = |heights: &[f64]| heights.iter().fold(0.0_f64, |most, a| most.max(a.abs()));
    let readable = greatest(&heights(page)?);
    page.click(".options > summary")?;
    press(page, "least squares")?;
    page.wait_until("location.search.includes('fit=head.5.least-squares')")?;
    page.wait_until(&format!("/cannot be interpreted one by one/.test({SAID})"))?;
    let free = greatest(&heights(page)?);
    assert!(free > 5.0 * readable, "{free} {readable}");
    press(page, "never negative")?;
    page.wait_until("location.search.includes('fit=head.5.non-negative')")?;
    page.wait_until(&format!(
        "/Least squares alone would explain 0\\.0/.test({SAID})"
    ))?;
    let heights = heights(page)?;
    assert!(heights.iter().all(|a| *a >= 0.0), "{heights:?}");
    press(page, "readable")?;
    page.wait_until("/fit=head\\.5(&|$)/.test(location.search)")?;
    Ok(())
}

fn the_first_layer_four_ways(page: &Page) -> Result {
    page.open("?view=kernels&model=sinusoidal&words=1-12")?;
    open(page, "bert")?;
    for way in ["embeddings", "added", "instead", "none"] {
        page.figure(&format!("first-layer-{way}"))?;
    }
    page.wait_until("/12 tokens/.test(document.querySelector('#first-layer').textContent)")?;
    // With neither positions nor kernels, a word attends the same way at every position. Until that is computed, the
    // page labels the figure as of the previous words.
    page.script("probe.hold()", Vec::new())?;
    page.fill("#first-layer input", "5 9 5 9 5 9")?;
    page.wait_until("/6 tokens/.test(document.querySelector('#first-layer').textContent)")?;
    for way in ["embeddings", "added", "instead", "none"] {
        page.wait_until(&format!(
            "(figure => figure.dataset.state === 'earlier' && figure.innerText.includes('Computing …'))(document.querySelector('#first-layer-{way}'))"
        ))?;
    }
    page.script("probe.release()", Vec::new())?;
    page.figure("first-layer-none")?;
    let weights = page.csv("first-layer-none")?;
    assert_eq!((weights.rows.len(), weights.columns.len()), (6, 6));
    assert_eq!(weights.rows[0], weights.rows[2]);
    assert_ne!(weights.rows[0], weights.rows[1]);
    page.fill("#first-layer input", "5 x")?;
    page.wait_until(
        "/“x” is not a token id/.test(document.querySelector('#first-layer').textContent)",
    )?;
    page.fill("#first-layer input", "999999")?;
    page.message_with("no token 999999")?;
    page.forgive("no token")?;
    Ok(())
}

fn a_table_ends_where_kernels_go_on(page: &Page) -> Result {
    page.open("?view=kernels&model=minilm-l6&n=16384&fit=head&more=fit-beside-head")?;
    page.model("minilm-l6")?;
    page.figure("kernel-attention")?;
    page.figure("fit-head-attention")?;
    page.wait_until(
        "/has 512 positions and no scores/.test(document.querySelector('#fit-head-attention').textContent)",
    )?;
    Ok(())
}
