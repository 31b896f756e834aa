//! Guides of the positions view: the similarity of positions, and how far the offset determines it.

use super::{
    Guide,
    Paper::{
        LearnedEmbeddings, SelfAttentionAndConvolution, SinusoidLikeWaves, SinusoidalDotProducts,
        Tisa,
    },
    PositionFamily, cite,
};

pub(super) fn guide(figure: &str, subject: PositionFamily) -> Option<Guide> {
    Some(match figure {
        "position-matrix" => position_matrix(subject),
        "offset-profile" => offset_profile(subject),
        "toeplitz-scores" => toeplitz_scores(subject),
        "grid-profile" => grid_profile(subject),
        "position-table" => position_table(subject),
        "autocorrelation" => autocorrelation(subject),
        _ => return None,
    })
}

fn position_matrix(subject: PositionFamily) -> Guide {
    const TABLE: Guide = Guide {
        question: "Does the offset alone decide how alike two positions are?",
        reading: "Row i and column j are positions; the colour is the inner product of their rows of the table, or its cosine. All cells of a diagonal have the same offset k = j − i.",
        look_for: "Diagonals of one colour mean that the offset alone decides. In MiniLM position 0 stands apart: its inner product with itself is 5.58, that of position 1 is 0.24.",
        sources: &[
            cite(
                Tisa,
                "section 3.1, Figures 1, 4 and 5",
                "Heatmaps of the inner products P = E·Eᵀ for BERT, RoBERTa, ELECTRA and ALBERT; the text says that cosines show the same.",
            ),
            cite(
                LearnedEmbeddings,
                "section “Cosine self-similarity”",
                "Cosines of 256 learned positions beside those of a sinusoidal table.",
            ),
        ],
    };
    match subject {
        PositionFamily::Table => TABLE,
        PositionFamily::Grid => Guide {
            question: "Are patches alike that lie close together in the image?",
            reading: "Rows and columns are patches in reading order; the colour is the inner product of their rows of the table, or its cosine. The patch below lies one image width farther on.",
            look_for: "Diagonals that return every image width mean that a patch resembles those above and below it, not only its neighbours to the left and right.",
            sources: const {
                &[cite(
                    Tisa,
                    "section 3.1",
                    "Names cosines of image patches as another case of translation invariance; the paper’s own heatmaps are of language models.",
                )]
            },
        },
        PositionFamily::Computed => Guide {
            question: "Does a computed table show how far apart two positions are?",
            look_for: "In a sinusoidal table every diagonal has one colour; the inner product on the main one is d/2, half the width. In a random table the main diagonal alone stands out.",
            sources: const {
                &[cite(
                    SinusoidalDotProducts,
                    "section “Why this proves translation invariance”",
                    "Derives that the inner product of two sinusoidal rows is a sum of cosines of the distance, wherever the two stand.",
                )]
            },
            ..TABLE
        },
        PositionFamily::Offset => Guide {
            question: "What do positions add to the score of a query and a key?",
            reading: "Row i is the query, column j the key; the colour is the score that positions add before softmax, averaged over the heads of the first layer.",
            look_for: "Every diagonal has one colour, because the model chooses the score by offset. Broad bands of one colour in T5 are far offsets that share a bucket.",
            sources: const {
                &[cite(
                    Tisa,
                    "section 2 and Table 1",
                    "Describes T5’s bins of offsets and counts them as translation invariant; heatmaps are shown of position tables alone.",
                )]
            },
        },
        PositionFamily::Window => Guide {
            question: "What does each step across the window add to a score?",
            reading: "Rows and columns are places of the window in reading order; the colour is the bias that is added before softmax, averaged over the heads of the first layer.",
            look_for: "The same blocks return along the diagonals: a block is a pair of image rows, Δy apart, and a diagonal inside it is one Δx.",
            sources: const {
                &[cite(
                    SelfAttentionAndConvolution,
                    "equation 5",
                    "Relative encodings for images; the last term depends on the shift of key against query alone, as the stored bias does.",
                )]
            },
        },
        PositionFamily::Rotary => Guide {
            question: "What do rotations alone say about two positions?",
            reading: "Row i and column j are positions; the colour is Σ cos(k·θ) over the pairs of columns: the score of a query and an equal key, each pair of length 1, once both are turned.",
            look_for: "Every diagonal has one colour, since query and key differ by the angle k·θ wherever they stand. On the main diagonal the sum is the number of pairs.",
            sources: const {
                &[
                    cite(
                        Tisa,
                        "section 2 and Table 1",
                        "Describes rotations of queries and keys as translation invariant, and notes that they are not learned.",
                    ),
                    cite(
                        SinusoidLikeWaves,
                        "equation 6",
                        "The same rotation takes one row of a sinusoidal table to another.",
                    ),
                ]
            },
        },
    }
}

fn offset_profile(subject: PositionFamily) -> Guide {
    const TABLE: Guide = Guide {
        question: "How does similarity change with distance?",
        reading: "The line is the mean of each diagonal of the matrix over the offset k; the shade reaches one standard deviation to either side of it.",
        look_for: "MiniLM’s line ripples: from 0.23 at k = 0 it falls to 0.10 at k = 3 and rises to 0.15 at k = 6. Where the shade is wide, the offset does not decide alone.",
        sources: &[
            cite(
                Tisa,
                "appendix B, equation 7",
                "The Toeplitz matrix nearest to P; the diagonal means are that matrix, which the paper does not plot.",
            ),
            cite(
                SinusoidLikeWaves,
                "equation 7",
                "The t-offset trace is the sum of a diagonal, of attention there; here the sum is divided by the diagonal’s length.",
            ),
        ],
    };
    const TRACE: Guide = Guide {
        sources: &[cite(
            SinusoidLikeWaves,
            "equation 7",
            "The t-offset trace sums a diagonal of an attention matrix; here a diagonal of the matrix shown is averaged.",
        )],
        ..TABLE
    };
    match subject {
        PositionFamily::Table => TABLE,
        PositionFamily::Grid => Guide {
            reading: "The patches are read row by row, as one line. The line is the mean of each diagonal over the offset k in that order, the shade one standard deviation to either side.",
            look_for: "Peaks one image width apart are patches one above the other. “Score by (Δy, Δx)” shows the same means in two dimensions.",
            ..TRACE
        },
        PositionFamily::Computed => Guide {
            look_for: "A sinusoidal table has no shade, since all pairs at one offset have the same product. A random table stays near 0 except at k = 0.",
            ..TABLE
        },
        PositionFamily::Offset => Guide {
            question: "How does the added score change with the offset?",
            reading: "The line is the score of each offset k, averaged over the heads of the first layer; at a negative k the key stands before the query.",
            look_for: "The shade has no width, because each offset has one score. T5’s line runs in steps: a step is a bucket, and buckets grow wider with distance.",
            sources: const {
                &[cite(
                    Tisa,
                    "sections 2 and 4.2",
                    "Contrasts T5’s discrete bins with kernels, whose score changes smoothly with the offset.",
                )]
            },
        },
        PositionFamily::Window => Guide {
            question: "How does the added score change along a window read row by row?",
            reading: "The window is read row by row, as one line. The line is the mean bias at each offset k in that order, the shade one standard deviation to either side.",
            look_for: "The shade is wide although the bias is exact: one offset in reading order stands for several steps (Δy, Δx).",
            ..TRACE
        },
        PositionFamily::Rotary => Guide {
            question: "How does the rotated product change with distance?",
            reading: "The line is Σ cos(k·θ) over the pairs of columns at each offset k, divided by their number if cosine is chosen.",
            look_for: "The line falls steeply from k = 0, where all cosines are 1, and then swings as fast pairs go out of step. The shade has no width.",
            sources: const {
                &[cite(
                    SinusoidalDotProducts,
                    "section “Applying the cosine subtraction identity”",
                    "Derives the same sum of cosines for a sinusoidal table, of which a rotary one differs in width and base.",
                )]
            },
        },
    }
}

fn toeplitz_scores(subject: PositionFamily) -> Guide {
    const TABLE: Guide = Guide {
        question: "How much of the matrix does the offset explain?",
        reading: "A bar is R², the share of the variance that the diagonal means explain, from 0 to 1: the thick bar without k = 0, the thin one of all cells. Marks show a random table.",
        look_for: "MiniLM scores 0.474 on all cells, where a random table scores 0.430. Without k = 0 it is 0.477 against 0.004, with 0.522 for the first 128 positions and 0.961 for the next 128.",
        sources: &[cite(
            Tisa,
            "appendix B, equations 6 to 8, and Figure 4",
            "Defines R² over all cells, and shows that BERT’s first 128 rows are more Toeplitz; the page adds R² without k = 0 and random tables.",
        )],
    };
    const BY_CONSTRUCTION: Guide = Guide {
        reading: "A bar is R², the share of the variance that the offset explains, from 0 to 1: the thick bar without k = 0, the thin one of all cells.",
        ..TABLE
    };
    match subject {
        PositionFamily::Table => TABLE,
        PositionFamily::Grid => Guide {
            question: "How much of the matrix do steps across the image explain?",
            reading: "A bar is R² from 0 to 1, the share of the variance that is explained by (Δy, Δx), or by the offset in reading order. The thick bar leaves k = 0 out, the thin one does not.",
            look_for: "The bar by (Δy, Δx) is never the shorter one: one offset in reading order mixes steps that lead to different places.",
            ..TABLE
        },
        PositionFamily::Computed => Guide {
            look_for: "A sinusoidal table of even width has R² = 1 in every part, so one bar stands for all. A random table ends near its marks, close to 0 without k = 0.",
            ..TABLE
        },
        PositionFamily::Offset => Guide {
            look_for: "R² is 1 by construction, because each offset has one score; one bar stands for every part of the matrix.",
            ..BY_CONSTRUCTION
        },
        PositionFamily::Window => Guide {
            question: "How much of the bias does each step across the window explain?",
            reading: "A bar is R² from 0 to 1, the share of the variance that is explained by (Δy, Δx), or by the offset in reading order: the thick bar without k = 0, the thin one of all cells.",
            look_for: "By (Δy, Δx) R² is 1 by construction. Row by row it is less, because one offset in reading order mixes several steps.",
            ..TABLE
        },
        PositionFamily::Rotary => Guide {
            look_for: "R² is 1 by construction, because the angle between query and key depends on the offset alone; one bar stands for every part.",
            ..BY_CONSTRUCTION
        },
    }
}

fn grid_profile(subject: PositionFamily) -> Guide {
    const GRID: Guide = Guide {
        question: "In which directions of the image are patches alike?",
        reading: "The middle is a patch and itself. The cell Δy below and Δx to the right of it has the colour of the mean over all pairs of patches that lie so.",
        look_for: "A round spot means that distance counts whatever the direction; a cross means that patches of one row or one column are alike.",
        sources: &[cite(
            SelfAttentionAndConvolution,
            "Lemma 2, equations 14 and 15",
            "Scores that fall off with the squared distance from one shift, as a round spot does; there they are built, here they are measured.",
        )],
    };
    match subject {
        PositionFamily::Window => Guide {
            question: "Which steps across the window does the bias favour?",
            reading: "The middle is a place and itself. The cell Δy below and Δx to the right of it has the colour of the bias for that step, averaged over the heads of the first layer.",
            look_for: "A spot in the middle is a preference for near places. If the picture differs left from right, or above from below, the heads prefer a direction.",
            ..GRID
        },
        _ => GRID,
    }
}

fn position_table(subject: PositionFamily) -> Guide {
    const TABLE: Guide = Guide {
        question: "What does the model store for each position?",
        reading: "A row is a position, 0 at the top; a column is one dimension of its embedding. The colour is the value.",
        look_for: "Streaks down the columns mean that neighbours have similar values; the order of columns means nothing. In MiniLM, row 0 reaches 1.87, where values are 0.02 in size on average.",
        sources: &[cite(
            LearnedEmbeddings,
            "section “Embedding visualizations”",
            "The table over two epochs beside a sinusoidal one; its streaks run across, because positions do.",
        )],
    };
    match subject {
        PositionFamily::Grid => Guide {
            question: "What does the model store for each patch?",
            reading: "A row is a patch, in reading order from the top left; a column is one dimension of its embedding. The colour is the value.",
            look_for: "Stripes that return every image width tell how far across a patch lies; slow changes down the whole column tell how far down.",
            ..TABLE
        },
        PositionFamily::Computed => Guide {
            question: "What stands in a computed table?",
            look_for: "In a sinusoidal table each pair of columns is a sine and a cosine; the wavelength is 6.28 positions on the left and grows to the right. A random table has no streaks.",
            sources: const {
                &[
                    cite(
                        SinusoidLikeWaves,
                        "equations 4 and 5",
                        "The formula of the sinusoidal table; here its base can be changed.",
                    ),
                    cite(
                        LearnedEmbeddings,
                        "section “Embedding visualizations”",
                        "A sinusoidal table beside a learned one; its streaks run across, because positions do.",
                    ),
                ]
            },
            ..TABLE
        },
        _ => TABLE,
    }
}

fn autocorrelation(subject: PositionFamily) -> Guide {
    const TABLE: Guide = Guide {
        question: "How smooth is the table from one position to the next?",
        reading: "The line is the mean over the columns of |autocorrelation| at each lag, from 1 where a column is exactly like itself to 0 where nothing of it returns; the shade holds the middle half of the columns.",
        look_for: "MiniLM has 0.77 at lag 1, falls to 0.43 at lag 4 and is back at 0.61 at lag 6: its columns are smooth, and they are waves.",
        sources: &[
            cite(
                LearnedEmbeddings,
                "section “Embedding visualizations”",
                "The same mean for lags 0 to 20, of a table learned on TinyStories.",
            ),
            cite(
                SinusoidLikeWaves,
                "section 4.1.1 and Figure 3",
                "Spectra of RoBERTa’s columns have peaks; such waves are what makes the line rise again here.",
            ),
        ],
    };
    match subject {
        PositionFamily::Grid => Guide {
            question: "How smooth is the table from one patch to the next?",
            look_for: "Peaks at multiples of the image width mean that a column of the table has similar values for patches one above the other.",
            ..TABLE
        },
        PositionFamily::Computed => Guide {
            look_for: "A random table drops to nearly 0 at lag 1. A sinusoidal one falls slowly, since neighbouring rows differ by little.",
            ..TABLE
        },
        _ => TABLE,
    }
}
