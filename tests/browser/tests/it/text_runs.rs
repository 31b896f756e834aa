//! Runs of models over texts in the page: predictions, parts of scores, orders of heads, consent and storage, means over
//! texts, and hostile texts.

use browser::hub::Hub;
use browser::page::dist;
use browser::table::Table;
use browser::{Page, Result, scenarios};
use safetensors::{Dtype, SafeTensors};
use serde_json::json;
use std::path::Path;
use xtask::root;

use crate::checkpoints::files;
use crate::recovery::STARTED_AGAIN;
use crate::texts::{FIGURES, type_text};

scenarios! {
    in_chromium: [
        predictions_agree_with_the_library,
        parts_of_the_first_layer_add_up,
        heads_are_sorted_and_drawn_as_points,
        a_decoder_names_the_tokens_it_reads,
        a_run_stops_and_starts_again,
        weights_of_another_host_are_fetched_after_consent_and_can_be_deleted,
        means_are_taken_over_all_samples,
        the_first_layer_takes_the_words_of_the_text,
        odd_texts_are_run_or_get_a_sentence,
        a_text_is_run_again_after_the_worker_is_lost,
        steps_with_texts_may_be_passed_quickly,
    ],
}

/// Words of the small models.
const WORDS: [u32; 6] = [3, 7, 11, 7, 5, 2];

/// Largest difference of probabilities. Logits may differ by 1e-4 of their range, which is below 10.
const PROBABILITY: f64 = 1e-3;

/// Opens a small model with its prediction head and runs it over words.
fn run(page: &Page, folder: &str, words: &[u32]) -> Result {
    page.open("?view=text")?;
    let files = files(&format!("forward/{folder}"))?;
    let files: Vec<&Path> = files.iter().map(AsRef::as_ref).collect();
    page.open_files(&files)?;
    page.wait_until("!!document.querySelector('.run-state')")?;
    let words: Vec<String> = words.iter().map(u32::to_string).collect();
    type_text(page, &words.join(" "))?;
    FIGURES.iter().try_for_each(|id| page.figure(id))
}

/// Unfolds a group of figures.
fn unfold(page: &Page, group: &str) -> Result {
    page.click(&format!("#{group} > summary, #{group} summary"))
}

/// A tensor of the golden numbers of a small model in row-major order. Ids are `i32`, all others `f32`.
fn golden(folder: &str, name: &str) -> Result<Vec<f64>> {
    let path = root().join(format!("tests/data/forward/{folder}/golden.safetensors"));
    let bytes = std::fs::read(path)?;
    let file = SafeTensors::deserialize(&bytes)?;
    let tensor = file.tensor(name)?;
    let number = |bytes: &[u8; 4]| match tensor.dtype() {
        Dtype::I32 => f64::from(i32::from_le_bytes(*bytes)),
        _ => f64::from(f32::from_le_bytes(*bytes)),
    };
    let (numbers, _) = tensor.data().as_chunks();
    Ok(numbers.iter().map(number).collect())
}

fn words_of(folder: &str, name: &str) -> Result<Vec<u32>> {
    Ok(golden(folder, name)?.iter().map(|id| *id as u32).collect())
}

fn softmax(logits: &[f64]) -> Vec<f64> {
    let highest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let exponentials: Vec<f64> = logits.iter().map(|logit| (logit - highest).exp()).collect();
    let sum: f64 = exponentials.iter().sum();
    exponentials.iter().map(|value| value / sum).collect()
}

/// A decoder's next word, chosen by a press on a token: the most probable words of the library.
fn predictions_agree_with_the_library(page: &Page) -> Result {
    let ids = words_of("gpt2", "ids.0")?;
    let logits = golden("gpt2", "logits.0")?;
    let words = logits.len() / ids.len();
    run(page, "gpt2", &ids)?;
    unfold(page, "predictions")?;
    for position in [ids.len() - 1, 3] {
        page.click(&format!("[data-token=\"{position}\"]"))?;
        let is_there = |table: &Table| {
            let positions = table.numbers("position").unwrap_or_default();
            !positions.is_empty() && positions.iter().all(|at| *at as usize == position)
        };
        let table = csv_when(page, "text-predictions", is_there)?;
        let expected = softmax(&logits[position * words..][..words]);
        let best = (0..words).max_by(|a, b| expected[*a].total_cmp(&expected[*b]));
        let pieces: Vec<&str> = table.column("piece")?.collect();
        assert_eq!(
            pieces.first().copied(),
            best.map(|word| format!("#{word}")).as_deref()
        );
        for (piece, probability) in pieces.iter().zip(table.numbers("probability")?) {
            let word: usize = piece.trim_start_matches('#').parse()?;
            let difference = (probability - expected[word]).abs();
            assert!(difference < PROBABILITY, "{piece}: {probability}");
        }
    }
    Ok(())
}

/// Downloads the numbers of a figure until they are the expected ones, up to ten times.
fn csv_when(page: &Page, id: &str, is_expected: impl Fn(&Table) -> bool) -> Result<Table> {
    for _ in 0..10 {
        let table = page.csv(id)?;
        if is_expected(&table) {
            return Ok(table);
        }
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    Err(format!("{id} does not become the expected table").into())
}

fn parts_of_the_first_layer_add_up(page: &Page) -> Result {
    run(page, "bert", &WORDS)?;
    unfold(page, "score-parts")?;
    let table = page.csv("text-parts")?;
    assert_eq!(table.columns, ["layer", "head", "part", "share", "r2"]);
    let heads = table.numbers("head")?;
    let shares = table.numbers("share")?;
    for head in [1.0, 2.0] {
        let of_head = heads.iter().zip(&shares).filter(|(of, _)| **of == head);
        let sum: f64 = of_head.map(|(_, share)| share).sum();
        assert!((sum - 1.0).abs() < 1e-5, "head {head}: {sum}");
    }
    Ok(())
}

fn heads_are_sorted_and_drawn_as_points(page: &Page) -> Result {
    run(page, "bert", &WORDS)?;
    let r2 = page.csv("text-head-grid")?.numbers("attention_r2")?;
    page.click_named("sorted")?;
    page.wait_until(
        "new URLSearchParams(location.search).get('text-heads') === 'attention-r2.sorted'",
    )?;
    page.figure("text-head-grid")?;
    let order = page
        .eval("[...document.querySelectorAll('[data-text-head]')].map(b => b.dataset.textHead)")?;
    let mut expected: Vec<usize> = (0..r2.len()).collect();
    expected.sort_by(|a, b| r2[*b].total_cmp(&r2[*a]));
    let expected: Vec<String> = expected
        .iter()
        .map(|at| format!("{}-{}", at / 2 + 1, at % 2 + 1))
        .collect();
    assert_eq!(order, json!(expected));
    page.click_named("points")?;
    page.wait_until(
        "new URLSearchParams(location.search).get('text-heads')?.split('.').length === 3",
    )?;
    page.figure("text-head-grid")?;
    page.click("[data-text-head=\"2-2\"]")?;
    page.wait_until("new URLSearchParams(location.search).get('layer') === '2'")
        .map(drop)
}

/// The layers of a decoder with an encoder read the text behind a start word. Their maps and tokens say so.
fn a_decoder_names_the_tokens_it_reads(page: &Page) -> Result {
    run(page, "bart", &words_of("bart", "encoder.ids.0")?)?;
    page.script(
        "const list = [...document.querySelectorAll('select')].find(list => [...list.options].some(o => o.textContent.includes('decoder')));\
         list.value = [...list.options].find(o => o.textContent.includes('decoder')).value;\
         list.dispatchEvent(new Event('change', { bubbles: true }))",
        vec![],
    )?;
    let seen = words_of("bart", "decoder.ids.0")?;
    let is_seen = |table: &Table| {
        let ids = table.numbers("id").unwrap_or_default();
        ids.iter().map(|id| *id as u32).eq(seen.iter().copied())
    };
    let tokens = csv_when(page, "text-tokens", is_seen)?;
    let pieces: Vec<String> = tokens.column("piece")?.map(str::to_owned).collect();
    let matrix = page.csv("text-matrix")?;
    assert_eq!(matrix.columns.len(), pieces.len());
    assert_eq!(tokens.numbers("special")?.first(), Some(&1.0));
    Ok(())
}

fn a_run_stops_and_starts_again(page: &Page) -> Result {
    page.open("?view=text&model=minilm-l6-whole")?;
    page.wait_until("document.querySelector('.run-state')?.innerText.includes('passed 6 layers')")?;
    // The button is there only while the run is on its way, so the page presses it as soon as it comes.
    page.script(
        "new MutationObserver((_, observer) => {\
           const stop = [...document.querySelectorAll('.run-state button')].find(b => b.textContent === 'Stop');\
           if (stop) { observer.disconnect(); setTimeout(() => stop.click(), 50); }\
         }).observe(document.querySelector('.run-state'), { childList: true, subtree: true })",
        vec![],
    )?;
    type_text(page, &"one word and another ".repeat(120))?;
    // The sentence changes right after the button.
    page.wait_until(
        "[...document.querySelectorAll('.run-state button')].some(b => b.textContent === 'Run again')\
         && !document.querySelector('.run-state').innerText.includes('passed')",
    )?;
    page.click_named("Run again")?;
    page.wait_until("document.querySelector('.run-state')?.innerText.includes('passed 6 layers')")?;
    FIGURES.iter().try_for_each(|id| page.figure(id))
}

/// The weights are asked about, the tokenizer comes from the same place, and the stored bytes are listed and deleted.
fn weights_of_another_host_are_fetched_after_consent_and_can_be_deleted(page: &Page) -> Result {
    let hub = Hub::start(0, false)?;
    hub.put_folder("org/minilm", &dist().join("presets/minilm-l6"))?;
    let url = page.serve_beside(page.content_beside(&hub)?)?;
    page.goto(&format!("{url}?view=text"))?;
    page.wait_until("!!document.querySelector('#from-web')")?;
    page.fill("#from-web", "org/minilm")?;
    page.click(".from-web button")?;
    page.model("org/minilm")?;
    page.wait_until("document.querySelectorAll('[data-token]').length === 17")?;
    let question = page.text(".run-state")?;
    assert!(question.contains("21 MB"), "{question}");
    assert_eq!(
        page.eval("!!document.querySelector('[data-text-head]')")?,
        json!(false)
    );
    page.click(".run-state .primary")?;
    FIGURES.iter().try_for_each(|id| page.figure(id))?;
    page.wait_until("!document.querySelector('.stored-models').hidden")?;
    page.click(".stored-models summary")?;
    page.click(".stored-models button")?;
    page.wait_until("document.querySelector('.stored-models').hidden")?;
    // The run stays open.
    page.figure("text-matrix")
}

fn means_are_taken_over_all_samples(page: &Page) -> Result {
    page.open("?view=text&model=minilm-l6-whole&sample=dog&layer=1&head=3")?;
    page.figure("text-profile")?;
    page.click_named("with all samples")?;
    let are_many = |table: &Table| table.numbers("texts").is_ok_and(|texts| texts[0] == 12.0);
    let table = csv_when(page, "text-profile", are_many)?;
    let at = table.numbers("offset")?.iter().position(|k| *k == -1.0);
    let at = at.ok_or("no offset −1")?;
    let [low, mean, high] = ["low", "mean", "high"].map(|name| Ok(table.numbers(name)?[at]));
    let (low, mean, high): (Result<f64>, Result<f64>, Result<f64>) = (low, mean, high);
    let (low, mean, high) = (low?, mean?, high?);
    assert!(
        0.99 < low && low < mean && mean < high,
        "{low} {mean} {high}"
    );
    Ok(())
}

fn the_first_layer_takes_the_words_of_the_text(page: &Page) -> Result {
    run(page, "bert", &WORDS)?;
    page.view("kernels")?;
    page.wait_until("!!document.querySelector('#first-layer')")?;
    unfold(page, "first-layer")?;
    page.click_named("Words of the open text")?;
    page.wait_until("new URLSearchParams(location.search).get('words') === '3 7 11 7 5 2'")?;
    page.figure("first-layer-embeddings")
}

/// Each text is run, or a sentence beside the box says why not. Nothing open is lost.
fn odd_texts_are_run_or_get_a_sentence(page: &Page) -> Result {
    page.open("?view=text&model=minilm-l6-whole")?;
    page.wait_until("document.querySelector('.run-state')?.innerText.includes('passed 6 layers')")?;
    for (name, text) in [
        ("nothing", "''"),
        ("spaces", "'   \\n\\t '"),
        ("one word", "'dog'"),
        ("NUL", "'a\\u0000b'"),
        ("lone surrogates", "'a\\ud800b \\udfff'"),
        ("combining marks", "'e' + '\\u0301'.repeat(10000)"),
        (
            "right to left",
            "'\\u0634\\u0644\\u0627\\u0645 \\u05e9\\u05dc\\u05d5\\u05dd'",
        ),
        (
            "emoji",
            "'\\u{1f469}\\u200d\\u{1f680} \\u{1f1eb}\\u{1f1f7}'",
        ),
        ("200 kB", "'word '.repeat(40000)"),
        ("a tag", "'<img src=x onerror=alert(1)>'"),
    ] {
        page.script(
            &format!(
                "const field = document.querySelector('textarea[aria-label=Text]');\
                 document.querySelector('.progress').dataset.before = field.value;\
                 field.value = {text};\
                 field.dispatchEvent(new Event('input', {{ bubbles: true }}))"
            ),
            vec![],
        )?;
        std::thread::sleep(std::time::Duration::from_millis(300));
        page.wait_until(
            "document.querySelector('.progress').textContent.includes('passed 6 layers')\
             || document.querySelector('.run-state .hint').textContent.endsWith('.')",
        )
        .map_err(|error| format!("{name}: {error}"))?;
        assert_eq!(page.current_model()?, "minilm-l6-whole", "{name}");
        assert_eq!(
            page.eval("document.querySelectorAll('img').length")?,
            json!(0),
            "{name}"
        );
    }
    // A long text is cut, and the page says where.
    type_text(page, &"word ".repeat(40_000))?;
    page.wait_until(
        "document.querySelector('.run-state .hint').textContent.includes('512 tokens')",
    )?;
    page.figure("text-matrix")
}

/// The states of the run are lost with the worker. Another head still opens.
fn a_text_is_run_again_after_the_worker_is_lost(page: &Page) -> Result {
    run(page, "bert", &WORDS)?;
    page.script("probe.loseWorker(probe.workers[0], 'trap')", vec![])?;
    page.wait_until(STARTED_AGAIN)?;
    page.click("[data-text-head=\"2-2\"]")?;
    page.wait_until("new URLSearchParams(location.search).get('layer') === '2'")?;
    FIGURES.iter().try_for_each(|id| page.figure(id))?;
    let caption = "document.querySelector('[data-figure=text-matrix]').textContent.includes('Head 2 of layer 2')";
    page.wait_until(caption).map(drop)
}

/// While the next step is computed ahead, two views ask for runs. Neither takes the other's away.
fn steps_with_texts_may_be_passed_quickly(page: &Page) -> Result {
    const STEPS: usize = 12;
    page.open("?lesson=11-words")?;
    for (label, last) in [("Next step", STEPS), ("Back to the step before", 1)] {
        for pause in [40, 700, 150, 1500, 40, 400, 40, 900, 40, 2500, 40] {
            page.script(
                "document.querySelector(`.lesson [aria-label='${arguments[0]}']`).click()",
                vec![json!(label)],
            )?;
            std::thread::sleep(std::time::Duration::from_millis(pause));
        }
        let place = format!("{last} of {STEPS}");
        page.wait_until(&format!(
            "document.querySelector('.lesson .place')?.textContent === '{place}'\
             && document.querySelectorAll('figure[data-lit]').length === 2\
             && [...document.querySelectorAll('figure[data-lit]')].every(f => f.dataset.state === 'ready')"
        ))?;
    }
    Ok(())
}
