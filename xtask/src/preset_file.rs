//! Writes the files of presets: safetensors with their origin and the model's configuration in the metadata. The output
//! is deterministic.

use std::collections::HashMap;

use half::f16;
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::Result;
use crate::preset::Preset;

/// A tensor of a preset: its name, number type and shape, and its bytes, little-endian.
pub type NamedTensor = (String, Dtype, Vec<usize>, Vec<u8>);

/// Serialises tensors with metadata that states their origin.
///
/// # Errors
/// If the bytes of a tensor do not have its shape.
pub fn file_of(
    preset: &Preset,
    checkpoint: &[u8],
    config: &str,
    tensors: &[NamedTensor],
) -> Result<Vec<u8>> {
    let metadata = HashMap::from([
        ("source".to_owned(), preset.source.to_owned()),
        ("licence".to_owned(), preset.licence.to_owned()),
        ("sha256 of the source".to_owned(), sha256(checkpoint)),
        ("config".to_owned(), config.to_owned()),
    ]);
    let views = tensors
        .iter()
        .map(|(name, dtype, shape, bytes)| {
            Ok((name, TensorView::new(*dtype, shape.clone(), bytes)?))
        })
        .collect::<Result<Vec<_>>>()?;
    let mut bytes = safetensors::serialize(views, Some(metadata))?;
    order_header(&mut bytes)?;
    Ok(bytes)
}

/// Numbers as the bytes of F32.
#[must_use]
pub fn single(numbers: &[f32]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

/// Numbers as the bytes of F16.
#[must_use]
pub fn half(numbers: &[f32]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| f16::from_f32(*number).to_le_bytes())
        .collect()
}

/// Sorts the header. The writer keeps metadata in a hash map, so its order differs in every run. The sorted header has
/// the same length, so nothing after it moves.
fn order_header(bytes: &mut [u8]) -> Result {
    let (length, rest) = bytes
        .split_first_chunk_mut()
        .ok_or("the writer wrote no header")?;
    let length = usize::try_from(u64::from_le_bytes(*length))?;
    let header = rest
        .get_mut(..length)
        .ok_or("the writer wrote half a header")?;
    // Objects of `serde_json` are sorted by name.
    let sorted = serde_json::to_vec(&serde_json::from_slice::<Value>(header)?)?;
    let (text, padding) = header
        .split_at_mut_checked(sorted.len())
        .ok_or("the header grew")?;
    text.copy_from_slice(&sorted);
    padding.fill(b' ');
    Ok(())
}

/// SHA-256 hash in hexadecimal digits.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
