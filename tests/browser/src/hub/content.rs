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
        /// Their type.
        numbers: MadeNumbers,
    },
}

/// Type of the numbers of a file that is generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MadeNumbers {
    /// Single precision.
    F32,
    /// The upper half of single precision.
    Bf16,
}

impl MadeNumbers {
    /// Its name in safetensors, and its bytes per number.
    fn entry(self) -> (&'static str, u64) {
        match self {
            Self::F32 => ("F32", 4),
            Self::Bf16 => ("BF16", 2),
        }
    }

    /// A byte of a small pseudo-random number, counted from the first number of the file.
    fn byte(self, at: u64) -> u8 {
        let (_, size) = self.entry();
        number(at / size).to_le_bytes()[(4 - size + at % size) as usize]
    }
}

/// Sizes of a model with Llama's blocks.
#[derive(Clone, Copy, Debug)]
pub struct LlamaSizes {
    /// Number of words.
    pub words: u64,
    /// Width of the states.
    pub width: u64,
    /// Number of layers that are stored.
    pub layers: u64,
    /// Number of query heads, and of key heads.
    pub heads: (u64, u64),
    /// Number of columns of a head.
    pub head_width: u64,
    /// Width of the feed-forward parts.
    pub inner: u64,
}

impl LlamaSizes {
    /// Llama-3.1-8B, of whose 32 layers this many are stored.
    pub const fn llama_8b(layers: u64) -> Self {
        Self {
            words: 128_256,
            width: 4096,
            layers,
            heads: (32, 8),
            head_width: 128,
            inner: 14_336,
        }
    }

    /// SmolLM2-135M.
    pub const SMOLLM2_135M: Self = Self {
        words: 49_152,
        width: 576,
        layers: 30,
        heads: (9, 3),
        head_width: 64,
        inner: 1536,
    };

    /// Names and shapes, in the order of the names.
    fn tensors(self) -> Vec<(String, Vec<u64>)> {
        let (queries, keys) = (
            self.heads.0 * self.head_width,
            self.heads.1 * self.head_width,
        );
        let mut tensors = vec![
            (
                "model.embed_tokens.weight".to_owned(),
                vec![self.words, self.width],
            ),
            ("model.norm.weight".to_owned(), vec![self.width]),
        ];
        for layer in 0..self.layers {
            for (name, shape) in [
                ("input_layernorm", vec![self.width]),
                ("mlp.down_proj", vec![self.width, self.inner]),
                ("mlp.gate_proj", vec![self.inner, self.width]),
                ("mlp.up_proj", vec![self.inner, self.width]),
                ("post_attention_layernorm", vec![self.width]),
                ("self_attn.k_proj", vec![keys, self.width]),
                ("self_attn.o_proj", vec![self.width, queries]),
                ("self_attn.q_proj", vec![queries, self.width]),
                ("self_attn.v_proj", vec![keys, self.width]),
            ] {
                tensors.push((format!("model.layers.{layer}.{name}.weight"), shape));
            }
        }
        tensors.sort();
        tensors
    }
}

impl Content {
    /// A safetensors file with the names and shapes of BERT-base and `words` words: 30,522 give the original 438 MB,
    /// two million 6.5 GB.
    pub fn bert(words: u64) -> Self {
        Self::bert_with(words, 512)
    }

    /// Like [`Self::bert`], with `positions` positions.
    pub fn bert_with(words: u64, positions: u64) -> Self {
        Self::of_tensors(&bert_tensors(words, positions), MadeNumbers::F32)
    }

    /// A safetensors file with the names and shapes of a model with Llama's blocks, in half precision.
    pub fn llama(sizes: LlamaSizes) -> Self {
        Self::of_tensors(&sizes.tensors(), MadeNumbers::Bf16)
    }

    /// The configuration of the same model, with Llama 3.1's change of the angles.
    pub fn llama_config(sizes: LlamaSizes) -> Self {
        let config = format!(
            "{{\"model_type\": \"llama\", \"hidden_size\": {}, \"num_attention_heads\": {}, \"num_key_value_heads\": {}, \
             \"head_dim\": {}, \"num_hidden_layers\": {}, \"intermediate_size\": {}, \"rms_norm_eps\": 1e-5, \
             \"tie_word_embeddings\": true, \"rope_theta\": 500000.0, \"max_position_embeddings\": 131072, \
             \"rope_scaling\": {{\"rope_type\": \"llama3\", \"factor\": 8.0, \"low_freq_factor\": 1.0, \
             \"high_freq_factor\": 4.0, \"original_max_position_embeddings\": 8192}}}}",
            sizes.width, sizes.heads.0, sizes.heads.1, sizes.head_width, sizes.layers, sizes.inner
        );
        Self::Bytes(config.into_bytes())
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
        Self::of_tensors(&tensors, MadeNumbers::F32)
    }

    /// A safetensors file with tensors in this order.
    fn of_tensors(tensors: &[(String, Vec<u64>)], numbers: MadeNumbers) -> Self {
        let (dtype, bytes) = numbers.entry();
        let mut end = 0;
        let entry = |(name, shape): &(String, Vec<u64>)| {
            let begin = end;
            end += bytes * shape.iter().product::<u64>();
            format!(
                "\"{name}\":{{\"dtype\":\"{dtype}\",\"shape\":{shape:?},\"data_offsets\":[{begin},{end}]}}"
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
        Self::Made {
            beginning,
            size,
            numbers,
        }
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

    /// Writes a generated file whose numbers repeat every 16 MB, in a fraction of the time that other numbers take.
    ///
    /// # Errors
    /// If the file cannot be written, or is not generated.
    pub fn write_repeated(&self, path: &Path) -> Result {
        let Self::Made {
            beginning, size, ..
        } = self
        else {
            return Err("only generated files have numbers that repeat".into());
        };
        let begin = beginning.len() as u64;
        let part = self.bytes(begin..(begin + PART).min(*size))?;
        let mut file = File::create(path)?;
        file.write_all(beginning)?;
        let mut rest = size - begin;
        while rest > 0 {
            let written = rest.min(part.len() as u64);
            file.write_all(&part[..written as usize])?;
            rest -= written;
        }
        Ok(())
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
            Self::Made {
                beginning, numbers, ..
            } => {
                let byte = |at: u64| match beginning.get(at as usize) {
                    Some(&byte) => byte,
                    None => numbers.byte(at),
                };
                Ok(range.map(byte).collect())
            }
        }
    }
}

/// Bytes after which the numbers of a file may repeat.
const PART: u64 = 16 << 20;

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
