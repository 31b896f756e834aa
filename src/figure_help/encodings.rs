//! Guides of the encodings view. Its figures are about schemes, so the guides do not depend on the open model.

use super::{
    Guide,
    Paper::{
        LearnedEmbeddings, SelfAttentionAndConvolution, SinusoidLikeWaves, SinusoidalDotProducts,
        Tisa,
    },
    cite,
};

pub(super) fn guide(figure: &str) -> Option<Guide> {
    Some(match figure {
        "encoding-profile" => ENCODING_PROFILE,
        "flat-lines" => FLAT_LINES,
        "phasors" => PHASORS,
        "criteria" => CRITERIA,
        "permutation" => PERMUTATION,
        _ => return None,
    })
}

const ENCODING_PROFILE: Guide = Guide {
    question: "What does each scheme make of an offset?",
    reading: "A strip is one scheme’s f(k) over the offset k, in units of its own. Drawn in one plot, each is moved to 0 at k = 0 and divided by its range over the offsets shown.",
    look_for: "Compare near and far: ALiBi falls in a straight line, T5 in steps, Shaw’s vectors stop telling offsets apart at their clip, and a rotary profile swings.",
    sources: &[cite(
        Tisa,
        "section 2 and Table 1",
        "Describes most of these schemes in words; ALiBi, Transformer-XL and DeBERTa are added here.",
    )],
};

const FLAT_LINES: Guide = Guide {
    question: "Does the distance alone decide the inner product of two rows?",
    reading: "A line is one distance d: the inner product of rows i and i + d over the start i. Dashed is the closed form, or for the open table the mean of the line.",
    look_for: "Lines of the sinusoid are flat up to rounding, and at d = 0 lie at half the width, 64 for width 128. Those of the open table leave their means where the offset does not decide.",
    sources: &[cite(
        SinusoidalDotProducts,
        "section “Seeing it — the flat-line plot”",
        "The same plot for 15 positions, width 8 and d = 1, 3, …, 13. All of these can be typed in here; without a choice, distances suit the length.",
    )],
};

const PHASORS: Guide = Guide {
    question: "Why does only the offset matter to a sinusoidal table?",
    reading: "A dial is one pair of columns with wavelength λ: the thin hand is position i, the thick hand position i + k. The bar below is the cosine of the angle between them.",
    look_for: "Change i, and both hands turn while the angle between them stays. At k = 4 the fastest hand, λ = 6.28, is 229° ahead, and the slowest has hardly moved.",
    sources: &[
        cite(
            SinusoidalDotProducts,
            "section “Applying the cosine subtraction identity”",
            "Derives the sum of cosines, pair by pair, which the bars show.",
        ),
        cite(
            SinusoidLikeWaves,
            "equation 6",
            "An offset as a rotation of each pair, the same at every position.",
        ),
    ],
};

const CRITERIA: Guide = Guide {
    question: "Which way to encode position meets all six criteria?",
    reading: "A row is a method, a column a criterion; a tick says that it is met, a cross that it is not. A ring says that the other mark could be argued for.",
    look_for: "TISA, in the last row, has six ticks. T5 lacks one: it does not tell offsets apart beyond its last bucket. Open a mark to read its reason.",
    sources: &[cite(
        Tisa,
        "Table 1",
        "The marks are the paper’s; reasons, rings and what can be moved are the page’s.",
    )],
};

const PERMUTATION: Guide = Guide {
    question: "What does attention know of order when it has no positions?",
    reading: "A strip of colours is the output for one token, before shuffling on the left and after it on the right; a line joins the same token. The number is how far its output has changed.",
    look_for: "Without positions no output changes by more than rounding error. With sinusoids or kernels outputs change as soon as tokens move.",
    sources: &[
        cite(
            LearnedEmbeddings,
            "section “Mathematics of additive positional embeddings”",
            "Proves that attention without positions permutes its outputs as its inputs are permuted.",
        ),
        cite(
            SelfAttentionAndConvolution,
            "equations 2 and 3",
            "Scores without a positional encoding, which a shuffle only rearranges, and with one.",
        ),
    ],
};
