//! `reverse`: every place shall know the symbol at the same distance from the other end. The control: its attention lies
//! on anti-diagonals, and no function of the offset solves it.

use super::{DataSplit, TrainingTask, bag, offset::SYMBOLS};
use crate::{RandomStream, TokenBatch};

/// Symbols without order.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReverseTask;

impl TrainingTask for ReverseTask {
    fn symbols(&self) -> usize {
        SYMBOLS + 1
    }

    fn sample(&self, _split: DataSplit, stream: &mut RandomStream, batch: &mut TokenBatch) {
        let inputs: Vec<u32> = (0..batch.n).map(|_| stream.below(SYMBOLS) as u32).collect();
        let targets: Vec<u32> = inputs.iter().rev().copied().collect();
        batch.push(&inputs, &targets);
    }

    fn best_loss(&self, _batch: &TokenBatch) -> Option<f64> {
        Some(0.0)
    }

    fn bag_loss(&self, batch: &TokenBatch) -> f64 {
        bag::mixture_loss(batch, self.symbols(), false, |bag, target| {
            bag::by_share(bag, target, 1.0 / SYMBOLS as f64)
        })
    }
}
