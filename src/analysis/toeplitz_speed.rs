//! The project's own benchmark: Toeplitz R² from the factors, against forming P and averaging its
//! diagonals, in the same program.

use crate::checkpoint::order;
use crate::{
    encoding::Random,
    math::{LowRank, ToeplitzFit, diagonal_cells, offsets},
};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// Milliseconds and results of both ways.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ToeplitzRace {
    /// Median over runs, from the factors.
    pub factors_ms: f64,
    /// Median over runs, by forming P.
    pub formed_ms: f64,
    /// R² from the factors.
    pub factors_r2: f64,
    /// R² by forming P.
    pub formed_r2: f64,
}

/// Runs both on a random table; `now` gives milliseconds.
pub fn race(rows: usize, width: usize, now: impl Fn() -> f64) -> ToeplitzRace {
    let table = Random {
        rows,
        width,
        seed: 7,
    }
    .table();
    let p = LowRank::gram(table.clone());
    let (factors_ms, factors_r2) = median(&now, || ToeplitzFit::of(&p).r2);
    let (formed_ms, formed_r2) = median(&now, || formed_r2(&table));
    ToeplitzRace {
        factors_ms,
        formed_ms,
        factors_r2,
        formed_r2,
    }
}

fn median(now: &impl Fn() -> f64, run: impl Fn() -> f64) -> (f64, f64) {
    let mut times: Vec<f64> = Vec::new();
    let mut result = f64::NAN;
    for _ in 0..5 {
        let start = now();
        result = run();
        times.push(now() - start);
    }
    // Times are not negative, so their bits are in the same order as they are.
    let by_time = order(times.iter().map(|time| time.to_bits()));
    (times[by_time[by_time.len() / 2]], result)
}

/// The peer, written as well as it can be: P by the fastest matrix product at hand, its diagonals in one
/// pass over its rows.
fn formed_r2(table: &Array2<f32>) -> f64 {
    let n = table.nrows();
    let p = table.dot(&table.t());
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
    let explained: f64 = offsets(n)
        .zip(&sums)
        .map(|(k, s)| s * s / diagonal_cells(n, k) as f64)
        .sum();
    (explained - of_mean) / (squares - of_mean)
}
