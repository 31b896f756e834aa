//! What benchmarks race: the waves of tables and heads ([`waves`]), whose peer is NumPy, what other libraries race
//! ([`peers`]), and Toeplitz R², two ways of it.
//!
//! Toeplitz R² of a table's inner products, computed in two ways that race each other in a browser: from the table's
//! factors, as the page does it, and by forming P and averaging its diagonals, as one would at first.
//!
//! The module `page_worker` asks the page's own worker. The module `gpu` holds what a GPU computes against the CPU; a test reads what it finds.
//!
//! `cargo xtask bench toeplitz`, `… waves` and `… peers` compile this module as the page's worker is compiled, and take the
//! times around its functions. It is no part of the page.

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

/// A table, and what both ways make of it.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
#[derive(Debug)]
pub struct Race {
    table: Array2<f32>,
    product: LowRank,
}

#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
impl Race {
    /// A random table, the same every time.
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

    /// R² from the factors.
    #[must_use]
    pub fn from_factors(&self) -> f64 {
        ToeplitzFit::of(&self.product).r2
    }

    /// R² by forming P, written as well as it can be: P by the fastest matrix product at hand, its diagonals in one
    /// pass over its rows.
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
