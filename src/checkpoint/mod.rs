//! Bytes to named tensors. Knows no browser, no model family, no encoding.

mod byte_source;

pub use byte_source::{ByteSource, SourceError};
