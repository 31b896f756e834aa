//! A writer of safetensors files.
//!
//! The header is written by hand: it is one line of JSON whose order of entries is the order in which they are added, so
//! that equal tensors give equal bytes. The `safetensors` crate orders metadata at random, and takes 8.9 KB of compressed
//! wasm. The tests read the files with that crate.

use std::fmt::Write;

/// A safetensors file that is being written.
#[derive(Debug, Clone, Default)]
pub struct SafetensorsWriter {
    metadata: Vec<(String, String)>,
    /// The entries of the tensors in the header, with commas between.
    entries: String,
    data: Vec<u8>,
}

impl SafetensorsWriter {
    /// A file without tensors. Its metadata says that the tensors are PyTorch's, which the transformers library asks for.
    #[must_use]
    pub fn new() -> Self {
        Self::default().with_metadata("format", "pt")
    }

    /// Adds a text to the metadata.
    #[must_use]
    pub fn with_metadata(mut self, name: &str, text: &str) -> Self {
        self.metadata.push((name.to_owned(), text.to_owned()));
        self
    }

    /// Adds a tensor of double precision.
    pub fn add_f64(&mut self, name: &str, shape: &[usize], numbers: impl IntoIterator<Item = f64>) {
        let bytes = numbers.into_iter().flat_map(f64::to_le_bytes);
        self.add(name, "F64", shape, bytes);
    }

    /// Adds a tensor of single precision.
    pub fn add_f32(&mut self, name: &str, shape: &[usize], numbers: impl IntoIterator<Item = f32>) {
        let bytes = numbers.into_iter().flat_map(f32::to_le_bytes);
        self.add(name, "F32", shape, bytes);
    }

    fn add(
        &mut self,
        name: &str,
        dtype: &str,
        shape: &[usize],
        bytes: impl IntoIterator<Item = u8>,
    ) {
        let begin = self.data.len();
        self.data.extend(bytes);
        if !self.entries.is_empty() {
            self.entries.push(',');
        }
        let shape: Vec<String> = shape.iter().map(ToString::to_string).collect();
        // Writing to a String cannot fail.
        let _ = write!(
            self.entries,
            "{}:{{\"dtype\":\"{dtype}\",\"shape\":[{}],\"data_offsets\":[{begin},{}]}}",
            to_json(name),
            shape.join(","),
            self.data.len()
        );
    }

    /// The file's bytes.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        let metadata: Vec<String> = (self.metadata.iter())
            .map(|(name, text)| format!("{}:{}", to_json(name), to_json(text)))
            .collect();
        let mut header = format!("{{\"__metadata__\":{{{}}}", metadata.join(","));
        if !self.entries.is_empty() {
            header.push(',');
            header.push_str(&self.entries);
        }
        header.push('}');
        // Pad so that the data begins at a multiple of 8, as the reference implementation does.
        while !header.len().is_multiple_of(8) {
            header.push(' ');
        }
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        bytes.extend(self.data);
        bytes
    }
}

/// A text as JSON, which does not fail for texts.
fn to_json(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}
