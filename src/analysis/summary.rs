//! Summary of an open model.

use crate::{
    math::{AttentionMask, Grid, TableBreaks},
    model::{HeadsSource, Note, PositionKind, SCALED_NUMBERS},
};
use serde::{Deserialize, Serialize};

/// Summary of an open model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelSummary {
    /// Name of the file or preset.
    pub name: String,
    /// Name of the model inside the file, if it has one.
    pub named_inside: Option<String>,
    /// Family, or how the table is computed.
    pub family: String,
    /// All position sources of the model, including the open one: identifiers in links, and titles.
    pub sources: Vec<(String, String)>,
    /// Identifier of the open source; empty for a computed table.
    pub source: String,
    /// Tensor that holds the positions.
    pub tensor: String,
    /// Kind of the positions.
    pub kind: PositionKind,
    /// Whether queries and keys are rotated, by the positions themselves or beside a table.
    pub has_rotation: bool,
    /// Whether heads have sinks, which take a part of their attention.
    pub has_sinks: bool,
    /// Number of positions n.
    pub rows: usize,
    /// Width d of the positions; 0 if they have no rows.
    pub width: usize,
    /// Width of the model, which can differ from that of its positions; 0 if unknown.
    pub hidden_width: usize,
    /// Rows and columns of the image, if positions are its patches.
    pub grid: Option<Grid>,
    /// Other shapes that the image may have, if no configuration gives it.
    pub possible_grids: Vec<Grid>,
    /// Seams and untrained rows of the position table; none for positions that are patches or not a table.
    pub breaks: TableBreaks,
    /// Mask of the model's attention.
    pub cells: AttentionMask,
    /// Number of layers whose heads can be shown.
    pub layers: usize,
    /// Number of heads per layer, and the source of that number.
    pub heads: Option<(u32, HeadsSource)>,
    /// Description of the states X that enter the attention as the model computes it: “X = LayerNorm(x̄ + E), where x̄
    /// is the mean word”. Empty if positions are not rows of a table, or if there are no heads.
    pub content_input: String,
    /// Whether scores are divided by the square root of a head's width.
    pub is_scaled: bool,
    /// Numbers of heads that divide the width.
    pub possible_heads: Vec<u32>,
    /// Notes on the model and on the corrections made.
    pub notes: Vec<Note>,
    /// Hash of the positions, which identifies them in a link.
    pub hash: u64,
    /// Files of the checkpoint that are not available; questions that need them ask for them.
    pub missing_files: Vec<String>,
}

impl ModelSummary {
    /// Unit of a table whose numbers are scaled, as a sentence with a space after it for the start of a caption; empty
    /// for other tables.
    #[must_use]
    pub fn scale_words(&self) -> String {
        let mut notes = self.notes.iter();
        let note = notes.find(|note| note.title == SCALED_NUMBERS);
        note.map_or_else(String::new, |note| format!("{} ", note.text))
    }
}
