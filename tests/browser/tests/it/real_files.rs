//! Files as people have them (`tests/data/cases`), one of each kind: they open by themselves, every part can be chosen, and
//! the tensors of any file can be chosen by hand.

use std::path::PathBuf;

use browser::{Page, Result, scenarios};
use serde_json::{Value, json};

scenarios! {
    in_chromium: [
        files_of_every_kind_open_with_the_right_numbers,
        every_part_can_be_chosen,
        tensors_are_chosen_by_hand_and_kept_in_the_link,
        other_tensors_can_be_chosen_and_the_choice_cancelled,
    ],
}

/// Cases that open as one table: a wrapper in names, other libraries' names, an unusual shape, quantised queries, a table
/// beside angles.
const TABLES: &[&str] = &[
    "fsdp-checkpointed-gpt2",
    "fairseq-roberta",
    "torchvision-vit",
    "nanogpt-compiled",
    "sam-encoder",
    "opt-gptq",
    "tutorial-pe",
    "eva02",
    "llms-from-scratch",
];

fn open_case(page: &Page, name: &str) -> Result<Value> {
    let folder = xtask::root().join("tests/data/cases").join(name);
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(&folder)? {
        let path = entry?.path();
        if !path.ends_with("expected.json") {
            files.push(path);
        }
    }
    files.sort();
    let files: Vec<_> = files.iter().map(PathBuf::as_path).collect();
    page.open_files(&files)?;
    Ok(serde_json::from_str(&std::fs::read_to_string(
        folder.join("expected.json"),
    )?)?)
}

/// Waits until the headline shows R² of a case: by (Δy, Δx) for patches.
fn shows(page: &Page, expected: &Value, what: &str) -> Result {
    let r2 = expected["r2_2d"].as_f64().or(expected["r2_whole"].as_f64());
    let r2 = r2.ok_or("no R²")?;
    let shown = page.table_r2(r2, 6e-5);
    shown.map_err(|error| format!("{what}: {error}; {:?}", page.message()))?;
    // Names and titles of any length stay in the list of models.
    let wide = page.eval(
        "(() => {\
           const shelf = document.querySelector('.shelf'), notes = shelf.querySelector('.notes');\
           if (notes) notes.open = true;\
           const right = shelf.getBoundingClientRect().right;\
           return [...shelf.querySelectorAll('*')].filter(e => e.getBoundingClientRect().right > right + 1)\
               .map(e => e.outerHTML.slice(0, 100)); })()",
    )?;
    assert_eq!(wide, json!([]), "{what}");
    Ok(())
}

fn files_of_every_kind_open_with_the_right_numbers(page: &Page) -> Result {
    page.open("?model=sinusoidal")?;
    for name in TABLES {
        let expected = open_case(page, name)?;
        shows(page, &expected, name)?;
        if let Some(words) = expected["must_say"].as_str() {
            let notes = page.eval("document.querySelector('.details .notes').textContent")?;
            let notes = notes.as_str().unwrap_or_default();
            assert!(notes.contains(words), "{name}: {notes}");
        }
    }
    Ok(())
}

/// Chooses a part by its title in the select of positions.
fn choose_part(page: &Page, title: &str) -> Result {
    page.script(
        "const select = [...document.querySelectorAll('.details select')].find(select => [...select.options].some(option => option.text === arguments[0]));\
         select.value = [...select.options].find(option => option.text === arguments[0]).value;\
         select.dispatchEvent(new Event('change', { bubbles: true }))",
        vec![json!(title)],
    )
    .map(drop)
}

fn every_part_can_be_chosen(page: &Page) -> Result {
    page.open("?model=sinusoidal")?;
    for (name, parts) in [
        (
            "vit-gpt2",
            [("decoder", "decoder: GPT-2"), ("encoder", "encoder: ViT")],
        ),
        (
            "mae-two-tables",
            [("decoder", "decoder"), ("encoder", "encoder")],
        ),
        (
            "layoutlm",
            [
                ("box-x", "left and right edges of boxes"),
                ("positions", "positions"),
            ],
        ),
    ] {
        let expected = open_case(page, name)?;
        let first = parts[1].0;
        shows(page, &expected["parts"][first], name)?;
        for (id, title) in parts {
            choose_part(page, title)?;
            shows(page, &expected["parts"][id], &format!("{name}, {id}"))?;
        }
    }
    Ok(())
}

/// Presses the button that opens the chooser for the open model.
fn ask_for_tensors(page: &Page) -> Result {
    let button = "[...document.querySelectorAll('.details button')].find(button => button.textContent === 'Choose other tensors')";
    page.wait_until(&format!("!!{button}"))?;
    page.script(&format!("{button}.click()"), Vec::new())?;
    page.wait_until("!!document.querySelector('.chooser')")
        .map(drop)
}

/// Marks a tensor of the chooser in a role.
fn mark(page: &Page, role: &str, tensor: &str) -> Result {
    page.click(&format!(".chooser [aria-label='{role}: {tensor}']"))
}

fn tensors_are_chosen_by_hand_and_kept_in_the_link(page: &Page) -> Result {
    page.open("?model=sinusoidal")?;
    let expected = open_case(page, "torchvision-vit")?;
    shows(page, &expected, "by itself")?;
    ask_for_tensors(page)?;
    let stem = "encoder.layers.encoder_layer_0.self_attention.in_proj_weight";
    mark(page, "queries", stem)?;
    mark(page, "keys", stem)?;
    for (name, count) in [
        ("Rows to leave out at the beginning", "1"),
        ("Patches: rows", "8"),
        ("Patches: columns", "8"),
        ("Heads per layer", "4"),
    ] {
        page.fill(&format!(".chooser input[aria-label='{name}']"), count)?;
    }
    page.click(".chooser .tensor[title='encoder.pos_embedding']")?;
    page.wait_until("!document.querySelector('.chooser')")?;
    shows(page, &expected, "by hand")?;
    let search = page.eval("location.search")?;
    let search = search.as_str().unwrap_or_default();
    for part in [
        "rows-out=1-0",
        "image-shape=8x8",
        "heads=4",
        "table=encoder.pos_embedding",
    ] {
        assert!(search.contains(part), "{search}");
    }
    let notes = page.eval("document.querySelector('.details .notes').textContent")?;
    let notes = notes.as_str().unwrap_or_default();
    assert!(!notes.contains("The file has n"), "{notes}");
    // The heads of the first layer are there.
    page.view("heads")?;
    page.figure("head-matrix")
}

fn other_tensors_can_be_chosen_and_the_choice_cancelled(page: &Page) -> Result {
    page.open("?model=minilm-l6")?;
    page.table_r2(0.4742, 5e-5)?;
    ask_for_tensors(page)?;
    let text = page.text(".chooser")?;
    assert!(text.contains("The family of this file is known"), "{text}");
    page.click(".chooser header button")?;
    page.wait_until("!document.querySelector('.chooser')")?;
    page.table_r2(0.4742, 5e-5)?;
    // Words of the preset's table, which are no positions, can be looked at.
    ask_for_tensors(page)?;
    page.click(".chooser li:nth-child(1) .tensor")?;
    page.wait_until("!document.querySelector('.chooser')")?;
    page.figure("position-matrix")
}
