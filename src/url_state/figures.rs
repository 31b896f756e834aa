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
    figure(
        "position-matrix",
        "How alike are two positions?",
        &[View::Positions, View::Compare],
    ),
    figure("offset-profile", "Score by offset", &[View::Positions]),
    figure(
        "toeplitz-scores",
        "How close to Toeplitz?",
        &[View::Positions],
    ),
    figure("grid-profile", "Score by (Δy, Δx)", &[View::Positions]),
    figure("position-table", "The table itself", &[View::Positions]),
    figure(
        "autocorrelation",
        "How smooth is the table?",
        &[View::Positions],
    ),
    figure(
        "head-grid",
        "Every head, from the weights alone",
        &[View::Heads],
    ),
    figure(
        "head-matrix",
        "One head’s positional scores",
        &[View::Heads],
    ),
    figure("head-profile", "Its score by offset", &[View::Heads]),
    figure("head-grid-profile", "Score by (Δy, Δx)", &[View::Heads]),
    figure("head-sections", "Rows at five queries", &[View::Heads]),
    figure("kernel-function", "Score by offset", &[View::Kernels]),
    figure("head-scores", "Head’s scores", &[View::Kernels]),
    figure("kernel-matrix", "Kernels’ scores", &[View::Kernels]),
    figure("added-scores", "Their sum", &[View::Kernels]),
    figure("head-attention", "Head’s attention", &[View::Kernels]),
    figure("kernel-attention", "Kernels’ attention", &[View::Kernels]),
    figure("added-attention", "The sum’s attention", &[View::Kernels]),
    figure(
        "attention-looks",
        "Where it looks, before and after",
        &[View::Kernels],
    ),
    figure("kernel-fit", "The fit", &[View::Kernels]),
    figure("fit-residual", "Residual", &[View::Kernels]),
    figure("fit-curve", "R² by kernels", &[View::Kernels]),
    figure("fit-attention", "Fit’s attention", &[View::Kernels]),
    figure(
        "fit-head-attention",
        "The head’s attention",
        &[View::Kernels],
    ),
    figure("fit-grid", "Every fit", &[View::Kernels]),
    figure(
        "first-layer-embeddings",
        "Position embeddings as they are",
        &[View::Kernels],
    ),
    figure("first-layer-added", "F_P added (4a)", &[View::Kernels]),
    figure("first-layer-instead", "F_P instead (4b)", &[View::Kernels]),
    figure("first-layer-none", "No position", &[View::Kernels]),
    figure(
        "parameter-count",
        "Parameters for positions",
        &[View::Kernels],
    ),
    figure(
        "encoding-profile",
        "Every scheme by offset",
        &[View::Encodings],
    ),
    figure("flat-lines", "Independent of position", &[View::Encodings]),
    figure("phasors", "Sine–cosine pairs", &[View::Encodings]),
    figure("criteria", "Six criteria, nine methods", &[View::Encodings]),
    figure("permutation", "Order without positions", &[View::Encodings]),
    figure("sinusoid-test", "Learned or sinusoidal?", &[View::Waves]),
    figure(
        "spectrum",
        "Which waves is the table made of?",
        &[View::Waves],
    ),
    figure(
        "spectrum-columns",
        "The spectrum of every column",
        &[View::Waves],
    ),
    figure("columns", "Columns along position", &[View::Waves]),
    figure("column-spectra", "Their spectra", &[View::Waves]),
    figure(
        "components",
        "How many dimensions hold position?",
        &[View::Waves],
    ),
    figure(
        "component-waves",
        "Components along position",
        &[View::Waves],
    ),
    figure(
        "component-path",
        "The path of the positions",
        &[View::Waves],
    ),
    figure("density", "How values are spread", &[View::Waves]),
    figure(
        "value-histogram",
        "All values against a Gaussian",
        &[View::Waves],
    ),
    figure("head-waves", "Queries and keys as waves", &[View::Waves]),
    figure(
        "head-cross-correlation",
        "At which offsets do they match?",
        &[View::Waves],
    ),
    figure(
        "head-cross-covariance",
        "Their weighted sum",
        &[View::Waves],
    ),
    figure(
        "head-rotation",
        "The turn from queries to keys",
        &[View::Waves],
    ),
    figure("layer-spectrum", "Frequencies by layer", &[View::Waves]),
    figure("head-clusters", "Heads that attend alike", &[View::Waves]),
    figure("cluster-traces", "Where each group looks", &[View::Waves]),
    figure("gaussian-heads", "Where each head looks", &[View::Images]),
    figure("query-attention", "Attention of one pixel", &[View::Images]),
    figure("filtered-image", "One image, two ways", &[View::Images]),
    figure(
        "convolution-error",
        "How far from the convolution?",
        &[View::Images],
    ),
    figure(
        "head-convolution",
        "Is this head a convolution?",
        &[View::Images],
    ),
    figure(
        "grid-similarity",
        "Every patch and its neighbours",
        &[View::Images],
    ),
    figure(
        "compare-profiles",
        "Scores by offset, on one axis",
        &[View::Compare],
    ),
    figure(
        "model-scores",
        "How close to Toeplitz is each?",
        &[View::Compare],
    ),
    figure("r2-performance", "R² against performance", &[View::Compare]),
    figure("compare-heads", "R² of every head", &[View::Compare]),
    figure(
        "training-curves",
        "What grows while it learns",
        &[View::Training],
    ),
    figure(
        "training-matrix",
        "Cosines of its positions",
        &[View::Training],
    ),
    figure("training-table", "Its table", &[View::Training]),
];

const fn figure(id: &'static str, title: &'static str, views: &'static [View]) -> FigureEntry {
    FigureEntry { id, title, views }
}

/// Finds a figure by its identifier.
#[must_use]
pub fn figure_named(id: &str) -> Option<&'static FigureEntry> {
    FIGURES.iter().find(|figure| figure.id == id)
}
