//! The kernels view: sliders and exact fields, and figures that follow them.

use browser::session::key;
use browser::{Page, Result, scenarios};

use crate::golden::near;

scenarios! {
    in_every_engine: [
        a_slider_moves_the_figures,
        the_workbench_stands_on_one_screen,
    ],
    in_chromium: [
        the_attention_rows_sum_to_one,
        kernels_stand_beside_the_open_head,
        terms_of_equation_4_stand_for_maps,
        kernels_start_short_and_a_fit_shows_its_centres,
        a_released_slider_stays_where_it_is,
        an_exact_field_moves_the_slider,
    ],
}

const FIGURES: [&str; 3] = ["kernel-function", "kernel-matrix", "kernel-attention"];
const ONE: &str = "?view=kernels&model=sinusoidal&kernels=1:0.25:0&n=64";

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
    // By keyboard too.
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
        // The first column may name the query.
        let cells = row[row.len() - 64..].iter().map(|cell| cell.parse::<f64>());
        let sum: f64 = cells
            .collect::<std::result::Result<Vec<_>, _>>()?
            .iter()
            .sum();
        near("a row's sum", sum, 1.0, 1e-5)?;
    }
    Ok(())
}

/// The last `n` columns of a saved matrix.
fn cells(page: &Page, figure: &str, n: usize) -> Result<Vec<Vec<f64>>> {
    let table = page.csv(figure)?;
    assert_eq!(table.rows.len(), n, "{figure}");
    let row = |row: &Vec<String>| {
        let cells = row[row.len() - n..].iter();
        cells.map(|cell| Ok(cell.parse::<f64>()?)).collect()
    };
    table.rows.iter().map(row).collect()
}

/// Cells of the table of attention summaries.
fn looks(page: &Page) -> Result<Vec<Vec<String>>> {
    let rows = "[...document.querySelectorAll('.looks tbody tr')].map(tr => [...tr.cells].map(td => td.textContent))";
    Ok(serde_json::from_value(page.eval(rows)?)?)
}

/// Waits until these figures, in the order of the page, have the outline of a term or have a term that is highlighted in
/// their formulas.
fn figures_with(page: &Page, css: &str, ids: &[&str]) -> Result {
    let figures = format!(
        "[...new Set([...document.querySelectorAll('{css}')].map(e => e.closest('figure').id))]"
    );
    page.wait_until(&format!("String({figures}) === '{}'", ids.join(",")))
        .map_err(|error| format!("{css} in {ids:?}: {error}"))?;
    Ok(())
}

fn terms_of_equation_4_stand_for_maps(page: &Page) -> Result {
    const OUTLINE: &str = ".term-outline";
    const HEAD: &str = ".formula [data-highlighted][data-term=head-scores]";
    const KERNELS: &str = ".formula [data-highlighted][data-term=kernel-scores]";
    page.open("?view=kernels&model=minilm-l6&mode=computed&layer=2&head=3&n=16&kernels=9:0.5:3&added=head&first-layer=open")?;
    page.model("minilm-l6")?;
    for figure in ["head-scores", "added-scores", "added-attention"] {
        page.figure(figure)?;
    }
    // From a term to the maps that show it alone.
    page.point("#added-scores [data-term=kernel-scores]", 0.5, 0.5)?;
    figures_with(page, OUTLINE, &["kernel-matrix", "kernel-attention"])?;
    page.point("#added-attention [data-term=head-scores]", 0.5, 0.5)?;
    figures_with(page, OUTLINE, &["head-scores", "head-attention"])?;
    // From a map to its term, in every formula.
    page.point("#head-scores .figure-view", 0.5, 0.5)?;
    figures_with(
        page,
        HEAD,
        &[
            "head-scores",
            "added-scores",
            "head-attention",
            "added-attention",
        ],
    )?;
    page.point("#head-scores h2", 0.5, 0.5)?;
    figures_with(page, HEAD, &[])?;
    figures_with(page, OUTLINE, &[])?;
    // By keyboard.
    page.keys(&['x'])?;
    page.script(
        "document.querySelector('#kernel-matrix .figure-view').focus({ preventScroll: true })",
        vec![],
    )?;
    page.wait_until(&format!(
        "document.querySelectorAll('#added-scores {KERNELS}, #added-attention {KERNELS}').length === 2"
    ))?;
    page.keys(&[key::ESCAPE])?;
    figures_with(page, KERNELS, &[])?;
    page.script(
        "document.querySelector('#added-scores [data-term=head-scores]').focus({ preventScroll: true })",
        vec![],
    )?;
    figures_with(page, OUTLINE, &["head-scores", "head-attention"])?;
    page.keys(&[key::RIGHT])?;
    figures_with(page, OUTLINE, &["kernel-matrix", "kernel-attention"])?;
    page.has_no_barriers("a highlighted term of equation 4")?;
    page.script("document.activeElement.blur()", vec![])?;
    figures_with(page, OUTLINE, &[])?;
    // In the first layer, 4a and 4b.
    for (figure, term, map) in [
        (
            "first-layer-added",
            "embedding-scores",
            "first-layer-embeddings",
        ),
        ("first-layer-instead", "content-scores", "first-layer-none"),
    ] {
        page.figure(figure)?;
        page.figure(map)?;
        page.point(&format!("#{figure} [data-term={term}]"), 0.5, 0.5)?;
        figures_with(page, OUTLINE, &[map])?;
        page.point(&format!("#{map} .figure-view"), 0.5, 0.5)?;
        let term_of_map = format!(".formula [data-highlighted][data-term={term}]");
        page.wait_until(&format!(
            "!!document.querySelector('#{figure} {term_of_map}')"
        ))?;
    }
    page.met_no_error()
}

fn kernels_stand_beside_the_open_head(page: &Page) -> Result {
    const BESIDE: [&str; 6] = [
        "head-scores",
        "kernel-matrix",
        "added-scores",
        "head-attention",
        "kernel-attention",
        "added-attention",
    ];
    const N: usize = 16;
    page.open("?view=kernels&model=minilm-l6&mode=computed&layer=2&head=3&n=16&kernels=9:0.5:3&added=head")?;
    page.model("minilm-l6")?;
    for figure in BESIDE {
        page.figure(figure)?;
    }
    let [head, kernels, sum] = ["head-scores", "kernel-matrix", "added-scores"];
    let (head, kernels) = (cells(page, head, N)?, cells(page, kernels, N)?);
    for (i, row) in cells(page, sum, N)?.iter().enumerate() {
        for (j, value) in row.iter().enumerate() {
            near("a sum", *value, head[i][j] + kernels[i][j], 1e-4)?;
        }
    }
    // The numbers in the table agree with the map.
    page.wait_until("document.querySelector('.looks tbody td').textContent")?;
    let after = cells(page, "added-attention", N)?;
    let mut shares = [0.0; 2 * N - 1];
    let mut entropy = 0.0;
    for (i, row) in after.iter().enumerate() {
        for (j, p) in row.iter().enumerate() {
            shares[j + N - 1 - i] += p / N as f64;
            entropy -= p * p.max(1e-300).log2() / N as f64;
        }
    }
    let rows = looks(page)?;
    near("the entropy", rows[2][3].parse()?, entropy, 0.006)?;
    let within: f64 = shares[N - 1 - 4..N + 4].iter().sum();
    let share = rows[2][2].trim_end_matches(" %").parse::<f64>()?;
    near("the share within ±4", share, 100.0 * within, 0.06)?;
    // The share near the query follows the choice, and the values differ before and after.
    assert_ne!(rows[0], rows[2]);
    page.script(
        "[...document.querySelectorAll('button')].find(b => b.textContent === '±16').click()",
        vec![],
    )?;
    page.wait_until(
        "document.querySelector('.looks tbody tr').cells[2].textContent === '100.0 %'",
    )?;
    page.wait_until("location.search.includes('near=16')")?;
    // Kernels alone: the head is gone.
    page.script(
        "[...document.querySelectorAll('button')].find(b => b.textContent.startsWith('kernels only')).click()",
        vec![],
    )?;
    page.wait_until("!document.querySelector('#head-scores')")?;
    page.figure("kernel-attention")?;
    // Kernels that were not edited start with the amplitude and length of the head, and follow it.
    page.open("?view=kernels&model=minilm-l6&mode=computed&layer=2&head=3&added=head")?;
    page.model("minilm-l6")?;
    page.wait_until(
        "document.querySelector(\"input[aria-label='length n, exact']\")?.value === '512'",
    )?;
    let a = field("amplitude a");
    page.wait_until(&format!("+document.querySelector(\"{a}\").value > 10"))?;
    let paper = "[...document.querySelectorAll('button')].find(b => b.textContent.startsWith('weights only')).click()";
    page.script(paper, vec![])?;
    page.wait_until(&format!("+document.querySelector(\"{a}\").value < 0.5"))?;
    page.fill(&a, "0.75")?;
    page.script(
        "[...document.querySelectorAll('button')].find(b => b.textContent === 'with LayerNorm and biases').click()",
        vec![],
    )?;
    page.figure("head-scores")?;
    near("a number that was typed", value(page, &a)?, 0.75, 0.0)?;
    Ok(())
}

/// All controls and the figures that they change fit on one screen: a projector with three kernels, a large screen with
/// five.
fn the_workbench_stands_on_one_screen(page: &Page) -> Result {
    let screens = [
        (1280, 720, "2.6:0.25:-1;1.2:0.02:3;-0.8:0.9:0&n=64"),
        (1920, 1080, "2:0.5:-1;1:0.1:2;1:0.1:3;1:0.01:4;1:0.001:8"),
    ];
    for (width, height, kernels) in screens {
        page.resize(width, height)?;
        page.open(&format!("?view=kernels&model=minilm-l6&kernels={kernels}"))?;
        for figure in FIGURES {
            page.figure(figure)?;
        }
        let outside = "return [...document.querySelectorAll(\
                '.fit button, .kernel input, .kernel button, #kernel-function canvas, \
                 #kernel-matrix canvas, #kernel-attention canvas')]\
            .filter(part => part.checkVisibility())\
            .filter(part => { const at = part.getBoundingClientRect(); \
                return at.top < 0 || at.bottom > innerHeight || at.right > innerWidth; })\
            .map(part => `${part.ariaLabel ?? part.closest('figure')?.id ?? part.textContent}: \
                ${part.getBoundingClientRect().bottom} of ${innerHeight}`).join()";
        let outside = page.script(outside, vec![])?;
        assert_eq!(outside, "", "{width} × {height}");
        let rows = page.eval("document.querySelectorAll('.kernel').length")?;
        assert_eq!(rows, kernels.split(';').count());
    }
    Ok(())
}

fn kernels_start_short_and_a_fit_shows_its_centres(page: &Page) -> Result {
    const LENGTH: &str = "document.querySelector(\"input[aria-label='length n, exact']\")?.getAttribute('aria-valuenow')";
    page.open("?view=positions&model=minilm-l6")?;
    page.model("minilm-l6")?;
    page.view("kernels")?;
    page.wait_until(&format!("{LENGTH} === '64'"))?;
    page.wait_until("location.search.includes('n=64')")?;
    // A link from before that start has no length, and opens at that of the model.
    page.open("?view=kernels&model=minilm-l6")?;
    page.model("minilm-l6")?;
    page.wait_until(&format!("{LENGTH} === '512'"))?;
    // This head needs kernels far from the diagonal: the matrices grow, and the handles come into sight.
    page.open("?view=kernels&model=minilm-l6&layer=4&head=11&n=64")?;
    page.model("minilm-l6")?;
    crate::fits::press(page, "Fit head")?;
    page.figure("fit-residual")?;
    page.wait_until(&format!("{LENGTH} === '512'"))?;
    page.figure("kernel-function")?;
    let centres = "Math.max(...[...document.querySelectorAll(\"input[aria-label^='centre c'][aria-label$='exact']\")]\
        .map(field => Math.abs(field.getAttribute('aria-valuenow'))))";
    let farthest = page.eval(centres)?.as_f64().ok_or("no centre")?;
    assert!(farthest >= 64.0, "{farthest}");
    page.wait_until(&format!(
        "Number(/Offsets −(\\d+) to/.exec(document.querySelector('#kernel-function .summary').textContent)[1]) >= {farthest}"
    ))?;
    Ok(())
}

fn a_released_slider_stays_where_it_is(page: &Page) -> Result {
    page.open(ONE)?;
    page.figure("kernel-function")?;
    let reach = |page: &Page| page.attribute(&slider("amplitude a"), "max");
    let before = reach(page)?;
    for to in [0.97, 0.55] {
        page.drag(&slider("amplitude a"), (0.5, 0.5), (to, 0.5))?;
        let dragged = value(page, &slider("amplitude a"))?;
        page.computed(std::time::Duration::from_secs(10))?;
        assert_eq!(reach(page)?, before, "after a drag to {to}");
        near(
            "the slider",
            value(page, &slider("amplitude a"))?,
            dragged,
            1e-9,
        )?;
    }
    Ok(())
}
