//! The public search, with its objective: readable Gaussians, non-negative ones, or plain least squares.

use crate::{
    GaussianFit,
    greedy::Greedy,
    points::{FitError, Points},
};
use serde::{Deserialize, Serialize};

/// Objective of a fit beyond closeness to the points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub enum Objective {
    /// Gaussians that can be interpreted one by one: of moderate heights, none cancelling another, see
    /// [`Reading`](crate::Reading). The least squares fit if it is readable.
    #[default]
    Readable,
    /// No negative heights.
    NonNegative,
    /// The smallest sum of squares, with any heights.
    LeastSquares,
}

/// A search that adds one Gaussian at a time.
#[derive(Debug)]
pub struct Search {
    objective: Objective,
    /// Least squares search, the reference for the R² given up.
    free: Greedy,
    /// Search without negative heights, if that is the objective.
    non_negative: Option<Greedy>,
    /// Result of the last [`Self::settle`] for [`Objective::Readable`].
    before: Option<GaussianFit>,
}

impl Search {
    /// Creates a search for up to `most` Gaussians.
    ///
    /// # Errors
    /// If there are fewer points than parameters: three per Gaussian and the intercept.
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

    /// Number of Gaussians so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.free.len()
    }

    /// Whether no Gaussian has been added yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds the Gaussian that explains most, then moves all of them.
    pub fn add(&mut self) {
        self.free.add();
        if let Some(search) = &mut self.non_negative {
            search.add();
        }
    }

    /// Settles the current Gaussians on all points and returns the fit. It is rarely worse than a settled fit with
    /// fewer Gaussians.
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

    /// R² of a function: the share of the points' weighted variance that it explains.
    #[must_use]
    pub fn r2(&self, f: impl Fn(f64) -> f64) -> f64 {
        self.free.r2(f)
    }
}

impl GaussianFit {
    /// Sets `given_up` from the R² of least squares. That search may have ended in a local minimum that other
    /// constraints avoid; nothing is given up then.
    fn against(mut self, least_squares: f64) -> Self {
        self.given_up = (least_squares - self.r2).max(0.0);
        self
    }
}
