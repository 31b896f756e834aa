//! Published GLUE results of ALBERT base v2 with and without TISA kernels.
//!
//! Wennberg & Henter 2021, Table 3: medians over 5 runs on the development sets, in the paper's own digits.

/// Number S of kernels of the columns beside the baseline.
pub const GLUE_KERNELS: [usize; 3] = [1, 3, 5];

/// A part of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GlueScores {
    /// Letter of the part in the paper.
    pub letter: &'static str,
    /// The models: with or without position embeddings.
    pub models: &'static str,
    /// Its rows, in the order of the paper.
    pub rows: &'static [GlueRow],
}

/// The scores of a task, as printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GlueRow {
    /// Name of the task.
    pub task: &'static str,
    /// Score without kernels.
    pub baseline: &'static str,
    /// Scores with [`GLUE_KERNELS`] kernels per head.
    pub with_kernels: [&'static str; 3],
    /// Δ, the greatest increase of the row.
    pub increase: &'static str,
    /// Δ%, the share of the errors that it removes.
    pub error_reduction: &'static str,
}

/// Table 3a, with position embeddings, and Table 3b, without.
pub const GLUE_SCORES: [GlueScores; 2] = [
    GlueScores {
        letter: "3a",
        models: "with position embeddings",
        rows: &[
            row("SST-2", "92.9", ["93.3", "93.1", "93.1"], "0.4", "6.5%"),
            row("MNLI", "83.8", ["84.1", "84.4", "84.8"], "1.0", "5.9%"),
            row("QQP", "88.2", ["88.0", "88.3", "88.3"], "0.1", "1.2%"),
            row("STS-B", "90.3", ["90.4", "90.0", "90.4"], "0.1", "1.5%"),
            row("CoLA", "57.2", ["57.0", "56.5", "58.5"], "1.3", "2.9%"),
            row("MRPC", "89.6", ["90.1", "89.0", "90.1"], "0.5", "5.3%"),
            row("QNLI", "91.6", ["91.7", "91.4", "91.6"], "0.1", "0.4%"),
            row("RTE", "72.9", ["71.1", "73.6", "73.6"], "0.7", "2.7%"),
        ],
    },
    GlueScores {
        letter: "3b",
        models: "without position embeddings",
        rows: &[
            row("SST-2", "85.1", ["85.9", "85.8", "86.0"], "0.9", "6.2%"),
            row("MNLI", "78.8", ["80.9", "81.4", "81.6"], "2.8", "13.4%"),
            row("QQP", "86.3", ["86.2", "86.5", "86.8"], "0.5", "3.4%"),
            row("STS-B", "89.0", ["89.0", "89.1", "89.1"], "0.1", "0.3%"),
            row("MRPC", "82.8", ["83.1", "83.3", "83.1"], "0.5", "3.3%"),
            row("QNLI", "86.6", ["87.2", "87.4", "87.7"], "1.1", "7.8%"),
            row("RTE", "62.1", ["61.7", "62.5", "62.8"], "0.7", "1.9%"),
        ],
    },
];

const fn row(
    task: &'static str,
    baseline: &'static str,
    with_kernels: [&'static str; 3],
    increase: &'static str,
    error_reduction: &'static str,
) -> GlueRow {
    GlueRow {
        task,
        baseline,
        with_kernels,
        increase,
        error_reduction,
    }
}
