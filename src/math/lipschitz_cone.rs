//! The cone below the cosines of a position table, which says how continuous the table is.
//!
//! For rows `u_n` of length one, ‖`u_n` − `u_m`‖² = 2(1 − ⟨`u_n`, `u_m`⟩), so ⟨`u_n`, `u_m`⟩ ≥ 1 − C·|n − m| for all
//! pairs if and only if ‖`u_n` − `u_m`‖² ≤ 2C·|n − m| (Halvdansson 2025, section “Cosine self-similarity”). The smallest
//! such C is the greatest (1 − cosine)/|n − m| of any pair. Over the offset k, the cone 1 − C·|k| touches the line of the
//! lowest cosines.
//!
//! All pairs are visited in blocks of rows, n²·d/2 operations, and none is stored: the memory beside the rows is that of
//! one block, [`BLOCK`] rows of n cosines. Cosines are single-precision products; the lowest ones are computed again in
//! double precision.

use super::{low_rank::dot, matrix_product::product};
use ndarray::{Array2, s};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Rows whose cosines are formed at once.
const BLOCK: usize = 64;

/// The smallest C of a set of pairs, and the pair that forces it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ConeBound {
    /// C, at least 0.
    pub slope: f64,
    /// The two rows, the lower first.
    pub rows: (usize, usize),
    /// Their cosine.
    pub cosine: f64,
}

/// Cosines of the rows of a table by offset k = 0 … n−1, and the cone below them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LipschitzCone {
    /// Mean cosine of all pairs at each offset; NaN if no pair has cosines.
    pub mean: Vec<f64>,
    /// Lowest cosine of any pair at each offset; NaN if no pair has one.
    pub lowest: Vec<f64>,
    /// The smallest C over all pairs.
    pub bound: ConeBound,
    /// The smallest C over the pairs within one part of the table; `None` if there are none.
    pub bound_in_parts: Option<ConeBound>,
    /// Number of rows without a direction, zero or not finite. Their pairs do not count.
    pub rows_without_direction: usize,
}

impl LipschitzCone {
    /// The cone of a table whose cosines depend on the offset alone, from the cosines at k = 0 … n−1; `None` for fewer than
    /// two.
    #[must_use]
    pub fn from_cosines(cosines: Vec<f64>) -> Option<Self> {
        let at = vec![0; cosines.len()];
        let bound = steepest(&cosines, &at)?;
        Some(Self {
            mean: cosines.clone(),
            lowest: cosines,
            bound,
            bound_in_parts: None,
            rows_without_direction: 0,
        })
    }
}

/// The greatest (1 − cosine)/k over the offsets k ≥ 1, for the lowest cosine of each and the first row of its pair.
fn steepest(lowest: &[f64], at: &[usize]) -> Option<ConeBound> {
    let bounds = lowest.iter().zip(at).enumerate().skip(1);
    let bounds = bounds.filter(|(_, (cosine, _))| !cosine.is_nan());
    let bounds = bounds.map(|(k, (&cosine, &row))| ConeBound {
        slope: ((1.0 - cosine) / k as f64).max(0.0),
        rows: (row, row + k),
        cosine,
    });
    // The nearest pair among equals.
    bounds.reduce(|most, bound| {
        if bound.slope > most.slope {
            bound
        } else {
            most
        }
    })
}

/// Lowest cosine at each offset so far, and the first row of its pair.
#[derive(Debug)]
struct LowestCosines {
    cosines: Vec<f32>,
    rows: Vec<usize>,
}

impl LowestCosines {
    fn new(n: usize) -> Self {
        Self {
            cosines: vec![f32::INFINITY; n],
            rows: vec![0; n],
        }
    }

    fn add(&mut self, k: usize, row: usize, cosine: f32) {
        if cosine < self.cosines[k] {
            (self.cosines[k], self.rows[k]) = (cosine, row);
        }
    }

    /// The cosines in double precision; NaN where there is none.
    fn refine(&self, unit: &Array2<f32>) -> Vec<f64> {
        let cosine = |(k, (cosine, &row)): (usize, (&f32, &usize))| {
            if cosine.is_infinite() {
                return f64::NAN;
            }
            let (a, b) = (unit.row(row), unit.row(row + k));
            dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
        };
        let pairs = self.cosines.iter().zip(&self.rows).enumerate();
        pairs.map(cosine).collect()
    }
}

/// The search for the cone of a table, in steps.
#[derive(Debug)]
pub struct ConeSearch {
    /// Rows of length one; NaN where a row has no direction.
    unit: Array2<f32>,
    /// For each row the end of its part; 0 for a row of none.
    ends: Vec<usize>,
    next: usize,
    sums: Vec<f64>,
    counts: Vec<usize>,
    inside: LowestCosines,
    outside: LowestCosines,
    rows_without_direction: usize,
}

impl ConeSearch {
    /// Prepares the search over a table [n, d], whose `parts` are compared separately as well.
    ///
    /// # Panics
    /// If a part ends behind the last row.
    #[must_use]
    pub fn new(mut table: Array2<f32>, parts: &[Range<usize>]) -> Self {
        let n = table.nrows();
        let mut ends = vec![0; n];
        for part in parts {
            ends[part.clone()].fill(part.end);
        }
        let mut rows_without_direction = 0;
        for mut row in table.rows_mut() {
            let squares = row.iter().map(|&v| f64::from(v).powi(2));
            let norm = squares.sum::<f64>().sqrt();
            if norm > 0.0 && norm.is_finite() {
                row.mapv_inplace(|v| (f64::from(v) / norm) as f32);
            } else {
                row.fill(f32::NAN);
                rows_without_direction += 1;
            }
        }
        Self {
            unit: table,
            ends,
            next: 0,
            sums: vec![0.0; n],
            counts: vec![0; n],
            inside: LowestCosines::new(n),
            outside: LowestCosines::new(n),
            rows_without_direction,
        }
    }

    /// Visits the pairs of the next block of rows with all later rows. Returns whether blocks are left.
    pub fn step(&mut self) -> bool {
        let n = self.unit.nrows();
        if self.next >= n {
            return false;
        }
        let rows = self.next..(self.next + BLOCK).min(n);
        let left = self.unit.slice(s![rows.clone(), ..]);
        let right = self.unit.slice(s![rows.start.., ..]);
        let cells = product(left, right.t(), 1.0);
        for (row, cosines) in rows.clone().zip(cells.rows()) {
            let end = self.ends[row];
            let later = cosines.iter().skip(row - rows.start + 1);
            for (k, &cosine) in (1..).zip(later) {
                if cosine.is_nan() {
                    continue;
                }
                self.sums[k] += f64::from(cosine);
                self.counts[k] += 1;
                let lowest = match row + k < end {
                    true => &mut self.inside,
                    false => &mut self.outside,
                };
                lowest.add(k, row, cosine);
            }
        }
        self.next = rows.end;
        self.next < n
    }

    /// The cone, after the last step.
    ///
    /// # Errors
    /// A sentence, if there is no pair of rows with a direction.
    pub fn finish(self) -> Result<LipschitzCone, String> {
        let Self {
            unit,
            sums,
            counts,
            inside,
            outside,
            rows_without_direction,
            ..
        } = self;
        let n = unit.nrows();
        let [in_parts, elsewhere] = [&inside, &outside].map(|lowest| lowest.refine(&unit));
        let pairs_in_parts = in_parts.iter().zip(&inside.rows);
        let pairs_elsewhere = elsewhere.iter().zip(&outside.rows);
        let pairs = pairs_in_parts.zip(pairs_elsewhere);
        let (mut lowest, rows): (Vec<f64>, Vec<usize>) = pairs
            .map(
                |(inside, outside)| match outside.0 < inside.0 || inside.0.is_nan() {
                    true => outside,
                    false => inside,
                },
            )
            .unzip();
        let Some(bound) = steepest(&lowest, &rows) else {
            return Err(match n {
                0 | 1 => "A table of one row has no pair of positions to compare.".to_owned(),
                _ => "Fewer than two rows of the table have a direction: the others are zero or not finite, and have no cosine.".to_owned(),
            });
        };
        let mean = sums.iter().zip(counts);
        let mut mean: Vec<f64> = mean.map(|(sum, count)| sum / count as f64).collect();
        // Every row is alike itself.
        (mean[0], lowest[0]) = (1.0, 1.0);
        Ok(LipschitzCone {
            mean,
            lowest,
            bound,
            bound_in_parts: steepest(&in_parts, &inside.rows),
            rows_without_direction,
        })
    }
}
