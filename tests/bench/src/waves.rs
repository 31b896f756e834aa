//! Questions about waves, computed as in the page's worker, on numbers that NumPy also gets.

use diagonal::analysis::{
    HeadInput, HeadWaveDetail, LayerSpectrum, RotationDetail, TableWaveSummary,
};
use diagonal::encoding::Random;
use diagonal::math::Autocorrelation;
use ndarray::{Array2, ArrayView2, s};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen::prelude::wasm_bindgen;

/// BERT-base: positions, width, heads per layer.
pub const BASE: (usize, usize, usize) = (512, 768, 12);

/// A table, and the query and key weights of a layer of heads.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
#[derive(Debug)]
pub struct WaveRace {
    table: Array2<f32>,
    query: Array2<f32>,
    key: Array2<f32>,
    heads: usize,
}

#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
impl WaveRace {
    /// Forms random numbers from a fixed seed.
    #[cfg_attr(target_arch = "wasm32", wasm_bindgen(constructor))]
    #[must_use]
    pub fn new(rows: usize, width: usize, heads: usize) -> Self {
        let random = |rows, seed| Random { rows, width, seed }.table();
        Self {
            table: random(rows, 1),
            query: random(width, 2),
            key: random(width, 3),
            heads,
        }
    }

    /// Computes spectra, components and densities of the table, and its autocorrelation. Returns the share that ten
    /// components explain.
    #[must_use]
    pub fn table(&self) -> f64 {
        let TableWaveSummary { components, .. } = TableWaveSummary::compute(self.table.view());
        let lags = Autocorrelation::compute(self.table.view());
        let shares = components.map(|found| found.cumulative);
        match (shares, lags) {
            (Ok(shares), Some(_)) => shares.get(9).copied().unwrap_or(f64::NAN),
            _ => f64::NAN,
        }
    }

    /// Computes the waves and cross-correlations of a head. Returns its greatest singular value.
    #[must_use]
    pub fn head(&self, head: usize) -> f64 {
        let found = HeadWaveDetail::compute(self.input(head));
        found.map_or(f64::NAN, |found| found.singular_values[0])
    }

    /// [`Self::head`] for `count` heads. Returns the mean of their greatest singular values.
    #[must_use]
    pub fn heads(&self, count: usize) -> f64 {
        let sum: f64 = (0..count).map(|head| self.head(head % self.heads)).sum();
        sum / count as f64
    }

    /// Computes the frequency-wise maxima of the spectra of `count` heads. Returns the mean of their greatest values.
    #[must_use]
    pub fn spectra(&self, count: usize) -> f64 {
        let greatest = |head: usize| {
            let found = LayerSpectrum::maxima(self.input(head % self.heads));
            found.map_or(f64::NAN, |[query, _]| query.into_iter().fold(0.0, f64::max))
        };
        (0..count).map(greatest).sum::<f64>() / count as f64
    }

    /// Computes the rotation of a head. Returns the number of directions that neither queries nor keys read.
    #[must_use]
    pub fn rotation(&self, head: usize) -> f64 {
        let found = RotationDetail::compute(self.input(head));
        found.map_or(f64::NAN, |found| found.idle as f64)
    }
}

impl WaveRace {
    /// The table and both weights, for NumPy.
    #[must_use]
    pub fn numbers(&self) -> [ArrayView2<'_, f32>; 3] {
        [self.table.view(), self.query.view(), self.key.view()]
    }

    fn input(&self, head: usize) -> HeadInput<'_> {
        let width = self.query.ncols() / self.heads;
        let columns = s![.., head * width..(head + 1) * width];
        HeadInput {
            states: self.table.view(),
            query: self.query.slice(columns),
            key: self.key.slice(columns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::WaveRace;

    #[test]
    fn every_question_has_an_answer() {
        let race = WaveRace::new(48, 24, 3);
        let answers = [
            race.table(),
            race.head(1),
            race.heads(5),
            race.spectra(4),
            race.rotation(2),
        ];
        assert!(
            answers.iter().all(|answer| answer.is_finite()),
            "{answers:?}"
        );
    }
}
