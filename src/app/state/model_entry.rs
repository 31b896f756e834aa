//! An entry of the model list.

use crate::{
    analysis::{ModelId, ModelSummary, ModelVersion},
    encoding::{Random, Sinusoidal},
    math::OffsetR2,
    model::{ModelOptions, PRESETS},
    url_state::{Link, ModelRef, model_name},
};
use std::sync::Arc;

/// Status of a model whose files are being fetched.
pub(in crate::app) const FETCH_STATUS: &str = "fetching …";

/// A model of the model list, open or not.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::app) struct ModelEntry {
    /// The open version, once it is open.
    pub(in crate::app) version: Option<ModelVersion>,
    /// Number of the model while it is being opened.
    pub(in crate::app) opening_id: Option<ModelId>,
    /// How links refer to the model.
    pub(in crate::app) reference: ModelRef,
    /// Earlier references. The hash of a file changes when another table of it is chosen.
    pub(in crate::app) known_as: Vec<ModelRef>,
    /// Display name.
    pub(in crate::app) title: String,
    /// The number after the title, if another model has the same name.
    pub(in crate::app) namesake: Option<usize>,
    /// The summary, once the model is open.
    pub(in crate::app) summary: Option<Arc<ModelSummary>>,
    /// Options of the model.
    pub(in crate::app) choice: ModelOptions,
    /// R² of its inner products.
    pub(in crate::app) r2: Option<OffsetR2>,
    /// Bytes read, and size of the files.
    pub(in crate::app) bytes_read: Option<(u64, u64)>,
    /// Whether a link lists it beside the current model, and the entry is reserved until it is opened.
    pub(in crate::app) is_reserved: bool,
    /// Status text of an entry that is not open (loading, failed, waiting for consent).
    pub(in crate::app) status: String,
}

impl ModelEntry {
    /// An entry that is not open yet.
    pub(in crate::app) fn new(reference: ModelRef, title: &str) -> Self {
        Self {
            version: None,
            opening_id: None,
            reference,
            known_as: Vec::new(),
            title: title.to_owned(),
            namesake: None,
            summary: None,
            choice: ModelOptions::default(),
            r2: None,
            bytes_read: None,
            is_reserved: false,
            status: String::new(),
        }
    }

    /// Returns the number of the model, once it is open.
    pub(in crate::app) fn id(&self) -> Option<ModelId> {
        self.version.map(|version| version.id)
    }

    /// Whether the model, or the rest of a preset, is being fetched or opened.
    pub(in crate::app) fn is_coming(&self) -> bool {
        (self.version.is_none() || self.is_part())
            && (self.opening_id.is_some() || self.status == FETCH_STATUS)
    }

    /// Whether only the position table is open, at half precision.
    pub(in crate::app) fn is_part(&self) -> bool {
        self.version.is_some_and(ModelVersion::is_table_alone)
    }

    /// Returns the current and earlier references of links.
    pub(in crate::app) fn names(&self) -> impl Iterator<Item = &ModelRef> {
        let before = self.known_as.iter();
        before
            .filter(|name| **name != self.reference)
            .chain([&self.reference])
    }

    /// Whether a link with this reference means the model.
    pub(in crate::app) fn is_called(&self, reference: &ModelRef) -> bool {
        self.names().any(|name| name == reference)
    }

    /// Whether a link with this reference means the model, ignoring its options.
    pub(in crate::app) fn is_same_as(&self, reference: &ModelRef) -> bool {
        self.names().any(|name| name.is_same_model(reference))
    }

    /// Whether the model comes from a file, from another host or from the samples, so that it may be a snapshot of a run.
    pub(in crate::app) fn is_file(&self) -> bool {
        let is_run = matches!(self.reference, ModelRef::Run(_));
        let is_own = self.reference.is_computed() || self.reference.is_shipped() || is_run;
        self.reference.is_sample() || !is_own
    }

    /// Whether the list has the entry from the start and keeps it when the model is closed.
    pub(in crate::app) fn stays_listed(&self) -> bool {
        matches!(self.reference, ModelRef::Preset(_)) && !self.reference.is_sample()
    }
}

/// Returns the entries at start: the default preset, computed tables, and the model on the web of the link.
pub(in crate::app) fn initial(link: &Link) -> Vec<ModelEntry> {
    let mut items = vec![
        ModelEntry::new(ModelRef::default(), PRESETS[0].id),
        ModelEntry::new(ModelRef::Sinusoidal(Sinusoidal::default()), "sinusoidal"),
        ModelEntry::new(ModelRef::Random(Random::default()), "random"),
    ];
    if link.model.is_read_in_parts() {
        let name = model_name(link.model.title(), None);
        items.push(ModelEntry::new(link.model.clone(), &name));
    }
    for item in &mut items {
        // A computed table takes the parameters of the link.
        if std::mem::discriminant(&item.reference) == std::mem::discriminant(&link.model)
            && !matches!(link.model, ModelRef::Preset(_))
        {
            item.reference = link.model.clone();
        }
    }
    items
}
