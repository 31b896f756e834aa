//! Axial positions, as in Reformer: the text is laid out in rows and columns, and the vector of a position joins one for
//! its row and one for its column.
//!
//! ```text
//! E_i = [A_{i div m}, B_{i mod m}]
//! ```
//!
//! Kitaev et al., Reformer: The Efficient Transformer, ICLR 2020.

use super::{Detection, DetectionInput, Family};

#[derive(Clone, Copy, Debug)]
pub(super) struct Axial;

/// Names of the two tables, [n, 1, d] and [1, m, d].
const TABLES: [&str; 2] = [
    "embeddings.position_embeddings.weights.0",
    "embeddings.position_embeddings.weights.1",
];

impl Family for Axial {
    fn name(&self) -> &'static str {
        "Axial"
    }

    fn about(&self) -> &'static str {
        "A vector for the row and one for the column of a long text."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let model = clues.model(TABLES[0])?;
        model.has(TABLES[1]).then(|| {
            Detection::nothing(
                "This model has axial positions, as in Reformer: the text is laid out in rows and columns, and a position joins the vector of its row to that of its column. The joined table is not shown. You can choose one of the two tables.",
            )
        })
    }
}
