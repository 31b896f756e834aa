//! Snapshots of a model during its training, in order.
//!
//! A snapshot is an open model. It was opened from a checkpoint, whose name says the step, or comes from training that
//! goes on, which says the step itself. Either way its weights are read like those of any file, which may be in memory.

use super::snapshots::step_of;

/// Maximum number of live snapshots.
pub const MOST_LIVE: usize = 48;

/// Origin of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotSource {
    /// A checkpoint.
    File,
    /// Training that goes on.
    Live,
}

/// A model at a step of its training.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot<M> {
    /// The training step, or the number from 1 in a manual order.
    pub step: u64,
    /// The open model.
    pub model: M,
    /// Origin of the model.
    pub source: SnapshotSource,
}

/// A step in a link: the step, and the index from 0 among snapshots with the same step.
pub type PlaceOfStep = (u64, usize);

/// Snapshots in order; `M` identifies a model.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingRun<M>(Vec<Snapshot<M>>);

impl<M> Default for TrainingRun<M> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<M> TrainingRun<M> {
    /// The checkpoints whose names contain a step, by step. Equal steps keep the order of the models.
    pub fn from_names(models: impl IntoIterator<Item = M>, name: impl Fn(&M) -> &str) -> Self {
        let snapshot = |model: M| {
            Some(Snapshot {
                step: step_of(name(&model))?,
                model,
                source: SnapshotSource::File,
            })
        };
        let mut snapshots: Vec<_> = models.into_iter().filter_map(snapshot).collect();
        snapshots.sort_by_key(|snapshot| snapshot.step);
        Self(snapshots)
    }

    /// Checkpoints in a manual order, numbered from 1. Models that are not in the order come last, in their own order.
    pub fn in_manual_order<K: PartialEq>(
        models: impl IntoIterator<Item = M>,
        order: &[K],
        key: impl Fn(&M) -> K,
    ) -> Self {
        let place = |model: &M| {
            let key = key(model);
            order.iter().position(|other| *other == key)
        };
        let mut models: Vec<M> = models.into_iter().collect();
        models.sort_by_cached_key(|model| place(model).unwrap_or(usize::MAX));
        let snapshot = |(step, model)| Snapshot {
            step,
            model,
            source: SnapshotSource::File,
        };
        Self((1..).zip(models).map(snapshot).collect())
    }

    /// Inserts a snapshot of training that goes on, or of a record, by its step. If the run has more than `most` live
    /// snapshots then, or more than [`MOST_LIVE`], removes the one whose neighbours are closest, so that steps stay about
    /// evenly spaced. The first and the last stay. Returns the removed model, which can be closed.
    ///
    /// # Errors
    /// If there is a snapshot of this step; returns the model.
    pub fn insert(&mut self, step: u64, model: M, most: usize) -> Result<Option<M>, M> {
        let Err(place) = self.0.binary_search_by_key(&step, |snapshot| snapshot.step) else {
            return Err(model);
        };
        let snapshot = Snapshot {
            step,
            model,
            source: SnapshotSource::Live,
        };
        self.0.insert(place, snapshot);
        let is_live = |snapshot: &&Snapshot<M>| snapshot.source == SnapshotSource::Live;
        if self.0.iter().filter(is_live).count() <= most.min(MOST_LIVE) {
            return Ok(None);
        }
        let inner = (1..self.0.len() - 1).filter(|&at| is_live(&&self.0[at]));
        let crowded = inner.min_by_key(|at| self.0[at + 1].step - self.0[at - 1].step);
        Ok(crowded.map(|at| self.0.remove(at).model))
    }

    /// Number of snapshots.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no snapshots.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The snapshot at an index from 0.
    #[must_use]
    pub fn get(&self, place: usize) -> Option<&Snapshot<M>> {
        self.0.get(place)
    }

    /// The snapshots in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Snapshot<M>> {
        self.0.iter()
    }

    /// Index of the snapshot with a step. If no snapshot has this step, the last one before it, or else the first.
    #[must_use]
    pub fn place_of_step(&self, (step, which): PlaceOfStep) -> usize {
        let first = self.0.partition_point(|other| other.step < step);
        let same = self.0.partition_point(|other| other.step <= step) - first;
        match same {
            0 => first.saturating_sub(1),
            _ => first + which.min(same - 1),
        }
    }

    /// Step of the snapshot at `place`, see [`Self::place_of_step`]. `None` for the first snapshot, which is the default.
    #[must_use]
    pub fn step_at(&self, place: usize) -> Option<PlaceOfStep> {
        let step = self.0.get(place).filter(|_| place > 0)?.step;
        let first = self.0.partition_point(|other| other.step < step);
        Some((step, place - first))
    }

    /// Keys of the models in order, after the snapshot at `place` is moved by `by` places. For
    /// [`Self::in_manual_order`].
    pub fn order_after_move<K>(&self, place: usize, by: isize, key: impl Fn(&M) -> K) -> Vec<K> {
        let mut order: Vec<K> = self.0.iter().map(|snapshot| key(&snapshot.model)).collect();
        if place < order.len() {
            let last = order.len() - 1;
            order.swap(place, place.saturating_add_signed(by).min(last));
        }
        order
    }
}
