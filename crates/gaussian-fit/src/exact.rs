//! Finds the exact Gaussians for points that are a sum of Gaussians up to rounding.
//!
//! A greedy search can end in a local minimum, such as one wide Gaussian over two. Measured points have noise, and
//! there the two hardly differ. Noise-free points have a residual of zero at the true Gaussians, so the search knows
//! when it has found them, and more starts are worth their time.

use crate::{
    greedy::Greedy,
    projection::{HeightFit, Shape, Terms, descend},
};
use std::ops::RangeBounds;

/// Factor on the penalty of heights: cancellation is no concern if the true Gaussians are known to exist.
const FAINT: f64 = 1e-6;
/// At most this share of the variance is left unexplained by the true Gaussians …
const EXACT: f64 = 1e-11;
/// … which are searched from this many starts near the best fit.
const RESTARTS: usize = 96;
/// Evaluations per parameter during the search and for the final descent, and the relative change of the cost that ends
/// a descent.
const PATIENCE: (usize, usize) = (6, 48);
const TOLERANCE: f64 = 1e-10;

impl Greedy {
    /// Returns a fit better than `found`, if other starts lead to one.
    pub(crate) fn exact<'a>(&'a self, found: &HeightFit<'_>) -> Option<HeightFit<'a>> {
        let mut best = (self.left(found), found.shapes().to_vec());
        let mut random = fastrand::Rng::with_seed(7 + best.1.len() as u64);
        let widths = self.shortlist.widths();
        let narrow = (0..widths).map(|widest| self.pursue(..=widest));
        let wide = (1..widths).map(|narrowest| self.pursue(narrowest..));
        let mut starts = narrow.chain(wide);
        while best.0 > EXACT
            && let Some(start) = starts.next()
        {
            self.improve(&mut best, start);
        }
        let mut restarts = 0..RESTARTS;
        while best.0 > EXACT
            && let Some(restart) = restarts.next()
        {
            let start = nearby(&best.1, restart, &mut random);
            self.improve(&mut best, start);
        }
        let start = HeightFit::new(&self.points, self.faint(), best.1);
        let exact = descend(start, PATIENCE.1, f64::EPSILON);
        (exact.cost < found.cost && exact.is_tame(found.greatest())).then_some(exact)
    }

    /// Greedy pursuit with the candidates of some widths only, and without moving any: may choose two narrow ones where
    /// a wide one would also do, or wide ones below narrow ones.
    fn pursue(&self, widths: impl RangeBounds<usize> + Clone) -> Vec<Shape> {
        let mut shapes: Vec<Shape> = Vec::new();
        while shapes.len() < self.len() {
            let present = self.on(&self.few, shapes.clone());
            let next = self.shortlist.best(&present, widths.clone(), 1);
            shapes.push(next.first().copied().unwrap_or(Shape::NONE));
        }
        shapes
    }

    /// Descends from a start, and replaces `best` if the result is better.
    fn improve(&self, best: &mut (f64, Vec<Shape>), start: Vec<Shape>) {
        let start = HeightFit::new(&self.few, self.faint(), start);
        let found = descend(start, PATIENCE.0, TOLERANCE);
        if self.left(&found) < best.0 {
            *best = (self.left(&found), found.shapes().to_vec());
        }
    }

    fn faint(&self) -> Terms {
        Terms {
            penalty: self.terms.penalty * FAINT,
            ..self.terms
        }
    }

    fn left(&self, found: &HeightFit<'_>) -> f64 {
        2.0 * found.cost / self.variance
    }
}

/// Shapes near the given ones, at a distance that grows with `start`; for odd `start`, one shape is moved next to
/// another instead.
fn nearby(shapes: &[Shape], start: usize, random: &mut fastrand::Rng) -> Vec<Shape> {
    let mut between = |reach: f64| (2.0 * random.f64() - 1.0) * reach;
    let mut beside = |shape: &Shape, reach: f64| Shape {
        log_b: shape.log_b + between(reach),
        c: shape.c + between(reach) * (-0.5 * shape.log_b).exp(),
    };
    let reach = 0.2 + 2.0 * start as f64 / RESTARTS as f64;
    let mut nearby = shapes.to_vec();
    if start % 2 == 1 {
        let (moved, other) = (start / 2 % shapes.len(), start / 3 % shapes.len());
        nearby[moved] = beside(&shapes[other], 3.0);
    } else {
        nearby = shapes.iter().map(|shape| beside(shape, reach)).collect();
    }
    // A Gaussian that vanishes at the next point is a spike; fitting it well traps the other Gaussians.
    for shape in nearby.iter_mut().filter(|shape| shape.log_b > 0.0) {
        shape.log_b = between(2.0) - 1.5;
    }
    nearby
}
