//! Inputs and answers of races against other libraries: products of a table, its Toeplitz R², attention of heads with
//! content.
//!
//! The numbers are made by exact arithmetic, so they are identical to the last bit natively, in browsers and in other
//! libraries. The answers are computed as on the page: an exact matrix as a tile with one block per cell, attention in
//! blocks of rows.

use diagonal::analysis::MixedAttention;
use diagonal::encoding::{Kernel, Kernels};
use diagonal::math::{AttentionMask, LowRank, ToeplitzFit, Window};
use ndarray::{Array2, ArrayViewMut2};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen::prelude::wasm_bindgen;

/// Rows of attention per block, as in the page's worker.
const ROWS_AT_ONCE: usize = 128;

/// Kernels added to the scores of heads.
const BIAS: [Kernel; 2] = [Kernel::new(3.0, 0.001, 0.0), Kernel::new(-1.0, 0.01, 5.0)];

/// Pseudo-random numbers, uniform about zero.
pub(crate) struct Numbers(u64);

impl Numbers {
    /// The next number: in −1..1, a multiple of 2^−23.
    fn next(&mut self) -> f32 {
        // SplitMix64 (Steele, Lea and Flood, 2014).
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let top = ((mixed ^ (mixed >> 31)) >> 40) as i32;
        (top - (1 << 23)) as f32 / (1 << 23) as f32
    }

    pub(crate) fn table(seed: u64, rows: usize, width: usize, most: f32) -> Array2<f32> {
        let mut numbers = Self(seed);
        Array2::from_shape_simple_fn((rows, width), || most * numbers.next())
    }
}

/// A 32-bit hash of the bits of all numbers.
pub(crate) fn mark<'a>(numbers: impl Iterator<Item = &'a f32>) -> f64 {
    // FNV-1a (Fowler, Noll and Vo) over words of 32 bits.
    let hash = numbers.fold(0x811c_9dc5_u32, |hash, number| {
        (hash ^ number.to_bits()).wrapping_mul(0x0100_0193)
    });
    f64::from(hash)
}

/// A table for P = E·Eᵀ and its Toeplitz R².
#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
#[derive(Debug)]
pub struct TableRace(LowRank);

#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
impl TableRace {
    /// Forms rows of length about one, from a fixed seed.
    #[cfg_attr(target_arch = "wasm32", wasm_bindgen(constructor))]
    #[must_use]
    pub fn new(rows: usize, width: usize) -> Self {
        let most = (3.0 / width as f32).sqrt();
        Self(LowRank::gram(Numbers::table(1, rows, width, most)))
    }

    /// The table, row by row.
    #[must_use]
    pub fn numbers(&self) -> Vec<f32> {
        self.0.left().iter().copied().collect()
    }

    /// Hash of the table's bits.
    #[must_use]
    pub fn mark(&self) -> f64 {
        mark(self.0.left().iter())
    }

    /// P, row by row.
    #[must_use]
    pub fn product(&self) -> Vec<f32> {
        let n = self.0.n();
        self.0.tile(Window::whole(n, n), n).values
    }

    /// Toeplitz R².
    #[must_use]
    pub fn r2(&self) -> f64 {
        ToeplitzFit::compute(&self.0).r2
    }
}

/// Heads with content, and a bias by offset.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
#[derive(Debug)]
pub struct AttentionRace {
    scores: Vec<LowRank>,
    values: Vec<Array2<f32>>,
    kernels: Kernels,
    n: usize,
    width: usize,
}

#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
impl AttentionRace {
    /// Forms `heads` heads of `width` columns at `n` positions, from a fixed seed. The score scale is folded into the
    /// queries.
    #[cfg_attr(target_arch = "wasm32", wasm_bindgen(constructor))]
    #[must_use]
    pub fn new(n: usize, heads: usize, width: usize) -> Self {
        let factor = |seed, most| Numbers::table(seed, n, width, most);
        // Gives products of queries and keys a variance of about one.
        let most = (3.0 / (width as f32).sqrt()).sqrt();
        let heads = 0..heads as u64;
        let scores = heads.clone().map(|head| {
            let (query, key) = (factor(3 * head + 2, most), factor(3 * head + 3, most));
            LowRank::product(query, key, 0.0)
        });
        Self {
            scores: scores.collect(),
            values: heads.map(|head| factor(3 * head + 4, 1.0)).collect(),
            kernels: Kernels(BIAS.to_vec()),
            n,
            width,
        }
    }

    /// The queries of all heads, head by head and row by row, then the keys, then the values.
    #[must_use]
    pub fn numbers(&self) -> Vec<f32> {
        let queries = self.scores.iter().flat_map(|a| a.left().into_iter());
        let keys = self.scores.iter().flat_map(|a| a.right().into_iter());
        let values = self.values.iter().flatten();
        queries.chain(keys).chain(values).copied().collect()
    }

    /// The bias by offset, from −(n−1) to n−1.
    #[must_use]
    pub fn bias(&self) -> Vec<f32> {
        let scores = self.kernels.scores(self.n);
        scores.profile().iter().map(|&f| f as f32).collect()
    }

    /// Hash of the bits of all heads.
    #[must_use]
    pub fn mark(&self) -> f64 {
        mark(self.numbers().iter())
    }

    /// Softmax of scores and bias, times the values: head by head and row by row.
    #[must_use]
    pub fn attend(&self) -> Vec<f32> {
        let (n, width) = (self.n, self.width);
        let attention = MixedAttention::new(&self.kernels, n, AttentionMask::Whole);
        let mut out = Vec::with_capacity(self.scores.len() * n * width);
        for (scores, values) in self.scores.iter().zip(&self.values) {
            for start in (0..n).step_by(ROWS_AT_ONCE) {
                let queries = start..n.min(start + ROWS_AT_ONCE);
                let mut rows = scores.rows(queries.clone());
                attend_rows(&attention, queries.start, rows.view_mut());
                out.extend(rows.dot(values));
            }
        }
        out
    }
}

/// Adds the bias and applies softmax to rows, in place.
fn attend_rows(attention: &MixedAttention, first: usize, mut rows: ArrayViewMut2<'_, f32>) {
    let queries = first..first + rows.nrows();
    // Blocks of rows are stored row by row.
    if let Some(rows) = rows.as_slice_mut() {
        attention.attend(queries, rows);
    }
}

#[cfg(test)]
mod tests {
    use super::{AttentionRace, TableRace};
    use diagonal::math::reference;
    use ndarray::Array2;

    fn wide(numbers: &[f32], rows: usize) -> Array2<f64> {
        let numbers: Vec<f64> = numbers.iter().map(|&v| f64::from(v)).collect();
        let columns = numbers.len() / rows;
        Array2::from_shape_vec((rows, columns), numbers).expect("rows of one width")
    }

    #[test]
    fn a_table_has_its_product_and_its_r2() {
        let race = TableRace::new(150, 24);
        let table = wide(&race.numbers(), 150);
        let slow = table.dot(&table.t());
        let off = (wide(&race.product(), 150) - &slow).mapv(f64::abs);
        assert!(off.iter().all(|off| *off < 1e-6));
        assert!((race.r2() - reference::toeplitz_r2(&slow)).abs() < 1e-6);
        assert_eq!(race.mark(), TableRace::new(150, 24).mark());
        assert_ne!(race.mark(), TableRace::new(24, 150).mark());
    }

    #[test]
    fn heads_attend_as_they_should() {
        let (n, heads, width) = (140, 2, 8);
        let race = AttentionRace::new(n, heads, width);
        let numbers = race.numbers();
        let all: Vec<Array2<f64>> = numbers
            .chunks(n * width)
            .map(|part| wide(part, n))
            .collect();
        let bias = race.bias();
        for (head, attended) in race.attend().chunks(n * width).enumerate() {
            let [query, key, value] = [0, 1, 2].map(|which| &all[which * heads + head]);
            let mut scores = query.dot(&key.t());
            for ((i, j), score) in scores.indexed_iter_mut() {
                *score += f64::from(bias[j + n - 1 - i]);
            }
            let slow = reference::softmax(&scores, false).dot(value);
            let off = (wide(attended, n) - slow).mapv(f64::abs);
            assert!(off.iter().all(|off| *off < 1e-5), "head {head}");
        }
    }
}
