//! The numbers that the schemes of the encodings view are made from.

use crate::encoding::{Alibi, Buckets, RelativeRows, Rotary, Scaling, Shaw, Sinusoidal};

/// What stands in tables that nobody has trained.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Untrained {
    /// Minus the number of the row, counted from that of k = 0: a ruler that shows where rows change.
    #[default]
    Steps,
    /// Independent normal numbers: what training starts from.
    Noise,
}

/// Everything that can be chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EncodingParameters {
    /// Positions n: f(k) is given for k = −(n−1) … n−1.
    pub n: usize,
    /// Width and base of the sinusoid, which Transformer-XL has too. Its rows are not n: they are the length of
    /// the table of which lines are drawn.
    pub sinusoid: Sinusoidal,
    /// How many heads `ALiBi` has, and which of them is drawn.
    pub alibi: Alibi,
    /// The buckets of T5.
    pub buckets: Buckets,
    /// How far offsets are told apart by Shaw et al.
    pub shaw: Shaw,
    /// The width and base of rotary angles; its rows are not used.
    pub rotary: Rotary,
    /// How rotary angles are scaled.
    pub scaling: Scaling,
    /// The rows of `DeBERTa`'s table of distances.
    pub rows: RelativeRows,
    /// What stands in untrained tables.
    pub untrained: Untrained,
    /// The seed of untrained numbers.
    pub seed: u64,
}

impl Default for EncodingParameters {
    fn default() -> Self {
        Self {
            n: 512,
            sinusoid: Sinusoidal {
                rows: 512,
                width: 128,
                base: 10_000.0,
            },
            alibi: Alibi::default(),
            buckets: Buckets::default(),
            shaw: Shaw::default(),
            rotary: Rotary::default(),
            scaling: Scaling::default(),
            rows: RelativeRows::default(),
            untrained: Untrained::default(),
            seed: 1,
        }
    }
}

impl EncodingParameters {
    /// Chooses a head of `ALiBi`, counted from 1; one beyond the last is the last.
    pub fn set_alibi_head(&mut self, head: usize) {
        self.alibi.head = head.clamp(1, self.alibi.heads) - 1;
    }

    /// Chooses how many heads `ALiBi` has, at least one; the chosen head stays where there is such a one.
    pub fn set_alibi_heads(&mut self, heads: usize) {
        self.alibi.heads = heads.max(1);
        self.alibi.head = self.alibi.head.min(self.alibi.heads - 1);
    }

    /// Chooses T5's buckets, and brings the numbers to what the logarithm can divide: half the buckets hold one
    /// distance each, so the farthest lies beyond them.
    pub fn set_buckets(&mut self, count: usize, max_distance: usize, bidirectional: bool) {
        let count = count.max(4);
        if let Some(buckets) = Buckets::new(count, max_distance.max(count), bidirectional) {
            self.buckets = buckets;
        }
    }

    /// Chooses `DeBERTa`'s rows, and brings the numbers to what the logarithm can divide.
    pub fn set_rows(&mut self, span: usize, max_distance: usize) {
        if let Some(rows) = RelativeRows::new(max_distance.max(span.max(3)), Some(span)) {
            self.rows = rows;
        }
    }
}
