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

            /// The lines of the figure's NumPy program, from the file in `www/numpy/figures/` of its name.
            #[must_use]
            pub const fn numpy_body(self) -> &'static str {
                match self {
                    $(Self::$name => include_str!(concat!("../../www/numpy/figures/", $id, ".py"))),+
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
    OffsetProfile = "offset-profile", "Mean of each diagonal", [Positions];
    ToeplitzScores = "toeplitz-scores", "How close to Toeplitz?", [Positions];
    GridProfile = "grid-profile", "Mean by (Δy, Δx)", [Positions];
    PositionTable = "position-table", "Position table", [Positions];
    TablePair = "table-pair", "Learned beside sinusoidal", [Positions];
    Autocorrelation = "autocorrelation", "How smooth is the table?", [Positions];
    LipschitzCone = "lipschitz-cone", "Lowest cosine at each offset", [Positions];
    RotaryAngles = "rotary-angles", "How fast does each pair turn?", [Positions];
    HeadGrid = "head-grid", "Positional scores of every head", [Heads];
    HeadMatrix = "head-matrix", "One head’s positional scores", [Heads];
    HeadProfile = "head-profile", "Mean score by offset", [Heads];
    PositionalAttention = "positional-attention", "Which keys does it attend to?", [Heads];
    HeadGridProfile = "head-grid-profile", "Score by (Δy, Δx)", [Heads];
    HeadSections = "head-sections", "Scores of five queries", [Heads];
    LayerSections = "layer-sections", "Sections of every head of the layer", [Heads];
    PositionDependence = "position-dependence", "How much of the attention is position?", [Heads];
    ScoreTerms = "score-terms", "Terms of the scores", [Heads];
    HeadDifference = "head-difference", "Two heads and their difference", [Heads];
    HeadPairProfile = "head-pair-profile", "Mean scores of two heads", [Heads];
    HeadEntropy = "head-entropy", "How many keys does a head attend to?", [Heads];
    PositionBudget = "position-budget", "How much of a head is position?", [Heads];
    AttentionSinks = "attention-sinks", "How much attention reaches no key?", [Heads];
    RotaryFrequencies = "rotary-frequencies", "Wavelengths that heads use", [Heads];
    TextTokens = "text-tokens", "The text in tokens", [Text];
    TextHeadGrid = "text-head-grid", "Attention of every head", [Text];
    TextMatrix = "text-matrix", "One head over the text", [Text];
    TextProfile = "text-profile", "Text and weights by offset", [Text];
    TextParts = "text-parts", "Content and position in the scores", [Text];
    TextPredictions = "text-predictions", "Predicted tokens", [Text];
    KernelFunction = "kernel-function", "Kernel function f(k)", [Kernels];
    HeadScores = "head-scores", "Head scores", [Kernels];
    KernelMatrix = "kernel-matrix", "Kernel scores F_P", [Kernels];
    AddedScores = "added-scores", "Scores of the sum", [Kernels];
    HeadAttention = "head-attention", "Head attention", [Kernels];
    KernelAttention = "kernel-attention", "Kernel attention", [Kernels];
    AddedAttention = "added-attention", "Attention of the sum", [Kernels];
    AttentionLooks = "attention-looks", "Attention by offset", [Kernels];
    KernelFit = "kernel-fit", "Kernels fitted to a head", [Kernels];
    FitResidual = "fit-residual", "Residual of the fit", [Kernels];
    FitCurve = "fit-curve", "R² by number of kernels", [Kernels];
    FitAttention = "fit-attention", "Attention of the fit", [Kernels];
    FitHeadAttention = "fit-head-attention", "Head attention", [Kernels];
    FitGrid = "fit-grid", "Fits of all heads", [Kernels];
    FirstLayerEmbeddings = "first-layer-embeddings", "Position embeddings alone", [Kernels];
    FirstLayerAdded = "first-layer-added", "Embeddings and F_P (4a)", [Kernels];
    FirstLayerInstead = "first-layer-instead", "F_P alone (4b)", [Kernels];
    FirstLayerNone = "first-layer-none", "No positions", [Kernels];
    ParameterCount = "parameter-count", "Parameters for positions", [Kernels, Encodings];
    EncodingProfile = "encoding-profile", "Scores of schemes by offset", [Encodings];
    FlatLines = "flat-lines", "Inner products at fixed distances", [Encodings];
    Phasors = "phasors", "Sine–cosine pairs", [Encodings];
    Criteria = "criteria", "Six criteria, nine methods", [Encodings];
    Permutation = "permutation", "Attention without positions ignores order", [Encodings];
    PlantedWaves = "planted-waves", "Theorem 1: one shift for all waves", [Encodings];
    PlantedAttention = "planted-attention", "Attention of the planted waves", [Encodings];
    SinusoidTest = "sinusoid-test", "Learned or sinusoidal?", [Waves];
    Spectrum = "spectrum", "Which waves is the table made of?", [Waves];
    SpectrumColumns = "spectrum-columns", "Spectrum of every column", [Waves];
    Columns = "columns", "Columns along position", [Waves];
    ColumnSpectra = "column-spectra", "Spectra of single columns", [Waves];
    Components = "components", "How many dimensions hold position?", [Waves];
    ComponentWaves = "component-waves", "Components along position", [Waves];
    ComponentPath = "component-path", "Positions in principal-component space", [Waves];
    Density = "density", "Values by position", [Waves];
    ValueHistogram = "value-histogram", "All values against a Gaussian", [Waves];
    HeadWaves = "head-waves", "Queries and keys as waves", [Waves];
    HeadCrossCorrelation = "head-cross-correlation", "Cross-correlation by offset", [Waves];
    HeadCrossCovariance = "head-cross-covariance", "Sum of cross-covariances", [Waves];
    HeadRotation = "head-rotation", "Rotation from queries to keys", [Waves];
    RetargetHead = "retarget-head", "Make the head look further", [Waves];
    RetargetAttention = "retarget-attention", "Attention before and after", [Waves];
    LayerSpectrum = "layer-spectrum", "Frequencies by layer", [Waves];
    HeadClusters = "head-clusters", "Groups of similar heads", [Waves];
    ClusterTraces = "cluster-traces", "Attention of each group", [Waves];
    GaussianHeads = "gaussian-heads", "Where each head attends", [Images];
    LayerGaussians = "layer-gaussians", "Where the heads of each layer attend", [Images];
    QueryAttention = "query-attention", "Attention of one pixel", [Images];
    FilteredImage = "filtered-image", "One image, two ways", [Images];
    ConvolutionError = "convolution-error", "How far from the convolution?", [Images];
    ConcatenatedHeads = "concatenated-heads", "Heads side by side", [Images];
    HeadRanks = "head-ranks", "How many channels does each head pass on?", [Images];
    HeadConvolution = "head-convolution", "Is this head a convolution?", [Images];
    LayerConvolution = "layer-convolution", "A layer as a convolution", [Images];
    GridSimilarity = "grid-similarity", "Every patch and its neighbours", [Images];
    CompareMatrices = "compare-matrices", "Position matrices of all open models", [Compare];
    CompareProfiles = "compare-profiles", "Mean of each diagonal, by model", [Compare];
    ModelScores = "model-scores", "How close to Toeplitz is each?", [Compare];
    R2Performance = "r2-performance", "R² against performance", [Compare];
    CompareHeads = "compare-heads", "R² of every head", [Compare];
    CompareSpectra = "compare-spectra", "Waves of each model’s table", [Compare];
    CompareComponents = "compare-components", "Dimensions that hold position, by model", [Compare];
    CompareShifts = "compare-shifts", "Shifts of each model’s heads", [Compare];
    TrainingLosses = "training-losses", "Loss by step", [Training];
    TrainingCurves = "training-curves", "R² and smoothness by step", [Training];
    TrainingSpectra = "training-spectra", "Spectrum of the table by step", [Training];
    TrainingMatrix = "training-matrix", "Cosines of positions", [Training];
    TrainingTable = "training-table", "Position table", [Training];
    TrainingWaves = "training-waves", "The table as waves", [Training];
    TrainingHeads = "training-heads", "Heads of every run", [Training];
    TrainingKernels = "training-kernels", "Kernel function of every head", [Training];
    TrainingKernelPaths = "training-kernel-paths", "Centres of kernels by step", [Training];
    TrainingFrequencies = "training-frequencies", "Energy by wavelength of rotary heads", [Training];
    TrainingLengths = "training-lengths", "Loss at other lengths", [Training];
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
