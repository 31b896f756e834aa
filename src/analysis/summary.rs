//! What is known of a model once it is open.

use crate::{
    math::{AttentionMask, Grid, Seam},
    model::{HeadsSource, Note, PositionKind, SCALED_NUMBERS},
};
use serde::{Deserialize, Serialize};

/// What is known of a model once it is open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelSummary {
    /// Name of the file or preset.
    pub name: String,
    /// What the file itself calls the model, where it does.
    pub named_inside: Option<String>,
    /// Family, or how the table is computed.
    pub family: String,
    /// Where else the model keeps positions, and what is open: ids in links and titles.
    pub sources: Vec<(String, String)>,
    /// Which of these is open; empty for a computed table.
    pub source: String,
    /// The tensor the positions come from.
    pub tensor: String,
    /// What the positions are.
    pub kind: PositionKind,
    /// Number of positions n.
    pub rows: usize,
    /// Width d of the positions; 0 where they have none.
    pub width: usize,
    /// Width of the model, which need not be that of its positions; 0 where it is not known.
    pub hidden: usize,
    /// Rows and columns of the image whose patches the positions are.
    pub grid: Option<Grid>,
    /// Shapes that the image may have instead, where no configuration says.
    pub possible_grids: Vec<Grid>,
    /// Where the position table breaks in two; none where it does not, and where positions are no table or patches.
    pub seam: Option<Seam>,
    /// Which cells of a head's matrix the model uses.
    pub cells: AttentionMask,
    /// Layers whose heads can be shown.
    pub layers: usize,
    /// Heads a layer, and how that is known.
    pub heads: Option<(u32, HeadsSource)>,
    /// The states X that enter the attention where scores are as the model computes them, in words: “X = LayerNorm(x̄ + E),
    /// where x̄ is the mean word”. Empty where positions are no rows of a table or there are no heads.
    pub entering: String,
    /// Whether scores are divided by the root of a head's width.
    pub is_scaled: bool,
    /// Head counts that would divide the width.
    pub possible_heads: Vec<u32>,
    /// Corrections that were made.
    pub notes: Vec<Note>,
    /// Names a position table in a link: a hash of its numbers.
    pub hash: u64,
    /// Files of the checkpoint that are not at hand: what needs them asks for them.
    pub missing: Vec<String>,
}

impl ModelSummary {
    /// The unit of a table whose numbers are scaled, as a sentence and a space for the beginning of a caption; empty of
    /// other tables.
    #[must_use]
    pub fn scale_words(&self) -> String {
        let mut notes = self.notes.iter();
        let note = notes.find(|note| note.title == SCALED_NUMBERS);
        note.map_or_else(String::new, |note| format!("{} ", note.text))
    }
}
