//! Export of whole matrices. The worker writes the file in pieces, which go to the disk without being copied into the
//! page's WebAssembly memory.
//!
//! Small files are assembled in memory and saved as a download. Large files are streamed to the disk if the browser
//! supports that. Otherwise the page asks whether to assemble the file in memory, or refuses if it is too large.

use crate::app::{
    controls::download,
    query_client::{MutationEvent, QueryClient},
    state::{
        Messages, PageState,
        message::{Action, Message},
        saving::LargeSave,
    },
};
use js_sys::{Array, Function, Object, Promise, Reflect, Uint8Array};
use leptos::prelude::{set_timeout, window};
use std::{cell::RefCell, rc::Rc, time::Duration};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::Blob;

/// Largest file that is saved without asking, in bytes.
const SMALL: u64 = 100_000_000;
/// Largest file that browsers can assemble in memory, in bytes.
const LARGEST_IN_MEMORY: u64 = 1_900_000_000;
/// Size at which pieces are combined into a blob, in bytes.
const PORTION: u32 = 16 << 20;

/// Saves a matrix. Large files are streamed to the disk, or confirmed by the user first.
pub(super) fn save(state: PageState, client: QueryClient, save: LargeSave) {
    let messages = state.messages;
    if save.bytes <= SMALL {
        return save_in_memory(messages, client, save);
    }
    if let Some(picker) = ask_for_place(&save.name) {
        return spawn_local(async move {
            match JsFuture::from(picker).await {
                Ok(place) => stream(messages, client, save, place).await,
                Err(reason) if is_change_of_mind(&reason) => {}
                Err(_) => messages.warn(format!(
                    "{} was not saved: the browser lets a page ask for a place only right after a click. Click again.",
                    save.name
                )),
            }
        });
    }
    let size = size(save.bytes);
    if save.bytes > LARGEST_IN_MEMORY {
        return messages.warn(format!(
            "{} would be about {size}, more than this browser can put together in memory, and it cannot write to the disk directly. Zoom to the part you need, or use a browser that can, such as Chrome or Edge.",
            save.name
        ));
    }
    let sentence = format!(
        "{} will be about {size}, which this browser has to put together in memory first.",
        save.name
    );
    messages.offer(sentence, &format!("Save {size}"), Action::Save(save));
}

/// Saves a matrix as a download, assembled in memory.
pub(super) fn save_in_memory(messages: Messages, client: QueryClient, save: LargeSave) {
    let portions = Rc::new(RefCell::new(Portions::default()));
    let LargeSave {
        question,
        name,
        kind,
        saves,
        ..
    } = save;
    let guard = RefCell::new(Some(saves.begin()));
    client.run(question, Vec::new(), move |event| {
        match event {
            MutationEvent::Bytes(bytes) => return portions.borrow_mut().add(&bytes),
            MutationEvent::Chunk(()) => return,
            MutationEvent::Done => {
                download::save_parts(&name, kind, &portions.borrow_mut().finish());
            }
            MutationEvent::Failed(failure) => {
                messages
                    .push(Message::new(format!("{name} was not saved. {failure}")).into_error());
            }
        }
        drop(guard.borrow_mut().take());
    });
}

/// Formats a size in megabytes or gigabytes.
fn size(bytes: u64) -> String {
    if bytes < 1_000_000_000 {
        format!("{:.0} MB", bytes as f64 / 1e6)
    } else {
        format!("{:.1} GB", bytes as f64 / 1e9)
    }
}

/// Pieces of a file. Every [`PORTION`] bytes they are combined into a blob, which the browser may store outside of
/// memory.
#[derive(Default)]
struct Portions {
    whole: Array,
    pieces: Array,
    bytes: u32,
}

impl Portions {
    fn add(&mut self, piece: &Uint8Array) {
        self.pieces.push(piece);
        self.bytes += piece.length();
        if self.bytes >= PORTION {
            self.close();
        }
    }

    fn close(&mut self) {
        if let Ok(blob) = Blob::new_with_u8_array_sequence(&self.pieces) {
            self.whole.push(&blob);
        }
        (self.pieces, self.bytes) = (Array::new(), 0);
    }

    fn finish(&mut self) -> Array {
        self.close();
        std::mem::take(&mut self.whole)
    }
}

/// Opens the browser's file dialog, if the browser lets pages write files. Uses `Reflect`, since the File System Access
/// API is not among the stable bindings of `web-sys`.
fn ask_for_place(name: &str) -> Option<Promise> {
    let window = window();
    let ask = Reflect::get(&window, &"showSaveFilePicker".into()).ok()?;
    let ask: Function = ask.dyn_into().ok()?;
    let options = Object::new();
    // Ignored: a plain object takes any property.
    let _ = Reflect::set(&options, &"suggestedName".into(), &name.into());
    ask.call1(&window, &options).ok()?.dyn_into().ok()
}

/// Whether the user cancelled the dialog.
fn is_change_of_mind(reason: &JsValue) -> bool {
    let name = Reflect::get(reason, &"name".into());
    name.is_ok_and(|name| name == "AbortError")
}

/// Calls a method that returns a promise, and awaits it.
async fn call(object: &JsValue, method: &str, argument: &JsValue) -> Result<JsValue, JsValue> {
    let function: Function = Reflect::get(object, &method.into())?.dyn_into()?;
    let promise: Promise = function.call1(object, argument)?.dyn_into()?;
    JsFuture::from(promise).await
}

/// Data that was received but not yet written, and the end of the file.
#[derive(Default)]
struct ToWrite {
    portions: Portions,
    /// Set after the last piece or a failure.
    end: Option<Result<(), String>>,
}

/// Writes the pieces to a file as they arrive.
async fn stream(messages: Messages, client: QueryClient, save: LargeSave, place: JsValue) {
    let failed = move |name: &str, reason: &str| {
        messages.warn(format!("{name} was not saved: {reason}"));
    };
    let name = save.name.clone();
    let _under_way = save.saves.begin();
    let Ok(file) = call(&place, "createWritable", &JsValue::UNDEFINED).await else {
        return failed(
            &name,
            "the browser may not write there. Choose another place.",
        );
    };
    // Filled by the callback, drained by the loop below.
    let pending: Rc<RefCell<ToWrite>> = Rc::default();
    let received = Rc::clone(&pending);
    let number = client.run(save.question, Vec::new(), move |event| {
        let mut pending = received.borrow_mut();
        match event {
            MutationEvent::Bytes(bytes) => pending.portions.add(&bytes),
            MutationEvent::Done => pending.end = Some(Ok(())),
            MutationEvent::Failed(failure) => pending.end = Some(Err(failure.sentence)),
            MutationEvent::Chunk(()) => {}
        }
    });
    loop {
        let (portions, end) = {
            let mut pending = pending.borrow_mut();
            let end = pending.end.take();
            let portions = if end.is_some() {
                pending.portions.finish()
            } else {
                std::mem::take(&mut pending.portions.whole)
            };
            (portions, end)
        };
        for portion in portions.iter() {
            if call(&file, "write", &portion).await.is_err() {
                client.cancel(number);
                return failed(
                    &name,
                    "the disk took no more data. Free some space and try again.",
                );
            }
        }
        match end {
            None => rest().await,
            Some(Ok(())) => {
                if call(&file, "close", &JsValue::UNDEFINED).await.is_err() {
                    failed(
                        &name,
                        "the disk did not take it. Free some space and try again.",
                    );
                }
                return;
            }
            Some(Err(sentence)) => {
                // Ignored: `abort` discards the partial file, if it can.
                let _ = call(&file, "abort", &JsValue::UNDEFINED).await;
                return failed(&name, &sentence);
            }
        }
    }
}

/// Waits 20 ms for more pieces.
async fn rest() {
    let soon = Promise::new(&mut |resolve, _| {
        set_timeout(
            move || drop(resolve.call0(&JsValue::NULL)),
            Duration::from_millis(20),
        );
    });
    // Ignored: the promise of a timer is always resolved.
    let _ = JsFuture::from(soon).await;
}
