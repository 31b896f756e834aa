//! Requests and responses as bytes, in the format of postcard.

use serde::{Serialize, de::DeserializeOwned};

/// Encodes a request or a response. Writing to memory cannot fail; if it did, the receiver would ignore the message,
/// which would be empty.
#[must_use]
pub fn encode(value: &impl Serialize) -> Vec<u8> {
    postcard::to_allocvec(value).unwrap_or_default()
}

/// Decodes a request or a response; `None` if the bytes encode none.
#[must_use]
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Some(value),
        _ => None,
    }
}
