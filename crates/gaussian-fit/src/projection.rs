//! Variable projection: for given sharpnesses and centres, heights and intercept are a linear least squares
//! problem, so that Levenberg and Marquardt search two numbers a Gaussian and not three.
//!
//! The trust region is the library's. The projection is written here because of what it takes from the
//! points: of the weighted Gaussians G, their derivatives D and the residual r, a step needs no more than
//! inner products. The library is handed the triangular factor of their Gram matrix, as many rows as columns,
//! in place of a Jacobian with a row a point: the same normal equations, Kaufman's (1975), and a fraction of
//! the work of a decomposition of all rows, which is what `varpro` does.

use crate::{Gaussian, column::Column, heights::solve, points::Points};
use levenberg_marquardt::{LeastSquaresProblem, LevenbergMarquardt};
use nalgebra::{Cholesky, DMatrix, DVector, Dyn, Owned};

/// What products of columns lose to rounding, as a share of them.
const ROUNDING: f64 = 1e-14;

/// Bounds of the search. Past them a parameter has no effect, and so no derivative.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    log_b: (f64, f64),
    c: (f64, f64),
}

impl Bounds {
    /// The sharpest Gaussian is gone one offset from its centre; the widest is a parabola on the points, and
    /// centres may lie as far outside of them as they are wide.
    pub(crate) fn of(points: &Points) -> Self {
        let (first, last) = (points.x.first(), points.x.last());
        let (first, last) = (*first.unwrap_or(&0.0), *last.unwrap_or(&0.0));
        let span = (last - first).max(1.0);
        Self {
            log_b: (-2.0 * (2.0 * span).ln(), 20_f64.ln()),
            c: (first - span, last + span),
        }
    }
}

/// What a fit may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    pub(crate) bounds: Bounds,
    /// What the square of a height costs: where Gaussians nearly cancel, it decides for small ones.
    pub(crate) penalty: f64,
    /// Whether heights below zero are refused.
    pub(crate) non_negative: bool,
}

/// One Gaussian as it is searched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shape {
    /// ln b, so that b stays positive and a step means a factor.
    pub(crate) log_b: f64,
    pub(crate) c: f64,
}

impl Shape {
    /// One more where nothing is left to explain: it gets no height.
    pub(crate) const NONE: Self = Self { log_b: 0.0, c: 0.0 };

    pub(crate) fn of(gaussian: &Gaussian) -> Self {
        Self {
            log_b: gaussian.b.ln(),
            c: gaussian.c,
        }
    }
}

/// Gaussians of given shapes at their best heights.
pub(crate) struct Projected<'a> {
    points: &'a Points,
    terms: Terms,
    shapes: Vec<Shape>,
    /// √weight·Gaussian.
    columns: Vec<Column>,
    /// Which of these, and √weight after the last of them, the heights are solved for; the others have none.
    solved: Vec<usize>,
    /// The Gram matrix of these, in factors; none where it is singular.
    solver: Option<Cholesky<f64, Dyn>>,
    /// Heights, and the intercept last.
    pub(crate) heights: DVector<f64>,
    /// √weight·(y − fit).
    residual: Vec<f64>,
    /// Half the weighted sum of squared residuals, and what heights count.
    pub(crate) cost: f64,
}

impl<'a> Projected<'a> {
    pub(crate) fn new(points: &'a Points, terms: Terms, shapes: Vec<Shape>) -> Self {
        let mut projected = Self {
            points,
            terms,
            columns: Vec::new(),
            solved: Vec::new(),
            solver: None,
            heights: DVector::zeros(shapes.len() + 1),
            residual: Vec::new(),
            cost: f64::INFINITY,
            shapes,
        };
        projected.project();
        projected
    }

    /// √weight·Gaussian, one column for each that heights are solved for, and √weight.
    pub(crate) fn basis(&self) -> DMatrix<f64> {
        let rows = self.points.len();
        let mut values: Vec<f64> = Vec::with_capacity(rows * self.solved.len());
        for at in &self.solved {
            match self.columns.get(*at) {
                Some(column) => values.extend(column.spread(rows)),
                None => values.extend(&self.points.root),
            }
        }
        DMatrix::from_vec(rows, self.solved.len(), values)
    }

    /// Whether one more Gaussian that has this inner product with the residual may stand there.
    pub(crate) fn admits(&self, along: f64) -> bool {
        along > 0.0 || !self.terms.non_negative
    }

    /// √weight·(y − fit).
    pub(crate) fn residual(&self) -> &[f64] {
        &self.residual
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

    /// The greatest height.
    pub(crate) fn greatest(&self) -> f64 {
        let heights = self.heights.iter().take(self.shapes.len());
        heights.fold(0.0, |most, height| most.max(height.abs()))
    }

    /// Whether no height is far beyond another fit's: heights that grow without need cancel.
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

    /// Heights and residual for the shapes as they are.
    fn project(&mut self) {
        let (count, root) = (self.shapes.len(), &self.points.root);
        self.columns = (self.shapes.iter())
            .map(|shape| {
                let Shape { log_b, c } = self.within(*shape);
                Column::whole(self.points, log_b.exp(), c)
            })
            .collect();
        self.residual = root
            .iter()
            .zip(&self.points.y)
            .map(|(r, y)| r * y)
            .collect();
        let mut norms = DMatrix::zeros(count + 1, count + 1);
        let mut right = DVector::zeros(count + 1);
        // The factorisation reads the lower triangle.
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
            self.solved = (0..=count).collect();
            self.cost = f64::INFINITY;
            return;
        };
        (self.heights, self.solved) = (solved.heights, solved.among);
        self.solver = Some(solved.solver);
        // The residual itself, not its square from products: that would cancel.
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
    fn changes(&self) -> Vec<Column> {
        let mut changes = Vec::with_capacity(2 * self.shapes.len());
        for (at, shape) in self.shapes.iter().enumerate() {
            let (inside, height) = (self.within(*shape), self.heights[at]);
            let (b, c) = (inside.log_b.exp(), inside.c);
            // Nothing changes past a bound.
            let by_b = height * f64::from(u8::from(inside.log_b == shape.log_b));
            let by_c = height * f64::from(u8::from(inside.c == shape.c));
            let column = &self.columns[at];
            changes.push(column.times(self.points, |x| -by_b * b * (x - c).powi(2)));
            changes.push(column.times(self.points, |x| 2.0 * by_c * b * (x - c)));
        }
        changes
    }

    /// U with UᵀU = [r J]ᵀ[r J], J = −(I − G(GᵀG)⁻¹Gᵀ)·D. The penalty is a row of its own for each height,
    /// in which the derivatives are zero.
    fn factor(&self) -> Option<DMatrix<f64>> {
        let (solver, changes) = (self.solver.as_ref()?, self.changes());
        let cross = DMatrix::from_fn(self.solved.len(), changes.len(), |at, change| {
            match self.columns.get(self.solved[at]) {
                Some(column) => column.dot(&changes[change]),
                None => changes[change].along(&self.points.root),
            }
        });
        let explained = cross.tr_mul(&solver.solve(&cross));
        let mut joint = DMatrix::zeros(changes.len() + 1, changes.len() + 1);
        joint[(0, 0)] = 2.0 * self.cost;
        for (at, change) in changes.iter().enumerate() {
            // The residual is orthogonal to the Gaussians already.
            joint[(at + 1, 0)] = -change.along(&self.residual);
            for (other, before) in changes[..=at].iter().enumerate() {
                joint[(at + 1, other + 1)] = change.dot(before) - explained[(at, other)];
            }
        }
        // Rounding may leave what ought to be zero a little below it.
        for at in 0..joint.ncols() {
            joint[(at, at)] = joint[(at, at)] * (1.0 + ROUNDING) + f64::MIN_POSITIVE;
        }
        Some(joint.cholesky()?.l().transpose())
    }
}

impl LeastSquaresProblem<f64, Dyn, Dyn> for Projected<'_> {
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
        // The first column of the factor: a step that is tried and refused asks for no derivatives.
        let mut residuals = DVector::zeros(2 * self.shapes.len() + 1);
        residuals[0] = (2.0 * self.cost).sqrt();
        self.cost.is_finite().then_some(residuals)
    }

    fn jacobian(&self) -> Option<DMatrix<f64>> {
        Some(self.factor()?.columns_range(1..).into_owned())
    }
}

/// Searches from where it stands. Ends when cost or parameters change by less than `tolerance`, or after
/// `patience` evaluations a parameter: a fit that is still improving then is taken as it is.
pub(crate) fn descend(start: Projected<'_>, patience: usize, tolerance: f64) -> Projected<'_> {
    let search = LevenbergMarquardt::new()
        .with_patience(patience)
        .with_ftol(tolerance)
        .with_xtol(tolerance);
    // It gives back the best it met, whyever it ended.
    search.minimize(start).0
}
