//! Decides which figures are matrices, whose files contain every cell.

/// Content of the CSV and NPY files of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileNumbers {
    /// All cells of a matrix, or of the window that is shown. The worker writes them, since the picture may show block
    /// means.
    Matrix,
    /// The table behind the figure.
    Table,
}

/// Returns the content of a figure's files, by its identifier.
#[must_use]
pub fn file_numbers(figure: &str) -> FileNumbers {
    match figure {
        "position-matrix"
        | "position-table"
        | "head-matrix"
        | "head-scores"
        | "kernel-matrix"
        | "added-scores"
        | "head-attention"
        | "kernel-attention"
        | "added-attention"
        | "fit-attention"
        | "fit-head-attention"
        | "first-layer-embeddings"
        | "first-layer-added"
        | "first-layer-instead"
        | "first-layer-none"
        | "training-matrix"
        | "training-table" => FileNumbers::Matrix,
        _ => FileNumbers::Table,
    }
}
