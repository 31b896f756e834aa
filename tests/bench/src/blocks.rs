//! Numbers in the blocks of GGUF, decoded as in the page's worker: a file in memory with one tensor.

use diagonal::checkpoint::{Checkpoint, MemorySource, TensorInfo, Weights};
use futures_util::FutureExt;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen::prelude::wasm_bindgen;

/// GGUF's numbers of the types Q8_0, Q4_K and Q6_K, each with its numbers and its bytes per block.
const TYPES: [(u32, u64, u64); 3] = [(8, 32, 34), (12, 256, 144), (14, 256, 210)];

/// A file with a tensor in blocks.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
#[derive(Debug)]
pub struct BlockRace {
    checkpoint: Checkpoint<MemorySource>,
    tensor: TensorInfo,
}

#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
impl BlockRace {
    /// A tensor of this many megabytes. `kind` is 0 for `Q8_0`, 1 for `Q4_K`, and 2 for `Q6_K`.
    ///
    /// # Panics
    /// If there is no such kind.
    #[cfg_attr(target_arch = "wasm32", wasm_bindgen(constructor))]
    #[must_use]
    pub fn new(kind: usize, megabytes: usize) -> Self {
        let (number, per_block, bytes_per_block) = TYPES[kind];
        let blocks = megabytes as u64 * 1_000_000 / bytes_per_block;
        let mut file = b"GGUF".to_vec();
        file.extend(3_u32.to_le_bytes());
        // One tensor, no metadata.
        file.extend([1_u64, 0].iter().flat_map(|count| count.to_le_bytes()));
        file.extend(1_u64.to_le_bytes());
        file.extend(b"x");
        file.extend(1_u32.to_le_bytes());
        file.extend((blocks * per_block).to_le_bytes());
        file.extend(number.to_le_bytes());
        file.extend(0_u64.to_le_bytes());
        file.resize(file.len().next_multiple_of(32), 0);
        // The bits of a block are any; those of its factors are of numbers below 2.
        let bytes = (0..blocks * bytes_per_block)
            .map(|at| (at.wrapping_mul(0x9e37_79b9) >> 13) as u8 & 0x3f);
        file.extend(bytes);
        let source = MemorySource::from(file);
        let checkpoint = Checkpoint::open(source, "blocks.gguf").now_or_never();
        let checkpoint = checkpoint.and_then(Result::ok).expect("a GGUF file");
        let tensor = checkpoint.locate("x").now_or_never();
        let tensor = tensor.and_then(Result::ok).expect("its tensor");
        Self { checkpoint, tensor }
    }

    /// Reads and decodes the tensor. Returns its number of numbers.
    ///
    /// # Panics
    /// If it cannot be read.
    #[must_use]
    pub fn read(&self) -> f64 {
        let numbers = Weights::read(&self.checkpoint, &self.tensor).now_or_never();
        numbers.and_then(Result::ok).expect("numbers").len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::BlockRace;

    #[test]
    fn every_kind_is_read() {
        for (kind, numbers) in [(0, 941_152.0), (1, 1_777_664.0), (2, 1_218_816.0)] {
            assert_eq!(BlockRace::new(kind, 1).read(), numbers, "{kind}");
        }
    }
}
