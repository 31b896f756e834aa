//! Byte source in memory, such as a preset or a sample.

use std::{fmt, ops::Range, rc::Rc};

use super::{byte_source::ByteSource, source_error::SourceError};

/// Bytes in memory. Cloning shares them.
#[derive(Clone)]
pub struct MemorySource(Rc<[u8]>);

impl MemorySource {
    /// Creates a source of these bytes.
    pub fn new(bytes: impl Into<Rc<[u8]>>) -> Self {
        Self(bytes.into())
    }
}

impl From<Vec<u8>> for MemorySource {
    fn from(bytes: Vec<u8>) -> Self {
        Self::new(bytes)
    }
}

impl ByteSource for MemorySource {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    async fn read(&self, range: Range<u64>) -> Result<Vec<u8>, SourceError> {
        let slice = usize::try_from(range.start)
            .ok()
            .zip(usize::try_from(range.end).ok())
            .and_then(|(start, end)| self.0.get(start..end));
        slice
            .map(<[u8]>::to_vec)
            .ok_or_else(|| SourceError::Outside {
                range,
                size: self.size(),
            })
    }
}

impl fmt::Debug for MemorySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemorySource({} bytes)", self.0.len())
    }
}
