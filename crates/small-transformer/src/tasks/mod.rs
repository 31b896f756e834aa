//! Tasks that a small transformer learns, one file each.
//!
//! A task makes sequences on the fly, from a stream of random numbers, and knows the loss of two predictors: the best
//! possible one, and one that knows a sequence as a bag of symbols, without their places.

mod bag;
mod chain;
mod name;
mod offset;
mod repeat;
mod reverse;
mod text;

pub use name::{MOST_OFFSETS, TaskName};
pub use text::MOST_TEXT_BYTES;

use crate::{RandomStream, TokenBatch, TrainingError};
use std::fmt::Debug;

/// Sequences to learn from, or to evaluate on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataSplit {
    /// To learn from.
    Training,
    /// Never learned from.
    HeldOut,
}

/// A task: sequences, with symbols to predict.
pub trait TrainingTask: Debug + Send {
    /// Number of symbols that the model knows, with the one that masks, which is the last.
    fn symbols(&self) -> usize;

    /// Whether a place is predicted from those before alone.
    fn is_causal(&self) -> bool {
        false
    }

    /// Appends a sequence of `batch.n` symbols. Where sequences are generated, the streams of the two splits differ, not the
    /// task.
    fn sample(&self, split: DataSplit, stream: &mut RandomStream, batch: &mut TokenBatch);

    /// Mean loss of the best possible predictor over the targets of a batch, in nats; `None` where it is unknown.
    fn best_loss(&self, batch: &TokenBatch) -> Option<f64>;

    /// Mean loss, over the targets of a batch, of a predictor that knows which symbols it may see of a sequence, but not
    /// their places.
    fn bag_loss(&self, batch: &TokenBatch) -> f64;

    /// Name of a symbol, for a vocabulary; the mask is `[MASK]`.
    fn symbol_name(&self, symbol: u32) -> String {
        if symbol as usize + 1 == self.symbols() {
            return "[MASK]".to_owned();
        }
        symbol.to_string()
    }
}

/// The task of a name. `text` is used by tasks on texts alone.
///
/// # Errors
/// If a task needs a text that `text` is not, or one at least as long as a batch of `tokens` symbols.
pub(crate) fn task(
    name: &TaskName,
    text: &[u8],
    tokens: usize,
) -> Result<Box<dyn TrainingTask>, TrainingError> {
    Ok(match name {
        TaskName::Offset(offsets) => Box::new(offset::OffsetTask::new(offsets.clone())),
        TaskName::Chain => Box::new(chain::ChainTask),
        TaskName::Text => Box::new(text::TextTask::new(text, tokens, false)?),
        TaskName::NextCharacter => Box::new(text::TextTask::new(text, tokens, true)?),
        TaskName::Repeat => Box::new(repeat::RepeatTask),
        TaskName::Reverse => Box::new(reverse::ReverseTask),
    })
}

/// Mean of −ln p over probabilities of targets; `None` if there are none.
fn mean_loss(probabilities: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = probabilities.fold((0.0, 0), |(sum, count), p| {
        (sum + p.recip().ln(), count + 1)
    });
    (count > 0).then(|| sum / f64::from(count))
}
