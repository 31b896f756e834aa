//! Formulas of lessons.

use serde::{Deserialize, Serialize};

/// A formula, read from LaTeX.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LessonFormula {
    /// LaTeX source, without dollar signs.
    pub source: String,
    /// MathML of each row, one `<math>` element each, in which all text of the source is escaped. A line of text may break
    /// between two rows.
    pub mathml: Vec<String>,
}
