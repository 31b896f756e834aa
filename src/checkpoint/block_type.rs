//! Types of GGUF's blocks of numbers: their names and sizes.

use serde::{Deserialize, Serialize};

/// A type of blocks, by its name in GGUF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(
    missing_docs,
    reason = "the names are the format's own and say all there is to say"
)]
pub enum BlockType {
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q2K,
    Q3K,
    Q4K,
    Q5K,
    Q6K,
    Iq4Nl,
    Iq4Xs,
    Mxfp4,
}

/// Every type with its name, its numbers per block, and its bytes per block. ggml, `ggml-common.h`.
const BLOCK_TYPES: [(BlockType, &str, u64, u64); 13] = [
    (BlockType::Q4_0, "Q4_0", 32, 18),
    (BlockType::Q4_1, "Q4_1", 32, 20),
    (BlockType::Q5_0, "Q5_0", 32, 22),
    (BlockType::Q5_1, "Q5_1", 32, 24),
    (BlockType::Q8_0, "Q8_0", 32, 34),
    (BlockType::Q2K, "Q2_K", 256, 84),
    (BlockType::Q3K, "Q3_K", 256, 110),
    (BlockType::Q4K, "Q4_K", 256, 144),
    (BlockType::Q5K, "Q5_K", 256, 176),
    (BlockType::Q6K, "Q6_K", 256, 210),
    (BlockType::Iq4Nl, "IQ4_NL", 32, 18),
    (BlockType::Iq4Xs, "IQ4_XS", 256, 136),
    (BlockType::Mxfp4, "MXFP4", 32, 17),
];

impl BlockType {
    /// The type of this name.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        let known = BLOCK_TYPES.iter().find(|(_, known, ..)| *known == name);
        known.map(|(block, ..)| *block)
    }

    /// Its name in GGUF.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().1
    }

    /// Numbers per block.
    #[must_use]
    pub fn numbers(self) -> u64 {
        self.entry().2
    }

    /// Bytes per block.
    #[must_use]
    pub fn bytes(self) -> u64 {
        self.entry().3
    }

    fn entry(self) -> &'static (Self, &'static str, u64, u64) {
        let known = BLOCK_TYPES.iter().find(|(block, ..)| *block == self);
        // Every type is in the list.
        known.unwrap_or(&BLOCK_TYPES[0])
    }

    /// Bytes of a tensor of this shape; `None` if its rows are not of whole blocks, or for more than 2⁶⁴ bytes.
    pub(super) fn bytes_of(self, shape: &[u64]) -> Option<u64> {
        let width = shape.last()?;
        if shape.contains(&0) || !width.is_multiple_of(self.numbers()) {
            return shape.contains(&0).then_some(0);
        }
        let mut lengths = shape.iter();
        let count = lengths.try_fold(1_u64, |count, length| count.checked_mul(*length))?;
        (count / self.numbers()).checked_mul(self.bytes())
    }
}
