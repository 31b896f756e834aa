//! Guides of the images view: when attention on an image is a convolution.

use super::{Guide, Paper::SelfAttentionAndConvolution, PositionFamily, cite};

pub(super) fn guide(figure: &str, subject: PositionFamily) -> Option<Guide> {
    Some(match figure {
        "gaussian-heads" => GAUSSIAN_HEADS,
        "query-attention" => QUERY_ATTENTION,
        "filtered-image" => FILTERED_IMAGE,
        "convolution-error" => CONVOLUTION_ERROR,
        "head-convolution" => HEAD_CONVOLUTION,
        "grid-similarity" => grid_similarity(subject),
        _ => return None,
    })
}

const GAUSSIAN_HEADS: Guide = Guide {
    question: "Where beside a pixel does each head look, and how sharply?",
    reading: "The square is the query pixel, a dot the centre Δ of a head. The solid ring holds half of its Gaussian, the dotted one nine tenths; on whole pixels more, as the caption says.",
    look_for: "With one narrow head a place, the layer is a convolution. After training, several heads often share a width and differ in their centres.",
    sources: &[
        cite(
            SelfAttentionAndConvolution,
            "equations 14 and 15 (Lemma 2)",
            "The quadratic encoding: v = −α(1, −2Δ₁, −2Δ₂) and r = (‖δ‖², δ₁, δ₂) give the score −α(‖δ − Δ‖² − ‖Δ‖²).",
        ),
        cite(
            SelfAttentionAndConvolution,
            "Figures 4, 12 and 14",
            "Centres and rings of trained heads: nine, nine with a full covariance, and sixteen in each of six layers.",
        ),
    ],
};

const QUERY_ATTENTION: Guide = Guide {
    question: "What does one pixel look at in each head?",
    reading: "Each map is the image around the marked pixel, or all of it; its colour is the attention that this pixel pays, from none to the number below. The last map is the mean of all heads.",
    look_for: "Move the pixel to the edge: softmax has nowhere else to go, and a head that looks beyond the edge looks at the pixel nearest to its centre. That is a convolution whose image is continued by its edge.",
    sources: &[cite(
        SelfAttentionAndConvolution,
        "Figure 1, equation 9",
        "Heads that each attend to the pixel at one shift from the query.",
    )],
};

const FILTERED_IMAGE: Guide = Guide {
    question: "Do heads and kernel make the same image?",
    reading: "First the image, then what the heads make of it, what the convolution makes of it, and the difference of the two with zero in the middle of its colours. Click to choose the pixel that asks below.",
    look_for: "Pull a head away from its place or make it wide: the image blurs where that head’s weight counts. Sharp heads in Lemma 1’s places leave no difference but rounding.",
    sources: &[cite(
        SelfAttentionAndConvolution,
        "equations 8 to 13 (Lemma 1)",
        "A head that attends to one shift alone hands on that pixel; W_val·W_out of the head is the kernel at that shift.",
    )],
};

const CONVOLUTION_ERROR: Guide = Guide {
    question: "How sharp must heads be to be a convolution?",
    reading: "Across is α of every head, upwards the greatest difference between heads and convolution over the image, both on scales of powers of ten. Dashed: where single precision sees no difference.",
    look_for: "With heads in their places the error falls like 4·e^(−α), for each pixel has four nearest neighbours. Single precision sees none of it beyond α ≈ 17; the slides ask for 46, which is far beyond.",
    sources: &[cite(
        SelfAttentionAndConvolution,
        "after equation 15",
        "“For Float32, set α ≥ 46”: the limit α → ∞ of the proof is reached in finite precision.",
    )],
};

const HEAD_CONVOLUTION: Guide = Guide {
    question: "Which heads of this model attend as a convolution does?",
    reading: "One picture a head: mean attention around the query, from positions alone. Below: the share of its variance that the offset explains, and a letter for the profile; heads of one letter differ in where it is centred.",
    look_for: "A share near 1 means that each query looks the same way from where it stands. Heads of one letter at several places are one kernel; several letters make a mixture of kernels.",
    sources: &[cite(
        SelfAttentionAndConvolution,
        "section “Do Self-Attention Layers Actually Learn Convolutions?”, Figures 5 and 6",
        "Attention that is a member of the translation group makes a convolution; several profiles make a mixture. With few heads it is hard to judge.",
    )],
};

fn grid_similarity(subject: PositionFamily) -> Guide {
    const BY_PATCH: Guide = Guide {
        question: "Do the position embeddings know rows and columns?",
        reading: "Each small map is one patch: its colour is how alike that patch’s position embedding is to every other’s. Maps stand where their patches stand in the image.",
        look_for: "A bright spot that moves along with the map means that near patches are alike; a cross means that rows and columns are held apart. Another grid shows what images of another size would find.",
        sources: &[cite(
            SelfAttentionAndConvolution,
            "Figures 5 and 6",
            "Relative encodings that are learned, around one query. Maps of a table by patch are Figure 7 of Dosovitskiy et al. 2021.",
        )],
    };
    const BY_HEAD: Guide = Guide {
        question: "What does each head of the open layer add for rows and columns?",
        reading: "Each small map is one head: its colour is the score by (Δy, Δx), key minus query, on a scale of its own. The square in the middle is the query.",
        look_for: "A bright spot beside the middle is a neighbour that the head prefers; a bright row or column is a head that holds one of the two still. Heads with one picture at several places share a kernel.",
        sources: &[cite(
            SelfAttentionAndConvolution,
            "Figures 5 and 6",
            "Attention by offset around the query, learned without and with content, for six layers of nine heads.",
        )],
    };
    match subject {
        PositionFamily::Offset | PositionFamily::Window => BY_HEAD,
        PositionFamily::Table
        | PositionFamily::Grid
        | PositionFamily::Computed
        | PositionFamily::Rotary => BY_PATCH,
    }
}
