//! A run, as the figures of the training view show it.

use super::ReportRanges;
use crate::{
    figure::Ink,
    training::{LengthScore, TrainingReport},
};
use std::sync::Arc;

/// A run, as the figures of the training view show it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunHistory {
    /// Name of the run, such as `chain · learned`.
    pub name: String,
    /// Index of its colour, from 0.
    pub color: usize,
    /// Loss of the best possible predictor, in nats, if it is known.
    pub best_loss: Option<f64>,
    /// Loss of a predictor that knows a sequence as a bag of symbols, in nats.
    pub bag_loss: f64,
    /// Loss of each step, from step 1.
    pub losses: Vec<f64>,
    /// Reports of the snapshots, by step.
    pub reports: Vec<Arc<TrainingReport>>,
    /// The state that figures of one step show: that of a snapshot, or the latest.
    pub current: Option<Arc<TrainingReport>>,
    /// Losses at several lengths, once they are computed.
    pub lengths: Vec<LengthScore>,
    /// Colour ranges of the reports that are known. Histories of the same reports share them.
    pub ranges: ReportRanges,
}

impl RunHistory {
    /// Returns the last step with a loss or a report. `None` before the first.
    #[must_use]
    pub fn last_step(&self) -> Option<u32> {
        let from_losses = u32::try_from(self.losses.len()).ok();
        let from_losses = from_losses.filter(|steps| *steps > 0);
        let from_reports = self.states().map(|report| report.step);
        from_losses.into_iter().chain(from_reports).max()
    }

    /// Returns the length of the sequences that the run learns from, in tokens. `None` before the first report.
    #[must_use]
    pub fn trained_length(&self) -> Option<usize> {
        let head = self.states().find_map(|report| report.heads.first())?;
        Some(head.attention.len().div_ceil(2))
    }

    /// Returns the reports of the snapshots, and the current one if it is of another step.
    pub(super) fn states(&self) -> impl Iterator<Item = &Arc<TrainingReport>> {
        let current = self.current.iter().filter(|current| {
            let mut reports = self.reports.iter();
            reports.all(|report| report.step != current.step)
        });
        self.reports.iter().chain(current)
    }

    /// Returns the colour of its lines.
    pub(super) fn ink(&self) -> Ink {
        Ink::Category(self.color)
    }
}
