//! Archives, pickles and headers with false claims: each gets its own message, without reading or inflating data for
//! it. Archives that are merely large open by a few small reads.

mod headers;
mod large;
mod objects;
mod pickles;
mod zips;

use diagonal::checkpoint::{Checkpoint, CheckpointError, MemorySource};
use pollster::block_on;

use super::{formats::data, hostile::assert_is_sentence};

fn open(bytes: Vec<u8>) -> Result<Checkpoint<MemorySource>, CheckpointError> {
    block_on(Checkpoint::open(MemorySource::from(bytes), "test"))
}

fn refusal(bytes: Vec<u8>) -> String {
    let sentence = open(bytes).expect_err("it must be refused").to_string();
    assert_is_sentence(&sentence);
    sentence
}

fn seed(path: &str) -> Vec<u8> {
    data(&format!("fuzz/{path}"))
}

/// Replaces a run of bytes by another of the same length.
fn with(mut bytes: Vec<u8>, at: usize, new: &[u8]) -> Vec<u8> {
    bytes[at..at + new.len()].copy_from_slice(new);
    bytes
}

fn find(bytes: &[u8], what: &[u8]) -> usize {
    let mut windows = bytes.windows(what.len());
    windows
        .position(|window| window == what)
        .expect("it is there")
}

fn rfind(bytes: &[u8], what: &[u8]) -> usize {
    let mut windows = bytes.windows(what.len());
    windows
        .rposition(|window| window == what)
        .expect("it is there")
}
