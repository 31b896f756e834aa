//! Waves of tables and heads: the data of figures after Yamamoto & Matsuzaki (2023) and Halvdansson (2025).
//!
//! The functions here map values to values; the questions read their inputs. Decompositions are as much code as
//! everything else that is needed at first, so they are a lazy part that is called through [`FindWaves`].

mod clusters;
mod columns;
mod head;
mod rotation;
mod sinusoids;
mod table;

pub use clusters::HeadGroups;
pub use columns::{ColumnChoice, ColumnWave, MOST_COLUMNS};
pub use head::{
    HeadPart, HeadWaveDetail, LEADING_CORRELATIONS, LEADING_WAVES, LayerSpectrum, REACH, WavePair,
};
pub use rotation::{ANGLE_BINS, Eigenvector, LEAST_COHERENCE, RotationDetail, STRONGEST};
pub use sinusoids::{FEW, SinusoidEvidence, SinusoidVerdict};
pub use table::{ComponentSummary, DensitySummary, LEADING, SpectrumSummary, TableWaveSummary};

use crate::math::{GroupCount, NoWaves, Trace};
use ndarray::ArrayView2;

/// Matrices in which the waves of a head are found.
#[derive(Debug, Clone, Copy)]
pub struct HeadInput<'a> {
    /// X, the input of the attention, [n, d].
    pub states: ArrayView2<'a, f32>,
    /// `W_Q` of the head, [d, `d_k`].
    pub query: ArrayView2<'a, f32>,
    /// `W_K` of the head, [d, `d_k`].
    pub key: ArrayView2<'a, f32>,
}

/// A long search that runs in steps.
pub trait SinusoidSearch {
    /// Runs a step; returns whether any steps are left.
    fn step(&mut self) -> bool;

    /// Runs the remaining steps and returns the result.
    fn finish(self: Box<Self>) -> SinusoidEvidence;
}

/// Computations that need decompositions, or transforms of any length.
pub trait FindWaves {
    /// Spectra, components and densities of a table.
    fn table(&self, table: ArrayView2<'_, f32>) -> TableWaveSummary;

    /// Returns some columns of a table, with their spectra.
    ///
    /// # Errors
    /// If there are no columns to choose from.
    fn columns(
        &self,
        table: ArrayView2<'_, f32>,
        choice: &ColumnChoice,
    ) -> Result<Vec<ColumnWave>, NoWaves>;

    /// Starts a search for sinusoids in a table.
    ///
    /// # Errors
    /// If the table has no values in which there could be sinusoids.
    fn sinusoids(&self, table: ArrayView2<'_, f32>) -> Result<Box<dyn SinusoidSearch>, NoWaves>;

    /// Describes a head's queries and keys as waves.
    ///
    /// # Errors
    /// If queries and keys have no waves.
    fn head(&self, head: HeadInput<'_>) -> Result<HeadWaveDetail, NoWaves>;

    /// Maxima of the spectra of a head's queries and of its keys, by frequency.
    ///
    /// # Errors
    /// If queries and keys have no waves.
    fn maxima(&self, head: HeadInput<'_>) -> Result<[Vec<f64>; 2], NoWaves>;

    /// Describes how a head's queries are rotated into its keys.
    ///
    /// # Errors
    /// If there is no such rotation.
    fn rotation(&self, head: HeadInput<'_>) -> Result<RotationDetail, NoWaves>;

    /// Groups heads with similar traces.
    fn groups(
        &self,
        traces: &[Vec<Trace>],
        of: TracesOf,
        count: GroupCount,
        seed: u64,
    ) -> HeadGroups;
}

/// Positions and mask of which traces are taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TracesOf {
    /// Number of positions.
    pub n: usize,
    /// Mask of the attention.
    pub cells: crate::math::AttentionMask,
}

/// The implementation of [`FindWaves`].
#[derive(Debug, Clone, Copy)]
pub struct WavesHere;

impl FindWaves for WavesHere {
    fn table(&self, table: ArrayView2<'_, f32>) -> TableWaveSummary {
        TableWaveSummary::compute(table)
    }

    fn columns(
        &self,
        table: ArrayView2<'_, f32>,
        choice: &ColumnChoice,
    ) -> Result<Vec<ColumnWave>, NoWaves> {
        columns::of(table, choice)
    }

    fn sinusoids(&self, table: ArrayView2<'_, f32>) -> Result<Box<dyn SinusoidSearch>, NoWaves> {
        Ok(Box::new(sinusoids::SinusoidTestSearch::new(table)?))
    }

    fn head(&self, head: HeadInput<'_>) -> Result<HeadWaveDetail, NoWaves> {
        HeadWaveDetail::compute(head)
    }

    fn maxima(&self, head: HeadInput<'_>) -> Result<[Vec<f64>; 2], NoWaves> {
        head::maxima(head)
    }

    fn rotation(&self, head: HeadInput<'_>) -> Result<RotationDetail, NoWaves> {
        RotationDetail::compute(head)
    }

    fn groups(
        &self,
        traces: &[Vec<Trace>],
        of: TracesOf,
        count: GroupCount,
        seed: u64,
    ) -> HeadGroups {
        HeadGroups::compute(traces, of, count, seed)
    }
}
