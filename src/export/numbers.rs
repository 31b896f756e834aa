//! Which figures are matrices, whose files have every cell.

/// Contents of the CSV and NPY files of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileNumbers {
    /// All cells of a matrix, or of the window that is shown, which the worker writes: its picture may be of block means.
    Matrix,
    /// The table behind the figure.
    Table,
}

/// Contents of the files of a figure, by its identifier.
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
