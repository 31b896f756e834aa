//! Spectra, components and densities of a table.

use crate::{
    analysis::TILE_LIMIT,
    encoding::Sinusoidal,
    math::{Components, Density, Spectrum, Tile, Window},
};
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Components that are drawn along position.
pub const LEADING: usize = 12;

/// Everything of a table that takes no search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableWaveSummary {
    /// Spectra of its columns.
    pub spectrum: Result<SpectrumSummary, String>,
    /// Its principal components.
    pub components: Result<ComponentSummary, String>,
    /// The density of its values.
    pub density: Result<DensitySummary, String>,
}

/// Amplitude spectra of a table's columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpectrumSummary {
    /// Number of positions.
    pub n: usize,
    /// Mean over the columns, by frequency.
    pub mean: Vec<f64>,
    /// The lower quartile.
    pub low: Vec<f64>,
    /// The upper quartile.
    pub high: Vec<f64>,
    /// The mean spectrum of the sinusoidal table S of the same size, multiplied by [`Self::control_scale`]: the control.
    pub control: Vec<f64>,
    /// ‖E‖/‖S‖, the root of the sum of squares of the table over that of the sinusoidal one.
    pub control_scale: f64,
    /// Columns × frequencies. Columns that hold something that is no number are left out.
    pub heat: Tile,
    /// How many columns are left out.
    pub left_out: usize,
}

/// Principal components of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComponentSummary {
    /// The share of the variance that each explains.
    pub shares: Vec<f64>,
    /// What they explain up to each.
    pub cumulative: Vec<f64>,
    /// Positions along the leading ones, a list each.
    pub along: Vec<Vec<f64>>,
    /// How many columns are left out.
    pub left_out: usize,
}

/// The density of a table's values, see [`Density`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "fields are those of Density")]
pub struct DensitySummary {
    pub edges: Vec<f64>,
    pub middles: Vec<f64>,
    pub bands: Vec<Range<usize>>,
    /// Band by band.
    pub by_band: Vec<Vec<f64>>,
    pub all: Vec<f64>,
    /// The normal density of the same mean and variance at the middles.
    pub normal: Vec<f64>,
    pub mean: f64,
    pub deviation: f64,
    pub skewness: f64,
    pub excess: f64,
    pub skewness_without_first: f64,
    pub excess_without_first: f64,
    pub beyond: usize,
    pub left_out: usize,
}

impl TableWaveSummary {
    pub(super) fn of(table: ArrayView2<'_, f32>) -> Self {
        let spectrum = Spectrum::of(table).map(|found| SpectrumSummary::of(&found, table));
        let components = Components::of(table, LEADING).map(|found| ComponentSummary::of(&found));
        let density = Density::of(table).map(DensitySummary::of);
        Self {
            spectrum: spectrum.map_err(|why| why.to_string()),
            components: components.map_err(|why| why.to_string()),
            density: density.map_err(|why| why.to_string()),
        }
    }
}

impl SpectrumSummary {
    fn of(found: &Spectrum, table: ArrayView2<'_, f32>) -> Self {
        let (rows, frequencies) = found.amplitudes.dim();
        let (control, control_scale) = control(table);
        Self {
            n: found.n,
            mean: found.mean(),
            low: found.quantile(0.25),
            high: found.quantile(0.75),
            control,
            control_scale,
            heat: Tile::of_matrix(
                found.amplitudes.view(),
                Window::whole(rows, frequencies),
                TILE_LIMIT,
            ),
            left_out: found.left_out,
        }
    }
}

/// The mean spectrum of the sinusoidal table of the same shape, scaled to the same sum of squares, and the scale.
fn control(table: ArrayView2<'_, f32>) -> (Vec<f64>, f64) {
    let (rows, width) = table.dim();
    let sinusoidal = Sinusoidal {
        rows,
        width,
        ..Sinusoidal::default()
    };
    let control = sinusoidal.table();
    let squares = |numbers: ArrayView2<'_, f32>| {
        let finite = numbers.iter().filter(|value| value.is_finite());
        finite.map(|&value| f64::from(value).powi(2)).sum::<f64>()
    };
    let scale = (squares(table) / squares(control.view())).sqrt();
    let mean = Spectrum::of(control.view()).map_or_else(|_| Vec::new(), |found| found.mean());
    let scaled = mean.into_iter().map(|amplitude| scale * amplitude);
    (scaled.collect(), scale)
}

impl ComponentSummary {
    fn of(found: &Components) -> Self {
        Self {
            cumulative: found.cumulative(),
            along: found
                .along
                .columns()
                .into_iter()
                .map(|c| c.to_vec())
                .collect(),
            shares: found.shares.clone(),
            left_out: found.left_out,
        }
    }

    /// How many components explain at least this share.
    #[must_use]
    pub fn count_for(&self, share: f64) -> usize {
        self.cumulative.partition_point(|sum| *sum < share) + 1
    }
}

impl DensitySummary {
    fn of(found: Density) -> Self {
        let middles = found.middles();
        Self {
            normal: middles.iter().map(|&value| found.normal(value)).collect(),
            middles,
            by_band: found
                .by_band
                .rows()
                .into_iter()
                .map(|r| r.to_vec())
                .collect(),
            edges: found.edges,
            bands: found.bands,
            all: found.all,
            mean: found.mean,
            deviation: found.deviation,
            skewness: found.skewness,
            excess: found.excess,
            skewness_without_first: found.skewness_without_first,
            excess_without_first: found.excess_without_first,
            beyond: found.beyond,
            left_out: found.left_out,
        }
    }
}
