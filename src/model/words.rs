//! x̄, the mean word: over all rows, or estimated from a sample if reading all rows would take many requests.

use super::{
    ModelError,
    read::{self, narrow},
};
use crate::checkpoint::{TensorInfo, Weights};
use futures_util::{Stream, StreamExt, stream};
use std::{ops::Range, pin::pin};

/// Bytes of a word table per read.
const CHUNK: u64 = 4 << 20;
/// Reads in progress while one is summed up: more than one keeps a browser's file access busy.
const CHUNKS_AT_ONCE: usize = 3;
/// Rows per block of a sample. They are contiguous in the file, so a block is one request.
pub(crate) const BLOCK: u64 = 16;
/// Blocks of a sample, spread evenly: vocabularies are sorted by frequency or alphabet, so the two ends differ.
pub(crate) const BLOCKS: u64 = 16;
/// Most blocks of a sample of words, a quarter of it where each block is a request.
pub(crate) const SAMPLE_BLOCKS: u64 = 4 * BLOCKS;

/// Accuracy of a mean over words.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Number of sampled rows.
    pub rows: u64,
    /// Number of all rows.
    pub of: u64,
    /// Root of the summed squared standard errors of the columns, divided by the length of the mean.
    pub relative_error: f64,
}

/// Mean over a sample of equal blocks of rows, with a standard error from the variance between block means (cluster
/// sampling: rows of a block may be similar, so blocks count as samples).
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockMeans {
    blocks: f64,
    means: Vec<f64>,
    squares: Vec<f64>,
}

impl BlockMeans {
    /// Adds a block by its mean.
    pub(crate) fn add(&mut self, block: &[f64]) {
        self.means.resize(block.len(), 0.0);
        self.squares.resize(block.len(), 0.0);
        self.blocks += 1.0;
        let sums = self.means.iter_mut().zip(&mut self.squares);
        for ((sum, square), mean) in sums.zip(block) {
            *sum += mean;
            *square += mean * mean;
        }
    }

    /// The mean of the blocks, and its accuracy for a table of `of` rows.
    pub(crate) fn finish(self, of: u64) -> (Vec<f64>, Estimate) {
        let means: Vec<f64> = self.means.iter().map(|sum| sum / self.blocks).collect();
        let length: f64 = means.iter().map(|mean| mean * mean).sum();
        let variance = self.squares.iter().sum::<f64>() / self.blocks - length;
        let error = (variance.max(0.0) / (self.blocks - 1.0).max(1.0)).sqrt();
        let estimate = Estimate {
            rows: BLOCK * self.blocks as u64,
            of,
            relative_error: error / length.sqrt().max(f64::MIN_POSITIVE),
        };
        (means, estimate)
    }
}

/// Number of bytes that the mean requires.
pub(super) fn bytes(tensor: &TensorInfo, sampled: bool) -> u64 {
    if sampled && is_worth_sampling(tensor, BLOCKS) {
        row_bytes(tensor) * BLOCK * BLOCKS
    } else {
        tensor.bytes()
    }
}

fn row_bytes(tensor: &TensorInfo) -> u64 {
    let rows = tensor.shape.first().copied().unwrap_or(1);
    tensor.bytes() / rows.max(1)
}

/// Whether a table has many more rows than a sample of some blocks. Short tables are read in full.
pub(crate) fn is_worth_sampling(tensor: &TensorInfo, blocks: u64) -> bool {
    tensor
        .shape
        .first()
        .is_some_and(|rows| *rows > 4 * BLOCK * blocks)
}

/// Ranges of rows, a few MiB each, that make up a table of `rows` rows.
pub(crate) fn all_rows(tensor: &TensorInfo, rows: u64) -> Vec<Range<u64>> {
    let step = (CHUNK / row_bytes(tensor).max(1)).max(1);
    let starts = (0..rows).step_by(step as usize);
    starts.map(|first| first..rows.min(first + step)).collect()
}

/// Size of a word table on this machine, in bytes, from which on a sample is read: reading more takes seconds.
const LARGE_TABLE: u64 = 256 << 20;
/// Blocks of the sample of a large table on this machine.
const MOST_BLOCKS: u64 = 256;
/// Multiplications that sampled words may take where each is mapped to queries and keys: about a second.
const MOST_PRODUCTS: u64 = 1 << 32;

/// Use of the words over which queries and keys of a rotary model are averaged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WordUse {
    /// Number of rows and columns of the maps to queries and keys together.
    pub(crate) maps: (usize, usize),
    /// Whether each word is mapped to queries and keys, and not their mean alone.
    pub(crate) maps_words: bool,
    /// Whether all words count even if that takes long.
    pub(crate) is_exact: bool,
    /// Whether the table is on a server.
    pub(crate) is_remote: bool,
}

/// Number of blocks of the sample of a table of words; `None` if all words are read.
pub(crate) fn sample_blocks(tensor: &TensorInfo, words: WordUse) -> Option<u64> {
    let (inputs, outputs) = words.maps;
    let products_per_block = BLOCK * (inputs * outputs) as u64;
    let blocks = if words.is_remote {
        BLOCKS
    } else if words.maps_words {
        (MOST_PRODUCTS / products_per_block.max(1)).clamp(BLOCKS, MOST_BLOCKS)
    } else {
        MOST_BLOCKS
    };
    let is_slow = words.is_remote || words.maps_words || tensor.bytes() > LARGE_TABLE;
    let is_sample = is_slow && !words.is_exact && is_worth_sampling(tensor, blocks);
    is_sample.then_some(blocks)
}

/// Blocks of rows, spread evenly over a table of `rows` rows that is worth sampling: the middle of each of `blocks`
/// equal ranges.
pub(crate) fn sample_rows(rows: u64, blocks: u64) -> Vec<Range<u64>> {
    let first = |block| (2 * block + 1) * rows / (2 * blocks) - BLOCK / 2;
    (0..blocks)
        .map(|block| first(block)..first(block) + BLOCK)
        .collect()
}

/// Reads ranges of rows in order, each with its numbers.
pub(crate) fn read_ranges<W: Weights>(
    checkpoint: &W,
    tensor: &TensorInfo,
    ranges: Vec<Range<u64>>,
) -> impl Stream<Item = Result<(Range<u64>, Vec<f32>), ModelError>> {
    let reads = ranges.into_iter().map(async |range| {
        let numbers = checkpoint.read_rows(tensor, range.clone()).await?;
        Ok((range, numbers))
    });
    stream::iter(reads).buffered(CHUNKS_AT_ONCE)
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
    let mut sums = vec![0.0_f64; width];
    let mut reads = pin!(read_ranges(checkpoint, tensor, all_rows(tensor, rows)));
    while let Some(chunk) = reads.next().await {
        let (range, numbers) = chunk?;
        read_more((range.end - range.start) * row_bytes);
        add_rows(&numbers, tensor, range.start, &mut sums)?;
    }
    Ok(sums.into_iter().map(|sum| sum / rows as f64).collect())
}

/// Mean of evenly spread blocks of rows with its accuracy, which is `None` for tables that are read in full.
pub(super) async fn sampled_mean<W: Weights>(
    checkpoint: &W,
    tensor: &TensorInfo,
    width: usize,
    mut read_more: impl FnMut(u64),
) -> Result<(Vec<f64>, Option<Estimate>), ModelError> {
    let rows = read::rows_of(tensor, width)? as u64;
    if !is_worth_sampling(tensor, BLOCKS) {
        return Ok((mean(checkpoint, tensor, width, read_more).await?, None));
    }
    let mut means = BlockMeans::default();
    let mut reads = pin!(read_ranges(checkpoint, tensor, sample_rows(rows, BLOCKS)));
    while let Some(block) = reads.next().await {
        let (range, numbers) = block?;
        let mut sums = vec![0.0; width];
        add_rows(&numbers, tensor, range.start, &mut sums)?;
        let of_block: Vec<f64> = sums.into_iter().map(|sum| sum / BLOCK as f64).collect();
        means.add(&of_block);
        read_more(BLOCK * row_bytes(tensor));
    }
    let (means, estimate) = means.finish(rows);
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
