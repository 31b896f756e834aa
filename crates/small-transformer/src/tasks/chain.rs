//! `chain`: masked symbols of a stationary Markov chain on a ring. From one place to the next, the symbol moves by −2 … 2
//! around a ring, mostly by little; any symbol is as frequent as any other. The nearer a visible symbol, the more it
//! tells of a masked one, so graded nearness pays.

use super::{DataSplit, TrainingTask, bag, mean_loss};
use crate::{RandomStream, TokenBatch};

/// Number of symbols on the ring, without the mask.
const SYMBOLS: usize = 32;

/// Probability of each movement −2 … 2: binomial, with variance one.
const MOVEMENTS: [f64; 5] = [1.0 / 16.0, 4.0 / 16.0, 6.0 / 16.0, 4.0 / 16.0, 1.0 / 16.0];

/// Share of the symbols that are masked.
const MASK_SHARE: f64 = 0.3;

/// The mask.
const MASK: u32 = SYMBOLS as u32;

/// A chain on a ring of symbols.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChainTask;

/// The symbol `movement` − 2 further around the ring.
fn further(symbol: usize, movement: usize) -> usize {
    (symbol + SYMBOLS + movement - MOVEMENTS.len() / 2) % SYMBOLS
}

/// Probabilities of the next symbol. Movements are symmetric, so they are also those of the symbol before.
fn next(probabilities: &[f64]) -> Vec<f64> {
    let mut next = vec![0.0; SYMBOLS];
    for (symbol, p) in probabilities.iter().enumerate() {
        for (movement, share) in MOVEMENTS.iter().enumerate() {
            next[further(symbol, movement)] += p * share;
        }
    }
    next
}

/// For each place, probabilities of its symbol given the visible ones before it.
fn from_one_side<'a>(inputs: impl Iterator<Item = &'a u32>) -> Vec<Vec<f64>> {
    let mut state = vec![1.0 / SYMBOLS as f64; SYMBOLS];
    let mut states = Vec::new();
    for input in inputs {
        states.push(state.clone());
        if let Some(symbol) = Some(*input as usize).filter(|symbol| *symbol < SYMBOLS) {
            state.fill(0.0);
            state[symbol] = 1.0;
        }
        state = next(&state);
    }
    states
}

impl TrainingTask for ChainTask {
    fn symbols(&self) -> usize {
        SYMBOLS + 1
    }

    fn sample(&self, _split: DataSplit, stream: &mut RandomStream, batch: &mut TokenBatch) {
        let mut symbol = stream.below(SYMBOLS);
        let (mut inputs, mut targets) = (Vec::new(), Vec::new());
        for _ in 0..batch.n {
            let is_masked = stream.uniform() < MASK_SHARE;
            inputs.push(if is_masked { MASK } else { symbol as u32 });
            targets.push(if is_masked {
                symbol as u32
            } else {
                TokenBatch::NO_TARGET
            });
            // Sixteenths, so that a whole number draws the movement.
            let mut sixteenths = stream.below(16) as f64;
            let movement = MOVEMENTS.iter().position(|share| {
                sixteenths -= 16.0 * share;
                sixteenths < 0.0
            });
            symbol = further(symbol, movement.unwrap_or(MOVEMENTS.len() / 2));
        }
        batch.push(&inputs, &targets);
    }

    /// Exact, by the forward and backward probabilities of the chain given the visible symbols (Rabiner 1989).
    fn best_loss(&self, batch: &TokenBatch) -> Option<f64> {
        let mut probabilities = Vec::new();
        for (inputs, targets) in batch.sequences() {
            let before = from_one_side(inputs.iter());
            let behind = from_one_side(inputs.iter().rev());
            for ((target, before), behind) in targets.iter().zip(&before).zip(behind.iter().rev()) {
                if *target != TokenBatch::NO_TARGET {
                    let both: Vec<f64> = before.iter().zip(behind).map(|(a, b)| a * b).collect();
                    probabilities.push(both[*target as usize] / both.iter().sum::<f64>());
                }
            }
        }
        mean_loss(probabilities.into_iter())
    }

    /// A symbol is the likelier, the more visible symbols are near it on the ring: a mixture of shares at each distance.
    fn bag_loss(&self, batch: &TokenBatch) -> f64 {
        bag::mixture_loss(batch, self.symbols(), false, |bag, target| {
            let share = |symbol: usize| bag.counts[symbol % SYMBOLS] / bag.total.max(1.0);
            let at_distance = |distance: usize| {
                let target = target as usize;
                0.5 * (share(target + distance) + share(target + SYMBOLS - distance))
            };
            let mut parts: Vec<f64> = (0..=SYMBOLS / 2).map(at_distance).collect();
            parts.push(1.0 / SYMBOLS as f64);
            parts
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{ChainTask, MASK, MOVEMENTS, SYMBOLS, further};
    use crate::{
        RandomStream, TokenBatch,
        tasks::{DataSplit, TrainingTask},
    };

    /// Probability of a sequence, its masked symbols summed over, by enumeration.
    fn enumerate(inputs: &[u32], last: Option<usize>) -> f64 {
        let Some((first, rest)) = inputs.split_first() else {
            return 1.0;
        };
        let symbols = if *first == MASK {
            0..SYMBOLS
        } else {
            *first as usize..*first as usize + 1
        };
        let step = |from: usize, to: usize| {
            let movements = MOVEMENTS.iter().enumerate();
            movements
                .filter(|(movement, _)| further(from, *movement) == to)
                .map(|(_, p)| p)
                .sum::<f64>()
        };
        symbols
            .map(
                |symbol| match last.map_or(1.0 / SYMBOLS as f64, |last| step(last, symbol)) {
                    0.0 => 0.0,
                    p => p * enumerate(rest, Some(symbol)),
                },
            )
            .sum()
    }

    #[test]
    fn the_best_loss_is_that_of_enumeration() {
        let mut stream = RandomStream::new(2, "chain", 0);
        for _ in 0..10 {
            let mut batch = TokenBatch::new(7);
            ChainTask.sample(DataSplit::Training, &mut stream, &mut batch);
            let mut losses = Vec::new();
            for (at, target) in batch.targets.iter().enumerate() {
                if *target != TokenBatch::NO_TARGET {
                    let mut known = batch.inputs.clone();
                    known[at] = *target;
                    losses.push(-(enumerate(&known, None) / enumerate(&batch.inputs, None)).ln());
                }
            }
            let slow = losses.iter().sum::<f64>() / losses.len() as f64;
            let quick = ChainTask.best_loss(&batch);
            assert_eq!(quick.is_none(), losses.is_empty());
            assert!(
                quick.is_none_or(|quick| (quick - slow).abs() < 1e-12),
                "{quick:?} {slow}"
            );
        }
    }
}
