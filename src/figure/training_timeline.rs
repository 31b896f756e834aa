//! A training run as a timeline: its curves, and the record of its snapshots.
//!
//! A run may have hundreds of snapshots. For each the page keeps a few numbers and no picture: its R², its smoothness,
//! and the ranges of its pictures, so that colours have the same meaning at every step. The picture of the selected
//! snapshot is computed on selection.

use super::{
    Axis, ColorMap, Dots, Ink, Plot, ScatterPoint, Table, ValueRange, number,
    toeplitz_scores::with_missing,
};
use crate::{
    analysis::{Brief, ModelVersion, leading_scope},
    math::OffsetR2,
};
use std::collections::HashMap;

/// Scores of a snapshot in the curves of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SnapshotScores {
    /// Toeplitz R² of its inner products.
    pub r2: OffsetR2,
    /// Scores of a random table of the same shape.
    pub random: Option<OffsetR2>,
    /// See [`Brief::mean_autocorrelation`].
    pub mean_autocorrelation: Option<f64>,
}

impl SnapshotScores {
    /// The scores from a model's summary, by inner products.
    #[must_use]
    pub fn new(brief: &Brief) -> Self {
        Self {
            r2: brief.r2(),
            random: leading_scope(&brief.scopes).and_then(|scope| scope.random),
            mean_autocorrelation: brief.mean_autocorrelation(),
        }
    }
}

/// A picture of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunPicture {
    /// The cosines of its positions.
    Cosines,
    /// Its position table.
    Table,
}

/// Colours of pictures: the colour map, and the percentage of values beyond either end.
pub type RunLook = (ColorMap, f64);

/// Numbers kept for every snapshot of a run.
#[derive(Debug, Clone, Default)]
pub struct RunRecord {
    scores: HashMap<ModelVersion, SnapshotScores>,
    /// The colours that `ranges` belong to.
    look: Option<RunLook>,
    ranges: HashMap<(RunPicture, ModelVersion), ValueRange>,
}

impl RunRecord {
    /// Returns the scores of a snapshot, once known.
    #[must_use]
    pub fn scores(&self, of: ModelVersion) -> Option<SnapshotScores> {
        self.scores.get(&of).copied()
    }

    /// Stores the scores of a snapshot.
    pub fn keep_scores(&mut self, of: ModelVersion, scores: SnapshotScores) {
        self.scores.insert(of, scores);
    }

    /// Returns the colour range of a single picture, once known.
    #[must_use]
    pub fn range(
        &self,
        look: RunLook,
        picture: RunPicture,
        of: ModelVersion,
    ) -> Option<ValueRange> {
        if self.look != Some(look) {
            return None;
        }
        self.ranges.get(&(picture, of)).copied()
    }

    /// Stores the colour range of a picture. Ranges of another look are dropped.
    pub fn keep_range(
        &mut self,
        look: RunLook,
        picture: RunPicture,
        of: ModelVersion,
        range: ValueRange,
    ) {
        if self.look != Some(look) {
            self.ranges.clear();
            self.look = Some(look);
        }
        self.ranges.insert((picture, of), range);
    }

    /// Returns the common colour range of these snapshots, as far as known.
    #[must_use]
    pub fn shared_range(
        &self,
        look: RunLook,
        picture: RunPicture,
        snapshots: impl IntoIterator<Item = ModelVersion>,
    ) -> Option<ValueRange> {
        let snapshots = snapshots.into_iter();
        ValueRange::union(snapshots.filter_map(|of| self.range(look, picture, of)))
    }

    /// Drops snapshots that are no longer open as this model version.
    pub fn keep_only(&mut self, is_open: impl Fn(ModelVersion) -> bool) {
        self.scores.retain(|of, _| is_open(*of));
        self.ranges.retain(|(_, of), _| is_open(*of));
    }

    /// Number of snapshots with any data.
    #[must_use]
    pub fn len(&self) -> usize {
        let with_range = self.ranges.keys().map(|(_, of)| of);
        let all: std::collections::HashSet<_> = self.scores.keys().chain(with_range).collect();
        all.len()
    }

    /// Returns whether there is no data.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A snapshot on the curves of its run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunPoint {
    /// Its training step.
    pub step: u64,
    /// Its name in the model list.
    pub name: String,
    /// Its scores.
    pub scores: SnapshotScores,
}

/// Plots R² and mean |autocorrelation| over the steps of a run:
/// `step,model,r2,mean_autocorrelation,r2_off_diagonal,r2_random,r2_off_diagonal_random`. The snapshots are in order of
/// their steps; `looked_at` is the step of the selected one.
#[must_use]
pub fn training(snapshots: &[RunPoint], looked_at: Option<u64>) -> Option<Plot> {
    let all = |point: &RunPoint| point.scores.r2.all;
    let off_diagonal = |point: &RunPoint| point.scores.r2.off_diagonal;
    // A table of one row has no autocorrelation, and relative positions have no table.
    let autocorrelation = |point: &RunPoint| point.scores.mean_autocorrelation.unwrap_or(f64::NAN);
    let random =
        |of: fn(OffsetR2) -> f64| move |point: &RunPoint| point.scores.random.map_or(f64::NAN, of);
    let (random_all, random_off_diagonal) = (random(|r2| r2.all), random(|r2| r2.off_diagonal));
    let column = |of: &dyn Fn(&RunPoint) -> f64| snapshots.iter().map(of).collect();
    let steps = snapshots
        .iter()
        .map(|point| i64::try_from(point.step).unwrap_or(i64::MAX));
    let names = snapshots.iter().map(|point| point.name.clone());
    let table = Table::new()
        .with("step", steps.collect())
        .with("model", names.collect())
        .with("r2", column(&all))
        .with("mean_autocorrelation", column(&autocorrelation))
        .with("r2_off_diagonal", column(&off_diagonal))
        .with("r2_random", column(&random_all))
        .with("r2_off_diagonal_random", column(&random_off_diagonal));
    let table = with_missing(
        table,
        snapshots.iter().map(|point| point.scores.r2.missing_reason),
    );
    let dots = |name: &str, of: &dyn Fn(&RunPoint) -> f64| {
        let points = snapshots.iter();
        let points = points.map(|point| ScatterPoint::new((point.step as f64, of(point))));
        Dots::new(name, points).with_line()
    };
    let (first, last) = (snapshots.first()?, snapshots.last()?);
    Some(
        Plot::scatter(Axis::Step, None)
            .dots([
                dots("k ≠ 0", &off_diagonal).ink(Ink::Category(0)),
                dots("all k", &all).ink(Ink::Category(2)),
                dots("chance", &random_all)
                    .ink(Ink::Muted)
                    .with_dashed_line(),
                dots("|autocorrelation|", &autocorrelation)
                    .ink(Ink::Category(1))
                    .with_dashed_line(),
            ])
            .mark_place(looked_at.map(|step| step as f64))
            .aspect(0.5)
            .with_table(table)
            .with_summary(format!(
                "{} snapshots; R² without k = 0 goes from {} to {}.",
                snapshots.len(),
                in_words(first.scores.r2),
                in_words(last.scores.r2)
            )),
    )
}

/// Formats R² without k = 0, or the reason if there is none.
fn in_words(r2: OffsetR2) -> String {
    match r2.missing_reason {
        None => number(r2.off_diagonal),
        Some(why) => format!("none ({})", why.name()),
    }
}
