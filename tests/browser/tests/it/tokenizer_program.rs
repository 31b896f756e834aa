//! The program that tokenizes: it gives the tokens of the libraries in a browser, too, and refuses damaged files.

use base64::{Engine, engine::general_purpose::STANDARD};
use browser::{Page, Result, scenarios};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};
use text_tokenizer::{TokenizerRequest, TokenizerResponse};
use xtask::minilm::minilm;

scenarios! {
    in_every_engine: [a_program_of_its_own_tokenizes],
    in_chromium: [the_whole_model_comes_with_its_tokenizer],
}

/// Starts the program, and defines a function that sends it a request with files and returns its response.
const START: &str = r"(() => {
  const worker = new Worker(document.querySelector('meta[name=tokenizer]').content, { type: 'module' });
  const open = new Map();
  const ready = new Promise((resolve, reject) => {
    worker.onerror = event => reject(new Error(event.message));
    worker.onmessage = ({ data: [number, tag, bytes] }) => {
      if (tag === 0) resolve();
      if (tag === 2 || tag === 4) open.forEach(answer => answer(null));
      if (tag === 5) open.get(number)([...bytes]);
    };
  });
  let last = 0;
  window.ask = async (request, files) => {
    await ready;
    const number = last += 1;
    const blobs = files.map(file => new Blob([Uint8Array.from(atob(file), letter => letter.charCodeAt(0))]));
    return await new Promise(resolve => {
      open.set(number, resolve);
      worker.postMessage([number, Uint8Array.from(request), blobs]);
    });
  };
  return true;
})()";

/// Sends a request with files to the program.
fn ask(page: &Page, request: &TokenizerRequest, files: &[Vec<u8>]) -> Result<TokenizerResponse> {
    let request = worker_protocol::encode(request);
    let files: Vec<String> = files.iter().map(|file| STANDARD.encode(file)).collect();
    let call = format!("window.ask({}, {})", json!(request), json!(files));
    let response = page.eval_async(&call)?;
    let bytes: Vec<u8> = serde_json::from_value(response)?;
    Ok(worker_protocol::decode(&bytes).ok_or("a response of another kind")?)
}

/// Ids of a text's tokens.
fn ids(page: &Page, text: &str) -> Result<Vec<u32>> {
    let request = TokenizerRequest::Encode {
        text: text.to_owned(),
        limit: usize::try_from(u32::MAX)?,
    };
    match ask(page, &request, &[])? {
        TokenizerResponse::Encoded(encoding) => {
            Ok(encoding.tokens.iter().map(|token| token.id).collect())
        }
        other => Err(format!("{text:?}: {other:?}").into()),
    }
}

fn load(page: &Page, name: &str, file: Vec<u8>) -> Result<TokenizerResponse> {
    let names = vec![name.to_owned()];
    ask(page, &TokenizerRequest::Load { names }, &[file])
}

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/tokenizers")
}

fn read_json(path: &Path) -> Result<Value> {
    Ok(serde_json::from_slice(&fs::read(path)?)?)
}

fn a_program_of_its_own_tokenizes(page: &Page) -> Result {
    page.open("?view=encodings")?;
    page.wait_until("document.querySelector('meta[name=tokenizer]')")?;
    page.eval(START)?;
    let early = ask(page, &TokenizerRequest::Pieces { ids: vec![1] }, &[])?;
    assert!(
        matches!(early, TokenizerResponse::Failed(why) if why.starts_with("No tokenizer is loaded"))
    );
    let texts = read_json(&data().join("texts.json"))?;
    let texts = texts["texts"].as_array().ok_or("no texts")?.iter();
    let texts: Vec<String> = texts
        .map(|entry| {
            let times = entry["times"].as_u64().unwrap_or(1) as usize;
            entry["text"].as_str().unwrap_or_default().repeat(times)
        })
        .collect();
    // A kind of each model, and of each format.
    for (kind, name) in [
        ("bert-uncased", "tokenizer.json"),
        ("llama3", "tokenizer.json"),
        ("xlm-roberta", "tokenizer.json"),
        ("t5", "spiece.model"),
    ] {
        let loaded = load(page, name, fs::read(data().join(kind).join(name))?)?;
        let TokenizerResponse::Loaded(summary) = loaded else {
            return Err(format!("{kind}: {loaded:?}").into());
        };
        assert!(summary.vocabulary_size > 400, "{kind}: {summary:?}");
        let golden = read_json(&data().join(kind).join("golden.json"))?;
        let golden = golden[0]["golden"]["texts"]
            .as_array()
            .ok_or("no golden numbers")?;
        for (text, expected) in texts.iter().zip(golden) {
            assert_eq!(json!(ids(page, text)?), expected["ids"], "{kind}: {text:?}");
        }
    }
    let damaged = load(page, "my/tokenizer.json", b"{\"model\": 3}".to_vec())?;
    assert!(
        matches!(damaged, TokenizerResponse::Failed(why) if why.contains("The file tokenizer.json is no tokenizer"))
    );
    Ok(())
}

/// Ids of the library for MiniLM's own tokenizer.
const MINILM: (&str, &[u32]) = (
    "Élan! The [MASK] tokenizes 1,234 wörter.",
    &[
        101, 3449, 2319, 999, 1996, 103, 19204, 10057, 1015, 1010, 22018, 24185, 19418, 1012, 102,
    ],
);

fn the_whole_model_comes_with_its_tokenizer(page: &Page) -> Result {
    if minilm().is_none() {
        println!("skipped: there is no MiniLM checkpoint");
        return Ok(());
    }
    page.open("?view=encodings")?;
    page.eval(START)?;
    let file = |name: &str| {
        let fetched = format!(
            "fetch('presets/minilm-l6/{name}').then(response => response.arrayBuffer()).then(async bytes => [bytes.byteLength, \
             [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))].map(byte => byte.toString(16).padStart(2, '0')).join('')])"
        );
        page.eval_async(&fetched)
    };
    let manifest = page
        .eval_async("fetch('presets/minilm-l6/manifest.json').then(response => response.json())")?;
    let entries = manifest.as_object().ok_or("no manifest")?;
    assert_eq!(entries.len(), 5, "{manifest}");
    for (name, facts) in entries {
        assert_eq!(
            file(name)?,
            json!([facts["bytes"], facts["sha256"]]),
            "{name}"
        );
    }
    let part = page.eval_async(
        "fetch('presets/minilm-l6/model.safetensors', { headers: { Range: 'bytes=0-7' } })\
         .then(async response => [response.status, (await response.arrayBuffer()).byteLength])",
    )?;
    assert_eq!(part, json!([206, 8]));
    let tokenizer = page.eval_async(
        "fetch('presets/minilm-l6/tokenizer.json').then(response => response.text()).then(text => btoa(unescape(encodeURIComponent(text))))",
    )?;
    let tokenizer = STANDARD.decode(tokenizer.as_str().ok_or("no tokenizer")?)?;
    let TokenizerResponse::Loaded(summary) = load(page, "tokenizer.json", tokenizer)? else {
        return Err("the tokenizer was refused".into());
    };
    assert_eq!(
        (summary.vocabulary_size, summary.special.mask),
        (30_522, Some(103))
    );
    let (text, expected) = MINILM;
    assert_eq!(ids(page, text)?, expected);
    let long = "the quick brown fox jumps over the lazy dog again ".repeat(1000);
    assert_eq!(ids(page, &long)?.len(), 10_002);
    Ok(())
}
