//! What is searched for: Gaussians that one can read, that are never negative, or those of least squares.

use crate::{
    GaussianFit,
    greedy::Greedy,
    points::{FitError, Points},
};
use serde::{Deserialize, Serialize};

/// What a fit is to be, beyond close to the points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub enum Objective {
    /// Gaussians that can be read one by one: of moderate heights, and none there to cancel another, see
    /// [`Reading`](crate::Reading). Those of least squares where they are such.
    #[default]
    Readable,
    /// No height below zero.
    NonNegative,
    /// The least sum of squares, whatever the heights.
    LeastSquares,
}

/// A search that adds one Gaussian at a time.
#[derive(Debug)]
pub struct Search {
    objective: Objective,
    /// By least squares: what is given up is measured against it.
    free: Greedy,
    /// Where heights below zero are refused.
    non_negative: Option<Greedy>,
    /// The best readable fit so far.
    before: Option<GaussianFit>,
}

impl Search {
    /// A search over points for up to `most` Gaussians.
    ///
    /// # Errors
    /// When the points are fewer than the numbers to find: three a Gaussian and one.
    pub fn new(points: Points, most: usize, objective: Objective) -> Result<Self, FitError> {
        let free = Greedy::new(points, most)?;
        let non_negative =
            (objective == Objective::NonNegative).then(|| free.clone().non_negative());
        Ok(Self {
            objective,
            free,
            non_negative,
            before: None,
        })
    }

    /// How many Gaussians there are so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.free.len()
    }

    /// Whether there is none yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds one where it explains most, and moves all of them.
    pub fn add(&mut self) {
        self.free.add();
        if let Some(search) = &mut self.non_negative {
            search.add();
        }
    }

    /// The fit with the Gaussians there are, settled on all points. It is hardly ever worse than a settled one
    /// with fewer.
    pub fn settle(&mut self) -> GaussianFit {
        let free = self.free.settle();
        let best = free.r2;
        match (self.objective, &mut self.non_negative) {
            (_, Some(search)) => search.settle().against(best),
            (Objective::Readable, None) => {
                let fit = self.free.readable(free, self.before.as_ref()).against(best);
                self.before = Some(fit.clone());
                fit
            }
            (Objective::LeastSquares | Objective::NonNegative, None) => free,
        }
    }

    /// The share of the points' weighted variance that a function explains.
    #[must_use]
    pub fn r2(&self, f: impl Fn(f64) -> f64) -> f64 {
        self.free.r2(f)
    }
}

impl GaussianFit {
    /// The same with what it gives up against the R² of least squares. That search may have ended in a local
    /// minimum, which other terms lead out of: then nothing is given up.
    fn against(mut self, least_squares: f64) -> Self {
        self.given_up = (least_squares - self.r2).max(0.0);
        self
    }
}
