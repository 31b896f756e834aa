//! A head's queries and keys as waves, and how they run beside one another.

use super::{HeadInput, columns::peak};
use crate::math::{
    Centred, CrossCovariances, DiagonalSummer, LowRank, NoWaves, Profile, QueryKeySvd, Spectrum,
    matrix_product::product,
};
use ndarray::{ArrayView1, s};
use rustfft::num_complex::Complex;
use serde::{Deserialize, Serialize};

/// Columns that are drawn as waves.
pub const LEADING_WAVES: usize = 8;

/// Columns whose cross-correlations are drawn, as in Fig. 9.
pub const LEADING_CORRELATIONS: usize = 10;

/// Cross-correlations are taken at the offsets −20 … 20, as in Figs. 7 and 9.
pub const REACH: usize = 20;

/// A head's queries or its keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum HeadPart {
    /// Q.
    Query,
    /// K.
    Key,
}

impl HeadPart {
    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Key => "key",
        }
    }
}

/// A column of the redefined queries and that of the keys that goes with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WavePair {
    /// The query's column along position.
    pub query: Vec<f32>,
    /// The key's.
    pub key: Vec<f32>,
    /// The frequency of the query's highest peak besides 0; `None` where it does not vary.
    pub frequency: Option<usize>,
    /// The column that is its cosine if it is the sine, from 0.
    pub partner: Option<usize>,
}

/// What is shown of a head's waves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadWaveDetail {
    /// All singular values above zero, falling.
    pub singular_values: Vec<f64>,
    /// The leading columns.
    pub waves: Vec<WavePair>,
    /// Cross-correlations of the leading columns at −[`REACH`] … [`REACH`]; `None` where a column is zero.
    pub correlations: Vec<Option<Vec<f64>>>,
    /// Σ s·xcov over all columns, at every offset (eq. 23).
    pub weighted: Profile,
    /// The largest difference between that and the diagonal sums of the scores, as a share of the largest sum.
    pub identity_error: f64,
}

/// The frequency-wise maxima of a layer (eq. 18).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayerSpectrum {
    /// Layer from 0.
    pub layer: usize,
    /// Over the queries of all heads, by frequency.
    pub query: Vec<f64>,
    /// Over the keys.
    pub key: Vec<f64>,
    /// Heads that have no spectra, and why the first of them has none.
    pub left_out: Option<(usize, String)>,
}

impl LayerSpectrum {
    /// Of a layer, before any of its heads.
    pub(in crate::analysis) fn empty(layer: usize) -> Self {
        Self {
            layer,
            query: Vec::new(),
            key: Vec::new(),
            left_out: None,
        }
    }

    /// With a head more.
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
    pub(super) fn of(head: HeadInput<'_>) -> Result<Self, NoWaves> {
        let axes = QueryKeySvd::of(head.query, head.key)?;
        let (query, key) = axes.through(head.states);
        let n = query.nrows();
        let cross = CrossCovariances::new(n);
        let cross = cross.of(
            query.view(),
            key.view(),
            &axes.singular_values,
            LEADING_CORRELATIONS,
        )?;
        // The other side of eq. 21–23, from the scores themselves: no decomposition has touched these.
        let scores = LowRank::product(
            product(head.states, head.query, 1.0),
            product(head.states, head.key, 1.0),
            0.0,
        );
        let centred = Centred::new(&scores);
        let (sums, mean) = (DiagonalSummer::new(n).sums(&centred), centred.mean());
        let sums = Profile::from_fn(n, |k| {
            let place = (k + n as i64 - 1) as usize;
            sums[place] + mean * crate::math::diagonal_cells(n, k) as f64
        });
        let top = largest(sums.iter().copied());
        let off = largest(sums.iter().zip(cross.weighted.iter()).map(|(a, b)| a - b));
        let count = axes.rank().min(LEADING_WAVES);
        let spectra = Spectrum::of(query.slice(s![.., ..count]))?;
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
            weighted: cross.weighted,
            singular_values: axes.singular_values,
        })
    }

    /// The offset within ±[`REACH`] at which the weighted sum is greatest, the nearest of equals.
    #[must_use]
    pub fn peak(&self) -> i64 {
        peak_within(&self.weighted, REACH)
    }
}

/// The offset within ±`reach` at which a profile is greatest, the nearest of equals.
pub(super) fn peak_within(profile: &Profile, reach: usize) -> i64 {
    let reach = (profile.n() as i64 - 1).min(reach as i64);
    let at = |k: i64| profile.at(k).unwrap_or(f64::NEG_INFINITY);
    let outwards = (0..=reach).flat_map(|k| [k, -k]);
    outwards.fold(0, |most, k| if at(k) > at(most) { k } else { most })
}

pub(super) fn maxima(head: HeadInput<'_>) -> Result<[Vec<f64>; 2], NoWaves> {
    let (query, key) = QueryKeySvd::of(head.query, head.key)?.through(head.states);
    Ok([
        Spectrum::of(query.view())?.maximum(),
        Spectrum::of(key.view())?.maximum(),
    ])
}

/// The greatest number, whatever its sign.
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

/// Sines and their cosines: columns whose peaks are at most one frequency apart and whose phases are a quarter of a turn
/// apart, or nearer to that than to none. Each column has one partner at most, the first that fits.
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
