//! The loss of a predictor that knows a sequence as a bag of symbols.

use crate::TokenBatch;

/// Rounds of the search for the best mixture; each makes the loss smaller.
const ROUNDS: usize = 100;

/// Numbers of each symbol among those that a predictor may see when it predicts at a place: all but the place itself and
/// masks, or those up to and with the place in a causal task.
pub(super) struct BagOfSymbols {
    /// How often each symbol is seen.
    pub(super) counts: Vec<f64>,
    /// Sum of the counts.
    pub(super) total: f64,
}

/// The best mixture's mean loss. `parts` gives, for the bag at a place and its target, the probability of the target by
/// each of several predictors; their shares are fitted to the batch by expectation maximisation (Dempster, Laird & Rubin
/// 1977).
pub(super) fn mixture_loss(
    batch: &TokenBatch,
    symbols: usize,
    is_causal: bool,
    parts: impl Fn(&BagOfSymbols, u32) -> Vec<f64>,
) -> f64 {
    let mut rows = Vec::new();
    for (inputs, targets) in batch.sequences() {
        let mut bag = BagOfSymbols {
            counts: vec![0.0; symbols],
            total: 0.0,
        };
        let change = |bag: &mut BagOfSymbols, symbol: u32, by: f64| {
            // The mask is the last symbol.
            if symbol as usize + 1 < symbols {
                bag.counts[symbol as usize] += by;
                bag.total += by;
            }
        };
        if !is_causal {
            for input in inputs {
                change(&mut bag, *input, 1.0);
            }
        }
        for (input, target) in inputs.iter().zip(targets) {
            change(&mut bag, *input, if is_causal { 1.0 } else { -1.0 });
            if *target != TokenBatch::NO_TARGET {
                rows.push(parts(&bag, *target));
            }
            if !is_causal {
                change(&mut bag, *input, 1.0);
            }
        }
    }
    let count = rows.first().map_or(0, Vec::len);
    let mut shares = vec![1.0 / count.max(1) as f64; count];
    let mixture = |row: &[f64], shares: &[f64]| {
        row.iter()
            .zip(shares)
            .map(|(p, share)| p * share)
            .sum::<f64>()
    };
    for _ in 0..ROUNDS {
        let mut sums = vec![0.0; count];
        for row in &rows {
            let total = mixture(row, &shares);
            for (sum, (p, share)) in sums.iter_mut().zip(row.iter().zip(&shares)) {
                *sum += p * share / total;
            }
        }
        shares = sums.iter().map(|sum| sum / rows.len() as f64).collect();
    }
    let loss: f64 = rows.iter().map(|row| -mixture(row, &shares).ln()).sum();
    loss / rows.len().max(1) as f64
}

/// Probabilities of a symbol by its share of the bag, and by its share of all sequences.
pub(super) fn by_share(bag: &BagOfSymbols, target: u32, overall: f64) -> Vec<f64> {
    let share = bag.counts[target as usize] / bag.total.max(1.0);
    vec![share, overall]
}
