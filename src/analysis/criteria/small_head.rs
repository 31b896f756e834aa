//! A small attention head that is recomputed on every slider move, with positions encoded by one of the nine methods.
//!
//! Learned numbers are random: the head shows a method *before* training, so all structure comes from its construction.
//! Sums are plain loops in `f64`. Numbers are drawn in a fixed order, a method's own before those of the maps that any
//! model has, so each number has an index by which it can be moved.

use super::EncodingMethod;
use crate::{
    analysis::parameter_count::{SHAW_CLIP, T5_BUCKETS},
    encoding::{Buckets, Kernels, Rotary, Sinusoidal},
    math::{NoR2, ToeplitzFit, normal_number},
};

/// Columns d of the table that is added to the input.
pub const WIDTH: usize = 16;
/// Columns d_k of queries and keys.
pub const HEAD: usize = 8;
/// Integration steps of the flow between two positions.
const FLOW_STEPS: usize = 4;
/// T5's maximum distance: offsets from here on share the last bucket.
pub const T5_REACH: usize = 128;

/// A matrix as a vector of rows.
pub type Rows = Vec<Vec<f64>>;

/// Settings of a small head.
#[derive(Debug, Clone, Copy)]
pub struct SmallHead<'a> {
    /// Position encoding.
    pub way: EncodingMethod,
    /// Number n of positions, which is the number of keys.
    pub positions: usize,
    /// Number of queries: the first positions.
    pub queries: usize,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Whether positions have different content, for methods whose scores depend on content.
    pub contents_differ: bool,
    /// Index of a random number (or kernel parameter) and the amount added to it.
    pub change: Option<(usize, f64)>,
    /// Kernels of TISA.
    pub kernels: &'a Kernels,
}

impl SmallHead<'_> {
    /// Positional scores, [queries, positions].
    #[must_use]
    pub fn scores(&self) -> Rows {
        let n = self.positions;
        let mut numbers = NumberStream::new(self.seed, self.change);
        match self.way {
            EncodingMethod::Sinusoidal => self.between_maps(&sinusoids(n), &mut numbers),
            EncodingMethod::Learned => {
                let table = numbers.matrix(n, WIDTH);
                self.between_maps(&table, &mut numbers)
            }
            EncodingMethod::Flow => {
                let path = flow(n, &mut numbers);
                self.between_maps(&path, &mut numbers)
            }
            EncodingMethod::Untied => {
                let table = numbers.matrix(n, WIDTH);
                // Ke et al. scale by √(2·d_k), because two terms are added.
                let mut scores = self.between_maps(&table, &mut numbers);
                for cell in scores.iter_mut().flatten() {
                    *cell /= 2.0_f64.sqrt();
                }
                scores
            }
            EncodingMethod::Synthesizer => numbers.matrix(self.queries, n),
            EncodingMethod::Relative => self.relative(&mut numbers),
            EncodingMethod::Rotary => self.rotary(&mut numbers),
            EncodingMethod::T5 => {
                let scores: Vec<f64> = (0..T5_BUCKETS).map(|_| numbers.next()).collect();
                let buckets = t5_buckets();
                self.by_offset(|k| buckets.map_or(0.0, |buckets| scores[buckets.bucket(k)]))
            }
            EncodingMethod::Tisa => {
                let kernels = numbers.moved_kernels(self.kernels);
                self.by_offset(|k| kernels.at(k as f64))
            }
        }
    }

    /// Toeplitz R² of the scores; `queries` must equal `positions`.
    #[must_use]
    pub fn r2(&self) -> f64 {
        r2(&self.scores())
    }

    fn by_offset(&self, f: impl Fn(i64) -> f64) -> Rows {
        let row = |i: usize| {
            (0..self.positions)
                .map(|j| f(j as i64 - i as i64))
                .collect()
        };
        (0..self.queries).map(row).collect()
    }

    /// E·W_Q·(E·W_K)ᵀ/√d_k.
    fn between_maps(&self, table: &Rows, numbers: &mut NumberStream) -> Rows {
        let (query, key) = (numbers.matrix(WIDTH, HEAD), numbers.matrix(WIDTH, HEAD));
        let queries = times(&table[..self.queries.min(table.len())], &query);
        products(&queries, &times(table, &key))
    }

    /// Queries and keys of the content; all rows are equal unless contents differ.
    fn contents(&self, numbers: &mut NumberStream) -> (Rows, Rows) {
        let n = self.positions;
        let mut rows = |count: usize| {
            if self.contents_differ {
                return numbers.matrix(count, HEAD);
            }
            let row = numbers.matrix(1, HEAD).swap_remove(0);
            vec![row; count]
        };
        (rows(self.queries), rows(n))
    }

    /// Shaw et al., eq. 4: Q_i·(K_j + a_k)/√d_k, with k = j − i clipped.
    fn relative(&self, numbers: &mut NumberStream) -> Rows {
        let clip = SHAW_CLIP as i64;
        let vectors = numbers.matrix(2 * SHAW_CLIP as usize + 1, HEAD);
        let (queries, keys) = self.contents(numbers);
        let score = |i: usize, j: usize| {
            let k = (j as i64 - i as i64).clamp(-clip, clip);
            let vector = &vectors[(k + clip) as usize];
            let key: Vec<f64> = keys[j].iter().zip(vector).map(|(k, a)| k + a).collect();
            dot(&queries[i], &key) / (HEAD as f64).sqrt()
        };
        (0..self.queries)
            .map(|i| (0..self.positions).map(|j| score(i, j)).collect())
            .collect()
    }

    /// Su et al., eq. 16: queries and keys rotated by i·θ and j·θ.
    fn rotary(&self, numbers: &mut NumberStream) -> Rows {
        let (mut queries, mut keys) = self.contents(numbers);
        let turned = Rotary {
            rows: self.positions,
            width: HEAD,
            ..Rotary::default()
        };
        let speeds: Vec<f64> = turned.frequencies().collect();
        for rows in [&mut queries, &mut keys] {
            for (position, row) in rows.iter_mut().enumerate() {
                for (pair, speed) in row.chunks_exact_mut(2).zip(&speeds) {
                    let (sin, cos) = (position as f64 * speed).sin_cos();
                    let (x, y) = (pair[0], pair[1]);
                    (pair[0], pair[1]) = (x * cos - y * sin, x * sin + y * cos);
                }
            }
        }
        products(&queries, &keys)
    }
}

/// Relative-position buckets of T5's encoder.
#[must_use]
pub fn t5_buckets() -> Option<Buckets> {
    Buckets::new(T5_BUCKETS as usize, T5_REACH, true)
}

/// The sinusoidal table with n rows.
#[must_use]
pub fn sinusoids(n: usize) -> Rows {
    let table = Sinusoidal {
        rows: n,
        width: WIDTH,
        ..Sinusoidal::default()
    };
    let speeds: Vec<f64> = table.frequencies().collect();
    (0..n)
        .map(|i| {
            let waves = speeds.iter().map(|speed| (i as f64 * speed).sin_cos());
            waves.flat_map(|(sin, cos)| [sin, cos]).collect()
        })
        .collect()
}

/// Path of the differential equation p' = tanh(2·A·p + b) − p/4, which stays bounded without coming to rest.
fn flow(n: usize, numbers: &mut NumberStream) -> Rows {
    let weights = numbers.matrix(WIDTH, WIDTH);
    let bias: Vec<f64> = (0..WIDTH).map(|_| numbers.next()).collect();
    let mut p: Vec<f64> = (0..WIDTH).map(|_| numbers.next()).collect();
    let mut path = Vec::new();
    for _ in 0..n {
        path.push(p.clone());
        for _ in 0..FLOW_STEPS {
            let slope = |c: usize| (2.0 * dot(&weights[c], &p) + bias[c]).tanh() - p[c] / 4.0;
            p = (0..WIDTH)
                .map(|c| p[c] + slope(c) / FLOW_STEPS as f64)
                .collect();
        }
    }
    path
}

/// Stream of random numbers, one of which can be moved.
struct NumberStream {
    uniform: fastrand::Rng,
    place: usize,
    change: Option<(usize, f64)>,
}

impl NumberStream {
    fn new(seed: u64, change: Option<(usize, f64)>) -> Self {
        Self {
            uniform: fastrand::Rng::with_seed(seed),
            place: 0,
            change,
        }
    }

    /// Next standard normal number.
    fn next(&mut self) -> f64 {
        normal_number(&mut self.uniform, 1.0) + self.by_how_much()
    }

    fn by_how_much(&mut self) -> f64 {
        let place = self.place;
        self.place += 1;
        match self.change {
            Some((at, by)) if at == place => by,
            _ => 0.0,
        }
    }

    /// Random matrix of variance 1/columns, so that rows have length about 1.
    fn matrix(&mut self, rows: usize, columns: usize) -> Rows {
        let scale = (columns.max(1) as f64).sqrt().recip();
        (0..rows)
            .map(|_| (0..columns).map(|_| scale * self.next()).collect())
            .collect()
    }

    fn moved_kernels(&mut self, kernels: &Kernels) -> Kernels {
        let mut kernels = kernels.clone();
        for kernel in &mut kernels.0 {
            for part in [&mut kernel.a, &mut kernel.b, &mut kernel.c] {
                *part += self.by_how_much();
            }
        }
        kernels
    }
}

/// Toeplitz R² of a square matrix; 1 for constant scores, since they are a function of the offset.
#[must_use]
pub fn r2(scores: &Rows) -> f64 {
    let fit = ToeplitzFit::from_cells(scores.len(), |i, j| scores[i][j]);
    match fit.no_r2() {
        Some(NoR2::NothingVaries) => 1.0,
        _ => fit.r2,
    }
}

/// Dot product.
#[must_use]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// X·W.
#[must_use]
pub fn times(rows: &[Vec<f64>], map: &Rows) -> Rows {
    let columns = map.first().map_or(0, Vec::len);
    let one = |row: &Vec<f64>| {
        let column = |c| row.iter().zip(map).map(|(x, w)| x * w[c]).sum();
        (0..columns).map(column).collect()
    };
    rows.iter().map(one).collect()
}

/// Q·Kᵀ/√d_k.
#[must_use]
pub fn products(queries: &Rows, keys: &Rows) -> Rows {
    let scale = (keys.first().map_or(1, Vec::len).max(1) as f64)
        .sqrt()
        .recip();
    let one = |query: &Vec<f64>| keys.iter().map(|key| scale * dot(query, key)).collect();
    queries.iter().map(one).collect()
}
