//! Attention maps: the softmax of every row of a score matrix.
//!
//! A Toeplitz score matrix has 2n−1 distinct scores, so its attention map needs 2n−1 exponentials: row i sums exp f
//! over the offsets −i … n−1−i, a window that always contains 0. Sums that grow outward from 0 only add positive
//! numbers, so no row loses digits to a peak outside it.

use super::{
    AttentionMask,
    blocks::{Tile, Window, cut, wider},
    toeplitz::Toeplitz,
};
use row_kernels::{add_blocks, add_scaled, exponentiate, finite_range, scale};
use std::{collections::VecDeque, ops::Range};

/// exp() of ± this is well inside the range of `f64`.
const SAFE_EXPONENT: f64 = 300.0;

/// Attention map of a Toeplitz score matrix, as exact block means.
#[must_use]
pub fn toeplitz_attention(
    scores: &Toeplitz,
    cells: AttentionMask,
    window: Window,
    limit: usize,
) -> Tile {
    let f = scores.profile();
    let n = scores.n();
    let centre = f[n - 1];
    let extreme = f
        .iter()
        .fold(0.0_f64, |most, v| most.max((v - centre).abs()));
    let log_totals = log_totals(f, n, cells);
    let mut tile = Tile::square(window, limit, |rows, cols| {
        if extreme < SAFE_EXPONENT {
            let weights: Vec<f64> = f.iter().map(|v| (v - centre).exp()).collect();
            let scale: Vec<f64> = log_totals.iter().map(|log| (centre - log).exp()).collect();
            // Sum over a block of keys for every query: weights of consecutive offsets, times the row's scale.
            block_means(
                rows,
                cols,
                n,
                cells,
                |offsets| weights[offsets].iter().sum(),
                |sums, runs, i| add_scaled(sums, runs, scale[i]),
            )
        } else {
            block_means(
                rows,
                cols,
                n,
                cells,
                |offsets| log_sum(&f[offsets]),
                |sums, logs, i| {
                    for (sum, log) in sums.iter_mut().zip(logs) {
                        *sum += (log - log_totals[i]).exp();
                    }
                },
            )
        }
    });
    if cells == AttentionMask::Causal {
        tile = tile.causal();
    }
    let range = cell_range(f, &log_totals, cells, &tile.window);
    tile.with_cells(range)
}

/// Minimum and maximum over the cells of a window of an attention map whose row i is exp(f − `log_totals[i]`).
fn cell_range(
    f: &[f64],
    log_totals: &[f64],
    cells: AttentionMask,
    window: &Window,
) -> Option<(f32, f32)> {
    let n = log_totals.len();
    let mut lows = SlidingLeast::default();
    let mut highs = SlidingLeast::default();
    let mut range: Option<(f64, f64)> = None;
    // From the last row to the first, both ends of the visible part of f move to larger offsets.
    for i in window.rows.clone().rev() {
        let end = cells.visible_keys(i, window.cols.end);
        if window.cols.start >= end {
            continue;
        }
        let shift = n - 1 - i;
        let visible = window.cols.start + shift..end + shift;
        let low = lows.over(visible.clone(), |at| f[at]) - log_totals[i];
        let high = -highs.over(visible, |at| -f[at]) - log_totals[i];
        let (least, greatest) = range.unwrap_or((low, high));
        range = Some((least.min(low), greatest.max(high)));
    }
    range.map(|(low, high)| (low.exp() as f32, high.exp() as f32))
}

/// Minimum over a sliding window whose ends only move forward, in amortised constant time.
#[derive(Debug, Default)]
struct SlidingLeast {
    /// Indices in the window whose values are less than all values after them, in order.
    candidates: VecDeque<usize>,
    /// First index that no window has contained.
    next: usize,
}

impl SlidingLeast {
    fn over(&mut self, window: Range<usize>, value: impl Fn(usize) -> f64) -> f64 {
        for at in self.next.max(window.start)..window.end {
            while (self.candidates.back()).is_some_and(|&last| value(last) >= value(at)) {
                self.candidates.pop_back();
            }
            self.candidates.push_back(at);
        }
        self.next = self.next.max(window.end);
        while (self.candidates.front()).is_some_and(|&first| first < window.start) {
            self.candidates.pop_front();
        }
        self.candidates.front().map_or(f64::NAN, |&at| value(at))
    }
}

/// Mean over row blocks × column blocks of weights that depend on (offset, row).
///
/// `gather` maps a run of profile indices to one number; `add` adds the contributions of such numbers in a row to the
/// sums. Runs are gathered once per start and width, and used by every row that contains them.
fn block_means(
    rows: &[Range<usize>],
    cols: &[Range<usize>],
    n: usize,
    cells: AttentionMask,
    gather: impl Fn(Range<usize>) -> f64,
    add: impl Fn(&mut [f64], &[f64], usize),
) -> Vec<f32> {
    let (Some(first), Some(last)) = (cols.first(), cols.last()) else {
        return Vec::new();
    };
    let step = first.len();
    // Adjacent runs of a row are stored next to each other: those that begin at 0, step, 2·step …, then those at 1, 1 +
    // step …
    let count = (2 * n).saturating_sub(step);
    let full: Vec<Vec<f64>> = (0..step)
        .map(|phase| {
            let starts = (phase..count).step_by(step);
            starts.map(|start| gather(start..start + step)).collect()
        })
        .collect();
    let mut means = Vec::with_capacity(rows.len() * cols.len());
    let mut sums = vec![0.0; cols.len()];
    for block in rows {
        sums.fill(0.0);
        for i in block.clone() {
            let shift = n - 1 - i;
            let visible = cells.visible_keys(i, n);
            let whole = if last.end <= visible && last.len() == step {
                cols.len()
            } else {
                cols.iter()
                    .take_while(|c| c.end <= visible && c.len() == step)
                    .count()
            };
            let start = first.start + shift;
            if whole > 0 {
                let runs = &full[start % step][start / step..];
                add(&mut sums[..whole], runs, i);
            }
            // The block that is cut by the mask or by the edge of the window.
            if let Some(col) = cols.get(whole) {
                let end = col.end.min(visible);
                if col.start < end {
                    let run = gather(col.start + shift..end + shift);
                    add(&mut sums[whole..=whole], &[run], i);
                }
            }
        }
        let means_of_row = (sums.iter().zip(cols))
            .map(|(sum, col)| (sum / (block.len() * col.len()) as f64) as f32);
        means.extend(means_of_row);
    }
    means
}

/// log Σ exp f over each row's offsets.
pub(crate) fn log_totals(f: &[f64], n: usize, cells: AttentionMask) -> Vec<f64> {
    // back[i] covers −i … 0, ahead[m] covers 1 … m.
    let back = running_log_sums(f[..n].iter().rev().copied());
    let ahead = running_log_sums(f[n..].iter().copied());
    (0..n)
        .map(|i| match cells {
            AttentionMask::Causal => back[i],
            AttentionMask::Whole if i + 1 == n => back[i],
            AttentionMask::Whole => log_add(back[i], ahead[n - 2 - i]),
        })
        .collect()
}

/// log Σ exp v over the first 1, 2, … values.
pub(crate) fn running_log_sums(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let sums = values.scan(f64::NEG_INFINITY, |log, v| {
        *log = log_add(*log, v);
        Some(*log)
    });
    sums.collect()
}

pub(super) fn log_add(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if high == f64::NEG_INFINITY {
        high
    } else {
        high + (low - high).exp().ln_1p()
    }
}

fn log_sum(values: &[f64]) -> f64 {
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if high == f64::NEG_INFINITY {
        return high;
    }
    high + values.iter().map(|v| (v - high).exp()).sum::<f64>().ln()
}

/// Applies softmax in place to score rows: `scores` holds rows `first` … of n keys each. Masked cells become 0.
pub fn attention_rows(scores: &mut [f32], n: usize, first: usize, cells: AttentionMask) {
    for (row, i) in scores.chunks_exact_mut(n).zip(first..) {
        let (visible, hidden) = row.split_at_mut(cells.visible_keys(i, n));
        let (_, total) = exponentiate(visible);
        scale(visible, (1.0 / total) as f32);
        hidden.fill(0.0);
    }
}

/// Accumulates block means of an n×n attention map, one row at a time.
#[derive(Debug)]
pub struct RowBlocks {
    window: Window,
    cells: AttentionMask,
    step: usize,
    cols: Vec<Range<usize>>,
    sums: Vec<f64>,
    /// Number of rows added to each row of blocks.
    came: Vec<usize>,
    range: Option<(f32, f32)>,
}

impl RowBlocks {
    /// Accumulates a window of an n×n map in at most `limit` blocks per side.
    #[must_use]
    pub fn new(window: Window, limit: usize, cells: AttentionMask) -> Self {
        let step = window.step(limit);
        Self::with_step(window, step, cells)
    }

    /// Accumulates the window in blocks of `step`×`step` cells.
    #[must_use]
    pub fn with_step(window: Window, step: usize, cells: AttentionMask) -> Self {
        let cols = cut(&window.cols, step);
        let height = window.rows.len().div_ceil(step);
        Self {
            sums: vec![0.0; height * cols.len()],
            came: vec![0; height],
            window,
            cells,
            step,
            cols,
            range: None,
        }
    }

    /// Adds row `i` of the map; rows outside the window are ignored.
    pub fn add(&mut self, i: usize, row: &[f32]) {
        if !self.window.rows.contains(&i) {
            return;
        }
        let Range { start, end } = self.window.cols;
        let p = (i - self.window.rows.start) / self.step;
        self.came[p] += 1;
        let width = self.cols.len();
        add_blocks(
            &mut self.sums[p * width..][..width],
            &row[start..end],
            self.step,
        );
        let end = self.cells.visible_keys(i, end);
        let row_range = finite_range(&row[start.min(end)..end]);
        self.range = self.range.into_iter().chain(row_range).reduce(wider);
    }

    /// The means over the rows added; NaN for blocks without rows.
    #[must_use]
    pub fn finish(self) -> Tile {
        let mut values = Vec::with_capacity(self.sums.len());
        for (sums, came) in self.sums.chunks(self.cols.len().max(1)).zip(self.came) {
            let means = (sums.iter().zip(&self.cols))
                .map(|(sum, col)| (sum / (came * col.len()) as f64) as f32);
            values.extend(means);
        }
        let tile = Tile {
            window: self.window,
            row_step: self.step,
            col_step: self.step,
            values,
            cells: None,
        };
        match self.cells {
            AttentionMask::Whole => tile,
            AttentionMask::Causal => tile.causal(),
        }
        .with_cells(self.range)
    }
}
