//! Guides of the heads view: all heads from the weights alone, and one open head.

use super::{
    Guide,
    Paper::{SelfAttentionAndConvolution, SinusoidLikeWaves, Tisa},
    PositionFamily, Source, cite,
};

pub(super) fn guide(figure: &str, subject: PositionFamily) -> Option<Guide> {
    Some(match figure {
        "head-grid" => head_grid(subject),
        "head-matrix" => head_matrix(subject),
        "head-profile" => head_profile(subject),
        "head-grid-profile" => head_grid_profile(subject),
        "head-sections" => head_sections(subject),
        _ => return None,
    })
}

fn head_grid(subject: PositionFamily) -> Guide {
    const TABLE: Guide = Guide {
        question: "Which heads depend on relative position?",
        reading: "Each small picture is one head’s positional scores, on a colour scale of its own; a row is a layer. The number below is its R², or its peak offset when heads are sorted by that.",
        look_for: "Clear diagonals go with a high R². In MiniLM’s first layer it runs from 0.10 for head 12 to 0.84 for head 1 by the paper’s formula.",
        sources: &[
            cite(
                Tisa,
                "section 3.2 and Figure 8",
                "The 12 heads of ALBERT’s first layer; here deeper layers are shown too, as if positions reached them unchanged.",
            ),
            cite(
                SinusoidLikeWaves,
                "section 3 and Figure 2",
                "Sorts RoBERTa’s heads by the offsets that they attend to in 100 texts; here no text is needed.",
            ),
        ],
    };
    match subject {
        PositionFamily::Offset => Guide {
            question: "Which offsets does each head prefer?",
            reading: "Each small picture is what one head adds to its scores, on a colour scale of its own; a row is a layer. The number below is R², or the peak offset when heads are sorted by that.",
            look_for: "R² is 1 for every head, so sort by peak offset to tell heads apart. Where all layers share one bias, as in T5, there is one row.",
            sources: OFFSET_HEADS,
        },
        PositionFamily::Window => Guide {
            question: "Which steps across the window does each head prefer?",
            reading: "Each small picture is the bias of one head, on a colour scale of its own; a row is a layer. The number below is R² by the offset in reading order, or the peak offset.",
            look_for: "The blocks of all heads repeat along the diagonals. A low R² says only that reading order mixes steps: by (Δy, Δx) R² is 1.",
            sources: WINDOW_HEADS,
        },
        _ => TABLE,
    }
}

fn head_matrix(subject: PositionFamily) -> Guide {
    const TABLE: Guide = Guide {
        question: "What score would each query give each key if only positions counted?",
        reading: "Row i is the query, column j the key; the colour is the score before softmax, by the paper’s formula or as the model computes it with the mean word everywhere.",
        look_for: "Bands along the diagonal are offsets that the head prefers. In MiniLM’s layer 1, head 1 has R² 0.84 by the paper’s formula and 0.83 as computed; head 12 has 0.10 and 0.12.",
        sources: &[cite(
            Tisa,
            "appendix C, equations 9 to 12, and Figure 8",
            "The three terms of F̂_P, for ALBERT’s first layer; scores as computed add LayerNorm, biases and the mean word’s own score.",
        )],
    };
    match subject {
        PositionFamily::Grid => Guide {
            question: "What score would each query patch give each key patch if only positions counted?",
            reading: "Row i is the query, column j the key, both patches in reading order; the colour is the score before softmax, by the paper’s formula or as the model computes it.",
            look_for: "Diagonals that return every image width are steps up or down. R² in two dimensions, above the figure, is the one to go by.",
            sources: const {
                &[cite(
                    Tisa,
                    "appendix C, equations 9 to 12",
                    "The three terms of F̂_P for words; here a black image takes the place of the mean word, or zero where patches have no bias.",
                )]
            },
        },
        PositionFamily::Offset => Guide {
            question: "What does this head add to the score of each query and key?",
            reading: "Row i is the query, column j the key; the colour is the score that the head adds before softmax for the offset between them.",
            look_for: "Every diagonal has one colour, and the diagonal with the highest score is the offset that the head prefers. T5’s broad bands are far offsets that share a bucket.",
            sources: OFFSET_HEADS,
        },
        PositionFamily::Window => Guide {
            question: "What does this head add for each query and key in the window?",
            reading: "Row i is the query, column j the key, both places of the window in reading order; the colour is the bias that the head adds before softmax.",
            look_for: "The same blocks return along the diagonals: a block is a pair of image rows, Δy apart, and a diagonal inside it is one Δx.",
            sources: WINDOW_HEADS,
        },
        _ => TABLE,
    }
}

fn head_profile(subject: PositionFamily) -> Guide {
    const TABLE: Guide = Guide {
        question: "Which offsets does this head prefer?",
        reading: "The line is the mean score at each offset k, the shade one standard deviation to either side along that diagonal. At a negative k the key stands before the query.",
        look_for: "A peak at k = −1 is a head that prefers the previous token: heads 3, 6 and 10 of MiniLM’s first layer peak there by the paper’s formula.",
        sources: &[
            cite(
                Tisa,
                "section 3.2, Figures 3 and 7",
                "Rows of F̂_P around the diagonal, with peaks at short distances; here the rows are averaged.",
            ),
            cite(
                SinusoidLikeWaves,
                "equations 21 to 23 and Figure 8",
                "Sums of scores by offset, with words in them; here they are means, of positions with the mean word.",
            ),
        ],
    };
    match subject {
        PositionFamily::Grid => Guide {
            reading: "The patches are read row by row, as one line. The line is the mean score at each offset k in that order, the shade one standard deviation to either side.",
            look_for: "Peaks one image width apart are steps up or down. The shade is wide because one offset in reading order mixes several steps (Δy, Δx).",
            ..TABLE
        },
        PositionFamily::Offset => Guide {
            reading: "The line is the score that the head adds at each offset k. At a negative k the key stands before the query.",
            look_for: "The line is all that the head adds for position. T5’s line runs in steps, one for each bucket: one offset wide near k = 0, many offsets wide far out.",
            sources: OFFSET_HEADS,
            ..TABLE
        },
        PositionFamily::Window => Guide {
            reading: "The window is read row by row, as one line. The line is the mean bias at each offset k in that order, the shade one standard deviation to either side.",
            look_for: "The line swings with the width of the window, because a step down is one width in reading order. “Score by (Δy, Δx)” shows the bias itself.",
            sources: WINDOW_HEADS,
            ..TABLE
        },
        _ => TABLE,
    }
}

fn head_grid_profile(subject: PositionFamily) -> Guide {
    const GRID: Guide = Guide {
        question: "Which steps across the image does this head prefer?",
        reading: "The middle is the query patch. The cell Δy below and Δx to the right of it has the colour of the mean score of all keys that lie so.",
        look_for: "A spot beside the middle is a head that looks at one neighbour, as one tap of a convolution does; a broad spot is a head that looks around.",
        sources: &[
            cite(
                SelfAttentionAndConvolution,
                "Lemma 1, equation 9, and Lemma 2, equation 15",
                "With one head for each shift, attention can be any convolution; the scores of such a head fall off around its shift.",
            ),
            cite(
                SelfAttentionAndConvolution,
                "Figures 5 and 6",
                "Attention around the query pixel, head by head; here are scores before softmax.",
            ),
        ],
    };
    match subject {
        PositionFamily::Window => Guide {
            question: "Which steps across the window does this head prefer?",
            reading: "The middle is the query. The cell Δy below and Δx to the right of it has the colour of the bias that keys there get.",
            ..GRID
        },
        _ => GRID,
    }
}

fn head_sections(subject: PositionFamily) -> Guide {
    const TABLE: Guide = Guide {
        question: "Does this head score offsets alike wherever the query stands?",
        reading: "Each line is one row of the matrix, for five queries from near the first position to near the last; rows are shifted so that the query itself is at k = 0.",
        look_for: "Where lines agree, only the offset matters. In MiniLM’s layer 1, head 3, all five have a peak at k = −1 by the paper’s formula, and part farther out.",
        sources: &[cite(
            Tisa,
            "Figures 3, 6 and 7",
            "The same sections, through heads of ALBERT base v2; softmax does not see a constant by which two lines differ.",
        )],
    };
    match subject {
        PositionFamily::Grid => Guide {
            look_for: "Lines differ also because the same offset in reading order is another step (Δy, Δx) at the left of the image than at the right.",
            ..TABLE
        },
        PositionFamily::Offset => Guide {
            look_for: "The lines lie on one another wherever two of them reach, because the score is chosen by offset; each ends where the sequence does.",
            ..TABLE
        },
        PositionFamily::Window => Guide {
            look_for: "Lines differ although the bias is exact: the same offset in reading order is another step (Δy, Δx) at the left of the window than at the right.",
            ..TABLE
        },
        _ => TABLE,
    }
}

const OFFSET_HEADS: &[Source] = &[cite(
    Tisa,
    "section 2 and Table 1",
    "Describes T5, which adds a score for each bin of offsets; the paper shows no head of it.",
)];

const WINDOW_HEADS: &[Source] = &[cite(
    SelfAttentionAndConvolution,
    "equation 5",
    "A score in images whose last term depends on the shift of key against query alone, as the stored bias does.",
)];
