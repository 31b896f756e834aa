//! Table of all figures of the page by identifier. Links, lessons and embedding pages name figures by it.

use super::View;

/// An entry of [`FIGURES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FigureEntry {
    /// Identifier in links, file names and tests.
    pub id: &'static str,
    /// Heading, unless the open model needs another.
    pub title: &'static str,
    /// Views that contain the figure.
    pub views: &'static [View],
}

/// All figures, in the order of the views and of their position in them.
pub const FIGURES: &[FigureEntry] = &[
    stands(
        "position-matrix",
        "How alike are two positions?",
        &[View::Positions, View::Compare],
    ),
    stands("offset-profile", "Score by offset", &[View::Positions]),
    stands(
        "toeplitz-scores",
        "How close to Toeplitz?",
        &[View::Positions],
    ),
    stands("grid-profile", "Score by (Δy, Δx)", &[View::Positions]),
    stands("position-table", "The table itself", &[View::Positions]),
    stands(
        "autocorrelation",
        "How smooth is the table?",
        &[View::Positions],
    ),
    stands(
        "head-grid",
        "Every head, from the weights alone",
        &[View::Heads],
    ),
    stands(
        "head-matrix",
        "One head’s positional scores",
        &[View::Heads],
    ),
    stands("head-profile", "Its score by offset", &[View::Heads]),
    stands("head-grid-profile", "Score by (Δy, Δx)", &[View::Heads]),
    stands("head-sections", "Rows at five queries", &[View::Heads]),
    stands("kernel-function", "Score by offset", &[View::Kernels]),
    stands("head-scores", "Head’s scores", &[View::Kernels]),
    stands("kernel-matrix", "Kernels’ scores", &[View::Kernels]),
    stands("added-scores", "Their sum", &[View::Kernels]),
    stands("head-attention", "Head’s attention", &[View::Kernels]),
    stands("kernel-attention", "Kernels’ attention", &[View::Kernels]),
    stands("added-attention", "The sum’s attention", &[View::Kernels]),
    stands(
        "attention-looks",
        "Where it looks, before and after",
        &[View::Kernels],
    ),
    stands("kernel-fit", "The fit", &[View::Kernels]),
    stands("fit-residual", "Residual", &[View::Kernels]),
    stands("fit-curve", "R² by kernels", &[View::Kernels]),
    stands("fit-attention", "Fit’s attention", &[View::Kernels]),
    stands(
        "fit-head-attention",
        "The head’s attention",
        &[View::Kernels],
    ),
    stands("fit-grid", "Every fit", &[View::Kernels]),
    stands(
        "first-layer-embeddings",
        "Position embeddings as they are",
        &[View::Kernels],
    ),
    stands("first-layer-added", "F_P added (4a)", &[View::Kernels]),
    stands("first-layer-instead", "F_P instead (4b)", &[View::Kernels]),
    stands("first-layer-none", "No position", &[View::Kernels]),
    stands(
        "parameter-count",
        "Parameters for positions",
        &[View::Kernels],
    ),
    stands(
        "encoding-profile",
        "Every scheme by offset",
        &[View::Encodings],
    ),
    stands("flat-lines", "Independent of position", &[View::Encodings]),
    stands("phasors", "Sine–cosine pairs", &[View::Encodings]),
    stands("criteria", "Six criteria, nine methods", &[View::Encodings]),
    stands("permutation", "Order without positions", &[View::Encodings]),
    stands("sinusoid-test", "Learned or sinusoidal?", &[View::Waves]),
    stands(
        "spectrum",
        "Which waves is the table made of?",
        &[View::Waves],
    ),
    stands(
        "spectrum-columns",
        "The spectrum of every column",
        &[View::Waves],
    ),
    stands("columns", "Columns along position", &[View::Waves]),
    stands("column-spectra", "Their spectra", &[View::Waves]),
    stands(
        "components",
        "How many dimensions hold position?",
        &[View::Waves],
    ),
    stands(
        "component-waves",
        "Components along position",
        &[View::Waves],
    ),
    stands(
        "component-path",
        "The path of the positions",
        &[View::Waves],
    ),
    stands("density", "How values are spread", &[View::Waves]),
    stands(
        "value-histogram",
        "All values against a Gaussian",
        &[View::Waves],
    ),
    stands("head-waves", "Queries and keys as waves", &[View::Waves]),
    stands(
        "head-cross-correlation",
        "At which offsets do they match?",
        &[View::Waves],
    ),
    stands(
        "head-cross-covariance",
        "Their weighted sum",
        &[View::Waves],
    ),
    stands(
        "head-rotation",
        "The turn from queries to keys",
        &[View::Waves],
    ),
    stands("layer-spectrum", "Frequencies by layer", &[View::Waves]),
    stands("head-clusters", "Heads that attend alike", &[View::Waves]),
    stands("cluster-traces", "Where each group looks", &[View::Waves]),
    stands("gaussian-heads", "Where each head looks", &[View::Images]),
    stands("query-attention", "Attention of one pixel", &[View::Images]),
    stands("filtered-image", "One image, two ways", &[View::Images]),
    stands(
        "convolution-error",
        "How far from the convolution?",
        &[View::Images],
    ),
    stands(
        "head-convolution",
        "Is this head a convolution?",
        &[View::Images],
    ),
    stands(
        "grid-similarity",
        "Every patch and its neighbours",
        &[View::Images],
    ),
    stands(
        "compare-profiles",
        "Scores by offset, on one axis",
        &[View::Compare],
    ),
    stands(
        "model-scores",
        "How close to Toeplitz is each?",
        &[View::Compare],
    ),
    stands("r2-performance", "R² against performance", &[View::Compare]),
    stands("compare-heads", "R² of every head", &[View::Compare]),
    stands(
        "training-curves",
        "What grows while it learns",
        &[View::Training],
    ),
    stands(
        "training-matrix",
        "Cosines of its positions",
        &[View::Training],
    ),
    stands("training-table", "Its table", &[View::Training]),
];

const fn stands(id: &'static str, title: &'static str, views: &'static [View]) -> FigureEntry {
    FigureEntry { id, title, views }
}

/// Finds a figure by its identifier.
#[must_use]
pub fn figure_named(id: &str) -> Option<&'static FigureEntry> {
    FIGURES.iter().find(|figure| figure.id == id)
}
