//! Spectra, components and densities of a table.

use crate::{
    analysis::TILE_LIMIT,
    encoding::Sinusoidal,
    math::{Components, Density, Spectrum, Tile, Window},
};
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Number of components that are drawn along position.
pub const LEADING_COMPONENTS: usize = 12;

/// Waves of a table that are found without a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableWaveSummary {
    /// Spectra of the columns.
    pub spectrum: Result<SpectrumSummary, String>,
    /// Principal components.
    pub components: Result<ComponentSummary, String>,
    /// Density of the values.
    pub density: Result<DensitySummary, String>,
}

/// Spectra and densities of the table of a snapshot. A run asks for them many times a second, so they are those of
/// [`TableWaveSummary`] without the components, which take longer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SnapshotWaves {
    /// Spectra of the columns.
    pub spectrum: Result<SpectrumSummary, String>,
    /// Density of the values.
    pub density: Result<DensitySummary, String>,
}

/// Amplitude spectra of a table's columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpectrumSummary {
    /// Number of positions.
    pub n: usize,
    /// Mean over the columns, by frequency.
    pub mean: Vec<f64>,
    /// Lower quartile over the columns.
    pub low: Vec<f64>,
    /// Upper quartile over the columns.
    pub high: Vec<f64>,
    /// Maximum over the columns.
    pub maximum: Vec<f64>,
    /// Control: the mean spectrum of the sinusoidal table S of the same size, multiplied by [`Self::control_scale`].
    pub control: Vec<f64>,
    /// ‖E‖/‖S‖, the root of the sum of squares of the table over that of the sinusoidal one.
    pub control_scale: f64,
    /// Columns × frequencies. Columns with values that are not finite are left out.
    pub heat: Tile,
    /// Number of columns left out.
    pub left_out: usize,
}

/// Principal components of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComponentSummary {
    /// Share of the variance that each component explains.
    pub shares: Vec<f64>,
    /// Share that the components up to each explain together.
    pub cumulative: Vec<f64>,
    /// Coordinates of the positions along each of the leading components.
    pub along: Vec<Vec<f64>>,
    /// Number of columns left out.
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
    /// Normal density with the same mean and variance, at the middles.
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
    /// Computes spectra, components and densities of a table.
    #[must_use]
    pub fn compute(table: ArrayView2<'_, f32>) -> Self {
        let SnapshotWaves { spectrum, density } = SnapshotWaves::compute(table);
        let components = Components::compute(table, LEADING_COMPONENTS)
            .map(|found| ComponentSummary::compute(&found));
        Self {
            spectrum,
            components: components.map_err(|why| why.to_string()),
            density,
        }
    }
}

impl SnapshotWaves {
    /// Computes spectra and densities of a table.
    #[must_use]
    pub fn compute(table: ArrayView2<'_, f32>) -> Self {
        let spectrum =
            Spectrum::compute(table).map(|found| SpectrumSummary::compute(&found, table));
        let density = Density::compute(table).map(DensitySummary::compute);
        Self {
            spectrum: spectrum.map_err(|why| why.to_string()),
            density: density.map_err(|why| why.to_string()),
        }
    }
}

impl SpectrumSummary {
    fn compute(spectrum: &Spectrum, table: ArrayView2<'_, f32>) -> Self {
        let (rows, frequencies) = spectrum.amplitudes.dim();
        let (control, control_scale) = control(table);
        Self {
            n: spectrum.n,
            mean: spectrum.mean(),
            low: spectrum.quantile(0.25),
            high: spectrum.quantile(0.75),
            maximum: spectrum.maximum(),
            control,
            control_scale,
            heat: Tile::from_matrix(
                spectrum.amplitudes.view(),
                Window::whole(rows, frequencies),
                TILE_LIMIT,
            ),
            left_out: spectrum.left_out,
        }
    }
}

/// Mean spectrum of the sinusoidal table of the same shape, scaled to the same sum of squares, and the scale.
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
    let mean = Spectrum::compute(control.view()).map_or_else(|_| Vec::new(), |found| found.mean());
    let scaled = mean.into_iter().map(|amplitude| scale * amplitude);
    (scaled.collect(), scale)
}

impl ComponentSummary {
    fn compute(components: &Components) -> Self {
        Self {
            cumulative: components.cumulative(),
            along: components
                .along
                .columns()
                .into_iter()
                .map(|c| c.to_vec())
                .collect(),
            shares: components.shares.clone(),
            left_out: components.left_out,
        }
    }

    /// Number of components that explain at least this share.
    #[must_use]
    pub fn count_for(&self, share: f64) -> usize {
        self.cumulative.partition_point(|sum| *sum < share) + 1
    }
}

impl DensitySummary {
    fn compute(density: Density) -> Self {
        let middles = density.middles();
        Self {
            normal: middles.iter().map(|&value| density.normal(value)).collect(),
            middles,
            by_band: density
                .by_band
                .rows()
                .into_iter()
                .map(|r| r.to_vec())
                .collect(),
            edges: density.edges,
            bands: density.bands,
            all: density.all,
            mean: density.mean,
            deviation: density.deviation,
            skewness: density.skewness,
            excess: density.excess,
            skewness_without_first: density.skewness_without_first,
            excess_without_first: density.excess_without_first,
            beyond: density.beyond,
            left_out: density.left_out,
        }
    }
}
