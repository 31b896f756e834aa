//! Contents of model files: in memory, on disk, or generated while they are sent.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use xtask::Result;

/// A file of a model.
#[derive(Clone, Debug)]
pub enum Content {
    /// In memory.
    Bytes(Vec<u8>),
    /// On disk.
    File(PathBuf),
    /// Generated while it is sent: the given first bytes, then small pseudo-random numbers.
    Made {
        /// The first bytes.
        beginning: Vec<u8>,
        /// Total size in bytes.
        size: u64,
    },
}

impl Content {
    /// A safetensors file with the names and shapes of BERT-base and `words` words: 30,522 give the original 438 MB,
    /// two million 6.5 GB.
    pub fn bert(words: u64) -> Self {
        Self::bert_with(words, 512)
    }

    /// Like [`Self::bert`], with `positions` positions.
    pub fn bert_with(words: u64, positions: u64) -> Self {
        Self::of_tensors(&bert_tensors(words, positions))
    }

    /// Like [`Self::bert`], with a head that predicts masked words.
    pub fn masked_bert(words: u64) -> Self {
        let mut tensors = bert_tensors(words, 512);
        for (name, shape) in [
            ("bias", vec![words]),
            ("transform.LayerNorm.bias", vec![WIDTH]),
            ("transform.LayerNorm.weight", vec![WIDTH]),
            ("transform.dense.bias", vec![WIDTH]),
            ("transform.dense.weight", vec![WIDTH, WIDTH]),
        ] {
            tensors.push((format!("cls.predictions.{name}"), shape));
        }
        Self::of_tensors(&tensors)
    }

    /// A safetensors file with F32 tensors in this order.
    fn of_tensors(tensors: &[(String, Vec<u64>)]) -> Self {
        let mut end = 0;
        let entry = |(name, shape): &(String, Vec<u64>)| {
            let begin = end;
            end += 4 * shape.iter().product::<u64>();
            format!(
                "\"{name}\":{{\"dtype\":\"F32\",\"shape\":{shape:?},\"data_offsets\":[{begin},{end}]}}"
            )
        };
        let header = format!(
            "{{{}}}",
            tensors.iter().map(entry).collect::<Vec<_>>().join(",")
        );
        // Pads with spaces, as the reference writer does, so that the numbers are aligned.
        let length = header.len().next_multiple_of(8);
        let mut beginning = (length as u64).to_le_bytes().to_vec();
        beginning.extend(format!("{header:length$}").into_bytes());
        let size = beginning.len() as u64 + end;
        Self::Made { beginning, size }
    }

    /// Writes the first `written` bytes to a sparse file of the full size.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_sparse(&self, path: &Path, written: u64) -> Result {
        let size = self.size()?;
        let mut file = File::create(path)?;
        file.write_all(&self.bytes(0..written.min(size))?)?;
        Ok(file.set_len(size)?)
    }

    /// The configuration of the same model.
    pub fn bert_config() -> Self {
        let config = "{\"model_type\": \"bert\", \"num_attention_heads\": 12, \"num_hidden_layers\": 12, \
                      \"hidden_size\": 768, \"layer_norm_eps\": 1e-12, \"pad_token_id\": 0}";
        Self::Bytes(config.as_bytes().to_vec())
    }

    pub(super) fn size(&self) -> io::Result<u64> {
        match self {
            Self::Bytes(bytes) => Ok(bytes.len() as u64),
            Self::File(path) => Ok(path.metadata()?.len()),
            Self::Made { size, .. } => Ok(*size),
        }
    }

    pub(super) fn bytes(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let part = range.start as usize..range.end as usize;
        match self {
            Self::Bytes(bytes) => Ok(bytes[part].to_vec()),
            Self::File(path) => {
                let mut file = File::open(path)?;
                file.seek(SeekFrom::Start(range.start))?;
                let mut bytes = vec![0; part.len()];
                file.read_exact(&mut bytes)?;
                Ok(bytes)
            }
            Self::Made { beginning, .. } => {
                let byte = |at: u64| match beginning.get(at as usize) {
                    Some(&byte) => byte,
                    None => number(at / 4).to_le_bytes()[(at % 4) as usize],
                };
                Ok(range.map(byte).collect())
            }
        }
    }
}

/// Width of BERT-base.
const WIDTH: u64 = 768;

/// Names and shapes of BERT-base, in the order of the names.
fn bert_tensors(words: u64, positions: u64) -> Vec<(String, Vec<u64>)> {
    let inner = 4 * WIDTH;
    let mut tensors: Vec<(String, Vec<u64>)> = Vec::new();
    let mut layer = |name: String, weight: Vec<u64>| {
        tensors.push((format!("bert.{name}.bias"), weight[..1].to_vec()));
        tensors.push((format!("bert.{name}.weight"), weight));
    };
    layer("embeddings.LayerNorm".to_owned(), vec![WIDTH]);
    layer("pooler.dense".to_owned(), vec![WIDTH, WIDTH]);
    for number in 0..12 {
        for (name, weight) in [
            ("attention.output.LayerNorm", vec![WIDTH]),
            ("attention.output.dense", vec![WIDTH, WIDTH]),
            ("attention.self.key", vec![WIDTH, WIDTH]),
            ("attention.self.query", vec![WIDTH, WIDTH]),
            ("attention.self.value", vec![WIDTH, WIDTH]),
            ("intermediate.dense", vec![inner, WIDTH]),
            ("output.LayerNorm", vec![WIDTH]),
            ("output.dense", vec![WIDTH, inner]),
        ] {
            layer(format!("encoder.layer.{number}.{name}"), weight);
        }
    }
    for (name, rows) in [("position", positions), ("token_type", 2), ("word", words)] {
        let name = format!("bert.embeddings.{name}_embeddings.weight");
        tensors.push((name, vec![rows, WIDTH]));
    }
    tensors.sort();
    tensors
}

/// A small pseudo-random number, determined by its place.
fn number(place: u64) -> f32 {
    // The multiplier of Knuth's multiplicative hashing for 64 bits.
    let mixed = place.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let share = (mixed >> 40) as f32 / (1 << 24) as f32;
    0.1 * (share - 0.5)
}
