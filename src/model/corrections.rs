//! What is done to a model's positions before they are shown, where that is a choice.

use crate::short_text::short_message;
use serde::{Deserialize, Serialize};

/// Something done, or left undone, that a person may want the other way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Correction {
    /// Rows that stand for no position are left out.
    LeadingRows,
    /// P is that of the projected positions; usually it is that of the table.
    Projection,
    /// As-computed scores pass the `LayerNorm`s before the attention.
    LayerNorm,
    /// As-computed scores add the row that every position gets, such as token type 0.
    AddedRow,
    /// As-computed scores add the biases of queries, keys and the projection.
    Biases,
    /// The mean word is that of all words; from far away it is usually that of a sample.
    ExactWords,
}

/// Every correction: its name in links, and what the switch on the page says.
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
    (Correction::ExactWords, "words", "Read all words"),
];

impl Correction {
    /// Whether it is done unless somebody says otherwise.
    #[must_use]
    pub fn usual(self) -> bool {
        !matches!(self, Self::Projection | Self::ExactWords)
    }
}

/// Something about an opened model that the numbers alone do not show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// A few words.
    pub title: String,
    /// A sentence or two.
    pub text: String,
    /// What can be switched, and whether it is on.
    pub switch: Option<(Correction, bool)>,
}

impl Note {
    /// A note on something that is as it is. Names in its text are cut to a length that can be read.
    #[must_use]
    pub fn new(title: &str, text: impl Into<String>) -> Self {
        Self {
            title: title.to_owned(),
            text: short_message(&text.into()),
            switch: None,
        }
    }

    /// A note on something that can be switched.
    #[must_use]
    pub fn with_switch(self, correction: Correction, on: bool) -> Self {
        Self {
            switch: Some((correction, on)),
            ..self
        }
    }
}

/// What a person chose instead of what would be inferred.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelOptions {
    /// Which of the model's position sources.
    pub source: Option<String>,
    /// The tensor to take as the position table.
    pub table: Option<String>,
    /// A tensor of queries and one of keys, in a file of unknown family; those of other layers are found
    /// by the first number in their names.
    pub attention: Option<(String, String)>,
    /// Whether those are stored [in, out].
    pub transposed: bool,
    /// Heads a layer.
    pub heads: Option<u32>,
    /// Rows and columns of the patches of an image, where the configuration does not say.
    pub patches: Option<(u32, u32)>,
    /// Positions, where the model does not limit them.
    pub length: Option<u32>,
    /// Corrections that are not as usual.
    pub switched: Vec<Correction>,
}

impl ModelOptions {
    /// Whether a correction is done.
    #[must_use]
    pub fn does(&self, correction: Correction) -> bool {
        correction.usual() != self.switched.contains(&correction)
    }

    /// The same with one correction the other way.
    #[must_use]
    pub fn switch(mut self, correction: Correction) -> Self {
        let before = self.switched.len();
        self.switched.retain(|other| *other != correction);
        if self.switched.len() == before {
            self.switched.push(correction);
        }
        self
    }
}
