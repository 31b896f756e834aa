//! The messages between a worker and the page, or worker, that started it.
//!
//! In JavaScript a message is an array, whose elements are missing from the right where they are not needed:
//!
//! | direction | array |
//! |---|---|
//! | to the worker | `[]` a ping · `[number]` a cancellation · `[number, bytes, attachments]` a request |
//! | from the worker | `[number, tag, content, attachments]` |

/// Tag of a message from a worker, its second element. `xtask/src/worker_start.js` has some of the same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// See [`FromWorker::Ready`].
    Ready = 0,
    /// See [`FromWorker::Alive`].
    Alive = 1,
    /// See [`FromWorker::Broken`].
    Broken = 2,
    /// See [`FromWorker::Locked`].
    Locked = 3,
    /// See [`FromWorker::NotLoaded`].
    NotLoaded = 4,
    /// See [`FromWorker::Response`].
    Response = 5,
}

impl Tag {
    const ALL: [Self; 6] = [
        Self::Ready,
        Self::Alive,
        Self::Broken,
        Self::Locked,
        Self::NotLoaded,
        Self::Response,
    ];
}

/// Content of a message: one element of its array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Content {
    /// No element, or one of another type.
    #[default]
    Missing,
    /// A string.
    Text(String),
    /// A `Uint8Array`.
    Bytes(Vec<u8>),
}

/// A message to a worker, without its attachments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToWorker {
    /// A request.
    Request {
        /// Number of the request, which its responses repeat.
        number: u32,
        /// The encoded request.
        request: Vec<u8>,
    },
    /// Cancels the request of this number.
    Cancel(u32),
    /// Asks for a sign of life, [`FromWorker::Alive`].
    Ping,
}

impl ToWorker {
    /// Reads a message by the elements of its array; `None` if it is malformed.
    #[must_use]
    pub fn from_parts(number: Option<f64>, content: Content) -> Option<Self> {
        let Some(number) = number else {
            return Some(Self::Ping);
        };
        let number = whole_number(number)?;
        match content {
            Content::Missing => Some(Self::Cancel(number)),
            Content::Bytes(request) => Some(Self::Request { number, request }),
            Content::Text(_) => None,
        }
    }
}

/// A message from a worker, without its attachments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromWorker {
    /// The program accepts requests from now on.
    Ready,
    /// Sign of life.
    Alive,
    /// The program has failed, by a panic or an unhandled rejection, and stops answering; the text describes the error.
    Broken(String),
    /// The worker holds the Web Lock of its name, which is released when it ends.
    Locked,
    /// The program could not be loaded, for this reason of `www/own_file.js`.
    NotLoaded(String),
    /// A response to a request.
    Response {
        /// Number of the request.
        number: u32,
        /// The encoded response.
        response: Vec<u8>,
    },
}

impl FromWorker {
    /// Reads a message by the elements of its array; `None` if it is malformed.
    #[must_use]
    pub fn from_parts(number: Option<f64>, tag: Option<f64>, content: Content) -> Option<Self> {
        let (number, tag) = (whole_number(number?)?, whole_number(tag?)?);
        let tag = Tag::ALL.into_iter().find(|other| *other as u32 == tag)?;
        let text = |content| match content {
            Content::Text(text) => text,
            Content::Missing | Content::Bytes(_) => String::new(),
        };
        match tag {
            Tag::Ready => Some(Self::Ready),
            Tag::Alive => Some(Self::Alive),
            Tag::Broken => Some(Self::Broken(text(content))),
            Tag::Locked => Some(Self::Locked),
            Tag::NotLoaded => Some(Self::NotLoaded(text(content))),
            Tag::Response => match content {
                Content::Bytes(response) => Some(Self::Response { number, response }),
                Content::Missing | Content::Text(_) => None,
            },
        }
    }
}

/// A JavaScript number as the number or tag of a message; `None` if it is none.
#[must_use]
pub fn whole_number(number: f64) -> Option<u32> {
    // The conversion saturates, so that the comparison fails for numbers out of range.
    let whole = number as u32;
    (f64::from(whole) == number).then_some(whole)
}
