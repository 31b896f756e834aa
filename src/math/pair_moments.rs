//! Correlation of two matrices, cell by cell, without either of them in memory.

/// Means, squares and product of pairs of numbers, to which pairs are added in parts.
///
/// Parts are combined by the formula of Chan, Golub and LeVeque (1979), so that no digits are lost where the mean is
/// large beside the spread.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PairMoments {
    count: f64,
    mean: (f64, f64),
    /// Sums of squares of both around their means.
    squares: (f64, f64),
    /// Sum of products around the means.
    product: f64,
}

impl PairMoments {
    /// Adds the pairs (a, b) of two slices of equal length.
    pub fn add(&mut self, a: &[f32], b: &[f32]) {
        let pairs = || a.iter().zip(b).map(|(a, b)| (f64::from(*a), f64::from(*b)));
        let count = a.len().min(b.len()) as f64;
        if count == 0.0 {
            return;
        }
        let sum = pairs().fold((0.0, 0.0), |sum, (a, b)| (sum.0 + a, sum.1 + b));
        let mean = (sum.0 / count, sum.1 / count);
        let (mut squares, mut product) = ((0.0, 0.0), 0.0);
        for (a, b) in pairs() {
            let (a, b) = (a - mean.0, b - mean.1);
            squares.0 += a * a;
            squares.1 += b * b;
            product += a * b;
        }
        let all = self.count + count;
        let apart = (mean.0 - self.mean.0, mean.1 - self.mean.1);
        let weight = self.count * count / all;
        self.squares.0 += squares.0 + apart.0 * apart.0 * weight;
        self.squares.1 += squares.1 + apart.1 * apart.1 * weight;
        self.product += product + apart.0 * apart.1 * weight;
        self.mean.0 += apart.0 * count / all;
        self.mean.1 += apart.1 * count / all;
        self.count = all;
    }

    /// Pearson correlation of all pairs. `None` if either number is the same in all of them, up to rounding.
    #[must_use]
    pub fn correlation(&self) -> Option<f64> {
        let varies = |square: f64, mean: f64| {
            // Numbers are stored in single precision.
            square > self.count * (mean * f64::from(f32::EPSILON)).powi(2)
        };
        let are_both = varies(self.squares.0, self.mean.0) && varies(self.squares.1, self.mean.1);
        let correlation = self.product / (self.squares.0.sqrt() * self.squares.1.sqrt());
        // Rounding may exceed 1 slightly.
        (are_both && correlation.is_finite()).then(|| correlation.clamp(-1.0, 1.0))
    }
}
