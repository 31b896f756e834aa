//! How page and worker talk: questions and what is said in answer, as plain JavaScript arrays.
//!
//! This is written here rather than with gloo-worker, which can neither hand over a `File` nor transfer a
//! buffer. What is said travels as one `ArrayBuffer` that changes hands, so nothing is copied between the two
//! threads. WebAssembly's memory itself cannot change hands: a buffer is filled from it once when it leaves and
//! read into it once when it arrives. Bytes of files, which are the large ones, are not read at all where they
//! arrive: they stay outside of the page's WebAssembly, on their way to the disk.

use crate::{
    analysis::{AnswerEvent, AnyQuestion, Notification},
    lazy::LoadFailure,
};
use js_sys::{Array, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Blob;

/// What the page says to its worker.
#[derive(Debug)]
pub enum ToWorker {
    /// A question.
    Ask {
        /// Its number.
        number: u32,
        /// The question.
        question: AnyQuestion,
        /// The files it is about, each by its path in the folder that was chosen or dropped, or by its name.
        files: Vec<(String, Blob)>,
    },
    /// The question of this number is wanted no longer.
    Cancel(u32),
    /// The worker is to say that it is there.
    Ping,
}

impl ToWorker {
    /// To a message.
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

    /// What of a message changes hands: the buffer of what is encoded.
    pub(crate) fn transferred(message: &JsValue) -> Array {
        let part = message.dyn_ref().map(|parts: &Array| parts.get(1));
        let encoded = part.and_then(|part| part.dyn_into::<Uint8Array>().ok());
        encoded.iter().map(Uint8Array::buffer).collect()
    }

    /// From a message.
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

/// What the worker says to its page.
#[derive(Debug)]
pub enum FromWorker {
    /// It listens from now on.
    Ready,
    /// It is there.
    Alive,
    /// It has met a fault of its own, which a sentence describes, and answers no more.
    Broken(String),
    /// It holds the lock of its name, which is free once it is gone.
    Locked,
    /// Its program did not come.
    NotLoaded(LoadFailure),
    /// A piece of the answer to the question of that number, encoded.
    Chunk(u32, Vec<u8>),
    /// Bytes of a file that the question of that number asked for.
    Bytes(u32, Uint8Array),
    /// What else is said about the question of that number.
    News(u32, Notification),
}

// The second element of a message from the worker. `xtask/src/worker_start.js` says 1, 2, 6 and 7.
const READY: u32 = 0;
const ALIVE: u32 = 1;
const BROKEN: u32 = 2;
const PIECE: u32 = 3;
const BYTES: u32 = 4;
const NEWS: u32 = 5;
const LOCKED: u32 = 6;
const NOT_LOADED: u32 = 7;

impl FromWorker {
    /// What a session says about the question of a number: the message, and what of it changes hands.
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

    /// That the worker listens.
    #[must_use]
    pub fn ready() -> JsValue {
        Array::of2(&0.into(), &READY.into()).into()
    }

    /// That the worker is there.
    #[must_use]
    pub fn alive() -> JsValue {
        Array::of2(&0.into(), &ALIVE.into()).into()
    }

    /// That the worker is broken.
    #[must_use]
    pub fn broken(sentence: &str) -> JsValue {
        Array::of3(&0.into(), &BROKEN.into(), &sentence.into()).into()
    }

    /// From a message.
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
    // Our own types into memory: postcard has nothing to refuse. An empty message is ignored.
    Uint8Array::from(postcard::to_allocvec(value).unwrap_or_default().as_slice())
}

fn decode<T: serde::de::DeserializeOwned>(bytes: &Uint8Array) -> Option<T> {
    postcard::from_bytes(&bytes.to_vec()).ok()
}
