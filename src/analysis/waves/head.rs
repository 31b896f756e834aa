//! Queries and keys of a head as waves, and their cross-correlations.

use super::{HeadInput, columns::peak};
use crate::math::{
    CentredMatrix, CrossCovariances, DiagonalSummer, LowRank, NoWaves, Profile, QueryKeySvd,
    Spectrum, matrix_product::product,
};
use ndarray::{ArrayView1, s};
use rustfft::num_complex::Complex;
use serde::{Deserialize, Serialize};

/// Maximum number of columns that are drawn as waves.
pub const LEADING_WAVES: usize = 8;

/// Maximum number of columns whose cross-correlations are drawn, as in Fig. 9.
pub const LEADING_CORRELATIONS: usize = 10;

/// Largest |offset| of cross-correlations, as in Figs. 7 and 9.
pub const REACH: usize = 20;

/// Queries or keys of a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum HeadPart {
    /// Q.
    Query,
    /// K.
    Key,
}

impl HeadPart {
    /// Name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Key => "key",
        }
    }
}

/// A column of the redefined queries, and the corresponding column of the keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WavePair {
    /// Column of the queries along position.
    pub query: Vec<f32>,
    /// Column of the keys along position.
    pub key: Vec<f32>,
    /// Frequency of the query's highest peak other than 0; `None` for a constant column.
    pub frequency: Option<usize>,
    /// Index, from 0, of the column with which it forms a pair of sine and cosine.
    pub partner: Option<usize>,
}

/// Data of the figures of a head's waves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadWaveDetail {
    /// All singular values above zero, in descending order.
    pub singular_values: Vec<f64>,
    /// The leading columns.
    pub waves: Vec<WavePair>,
    /// Cross-correlations of the leading columns at −[`REACH`] … [`REACH`]; `None` if a column is zero.
    pub correlations: Vec<Option<Vec<f64>>>,
    /// Σ s·xcov over all columns, at every offset (eq. 23).
    pub weighted_sum: Profile,
    /// Largest difference between `weighted` and the diagonal sums of the scores, relative to the largest sum.
    pub identity_error: f64,
}

/// The frequency-wise maxima of a layer (eq. 18).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayerSpectrum {
    /// Layer from 0.
    pub layer: usize,
    /// Maxima over the queries of all heads, by frequency.
    pub query: Vec<f64>,
    /// Maxima over the keys of all heads, by frequency.
    pub key: Vec<f64>,
    /// Number of heads without spectra, and why the first of them has none.
    pub left_out: Option<(usize, String)>,
}

impl LayerSpectrum {
    /// Spectrum of a layer before any head is added.
    pub(in crate::analysis) fn empty(layer: usize) -> Self {
        Self {
            layer,
            query: Vec::new(),
            key: Vec::new(),
            left_out: None,
        }
    }

    /// Maxima of the spectra of a head's queries and of its keys, by frequency.
    ///
    /// # Errors
    /// If queries and keys have no waves.
    pub fn maxima(head: HeadInput<'_>) -> Result<[Vec<f64>; 2], NoWaves> {
        let (query, key) = QueryKeySvd::compute(head.query, head.key)?.through(head.states);
        Ok([
            Spectrum::compute(query.view())?.maximum(),
            Spectrum::compute(key.view())?.maximum(),
        ])
    }

    /// Adds a head.
    pub(in crate::analysis) fn add(&mut self, head: Result<[Vec<f64>; 2], NoWaves>) {
        match head {
            Ok([query, key]) => {
                for (most, head) in [(&mut self.query, query), (&mut self.key, key)] {
                    most.resize(head.len(), 0.0);
                    for (most, value) in most.iter_mut().zip(head) {
                        *most = most.max(value);
                    }
                }
            }
            Err(why) => {
                let left_out = self.left_out.get_or_insert_with(|| (0, why.to_string()));
                left_out.0 += 1;
            }
        }
    }
}

impl HeadWaveDetail {
    /// Describes a head's queries and keys as waves.
    ///
    /// # Errors
    /// If queries and keys have no waves.
    pub fn compute(head: HeadInput<'_>) -> Result<Self, NoWaves> {
        let axes = QueryKeySvd::compute(head.query, head.key)?;
        let (query, key) = axes.through(head.states);
        let n = query.nrows();
        let cross = CrossCovariances::new(n);
        let cross = cross.compute(
            query.view(),
            key.view(),
            &axes.singular_values,
            LEADING_CORRELATIONS,
        )?;
        // The other side of eq. 21–23, from the scores themselves, without a decomposition.
        let scores = LowRank::product(
            product(head.states, head.query, 1.0),
            product(head.states, head.key, 1.0),
            0.0,
        );
        let centred = CentredMatrix::new(&scores);
        let (sums, mean) = (DiagonalSummer::new(n).sums(&centred), centred.mean());
        let sums = Profile::from_fn(n, |k| {
            let place = (k + n as i64 - 1) as usize;
            sums[place] + mean * crate::math::diagonal_cells(n, k) as f64
        });
        let top = largest(sums.iter().copied());
        let off = largest(
            sums.iter()
                .zip(cross.weighted_sum.iter())
                .map(|(a, b)| a - b),
        );
        let count = axes.rank().min(LEADING_WAVES);
        let spectra = Spectrum::compute(query.slice(s![.., ..count]))?;
        let frequencies: Vec<_> = (0..count)
            .map(|at| peak(&spectra.amplitudes.row(at).to_vec()))
            .collect();
        let phases: Vec<_> = (0..count)
            .map(|at| frequencies[at].map(|f| at_frequency(query.column(at), f)))
            .collect();
        let partners = partners(&frequencies, &phases);
        let waves = (0..count).map(|at| WavePair {
            query: query.column(at).to_vec(),
            key: key.column(at).to_vec(),
            frequency: frequencies[at],
            partner: partners[at],
        });
        Ok(Self {
            waves: waves.collect(),
            correlations: (0..axes.rank().min(LEADING_CORRELATIONS))
                .map(|at| Some(cross.correlation(at, REACH)?.values().to_vec()))
                .collect(),
            identity_error: if top > 0.0 { off / top } else { 0.0 },
            weighted_sum: cross.weighted_sum,
            singular_values: axes.singular_values,
        })
    }

    /// Offset within ±[`REACH`] at which the weighted sum is greatest; ties go to the nearest offset.
    #[must_use]
    pub fn peak(&self) -> i64 {
        peak_within(&self.weighted_sum, REACH)
    }
}

/// Offset within ±`reach` at which a profile is greatest; ties go to the nearest offset.
pub(super) fn peak_within(profile: &Profile, reach: usize) -> i64 {
    let reach = (profile.n() as i64 - 1).min(reach as i64);
    let at = |k: i64| profile.at(k).unwrap_or(f64::NEG_INFINITY);
    let outwards = (0..=reach).flat_map(|k| [k, -k]);
    outwards.fold(0, |most, k| if at(k) > at(most) { k } else { most })
}

/// Largest absolute value.
fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |most, value| most.max(value.abs()))
}

/// Σ_t x_t·e^{−j2πft/n} at one frequency.
fn at_frequency(column: ArrayView1<'_, f32>, f: usize) -> Complex<f64> {
    let n = column.len();
    let turn = |t: usize| -std::f64::consts::TAU * ((f * t) % n) as f64 / n as f64;
    (column.iter().enumerate())
        .map(|(t, &x)| Complex::from_polar(f64::from(x), turn(t)))
        .sum()
}

/// Pairs sines with cosines: columns whose peaks are at most one frequency apart and whose phases differ by about a
/// quarter turn, that is by 45° to 135°. Each column has at most one partner, the first that fits.
fn partners(frequencies: &[Option<usize>], phases: &[Option<Complex<f64>>]) -> Vec<Option<usize>> {
    let mut partners = vec![None; frequencies.len()];
    for a in 0..frequencies.len() {
        for b in a + 1..frequencies.len() {
            let fits = match (frequencies[a], frequencies[b], phases[a], phases[b]) {
                (Some(f), Some(g), Some(x), Some(y)) if f.abs_diff(g) <= 1 => {
                    let between = x * y.conj();
                    between.im.abs() > between.re.abs()
                }
                _ => false,
            };
            if fits && partners[a].is_none() && partners[b].is_none() {
                (partners[a], partners[b]) = (Some(b), Some(a));
            }
        }
    }
    partners
}
