//! Share of a head's attention that the offset explains, and mean attention by offset near the query.
//!
//! A head whose attention A depends on the offset alone outputs a convolution of its values. The fit is 1 − Σ(A_ij −
//! g(δ_ij))² / Σ(A_ij − mean)², with g(δ) the mean over the cells of offset δ; only cells that the mask leaves visible
//! count. Softmax divides each row by its own sum, so scores that depend on the offset alone still leave a residual at
//! the edges, where a query has fewer keys on one side.
//!
//! A sequence of positions is a [`Grid`] with one row.

use super::{
    AttentionMask, Grid, Scores,
    variance::{NoR2, ROUNDINGS, share_above},
};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Maximum reach of a profile to each side, for positions in a sequence.
const LINE_REACH: usize = 16;
/// Maximum reach of a profile in each direction, for positions on a grid.
const GRID_REACH: usize = 8;

/// Accumulates the fit of an attention map by offset, one row of scores at a time.
#[derive(Debug, Clone)]
pub struct AttentionSums {
    grid: Grid,
    cells: AttentionMask,
    mean: f64,
    /// Sums of deviations from the mean, by offset.
    sums: Vec<f64>,
    /// Sum of squared deviations.
    squares: f64,
    row: Vec<f64>,
}

impl AttentionSums {
    /// For queries and keys on a grid; use [`Grid::line`] for a sequence.
    #[must_use]
    pub fn new(grid: Grid, cells: AttentionMask) -> Self {
        let n = grid.cells() as f64;
        let (rows, columns) = grid.reach();
        Self {
            grid,
            cells,
            // Every row sums to 1.
            mean: match cells {
                AttentionMask::Whole => 1.0 / n,
                AttentionMask::Causal => 2.0 / (n + 1.0),
            },
            sums: vec![0.0; rows * columns],
            squares: 0.0,
            row: Vec::with_capacity(grid.cells()),
        }
    }

    /// Adds the scores of query `i` for every key: applies softmax, then accumulates.
    pub fn add_scores(&mut self, i: usize, scores: &[f32]) {
        let scores = &scores[..self.cells.visible_keys(i, scores.len())];
        let high = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        self.row.clear();
        self.row
            .extend(scores.iter().map(|v| f64::from(v - high).exp()));
        let scale = self.row.iter().sum::<f64>().recip();
        let Grid { height, width } = self.grid;
        let (y, x) = self.grid.place(i);
        let reach = self.grid.reach().1;
        for (key_row, attention) in self.row.chunks(width).enumerate() {
            let first = (key_row + height - 1 - y) * reach + width - 1 - x;
            for (sum, a) in self.sums[first..].iter_mut().zip(attention) {
                let deviation = a * scale - self.mean;
                *sum += deviation;
                self.squares += deviation * deviation;
            }
        }
    }

    /// Returns the fit. Call it after every row was added.
    #[must_use]
    pub fn finish(self) -> AttentionFit {
        let counted = |(dy, dx): (i64, i64)| match self.cells {
            AttentionMask::Causal if dy > 0 || (dy == 0 && dx > 0) => 0.0,
            _ => self.grid.pairs(dy, dx) as f64,
        };
        // Rounding error of the sum of squares: n² cells of about 1/n each.
        let rounding = (ROUNDINGS * f64::EPSILON).powi(2);
        let mut explained = 0.0;
        let mut g = Vec::with_capacity(self.sums.len());
        for (sum, offset) in self.sums.iter().zip(self.grid.offsets()) {
            let cells = counted(offset);
            if cells > 0.0 {
                explained += sum * sum / cells;
                g.push(self.mean + sum / cells);
            } else {
                g.push(0.0);
            }
        }
        AttentionFit {
            grid: self.grid,
            explained_share: match share_above(rounding, explained, self.squares) {
                Ok(share) => share,
                // Uniform attention has the same value at every offset.
                Err(NoR2::NothingVaries) => 1.0,
                Err(_) => f64::NAN,
            },
            g,
        }
    }
}

/// Least-squares fit of an attention map by a function of the offset, and the share it explains.
#[derive(Debug, Clone, PartialEq)]
pub struct AttentionFit {
    /// Positions of queries and keys.
    pub grid: Grid,
    /// Explained share of the variance over the visible cells, in [0, 1]; NaN if it is undefined.
    pub explained_share: f64,
    /// Mean attention by offset, in the order of [`Grid::offsets`]; 0 where every cell is masked.
    pub g: Vec<f64>,
}

impl AttentionFit {
    /// Fits the softmax of scores, computed in blocks of rows. `grid` must have as many places as there are scores.
    #[must_use]
    pub fn compute(scores: &Scores, grid: Grid, cells: AttentionMask) -> Self {
        let mut sums = AttentionSums::new(grid, cells);
        for rows in super::cut(&(0..scores.n()), 64) {
            sums.add_rows(scores, rows);
        }
        sums.finish()
    }

    /// The part of the fit near the query.
    #[must_use]
    pub fn profile(&self) -> AttentionProfile {
        let reach = ProfileReach::on(self.grid);
        let n = self.grid.cells() as f64;
        let mut inside = 0.0;
        let values = reach.offsets().map(|(dy, dx)| {
            let g = self.grid.index(dy, dx).map_or(0.0, |at| self.g[at]);
            inside += g * self.grid.pairs(dy, dx) as f64 / n;
            g as f32
        });
        let values = values.collect();
        AttentionProfile {
            reach,
            values,
            inside,
        }
    }
}

impl AttentionSums {
    /// Adds the scores of consecutive queries.
    pub fn add_rows(&mut self, scores: &Scores, queries: Range<usize>) {
        let rows = scores.rows(queries.clone());
        for (i, row) in queries.zip(rows.rows()) {
            match row.as_slice() {
                Some(row) => self.add_scores(i, row),
                None => self.add_scores(i, &row.to_vec()),
            }
        }
    }
}

/// Reach of a profile: maximum offsets in y and in x.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileReach {
    /// Offsets up and down; 0 for positions in a sequence.
    pub down: usize,
    /// Offsets to each side.
    pub across: usize,
}

impl ProfileReach {
    /// Reach for positions on a grid: at most half a side, since means beyond it are over few cells.
    #[must_use]
    pub fn on(grid: Grid) -> Self {
        let most = if grid.height == 1 {
            LINE_REACH
        } else {
            GRID_REACH
        };
        Self {
            down: (grid.height / 2).min(most).min(grid.height - 1),
            across: (grid.width / 2).min(most).min(grid.width - 1),
        }
    }

    /// Number of rows and columns of the profile; the query is at the centre.
    #[must_use]
    pub fn size(self) -> (usize, usize) {
        (2 * self.down + 1, 2 * self.across + 1)
    }

    /// Iterates over the offsets (Δy, Δx), row by row.
    pub fn offsets(self) -> impl Iterator<Item = (i64, i64)> {
        let (down, across) = (self.down as i64, self.across as i64);
        (-down..=down).flat_map(move |dy| (-across..=across).map(move |dx| (dy, dx)))
    }
}

/// Mean attention by offset around the query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttentionProfile {
    pub reach: ProfileReach,
    /// Mean attention, row by row in the order of [`ProfileReach::offsets`].
    pub values: Vec<f32>,
    /// Share of all attention that goes to these offsets.
    pub inside: f64,
}

/// Minimum [`AttentionProfile::alikeness`] at which two profiles count as alike.
pub const ALIKE: f64 = 0.9;
/// Maximum ratio of two widths that count as equal.
pub const AS_WIDE: f64 = 1.1;
/// Minimum share of each profile's sum inside the overlap.
const OVERLAP: f64 = 0.75;
/// Minimum share of attention inside a profile; heads below it are not compared.
pub const ENOUGH_INSIDE: f64 = 0.5;

impl AttentionProfile {
    /// (Δy, Δx) of the highest value; among equal values the one nearest to the query.
    #[must_use]
    pub fn peak(&self) -> (i64, i64) {
        let distance = |(dy, dx): (i64, i64)| dy * dy + dx * dx;
        let places = self.reach.offsets().zip(&self.values);
        let highest = places.max_by(|(a, left), (b, right)| {
            left.total_cmp(right)
                .then(distance(*b).cmp(&distance(*a)))
                .then(b.cmp(a))
        });
        highest.map_or((0, 0), |(offset, _)| offset)
    }

    /// Width of the profile, independent of its centre. N = (Σ g²)² / Σ g⁴ is the effective number of offsets in the
    /// peak; the width is N on a line and √N on a grid, proportional to the standard deviation of a Gaussian. Squares
    /// give the peak far more weight than the changes that softmax causes at the edges.
    #[must_use]
    pub fn width(&self) -> f64 {
        let squares = || self.values.iter().map(|&value| f64::from(value).powi(2));
        let sum: f64 = squares().sum();
        let offsets = sum * sum / squares().map(|square| square * square).sum::<f64>();
        if self.reach.down == 0 {
            offsets
        } else {
            offsets.sqrt()
        }
    }

    /// Whether two profiles are equal up to a shift: [`Self::alikeness`] of at least [`ALIKE`], and widths within a
    /// factor of [`AS_WIDE`].
    ///
    /// # Panics
    /// If the reaches differ.
    #[must_use]
    pub fn is_shared_with(&self, other: &Self) -> bool {
        let (a, b) = (self.width(), other.width());
        a.max(b) <= AS_WIDE * a.min(b) && self.alikeness(other) >= ALIKE
    }

    /// Greatest cosine similarity over all shifts: Σ a·b / √(Σ a²·Σ b²) over the overlap. A shift counts if at least
    /// three quarters of both profiles lie in the overlap.
    ///
    /// # Panics
    /// If the reaches differ.
    #[must_use]
    pub fn alikeness(&self, other: &Self) -> f64 {
        assert_eq!(self.reach, other.reach, "profiles of one layer");
        let (rows, columns) = self.reach.size();
        let (of_a, of_b) = (RectSums::new(self), RectSums::new(other));
        let least = (OVERLAP * of_a.all(), OVERLAP * of_b.all());
        let mut best = 0.0_f64;
        for down in 1 - rows as i64..rows as i64 {
            for across in 1 - columns as i64..columns as i64 {
                // Cell (y, x) of `self` is compared with (y + down, x + across) of `other`.
                let (ys, xs) = (part(rows, down), part(columns, across));
                let (there_ys, there_xs) = (shift(&ys, down), shift(&xs, across));
                let enough =
                    of_a.sum(&ys, &xs) >= least.0 && of_b.sum(&there_ys, &there_xs) >= least.1;
                if !enough {
                    continue;
                }
                let (mut squares_a, mut squares_b, mut products) = (0.0, 0.0, 0.0);
                for (y, there) in ys.zip(there_ys) {
                    let a = &self.values[y * columns..][xs.clone()];
                    let b = &other.values[there * columns..][there_xs.clone()];
                    for (a, b) in a.iter().zip(b) {
                        let (a, b) = (f64::from(*a), f64::from(*b));
                        squares_a += a * a;
                        squares_b += b * b;
                        products += a * b;
                    }
                }
                if products > 0.0 {
                    best = best.max(products / (squares_a * squares_b).sqrt());
                }
            }
        }
        best
    }
}

/// Indices in 0 … `length` that stay inside after a shift by `by`.
fn part(length: usize, by: i64) -> Range<usize> {
    let length = length as i64;
    (-by).max(0) as usize..length.min(length - by) as usize
}

fn shift(places: &Range<usize>, by: i64) -> Range<usize> {
    let to = |place: usize| (place as i64 + by) as usize;
    to(places.start)..to(places.end)
}

/// Summed-area table of a profile: sums over a rectangle from four values.
struct RectSums {
    columns: usize,
    /// Sums over all cells above and left of a corner, [rows + 1, columns + 1].
    sums: Vec<f64>,
}

impl RectSums {
    fn new(of: &AttentionProfile) -> Self {
        let (rows, columns) = of.reach.size();
        let mut sums = vec![0.0; (rows + 1) * (columns + 1)];
        for (y, line) in of.values.chunks_exact(columns).enumerate() {
            let mut sum = 0.0;
            for (x, value) in line.iter().enumerate() {
                sum += f64::from(*value);
                sums[(y + 1) * (columns + 1) + x + 1] = sum + sums[y * (columns + 1) + x + 1];
            }
        }
        Self {
            columns: columns + 1,
            sums,
        }
    }

    fn all(&self) -> f64 {
        self.sums.last().copied().unwrap_or_default()
    }

    fn sum(&self, rows: &Range<usize>, columns: &Range<usize>) -> f64 {
        let at = |y: usize, x: usize| self.sums[y * self.columns + x];
        at(rows.end, columns.end) - at(rows.start, columns.end) - at(rows.end, columns.start)
            + at(rows.start, columns.start)
    }
}

/// Groups the heads of a layer whose profiles are equal up to a shift. Groups are numbered from 0 in the order in which
/// they form, largest first. A head with less than [`ENOUGH_INSIDE`] of its attention in the profile has `None`.
#[must_use]
pub fn shared_profiles(profiles: &[AttentionProfile]) -> Vec<Option<usize>> {
    let heads = profiles.len();
    let counts = |head: usize| profiles[head].inside >= ENOUGH_INSIDE;
    let mut alike = vec![vec![false; heads]; heads];
    for a in (0..heads).filter(|a| counts(*a)) {
        alike[a][a] = true;
        for b in (a + 1..heads).filter(|b| counts(*b)) {
            let same = profiles[a].is_shared_with(&profiles[b]);
            (alike[a][b], alike[b][a]) = (same, same);
        }
    }
    let mut groups = vec![None; heads];
    for group in 0.. {
        let free = |groups: &[Option<usize>], of: usize| {
            let row = alike[of].iter().zip(groups);
            row.filter(|(alike, group)| **alike && group.is_none())
                .count()
        };
        // The group forms around the head with the most similar ungrouped heads; ties go to the first.
        let leader = (0..heads)
            .filter(|head| counts(*head) && groups[*head].is_none())
            .max_by_key(|head| (free(&groups, *head), heads - head));
        let Some(leader) = leader else { break };
        for head in 0..heads {
            if alike[leader][head] && groups[head].is_none() {
                groups[head] = Some(group);
            }
        }
    }
    groups
}
