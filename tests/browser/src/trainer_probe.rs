//! Talks to the program that trains, as the page does.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use diagonal::training::{TrainerRequest, TrainerResponse, TrainingPulse};
use serde_json::json;

use crate::{Page, Result};

/// Starts the program, and defines a function that sends it a request with a buffer. It returns every response to the
/// request, each with the buffer that came with it.
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
  const text = bytes => btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
  let last = 0;
  window.ask = async (request, buffer, snapshot) => {
    await ready;
    const number = last += 1;
    const responses = [];
    const bytes = Uint8Array.from(atob(buffer), letter => letter.charCodeAt(0));
    return await new Promise(resolve => {
      open.set(number, (response, file) => {
        responses.push([response, file ? text(file) : null]);
        if (response[0] !== snapshot) { open.delete(number); resolve(responses); }
      });
      worker.postMessage([number, Uint8Array.from(request), [bytes]]);
    });
  };
  return true;
})()";

/// A response of the program, with the file of weights that came with it.
pub type ResponseWithFile = (TrainerResponse, Option<Vec<u8>>);

/// Opens a page and starts the program in it.
///
/// # Errors
/// If the page does not open.
pub fn open(page: &Page) -> Result {
    page.open("?view=encodings")?;
    page.wait_until("document.querySelector('meta[name=trainer]')")?;
    page.eval(START)?;
    Ok(())
}

/// Sends a request with a text, and returns all responses to it.
///
/// # Errors
/// If the program does not answer.
pub fn ask(page: &Page, request: &TrainerRequest, text: &[u8]) -> Result<Vec<ResponseWithFile>> {
    let request = worker_protocol::encode(request);
    // Encodings of enumerations begin with the number of the variant. Only a snapshot is not the last response.
    const SNAPSHOT: u8 = 1;
    let call = format!(
        "window.ask({}, {}, {SNAPSHOT})",
        json!(request),
        json!(STANDARD.encode(text))
    );
    let responses: Vec<(Vec<u8>, Option<String>)> =
        serde_json::from_value(page.eval_async(&call)?)?;
    let read = |(response, file): (Vec<u8>, Option<String>)| {
        let response = worker_protocol::decode(&response).ok_or("a response of another kind")?;
        let file = file.map(|file| STANDARD.decode(file));
        Ok((response, file.transpose()?))
    };
    responses.into_iter().map(read).collect()
}

/// Sends a request that trains, and returns the snapshots and the pulse.
///
/// # Errors
/// If the program answers otherwise.
pub fn train(
    page: &Page,
    request: &TrainerRequest,
) -> Result<(Vec<ResponseWithFile>, TrainingPulse)> {
    let mut responses = ask(page, request, b"")?;
    match responses.pop() {
        Some((TrainerResponse::Pulse(pulse), _)) => Ok((responses, pulse)),
        other => Err(format!("{other:?}").into()),
    }
}
