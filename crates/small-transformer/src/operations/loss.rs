//! Cross-entropy of predicted symbols.

use crate::Real;

/// Sum of losses, −ln p(target), and number of targets that were the most probable symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LossSum {
    /// Sum of losses, in nats.
    pub(crate) loss: f64,
    /// Number of right predictions.
    pub(crate) right: usize,
}

/// Replaces logits \[rows, symbols\] by probabilities.
pub(crate) fn forward<T: Real>(logits: &mut [T], targets: &[u32]) -> LossSum {
    let mut sum = LossSum::default();
    if targets.is_empty() {
        return sum;
    }
    let symbols = logits.len() / targets.len();
    for (row, target) in logits.chunks_exact_mut(symbols).zip(targets) {
        let target = *target as usize;
        // The first of several equals, so that equal logits count once.
        let greatest = (0..symbols).reduce(|best, at| if row[at] > row[best] { at } else { best });
        sum.right += usize::from(greatest == Some(target));
        let logit = row[target].to_f64();
        let most = row[greatest.unwrap_or(0)].to_f64();
        let total = T::exponentiate(row);
        sum.loss += total.ln() + most - logit;
        let share = T::from_f64(total.recip());
        for v in row {
            *v *= share;
        }
    }
    sum
}

/// Replaces probabilities by the gradient of the mean loss with respect to the logits, (p − target)/rows.
pub(crate) fn backward<T: Real>(probabilities: &mut [T], targets: &[u32]) {
    if targets.is_empty() {
        return;
    }
    let symbols = probabilities.len() / targets.len();
    let share = T::from_f64((targets.len() as f64).recip());
    for (row, target) in probabilities.chunks_exact_mut(symbols).zip(targets) {
        row[*target as usize] += -T::ONE;
        for v in row {
            *v *= share;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{backward, forward};
    use crate::gradient_check::{check, numbers};

    #[test]
    fn gradients_are_central_differences() {
        let targets = [3, 0, 2, 2];
        check(
            &numbers(20),
            |logits| forward(&mut logits.to_vec(), &targets).loss / 4.0,
            |logits, gradient| {
                gradient.copy_from_slice(logits);
                forward(gradient, &targets);
                backward(gradient, &targets);
            },
        );
    }

    #[test]
    fn equal_logits_are_as_good_as_chance() {
        let sum = forward(&mut [0.5_f32; 12], &[0, 1, 2]);
        assert!((sum.loss - 3.0 * 4.0_f64.ln()).abs() < 1e-6);
        assert_eq!(sum.right, 1);
    }
}
