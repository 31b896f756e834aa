//! An entry of the shelf: a model at hand, open or not.

use crate::{
    analysis::{ModelId, ModelSummary, ModelVersion},
    encoding::{Random, Sinusoidal},
    math::OffsetR2,
    model::{ModelOptions, PRESETS},
    url_state::{Link, ModelRef, model_name},
};
use std::sync::Arc;

/// The status of a model whose files are being fetched.
pub(in crate::app) const FETCHING: &str = "fetching …";

/// A model on the shelf.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::app) struct ModelEntry {
    /// As what it is open, once it has been opened.
    pub(in crate::app) opened: Option<ModelVersion>,
    /// The number it is being opened under.
    pub(in crate::app) opening: Option<ModelId>,
    /// What a link calls it.
    pub(in crate::app) reference: ModelRef,
    /// What links called it before: a file has another hash when another table of it is chosen.
    pub(in crate::app) known_as: Vec<ModelRef>,
    /// What it is called, on the shelf and everywhere else.
    pub(in crate::app) title: String,
    /// The number at the end of that, where another model has the same name.
    pub(in crate::app) namesake: Option<usize>,
    /// What is known of it.
    pub(in crate::app) summary: Option<Arc<ModelSummary>>,
    /// What was chosen in it.
    pub(in crate::app) choice: ModelOptions,
    /// R² of its inner products.
    pub(in crate::app) r2: Option<OffsetR2>,
    /// Bytes read, and bytes there are.
    pub(in crate::app) read: Option<(u64, u64)>,
    /// Whether a link names it beside the model in front, and its place is kept until it is opened.
    pub(in crate::app) is_wanted: bool,
    /// How it is with a model that is not open: said in place of what is known of others.
    pub(in crate::app) status: String,
}

impl ModelEntry {
    /// A model at hand that is not open yet.
    pub(in crate::app) fn new(reference: ModelRef, title: &str) -> Self {
        Self {
            opened: None,
            opening: None,
            reference,
            known_as: Vec::new(),
            title: title.to_owned(),
            namesake: None,
            summary: None,
            choice: ModelOptions::default(),
            r2: None,
            read: None,
            is_wanted: false,
            status: String::new(),
        }
    }

    /// Its number, once it has been opened.
    pub(in crate::app) fn id(&self) -> Option<ModelId> {
        self.opened.map(|opened| opened.id)
    }

    /// Whether it is being fetched or opened for the first time, or the rest of it.
    pub(in crate::app) fn is_coming(&self) -> bool {
        (self.opened.is_none() || self.is_part())
            && (self.opening.is_some() || self.status == FETCHING)
    }

    /// Whether only its position table is here, at half precision, and the rest of it is still to come.
    pub(in crate::app) fn is_part(&self) -> bool {
        self.opened.is_some_and(ModelVersion::is_table_alone)
    }

    /// What links call it, and called it before.
    pub(in crate::app) fn names(&self) -> impl Iterator<Item = &ModelRef> {
        let before = self.known_as.iter();
        before
            .filter(|name| **name != self.reference)
            .chain([&self.reference])
    }

    /// Whether a link that says this means it.
    pub(in crate::app) fn is_called(&self, reference: &ModelRef) -> bool {
        self.names().any(|name| name == reference)
    }

    /// Whether it is the model that a link means, whatever was chosen in it since.
    pub(in crate::app) fn is_same_as(&self, reference: &ModelRef) -> bool {
        self.names().any(|name| name.is_same_model(reference))
    }

    /// Whether it is a file of somebody's, from here or elsewhere.
    pub(in crate::app) fn is_file(&self) -> bool {
        !self.reference.is_computed() && !matches!(self.reference, ModelRef::Preset(_))
    }
}

/// Presets and computed tables, and the file a link speaks of.
pub(in crate::app) fn initial(link: &Link) -> Vec<ModelEntry> {
    let mut items: Vec<ModelEntry> = PRESETS
        .iter()
        .map(|preset| ModelEntry::new(ModelRef::Preset(preset.id.to_owned()), preset.id))
        .collect();
    items.extend([
        ModelEntry::new(ModelRef::Sinusoidal(Sinusoidal::default()), "sinusoidal"),
        ModelEntry::new(ModelRef::Random(Random::default()), "random"),
    ]);
    if link.model.is_remote() {
        let name = model_name(link.model.title(), None);
        items.push(ModelEntry::new(link.model.clone(), &name));
    }
    for item in &mut items {
        // A computed table takes the numbers of the link.
        if std::mem::discriminant(&item.reference) == std::mem::discriminant(&link.model)
            && !matches!(link.model, ModelRef::Preset(_))
        {
            item.reference = link.model.clone();
        }
    }
    items
}
