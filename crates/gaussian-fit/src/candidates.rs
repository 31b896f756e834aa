//! A grid of candidate Gaussians (widths × centres), evaluated at given points.

use crate::{
    column::BasisColumn,
    points::Points,
    projection::{HeightFit, Shape},
};

use std::ops::RangeBounds;

/// Candidate widths grow by this factor …
const WIDER: f64 = 1.8;
/// … starting with this one. Centres are this share of a width apart; the descent closes the gaps.
const NARROWEST: f64 = 0.8;
const APART: f64 = 0.8;
/// A candidate is cut off this many widths from its centre, where it is negligible.
const REACH: f64 = 3.0;
/// A candidate whose unexplained share is below this adds only rounding errors.
const NEW: f64 = 1e-5;

/// Candidates with their values at some points, computed once.
#[derive(Debug, Clone)]
pub(crate) struct Candidates(Vec<Candidate>);

#[derive(Debug, Clone)]
struct Candidate {
    shape: Shape,
    /// Index of its width, counted from the narrowest.
    width: usize,
    column: BasisColumn,
    norm: f64,
}

impl Candidates {
    pub(crate) fn new(points: &Points) -> Self {
        let mut candidates = Vec::new();
        let (Some(&first), Some(&last)) = (points.x.first(), points.x.last()) else {
            return Self(candidates);
        };
        let widths = std::iter::successors(Some(NARROWEST), |width| Some(width * WIDER));
        for (which, width) in widths
            .take_while(|width| *width < 2.0 * (last - first))
            .enumerate()
        {
            let b = (width * width).recip();
            let steps = ((last - first) / (APART * width)).ceil() as usize;
            for c in (0..=steps).map(|step| first + step as f64 * APART * width) {
                let column = BasisColumn::gaussian(points, b, c, REACH * width);
                let norm = column.dot(&column);
                if norm > 0.0 {
                    candidates.push(Candidate {
                        shape: Shape { log_b: b.ln(), c },
                        width: which,
                        column,
                        norm,
                    });
                }
            }
        }
        Self(candidates)
    }

    /// Number of candidate widths.
    pub(crate) fn widths(&self) -> usize {
        self.0.last().map_or(0, |widest| widest.width + 1)
    }

    /// Returns the shapes that explain most of the residual of `present`, which must be on the same points: the best of
    /// each width in `widths`, at most `count`, best first. Adding a Gaussian g at its best height lowers the sum of
    /// squares by ⟨r, g⟩²/‖g⊥‖², where g⊥ is the part of g that the present ones do not explain.
    pub(crate) fn best(
        &self,
        present: &HeightFit<'_>,
        widths: impl RangeBounds<usize>,
        count: usize,
    ) -> Vec<Shape> {
        let residual = present.residual();
        let orthonormal = present.basis().qr().q();
        let columns: Vec<&[f64]> = (orthonormal.as_slice())
            .chunks_exact(orthonormal.nrows().max(1))
            .collect();
        let mut best: Vec<(f64, Shape)> = Vec::new();
        for candidate in self.0.iter().filter(|one| widths.contains(&one.width)) {
            let Candidate { shape, column, .. } = candidate;
            let explained: f64 = columns.iter().map(|all| column.along(all).powi(2)).sum();
            let left = candidate.norm - explained;
            let along = column.along(residual);
            let gain = along.powi(2) / left;
            if !(left > NEW * candidate.norm && gain > 0.0 && present.admits(along)) {
                continue;
            }
            while best.len() <= candidate.width {
                best.push((0.0, *shape));
            }
            if gain > best[candidate.width].0 {
                best[candidate.width] = (gain, *shape);
            }
        }
        best.retain(|(gain, _)| *gain > 0.0);
        best.sort_by(|one, other| other.0.total_cmp(&one.0));
        best.into_iter()
            .take(count)
            .map(|(_, shape)| shape)
            .collect()
    }
}
