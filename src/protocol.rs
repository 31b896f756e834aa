//! Messages between the page and its worker, as plain JavaScript arrays.
//!
//! Written here because gloo-worker can neither send a `File` nor transfer a buffer. Encoded messages are transferred
//! as one `ArrayBuffer`, so they are not copied between the threads. WebAssembly memory itself cannot be transferred: a
//! buffer is filled from it once on sending and read into it once on arrival. Bytes of exported files, which are large,
//! are not read into the page's WebAssembly at all; they stay in JavaScript until they are saved.

use crate::{
    analysis::{AnswerEvent, AnyQuestion, Notification},
    lazy::LoadFailure,
};
use js_sys::{Array, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Blob;

/// A message from the page to its worker.
#[derive(Debug)]
pub enum ToWorker {
    /// Asks a question.
    Ask {
        /// Number of the question, which its answers repeat.
        number: u32,
        /// The question itself.
        question: AnyQuestion,
        /// The files it is about, each with its path in the folder that was chosen or dropped, or its name.
        files: Vec<(String, Blob)>,
    },
    /// Cancels the question of this number.
    Cancel(u32),
    /// Asks for a sign of life, [`FromWorker::Alive`].
    Ping,
}

impl ToWorker {
    /// Packs this as a JavaScript message.
    #[must_use]
    pub fn pack(&self) -> JsValue {
        match self {
            Self::Ask {
                number,
                question,
                files,
            } => {
                let files: Array = (files.iter())
                    .map(|(path, file)| Array::of2(&path.into(), file))
                    .collect();
                Array::of3(&(*number).into(), &encode(question).into(), &files).into()
            }
            Self::Cancel(number) => Array::of1(&(*number).into()).into(),
            Self::Ping => Array::new().into(),
        }
    }

    /// Buffers of a message to transfer: that of the encoded question.
    pub(crate) fn transferred(message: &JsValue) -> Array {
        let part = message.dyn_ref().map(|parts: &Array| parts.get(1));
        let encoded = part.and_then(|part| part.dyn_into::<Uint8Array>().ok());
        encoded.iter().map(Uint8Array::buffer).collect()
    }

    /// Unpacks a message; `None` if it is malformed.
    #[must_use]
    pub fn unpack(message: &JsValue) -> Option<Self> {
        let parts: &Array = message.dyn_ref()?;
        let Some(number) = parts.get(0).as_f64() else {
            return Some(Self::Ping);
        };
        let number = number as u32;
        let question = parts.get(1);
        if question.is_undefined() {
            return Some(Self::Cancel(number));
        }
        Some(Self::Ask {
            number,
            question: decode(question.dyn_ref()?)?,
            files: (parts.get(2).dyn_ref::<Array>()?.iter())
                .filter_map(|file| {
                    let file: Array = file.dyn_into().ok()?;
                    Some((file.get(0).as_string()?, file.get(1).dyn_into().ok()?))
                })
                .collect(),
        })
    }
}

/// A message from the worker to its page.
#[derive(Debug)]
pub enum FromWorker {
    /// The worker accepts questions from now on.
    Ready,
    /// Sign of life.
    Alive,
    /// The worker has failed, by a panic or an unhandled rejection, and stops answering; the text describes the error.
    Broken(String),
    /// The worker holds the Web Lock of its name, which is released when it ends.
    Locked,
    /// The worker's program could not be loaded.
    NotLoaded(LoadFailure),
    /// An encoded chunk of the answer to the question of this number.
    Chunk(u32, Vec<u8>),
    /// Bytes of a file that the question of this number asked for.
    Bytes(u32, Uint8Array),
    /// Another notification about the question of this number.
    News(u32, Notification),
}

// Message tags (second array element). `xtask/src/worker_start.js` uses 1, 2, 6 and 7.
const READY: u32 = 0;
const ALIVE: u32 = 1;
const BROKEN: u32 = 2;
const PIECE: u32 = 3;
const BYTES: u32 = 4;
const NEWS: u32 = 5;
const LOCKED: u32 = 6;
const NOT_LOADED: u32 = 7;

impl FromWorker {
    /// Packs an event about the question of this number. Returns the message and the buffers to transfer.
    #[must_use]
    pub fn pack_event(number: u32, event: &AnswerEvent) -> (JsValue, Array) {
        let (kind, bytes) = match event {
            AnswerEvent::Chunk(bytes) => (PIECE, Uint8Array::from(bytes.as_slice())),
            AnswerEvent::Bytes(bytes) => (BYTES, Uint8Array::from(bytes.as_slice())),
            AnswerEvent::News(news) => (NEWS, encode(news)),
        };
        let transferred = Array::of1(&bytes.buffer());
        let message = Array::of3(&number.into(), &kind.into(), &bytes);
        (message.into(), transferred)
    }

    /// Message [`Self::Ready`].
    #[must_use]
    pub fn ready() -> JsValue {
        Array::of2(&0.into(), &READY.into()).into()
    }

    /// Message [`Self::Alive`].
    #[must_use]
    pub fn alive() -> JsValue {
        Array::of2(&0.into(), &ALIVE.into()).into()
    }

    /// Message [`Self::Broken`].
    #[must_use]
    pub fn broken(sentence: &str) -> JsValue {
        Array::of3(&0.into(), &BROKEN.into(), &sentence.into()).into()
    }

    /// Unpacks a message; `None` if it is malformed.
    #[must_use]
    pub fn unpack(message: &JsValue) -> Option<Self> {
        let parts: &Array = message.dyn_ref()?;
        let number = parts.get(0).as_f64()? as u32;
        let content = parts.get(2);
        match parts.get(1).as_f64()? as u32 {
            READY => Some(Self::Ready),
            ALIVE => Some(Self::Alive),
            BROKEN => Some(Self::Broken(content.as_string().unwrap_or_default())),
            LOCKED => Some(Self::Locked),
            NOT_LOADED => {
                let reason = content.as_string().unwrap_or_default();
                Some(Self::NotLoaded(LoadFailure::from_reason(&reason)))
            }
            PIECE => Some(Self::Chunk(
                number,
                content.dyn_ref::<Uint8Array>()?.to_vec(),
            )),
            BYTES => Some(Self::Bytes(number, content.dyn_into().ok()?)),
            NEWS => Some(Self::News(number, decode(content.dyn_ref()?)?)),
            _ => None,
        }
    }
}

fn encode<T: serde::Serialize>(value: &T) -> Uint8Array {
    // Serialising our own types to memory cannot fail. If it did, the receiver would ignore the empty message.
    Uint8Array::from(postcard::to_allocvec(value).unwrap_or_default().as_slice())
}

fn decode<T: serde::de::DeserializeOwned>(bytes: &Uint8Array) -> Option<T> {
    postcard::from_bytes(&bytes.to_vec()).ok()
}
