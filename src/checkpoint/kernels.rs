//! TISA kernels in JSON or CSV, listed as tensors: three per layer, with the names and the convention of the authors'
//! module, `layer.0.kernel_offsets` and so on, numbered from 0.
//!
//! The text is parsed in `kernel_io`. The numbers, in double precision, are held in memory, with positions that follow
//! the end of the file.

use super::{
    dtype::Dtype,
    error::CheckpointError,
    index::Index,
    partial_bytes::{KnownBytes, Stop},
    tensor::{Order, TensorInfo},
};
use crate::{
    encoding::{AuthorsLayer, KernelSet},
    kernel_io::{FORMAT, from_csv, from_json, looks_like_csv},
};

/// Maximum size of a file, enough for over a hundred thousand kernels.
const LONGEST: u64 = 16 << 20;

/// Whether JSON that begins with these bytes holds kernels. Its format name appears within the first lines.
pub(super) fn is_json(first: &[u8]) -> bool {
    first
        .windows(FORMAT.len())
        .take(FIRST_LOOK)
        .any(|window| window == FORMAT.as_bytes())
}

/// Whether text that begins with these bytes is a table of kernels.
pub(super) fn is_table(first: &[u8]) -> bool {
    looks_like_csv(&first[..first.len().min(FIRST_LOOK)])
}

/// Number of bytes examined to recognise a file of kernels.
const FIRST_LOOK: usize = 4096;

/// Reads the tensors of a file that was recognised as kernels.
pub(super) fn read(known: &KnownBytes) -> Result<Index, Stop> {
    let refuse = |reason: String| CheckpointError::Kernels { reason };
    if known.size > LONGEST {
        let reason = format!("the file is longer than {} MiB", LONGEST >> 20);
        return Err(refuse(reason).into());
    }
    let bytes = known.get(0..known.size)?;
    let text = std::str::from_utf8(bytes)
        .map_err(|error| refuse(format!("byte {} is not UTF-8 text", error.valid_up_to())))?;
    let set = if is_table(bytes) {
        from_csv(text)
    } else {
        from_json(text).map(|file| file.set)
    };
    let (tensors, bytes) = tensors(&set.map_err(refuse)?, known.size);
    Ok(Index::new(tensors, bytes)?)
}

/// Three tensors per layer, with positions from `begin`, and their bytes.
fn tensors(set: &KernelSet, begin: u64) -> (Vec<TensorInfo>, Vec<u8>) {
    let (mut tensors, mut bytes) = (Vec::new(), Vec::new());
    let heads = set.most_heads();
    for layer in &set.layers {
        let number = layer.layer;
        let layer = AuthorsLayer::new(layer, heads);
        for (name, numbers) in [
            ("offsets", &layer.offsets),
            ("amplitudes", &layer.amplitudes),
            ("sharpness", &layer.sharpness),
        ] {
            let from = begin + bytes.len() as u64;
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            tensors.push(TensorInfo {
                name: format!("layer.{number}.kernel_{name}"),
                dtype: Dtype::F64,
                shape: vec![layer.rows() as u64, heads as u64],
                file: 0,
                begin: from,
                end: begin + bytes.len() as u64,
                order: Order::RowMajor,
            });
        }
    }
    (tensors, bytes)
}
