//! Code that benchmarks compile to WebAssembly: waves of tables and heads ([`waves`], against NumPy), products and
//! attention ([`peers`], against other libraries), the layers of a BERT ([`bert`], likewise), GGUF's blocks ([`blocks`]),
//! and Toeplitz R² computed in two ways.
//!
//! The two ways to compute Toeplitz R² of a table's inner products P: from the table's factors, as the page does, and
//! by forming P and averaging its diagonals.
//!
//! The module `page_worker` sends questions to the page's own worker. The module `gpu` compares the GPU with the CPU; a
//! browser test reads the result. The module `count_worker` is a program in a worker, with which a browser test tries
//! `worker-protocol`.
//!
//! `cargo xtask bench toeplitz`, `… waves` and `… peers` compile this module like the page's worker and time its
//! functions. It is not part of the page.

pub mod bert;
pub mod blocks;
#[cfg(target_arch = "wasm32")]
pub mod count_worker;
#[cfg(target_arch = "wasm32")]
pub mod gpu;
#[cfg(target_arch = "wasm32")]
pub mod page_worker;
pub mod peers;
pub mod waves;

use diagonal::encoding::Random;
use diagonal::math::{LowRank, ToeplitzFit, diagonal_cells};
use ndarray::Array2;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen::prelude::wasm_bindgen;

/// A table and its Toeplitz factors.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
#[derive(Debug)]
pub struct Race {
    table: Array2<f32>,
    product: LowRank,
}

#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
impl Race {
    /// Forms a random table from a fixed seed.
    #[cfg_attr(target_arch = "wasm32", wasm_bindgen(constructor))]
    #[must_use]
    pub fn new(rows: usize, width: usize) -> Self {
        let seed = 7;
        let table = Random { rows, width, seed }.table();
        Self {
            product: LowRank::gram(table.clone()),
            table,
        }
    }

    /// Toeplitz R² from the factors.
    #[must_use]
    pub fn from_factors(&self) -> f64 {
        ToeplitzFit::compute(&self.product).r2
    }

    /// Toeplitz R² by forming P: one matrix product from `ndarray`, then its diagonals in one pass over the rows.
    #[must_use]
    pub fn by_forming(&self) -> f64 {
        let n = self.table.nrows();
        let p = self.table.dot(&self.table.t());
        let mut sums = vec![0.0_f64; 2 * n - 1];
        let mut squares = 0.0;
        for (i, row) in p.rows().into_iter().enumerate() {
            for (sum, &value) in sums[n - 1 - i..].iter_mut().zip(row) {
                *sum += f64::from(value);
                squares += f64::from(value) * f64::from(value);
            }
        }
        let total: f64 = sums.iter().sum();
        let of_mean = total * total / (n * n) as f64;
        let explained: f64 = (1 - n as i64..)
            .zip(&sums)
            .map(|(k, s)| s * s / diagonal_cells(n, k) as f64)
            .sum();
        (explained - of_mean) / (squares - of_mean)
    }
}

#[cfg(test)]
mod tests {
    use super::Race;

    #[test]
    fn both_ways_say_the_same() {
        let race = Race::new(96, 24);
        let (factors, formed) = (race.from_factors(), race.by_forming());
        assert!(
            factors > 0.0 && (factors - formed).abs() < 1e-6,
            "{factors} {formed}"
        );
    }
}
