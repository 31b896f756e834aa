//! Colour ranges of reports, each computed once.

use super::RunMatrix;
use crate::{
    figure::{ColorMap, ValueRange},
    training::TrainingReport,
};
use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError, Weak},
};

/// Greatest number of looks whose ranges are stored: matrix and table in two colour maps.
const MOST_LOOKS: usize = 4;

/// A picture of a report (`None` is its table), the colour map and the clipping.
pub(super) type RangeLook = (Option<RunMatrix>, ColorMap, f64);

/// Ranges of one look, by the address of the report. The weak reference keeps it from being used again.
type RangesByReport = HashMap<usize, (Weak<TrainingReport>, Option<ValueRange>)>;

/// Colour ranges of the pictures of reports. Reports never change, so that each range is computed once, at the first call
/// of [`run_matrices`](super::run_matrices) or [`run_tables`](super::run_tables) with the report. Clones share their
/// ranges; all are equal, since they change no figure.
#[derive(Clone, Default)]
pub struct ReportRanges(Arc<Mutex<Vec<(RangeLook, RangesByReport)>>>);

impl fmt::Debug for ReportRanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReportRanges").finish_non_exhaustive()
    }
}

impl PartialEq for ReportRanges {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl ReportRanges {
    /// The range of a report's picture, which `compute` returns at the first call.
    pub(super) fn range(
        &self,
        report: &Arc<TrainingReport>,
        look: RangeLook,
        compute: impl FnOnce(&TrainingReport) -> Option<ValueRange>,
    ) -> Option<ValueRange> {
        let address = Arc::as_ptr(report) as usize;
        // A panic within leaves nothing half done.
        let mut looks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = looks.iter().position(|(other, _)| *other == look);
        let mut entry = match at {
            Some(at) => looks.remove(at),
            None => (look, RangesByReport::new()),
        };
        let known = entry.1.get(&address).map(|(_, range)| *range);
        let range = known.unwrap_or_else(|| {
            entry.1.retain(|_, (report, _)| report.strong_count() > 0);
            let range = compute(report);
            entry.1.insert(address, (Arc::downgrade(report), range));
            range
        });
        // The latest look is the last.
        looks.push(entry);
        if looks.len() > MOST_LOOKS {
            looks.remove(0);
        }
        range
    }
}

#[cfg(test)]
mod tests {
    use super::ReportRanges;
    use crate::{
        figure::{ColorMap, ValueRange, training::RunMatrix},
        training::{KernelSource, TrainingReport},
    };
    use std::sync::Arc;

    fn report(step: u32) -> Arc<TrainingReport> {
        Arc::new(TrainingReport {
            step,
            tokens: 0,
            train_loss: None,
            held_out_loss: 0.0,
            held_out_accuracy: 0.0,
            positions: None,
            heads: Vec::new(),
            kernels: Vec::new(),
            kernel_source: KernelSource::Parameters,
            fit_penalties: Vec::new(),
            pairs: Vec::new(),
        })
    }

    fn range_to(step: u32) -> ValueRange {
        let ends = (0.0, f64::from(step));
        ValueRange { ends, values: ends }
    }

    #[test]
    fn each_range_is_computed_once_and_freed_with_its_report() {
        let ranges = ReportRanges::default();
        let (map, matrix) = (ColorMap::default(), Some(RunMatrix::Cosines));
        let mut computed = 0;
        for round in 0..3 {
            for step in 0..40 {
                // Each report is dropped at once, so that addresses are used again.
                let report = report(step);
                for look in [(matrix, map, 0.0), (None, map, 0.0), (matrix, map, 1.0)] {
                    for _ in 0..2 {
                        let range = ranges.range(&report, look, |report| {
                            computed += 1;
                            Some(range_to(report.step))
                        });
                        assert_eq!(range, Some(range_to(step)), "round {round}");
                    }
                }
            }
        }
        assert_eq!(computed, 3 * 40 * 3);
        let looks = ranges.0.lock().expect("no panic");
        assert!(looks.iter().all(|(_, known)| known.len() <= 1), "{looks:?}");
    }
}
