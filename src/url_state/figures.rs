//! The figures of the page by identifier. Links, lessons and embedding pages name figures by it.

use super::View;

/// Declares [`FigureId`]: for each figure its variant, its identifier, its heading and the views that contain it.
macro_rules! figures {
    ($($name:ident = $id:literal, $title:literal, [$($view:ident),+];)+) => {
        /// A figure of the page. The specification of its labels and texts is in `figure_spec`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum FigureId {
            $(#[doc = $title] $name,)+
        }

        impl FigureId {
            /// All figures, in the order of the views and of their position in them.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// Identifier in links, file names, lessons and tests. It never changes.
            #[must_use]
            pub const fn id(self) -> &'static str {
                self.entry().id
            }

            /// Heading, unless the open model needs another.
            #[must_use]
            pub const fn title(self) -> &'static str {
                self.entry().title
            }

            /// Views that contain the figure.
            #[must_use]
            pub const fn views(self) -> &'static [View] {
                self.entry().views
            }

            /// The help, from the file in `www/figure_help/` of the figure's name. Not a field of the specification,
            /// because views refer to that, and help is loaded when it is unfolded.
            #[must_use]
            pub const fn help(self) -> &'static str {
                match self {
                    $(Self::$name => include_str!(concat!("../../www/figure_help/", $id, ".txt"))),+
                }
            }

            const fn entry(self) -> &'static FigureEntry {
                static ENTRIES: &[FigureEntry] = &[
                    $(FigureEntry { id: $id, title: $title, views: &[$(View::$view),+] }),+
                ];
                &ENTRIES[self as usize]
            }
        }
    };
}

/// The texts of a figure's line in the list.
struct FigureEntry {
    id: &'static str,
    title: &'static str,
    views: &'static [View],
}

figures! {
    PositionMatrix = "position-matrix", "How alike are two positions?", [Positions, Compare];
    OffsetProfile = "offset-profile", "Score by offset", [Positions];
    ToeplitzScores = "toeplitz-scores", "How close to Toeplitz?", [Positions];
    GridProfile = "grid-profile", "Score by (Δy, Δx)", [Positions];
    PositionTable = "position-table", "The table itself", [Positions];
    Autocorrelation = "autocorrelation", "How smooth is the table?", [Positions];
    HeadGrid = "head-grid", "Every head, from the weights alone", [Heads];
    HeadMatrix = "head-matrix", "One head’s positional scores", [Heads];
    HeadProfile = "head-profile", "Its score by offset", [Heads];
    HeadGridProfile = "head-grid-profile", "Score by (Δy, Δx)", [Heads];
    HeadSections = "head-sections", "Rows at five queries", [Heads];
    HeadEntropy = "head-entropy", "How many keys does a head attend to?", [Heads];
    KernelFunction = "kernel-function", "Score by offset", [Kernels];
    HeadScores = "head-scores", "Head’s scores", [Kernels];
    KernelMatrix = "kernel-matrix", "Kernels’ scores", [Kernels];
    AddedScores = "added-scores", "Their sum", [Kernels];
    HeadAttention = "head-attention", "Head’s attention", [Kernels];
    KernelAttention = "kernel-attention", "Kernels’ attention", [Kernels];
    AddedAttention = "added-attention", "The sum’s attention", [Kernels];
    AttentionLooks = "attention-looks", "Where it looks, before and after", [Kernels];
    KernelFit = "kernel-fit", "The fit", [Kernels];
    FitResidual = "fit-residual", "Residual", [Kernels];
    FitCurve = "fit-curve", "R² by kernels", [Kernels];
    FitAttention = "fit-attention", "Fit’s attention", [Kernels];
    FitHeadAttention = "fit-head-attention", "The head’s attention", [Kernels];
    FitGrid = "fit-grid", "Every fit", [Kernels];
    FirstLayerEmbeddings = "first-layer-embeddings", "Position embeddings as they are", [Kernels];
    FirstLayerAdded = "first-layer-added", "F_P added (4a)", [Kernels];
    FirstLayerInstead = "first-layer-instead", "F_P instead (4b)", [Kernels];
    FirstLayerNone = "first-layer-none", "No position", [Kernels];
    ParameterCount = "parameter-count", "Parameters for positions", [Kernels];
    EncodingProfile = "encoding-profile", "Every scheme by offset", [Encodings];
    FlatLines = "flat-lines", "Independent of position", [Encodings];
    Phasors = "phasors", "Sine–cosine pairs", [Encodings];
    Criteria = "criteria", "Six criteria, nine methods", [Encodings];
    Permutation = "permutation", "Order without positions", [Encodings];
    SinusoidTest = "sinusoid-test", "Learned or sinusoidal?", [Waves];
    Spectrum = "spectrum", "Which waves is the table made of?", [Waves];
    SpectrumColumns = "spectrum-columns", "The spectrum of every column", [Waves];
    Columns = "columns", "Columns along position", [Waves];
    ColumnSpectra = "column-spectra", "Their spectra", [Waves];
    Components = "components", "How many dimensions hold position?", [Waves];
    ComponentWaves = "component-waves", "Components along position", [Waves];
    ComponentPath = "component-path", "The path of the positions", [Waves];
    Density = "density", "How values are spread", [Waves];
    ValueHistogram = "value-histogram", "All values against a Gaussian", [Waves];
    HeadWaves = "head-waves", "Queries and keys as waves", [Waves];
    HeadCrossCorrelation = "head-cross-correlation", "At which offsets do they match?", [Waves];
    HeadCrossCovariance = "head-cross-covariance", "Their weighted sum", [Waves];
    HeadRotation = "head-rotation", "The turn from queries to keys", [Waves];
    LayerSpectrum = "layer-spectrum", "Frequencies by layer", [Waves];
    HeadClusters = "head-clusters", "Heads that attend alike", [Waves];
    ClusterTraces = "cluster-traces", "Where each group looks", [Waves];
    GaussianHeads = "gaussian-heads", "Where each head looks", [Images];
    QueryAttention = "query-attention", "Attention of one pixel", [Images];
    FilteredImage = "filtered-image", "One image, two ways", [Images];
    ConvolutionError = "convolution-error", "How far from the convolution?", [Images];
    HeadConvolution = "head-convolution", "Is this head a convolution?", [Images];
    GridSimilarity = "grid-similarity", "Every patch and its neighbours", [Images];
    CompareProfiles = "compare-profiles", "Scores by offset, on one axis", [Compare];
    ModelScores = "model-scores", "How close to Toeplitz is each?", [Compare];
    R2Performance = "r2-performance", "R² against performance", [Compare];
    CompareHeads = "compare-heads", "R² of every head", [Compare];
    TrainingCurves = "training-curves", "What grows while it learns", [Training];
    TrainingMatrix = "training-matrix", "Cosines of its positions", [Training];
    TrainingTable = "training-table", "Its table", [Training];
}

impl FigureId {
    /// Finds a figure by its identifier.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        let mut figures = Self::ALL.iter().copied();
        figures.find(|figure| figure.id() == id)
    }
}

impl View {
    /// Whether the view contains figures; otherwise it is only text.
    #[must_use]
    pub fn has_figures(self) -> bool {
        (FigureId::ALL.iter()).any(|figure| figure.views().contains(&self))
    }
}
