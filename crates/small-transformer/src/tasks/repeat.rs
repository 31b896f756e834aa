//! `repeat`: the symbol that followed last time. Where a symbol has occurred before in its sequence, the next is again
//! the one that followed then, with probability [`REPETITION`], and otherwise any. Places to predict are those where the
//! symbol has occurred before. A decoder solves it with two layers: one copies each symbol's predecessor, the next finds
//! the last place with the same predecessor (an induction head, Olsson et al. 2022).

use super::{DataSplit, TrainingTask, bag, mean_loss};
use crate::{RandomStream, TokenBatch};

/// Number of symbols, without the mask.
const SYMBOLS: usize = 16;

/// Probability that a symbol is followed by the same as last time.
const REPETITION: f64 = 0.8;

/// Symbols whose successors repeat.
#[derive(Clone, Copy, Debug)]
pub(super) struct RepeatTask;

/// The symbol that followed the last occurrence, before `at`, of the symbol at `at`.
fn successor(symbols: &[u32], at: usize) -> Option<u32> {
    let last = symbols[..at]
        .iter()
        .rposition(|symbol| *symbol == symbols[at])?;
    symbols.get(last + 1).copied()
}

impl TrainingTask for RepeatTask {
    fn symbols(&self) -> usize {
        SYMBOLS + 1
    }

    fn is_causal(&self) -> bool {
        true
    }

    fn sample(&self, _split: DataSplit, stream: &mut RandomStream, batch: &mut TokenBatch) {
        let mut symbols = vec![stream.below(SYMBOLS) as u32];
        let mut targets = Vec::with_capacity(batch.n);
        for at in 0..batch.n {
            let again = successor(&symbols, at);
            let any = stream.below(SYMBOLS) as u32;
            let repeats = stream.uniform() < REPETITION;
            let next = again.filter(|_| repeats).unwrap_or(any);
            targets.push(again.map_or(TokenBatch::NO_TARGET, |_| next));
            symbols.push(next);
        }
        batch.push(&symbols[..batch.n], &targets);
    }

    fn best_loss(&self, batch: &TokenBatch) -> Option<f64> {
        let any = (1.0 - REPETITION) / SYMBOLS as f64;
        mean_loss(batch.predictions().map(|(inputs, at, target)| {
            let repeats = successor(inputs, at) == Some(target);
            any + if repeats { REPETITION } else { 0.0 }
        }))
    }

    fn bag_loss(&self, batch: &TokenBatch) -> f64 {
        bag::mixture_loss(batch, self.symbols(), true, |bag, target| {
            bag::by_share(bag, target, 1.0 / SYMBOLS as f64)
        })
    }
}
