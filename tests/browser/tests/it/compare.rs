//! Compares models side by side and training runs as a timeline with golden numbers.

use std::fs;
use std::path::PathBuf;

use browser::session::key;
use browser::{Page, Result, scenarios};
use serde_json::{Value, json};
use xtask::root;

use crate::golden::{R2, near};

scenarios! {
    in_every_engine: [
        the_focus_follows_what_was_pressed,
    ],
    in_chromium: [
        models_stand_side_by_side,
        matrices_are_saved_as_one_figure,
        waves_of_all_models_share_their_axes,
        a_run_is_a_timeline,
        names_without_steps_are_ordered_by_hand,
        heads_chosen_anew_are_read_anew,
        a_model_has_one_name,
    ],
}

/// Steps of the snapshots.
pub(crate) const STEPS: [u64; 5] = [0, 100, 500, 1000, 2000];
/// Number of position matrices that are shown.
pub(crate) const MATRICES: &str = "document.querySelectorAll(\"figure[data-figure='position-matrix'][data-state='ready']\").length";

/// Name of a snapshot.
pub(crate) fn snapshot(step: u64) -> String {
    format!("checkpoint-{step}")
}

fn snapshot_file(step: u64) -> PathBuf {
    let folder = root().join("tests/data/snapshots");
    folder.join(format!("{}.safetensors", snapshot(step)))
}

fn golden() -> Result<Value> {
    let text = fs::read_to_string(root().join("tests/data/snapshots/golden.json"))?;
    Ok(serde_json::from_str(&text)?)
}

/// Opens the five snapshots, the newest first: their order comes from their names, not from their arrival.
pub(crate) fn open_snapshots(page: &Page, view: &str) -> Result {
    page.open(&format!("?view={view}&model=sinusoidal"))?;
    let mut files: Vec<PathBuf> = STEPS
        .iter()
        .rev()
        .map(|step| snapshot_file(*step))
        .collect();
    files.push(root().join("tests/data/snapshots/config.json"));
    let files: Vec<_> = files.iter().map(PathBuf::as_path).collect();
    page.open_files(&files)?;
    page.wait_until(&format!(
        "[...document.querySelectorAll('.shelf [data-model]')].filter(e => e.dataset.model.startsWith('checkpoint-')).length === {}",
        STEPS.len()
    ))
    .map(drop)
}

fn models_stand_side_by_side(page: &Page) -> Result {
    open_snapshots(page, "compare")?;
    // The computed table was already open; the other computed one was added automatically.
    page.wait_until(&format!("{MATRICES} === 7"))?;
    let golden = golden()?;
    let scores = page.csv("model-scores")?;
    assert_eq!(scores.columns[..4], ["model", "scope", "rows", "r2"]);
    assert_eq!(
        scores.columns[4..],
        ["r2_off_diagonal", "r2_random", "r2_off_diagonal_random"]
    );
    let (models, scopes) = (scores.column("model")?, scores.column("scope")?);
    let r2 = scores.numbers("r2")?;
    let mut found = 0;
    for ((model, scope), r2) in models.zip(scopes).zip(r2) {
        let step = STEPS.iter().find(|step| snapshot(**step) == model);
        if let (Some(step), "whole") = (step, scope) {
            let expected = &golden["steps"][step.to_string()]["inner_product_r2"];
            near(model, r2, expected.as_f64().ok_or("no golden R²")?, R2)?;
            found += 1;
        }
    }
    assert_eq!(found, STEPS.len());

    let profiles = page.csv("compare-profiles")?;
    assert_eq!(profiles.columns[..3], ["model", "offset", "mean"]);
    let of_last: Vec<f64> = profiles
        .column("model")?
        .zip(profiles.numbers("mean")?)
        .filter(|(model, _)| *model == snapshot(2000))
        .map(|(_, mean)| mean)
        .collect();
    let expected = crate::golden::numbers(&golden["steps"]["2000"]["inner_product_diagonal_mean"]);
    assert_eq!(of_last.len(), expected.len());
    for (mean, expected) in of_last.into_iter().zip(expected) {
        near("a diagonal mean", mean, expected, 1e-4)?;
    }

    // Pointing at one matrix highlights the same offset in all: an overlay is painted above every matrix.
    page.point(
        "figure[data-model='checkpoint-500'] .figure-view",
        0.75,
        0.25,
    )?;
    page.wait_until(
        "(all => all.length === 7 && all.every(c => c.width > 0 && \
         new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer).some(p => p !== 0)))\
         ([...document.querySelectorAll('.multiple .overlay')])",
    )?;
    page.wait_until("(all => all.length === 7 && all.every(e => /f.k. [−0-9]/.test(e.textContent)))([...document.querySelectorAll('.multiple .accent')])")?;

    // A deselected model disappears from every figure, and comes back.
    page.click("figure[data-model='sinusoidal'] input[type='checkbox']")?;
    page.wait_until(&format!("{MATRICES} === 6"))?;
    let left = page.csv("model-scores")?;
    assert!(left.column("model")?.all(|model| model != "sinusoidal"));
    page.click(".left-out input")?;
    page.wait_until(&format!("{MATRICES} === 7"))?;

    // Heads of one model, on request. Snapshots of a table alone have none.
    let bert = root().join("tests/data/bert");
    page.open_files(&[&bert.join("model.safetensors"), &bert.join("config.json")])?;
    page.wait_until(&format!("{MATRICES} === 8"))?;
    page.click("button[data-read]")?;
    let all = "document.querySelector(\"figure[data-figure='compare-heads'][data-state='ready']\")";
    page.wait_until(&format!("!!{all}"))?;
    let heads = page.csv("compare-heads")?;
    assert_eq!(heads.columns[..4], ["model", "layer", "head", "r2"]);
    let text = fs::read_to_string(bert.join("golden.json"))?;
    let golden: Value = serde_json::from_str(&text)?;
    let expected = golden["layer0_heads_paper"].as_array().ok_or("no heads")?;
    let found = heads.numbers("r2")?;
    assert!(found.len() >= expected.len() && !expected.is_empty());
    for (r2, expected) in found.into_iter().zip(expected) {
        near(
            "R² of a head",
            r2,
            expected["r2"].as_f64().ok_or("no R²")?,
            R2,
        )?;
    }
    Ok(())
}

/// One picture of all matrices, as fine as its dots, and one row of numbers for each model.
fn matrices_are_saved_as_one_figure(page: &Page) -> Result {
    page.open("?view=compare&model=minilm-l6")?;
    page.wait_until(&format!("{MATRICES} === 3"))?;
    let numbers = page.csv("compare-matrices")?;
    assert_eq!(
        numbers.columns,
        [
            "panel",
            "model",
            "n",
            "r2",
            "r2_off_diagonal",
            "least",
            "greatest",
            "scale_least",
            "scale_greatest",
            "block"
        ]
    );
    assert_eq!(
        numbers.column("panel")?.collect::<Vec<_>>(),
        ["a", "b", "c"]
    );
    let at = numbers
        .column("model")?
        .position(|model| model == "minilm-l6");
    let at = at.ok_or("MiniLM is missing")?;
    near(
        "R² of MiniLM",
        numbers.numbers("r2_off_diagonal")?[at],
        0.4772,
        2e-4,
    )?;
    let file = page.download("compare-matrices", "SVG")?;
    assert!(
        file.name.starts_with("diagonal-compare-matrices"),
        "{}",
        file.name
    );
    let svg = String::from_utf8(file.bytes)?;
    for label in [
        "a",
        "b",
        "c",
        "minilm-l6",
        "R² 0.477, n = 512",
        "Position matrices of all open models",
    ] {
        assert!(svg.contains(&format!("aria-label=\"{label}\"")), "{label}");
    }
    assert!(
        svg.matches("<image").count() >= 4,
        "three matrices and a bar"
    );
    Ok(())
}

/// Behind a fold: one line for each model with a table, and a sentence about the one without.
fn waves_of_all_models_share_their_axes(page: &Page) -> Result {
    page.open("?view=compare&model=minilm-l6&more=compared-waves")?;
    page.wait_until(&format!("{MATRICES} === 3"))?;
    let t5 = root().join("tests/data/t5");
    page.open_files(&[&t5.join("model.safetensors"), &t5.join("config.json")])?;
    page.wait_until(&format!("{MATRICES} === 4"))?;
    for (id, columns) in [
        ("compare-spectra", ["model", "frequency"]),
        ("compare-components", ["model", "component"]),
    ] {
        page.figure(id)?;
        let absent = format!(
            "document.querySelector(\"figure[data-figure='{id}'] .summary\").textContent.includes('no position table')"
        );
        page.wait_until(&absent)?;
        let numbers = page.csv(id)?;
        assert_eq!(numbers.columns[..2], columns);
        let mut models: Vec<&str> = numbers.column("model")?.collect();
        models.dedup();
        assert_eq!(models.len(), 3, "{models:?}");
        assert!(models.contains(&"minilm-l6"));
    }
    // Heads are read on request, in this figure and in the one of R².
    page.click("#compare-shifts button[data-read='minilm-l6']")?;
    page.figure("compare-shifts")?;
    let shifts = page.csv("compare-shifts")?;
    assert_eq!(shifts.rows.len(), 6 * 12);
    let (layers, heads) = (shifts.numbers("layer")?, shifts.numbers("head")?);
    let places = layers.into_iter().zip(heads);
    // The head of which the guide of its rotation speaks.
    let row = places.into_iter().position(|place| place == (1.0, 3.0));
    let row = row.ok_or("no such head")?;
    near("a shift", shifts.numbers("shift")?[row], 0.96, 0.005)?;
    page.wait_until("!document.querySelector(\"#compare-heads button[data-read='minilm-l6']\")")
        .map(drop)
}

fn a_run_is_a_timeline(page: &Page) -> Result {
    open_snapshots(page, "training")?;
    page.wait_until("document.querySelectorAll('[data-snapshot]').length === 5")?;
    let golden = golden()?;
    page.figure("training-matrix")?;
    page.figure("training-table")?;
    page.wait_until("!document.querySelector('.snapshots').textContent.includes('…')")?;
    let curves = page.csv("training-curves")?;
    assert_eq!(
        curves.columns[..5],
        [
            "step",
            "model",
            "r2",
            "mean_autocorrelation",
            "r2_off_diagonal"
        ]
    );
    assert_eq!(curves.numbers("step")?, STEPS.map(|step| step as f64));
    for (step, r2) in STEPS.iter().zip(curves.numbers("r2")?) {
        let expected = &golden["steps"][step.to_string()]["inner_product_r2"];
        near("R²", r2, expected.as_f64().ok_or("no golden R²")?, R2)?;
    }
    let smooth = curves.numbers("mean_autocorrelation")?;
    assert!(smooth[4] > 2.0 * smooth[0], "{smooth:?}");

    // The slider moves by keys, from step to step.
    let value_text = "document.querySelector('.transport input').getAttribute('aria-valuetext')";
    assert_eq!(page.eval(value_text)?, json!("step 0"));
    page.script("document.querySelector('.transport input').focus()", vec![])?;
    page.keys(&[key::RIGHT, key::RIGHT])?;
    page.wait_until(&format!("{value_text} === 'step 500'"))?;
    page.wait_until("document.querySelector(\"figure[data-figure='training-matrix']\").textContent.includes('R² of 0.388')")?;
    let matrix = page.csv("training-matrix")?;
    assert_eq!((matrix.rows.len(), matrix.columns.len()), (48, 48));
    near(
        "a cosine with itself",
        matrix.rows[7][7].parse()?,
        1.0,
        1e-4,
    )?;

    // Playing continues to the last step and stops there.
    page.click(".transport .play")?;
    page.wait_until(&format!("{value_text} === 'step 2000'"))?;
    page.wait_until("document.querySelector('.transport .play').textContent === 'Play'")?;
    Ok(())
}

fn names_without_steps_are_ordered_by_hand(page: &Page) -> Result {
    // Engines are tested in parallel, each with its own files.
    let folder = format!(
        "diagonal-by-hand-{}-{}",
        page.engine.name(),
        std::process::id()
    );
    let folder = std::env::temp_dir().join(folder);
    fs::create_dir_all(&folder)?;
    let files: Vec<PathBuf> = ["early", "middle", "late"]
        .iter()
        .map(|name| folder.join(format!("{name}.safetensors")))
        .collect();
    for (file, step) in files.iter().zip([0, 500, 2000]) {
        fs::copy(snapshot_file(step), file)?;
    }
    page.open("?view=training&model=sinusoidal")?;
    page.open_files(&[&files[2], &files[0], &files[1]])?;
    page.wait_until("document.querySelectorAll('[data-snapshot]').length === 3")?;
    let order =
        "[...document.querySelectorAll('[data-snapshot]')].map(e => e.dataset.snapshot).join(' ')";
    for _ in 0..3 {
        let now = page.eval(order)?;
        let late_is_last = now.as_str().is_some_and(|order| order.ends_with("late"));
        if !late_is_last {
            page.click("button[aria-label='Move late down']")?;
            page.wait_until(&format!("{order} !== {now}"))?;
        }
    }
    if page.eval(order)? == json!("middle early late") {
        page.click("button[aria-label='Move early up']")?;
    }
    page.wait_until(&format!("{order} === 'early middle late'"))?;
    let curves = page.csv("training-curves")?;
    assert_eq!(curves.numbers("step")?, [1.0, 2.0, 3.0]);
    let r2 = curves.numbers("r2")?;
    assert!(r2[0] < r2[1] && r2[1] < r2[2], "{r2:?}");
    fs::remove_dir_all(folder)?;
    Ok(())
}

fn heads_chosen_anew_are_read_anew(page: &Page) -> Result {
    const LAYERS: usize = 2;
    // Without its config.json the file does not say how many heads there are.
    page.open("?view=compare&model=sinusoidal")?;
    page.open_files(&[&root().join("tests/data/bert/model.safetensors")])?;
    page.wait_until(&format!("{MATRICES} === 3"))?;
    let read = |heads: usize| -> Result<Vec<f64>> {
        page.wait_until("!!document.querySelector(\"button[data-read], figure[data-figure='compare-heads'][data-state='ready']\")")?;
        if page.eval("!!document.querySelector('button[data-read]')")? == json!(true) {
            page.click("button[data-read]")?;
        }
        page.figure("compare-heads")?;
        let start = std::time::Instant::now();
        loop {
            let table = page.csv("compare-heads")?;
            // The previous number of heads is gone: no row of it is left among the new ones.
            let (layers, of_layer) = (table.numbers("layer")?, table.numbers("head")?);
            let most = of_layer.iter().copied().fold(0.0, f64::max);
            let complete = layers.len() == LAYERS * heads && most == heads as f64;
            if complete {
                return table.numbers("r2");
            }
            if start.elapsed() > browser::session::PATIENCE {
                return Err(format!(
                    "{} rows for {heads} heads, the last is head {most}",
                    layers.len()
                )
                .into());
            }
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
    };
    let mut seen: Vec<Vec<f64>> = Vec::new();
    for heads in [4, 2, 8] {
        crate::models::choose_heads(page, heads)?;
        page.wait_until(&format!(
            "document.querySelector('.details .assumed select')?.selectedOptions[0].textContent === '{heads}'"
        ))?;
        let r2 = read(heads as usize)?;
        assert!(!seen.contains(&r2), "the numbers of other heads");
        seen.push(r2);
    }
    // Change the number of heads while they are being read: late results are discarded.
    page.script(
        "const select = document.querySelector('.details .assumed select');\
         const choose = heads => { const s = document.querySelector('.details .assumed select');\
           s.value = [...s.options].find(o => o.textContent === heads).value; s.dispatchEvent(new Event('change', { bubbles: true })); };\
         choose('4'); choose('2')",
        Vec::new(),
    )?;
    page.wait_until(
        "document.querySelector('.details .assumed select')?.selectedOptions[0].textContent === '2'",
    )?;
    assert_eq!(read(2)?, seen[1]);
    Ok(())
}

/// A model's checkbox and the button that reads its heads are removed when pressed; the keyboard focus then moves to
/// their replacement.
fn the_focus_follows_what_was_pressed(page: &Page) -> Result {
    let focus = |css: &str| {
        page.script(
            "document.querySelector(arguments[0]).focus()",
            vec![json!(css)],
        )?;
        // Leave and return by keyboard, for visible focus.
        page.keys(&[key::TAB])?;
        page.chord(&[key::SHIFT], key::TAB)
    };
    let focused = |css: &str| {
        page.wait_until(&format!("document.activeElement.matches({})", json!(css)))
            .map(drop)
    };
    // The computed tables are added to the open model automatically.
    page.open("?view=compare&model=minilm-l6")?;
    page.wait_until(&format!("{MATRICES} === 3"))?;
    let of_random = "figure[data-model='random'] input[type='checkbox']";
    focus(of_random)?;
    page.keys(&[' '])?;
    focused(".left-out input[type='checkbox']")?;
    page.keys(&[' '])?;
    focused(of_random)?;
    focus("button[data-read]")?;
    page.keys(&[key::ENTER])?;
    focused("#compare-heads .figure-view")
}

/// Most files are called `model.safetensors`, so models are named by family and size, everywhere. A name that a visitor
/// assigns also appears everywhere.
fn a_model_has_one_name(page: &Page) -> Result {
    page.open("?view=positions&model=sinusoidal")?;
    for (name, folder) in [("BERT 96×64", "bert"), ("BERT 96×64 (2)", "bert-f16")] {
        let folder = root().join("tests/data").join(folder);
        page.open_files(&[
            &folder.join("model.safetensors"),
            &folder.join("config.json"),
        ])?;
        page.model(name)?;
        page.figure("toeplitz-scores")?;
        let file = page.download("toeplitz-scores", "CSV")?.name;
        let in_files = name.replace([' ', '×'], "-").replace(['(', ')'], "");
        assert_eq!(file, format!("diagonal-toeplitz-scores-{in_files}.csv"));
    }
    page.view("encodings")?;
    page.wait_until("/Learned parameters for positions in BERT 96×64 \\(2\\), with/.test(document.querySelector('#parameter-count .caption')?.textContent)")?;
    page.view("encodings")?;
    page.figure("flat-lines")?;
    page.click_named("open table")?;
    page.wait_until("/i \\+ d of BERT 96×64 \\(2\\), over i/.test(document.querySelector('#flat-lines .caption')?.textContent)")?;
    page.view("compare")?;
    page.wait_until(&format!("{MATRICES} === 3"))?;
    assert_eq!(
        page.eval("[...document.querySelectorAll('.multiple h3')].map(e => e.textContent)")?,
        json!(["sinusoidal", "BERT 96×64", "BERT 96×64 (2)"])
    );
    let scores = page.csv("model-scores")?;
    assert!(
        scores
            .column("model")?
            .any(|model| model == "BERT 96×64 (2)")
    );
    // A picture of a model names its table.
    page.press_in_save_menu("figure[data-model='BERT 96×64 (2)']", "Download SVG")?;
    let saved = page.next_download()?;
    assert_eq!(saved.name, "diagonal-position-matrix-BERT-96-64-2.svg");
    let text = String::from_utf8_lossy(&saved.bytes);
    assert!(text.contains("BERT 96×64 (2), ") && text.contains("position table hash"));
    // An assigned name appears everywhere too, and is made unique.
    page.view("positions")?;
    let rename = |name: &str| {
        page.script(
            "const field = [...document.querySelectorAll('.details label')].find(e => e.textContent === 'Name').querySelector('input');\
             field.value = arguments[0]; field.dispatchEvent(new Event('change', { bubbles: true }))",
            vec![json!(name)],
        )
    };
    rename("  half\u{7} precision ")?;
    page.model("half precision")?;
    rename("BERT 96×64")?;
    page.model("BERT 96×64 (2)")?;
    rename("   ")?;
    page.model("BERT 96×64 (2)")?;
    rename("half precision")?;
    page.view("compare")?;
    page.wait_until("[...document.querySelectorAll('.multiple h3')].some(e => e.textContent === 'half precision')")?;
    // The link names the file by its own name.
    assert!(page.copied_link()?.contains("model.safetensors"));
    Ok(())
}
