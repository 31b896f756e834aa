//! Greedy least squares: adds one Gaussian at a time, where it explains most of the residual.

use crate::{
    GaussianFit,
    candidates::Candidates,
    points::{FitError, Points},
    projection::{self, Bounds, HeightFit, Shape, Terms},
    reading::Reading,
};

/// Number of points used by the search; its result is settled on all points.
const SEARCH_POINTS: usize = 192;
/// Number of starts per added Gaussian.
const STARTS: usize = 3;
/// Evaluations per parameter, for the search and for settling.
const PATIENCE: (usize, usize) = (2, 4);
/// Relative change of the cost that ends a descent, for the search and for settling.
const TOLERANCE: (f64, f64) = (1e-6, 1e-8);
/// Penalty on the square of a height, relative to the points' weight: two Gaussians that cancel to a thousandth of
/// their heights still pay off, at a millionth of the variance they explain.
const PENALTY: f64 = 1e-9;
/// An exchange must lower the cost by this share to be accepted. A round of exchanges must lower it by `PAYS` for
/// another round to follow.
const WORTH: f64 = 1e-4;
const PAYS: f64 = 0.02;
/// Maximum number of rounds of exchanges.
const EXCHANGES: usize = 2;

/// A search that adds one Gaussian at a time.
#[derive(Debug, Clone)]
pub(crate) struct Greedy {
    pub(crate) points: Points,
    pub(crate) few: Points,
    pub(crate) shortlist: Candidates,
    pub(crate) terms: Terms,
    pub(crate) variance: f64,
    /// Difference between the smallest and the greatest y.
    pub(crate) range: f64,
    shapes: Vec<Shape>,
    best: Option<(f64, Vec<Shape>)>,
}

impl Greedy {
    /// Creates a search for up to `most` Gaussians.
    ///
    /// # Errors
    /// If there are fewer points than parameters: three per Gaussian and the intercept.
    pub(crate) fn new(points: Points, most: usize) -> Result<Self, FitError> {
        let parameters = 3 * most + 1;
        if points.len() < parameters {
            return Err(FitError::TooFewPoints {
                points: points.len(),
                parameters,
            });
        }
        let few = points.condense(SEARCH_POINTS);
        Ok(Self {
            shortlist: Candidates::new(&few),
            few,
            terms: Terms {
                bounds: Bounds::new(&points),
                penalty: PENALTY * points.weight.iter().sum::<f64>(),
                non_negative: false,
            },
            variance: points.variance(),
            range: points.range(),
            shapes: Vec::new(),
            best: None,
            points,
        })
    }

    /// Forbids negative heights.
    pub(crate) fn non_negative(mut self) -> Self {
        self.terms.non_negative = true;
        self
    }

    /// Number of Gaussians so far.
    pub(crate) fn len(&self) -> usize {
        self.shapes.len()
    }

    /// Adds the Gaussian that explains most, then moves all of them.
    pub(crate) fn add(&mut self) {
        let start = self.on(&self.few, self.shapes.clone());
        let mut best: Option<HeightFit<'_>> = None;
        for candidate in self.shortlist.best(&start, .., STARTS) {
            let found = self.descend_with(self.terms, start.shapes(), candidate);
            if best.as_ref().is_none_or(|best| found.cost < best.cost) {
                best = Some(found);
            }
        }
        let Some(mut best) = best else {
            // Everything is explained already: add one of height zero.
            self.shapes.push(Shape::NONE);
            return;
        };
        // After the others have moved, each Gaussian may have a better place.
        for _ in 0..EXCHANGES {
            let before = best.cost;
            for leaving in 0..self.shapes.len() {
                let mut others = best.shapes().to_vec();
                others.remove(leaving);
                let rest = self.on(&self.few, others);
                if let Some(candidate) = self.shortlist.best(&rest, .., 1).first() {
                    let found = self.descend_with(self.terms, rest.shapes(), *candidate);
                    if found.cost < best.cost * (1.0 - WORTH) {
                        best = found;
                    }
                }
            }
            if best.cost > before * (1.0 - PAYS) {
                break;
            }
        }
        self.shapes = best.shapes().to_vec();
    }

    /// Settles the current Gaussians on all points and returns the fit. It is never worse than a settled fit with fewer
    /// Gaussians.
    pub(crate) fn settle(&mut self) -> GaussianFit {
        let mut found = self.descend_on_all_points(self.terms, self.shapes.clone());
        if let Some((cost, shapes)) = &self.best
            && found.cost > *cost
            && shapes.len() < self.shapes.len()
        {
            let mut before = self.on(&self.points, shapes.clone());
            while before.shapes().len() < self.shapes.len() {
                let next = Candidates::new(&self.points).best(&before, .., 1);
                let mut shapes = before.shapes().to_vec();
                shapes.push(next.first().copied().unwrap_or(Shape::NONE));
                before = self.descend_on_all_points(self.terms, shapes);
            }
            if before.cost < found.cost {
                found = before;
            }
        }
        if self.points.may_be_exact()
            && let Some(exact) = self.exact(&found)
        {
            found = exact;
        }
        let shapes = found.shapes().to_vec();
        let fit = self.fit_of(&found);
        self.best = Some((found.cost, shapes));
        fit
    }

    /// Builds a fit with its Gaussians in order.
    pub(crate) fn fit_of(&self, found: &HeightFit<'_>) -> GaussianFit {
        let mut gaussians = found.gaussians();
        gaussians.sort_by(|one, other| one.c.abs().total_cmp(&other.c.abs()));
        let mut fit = GaussianFit {
            reading: Reading::measure(&gaussians, &self.points, self.range),
            gaussians,
            intercept: found.intercept(),
            r2: 0.0,
            given_up: 0.0,
            penalty: found.penalty() * self.range.powi(2) / self.variance,
        };
        fit.r2 = self.r2(|x| fit.at(x));
        fit
    }

    /// R² of a function: the share of the points' weighted variance that it explains.
    pub(crate) fn r2(&self, f: impl Fn(f64) -> f64) -> f64 {
        let Points { x, y, weight, .. } = &self.points;
        let left =
            (x.iter().zip(y).zip(weight)).map(|((x, y), weight)| weight * (y - f(*x)).powi(2));
        1.0 - left.sum::<f64>() / self.variance
    }

    pub(crate) fn on<'a>(&self, points: &'a Points, shapes: Vec<Shape>) -> HeightFit<'a> {
        HeightFit::new(points, self.terms, shapes)
    }

    pub(crate) fn descend_with(
        &self,
        terms: Terms,
        shapes: &[Shape],
        candidate: Shape,
    ) -> HeightFit<'_> {
        let mut shapes = shapes.to_vec();
        shapes.push(candidate);
        self.descend(terms, shapes)
    }

    /// Descends from some shapes, on the condensed points.
    pub(crate) fn descend(&self, terms: Terms, shapes: Vec<Shape>) -> HeightFit<'_> {
        let start = HeightFit::new(&self.few, terms, shapes);
        projection::descend(start, PATIENCE.0, TOLERANCE.0)
    }

    /// Descends from some shapes, on all points.
    pub(crate) fn descend_on_all_points(&self, terms: Terms, shapes: Vec<Shape>) -> HeightFit<'_> {
        let start = HeightFit::new(&self.points, terms, shapes);
        projection::descend(start, PATIENCE.1, TOLERANCE.1)
    }
}
