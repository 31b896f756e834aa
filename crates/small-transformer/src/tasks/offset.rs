//! `offset`: every place shall know the symbol Δ to its left. Of several Δ, each target's is drawn at random.

use super::{DataSplit, TrainingTask, bag, mean_loss};
use crate::{RandomStream, TokenBatch};

/// Number of symbols, without the mask.
pub(super) const SYMBOLS: usize = 32;

/// Symbols without order, and one to four offsets.
#[derive(Clone, Debug)]
pub(super) struct OffsetTask {
    offsets: Vec<i32>,
}

impl OffsetTask {
    pub(super) fn new(offsets: Vec<i32>) -> Self {
        Self { offsets }
    }
}

/// The place Δ to the left of `at`, if a sequence of n symbols has it.
fn source(at: usize, offset: i32, n: usize) -> Option<usize> {
    let source = usize::try_from(at as i64 - i64::from(offset)).ok()?;
    (source < n).then_some(source)
}

impl TrainingTask for OffsetTask {
    fn symbols(&self) -> usize {
        SYMBOLS + 1
    }

    fn sample(&self, _split: DataSplit, stream: &mut RandomStream, batch: &mut TokenBatch) {
        let inputs: Vec<u32> = (0..batch.n).map(|_| stream.below(SYMBOLS) as u32).collect();
        let target = |at: usize| {
            let offset = self
                .offsets
                .get(stream.below(self.offsets.len()))
                .copied()
                .unwrap_or(0);
            source(at, offset, batch.n).map_or(TokenBatch::NO_TARGET, |source| inputs[source])
        };
        let targets: Vec<u32> = (0..batch.n).map(target).collect();
        batch.push(&inputs, &targets);
    }

    /// Of m offsets within the sequence, each is the target's with probability 1/m.
    fn best_loss(&self, batch: &TokenBatch) -> Option<f64> {
        mean_loss(batch.predictions().map(|(inputs, at, target)| {
            let sources = self.offsets.iter();
            let sources = sources.filter_map(|offset| source(at, *offset, batch.n));
            let symbols: Vec<u32> = sources.map(|source| inputs[source]).collect();
            let equal = symbols.iter().filter(|symbol| **symbol == target);
            equal.count() as f64 / symbols.len() as f64
        }))
    }

    fn bag_loss(&self, batch: &TokenBatch) -> f64 {
        bag::mixture_loss(batch, self.symbols(), false, |bag, target| {
            bag::by_share(bag, target, 1.0 / SYMBOLS as f64)
        })
    }
}
