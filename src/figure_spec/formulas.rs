//! Formulas of the figures in MathML, which browsers display natively.
//!
//! A `<math data-term="…">` element is a term that stands for a picture; its value is the key of a
//! [`FormulaTerm`](crate::figure::FormulaTerm). On the page it is a button, see `formula_pieces.rs`. Lines break at the
//! spaces between elements.

/// A formula as MathML source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Formula(pub &'static str);

/// Matrix of inner products, P = E·Eᵀ.
pub const INNER_PRODUCT: Formula = Formula(
    "<math><mi>P</mi><mo>=</mo><mi>E</mi><msup><mi>E</mi><mi mathvariant=\"normal\">T</mi></msup></math>",
);

/// Cosine similarity of two rows.
pub const COSINE: Formula = Formula(
    "<math><msub><mi>C</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub><mo>=</mo><mfrac><mrow><msub><mi>E</mi><mi>i</mi></msub><mo>·</mo><msub><mi>E</mi><mi>j</mi></msub></mrow><mrow><mo stretchy=\"false\">‖</mo><msub><mi>E</mi><mi>i</mi></msub><mo stretchy=\"false\">‖</mo><mo stretchy=\"false\">‖</mo><msub><mi>E</mi><mi>j</mi></msub><mo stretchy=\"false\">‖</mo></mrow></mfrac></math>",
);

/// No formula.
pub const NONE: Formula = Formula("");

/// Wavelength of a rotary pair, and its angle before any change.
pub const WAVELENGTH: Formula = Formula(
    "<math><msub><mi>λ</mi><mi>m</mi></msub><mo>=</mo><mfrac><mrow><mn>2</mn><mi>π</mi></mrow><msub><mi>θ</mi><mi>m</mi></msub></mfrac><mo>,</mo></math> <math><msub><mi>θ</mi><mi>m</mi></msub><mo>=</mo><msup><mi>base</mi><mrow><mo>−</mo><mn>2</mn><mi>m</mi><mo>/</mo><mi>w</mi></mrow></msup></math>",
);

/// Mean f(k) of the diagonal k.
pub const DIAGONAL_MEAN: Formula = Formula(
    "<math><mi>f</mi><mo stretchy=\"false\">(</mo><mi>k</mi><mo stretchy=\"false\">)</mo><mo>=</mo><mfrac><mn>1</mn><mrow><mi>n</mi><mo>−</mo><mo stretchy=\"false\">|</mo><mi>k</mi><mo stretchy=\"false\">|</mo></mrow></mfrac><munder><mo>∑</mo><mrow><mi>j</mi><mo>−</mo><mi>i</mi><mo>=</mo><mi>k</mi></mrow></munder><msub><mi>A</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub></math>",
);

/// Toeplitz R².
pub const R2: Formula = Formula(
    "<math><msup><mi>R</mi><mn>2</mn></msup><mo>=</mo><mn>1</mn><mo>−</mo><mfrac><mrow><mo>∑</mo><msup><mrow><mo stretchy=\"false\">(</mo><msub><mi>A</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub><mo>−</mo><mi>f</mi><mo stretchy=\"false\">(</mo><mi>j</mi><mo>−</mo><mi>i</mi><mo stretchy=\"false\">)</mo><mo stretchy=\"false\">)</mo></mrow><mn>2</mn></msup></mrow><mrow><mo>∑</mo><msup><mrow><mo stretchy=\"false\">(</mo><msub><mi>A</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub><mo>−</mo><mover><mi>A</mi><mo stretchy=\"false\">¯</mo></mover><mo stretchy=\"false\">)</mo></mrow><mn>2</mn></msup></mrow></mfrac></math>",
);

/// F̂_P in the paper's equations 9–12.
pub const HEAD_PAPER: Formula = Formula(
    "<math><msub><mover><mi>F</mi><mo>^</mo></mover><mi>P</mi></msub><mo>=</mo></math> <math data-term=\"pp\"><mi>E</mi><mi>M</mi><msup><mi>E</mi><mi mathvariant=\"normal\">T</mi></msup></math> <math><mo>+</mo></math><math data-term=\"pc\"><mi>E</mi><mi>M</mi><msup><mover><mi>x</mi><mo stretchy=\"false\">¯</mo></mover><mi mathvariant=\"normal\">T</mi></msup></math> <math><mo>+</mo></math><math data-term=\"cp\"><mover><mi>x</mi><mo stretchy=\"false\">¯</mo></mover><mi>M</mi><msup><mi>E</mi><mi mathvariant=\"normal\">T</mi></msup></math><math><mo>,</mo></math> <math><mi>M</mi><mo>=</mo><msub><mi>W</mi><mi>Q</mi></msub><msubsup><mi>W</mi><mi>K</mi><mi mathvariant=\"normal\">T</mi></msubsup><mo>/</mo><msqrt><msub><mi>d</mi><mi>k</mi></msub></msqrt></math>",
);

/// Scores A as the model computes them.
pub const HEAD_COMPUTED: Formula = Formula(
    "<math><mi>A</mi><mo>=</mo><mi>Q</mi><msup><mi>K</mi><mi mathvariant=\"normal\">T</mi></msup><mo>/</mo><msqrt><msub><mi>d</mi><mi>k</mi></msub></msqrt><mo>,</mo></math> <math><mi>Q</mi><mo>=</mo><mi>X</mi><msub><mi>W</mi><mi>Q</mi></msub><mo>+</mo><msub><mi>b</mi><mi>Q</mi></msub><mo>,</mo></math> <math><mi>K</mi><mo>=</mo><mi>X</mi><msub><mi>W</mi><mi>K</mi></msub><mo>+</mo><msub><mi>b</mi><mi>K</mi></msub></math>",
);

/// Scores A as computed, without 1/√`d_k`.
pub const HEAD_COMPUTED_UNSCALED: Formula = Formula(
    "<math><mi>A</mi><mo>=</mo><mi>Q</mi><msup><mi>K</mi><mi mathvariant=\"normal\">T</mi></msup><mo>,</mo></math> <math><mi>Q</mi><mo>=</mo><mi>X</mi><msub><mi>W</mi><mi>Q</mi></msub><mo>+</mo><msub><mi>b</mi><mi>Q</mi></msub><mo>,</mo></math> <math><mi>K</mi><mo>=</mo><mi>X</mi><msub><mi>W</mi><mi>K</mi></msub><mo>+</mo><msub><mi>b</mi><mi>K</mi></msub></math>",
);

/// TISA, equation 5.
pub const KERNELS: Formula = Formula(
    "<math><mi>f</mi><mo stretchy=\"false\">(</mo><mi>k</mi><mo stretchy=\"false\">)</mo><mo>=</mo><munder><mo>∑</mo><mi>s</mi></munder><msub><mi>a</mi><mi>s</mi></msub><mspace width=\"0.15em\"></mspace><mi>exp</mi><mo stretchy=\"false\">(</mo><mo>−</mo><mo stretchy=\"false\">|</mo><msub><mi>b</mi><mi>s</mi></msub><mo stretchy=\"false\">|</mo><msup><mrow><mo stretchy=\"false\">(</mo><mi>k</mi><mo>−</mo><msub><mi>c</mi><mi>s</mi></msub><mo stretchy=\"false\">)</mo></mrow><mn>2</mn></msup><mo stretchy=\"false\">)</mo></math>",
);

/// `F_P` by offset.
pub const KERNEL_MATRIX: Formula = Formula(
    "<math data-term=\"kernel-scores\"><msub><mrow><mo stretchy=\"false\">(</mo><msub><mi>F</mi><mi>P</mi></msub><mo stretchy=\"false\">)</mo></mrow><mrow><mi>i</mi><mi>j</mi></mrow></msub></math><math><mo>=</mo><mi>f</mi><mo stretchy=\"false\">(</mo><mi>j</mi><mo>−</mo><mi>i</mi><mo stretchy=\"false\">)</mo></math>",
);

/// Softmax of the scores `F_P` of the kernels on the sliders.
pub const KERNEL_ATTENTION: Formula = Formula(
    "<math><mi>softmax</mi><mo stretchy=\"false\">(</mo></math><math data-term=\"kernel-scores\"><msub><mi>F</mi><mi>P</mi></msub></math><math><mo stretchy=\"false\">)</mo></math>",
);

/// Softmax of `F_P` of other kernels, such as those of a fit.
pub const ATTENTION: Formula = Formula(
    "<math><mi>softmax</mi><mo stretchy=\"false\">(</mo><msub><mi>F</mi><mi>P</mi></msub><mo stretchy=\"false\">)</mo></math>",
);

/// The position table E.
pub const TABLE: Formula = Formula("<math><mi>E</mi></math>");

/// The scores `F_P` of the kernels.
pub const SCORES_OF_KERNELS: Formula =
    Formula("<math data-term=\"kernel-scores\"><msub><mi>F</mi><mi>P</mi></msub></math>");

/// A head's scores by the paper's equation 12.
pub const HEAD_SCORES: Formula = Formula(
    "<math data-term=\"head-scores\"><msub><mover><mi>F</mi><mo>^</mo></mover><mi>P</mi></msub></math>",
);

/// A head's scores A as the model computes them.
pub const COMPUTED_SCORES: Formula = Formula("<math data-term=\"head-scores\"><mi>A</mi></math>");

/// A head's scores as the model computes them, plus `F_P`.
pub const ADDED_TO_COMPUTED: Formula = Formula(
    "<math data-term=\"head-scores\"><mi>A</mi></math><math><mo>+</mo></math><math data-term=\"kernel-scores\"><msub><mi>F</mi><mi>P</mi></msub></math>",
);

/// Softmax of a head's scores as the model computes them.
pub const ATTENTION_COMPUTED: Formula = Formula(
    "<math><mi>softmax</mi><mo stretchy=\"false\">(</mo></math><math data-term=\"head-scores\"><mi>A</mi></math><math><mo stretchy=\"false\">)</mo></math>",
);

/// Softmax of a head's scores as the model computes them, plus `F_P`.
pub const ATTENTION_ADDED_TO_COMPUTED: Formula = Formula(
    "<math><mi>softmax</mi><mo stretchy=\"false\">(</mo></math><math data-term=\"head-scores\"><mi>A</mi></math><math><mo>+</mo></math><math data-term=\"kernel-scores\"><msub><mi>F</mi><mi>P</mi></msub></math><math><mo stretchy=\"false\">)</mo></math>",
);

/// A head's scores by the paper's equation 12, plus `F_P`.
pub const SCORE_WITH_KERNELS: Formula = Formula(
    "<math data-term=\"head-scores\"><msub><mover><mi>F</mi><mo>^</mo></mover><mi>P</mi></msub></math><math><mo>+</mo></math><math data-term=\"kernel-scores\"><msub><mi>F</mi><mi>P</mi></msub></math>",
);

/// Softmax of a head's scores by equation 12.
pub const ATTENTION_OF_HEAD: Formula = Formula(
    "<math><mi>softmax</mi><mo stretchy=\"false\">(</mo></math><math data-term=\"head-scores\"><msub><mover><mi>F</mi><mo>^</mo></mover><mi>P</mi></msub></math><math><mo stretchy=\"false\">)</mo></math>",
);

/// Softmax of a head's scores by equation 12, plus `F_P`.
pub const ATTENTION_ADDED: Formula = Formula(
    "<math><mi>softmax</mi><mo stretchy=\"false\">(</mo></math><math data-term=\"head-scores\"><msub><mover><mi>F</mi><mo>^</mo></mover><mi>P</mi></msub></math><math><mo>+</mo></math><math data-term=\"kernel-scores\"><msub><mi>F</mi><mi>P</mi></msub></math><math><mo stretchy=\"false\">)</mo></math>",
);

/// Attention of words X with position embeddings E.
pub const ATTENTION_EMBEDDINGS: Formula = Formula(
    "<math><mi>softmax</mi><mo stretchy=\"false\">(</mo></math><math data-term=\"embedding-scores\"><mo stretchy=\"false\">(</mo><mi>X</mi><mo>+</mo><mi>E</mi><mo stretchy=\"false\">)</mo><mi>M</mi><msup><mrow><mo stretchy=\"false\">(</mo><mi>X</mi><mo>+</mo><mi>E</mi><mo stretchy=\"false\">)</mo></mrow><mi mathvariant=\"normal\">T</mi></msup></math><math><mo stretchy=\"false\">)</mo></math>",
);

/// Attention with position embeddings and kernels, equation 4a.
pub const ATTENTION_BESIDE: Formula = Formula(
    "<math><mi>softmax</mi><mo stretchy=\"false\">(</mo></math><math data-term=\"embedding-scores\"><mo stretchy=\"false\">(</mo><mi>X</mi><mo>+</mo><mi>E</mi><mo stretchy=\"false\">)</mo><mi>M</mi><msup><mrow><mo stretchy=\"false\">(</mo><mi>X</mi><mo>+</mo><mi>E</mi><mo stretchy=\"false\">)</mo></mrow><mi mathvariant=\"normal\">T</mi></msup></math> <math><mo>+</mo></math><math data-term=\"kernel-scores\"><msub><mi>F</mi><mi>P</mi></msub></math><math><mo stretchy=\"false\">)</mo></math>",
);

/// Attention with kernels instead of position embeddings, equation 4b.
pub const ATTENTION_INSTEAD: Formula = Formula(
    "<math><mi>softmax</mi><mo stretchy=\"false\">(</mo></math><math data-term=\"content-scores\"><mo stretchy=\"false\">(</mo><mi>X</mi><mo>+</mo><mover><mi>E</mi><mo stretchy=\"false\">¯</mo></mover><mo stretchy=\"false\">)</mo><mi>M</mi><msup><mrow><mo stretchy=\"false\">(</mo><mi>X</mi><mo>+</mo><mover><mi>E</mi><mo stretchy=\"false\">¯</mo></mover><mo stretchy=\"false\">)</mo></mrow><mi mathvariant=\"normal\">T</mi></msup></math> <math><mo>+</mo></math><math data-term=\"kernel-scores\"><msub><mi>F</mi><mi>P</mi></msub></math><math><mo stretchy=\"false\">)</mo></math>",
);

/// Attention with neither position embeddings nor kernels.
pub const ATTENTION_NONE: Formula = Formula(
    "<math><mi>softmax</mi><mo stretchy=\"false\">(</mo></math><math data-term=\"content-scores\"><mo stretchy=\"false\">(</mo><mi>X</mi><mo>+</mo><mover><mi>E</mi><mo stretchy=\"false\">¯</mo></mover><mo stretchy=\"false\">)</mo><mi>M</mi><msup><mrow><mo stretchy=\"false\">(</mo><mi>X</mi><mo>+</mo><mover><mi>E</mi><mo stretchy=\"false\">¯</mo></mover><mo stretchy=\"false\">)</mo></mrow><mi mathvariant=\"normal\">T</mi></msup></math><math><mo stretchy=\"false\">)</mo></math>",
);

/// Parameter counts of TISA, of a position table, and of an untied table.
pub const KERNEL_PARAMETERS: Formula = Formula(
    "<math><mn>3</mn><mi>S</mi><mi>H</mi><mi>L</mi></math> against <math><mi>n</mi><mi>d</mi></math> and <math><mi>n</mi><mi>d</mi><mo>+</mo><mn>2</mn><msup><mi>d</mi><mn>2</mn></msup></math>",
);

/// Self-attention, equations 1–3.
pub const SELF_ATTENTION: Formula = Formula(
    "<math><mi>softmax</mi><mo stretchy=\"false\">(</mo><mfrac><mrow><mi>X</mi><msub><mi>W</mi><mi>Q</mi></msub><msup><mrow><mo stretchy=\"false\">(</mo><mi>X</mi><msub><mi>W</mi><mi>K</mi></msub><mo stretchy=\"false\">)</mo></mrow><mi mathvariant=\"normal\">T</mi></msup></mrow><msqrt><msub><mi>d</mi><mi>k</mi></msub></msqrt></mfrac><mo stretchy=\"false\">)</mo><mi>X</mi><msub><mi>W</mi><mi>V</mi></msub></math>",
);

/// Self-attention of the sums of tokens X and positions E.
pub const SELF_ATTENTION_OF_SUMS: Formula = Formula(
    "<math><mi>softmax</mi><mo stretchy=\"false\">(</mo><mfrac><mrow><mo stretchy=\"false\">(</mo><mi>X</mi><mo>+</mo><mi>E</mi><mo stretchy=\"false\">)</mo><msub><mi>W</mi><mi>Q</mi></msub><msup><mrow><mo stretchy=\"false\">(</mo><mo stretchy=\"false\">(</mo><mi>X</mi><mo>+</mo><mi>E</mi><mo stretchy=\"false\">)</mo><msub><mi>W</mi><mi>K</mi></msub><mo stretchy=\"false\">)</mo></mrow><mi mathvariant=\"normal\">T</mi></msup></mrow><msqrt><msub><mi>d</mi><mi>k</mi></msub></msqrt></mfrac><mo stretchy=\"false\">)</mo><mo stretchy=\"false\">(</mo><mi>X</mi><mo>+</mo><mi>E</mi><mo stretchy=\"false\">)</mo><msub><mi>W</mi><mi>V</mi></msub></math>",
);

/// Self-attention with positions added to the scores, equation 4.
pub const SELF_ATTENTION_ADDED: Formula = Formula(
    "<math><mi>softmax</mi><mo stretchy=\"false\">(</mo><mfrac><mrow><mi>X</mi><msub><mi>W</mi><mi>Q</mi></msub><msup><mrow><mo stretchy=\"false\">(</mo><mi>X</mi><msub><mi>W</mi><mi>K</mi></msub><mo stretchy=\"false\">)</mo></mrow><mi mathvariant=\"normal\">T</mi></msup></mrow><msqrt><msub><mi>d</mi><mi>k</mi></msub></msqrt></mfrac><mo>+</mo><msub><mi>F</mi><mi>P</mi></msub><mo stretchy=\"false\">)</mo><mi>X</mi><msub><mi>W</mi><mi>V</mi></msub></math>",
);

/// Inner product of two rows of a sinusoidal table.
pub const FLAT_LINES: Formula = Formula(
    "<math><msub><mi>E</mi><mi>i</mi></msub><mo>·</mo><msub><mi>E</mi><mrow><mi>i</mi><mo>+</mo><mi>d</mi></mrow></msub><mo>=</mo><munder><mo>∑</mo><mi>m</mi></munder><mi>cos</mi><mo stretchy=\"false\">(</mo><mi>d</mi><mspace width=\"0.15em\"></mspace><msub><mi>ω</mi><mi>m</mi></msub><mo stretchy=\"false\">)</mo></math>",
);

/// The sum of the phasors.
pub const PHASORS: Formula = Formula(
    "<math><munder><mo>∑</mo><mi>m</mi></munder><mi>cos</mi><mo stretchy=\"false\">(</mo><mi>k</mi><mspace width=\"0.15em\"></mspace><msub><mi>ω</mi><mi>m</mi></msub><mo stretchy=\"false\">)</mo><mo>,</mo></math> <math><msub><mi>ω</mi><mi>m</mi></msub><mo>=</mo><msup><mi>base</mi><mrow><mo>−</mo><mn>2</mn><mi>m</mi><mo>/</mo><msub><mi>d</mi><mtext>model</mtext></msub></mrow></msup></math>",
);

/// The score of a quadratic head (slides on attention and convolution, equation 15).
pub const QUADRATIC: Formula = Formula(
    "<math><msub><mi>A</mi><mrow><mi>q</mi><mi>k</mi></mrow></msub><mo>=</mo><mo>−</mo><mi>α</mi><mo stretchy=\"false\">(</mo><msup><mrow><mo stretchy=\"false\">‖</mo><mi>δ</mi><mo>−</mo><mi>Δ</mi><mo stretchy=\"false\">‖</mo></mrow><mrow><mn>2</mn></mrow></msup><mo>−</mo><msup><mrow><mo stretchy=\"false\">‖</mo><mi>Δ</mi><mo stretchy=\"false\">‖</mo></mrow><mrow><mn>2</mn></mrow></msup><mo stretchy=\"false\">)</mo><mo>,</mo></math> <math><mi>δ</mi><mo>=</mo><mi>k</mi><mo>−</mo><mi>q</mi></math>",
);

/// Heads side by side times the output matrix, and the same as a sum over heads (equations 6 and 10).
pub const CONCATENATED_HEADS: Formula = Formula(
    "<math><mo stretchy=\"false\">[</mo><msub><mi>SA</mi><mn>1</mn></msub><mo stretchy=\"false\">(</mo><mi>X</mi><mo stretchy=\"false\">)</mo><mo>|</mo><mo>…</mo><mo>|</mo><msub><mi>SA</mi><msub><mi>N</mi><mi>h</mi></msub></msub><mo stretchy=\"false\">(</mo><mi>X</mi><mo stretchy=\"false\">)</mo><mo stretchy=\"false\">]</mo><msub><mi>W</mi><mi>out</mi></msub><mo>=</mo><munder><mo>∑</mo><mi>h</mi></munder><msup><mi>A</mi><mrow><mo stretchy=\"false\">(</mo><mi>h</mi><mo stretchy=\"false\">)</mo></mrow></msup><mi>X</mi><msubsup><mi>W</mi><mi>val</mi><mrow><mo stretchy=\"false\">(</mo><mi>h</mi><mo stretchy=\"false\">)</mo></mrow></msubsup><msubsup><mi>W</mi><mi>out</mi><mrow><mo stretchy=\"false\">(</mo><mi>h</mi><mo stretchy=\"false\">)</mo></mrow></msubsup></math>",
);

/// Bound of the rank of a head's matrix.
pub const HEAD_RANK: Formula = Formula(
    "<math><mi>rank</mi><mspace width=\"0.15em\"></mspace><msup><mi>W</mi><mrow><mo stretchy=\"false\">(</mo><mi>h</mi><mo stretchy=\"false\">)</mo></mrow></msup><mo>≤</mo><mi>min</mi><mo stretchy=\"false\">(</mo><msub><mi>D</mi><mi>h</mi></msub><mo>,</mo><msub><mi>D</mi><mi>out</mi></msub><mo stretchy=\"false\">)</mo></math>",
);

/// Attention of a quadratic head: softmax of [`QUADRATIC`], up to a factor.
pub const GAUSSIAN_ATTENTION: Formula = Formula(
    "<math><msub><mi>A</mi><mrow><mi>q</mi><mi>k</mi></mrow></msub><mo>∝</mo><mi>exp</mi><mo stretchy=\"false\">(</mo><mo>−</mo><mi>α</mi><msup><mrow><mo stretchy=\"false\">‖</mo><mi>k</mi><mo>−</mo><mi>q</mi><mo>−</mo><mi>Δ</mi><mo stretchy=\"false\">‖</mo></mrow><mrow><mn>2</mn></mrow></msup><mo stretchy=\"false\">)</mo></math>",
);

/// Output of a layer of quadratic heads for an image, without bias (equation 10).
pub const MULTI_HEAD: Formula = Formula(
    "<math><msub><mi>Y</mi><mrow><mi>q</mi></mrow></msub><mo>=</mo><munder><mo>∑</mo><mi>h</mi></munder><munder><mo>∑</mo><mi>k</mi></munder><msubsup><mi>A</mi><mrow><mi>q</mi><mi>k</mi></mrow><mrow><mo stretchy=\"false\">(</mo><mi>h</mi><mo stretchy=\"false\">)</mo></mrow></msubsup><msub><mi>X</mi><mrow><mi>k</mi></mrow></msub><msup><mi>W</mi><mrow><mo stretchy=\"false\">(</mo><mi>h</mi><mo stretchy=\"false\">)</mo></mrow></msup></math>",
);

/// Value and output weights of a head, as one matrix.
pub const HEAD_WEIGHTS: Formula = Formula(
    "<math><msup><mi>W</mi><mrow><mo stretchy=\"false\">(</mo><mi>h</mi><mo stretchy=\"false\">)</mo></mrow></msup><mo>=</mo><msubsup><mi>W</mi><mi>val</mi><mrow><mo stretchy=\"false\">(</mo><mi>h</mi><mo stretchy=\"false\">)</mo></mrow></msubsup><msubsup><mi>W</mi><mi>out</mi><mrow><mo stretchy=\"false\">(</mo><mi>h</mi><mo stretchy=\"false\">)</mo></mrow></msubsup></math>",
);

/// Autocorrelation of a column at lag l.
pub const AUTOCORRELATION: Formula = Formula(
    "<math><mi>r</mi><mo stretchy=\"false\">(</mo><mi>l</mi><mo stretchy=\"false\">)</mo><mo>=</mo><mfrac><mrow><munder><mo>∑</mo><mi>i</mi></munder><mo stretchy=\"false\">(</mo><msub><mi>e</mi><mi>i</mi></msub><mo>−</mo><mover><mi>e</mi><mo stretchy=\"false\">¯</mo></mover><mo stretchy=\"false\">)</mo><mo stretchy=\"false\">(</mo><msub><mi>e</mi><mrow><mi>i</mi><mo>+</mo><mi>l</mi></mrow></msub><mo>−</mo><mover><mi>e</mi><mo stretchy=\"false\">¯</mo></mover><mo stretchy=\"false\">)</mo></mrow><mrow><munder><mo>∑</mo><mi>i</mi></munder><msup><mrow><mo stretchy=\"false\">(</mo><msub><mi>e</mi><mi>i</mi></msub><mo>−</mo><mover><mi>e</mi><mo stretchy=\"false\">¯</mo></mover><mo stretchy=\"false\">)</mo></mrow><mn>2</mn></msup></mrow></mfrac></math>",
);

/// The amplitude spectrum of a column, equation 9 of the paper on waves.
pub const COLUMN_SPECTRUM: Formula = Formula(
    "<math><mo stretchy=\"false\">|</mo><munder><mo>∑</mo><mi>i</mi></munder><msub><mi>E</mi><mrow><mi>i</mi><mi>c</mi></mrow></msub><mspace width=\"0.15em\"></mspace><msup><mi>e</mi><mrow><mo>−</mo><mn>2</mn><mi>π</mi><mi mathvariant=\"normal\">j</mi><mi>f</mi><mi>i</mi><mo>/</mo><mi>n</mi></mrow></msup><mo stretchy=\"false\">|</mo></math>",
);

/// Principal components of the position table.
pub const PRINCIPAL_COMPONENTS: Formula = Formula(
    "<math><mi>E</mi><mo>−</mo><mover><mi>E</mi><mo stretchy=\"false\">¯</mo></mover><mo>=</mo><mi>U</mi><mi>Σ</mi><msup><mi>V</mi><mi mathvariant=\"normal\">T</mi></msup></math>",
);

/// Queries and keys in the singular bases of `W_Q` `W_K`ᵀ, equations 13 and 14.
pub const SINGULAR_QUERIES_AND_KEYS: Formula = Formula(
    "<math><msub><mi>W</mi><mi>Q</mi></msub><msubsup><mi>W</mi><mi>K</mi><mi mathvariant=\"normal\">T</mi></msubsup><mo>=</mo><msub><mi>U</mi><mi>Q</mi></msub><mi>S</mi><msubsup><mi>U</mi><mi>K</mi><mi mathvariant=\"normal\">T</mi></msubsup><mo>,</mo></math> <math><mi>Q</mi><mo>=</mo><mi>X</mi><msub><mi>U</mi><mi>Q</mi></msub><mo>,</mo></math> <math><mi>K</mi><mo>=</mo><mi>X</mi><msub><mi>U</mi><mi>K</mi></msub></math>",
);

/// Cross-correlation of a column of queries with that of the keys, equation 20, minus the mean over the offsets that
/// are drawn. x is the cross-covariance, equation 19.
pub const CROSS_CORRELATION: Formula = Formula(
    "<math><mfrac><mrow><msub><mi>x</mi><mi>c</mi></msub><mo stretchy=\"false\">(</mo><mi>k</mi><mo stretchy=\"false\">)</mo><mo>−</mo><munder><mi>mean</mi><mrow><mo stretchy=\"false\">|</mo><mi>t</mi><mo stretchy=\"false\">|</mo><mo>≤</mo><mn>20</mn></mrow></munder><msub><mi>x</mi><mi>c</mi></msub><mo stretchy=\"false\">(</mo><mi>t</mi><mo stretchy=\"false\">)</mo></mrow><mrow><mo stretchy=\"false\">‖</mo><msub><mi>Q</mi><mi>c</mi></msub><mo stretchy=\"false\">‖</mo><mo stretchy=\"false\">‖</mo><msub><mi>K</mi><mi>c</mi></msub><mo stretchy=\"false\">‖</mo></mrow></mfrac><mo>,</mo></math> <math><msub><mi>x</mi><mi>c</mi></msub><mo stretchy=\"false\">(</mo><mi>k</mi><mo stretchy=\"false\">)</mo><mo>=</mo><munder><mo>∑</mo><mi>i</mi></munder><msub><mi>Q</mi><mrow><mi>i</mi><mi>c</mi></mrow></msub><msub><mi>K</mi><mrow><mi>i</mi><mo>+</mo><mi>k</mi><mo>,</mo><mi>c</mi></mrow></msub></math>",
);

/// Sums of the diagonals, as a sum of the contributions of the columns, equations 21 to 23.
pub const CROSS_COVARIANCE: Formula = Formula(
    "<math><munder><mo>∑</mo><mi>i</mi></munder><msub><mrow><mo stretchy=\"false\">(</mo><mi>Q</mi><mi>S</mi><msup><mi>K</mi><mi mathvariant=\"normal\">T</mi></msup><mo stretchy=\"false\">)</mo></mrow><mrow><mi>i</mi><mo>,</mo><mi>i</mi><mo>+</mo><mi>k</mi></mrow></msub></math> <math><mo>=</mo><munder><mo>∑</mo><mi>c</mi></munder><msub><mi>s</mi><mi>c</mi></msub><munder><mo>∑</mo><mi>i</mi></munder><msub><mi>Q</mi><mrow><mi>i</mi><mi>c</mi></mrow></msub><msub><mi>K</mi><mrow><mi>i</mi><mo>+</mo><mi>k</mi><mo>,</mo><mi>c</mi></mrow></msub></math>",
);

/// Amplitude by frequency and angle, and the line of one offset, equations 26 and 27.
pub const ROTATION: Formula = Formula(
    "<math><mi>g</mi><mo stretchy=\"false\">(</mo><mi>f</mi><mo>,</mo><mi>θ</mi><mo stretchy=\"false\">)</mo><mo>,</mo></math> <math><mi>θ</mi><mo>=</mo><mn>2</mn><mi>π</mi><mi>f</mi><mi>Δ</mi><mo>/</mo><mi>n</mi></math>",
);

/// The line of one shift through the angles of a rotation, equation 27.
pub const PHASE_LINE: Formula = Formula(
    "<math><mi>θ</mi><mo>=</mo><mn>2</mn><mi>π</mi><mi>f</mi><mi>Δ</mi><mo>/</mo><mi>n</mi></math>",
);

/// Weights of keys turned in the space V of the positions' waves: Theorem 1 with the rotation fitted to the positions.
pub const RETARGETED_KEYS: Formula = Formula(
    "<math><msubsup><mi>W</mi><mi>K</mi><mo>′</mo></msubsup><mo>=</mo><mo stretchy=\"false\">(</mo><mi>I</mi><mo>+</mo><mi>V</mi><mo stretchy=\"false\">(</mo><mi>R</mi><mo>−</mo><mi>I</mi><mo stretchy=\"false\">)</mo><msup><mi>V</mi><mi mathvariant=\"normal\">T</mi></msup><mo stretchy=\"false\">)</mo><msub><mi>W</mi><mi>K</mi></msub><mo>,</mo></math> <math><mi>R</mi><mo>=</mo><munder><mi>argmin</mi><mrow><msup><mi>R</mi><mi mathvariant=\"normal\">T</mi></msup><mi>R</mi><mo>=</mo><mi>I</mi></mrow></munder><munder><mo>∑</mo><mi>p</mi></munder><msup><mrow><mo stretchy=\"false\">|</mo><msub><mi>c</mi><mrow><mi>p</mi><mo>−</mo><mi>Δ</mi></mrow></msub><mo>−</mo><msub><mi>c</mi><mi>p</mi></msub><mi>R</mi><mo stretchy=\"false\">|</mo></mrow><mn>2</mn></msup></math>",
);

/// Largest amplitude of a layer, equation 18.
pub const LAYER_SPECTRUM: Formula = Formula(
    "<math><munder><mi>max</mi><mrow><mi>h</mi><mo>,</mo><mi>c</mi></mrow></munder><mo stretchy=\"false\">|</mo><munder><mo>∑</mo><mi>i</mi></munder><msubsup><mi>Q</mi><mrow><mi>i</mi><mi>c</mi></mrow><mrow><mo stretchy=\"false\">(</mo><mi>h</mi><mo stretchy=\"false\">)</mo></mrow></msubsup><mspace width=\"0.15em\"></mspace><msup><mi>e</mi><mrow><mo>−</mo><mn>2</mn><mi>π</mi><mi mathvariant=\"normal\">j</mi><mi>f</mi><mi>i</mi><mo>/</mo><mi>n</mi></mrow></msup><mo stretchy=\"false\">|</mo></math>",
);

/// Mean attention at offset k, equation 7.
pub const TRACE: Formula = Formula(
    "<math><mfrac><mrow><mn>1</mn></mrow><mrow><mi>n</mi></mrow></mfrac><munder><mo>∑</mo><mi>i</mi></munder><msub><mi>A</mi><mrow><mi>i</mi><mo>,</mo><mi>i</mi><mo>+</mo><mi>k</mi></mrow></msub></math>",
);

/// Entropy of attention p in bits, averaged over n queries.
pub const ENTROPY: Formula = Formula(
    "<math><mi>H</mi><mo>=</mo><mo>−</mo><mfrac><mn>1</mn><mi>n</mi></mfrac><munder><mo>∑</mo><mi>i</mi></munder><munder><mo>∑</mo><mi>j</mi></munder><msub><mi>p</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub><mspace width=\"0.15em\"></mspace><msub><mi>log</mi><mn>2</mn></msub><msub><mi>p</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub></math>",
);

/// Variance of the scores s of a rotary head, over words and offsets k: position, content, and both.
pub const POSITION_BUDGET: Formula = Formula(
    "<math><mi>Var</mi><mspace width=\"0.15em\"></mspace><mi>s</mi><mo>=</mo><munder><mrow><munder><mi>Var</mi><mi>k</mi></munder><mspace width=\"0.15em\"></mspace><mi>f</mi><mo>(</mo><mi>k</mi><mo>)</mo></mrow><mtext>position</mtext></munder><mo>+</mo><munder><mrow><mi>V</mi><mo>(</mo><mover><mi>R</mi><mo>¯</mo></mover><mo>)</mo></mrow><mtext>content</mtext></munder><mo>+</mo><munder><mrow><munder><mi>mean</mi><mi>k</mi></munder><mspace width=\"0.15em\"></mspace><mi>V</mi><mo>(</mo><msub><mi>R</mi><mi>k</mi></msub><mo>)</mo><mo>−</mo><mi>V</mi><mo>(</mo><mover><mi>R</mi><mo>¯</mo></mover><mo>)</mo></mrow><mtext>both</mtext></munder></math>",
);

/// Share of the attention that a sink of score s takes, by the scores f(k) of the keys that a query sees.
pub const SINK_SHARE: Formula = Formula(
    "<math><mfrac><msup><mi>e</mi><mi>s</mi></msup><mrow><msup><mi>e</mi><mi>s</mi></msup><mo>+</mo><munder><mo>∑</mo><mi>k</mi></munder><msup><mi>e</mi><mrow><mi>f</mi><mo stretchy=\"false\">(</mo><mi>k</mi><mo stretchy=\"false\">)</mo></mrow></msup></mrow></mfrac></math>",
);

/// The product of sums of words W and positions E as four terms (TISA paper, eq. 2; Cordonnier et al., eq. 4).
pub const SCORE_TERMS: Formula = Formula(
    "<math data-term=\"sum\"><mo stretchy=\"false\">(</mo><mi>W</mi><mo>+</mo><mi>E</mi><mo stretchy=\"false\">)</mo><mi>M</mi><msup><mrow><mo stretchy=\"false\">(</mo><mi>W</mi><mo>+</mo><mi>E</mi><mo stretchy=\"false\">)</mo></mrow><mi mathvariant=\"normal\">T</mi></msup></math><math><mo>=</mo></math> <math data-term=\"cc\"><mi>W</mi><mi>M</mi><msup><mi>W</mi><mi mathvariant=\"normal\">T</mi></msup></math> <math><mo>+</mo></math><math data-term=\"cp\"><mi>W</mi><mi>M</mi><msup><mi>E</mi><mi mathvariant=\"normal\">T</mi></msup></math> <math><mo>+</mo></math><math data-term=\"pc\"><mi>E</mi><mi>M</mi><msup><mi>W</mi><mi mathvariant=\"normal\">T</mi></msup></math> <math><mo>+</mo></math><math data-term=\"pp\"><mi>E</mi><mi>M</mi><msup><mi>E</mi><mi mathvariant=\"normal\">T</mi></msup></math>",
);

/// A layer of heads as a convolution (Cordonnier et al., proof of Lemma 1 backwards).
pub const LAYER_TAPS: Formula = Formula(
    "<math><mi>MHSA</mi><mo stretchy=\"false\">(</mo><mi>X</mi><msub><mo stretchy=\"false\">)</mo><mi>i</mi></msub><mo>≈</mo><munder><mo>∑</mo><mi>k</mi></munder><msub><mi>X</mi><mrow><mi>i</mi><mo>+</mo><mi>k</mi></mrow></msub><msub><mi>K</mi><mi>k</mi></msub><mo>,</mo></math> <math><msub><mi>K</mi><mi>k</mi></msub><mo>=</mo><munder><mo>∑</mo><mi>h</mi></munder><msub><mi>a</mi><mi>h</mi></msub><mo stretchy=\"false\">(</mo><mi>k</mi><mo stretchy=\"false\">)</mo><msubsup><mi>W</mi><mi>V</mi><mi>h</mi></msubsup><msubsup><mi>W</mi><mi>O</mi><mi>h</mi></msubsup></math>",
);

/// A pair of positions: query i and key j.
pub const POSITION_PAIR: Formula = Formula("<math><mi>i</mi><mo>,</mo><mi>j</mi></math>");

/// The offset k.
pub const OFFSET_SYMBOL: Formula = Formula("<math><mi>k</mi></math>");

/// The offset from a query to a key.
pub const OFFSET: Formula =
    Formula("<math><mi>k</mi><mo>=</mo><mi>j</mi><mo>−</mo><mi>i</mi></math>");

/// The matrix P of inner products.
pub const SIMILARITY_SYMBOL: Formula = Formula("<math><mi>P</mi></math>");

/// A Toeplitz matrix: values depend on the offset alone.
pub const TOEPLITZ: Formula = Formula(
    "<math><msub><mi>A</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub><mo>=</mo><mi>f</mi><mo stretchy=\"false\">(</mo><mi>j</mi><mo>−</mo><mi>i</mi><mo stretchy=\"false\">)</mo></math>",
);

/// The profile f(k).
pub const PROFILE_SYMBOL: Formula = Formula(
    "<math><mi>f</mi><mo stretchy=\"false\">(</mo><mi>k</mi><mo stretchy=\"false\">)</mo></math>",
);

/// The symbol R².
pub const R2_SYMBOL: Formula = Formula("<math><msup><mi>R</mi><mn>2</mn></msup></math>");

/// The pairs of a causal model.
pub const CAUSAL: Formula = Formula("<math><mi>j</mi><mo>≤</mo><mi>i</mi></math>");

/// The offset (Δy, Δx) between two patches or pixels.
pub const GRID_OFFSET: Formula = Formula(
    "<math><mo stretchy=\"false\">(</mo><mi>Δy</mi><mo>,</mo><mi>Δx</mi><mo stretchy=\"false\">)</mo></math>",
);

/// Share of a pair of rotated columns.
pub const PAIR_SHARE: Formula = Formula(
    "<math><mfrac><msub><mi>u</mi><mi>m</mi></msub><mrow><mo>∑</mo><msub><mi>u</mi><mi>m</mi></msub></mrow></mfrac><mo>,</mo></math> <math><msub><mi>u</mi><mi>m</mi></msub><mo>=</mo><msub><mrow><mo stretchy=\"false\">‖</mo><msubsup><mi>W</mi><mi>Q</mi><mrow><mo stretchy=\"false\">(</mo><mi>m</mi><mo stretchy=\"false\">)</mo></mrow></msubsup><mo stretchy=\"false\">‖</mo></mrow><mi>F</mi></msub><msub><mrow><mo stretchy=\"false\">‖</mo><msubsup><mi>W</mi><mi>K</mi><mrow><mo stretchy=\"false\">(</mo><mi>m</mi><mo stretchy=\"false\">)</mo></mrow></msubsup><mo stretchy=\"false\">‖</mo></mrow><mi>F</mi></msub></math>",
);

/// The most that a pair of rotated columns can add to a score.
pub const PAIR_BOUND: Formula = Formula(
    "<math><mi>s</mi><mspace width=\"0.15em\"></mspace><mi>d</mi><mspace width=\"0.15em\"></mspace><mi>max</mi><mo stretchy=\"false\">|</mo><msup><mi>γ</mi><mi>Q</mi></msup><mo stretchy=\"false\">|</mo><mspace width=\"0.15em\"></mspace><mi>max</mi><mo stretchy=\"false\">|</mo><msup><mi>γ</mi><mi>K</mi></msup><mo stretchy=\"false\">|</mo></math>",
);

/// Theorem 1 of the paper on waves: one shift for all waves, and the angle of each (equations 25 and 31).
pub const ONE_SHIFT: Formula = Formula(
    "<math><msub><mi>Q</mi><mi>t</mi></msub><mo>=</mo><msub><mi>K</mi><mrow><mi>t</mi><mo>+</mo><mi>Δ</mi></mrow></msub><mo>,</mo></math> <math><msub><mi>θ</mi><mi>i</mi></msub><mo>=</mo><mfrac><mrow><mn>2</mn><mi>π</mi><msub><mi>f</mi><mi>i</mi></msub><mi>Δ</mi></mrow><mi>T</mi></mfrac></math>",
);

/// The shift of each wave if all have one angle, after equation 31 of the paper on waves.
pub const ONE_ANGLE: Formula = Formula(
    "<math><msub><mi>θ</mi><mi>i</mi></msub><mo>=</mo><mi>θ</mi><mo>,</mo></math> <math><msub><mi>Δ</mi><mi>i</mi></msub><mo>=</mo><mfrac><mrow><mi>T</mi><mi>θ</mi></mrow><mrow><mn>2</mn><mi>π</mi><msub><mi>f</mi><mi>i</mi></msub></mrow></mfrac></math>",
);

/// Attention of planted waves.
pub const PLANTED_ATTENTION: Formula = Formula(
    "<math><mi>softmax</mi><mo stretchy=\"false\">(</mo><mi>s</mi><mspace width=\"0.15em\"></mspace><mi>Q</mi><msup><mi>K</mi><mi mathvariant=\"normal\">T</mi></msup><mo stretchy=\"false\">)</mo></math>",
);

/// Equivalence of a cone below the cosines and continuity of the rows (post on learned tables).
pub const LIPSCHITZ_CONE: Formula = Formula(
    "<math><mo stretchy=\"false\">⟨</mo><msub><mi>u</mi><mi>n</mi></msub><mo>,</mo><msub><mi>u</mi><mi>m</mi></msub><mo stretchy=\"false\">⟩</mo><mo>≥</mo><mn>1</mn><mo>−</mo><mrow><mi>C</mi><mo stretchy=\"false\">|</mo><mi>n</mi><mo>−</mo><mi>m</mi><mo stretchy=\"false\">|</mo></mrow></math> <math><mo>⟺</mo><msup><mrow><mo stretchy=\"false\">‖</mo><msub><mi>u</mi><mi>n</mi></msub><mo>−</mo><msub><mi>u</mi><mi>m</mi></msub><mo stretchy=\"false\">‖</mo></mrow><mn>2</mn></msup><mo>≤</mo><mn>2</mn><mrow><mi>C</mi><mo stretchy=\"false\">|</mo><mi>n</mi><mo>−</mo><mi>m</mi><mo stretchy=\"false\">|</mo></mrow></math>",
);
