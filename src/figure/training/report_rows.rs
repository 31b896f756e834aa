//! Tables with a row for each part of each report: a head, a kernel, a pair.

use super::RunHistory;
use crate::{
    figure::{Column, Table},
    training::TrainingReport,
};

/// A part of a report, with its report and its run.
pub(super) type ReportRow<'a, T> = (&'a RunHistory, &'a TrainingReport, &'a T);

/// The rows of a table: the parts of every report of every run, by run and step.
#[derive(Debug)]
pub(super) struct ReportRows<'a, T> {
    rows: Vec<ReportRow<'a, T>>,
}

impl<'a, T> ReportRows<'a, T> {
    /// The rows of all parts that `parts` finds in a report.
    pub(super) fn new(runs: &'a [RunHistory], parts: fn(&'a TrainingReport) -> &'a Vec<T>) -> Self {
        let reports =
            (runs.iter()).flat_map(|run| run.states().map(move |report| (run, &**report)));
        let rows = reports.flat_map(|(run, report)| {
            let parts = parts(report).iter();
            parts.map(move |part| (run, report, part))
        });
        Self {
            rows: rows.collect(),
        }
    }

    /// The rows.
    pub(super) fn iter(&self) -> impl Iterator<Item = &ReportRow<'a, T>> {
        self.rows.iter()
    }

    /// The columns `model,step,layer,head`, with layers and heads from 1. `place` has layer and head of a part.
    pub(super) fn table(&self, place: fn(&T) -> (usize, usize)) -> Table {
        let names = self.iter().map(|(run, ..)| run.name.clone());
        let steps = self.iter().map(|(_, report, _)| i64::from(report.step));
        let layers = self.iter().map(|(.., part)| place(part).0 as i64 + 1);
        let heads = self.iter().map(|(.., part)| place(part).1 as i64 + 1);
        Table::new()
            .with("model", names.collect())
            .with("step", steps.collect())
            .with("layer", layers.collect())
            .with("head", heads.collect())
    }

    /// A column of indices, from 1.
    pub(super) fn ordinals(&self, index: fn(&T) -> usize) -> Column {
        let ordinals = self.iter().map(|(.., part)| index(part) as i64 + 1);
        ordinals.collect()
    }

    /// A column of real numbers.
    pub(super) fn reals(&self, value: fn(&T) -> f64) -> Column {
        self.iter().map(|(.., part)| value(part)).collect()
    }
}
