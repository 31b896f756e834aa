//! The program that trains: one recipe gives the same bits in every engine, however its steps are asked for.

use base64::{Engine, engine::general_purpose::STANDARD};
use browser::{Page, Result, scenarios};
use diagonal::training::{TrainerRequest, TrainerResponse};
use serde_json::json;
use std::{
    fs,
    path::{Path, PathBuf},
};

scenarios! {
    in_every_engine: [one_recipe_gives_the_same_bits],
    in_chromium: [requests_that_cannot_be_met_get_a_sentence],
}

/// Starts the program, and defines a function that sends it a request with buffers. It returns the last response, and
/// the last buffer that came with any response.
const START: &str = r"(() => {
  const worker = new Worker(document.querySelector('meta[name=trainer]').content, { type: 'module' });
  const open = new Map();
  const ready = new Promise((resolve, reject) => {
    worker.onerror = event => reject(new Error(event.message));
    worker.onmessage = ({ data: [number, tag, bytes, buffers] }) => {
      if (tag === 0) resolve();
      if (tag === 5) open.get(number)?.([...bytes], buffers?.[0]);
    };
  });
  const text = bytes => btoa([...bytes].map(byte => String.fromCharCode(byte)).join(''));
  let last = 0;
  // A snapshot comes before the last response, and only it has a buffer.
  window.ask = async (request, buffer) => {
    await ready;
    const number = last += 1;
    let snapshot = null;
    const bytes = Uint8Array.from(atob(buffer), letter => letter.charCodeAt(0));
    return await new Promise(resolve => {
      open.set(number, (response, file) => {
        if (file) snapshot = text(file); else { open.delete(number); resolve([response, snapshot]); }
      });
      worker.postMessage([number, Uint8Array.from(request), [bytes]]);
    });
  };
  return true;
})()";

/// Sends a request with a text. Returns the last response, and the file of the last snapshot before it.
fn ask(
    page: &Page,
    request: &TrainerRequest,
    text: &[u8],
) -> Result<(TrainerResponse, Option<Vec<u8>>)> {
    let request = worker_protocol::encode(request);
    let call = format!(
        "window.ask({}, {})",
        json!(request),
        json!(STANDARD.encode(text))
    );
    let (response, snapshot): (Vec<u8>, Option<String>) =
        serde_json::from_value(page.eval_async(&call)?)?;
    let response = worker_protocol::decode(&response).ok_or("a response of another kind")?;
    let snapshot = snapshot.map(|snapshot| STANDARD.decode(snapshot));
    Ok((response, snapshot.transpose()?))
}

fn start(page: &Page, recipe: &str, text: &[u8]) -> Result<TrainerResponse> {
    let recipe = recipe.to_owned();
    Ok(ask(page, &TrainerRequest::Start { recipe }, text)?.0)
}

fn open(page: &Page) -> Result {
    page.open("?view=encodings")?;
    page.wait_until("document.querySelector('meta[name=trainer]')")?;
    page.eval(START)?;
    Ok(())
}

/// Trains a recipe to its end, the first steps one by one. Returns the file of its last snapshot.
fn train(page: &Page, recipe: &str, single_steps: u32) -> Result<Vec<u8>> {
    let response = start(page, recipe, b"")?;
    assert!(
        matches!(response, TrainerResponse::Started(_)),
        "{response:?}"
    );
    let (mut asked, mut losses, mut file) = (0, 0, None);
    loop {
        let request = match asked < single_steps {
            true => TrainerRequest::Step,
            false => TrainerRequest::Train,
        };
        asked += 1;
        let (response, snapshot) = ask(page, &request, b"")?;
        let TrainerResponse::Pulse(pulse) = response else {
            return Err(format!("{response:?}").into());
        };
        file = snapshot.or(file);
        losses += pulse.losses.len();
        if asked <= single_steps {
            assert_eq!((pulse.step, pulse.losses.len()), (asked, 1));
        }
        if pulse.is_finished {
            assert_eq!(losses as u32, pulse.step);
            return file.ok_or_else(|| "no snapshot at the end".into());
        }
    }
}

/// Where the file of the last snapshot is stored.
fn stored() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/training/offset2-200-steps.safetensors")
}

fn one_recipe_gives_the_same_bits(page: &Page) -> Result {
    const RECIPE: &str = "offset2.learned-tisa2.n16d16l1h2r2b4.5.200";
    open(page)?;
    let at_once = train(page, RECIPE, 0)?;
    assert!(
        at_once == train(page, RECIPE, 40)?,
        "steps one by one give other bits"
    );
    let expected = fs::read(stored()).unwrap_or_default();
    if at_once != expected {
        let new = std::env::temp_dir().join("offset2-200-steps.safetensors");
        fs::write(&new, &at_once)?;
        return Err(format!(
            "other bits than those stored; they are in {}",
            new.display()
        )
        .into());
    }
    Ok(())
}

/// Fails unless the response is a sentence with a word.
fn failed(response: TrainerResponse, word: &str) -> Result {
    match response {
        TrainerResponse::Failed(sentence) if sentence.contains(word) && sentence.ends_with('.') => {
            Ok(())
        }
        other => Err(format!("{other:?} has no “{word}”").into()),
    }
}

fn requests_that_cannot_be_met_get_a_sentence(page: &Page) -> Result {
    open(page)?;
    failed(ask(page, &TrainerRequest::Train, b"")?.0, "No run")?;
    for (recipe, text, word) in [
        ("chain.cubic.m.1.5", &b""[..], "no encoding"),
        (
            "chain.learned.n300d64l2h4r4b1.1.5",
            b"",
            "between 4 and 256",
        ),
        ("text.learned.m.1.5", b"", "empty"),
        ("text.learned.m.1.5", b"short", "longer text"),
        ("text.learned.m.1.5", &[0xff; 3000], "UTF-8"),
    ] {
        failed(start(page, recipe, text)?, word)?;
    }
    // The program goes on after all of them.
    train(page, "chain.none.n8d8l1h1r1b2.1.3", 1)?;
    Ok(())
}
