//! Gaussians that might be added: every width, every place, on given points.

use crate::{
    column::Column,
    points::Points,
    projection::{Projected, Shape},
};

use std::ops::RangeBounds;

/// Widths that are tried grow by this factor …
const WIDER: f64 = 1.8;
/// … from this one on, and centres lie this share of a width apart: descending closes the gaps.
const NARROWEST: f64 = 0.8;
const APART: f64 = 0.8;
/// A Gaussian is as good as gone this many widths from its centre.
const REACH: f64 = 3.0;
/// Candidates that the others explain up to this share add nothing but rounding.
const NEW: f64 = 1e-5;

/// Candidates on some points, evaluated once.
#[derive(Debug, Clone)]
pub(crate) struct Candidates(Vec<Candidate>);

#[derive(Debug, Clone)]
struct Candidate {
    shape: Shape,
    /// Which width it has, counted from the narrowest.
    width: usize,
    column: Column,
    norm: f64,
}

impl Candidates {
    pub(crate) fn of(points: &Points) -> Self {
        let mut made = Vec::new();
        let (Some(&first), Some(&last)) = (points.x.first(), points.x.last()) else {
            return Self(made);
        };
        let widths = std::iter::successors(Some(NARROWEST), |width| Some(width * WIDER));
        for (which, width) in widths
            .take_while(|width| *width < 2.0 * (last - first))
            .enumerate()
        {
            let b = (width * width).recip();
            let steps = ((last - first) / (APART * width)).ceil() as usize;
            for c in (0..=steps).map(|step| first + step as f64 * APART * width) {
                let column = Column::gaussian(points, b, c, REACH * width);
                let norm = column.dot(&column);
                if norm > 0.0 {
                    made.push(Candidate {
                        shape: Shape { log_b: b.ln(), c },
                        width: which,
                        column,
                        norm,
                    });
                }
            }
        }
        Self(made)
    }

    /// How many widths there are.
    pub(crate) fn widths(&self) -> usize {
        self.0.last().map_or(0, |widest| widest.width + 1)
    }

    /// Those of some widths that explain most of what `present` leaves on the same points, the best of each
    /// width, best first. Adding a Gaussian g at its best height gains ⟨r, g⟩²/‖g⊥‖², where g⊥ is what the present ones
    /// do not explain of it.
    pub(crate) fn best(
        &self,
        present: &Projected<'_>,
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
