//! Two-dimensional Toeplitz matrices, whose cells depend on (Δy, Δx) alone, and their least-squares fits to other
//! matrices.
//!
//! They are for positions on a [`Grid`] what `Toeplitz` is for positions on a line. With positions numbered row by row,
//! cells of equal (Δy, Δx) share k = w·Δy + Δx, so every function of k is a function of (Δy, Δx): the R² in two
//! dimensions is never below that in one.

use super::{
    AttentionMask,
    blocks::{Tile, Window},
    centred_matrix::CentredMatrix,
    diagonal_cells,
    diagonals::{DiagonalSummer, Rectangles},
    grid::Grid,
    low_rank::LowRank,
    offset_r2::OffsetR2,
    profile::Profile,
    toeplitz::{Toeplitz, ToeplitzFit, off_diagonal_share},
    variance::{NoR2, ROUNDINGS, share, share_above, share_of_function},
};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The matrix `A_ij` = f(Δy, Δx), stored as f in the order of [`Grid::offsets`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GridToeplitz {
    grid: Grid,
    f: Vec<f64>,
}

impl GridToeplitz {
    /// From f at every offset, in the order of [`Grid::offsets`].
    ///
    /// # Panics
    /// If the grid is empty or has another number of offsets.
    #[must_use]
    pub fn new(grid: Grid, f: Vec<f64>) -> Self {
        let (rows, columns) = grid.reach();
        assert!(grid.cells() > 0, "a grid has positions");
        assert_eq!(f.len(), rows * columns, "one value for every offset");
        Self { grid, f }
    }

    /// From a function of the offset (Δy, Δx).
    #[must_use]
    pub fn from_fn(grid: Grid, f: impl Fn(i64, i64) -> f64) -> Self {
        Self::new(grid, grid.offsets().map(|(dy, dx)| f(dy, dx)).collect())
    }

    /// Grid of the positions.
    #[must_use]
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Number of positions.
    #[must_use]
    pub fn n(&self) -> usize {
        self.grid.cells()
    }

    /// f at every offset, in the order of [`Grid::offsets`].
    #[must_use]
    pub fn profile(&self) -> &[f64] {
        &self.f
    }

    /// f(Δy, Δx); `None` if no two positions are that far apart.
    #[must_use]
    pub fn at(&self, dy: i64, dx: i64) -> Option<f64> {
        self.grid.index(dy, dx).map(|index| self.f[index])
    }

    /// One cell.
    ///
    /// # Panics
    /// If there is no such position, here as in [`Self::rows`].
    #[must_use]
    pub fn cell(&self, i: usize, j: usize) -> f64 {
        let ((yi, xi), (yj, xj)) = (self.grid.place(i), self.grid.place(j));
        self.line(yi, yj)[self.grid.width - 1 + xj - xi]
    }

    /// Rows `rows` of the matrix, against all keys: [rows, n].
    #[must_use]
    pub fn rows(&self, rows: Range<usize>) -> Array2<f32> {
        let Grid { height, width } = self.grid;
        let mut cells = Array2::zeros((rows.len(), self.n()));
        for (mut row, i) in cells.rows_mut().into_iter().zip(rows) {
            let (y, x) = self.grid.place(i);
            let run = width - 1 - x..2 * width - 1 - x;
            let keys = (0..height).flat_map(|key| &self.line(y, key)[run.clone()]);
            for (cell, &f) in row.iter_mut().zip(keys) {
                *cell = f as f32;
            }
        }
        cells
    }

    /// f(Δy, ·) between two rows of the grid, Δx = −(w−1) … w−1.
    fn line(&self, query: usize, key: usize) -> &[f64] {
        let reach = self.grid.reach().1;
        &self.f[(key + self.grid.height - 1 - query) * reach..][..reach]
    }

    /// f as a picture of (2h−1)×(2w−1) cells with (0, 0) in the middle.
    #[must_use]
    pub fn picture(&self) -> Tile {
        picture(self.grid, &self.f)
    }

    /// Exact block means of a window of the matrix, with at most `limit` blocks per side.
    ///
    /// The sum over a run of queries in one grid row and a run of keys in another takes four precomputed sums, so p×p
    /// blocks cost p² + h² such sums, not n² cells. If f is not finite at some (Δy, Δx), every block with that Δy is
    /// not finite either, unless blocks are single cells.
    #[must_use]
    pub fn tile(&self, window: Window, limit: usize) -> Tile {
        Tile::square(window, limit, |rows, cols| {
            if rows.iter().chain(cols).all(|block| block.len() == 1) {
                let cells = rows.iter().flat_map(|i| cols.iter().map(move |j| (i, j)));
                return cells
                    .map(|(i, j)| self.cell(i.start, j.start) as f32)
                    .collect();
            }
            let runs = RunSums::new(self);
            let cut = |blocks: &[Range<usize>]| -> Vec<Vec<Run>> {
                let runs = |block| self.runs(block).collect();
                blocks.iter().cloned().map(runs).collect()
            };
            let keys = cut(cols);
            let mut means = Vec::with_capacity(rows.len() * cols.len());
            for (block, queries) in rows.iter().zip(cut(rows)) {
                for (cols, keys) in cols.iter().zip(&keys) {
                    let pairs = queries
                        .iter()
                        .flat_map(|q| keys.iter().map(move |k| (q, k)));
                    let sum: f64 = pairs.map(|(query, key)| runs.sum(query, key)).sum();
                    means.push((sum / (block.len() * cols.len()) as f64) as f32);
                }
            }
            means
        })
    }

    /// Splits consecutive positions by grid row.
    fn runs(&self, positions: Range<usize>) -> impl Iterator<Item = Run> + use<> {
        let width = self.grid.width;
        let rows = positions.start / width..positions.end.div_ceil(width);
        rows.map(move |y| Run {
            y,
            from: positions.start.max(y * width) - y * width,
            to: positions.end.min((y + 1) * width) - y * width,
        })
    }

    /// Fit of a one-dimensional Toeplitz matrix, with the positions read row by row. The cost grows with the number of
    /// offsets, not of cells.
    #[must_use]
    pub fn in_one_dimension(&self) -> ToeplitzFit {
        let n = self.n();
        let counted = || {
            let offsets = self.grid.offsets().zip(&self.f);
            offsets.map(|((dy, dx), f)| (dy, dx, self.grid.pairs(dy, dx) as f64, f))
        };
        let mean = counted().map(|(_, _, cells, f)| cells * f).sum::<f64>() / (n * n) as f64;
        let (mut sums, mut total) = (vec![0.0; 2 * n - 1], 0.0);
        for (dy, dx, cells, f) in counted() {
            let k = dy * self.grid.width as i64 + dx;
            let deviation = f - mean;
            sums[(k + n as i64 - 1) as usize] += cells * deviation;
            total += cells * deviation * deviation;
        }
        // The rounding error of a constant is not variance.
        let total = if total > self.rounding_error(n * n) {
            total
        } else {
            0.0
        };
        ToeplitzFit::from_sums(&sums, mean, total)
    }

    /// Sum of squares that rounding alone leaves over `cells` cells.
    fn rounding_error(&self, cells: usize) -> f64 {
        let largest = self
            .f
            .iter()
            .fold(0.0_f64, |largest, f| largest.max(f.abs()));
        cells as f64 * (ROUNDINGS * f64::EPSILON * largest).powi(2)
    }

    /// R² in two dimensions: 1, unless f is constant.
    pub(super) fn grid_r2(&self) -> OffsetR2 {
        let others = self.grid.offsets().zip(&self.f);
        let others = others.filter(|(offset, _)| *offset != (0, 0));
        OffsetR2::new(
            share_of_function(self.f.iter().copied()),
            share_of_function(others.map(|(_, f)| *f)),
        )
    }

    /// One-dimensional R² of the positions `range` among themselves, over the cells whose offset k satisfies `counts`.
    ///
    /// # Errors
    /// If R² is not defined, for example because nothing varies.
    pub fn r2_of(&self, range: Range<usize>, counts: impl Fn(i64) -> bool) -> Result<f64, NoR2> {
        let width = self.grid.width as i64;
        let mut cells_of = vec![0.0_f64; self.f.len()];
        let runs: Vec<Run> = self.runs(range.clone()).collect();
        for query in &runs {
            for key in &runs {
                let line = (key.y + self.grid.height - 1 - query.y) * self.grid.reach().1;
                let (first, last) = (key.from as i64 - query.to as i64 + 1, key.to as i64);
                for dx in first..last - query.from as i64 {
                    let from = (query.from as i64 + dx).max(key.from as i64);
                    let to = (query.to as i64 + dx).min(last);
                    cells_of[line + (dx + width - 1) as usize] += (to - from) as f64;
                }
            }
        }
        let counted = || {
            let offsets = self.grid.offsets().zip(cells_of.iter().zip(&self.f));
            let with_k = offsets.map(|((dy, dx), (&cells, &f))| (dy * width + dx, cells, f));
            with_k.filter(|(k, cells, _)| *cells > 0.0 && counts(*k))
        };
        let all: f64 = counted().map(|(_, cells, _)| cells).sum();
        let mean = counted().map(|(_, cells, f)| cells * f).sum::<f64>() / all;
        let n = range.len() as i64;
        let mut diagonals = vec![(0.0, 0.0); 2 * range.len()];
        let mut total = 0.0;
        for (k, cells, f) in counted() {
            let (sum, of_diagonal) = &mut diagonals[(k + n - 1) as usize];
            *sum += cells * (f - mean);
            *of_diagonal += cells;
            total += cells * (f - mean).powi(2);
        }
        let filled = diagonals.iter().filter(|(_, cells)| *cells > 0.0);
        let explained = filled.map(|(sum, cells)| sum * sum / cells).sum();
        share_above(self.rounding_error(all as usize), explained, total)
    }

    /// One-dimensional R² of the positions `range` among themselves.
    #[must_use]
    pub fn r2_over(&self, range: Range<usize>) -> OffsetR2 {
        OffsetR2::new(
            self.r2_of(range.clone(), |_| true),
            self.r2_of(range, |k| k != 0),
        )
    }

    /// Standard deviation along each diagonal k = −(n−1) … n−1, with the positions read row by row.
    #[must_use]
    pub fn deviations(&self) -> Vec<f64> {
        let (n, fit) = (self.n() as i64, self.in_one_dimension());
        let mut squares = vec![0.0; fit.f.len()];
        for ((dy, dx), f) in self.grid.offsets().zip(&self.f) {
            let at = (dy * self.grid.width as i64 + dx + n - 1) as usize;
            squares[at] += self.grid.pairs(dy, dx) as f64 * (f - fit.f[at]).powi(2);
        }
        let cells = (1 - n..n).map(|k| diagonal_cells(self.n(), k) as f64);
        squares
            .iter()
            .zip(cells)
            .map(|(sum, cells)| (sum / cells).sqrt())
            .collect()
    }

    /// The two-dimensional fit of the matrix, which is the matrix itself.
    #[must_use]
    pub fn fit(&self) -> GridFit {
        let offsets = self.grid.offsets().zip(&self.f);
        let sum: f64 = offsets
            .map(|((dy, dx), f)| self.grid.pairs(dy, dx) as f64 * f)
            .sum();
        GridFit {
            grid: self.grid,
            f: self.f.clone(),
            mean: sum / (self.n() as f64).powi(2),
            r2: self.grid_r2().all,
        }
    }

    /// The matrix of the first `height` grid rows; any other consecutive rows give the same.
    ///
    /// # Panics
    /// If `height` is zero or more than the grid has.
    #[must_use]
    pub fn of_rows(&self, height: usize) -> Self {
        let (all, reach) = (self.grid.height, self.grid.reach().1);
        let grid = Grid {
            height,
            ..self.grid
        };
        let lines = (all - height) * reach..(all + height - 1) * reach;
        Self::new(grid, self.f[lines].to_vec())
    }

    /// The matrix of `length` neighbouring positions in one grid row.
    #[must_use]
    pub fn within_a_row(&self, length: usize) -> Toeplitz {
        Toeplitz::new(Profile::new(self.line(0, 0).to_vec())).leading_block(length)
    }
}

/// Neighbouring positions in one grid row.
struct Run {
    y: usize,
    from: usize,
    to: usize,
}

/// Precomputed sums over all queries of one run and all keys of another.
struct RunSums {
    grid: Grid,
    /// For every Δy the twice-cumulated sums of f(Δy, ·): [2h − 1, 2w + 1].
    twice: Vec<f64>,
}

impl RunSums {
    fn new(a: &GridToeplitz) -> Self {
        let reach = a.grid.reach().1;
        let mut twice = Vec::with_capacity(a.f.len() + 2 * a.f.len() / reach);
        for line in a.f.chunks_exact(reach) {
            let (mut sum, mut sum_of_sums) = (0.0, 0.0);
            twice.extend([0.0, 0.0]);
            twice.extend(line.iter().map(|f| {
                sum += f;
                sum_of_sums += sum;
                sum_of_sums
            }));
        }
        Self {
            grid: a.grid,
            twice,
        }
    }

    fn sum(&self, queries: &Run, keys: &Run) -> f64 {
        let columns = self.grid.reach().1 + 2;
        let line = &self.twice[(keys.y + self.grid.height - 1 - queries.y) * columns..][..columns];
        // Twice-cumulated sums up to, but excluding, the offset from one edge to another.
        let up_to = |query: usize, key: usize| line[self.grid.width + key - query];
        up_to(queries.from, keys.to) - up_to(queries.to, keys.to) + up_to(queries.to, keys.from)
            - up_to(queries.from, keys.from)
    }
}

/// Least-squares fit of a thin product by a function of (Δy, Δx), with the variance it explains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GridFit {
    /// Grid of the positions.
    pub grid: Grid,
    /// Mean f(Δy, Δx) over the cells of each offset, in the order of [`Grid::offsets`].
    pub f: Vec<f64>,
    /// Mean of all cells.
    pub mean: f64,
    /// Share of the variance over all cells that f(Δy, Δx) explains; NaN if it is undefined.
    pub r2: f64,
}

impl GridFit {
    /// Fits all cells of A, whose positions are on the grid.
    ///
    /// # Panics
    /// If A and the grid have different numbers of positions.
    #[must_use]
    pub fn compute(a: &LowRank, grid: Grid) -> Self {
        assert_eq!(a.n(), grid.cells(), "a place for every position");
        Self::from_centred(&CentredMatrix::new(a), &DiagonalSummer::on(grid))
    }

    /// Like [`Self::compute`], with the mean already removed and the transforms already planned.
    ///
    /// # Panics
    /// As in [`Self::compute`].
    #[must_use]
    pub fn from_centred(a: &CentredMatrix, summer: &DiagonalSummer) -> Self {
        let grid = summer.grid();
        let (mut f, mut explained) = (summer.sums(a), 0.0);
        for (f, (dy, dx)) in f.iter_mut().zip(grid.offsets()) {
            let (sum, cells) = (*f, grid.pairs(dy, dx) as f64);
            explained += sum * sum / cells;
            *f = a.mean() + sum / cells;
        }
        Self {
            grid,
            f,
            mean: a.mean(),
            r2: share(explained, a.total_squares()).unwrap_or(f64::NAN),
        }
    }

    /// R² over the cells off the main diagonal of the fitted matrix; NaN if it is undefined.
    #[must_use]
    pub fn off_diagonal_r2(&self, a: &CentredMatrix) -> f64 {
        self.off_diagonal(a).unwrap_or(f64::NAN)
    }

    /// Like [`Self::off_diagonal_r2`], with the reason if it is undefined.
    pub(super) fn off_diagonal(&self, a: &CentredMatrix) -> Result<f64, NoR2> {
        let others = self.grid.offsets().zip(&self.f);
        let others = others.filter(|(offset, _)| *offset != (0, 0));
        let others = others.map(|((dy, dx), f)| (self.grid.pairs(dy, dx), f - self.mean));
        off_diagonal_share(a, self.grid, others)
    }

    /// R² of A after each row's mean is removed, to which softmax is invariant. `self` must be the fit of A. The
    /// queries of one offset fill a rectangle of the grid.
    #[must_use]
    pub fn softmax_r2(&self, a: &CentredMatrix) -> f64 {
        let by_query = a.by_query_of_softmax(AttentionMask::Whole);
        let removed_means = Rectangles::new(self.grid, &a.by_query);
        let offsets = self.grid.offsets().zip(&self.f);
        let explained = offsets.map(|((dy, dx), f)| {
            let first = |by: i64| (-by).max(0) as usize;
            let rows = self.grid.height - dy.unsigned_abs() as usize;
            let columns = self.grid.width - dx.unsigned_abs() as usize;
            let removed_means = removed_means.sum((first(dy), first(dx)), rows, columns);
            let cells = (rows * columns) as f64;
            let sum = cells * (f - self.mean) - a.unit() * removed_means;
            sum * sum / cells
        });
        share(explained.sum(), a.total_squares_with(&by_query)).unwrap_or(f64::NAN)
    }

    /// Number of cells with the offset (Δy, Δx).
    #[must_use]
    pub fn cells(&self, dy: i64, dx: i64) -> usize {
        self.grid.pairs(dy, dx)
    }

    /// f(Δy, Δx); `None` if no two positions are that far apart.
    #[must_use]
    pub fn at(&self, dy: i64, dx: i64) -> Option<f64> {
        self.grid.index(dy, dx).map(|index| self.f[index])
    }

    /// f as a picture of (2h−1)×(2w−1) cells with (0, 0) in the middle.
    #[must_use]
    pub fn picture(&self) -> Tile {
        picture(self.grid, &self.f)
    }

    /// The fitted matrix.
    ///
    /// # Panics
    /// If there are no positions.
    #[must_use]
    pub fn toeplitz(&self) -> GridToeplitz {
        GridToeplitz::new(self.grid, self.f.clone())
    }
}

fn picture(grid: Grid, f: &[f64]) -> Tile {
    let (rows, columns) = grid.reach();
    Tile {
        window: Window::whole(rows, columns),
        row_step: 1,
        col_step: 1,
        values: f.iter().map(|&v| v as f32).collect(),
        cells: None,
    }
}
