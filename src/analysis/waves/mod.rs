//! Waves of tables and heads: what the figures of Yamamoto & Matsuzaki (2023) and Halvdansson (2025) are drawn from.
//!
//! Values in, values out; the questions read what these need. Decompositions weigh as much as everything else that is
//! asked at first, so they come late, by way of [`FindWaves`].

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

/// What a head's waves are found in.
#[derive(Debug, Clone, Copy)]
pub struct HeadInput<'a> {
    /// X, what enters the attention, [n, d].
    pub states: ArrayView2<'a, f32>,
    /// `W_Q` of the head, [d, `d_k`].
    pub query: ArrayView2<'a, f32>,
    /// `W_K` of the head, [d, `d_k`].
    pub key: ArrayView2<'a, f32>,
}

/// A long search that is taken step by step.
pub trait SinusoidSearch {
    /// Takes a step; whether there are any left.
    fn step(&mut self) -> bool;

    /// What was found.
    fn finish(self: Box<Self>) -> SinusoidEvidence;
}

/// Everything that takes decompositions and transforms of any length.
pub trait FindWaves {
    /// Spectra, components and densities of a table.
    fn table(&self, table: ArrayView2<'_, f32>) -> TableWaveSummary;

    /// Some columns of a table, and their spectra.
    ///
    /// # Errors
    /// When there are no columns to choose from.
    fn columns(
        &self,
        table: ArrayView2<'_, f32>,
        choice: &ColumnChoice,
    ) -> Result<Vec<ColumnWave>, NoWaves>;

    /// Begins to look for sinusoids in a table.
    ///
    /// # Errors
    /// When it has no numbers in which there could be any.
    fn sinusoids(&self, table: ArrayView2<'_, f32>) -> Result<Box<dyn SinusoidSearch>, NoWaves>;

    /// A head's queries and keys as waves.
    ///
    /// # Errors
    /// When they have none.
    fn head(&self, head: HeadInput<'_>) -> Result<HeadWaveDetail, NoWaves>;

    /// The maxima of the spectra of a head's queries and of its keys, by frequency.
    ///
    /// # Errors
    /// When they have none.
    fn maxima(&self, head: HeadInput<'_>) -> Result<[Vec<f64>; 2], NoWaves>;

    /// How a head's queries are turned into its keys.
    ///
    /// # Errors
    /// When there is no such turn.
    fn rotation(&self, head: HeadInput<'_>) -> Result<RotationDetail, NoWaves>;

    /// Groups of heads with like traces.
    fn groups(
        &self,
        traces: &[Vec<Trace>],
        of: TracesOf,
        count: GroupCount,
        seed: u64,
    ) -> HeadGroups;
}

/// What traces were taken of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TracesOf {
    /// Positions.
    pub n: usize,
    /// Which cells count.
    pub cells: crate::math::AttentionMask,
}

/// All of it, at hand.
#[derive(Debug, Clone, Copy)]
pub struct WavesHere;

impl FindWaves for WavesHere {
    fn table(&self, table: ArrayView2<'_, f32>) -> TableWaveSummary {
        TableWaveSummary::of(table)
    }

    fn columns(
        &self,
        table: ArrayView2<'_, f32>,
        choice: &ColumnChoice,
    ) -> Result<Vec<ColumnWave>, NoWaves> {
        columns::of(table, choice)
    }

    fn sinusoids(&self, table: ArrayView2<'_, f32>) -> Result<Box<dyn SinusoidSearch>, NoWaves> {
        Ok(Box::new(sinusoids::Search::new(table)?))
    }

    fn head(&self, head: HeadInput<'_>) -> Result<HeadWaveDetail, NoWaves> {
        HeadWaveDetail::of(head)
    }

    fn maxima(&self, head: HeadInput<'_>) -> Result<[Vec<f64>; 2], NoWaves> {
        head::maxima(head)
    }

    fn rotation(&self, head: HeadInput<'_>) -> Result<RotationDetail, NoWaves> {
        RotationDetail::of(head)
    }

    fn groups(
        &self,
        traces: &[Vec<Trace>],
        of: TracesOf,
        count: GroupCount,
        seed: u64,
    ) -> HeadGroups {
        HeadGroups::of(traces, of, count, seed)
    }
}
