//! Optional corrections to a model's positions and scores, notes about a model, and the user's options.

use crate::short_text::short_message;
use serde::{Deserialize, Serialize};

/// An optional step in the computation of positions or scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Correction {
    /// Rows that are not positions are left out.
    LeadingRows,
    /// P uses the projected positions instead of those of the table.
    Projection,
    /// As-computed scores apply the `LayerNorm`s before the attention.
    LayerNorm,
    /// As-computed scores add the row that every position receives, such as token type 0.
    AddedRow,
    /// As-computed scores add the biases of queries, keys and the projection.
    Biases,
    /// The mean word is taken over all words; for remote files the default is a sample.
    ExactWords,
    /// Rotary angles are changed for texts longer than those of training, as the file says.
    AngleScaling,
}

/// Every correction with its name in links and the label of its switch.
pub const CORRECTIONS: &[(Correction, &str, &str)] = &[
    (Correction::LeadingRows, "rows", "Leave these rows out"),
    (
        Correction::Projection,
        "projection",
        "Project positions before comparing them",
    ),
    (Correction::LayerNorm, "norm", "Apply LayerNorm"),
    (Correction::AddedRow, "added", "Add this row"),
    (Correction::Biases, "biases", "Add biases"),
    (Correction::ExactWords, "words", "Read all token embeddings"),
    (Correction::AngleScaling, "angles", "Stretch the angles"),
];

impl Correction {
    /// Whether the correction is on by default.
    #[must_use]
    pub fn usual(self) -> bool {
        !matches!(self, Self::Projection | Self::ExactWords)
    }
}

/// A note about an open model, on something that the figures do not show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Title of a few words.
    pub title: String,
    /// Text of one or two sentences.
    pub text: String,
    /// Correction that the note's switch toggles, and whether it is on.
    pub switch: Option<(Correction, bool)>,
}

impl Note {
    /// A note without a switch. Long names in its text are shortened.
    #[must_use]
    pub fn new(title: &str, text: impl Into<String>) -> Self {
        Self {
            title: title.to_owned(),
            text: short_message(&text.into()),
            switch: None,
        }
    }

    /// Adds a switch for a correction.
    #[must_use]
    pub fn with_switch(self, correction: Correction, on: bool) -> Self {
        Self {
            switch: Some((correction, on)),
            ..self
        }
    }

    /// Sets the switch, if there is one, as chosen.
    #[must_use]
    pub fn with_choice(self, choice: &ModelOptions) -> Self {
        let switch = self
            .switch
            .map(|(correction, _)| (correction, choice.does(correction)));
        Self { switch, ..self }
    }
}

/// Options that override what is inferred from a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelOptions {
    /// Id of one of the model's position sources.
    pub source: Option<String>,
    /// Name of the tensor to use as the position table.
    pub table: Option<String>,
    /// Names of a query and a key tensor, for files of unknown family. Those of other layers are found by the first
    /// number in the names.
    pub attention: Option<(String, String)>,
    /// Whether the chosen tensors are stored as [in, out].
    pub is_transposed: bool,
    /// Name of the word table, for a chosen position table.
    pub words: Option<String>,
    /// Name of the weight of the `LayerNorm` before the attention, for a chosen position table. If the name has a number,
    /// every layer has its own.
    pub norm: Option<String>,
    /// Rows that are left out at the beginning and at the end of a chosen position table.
    pub left_out: (u32, u32),
    /// Whether to ask for the tensors of a file whose family is known.
    pub asks_for_tensors: bool,
    /// Heads per layer.
    pub heads: Option<u32>,
    /// Rows and columns of image patches, if the configuration does not give them.
    pub patches: Option<(u32, u32)>,
    /// Number of positions, if the model does not limit it.
    pub length: Option<u32>,
    /// Corrections that differ from their default.
    pub switched_corrections: Vec<Correction>,
}

impl ModelOptions {
    /// Whether tensors or rows beside the table were chosen.
    #[must_use]
    pub fn is_by_hand(&self) -> bool {
        self.attention.is_some()
            || self.words.is_some()
            || self.norm.is_some()
            || self.left_out != (0, 0)
    }

    /// Whether a correction is on.
    #[must_use]
    pub fn does(&self, correction: Correction) -> bool {
        correction.usual() != self.switched_corrections.contains(&correction)
    }

    /// Toggles one correction.
    #[must_use]
    pub fn switch(mut self, correction: Correction) -> Self {
        let before = self.switched_corrections.len();
        self.switched_corrections
            .retain(|other| *other != correction);
        if self.switched_corrections.len() == before {
            self.switched_corrections.push(correction);
        }
        self
    }
}
