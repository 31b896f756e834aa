//! Linear regression of one quantity on another.

/// Least-squares line through points, with the correlation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinearFit {
    /// Slope of y over x.
    pub slope: f64,
    /// y at x = 0.
    pub intercept: f64,
    /// Pearson correlation, −1 … 1.
    pub correlation: f64,
}

/// Fits y = slope·x + intercept. `None` for fewer than three points, through which a line always passes, and if either
/// coordinate is constant.
#[must_use]
pub fn linear_fit(points: &[(f64, f64)]) -> Option<LinearFit> {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let sum =
        |of: &dyn Fn(f64, f64) -> f64| points.iter().map(|p| of(p.0 - x, p.1 - y)).sum::<f64>();
    let (xx, yy, xy) = (sum(&|x, _| x * x), sum(&|_, y| y * y), sum(&|x, y| x * y));
    let varies = |square: f64, mean: f64| square > count * (mean * f64::EPSILON).powi(2);
    if points.len() < 3 || !varies(xx, x) || !varies(yy, y) {
        return None;
    }
    let slope = xy / xx;
    Some(LinearFit {
        slope,
        intercept: y - slope * x,
        // Rounding may exceed 1 slightly.
        correlation: (xy / (xx.sqrt() * yy.sqrt())).clamp(-1.0, 1.0),
    })
}
