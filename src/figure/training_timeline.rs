//! A training run as a timeline: its curves, and what is kept of each snapshot.
//!
//! A run may have hundreds of snapshots. Of each the page keeps a few numbers, never a picture: how Toeplitz and
//! how smooth it is, and which values its pictures span, so that colours mean the same at every step. The picture
//! of the snapshot that is looked at is made when it is looked at.

use super::{
    Axis, ColorMap, Column, Dots, Ink, Scatter, ScatterPoint, Table, ValueRange, number,
    toeplitz_scores::with_missing,
};
use crate::{
    analysis::{Brief, ModelVersion, leading_scope},
    math::OffsetR2,
};
use std::collections::HashMap;

/// What the curves of a run show of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SnapshotScores {
    /// Toeplitz R² of its inner products.
    pub r2: OffsetR2,
    /// What a table of random numbers of that shape scores.
    pub random: Option<OffsetR2>,
    /// See [`Brief::mean_autocorrelation`].
    pub mean_autocorrelation: Option<f64>,
}

impl SnapshotScores {
    /// The scores of a model in short, by inner products.
    #[must_use]
    pub fn of(brief: &Brief) -> Self {
        Self {
            r2: brief.r2(),
            random: leading_scope(&brief.scopes).and_then(|scope| scope.random),
            mean_autocorrelation: brief.mean_autocorrelation(),
        }
    }
}

/// Which picture of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunPicture {
    /// The cosines of its positions.
    Cosines,
    /// Its position table.
    Table,
}

/// How pictures are coloured: their colours, and how many percent of the values lie beyond either end.
pub type RunLook = (ColorMap, f64);

/// What is kept of every snapshot of a run.
#[derive(Debug, Clone, Default)]
pub struct RunRecord {
    scores: HashMap<ModelVersion, SnapshotScores>,
    /// The look that the ranges are of; what the colours span depends on it.
    look: Option<RunLook>,
    ranges: HashMap<(RunPicture, ModelVersion), ValueRange>,
}

impl RunRecord {
    /// The scores of a snapshot, once they are known.
    #[must_use]
    pub fn scores(&self, of: ModelVersion) -> Option<SnapshotScores> {
        self.scores.get(&of).copied()
    }

    /// Keeps the scores of a snapshot.
    pub fn keep_scores(&mut self, of: ModelVersion, scores: SnapshotScores) {
        self.scores.insert(of, scores);
    }

    /// What the colours of a picture would span by itself, once that is known.
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

    /// Keeps what the colours of a picture span. The ranges of another look are forgotten.
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

    /// What the colours of all these snapshots span together, as far as that is known.
    #[must_use]
    pub fn shared_range(
        &self,
        look: RunLook,
        picture: RunPicture,
        snapshots: impl IntoIterator<Item = ModelVersion>,
    ) -> Option<ValueRange> {
        let snapshots = snapshots.into_iter();
        ValueRange::of_all(snapshots.filter_map(|of| self.range(look, picture, of)))
    }

    /// Forgets snapshots that are closed, or looked at otherwise by now.
    pub fn keep_only(&mut self, is_open: impl Fn(ModelVersion) -> bool) {
        self.scores.retain(|of, _| is_open(*of));
        self.ranges.retain(|(_, of), _| is_open(*of));
    }

    /// How many snapshots it knows anything of.
    #[must_use]
    pub fn len(&self) -> usize {
        let with_range = self.ranges.keys().map(|(_, of)| of);
        let all: std::collections::HashSet<_> = self.scores.keys().chain(with_range).collect();
        all.len()
    }

    /// Whether it knows nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A snapshot on the curves of its run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunPoint {
    /// Its step.
    pub step: u64,
    /// What the shelf calls it.
    pub name: String,
    /// Its scores.
    pub scores: SnapshotScores,
}

/// R² and mean |autocorrelation| over the steps of a run:
/// `step,model,r2,mean_autocorrelation,r2_off_diagonal,r2_random,r2_off_diagonal_random`. The snapshots come in
/// order of their steps; one of them may be looked at.
#[must_use]
pub fn training(snapshots: &[RunPoint], looked_at: Option<u64>) -> Option<Scatter> {
    let all = |point: &RunPoint| point.scores.r2.all;
    let off_diagonal = |point: &RunPoint| point.scores.r2.off_diagonal;
    // A table of one row has no autocorrelation, and relative positions have no table.
    let autocorrelation = |point: &RunPoint| point.scores.mean_autocorrelation.unwrap_or(f64::NAN);
    let random =
        |of: fn(OffsetR2) -> f64| move |point: &RunPoint| point.scores.random.map_or(f64::NAN, of);
    let (random_all, random_off_diagonal) = (random(|r2| r2.all), random(|r2| r2.off_diagonal));
    let column = |of: &dyn Fn(&RunPoint) -> f64| Column::Number(snapshots.iter().map(of).collect());
    let steps = snapshots
        .iter()
        .map(|point| i64::try_from(point.step).unwrap_or(i64::MAX));
    let names = snapshots.iter().map(|point| point.name.clone());
    let table = Table::new()
        .with("step", Column::Whole(steps.collect()))
        .with("model", Column::Name(names.collect()))
        .with("r2", column(&all))
        .with("mean_autocorrelation", column(&autocorrelation))
        .with("r2_off_diagonal", column(&off_diagonal))
        .with("r2_random", column(&random_all))
        .with("r2_off_diagonal_random", column(&random_off_diagonal));
    let table = with_missing(table, snapshots.iter().map(|point| point.scores.r2.missing));
    let dots = |name: &str, of: &dyn Fn(&RunPoint) -> f64| {
        let points = snapshots.iter();
        let points = points.map(|point| ScatterPoint::new((point.step as f64, of(point))));
        Dots::new(name, points).joined()
    };
    let (first, last) = (snapshots.first()?, snapshots.last()?);
    Some(
        Scatter::over(Axis::Step, None)
            .dots([
                dots("k ≠ 0", &off_diagonal).ink(Ink::Category(0)),
                dots("all cells", &all).ink(Ink::Category(2)),
                dots("chance", &random_all).ink(Ink::Muted).dashed(),
                dots("|autocorrelation|", &autocorrelation)
                    .ink(Ink::Category(1))
                    .dashed(),
            ])
            .marked(looked_at.map(|step| step as f64))
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

/// R² without k = 0, or that there is none.
fn in_words(r2: OffsetR2) -> String {
    match r2.missing {
        None => number(r2.off_diagonal),
        Some(why) => format!("none ({})", why.name()),
    }
}
