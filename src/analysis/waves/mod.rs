//! Waves of tables and heads: the data of figures after Yamamoto & Matsuzaki (2023) and Halvdansson (2025).
//!
//! The functions here map values to values; the questions read their inputs. Decompositions are as much code as
//! everything else that is needed at first, so they are a lazy part.

mod clusters;
mod columns;
mod head;
mod retarget;
mod rotation;
mod sinusoids;
mod table;

pub use clusters::{GroupChance, HeadGroups};
pub use columns::{ColumnChoice, ColumnWave, MOST_COLUMNS};
pub use head::{
    HeadPart, HeadWaveDetail, LEADING_CORRELATIONS, LEADING_WAVES, LayerSpectrum, REACH, WavePair,
};
pub use retarget::{RETARGET_REACH, RETARGET_SHIFTS, RetargetedHead, Retargeting, TurnedKey};
pub use rotation::{ANGLE_BINS, Eigenvector, LEAST_COHERENCE, RotationDetail, STRONGEST};
pub use sinusoids::{FEW, SinusoidEvidence, SinusoidVerdict};
pub use table::{
    ComponentSummary, DensitySummary, LEADING_COMPONENTS, SnapshotWaves, SpectrumSummary,
    TableWaveSummary,
};

pub(super) use clusters::random_models;
pub(super) use sinusoids::SinusoidSearch;

use crate::{
    lazy::lazy,
    math::{GroupCount, NoWaves, Trace, WaveSpan, explained_by_groups},
};
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

/// Positions and mask of which traces are taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TracesOf {
    /// Number of positions.
    pub n: usize,
    /// Mask of the attention.
    pub cells: crate::math::AttentionMask,
}

lazy! { in waves;
    /// Loads this part, so that the time of a computation does not include it.
    pub(super) async fn load_waves() {}

    /// Spectra, components and densities of a table.
    pub(super) async fn table_waves(table: ArrayView2<'_, f32>) -> TableWaveSummary {
        TableWaveSummary::compute(table)
    }

    /// Spectra and densities of the table of a snapshot.
    pub(super) async fn snapshot_waves(table: ArrayView2<'_, f32>) -> SnapshotWaves {
        SnapshotWaves::compute(table)
    }

    /// Returns some columns of a table, with their spectra. Fails if there are no columns to choose from.
    pub(super) async fn table_columns(
        table: ArrayView2<'_, f32>,
        choice: &ColumnChoice,
    ) -> Result<Vec<ColumnWave>, NoWaves> {
        columns::decompose_columns(table, choice)
    }

    /// Starts a search for sinusoids in a table. Fails if the table has no values in which there could be any.
    pub(super) async fn start_sinusoid_search(
        table: ArrayView2<'_, f32>,
    ) -> Result<SinusoidSearch, NoWaves> {
        SinusoidSearch::new(table)
    }

    /// Runs a step of the search; returns whether any steps are left.
    pub(super) async fn step_sinusoid_search(search: &mut SinusoidSearch) -> bool {
        search.step()
    }

    /// Runs the remaining steps of the search and returns the result.
    pub(super) async fn finish_sinusoid_search(search: SinusoidSearch) -> SinusoidEvidence {
        search.finish()
    }

    /// Describes a head's queries and keys as waves.
    pub(super) async fn head_waves(head: HeadInput<'_>) -> Result<HeadWaveDetail, NoWaves> {
        HeadWaveDetail::compute(head)
    }

    /// Maxima of the spectra of a head's queries and of its keys, by frequency.
    pub(super) async fn spectral_maxima(head: HeadInput<'_>) -> Result<[Vec<f64>; 2], NoWaves> {
        LayerSpectrum::maxima(head)
    }

    /// Describes how a head's queries are rotated into its keys.
    pub(super) async fn head_rotation(head: HeadInput<'_>) -> Result<RotationDetail, NoWaves> {
        RotationDetail::compute(head)
    }

    /// Finds the space in which positions vary.
    pub(super) async fn wave_span(states: ArrayView2<'_, f32>) -> Result<WaveSpan, NoWaves> {
        WaveSpan::compute(states)
    }

    /// Turns the keys of a head so that it attends some tokens further.
    pub(super) async fn retarget_key(
        span: &WaveSpan,
        head: HeadInput<'_>,
        shift: i64,
    ) -> Result<TurnedKey, NoWaves> {
        TurnedKey::compute(span, head, shift)
    }

    /// Share of a head's scores that turned keys move.
    pub(super) async fn score_share(
        span: &WaveSpan,
        head: HeadInput<'_>,
        queries: ArrayView2<'_, f32>,
    ) -> f64 {
        span.share_of_scores(head.states, queries, head.key)
    }

    /// Groups heads with similar traces.
    pub(super) async fn group_heads(
        traces: &[Vec<Trace>],
        of: TracesOf,
        count: GroupCount,
        seed: u64,
    ) -> HeadGroups {
        HeadGroups::compute(traces, of, count, seed)
    }

    /// Share of the variance between heads that as many groups of them explain.
    pub(super) async fn explain_heads(traces: &[Trace], groups: usize, seed: u64) -> Option<f64> {
        explained_by_groups(traces, groups, seed)
    }
}
