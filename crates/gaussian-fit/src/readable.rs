//! Readable Gaussians in place of those that least squares likes and nobody can read.
//!
//! A penalty on the squares of heights, no larger than it has to be, leads from the fit of least squares to one
//! that can be read, where there is one nearby. Often the nearest gives up more than one farther away: one that
//! is grown anew under such a penalty, from what can be read of the first fit, or from what cannot, which then
//! shrinks to the one feature that it stood for.

use crate::{
    GaussianFit,
    greedy::Greedy,
    projection::{Projected, Shape, Terms},
    reading::{Reading, unreadable},
};

/// No more of R² than this is given up …
const GIVEN_UP: f64 = 0.01;
/// … and where it is no more than this, nothing else is tried.
const ENOUGH: f64 = 1e-3;
/// What all heights of least squares cost together at first, in shares of the variance. Then it doubles …
const FIRST: f64 = 1e-4;
/// … until a height as large as the range costs this. Where fits are grown anew, it costs that.
const LAST: f64 = 2e-2;
const GROWING: f64 = 1e-3;
/// Starts tried for each Gaussian that is grown anew.
const STARTS: usize = 3;

impl Greedy {
    /// A readable fit of as many Gaussians as one of least squares, that itself where it can be read. Where
    /// none is found that gives up little, the most moderate one that does. `before` is such a fit of one
    /// Gaussian less: what has one more explains no less, where this can be had.
    pub(crate) fn readable(&self, free: GaussianFit, before: Option<&GaussianFit>) -> GaussianFit {
        let mut best = if free.reading.is_readable() {
            free
        } else {
            self.moderated(&free)
        };
        if let Some(before) = before
            && before.reading.is_readable()
            && before.r2 > best.r2
        {
            let grown = self.with_one_more(before);
            if grown.reading.is_readable() && grown.r2 > best.r2 {
                best = grown;
            }
        }
        best
    }

    fn moderated(&self, free: &GaussianFit) -> GaussianFit {
        let given_up = |fit: &GaussianFit| free.r2 - fit.r2;
        let (mut best, moderate) = self.shrunk(free);
        if best.as_ref().is_none_or(|best| given_up(best) > ENOUGH) {
            let grown = self.grown_anew(free);
            best = best.into_iter().chain(grown).max_by(by_r2);
        }
        best.filter(|fit| given_up(fit) <= GIVEN_UP)
            .or_else(|| moderate.filter(|fit| fit.reading.tallest < free.reading.tallest))
            .unwrap_or_else(|| free.clone())
    }

    /// A readable fit near another, under the least penalty that leads to one; and the one of the greatest
    /// penalty that gives up little.
    fn shrunk(&self, free: &GaussianFit) -> (Option<GaussianFit>, Option<GaussianFit>) {
        let mut shapes: Vec<Shape> = free.gaussians.iter().map(Shape::of).collect();
        let least = self.unexplained(&self.on(&self.few, shapes.clone()));
        let mut moderate = Vec::new();
        let heights = free
            .gaussians
            .iter()
            .map(|one| (one.a / self.range).powi(2));
        let first = FIRST / heights.sum::<f64>();
        let doubled = std::iter::successors(Some(first), |share| Some(2.0 * share));
        for share in doubled.take_while(|share| *share <= LAST) {
            let terms = self.penalised(share);
            let found = self.descend(terms, shapes);
            shapes = found.shapes().to_vec();
            if self.unexplained(&found) - least > GIVEN_UP {
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
        let settle = |(terms, shapes)| self.fit_of(&self.settled(terms, shapes));
        let is_close = |fit: &GaussianFit| free.r2 - fit.r2 <= GIVEN_UP;
        (None, moderate.into_iter().rev().map(settle).find(is_close))
    }

    /// The better of the readable fits that grow from what can be read of another, and from what cannot.
    fn grown_anew(&self, free: &GaussianFit) -> Option<GaussianFit> {
        let terms = self.penalised(GROWING);
        let unreadable = unreadable(&free.gaussians, &self.points, self.range);
        let grown = [true, false].map(|kept| {
            let gaussians = free.gaussians.iter().zip(&unreadable);
            let kept = gaussians.filter(|(_, unreadable)| **unreadable == kept);
            let kept = kept.map(|(gaussian, _)| Shape::of(gaussian)).collect();
            let mut grown = self.descend(terms, kept);
            while grown.shapes().len() < free.gaussians.len() {
                let candidates = self.shortlist.best(&grown, .., STARTS).into_iter();
                let next = candidates.map(|one| self.descend_with(terms, grown.shapes(), one));
                // What can be read goes before what costs less.
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
        let mut shapes: Vec<Shape> = before.gaussians.iter().map(Shape::of).collect();
        let present = self.on(&self.few, shapes.clone());
        let next = self.shortlist.best(&present, .., 1);
        shapes.push(next.first().copied().unwrap_or(Shape::NONE));
        self.settled_readable(self.terms, shapes)
    }

    /// Settled on all points, and without the penalty, which has led there and makes all heights too small, if
    /// it can be read then.
    fn settled_readable(&self, terms: Terms, shapes: Vec<Shape>) -> GaussianFit {
        let settled = self.settled(terms, shapes);
        let free = self.fit_of(&self.on(&self.points, settled.shapes().to_vec()));
        if free.reading.is_readable() {
            free
        } else {
            self.fit_of(&settled)
        }
    }

    /// Whether what was found on few points can be read.
    fn is_readable(&self, found: &Projected<'_>) -> bool {
        Reading::of(&found.gaussians(), &self.few, self.range).is_readable()
    }

    fn penalised(&self, share: f64) -> Terms {
        Terms {
            penalty: share * self.variance / self.range.powi(2),
            ..self.terms
        }
    }

    /// The share of the variance that is left.
    fn unexplained(&self, found: &Projected<'_>) -> f64 {
        found.residual().iter().map(|left| left * left).sum::<f64>() / self.variance
    }
}

fn by_r2(one: &GaussianFit, other: &GaussianFit) -> std::cmp::Ordering {
    one.r2.total_cmp(&other.r2)
}
