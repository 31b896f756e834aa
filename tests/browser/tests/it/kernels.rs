//! The kernels view: sliders and exact fields, and figures that follow them.

use browser::session::key;
use browser::{Page, Result, in_every_engine};

use crate::golden::near;

in_every_engine!(
    a_slider_moves_the_figures,
    an_exact_field_moves_the_slider,
    the_attention_rows_sum_to_one
);

const FIGURES: [&str; 3] = ["kernel-function", "kernel-matrix", "kernel-attention"];
const ONE: &str = "?view=kernels&kernels=1:0.25:0&n=64";

fn slider(name: &str) -> String {
    format!("input[type='range'][aria-label='{name}, kernel 1']")
}

fn field(name: &str) -> String {
    format!("input[aria-label='{name}, kernel 1, exact']")
}

fn value(page: &Page, css: &str) -> Result<f64> {
    let value = page.script(
        "return document.querySelector(arguments[0])?.value",
        vec![css.into()],
    )?;
    Ok(value
        .as_str()
        .ok_or_else(|| format!("there is no {css}"))?
        .parse()?)
}

fn a_slider_moves_the_figures(page: &Page) -> Result {
    page.open(ONE)?;
    for figure in FIGURES {
        page.figure(figure)?;
    }
    for name in ["amplitude a", "sharpness b", "centre c"] {
        let before = value(page, &field(name))?;
        let paints = FIGURES.map(|figure| page.painted_at(figure).unwrap_or(0.0));
        page.drag(&slider(name), (0.5, 0.5), (0.8, 0.5))?;
        for (figure, paints) in FIGURES.iter().zip(paints) {
            page.painted_since(figure, paints)?;
        }
        let after = value(page, &field(name))?;
        assert!(
            (after - before).abs() > 1e-9,
            "the field of {name} stayed at {before}"
        );
    }
    // The keyboard too.
    let before = value(page, &field("centre c"))?;
    page.script(
        "document.querySelector(arguments[0]).focus()",
        vec![slider("centre c").into()],
    )?;
    page.keys(&[key::RIGHT])?;
    assert!(
        value(page, &field("centre c"))? > before,
        "an arrow key moves the slider up"
    );
    Ok(())
}

fn an_exact_field_moves_the_slider(page: &Page) -> Result {
    page.open(ONE)?;
    page.figure("kernel-function")?;
    let (slider_before, paints) = (
        value(page, &slider("centre c"))?,
        page.painted_at("kernel-function")?,
    );
    page.fill(&field("centre c"), "-3.5")?;
    page.painted_since("kernel-function", paints)?;
    near("the field", value(page, &field("centre c"))?, -3.5, 1e-9)?;
    assert!(
        value(page, &slider("centre c"))? < slider_before,
        "the slider stayed"
    );
    // f(k) = exp(−|b|(k − c)²) has its two highest values on either side of −3.5.
    let table = page.csv("kernel-function")?;
    let (offsets, f) = (table.numbers("offset")?, table.numbers("f")?);
    for (offset, f) in offsets.iter().zip(&f) {
        near(
            &format!("f({offset})"),
            *f,
            (-0.25 * (offset + 3.5).powi(2)).exp(),
            1e-6,
        )?;
    }
    assert_eq!((offsets.len(), offsets[0]), (2 * 64 - 1, -63.0));
    Ok(())
}

fn the_attention_rows_sum_to_one(page: &Page) -> Result {
    page.open(ONE)?;
    let table = page.csv("kernel-attention")?;
    assert_eq!(table.rows.len(), 64);
    for row in &table.rows {
        // The first cell may name the query.
        let cells = row[row.len() - 64..].iter().map(|cell| cell.parse::<f64>());
        let sum: f64 = cells
            .collect::<std::result::Result<Vec<_>, _>>()?
            .iter()
            .sum();
        near("a row's sum", sum, 1.0, 1e-5)?;
    }
    Ok(())
}
