//! Variable projection: for given sharpnesses and centres, heights and intercept are a linear least squares problem, so
//! that Levenberg–Marquardt searches two parameters per Gaussian instead of three.
//!
//! The trust region is that of the `levenberg_marquardt` crate. The projection is written here for efficiency: for the
//! weighted Gaussians G, their derivatives D and the residual r, a step needs only inner products. The solver gets the
//! triangular factor of their Gram matrix, with as many rows as columns, instead of a Jacobian with a row per point.
//! The normal equations are the same, those of Kaufman (1975), at a fraction of the cost of decomposing all rows, as
//! `varpro` does.

use crate::{Gaussian, column::BasisColumn, heights::solve, points::Points};
use levenberg_marquardt::{LeastSquaresProblem, LevenbergMarquardt};
use nalgebra::{Cholesky, DMatrix, DVector, Dyn, Owned};

/// Relative rounding error of products of columns.
const ROUNDING: f64 = 1e-14;

/// Bounds of the search. Beyond them a parameter has no effect, and its derivative is zero.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    log_b: (f64, f64),
    c: (f64, f64),
}

impl Bounds {
    /// Bounds for some points. The sharpest Gaussian vanishes one offset from its centre; the widest is a parabola on
    /// the points. Centres may lie outside of the points by at most their span.
    pub(crate) fn new(points: &Points) -> Self {
        let (first, last) = (points.x.first(), points.x.last());
        let (first, last) = (*first.unwrap_or(&0.0), *last.unwrap_or(&0.0));
        let span = (last - first).max(1.0);
        Self {
            log_b: (-2.0 * (2.0 * span).ln(), 20_f64.ln()),
            c: (first - span, last + span),
        }
    }
}

/// Constraints and penalties of a fit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    pub(crate) bounds: Bounds,
    /// Penalty on the square of a height: where Gaussians nearly cancel, it favours small heights.
    pub(crate) penalty: f64,
    /// Whether negative heights are forbidden.
    pub(crate) non_negative: bool,
}

/// Nonlinear parameters of one Gaussian.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shape {
    /// ln b, so that b stays positive and a step multiplies it by a factor.
    pub(crate) log_b: f64,
    pub(crate) c: f64,
}

impl Shape {
    /// Placeholder shape for when nothing is left to explain; its height is zero.
    pub(crate) const NONE: Self = Self { log_b: 0.0, c: 0.0 };

    pub(crate) fn from_gaussian(gaussian: &Gaussian) -> Self {
        Self {
            log_b: gaussian.b.ln(),
            c: gaussian.c,
        }
    }
}

/// Gaussians of given shapes with their best heights.
pub(crate) struct HeightFit<'a> {
    points: &'a Points,
    terms: Terms,
    shapes: Vec<Shape>,
    /// √weight·Gaussian, one column per shape.
    columns: Vec<BasisColumn>,
    /// Indices of the columns whose heights are solved for, with the intercept as the index after the last column;
    /// other heights are zero.
    solved_columns: Vec<usize>,
    /// Cholesky factors of their Gram matrix; `None` if it is singular.
    solver: Option<Cholesky<f64, Dyn>>,
    /// Heights, with the intercept last.
    pub(crate) heights: DVector<f64>,
    /// √weight·(y − fit).
    residual: Vec<f64>,
    /// Half the weighted sum of squared residuals, plus the penalty.
    pub(crate) cost: f64,
}

impl<'a> HeightFit<'a> {
    pub(crate) fn new(points: &'a Points, terms: Terms, shapes: Vec<Shape>) -> Self {
        let mut projected = Self {
            points,
            terms,
            columns: Vec::new(),
            solved_columns: Vec::new(),
            solver: None,
            heights: DVector::zeros(shapes.len() + 1),
            residual: Vec::new(),
            cost: f64::INFINITY,
            shapes,
        };
        projected.project();
        projected
    }

    /// The columns whose heights are solved for, and √weight for the intercept.
    pub(crate) fn basis(&self) -> DMatrix<f64> {
        let rows = self.points.len();
        let mut values: Vec<f64> = Vec::with_capacity(rows * self.solved_columns.len());
        for at in &self.solved_columns {
            match self.columns.get(*at) {
                Some(column) => values.extend(column.to_dense(rows)),
                None => values.extend(&self.points.root),
            }
        }
        DMatrix::from_vec(rows, self.solved_columns.len(), values)
    }

    /// Whether a Gaussian with this inner product with the residual may be added: with non-negative heights, it must be
    /// positive.
    pub(crate) fn admits(&self, along: f64) -> bool {
        along > 0.0 || !self.terms.non_negative
    }

    /// √weight·(y − fit).
    pub(crate) fn residual(&self) -> &[f64] {
        &self.residual
    }

    /// Penalty on the square of a height.
    pub(crate) fn penalty(&self) -> f64 {
        self.terms.penalty
    }

    pub(crate) fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    pub(crate) fn gaussians(&self) -> Vec<Gaussian> {
        (self.shapes.iter().zip(self.heights.iter()))
            .map(|(shape, &a)| {
                let Shape { log_b, c } = self.within(*shape);
                Gaussian {
                    a,
                    b: log_b.exp(),
                    c,
                }
            })
            .collect()
    }

    /// The greatest absolute height.
    pub(crate) fn greatest(&self) -> f64 {
        let heights = self.heights.iter().take(self.shapes.len());
        heights.fold(0.0, |most, height| most.max(height.abs()))
    }

    /// Whether no height exceeds `greatest` by far: heights that grow without need cancel.
    pub(crate) fn is_tame(&self, greatest: f64) -> bool {
        self.greatest() <= 100.0 * greatest
    }

    pub(crate) fn intercept(&self) -> f64 {
        self.heights[self.shapes.len()]
    }

    fn within(&self, shape: Shape) -> Shape {
        Shape {
            log_b: shape
                .log_b
                .clamp(self.terms.bounds.log_b.0, self.terms.bounds.log_b.1),
            c: shape.c.clamp(self.terms.bounds.c.0, self.terms.bounds.c.1),
        }
    }

    /// Computes heights, residual and cost for the current shapes.
    fn project(&mut self) {
        let (count, root) = (self.shapes.len(), &self.points.root);
        self.columns = (self.shapes.iter())
            .map(|shape| {
                let Shape { log_b, c } = self.within(*shape);
                BasisColumn::whole(self.points, log_b.exp(), c)
            })
            .collect();
        self.residual = root
            .iter()
            .zip(&self.points.y)
            .map(|(r, y)| r * y)
            .collect();
        let mut norms = DMatrix::zeros(count + 1, count + 1);
        let mut right = DVector::zeros(count + 1);
        // The factorisation reads only the lower triangle.
        for (at, column) in self.columns.iter().enumerate() {
            for (other, before) in self.columns[..=at].iter().enumerate() {
                norms[(at, other)] = column.dot(before);
            }
            norms[(at, at)] += self.terms.penalty;
            norms[(count, at)] = column.along(root);
            right[at] = column.along(&self.residual);
        }
        norms[(count, count)] = self.points.weight.iter().sum();
        right[count] = root.iter().zip(&self.residual).map(|(r, y)| r * y).sum();
        let Some(solved) = solve(norms, &right, self.terms.non_negative) else {
            self.solver = None;
            self.solved_columns = (0..=count).collect();
            self.cost = f64::INFINITY;
            return;
        };
        (self.heights, self.solved_columns) = (solved.heights, solved.among);
        self.solver = Some(solved.solver);
        // Computed from the residual itself: computing the square from inner products would cancel.
        for (left, root) in self.residual.iter_mut().zip(root) {
            *left -= self.heights[count] * root;
        }
        for (column, height) in self.columns.iter().zip(self.heights.iter()) {
            column.take_from(&mut self.residual, *height);
        }
        let squares: f64 = self.heights.iter().take(count).map(|a| a * a).sum();
        let left: f64 = self.residual.iter().map(|left| left * left).sum();
        self.cost = 0.5 * (left + self.terms.penalty * squares);
    }

    /// Derivatives of the Gaussians by ln b and c in turn, times their heights.
    fn changes(&self) -> Vec<BasisColumn> {
        let mut changes = Vec::with_capacity(2 * self.shapes.len());
        for (at, shape) in self.shapes.iter().enumerate() {
            let (inside, height) = (self.within(*shape), self.heights[at]);
            let (b, c) = (inside.log_b.exp(), inside.c);
            // Derivatives are zero beyond a bound.
            let by_b = height * f64::from(u8::from(inside.log_b == shape.log_b));
            let by_c = height * f64::from(u8::from(inside.c == shape.c));
            let column = &self.columns[at];
            changes.push(column.times(self.points, |x| -by_b * b * (x - c).powi(2)));
            changes.push(column.times(self.points, |x| 2.0 * by_c * b * (x - c)));
        }
        changes
    }

    /// U with UᵀU = [r J]ᵀ[r J], J = −(I − G(GᵀG)⁻¹Gᵀ)·D. The penalty adds one row per height, where the derivatives
    /// are zero.
    fn factor(&self) -> Option<DMatrix<f64>> {
        let (solver, changes) = (self.solver.as_ref()?, self.changes());
        let cross =
            DMatrix::from_fn(
                self.solved_columns.len(),
                changes.len(),
                |at, change| match self.columns.get(self.solved_columns[at]) {
                    Some(column) => column.dot(&changes[change]),
                    None => changes[change].along(&self.points.root),
                },
            );
        let explained = cross.tr_mul(&solver.solve(&cross));
        let mut joint = DMatrix::zeros(changes.len() + 1, changes.len() + 1);
        joint[(0, 0)] = 2.0 * self.cost;
        for (at, change) in changes.iter().enumerate() {
            // The residual is already orthogonal to the Gaussians.
            joint[(at + 1, 0)] = -change.along(&self.residual);
            for (other, before) in changes[..=at].iter().enumerate() {
                joint[(at + 1, other + 1)] = change.dot(before) - explained[(at, other)];
            }
        }
        // Rounding may make a zero slightly negative.
        for at in 0..joint.ncols() {
            joint[(at, at)] = joint[(at, at)] * (1.0 + ROUNDING) + f64::MIN_POSITIVE;
        }
        Some(joint.cholesky()?.l().transpose())
    }
}

impl LeastSquaresProblem<f64, Dyn, Dyn> for HeightFit<'_> {
    type ResidualStorage = Owned<f64, Dyn>;
    type JacobianStorage = Owned<f64, Dyn, Dyn>;
    type ParameterStorage = Owned<f64, Dyn>;

    fn set_params(&mut self, parameters: &DVector<f64>) {
        for (shape, pair) in self
            .shapes
            .iter_mut()
            .zip(parameters.as_slice().chunks_exact(2))
        {
            *shape = Shape {
                log_b: pair[0],
                c: pair[1],
            };
        }
        self.project();
    }

    fn params(&self) -> DVector<f64> {
        let numbers = self.shapes.iter().flat_map(|shape| [shape.log_b, shape.c]);
        DVector::from_iterator(2 * self.shapes.len(), numbers)
    }

    fn residuals(&self) -> Option<DVector<f64>> {
        // The first column of the triangular factor: its one nonzero entry follows from the cost, so that a rejected
        // step computes no derivatives.
        let mut residuals = DVector::zeros(2 * self.shapes.len() + 1);
        residuals[0] = (2.0 * self.cost).sqrt();
        self.cost.is_finite().then_some(residuals)
    }

    fn jacobian(&self) -> Option<DMatrix<f64>> {
        Some(self.factor()?.columns_range(1..).into_owned())
    }
}

/// Descends from `start`. Ends when cost or parameters change by less than `tolerance` relatively, or after `patience`
/// evaluations per parameter; the best fit so far is then used.
pub(crate) fn descend(start: HeightFit<'_>, patience: usize, tolerance: f64) -> HeightFit<'_> {
    let search = LevenbergMarquardt::new()
        .with_patience(patience)
        .with_ftol(tolerance)
        .with_xtol(tolerance);
    // The minimiser returns the best point for every reason of termination.
    search.minimize(start).0
}
