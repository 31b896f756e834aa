//! Guides of the view that compares models. They do not depend on the open model.

use super::{
    Guide,
    Paper::{SinusoidLikeWaves, Tisa},
    cite,
};

pub(super) fn guide(figure: &str) -> Option<Guide> {
    Some(match figure {
        "compare-profiles" => COMPARE_PROFILES,
        "model-scores" => MODEL_SCORES,
        "r2-performance" => R2_PERFORMANCE,
        "compare-heads" => COMPARE_HEADS,
        _ => return None,
    })
}

const COMPARE_PROFILES: Guide = Guide {
    question: "Do models agree on how similarity changes with distance?",
    reading: "A line is one model’s diagonal means over the offset k, as they are, or minus the mean of the matrix and divided by their range over |k| ≤ n/2.",
    look_for: "Compare shapes when scaled: how steep the peak at k = 0 is, and whether the line ripples, as MiniLM’s does about every six positions. A random table has the peak and nothing else.",
    sources: &[],
};

const MODEL_SCORES: Guide = Guide {
    question: "Which model’s positions follow the offset most?",
    reading: "A row is a model, a number its R² over a bar from 0 to 1: of the full matrix without k = 0 and of all cells, then of the first positions. Marks show a random table.",
    look_for: "Read the number without k = 0 first: MiniLM has 0.477, and a random table of its shape has 0.004, though it has 0.430 on all cells.",
    sources: &[cite(
        Tisa,
        "appendix B, equations 6 to 8, and Figure 4",
        "Defines R² of all cells, and shows why the first 128 positions of BERT are worth a number of their own.",
    )],
};

const R2_PERFORMANCE: Guide = Guide {
    question: "Do models with a higher R² perform better?",
    reading: "Each point is a model: across is R² of all cells, upwards the performance that is published or typed in. The line is the least-squares fit.",
    look_for: "Open the eight ALBERT models for the paper’s own figure. Few points lie near a line easily, and a correlation does not say which of the two causes the other.",
    sources: &[cite(
        Tisa,
        "Figure 2",
        "R² against the mean of five tasks for ALBERT, with arrows from version 1 to version 2; the page computes r and draws no arrows.",
    )],
};

const COMPARE_HEADS: Guide = Guide {
    question: "In which layers do heads follow the offset?",
    reading: "A small map is a model, a row a layer with the first on top, a column a head. The colour is R² of the head’s scores, from 0 to 1.",
    look_for: "In MiniLM no layer stands out: the mean R² of a layer lies between 0.55 and 0.64 by the paper’s formula, while single heads run from 0.10 to 0.89.",
    sources: &[
        cite(
            Tisa,
            "section 3.2 and Figure 8",
            "Heads of ALBERT’s first layer; here deeper layers are shown too, as if positions reached them unchanged.",
        ),
        cite(
            SinusoidLikeWaves,
            "section 4.2.2 and Figure 6",
            "Waves of the position embeddings fade in RoBERTa’s higher layers, which R² from the weights does not show.",
        ),
    ],
};
