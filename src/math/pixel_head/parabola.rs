//! Scores of a Gaussian head along a row of keys.

/// Negative scores of a row of keys: loss + rate·(x − centre)².
#[derive(Debug, Clone, Copy)]
pub(super) struct Parabola {
    pub(super) rate: f64,
    pub(super) centre: f64,
    pub(super) loss: f64,
}

impl Parabola {
    pub(super) fn loss_at(self, x: usize) -> f64 {
        let away = x as f64 - self.centre;
        self.loss + self.rate * away * away
    }

    /// The key among n with the least loss.
    pub(super) fn best(self, n: usize) -> usize {
        let last = n.saturating_sub(1) as f64;
        self.centre.round().clamp(0.0, last) as usize
    }

    /// The least loss among n keys.
    pub(super) fn least_loss(self, n: usize) -> f64 {
        self.loss_at(self.best(n))
    }

    /// Loss of key `x` minus that of key `best`. Far from the centre both are large and similar, so subtracting them
    /// would leave only rounding error.
    pub(super) fn loss_above(self, x: usize, best: usize) -> f64 {
        let (x, best) = (x as f64, best as f64);
        self.rate * (x - best) * (x + best - 2.0 * self.centre)
    }

    /// The keys among n with a loss of at most `most`.
    pub(super) fn within(self, n: usize, most: f64) -> std::ops::Range<usize> {
        let reach = ((most - self.loss) / self.rate).sqrt();
        if reach.is_nan() {
            // Either the loss of every key exceeds `most`, or all losses are equal and at most `most`.
            let all = self.rate == 0.0 && self.loss <= most;
            return 0..if all { n } else { 0 };
        }
        // The cast saturates.
        let first = (self.centre - reach).ceil().max(0.0) as usize;
        let end = (self.centre + reach).floor() + 1.0;
        first.min(n)..(end.max(0.0) as usize).clamp(first.min(n), n)
    }
}
