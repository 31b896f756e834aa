//! x̄, the mean word: over all rows, or estimated from a sample if reading all rows would take many requests.

use super::{
    ModelError,
    read::{self, narrow},
};
use crate::checkpoint::{TensorInfo, Weights};
use futures_util::{StreamExt, stream};
use std::pin::pin;

/// Bytes of a word table per read.
const CHUNK: u64 = 4 << 20;
/// Reads in progress while one is summed up: more than one keeps a browser's file access busy.
const CHUNKS_AT_ONCE: usize = 3;
/// Rows per block of a sample. They are contiguous in the file, so a block is one request.
const BLOCK: u64 = 16;
/// Blocks of a sample, spread evenly: vocabularies are sorted by frequency or alphabet, so the two ends differ.
const BLOCKS: u64 = 16;

/// Accuracy of x̄.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Number of sampled rows.
    pub rows: u64,
    /// Number of all rows.
    pub of: u64,
    /// Root of the summed squared standard errors of the columns, divided by the length of x̄.
    pub relative_error: f64,
}

/// Number of bytes that the mean requires.
pub(super) fn bytes(tensor: &TensorInfo, sampled: bool) -> u64 {
    if sampled && is_worth_sampling(tensor) {
        row_bytes(tensor) * BLOCK * BLOCKS
    } else {
        tensor.bytes()
    }
}

fn row_bytes(tensor: &TensorInfo) -> u64 {
    let rows = tensor.shape.first().copied().unwrap_or(1);
    tensor.bytes() / rows.max(1)
}

/// Short tables are read in full.
fn is_worth_sampling(tensor: &TensorInfo) -> bool {
    tensor
        .shape
        .first()
        .is_some_and(|rows| *rows > 4 * BLOCK * BLOCKS)
}

/// Mean of all rows, read a few MiB at a time. Keeps only sums, since the table may be the largest tensor of a file.
pub(super) async fn mean<W: Weights>(
    checkpoint: &W,
    tensor: &TensorInfo,
    width: usize,
    mut read_more: impl FnMut(u64),
) -> Result<Vec<f64>, ModelError> {
    let rows = read::rows_of(tensor, width)? as u64;
    let row_bytes = row_bytes(tensor).max(1);
    let step = (CHUNK / row_bytes).max(1);
    let mut sums = vec![0.0_f64; width];
    let starts = (0..rows).step_by(step as usize);
    let chunks = starts.map(|first| first..rows.min(first + step));
    let reads = chunks.map(|chunk| async move {
        let numbers = checkpoint.read_rows(tensor, chunk.clone()).await;
        (chunk, numbers)
    });
    let mut reads = pin!(stream::iter(reads).buffered(CHUNKS_AT_ONCE));
    while let Some((chunk, numbers)) = reads.next().await {
        read_more((chunk.end - chunk.start) * row_bytes);
        add_rows(&numbers?, tensor, chunk.start, &mut sums)?;
    }
    Ok(sums.into_iter().map(|sum| sum / rows as f64).collect())
}

/// Mean of evenly spread blocks of rows, with a standard error from the variance between block means (cluster sampling:
/// rows of a block may be similar, so blocks count as samples).
pub(super) async fn sampled_mean<W: Weights>(
    checkpoint: &W,
    tensor: &TensorInfo,
    width: usize,
    mut read_more: impl FnMut(u64),
) -> Result<(Vec<f64>, Option<Estimate>), ModelError> {
    let rows = read::rows_of(tensor, width)? as u64;
    if !is_worth_sampling(tensor) {
        return Ok((mean(checkpoint, tensor, width, read_more).await?, None));
    }
    let blocks = BLOCKS as f64;
    let (mut means, mut squares) = (vec![0.0; width], vec![0.0; width]);
    for block in 0..BLOCKS {
        // The middle of each of `BLOCKS` equal ranges.
        let first = (2 * block + 1) * rows / (2 * BLOCKS) - BLOCK / 2;
        let mut sums = vec![0.0; width];
        let numbers = checkpoint.read_rows(tensor, first..first + BLOCK).await?;
        add_rows(&numbers, tensor, first, &mut sums)?;
        for ((mean, square), sum) in means.iter_mut().zip(&mut squares).zip(sums) {
            let of_block = sum / BLOCK as f64;
            *mean += of_block / blocks;
            *square += of_block * of_block / blocks;
        }
        read_more(BLOCK * row_bytes(tensor));
    }
    let length: f64 = means.iter().map(|mean| mean * mean).sum();
    let variance: f64 = squares.iter().sum::<f64>() - length;
    let error = (variance.max(0.0) / (blocks - 1.0)).sqrt();
    let estimate = Estimate {
        rows: BLOCK * BLOCKS,
        of: rows,
        relative_error: error / length.sqrt().max(f64::MIN_POSITIVE),
    };
    Ok((means, Some(estimate)))
}

/// Adds rows of a tensor to the sums of its columns; the first is row `first`.
fn add_rows(
    numbers: &[f32],
    tensor: &TensorInfo,
    first: u64,
    sums: &mut [f64],
) -> Result<(), ModelError> {
    for row in numbers.chunks_exact(sums.len()) {
        for (sum, number) in sums.iter_mut().zip(row) {
            *sum += f64::from(*number);
        }
    }
    // NaN and infinity show in the sums, which cannot overflow. Only then are the numbers searched, which takes as long
    // as the sums.
    if sums.iter().all(|sum| sum.is_finite()) {
        return Ok(());
    }
    read::refuse_non_numbers(numbers, tensor, first, sums.len())
}

/// Scales a mean and rounds it to single precision.
pub(super) fn scale_mean(mean: &[f64], scale: f64) -> Vec<f32> {
    mean.iter().map(|value| narrow(value * scale)).collect()
}
