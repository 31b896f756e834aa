//! Parameters of the schemes in the encodings view.

use crate::encoding::{Alibi, Buckets, RelativeRows, Rotary, Scaling, Shaw, Sinusoidal};

/// Values of tables that are not trained.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UntrainedValues {
    /// Minus the row number, counted from the row of k = 0, which shows where rows change.
    #[default]
    Steps,
    /// Independent normal numbers, as before training.
    Noise,
}

/// Parameters of all schemes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EncodingParameters {
    /// Positions n: f(k) is given for k = −(n−1) … n−1.
    pub n: usize,
    /// Width and base of the sinusoid, also used by Transformer-XL. Its `rows` is not n: it is the length of the table
    /// whose lines are drawn.
    pub sinusoid: Sinusoidal,
    /// Number of `ALiBi` heads, and the head drawn.
    pub alibi: Alibi,
    /// Buckets of T5.
    pub buckets: Buckets,
    /// Clipping of offsets by Shaw et al.
    pub shaw: Shaw,
    /// Width and base of rotary angles; `rows` is not used.
    pub rotary: Rotary,
    /// Scaling of rotary angles.
    pub scaling: Scaling,
    /// Rows of `DeBERTa`'s table of distances.
    pub rows: RelativeRows,
    /// Values of untrained tables.
    pub untrained_values: UntrainedValues,
    /// Seed of untrained random numbers.
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
            untrained_values: UntrainedValues::default(),
            seed: 1,
        }
    }
}

impl EncodingParameters {
    /// Selects a head of `ALiBi`, counted from 1 and clamped to the number of heads.
    pub fn set_alibi_head(&mut self, head: usize) {
        self.alibi.head = head.clamp(1, self.alibi.heads) - 1;
    }

    /// Sets the number of `ALiBi` heads, at least 1. The selected head is clamped to it.
    pub fn set_alibi_heads(&mut self, heads: usize) {
        self.alibi.heads = heads.max(1);
        self.alibi.head = self.alibi.head.min(self.alibi.heads - 1);
    }

    /// Sets T5's buckets. Raises `count` to at least 4 and `max_distance` to at least `count`: half the buckets hold
    /// one distance each, so the maximum distance must lie beyond them.
    pub fn set_buckets(&mut self, count: usize, max_distance: usize, bidirectional: bool) {
        let count = count.max(4);
        if let Some(buckets) = Buckets::new(count, max_distance.max(count), bidirectional) {
            self.buckets = buckets;
        }
    }

    /// Sets `DeBERTa`'s rows. Raises `max_distance` to at least `span` and 3, so that its logarithm is defined.
    pub fn set_rows(&mut self, span: usize, max_distance: usize) {
        if let Some(rows) = RelativeRows::new(max_distance.max(span.max(3)), Some(span)) {
            self.rows = rows;
        }
    }
}
