//! Controls of the demonstrations of criteria, parameter counts and order.

use browser::page::figure;
use browser::session::key;
use browser::{Page, Result, scenarios};
use serde_json::json;

scenarios! {
    in_chromium: [
        every_mark_opens_by_mouse,
        a_link_opens_a_mark,
        parameters_of_the_open_model_are_counted,
        typed_sizes_are_counted,
        tokens_are_shuffled,
        the_table_opens_by_keyboard,
    ],
}

const WAYS: [&str; 9] = [
    "sinusoidal",
    "learned",
    "relative",
    "t5",
    "flow",
    "synthesizer",
    "untied",
    "rotary",
    "tisa",
];
const CRITERIA: [&str; 6] = [
    "inductive",
    "data-driven",
    "parameter-efficient",
    "translation-invariant",
    "parallelizable",
    "interpretable",
];

fn cell(way: &str, criterion: &str) -> String {
    format!("button[data-cell='{way}.{criterion}']")
}

/// Numbers of the open demonstration.
const NUMBERS: &str = "[...document.querySelectorAll('.outcome dd')].map(e => e.textContent)";

fn every_mark_opens_by_mouse(page: &Page) -> Result {
    page.open("?view=encodings&model=sinusoidal")?;
    page.figure("criteria")?;
    for way in WAYS {
        for criterion in CRITERIA {
            let button = cell(way, criterion);
            page.click(&button)?;
            page.wait_until(&format!(
                "document.querySelector(\"{button}\").getAttribute('aria-expanded') === 'true'"
            ))?;
            let heading =
                page.wait_until("document.querySelector('#criteria-panel h3')?.textContent")?;
            let heading = heading.as_str().unwrap_or_default().to_lowercase();
            assert!(
                heading.contains(&criterion.replace('-', " ")) || heading.contains(criterion),
                "{way}.{criterion} opens {heading}"
            );
            // Moving every slider to an end changes some number.
            let moved = page.script(
                "const numbers = () => [...document.querySelectorAll('.outcome dd')].map(e => e.textContent).join();\
                 const before = [...document.querySelectorAll('.seen canvas')][0].toDataURL(), said = numbers();\
                 const sliders = [...document.querySelectorAll('#criteria-panel input[type=range]')];\
                 for (const slider of sliders) {\
                   slider.value = slider.value === slider.max ? slider.min : slider.max;\
                   slider.dispatchEvent(new Event('input', { bubbles: true }));\
                 }\
                 window.demonstrated = { before, said, numbers };\
                 return sliders.length",
                Vec::new(),
            )?;
            assert!(moved.as_u64() > Some(0), "{way}.{criterion} has no slider");
            page.wait_until(
                "demonstrated.numbers() !== demonstrated.said\
                 || document.querySelector('.seen canvas').toDataURL() !== demonstrated.before",
            )?;
        }
    }
    page.click(&cell("tisa", "interpretable"))?;
    page.wait_until("!document.querySelector('#criteria-panel h3')")?;
    Ok(())
}

fn the_table_opens_by_keyboard(page: &Page) -> Result {
    page.open("?view=encodings&model=sinusoidal")?;
    page.figure("criteria")?;
    page.script(
        "document.querySelector(arguments[0]).focus()",
        vec![json!(cell("sinusoidal", "inductive"))],
    )?;
    for _ in 0..3 {
        page.keys(&[key::TAB])?;
    }
    page.keys(&[' '])?;
    page.wait_until("location.search.includes('cell=sinusoidal.translation-invariant')")?;
    let named = page.eval("document.activeElement.getAttribute('aria-label')")?;
    assert_eq!(named, json!("Sinusoidal: translation invariant: no"));
    // The scores are not Toeplitz; the table's inner products are.
    let shares = page.eval(NUMBERS)?;
    let share = |at: usize| -> f64 {
        let text = shares[at].as_str().unwrap_or_default();
        text.parse().unwrap_or(f64::NAN)
    };
    assert!(share(0) < 0.99 && share(1) == 1.0, "{shares}");
    // Sliders move by keys.
    page.script(
        "document.querySelector(\"#criteria-panel input[aria-label='seed']\").focus()",
        Vec::new(),
    )?;
    page.keys(&[key::RIGHT])?;
    page.wait_until(&format!(
        "JSON.stringify({NUMBERS}) !== JSON.stringify({shares})"
    ))?;
    Ok(())
}

fn a_link_opens_a_mark(page: &Page) -> Result {
    page.open("?view=encodings&model=sinusoidal&cell=t5.interpretable")?;
    page.figure("criteria")?;
    page.wait_until("document.querySelector('#criteria-panel h3')?.textContent.startsWith('T5')")?;
    let table = page.csv("criteria")?;
    assert_eq!(table.rows.len(), 54);
    assert_eq!(table.columns[..4], ["method", "criterion", "paper", "note"]);
    assert!(page.link("criteria")?.contains("cell=t5.interpretable"));
    Ok(())
}

/// Counts of a model in the figure's CSV, by method.
fn counts(page: &Page, model: &str) -> Result<Vec<(String, f64)>> {
    let table = page.csv("parameter-count")?;
    let column = |name: &str| table.columns.iter().position(|h| h == name);
    let (Some(named), Some(method)) = (column("model"), column("method")) else {
        return Err(format!("the columns are {:?}", table.columns).into());
    };
    let parameters = table.numbers("parameters")?;
    let rows = table.rows.iter().zip(parameters);
    Ok(rows
        .filter(|(row, _)| row[named].contains(model))
        .map(|(row, count)| (row[method].clone(), count))
        .collect())
}

fn parameters_of_the_open_model_are_counted(page: &Page) -> Result {
    page.open("?view=encodings&model=minilm-l6")?;
    page.model("minilm-l6")?;
    page.wait_until(&format!(
        "document.querySelector(\"{} .caption\")?.textContent.includes('d = 384')",
        figure("parameter-count")
    ))?;
    let of_model = counts(page, "minilm")?;
    let count = |id: &str| {
        of_model
            .iter()
            .find(|(method, _)| method == id)
            .map(|(_, c)| *c)
    };
    assert_eq!(count("tisa"), Some(3.0 * 5.0 * 12.0 * 6.0));
    assert_eq!(count("learned"), Some(512.0 * 384.0));
    assert_eq!(count("untied"), Some(512.0 * 384.0 + 2.0 * 384.0 * 384.0));
    // The paper's nine numbers, in the file and in the table beside it.
    let nine: Vec<f64> = ["Longformer", "BERT/RoBERTa", "ALBERT"]
        .iter()
        .map(|model| counts(page, model))
        .collect::<Result<Vec<_>>>()?
        .concat()
        .into_iter()
        .map(|(_, count)| count)
        .collect();
    let expected = [
        3_145_728.0,
        4_325_376.0,
        2160.0,
        393_216.0,
        1_572_864.0,
        2160.0,
        65_536.0,
        98_304.0,
        2160.0,
    ];
    assert_eq!(nine, expected);
    let shown = page.eval(
        "[...document.querySelectorAll('.published tbody td')].map(e => +e.textContent.replaceAll(',', ''))",
    )?;
    let shown: Vec<f64> = serde_json::from_value(shown)?;
    assert_eq!(shown, expected);
    // Changing S keeps the model's own n, d, L and H.
    page.fill(".parameter-count input[aria-label='kernels S']", "3")?;
    page.wait_until("location.search.includes('count=3')")?;
    assert_eq!(
        counts(page, "minilm")?[0],
        ("tisa".to_owned(), 3.0 * 3.0 * 12.0 * 6.0)
    );
    Ok(())
}

fn typed_sizes_are_counted(page: &Page) -> Result {
    // In the kernels view the count is folded; links from when it was not name it by its choices.
    page.open("?view=kernels&model=sinusoidal")?;
    page.figure("kernel-attention")?;
    assert_eq!(
        page.eval("!!document.querySelector('#parameter-count')")?,
        json!(false)
    );
    page.open("?view=kernels&model=sinusoidal&count=5")?;
    page.figure("parameter-count")?;
    page.fill(".parameter-count input[aria-label='positions n']", "2048")?;
    // Too large for a width; the field is marked invalid.
    let width = ".parameter-count input[aria-label='width d']";
    page.fill(width, "1e99")?;
    assert_eq!(
        page.attribute(width, "aria-invalid")?.as_deref(),
        Some("true")
    );
    page.fill(width, "100000")?;
    page.fill(".parameter-count input[aria-label='layers L']", "24")?;
    page.fill(".parameter-count input[aria-label='heads H']", "16")?;
    page.wait_until("location.search.includes('count=5,2048,100000,24,16')")?;
    let typed = counts(page, "custom")?;
    assert_eq!(typed[0], ("tisa".to_owned(), 3.0 * 5.0 * 16.0 * 24.0));
    assert_eq!(typed[1], ("learned".to_owned(), 2048.0 * 100_000.0));
    // The link restores the count.
    let link = page.link("parameter-count")?;
    page.goto("about:blank")?;
    page.goto(&link)?;
    page.figure("parameter-count")?;
    assert_eq!(counts(page, "custom")?, typed);
    Ok(())
}

fn tokens_are_shuffled(page: &Page) -> Result {
    page.open("?view=encodings&model=sinusoidal")?;
    let greatest = |page: &Page| -> Result<f64> {
        let changes = page.csv("permutation")?.numbers("change")?;
        Ok(changes.into_iter().fold(0.0, f64::max))
    };
    assert!(greatest(page)? < 1e-12);
    let inside = figure("permutation");
    let choose = |name: &str| {
        page.script(
            "[...document.querySelectorAll(arguments[0] + ' button')].find(b => b.textContent === arguments[1]).click()",
            vec![json!(inside), json!(name)],
        )
    };
    for positions in ["sinusoidal", "TISA kernels"] {
        let painted = page.painted_at("permutation")?;
        choose(positions)?;
        page.painted_since("permutation", painted)?;
        assert!(greatest(page)? > 1e-3, "{positions} change nothing");
    }
    let before = page.csv("permutation")?;
    choose("Shuffle")?;
    assert_ne!(page.csv("permutation")?.rows, before.rows);
    page.fill(&format!("{inside} input[type='text']"), "a b c <b>")?;
    assert_eq!(page.csv("permutation")?.rows.len(), 4);
    choose("Reset")?;
    assert_eq!(greatest(page)?, 0.0);
    Ok(())
}
