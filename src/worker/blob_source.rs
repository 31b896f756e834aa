//! Byte source of a browser file, read by slices. Offsets are passed as `f64`, which is exact up to 2⁵³ bytes.

use crate::checkpoint::{ByteSource, SourceError};
use js_sys::{ArrayBuffer, Uint8Array};
use std::ops::Range;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

/// A `Blob` or `File`.
#[derive(Debug)]
pub struct BlobSource {
    blob: Blob,
}

impl BlobSource {
    /// Creates a source without reading anything.
    pub fn new(blob: Blob) -> Self {
        Self { blob }
    }
}

impl ByteSource for BlobSource {
    fn size(&self) -> u64 {
        self.blob.size() as u64
    }

    async fn read(&self, range: Range<u64>) -> Result<Vec<u8>, SourceError> {
        let requested = range.end.saturating_sub(range.start);
        let failed = |_| SourceError::Lost;
        let part = self
            .blob
            .slice_with_f64_and_f64(range.start as f64, range.end as f64)
            .map_err(failed)?;
        let buffer = JsFuture::from(part.array_buffer()).await.map_err(failed)?;
        let buffer: ArrayBuffer = buffer.unchecked_into();
        let bytes = Uint8Array::new(&buffer).to_vec();
        if bytes.len() as u64 == requested {
            Ok(bytes)
        } else {
            Err(SourceError::Short {
                missing_bytes: requested.saturating_sub(bytes.len() as u64),
            })
        }
    }
}
