//! Performances of models, which a visitor types or takes from a table, beside R².

use browser::{Page, Result, scenarios};
use serde_json::json;

use crate::compare::{MATRICES, open_snapshots, snapshot};

scenarios! {
    in_chromium: [
        performance_is_typed_beside_a_model,
        performances_come_from_a_table,
    ],
}

fn performance_is_typed_beside_a_model(page: &Page) -> Result {
    open_snapshots(page, "compare")?;
    page.wait_until(&format!("{MATRICES} === 7"))?;
    let typed = [(0, 60.0), (1000, 80.5), (2000, 82.0)];
    for (step, performance) in typed {
        let field = format!("[data-performance='{}'] input", snapshot(step));
        page.fill(&field, &performance.to_string())?;
    }
    page.wait_until("/n = 3 models/.test(document.querySelector(\"figure[data-figure='r2-performance']\").textContent)")?;
    let points = page.csv("r2-performance")?;
    assert_eq!(points.columns[..3], ["model", "r2", "performance"]);
    let mut found: Vec<_> = points
        .column("model")?
        .zip(points.numbers("performance")?)
        .map(|(model, number)| (model.to_owned(), number))
        .collect();
    found.sort_by(|a, b| a.1.total_cmp(&b.1));
    assert_eq!(found, typed.map(|(step, number)| (snapshot(step), number)));
    Ok(())
}

fn performances_come_from_a_table(page: &Page) -> Result {
    const OUTCOME: &str = "document.querySelector('#score-table-outcome').textContent";
    open_snapshots(page, "compare")?;
    page.wait_until(&format!("{MATRICES} === 7"))?;
    page.click(".score-table > summary")?;
    let take = |text: &str| {
        page.fill("#score-table", text)?;
        page.click_named("Take scores")
    };
    let (first, second) = (snapshot(0), snapshot(1000));
    take(&format!("{first},sixty"))?;
    page.wait_until(&format!("{OUTCOME} === 'There is no score in this table. Write one row per model: its name, a comma, its score.'"))?;
    take(&format!("model;score\n{first};6o"))?;
    page.wait_until(&format!(
        "{OUTCOME}.startsWith('Row 2: “6o” is not a number.')"
    ))?;
    assert_eq!(
        page.attribute("#score-table", "aria-invalid")?.as_deref(),
        Some("true")
    );
    take(&format!(
        "Model;Score\n{};60\n{second};80,5\nother;1",
        first.to_uppercase()
    ))?;
    page.wait_until(&format!(
        "{OUTCOME}.startsWith('2 scores were taken. No open model is called “other”.')"
    ))?;
    let value = |name: &str| {
        page.eval(&format!(
            "document.querySelector(\"[data-performance='{name}'] input\").value"
        ))
    };
    assert_eq!(
        (value(&first)?, value(&second)?),
        (json!("60"), json!("80.5"))
    );
    // A file, as a file chooser hands it over.
    page.script(
        "const field = document.querySelector('.score-table input[type=file]'), files = new DataTransfer();\
         files.items.add(new File([arguments[0]], 'scores.tsv')); field.files = files.files;\
         field.dispatchEvent(new Event('change', { bubbles: true }))",
        vec![json!(format!("{}\t82", snapshot(2000)))],
    )?;
    page.wait_until(&format!("{OUTCOME} === 'One score was taken.'"))?;
    page.wait_until("/n = 3 models/.test(document.querySelector(\"figure[data-figure='r2-performance']\").textContent)")?;
    Ok(())
}
