//! Numbers in blocks of GGUF: some integers of a few bits, and factors that they share.
//!
//! Numbers are exactly those of `gguf.quants` of gguf-py and of ggml's `dequantize_row_…` functions: products and
//! differences are formed in single precision, in the same order.
//!
//! Written by hand: of the Rust crates that dequantise blocks, ggml-quants 0.1.0 lacks all types of 256 numbers and brings
//! a pool of threads, and candle-core lacks `IQ4` and `MXFP4` and brings a tensor library of several MB.

mod large;
mod small;

use super::{block_type::BlockType, error::CheckpointError};
use crate::lazy::lazy;

/// Decodes whole blocks. Trailing bytes that make no whole block are ignored.
fn decode_all(block: BlockType, bytes: &[u8]) -> Vec<f32> {
    match block {
        BlockType::Q4_0 => blocks(bytes, small::q4_0),
        BlockType::Q4_1 => blocks(bytes, small::q4_1),
        BlockType::Q5_0 => blocks(bytes, small::q5_0),
        BlockType::Q5_1 => blocks(bytes, small::q5_1),
        BlockType::Q8_0 => blocks(bytes, small::q8_0),
        BlockType::Iq4Nl => blocks(bytes, small::iq4_nl),
        BlockType::Mxfp4 => blocks(bytes, small::mxfp4),
        BlockType::Q2K => blocks(bytes, large::q2_k),
        BlockType::Q3K => blocks(bytes, large::q3_k),
        BlockType::Q4K => blocks(bytes, large::q4_k),
        BlockType::Q5K => blocks(bytes, large::q5_k),
        BlockType::Q6K => blocks(bytes, large::q6_k),
        BlockType::Iq4Xs => blocks(bytes, large::iq4_xs),
    }
}

/// Decodes block after block.
fn blocks<const BYTES: usize, const NUMBERS: usize>(
    bytes: &[u8],
    decode: impl Fn(&[u8; BYTES], &mut [f32; NUMBERS]),
) -> Vec<f32> {
    let blocks = bytes.as_chunks::<BYTES>().0;
    let mut numbers = vec![0.0; blocks.len() * NUMBERS];
    let decoded = numbers.as_chunks_mut::<NUMBERS>().0;
    for (block, decoded) in blocks.iter().zip(decoded) {
        decode(block, decoded);
    }
    numbers
}

lazy! { in formats;
    /// Decodes blocks in the part of the worker that reads their files.
    async fn decode_blocks(block: BlockType, bytes: &[u8]) -> Vec<f32> {
        decode_all(block, bytes)
    }
}

/// Decodes whole blocks.
///
/// # Errors
/// If the decoder cannot be loaded.
pub(super) async fn decode(block: BlockType, bytes: &[u8]) -> Result<Vec<f32>, CheckpointError> {
    let numbers = decode_blocks(block, bytes).await;
    numbers.map_err(CheckpointError::NotFetched)
}
