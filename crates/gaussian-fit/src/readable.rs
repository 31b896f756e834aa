//! Replaces a least squares fit that cannot be interpreted by a readable one.
//!
//! A penalty on the squares of heights, as small as possible, leads from the least squares fit to a readable one, if
//! there is one nearby. The nearest one often gives up more R² than one farther away, which is grown under such a
//! penalty either from the readable Gaussians of the first fit, or from the unreadable ones, which then shrink to the
//! single feature they represented.

use crate::{
    GaussianFit,
    greedy::Greedy,
    projection::{HeightFit, Shape, Terms},
    reading::{Reading, unreadable},
};

/// Maximum R² that may be given up …
const GIVEN_UP: f64 = 0.01;
/// … and amount below which no further fits are tried.
const ENOUGH: f64 = 1e-3;
/// Initial penalty on all heights of the least squares fit together, as a share of the variance. It doubles …
const FIRST: f64 = 1e-4;
/// … until a height as large as the range costs `LAST`. Fits that are grown anew use `GROWING`.
const LAST: f64 = 2e-2;
const GROWTH_PENALTY: f64 = 1e-3;
/// Number of starts per Gaussian that is grown anew.
const STARTS: usize = 3;

impl Greedy {
    /// Returns a readable fit with as many Gaussians as `free`, the least squares fit, or `free` itself if it is
    /// readable. If no readable fit gives up little, returns the one with the smallest heights that does. `before` is
    /// the result with one Gaussian fewer: the returned fit explains at least as much, if possible.
    pub(crate) fn readable(&self, free: GaussianFit, before: Option<&GaussianFit>) -> GaussianFit {
        let mut best = if free.reading.is_readable() {
            free
        } else {
            self.moderate(&free)
        };
        if let Some(before) = before
            && before.reading.is_readable()
            && before.r2 > best.r2
        {
            let extended = self.with_one_more(before);
            if extended.reading.is_readable() && extended.r2 > best.r2 {
                best = extended;
            }
        }
        best
    }

    fn moderate(&self, free: &GaussianFit) -> GaussianFit {
        let given_up = |fit: &GaussianFit| free.r2 - fit.r2;
        let (mut best, moderate) = self.shrink(free);
        if best.as_ref().is_none_or(|best| given_up(best) > ENOUGH) {
            let grown = self.grown_anew(free);
            best = best.into_iter().chain(grown).max_by(by_r2);
        }
        best.filter(|fit| given_up(fit) <= GIVEN_UP)
            .or_else(|| moderate.filter(|fit| fit.reading.tallest < free.reading.tallest))
            .unwrap_or_else(|| free.clone())
    }

    /// Returns the readable fit near `free` under the smallest penalty that leads to one; otherwise the fit under the
    /// largest penalty that gives up little.
    fn shrink(&self, free: &GaussianFit) -> (Option<GaussianFit>, Option<GaussianFit>) {
        let mut shapes: Vec<Shape> = free.gaussians.iter().map(Shape::from_gaussian).collect();
        let least = self.unexplained_share(&self.on(&self.few, shapes.clone()));
        let mut moderate = Vec::new();
        let heights = free
            .gaussians
            .iter()
            .map(|one| (one.a / self.range).powi(2));
        let first = FIRST / heights.sum::<f64>();
        let doubled = std::iter::successors(Some(first), |share| Some(2.0 * share));
        for share in doubled.take_while(|share| *share <= LAST) {
            let terms = self.penalise(share);
            let found = self.descend(terms, shapes);
            shapes = found.shapes().to_vec();
            if self.unexplained_share(&found) - least > GIVEN_UP {
                break;
            }
            if self.is_readable(&found) {
                let fit = self.settled_readable(terms, shapes.clone());
                if fit.reading.is_readable() {
                    return (Some(fit), None);
                }
            }
            moderate.push((terms, shapes.clone()));
        }
        let settle = |(terms, shapes)| self.fit_of(&self.descend_on_all_points(terms, shapes));
        let is_close = |fit: &GaussianFit| free.r2 - fit.r2 <= GIVEN_UP;
        (None, moderate.into_iter().rev().map(settle).find(is_close))
    }

    /// The better of two readable fits: one grown from the readable Gaussians of `free`, one from the unreadable ones.
    fn grown_anew(&self, free: &GaussianFit) -> Option<GaussianFit> {
        let terms = self.penalise(GROWTH_PENALTY);
        let unreadable = unreadable(&free.gaussians, &self.points, self.range);
        let grown = [true, false].map(|are_unreadable| {
            let gaussians = free.gaussians.iter().zip(&unreadable);
            let part = gaussians.filter(|(_, unreadable)| **unreadable == are_unreadable);
            let part = part
                .map(|(gaussian, _)| Shape::from_gaussian(gaussian))
                .collect();
            let mut grown = self.descend(terms, part);
            while grown.shapes().len() < free.gaussians.len() {
                let candidates = self.shortlist.best(&grown, .., STARTS).into_iter();
                let next = candidates.map(|one| self.descend_with(terms, grown.shapes(), one));
                // Prefer readable fits, then those of lower cost.
                let next = next.min_by(|one, other| {
                    let unreadable = |found| !self.is_readable(found);
                    (unreadable(one).cmp(&unreadable(other))).then(one.cost.total_cmp(&other.cost))
                });
                grown = next?;
            }
            self.is_readable(&grown).then_some(grown)
        });
        let best =
            (grown.into_iter().flatten()).min_by(|one, other| one.cost.total_cmp(&other.cost))?;
        let fit = self.settled_readable(terms, best.shapes().to_vec());
        fit.reading.is_readable().then_some(fit)
    }

    fn with_one_more(&self, before: &GaussianFit) -> GaussianFit {
        let mut shapes: Vec<Shape> = before.gaussians.iter().map(Shape::from_gaussian).collect();
        let present = self.on(&self.few, shapes.clone());
        let next = self.shortlist.best(&present, .., 1);
        shapes.push(next.first().copied().unwrap_or(Shape::NONE));
        self.settled_readable(self.terms, shapes)
    }

    /// Settles shapes on all points. Removes the penalty, which makes all heights too small, if the fit is readable
    /// without it.
    fn settled_readable(&self, terms: Terms, shapes: Vec<Shape>) -> GaussianFit {
        let settled_fit = self.descend_on_all_points(terms, shapes);
        let free = self.fit_of(&self.on(&self.points, settled_fit.shapes().to_vec()));
        if free.reading.is_readable() {
            free
        } else {
            self.fit_of(&settled_fit)
        }
    }

    /// Whether a fit on the condensed points is readable.
    fn is_readable(&self, found: &HeightFit<'_>) -> bool {
        Reading::measure(&found.gaussians(), &self.few, self.range).is_readable()
    }

    fn penalise(&self, share: f64) -> Terms {
        Terms {
            penalty: share * self.variance / self.range.powi(2),
            ..self.terms
        }
    }

    /// Share of the variance that is not explained.
    fn unexplained_share(&self, found: &HeightFit<'_>) -> f64 {
        found.residual().iter().map(|left| left * left).sum::<f64>() / self.variance
    }
}

fn by_r2(one: &GaussianFit, other: &GaussianFit) -> std::cmp::Ordering {
    one.r2.total_cmp(&other.r2)
}
