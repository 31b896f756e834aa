//! Guides of the kernels view: the function, its maps next to those of a head, fits, the first layer, parameter counts.

use super::{
    Guide,
    Paper::{SinusoidLikeWaves, Tisa},
    PositionFamily, cite,
};

pub(super) fn guide(figure: &str, subject: PositionFamily) -> Option<Guide> {
    Some(match figure {
        "kernel-function" => KERNEL_FUNCTION,
        "head-scores" => head_scores(subject),
        "kernel-matrix" => KERNEL_MATRIX,
        "added-scores" => added_scores(subject),
        "head-attention" => head_attention(subject),
        "kernel-attention" => KERNEL_ATTENTION,
        "added-attention" => added_attention(subject),
        "attention-looks" => attention_looks(subject),
        "kernel-fit" => kernel_fit(subject),
        "fit-residual" => FIT_RESIDUAL,
        "fit-curve" => fit_curve(subject),
        "fit-attention" => fit_attention(subject),
        "fit-head-attention" => fit_head_attention(subject),
        "fit-grid" => fit_grid(subject),
        "first-layer-embeddings" => FIRST_LAYER_EMBEDDINGS,
        "first-layer-added" => FIRST_LAYER_ADDED,
        "first-layer-instead" => FIRST_LAYER_INSTEAD,
        "first-layer-none" => FIRST_LAYER_NONE,
        "parameter-count" => parameter_count(subject),
        _ => return None,
    })
}

const KERNEL_FUNCTION: Guide = Guide {
    question: "How do a few kernels make a score for every offset?",
    reading: "The heavy line is f(k), the sum of the kernels. Each kernel has its colour and a handle at its centre c and height a; the dashed line is the open head’s profile, moved to the mean of f.",
    look_for: "A kernel falls to half its height 0.83/√b offsets from its centre, which is 1.7 for b = 0.25. Adding a constant to f changes no attention.",
    sources: &[cite(
        Tisa,
        "section 4.2, equation 5, and Figure 3",
        "The scoring function as a sum of radial-basis functions, and such functions fitted to heads of ALBERT base v2.",
    )],
};

fn head_scores(subject: PositionFamily) -> Guide {
    const TABLE: Guide = Guide {
        question: "What are the head’s scores before kernels are added?",
        reading: "Row i is the query, column j the key; the colour is the open head’s positional score, on the range that the three maps of scores share.",
        look_for: "Compare its diagonals with those of the kernels: in the sum, whichever varies more along a row decides.",
        sources: &[cite(
            Tisa,
            "appendix C, equations 9 to 12",
            "F̂_P, made of position embeddings and the mean word; “as computed” includes LayerNorm and biases, too.",
        )],
    };
    match subject {
        PositionFamily::Offset => Guide {
            reading: "Row i is the query, column j the key; the colour is the score that the open head adds for the offset between them, on the range that the three maps of scores share.",
            sources: const {
                &[cite(
                    Tisa,
                    "section 2 and Table 1",
                    "Describes T5, which adds a score for each bin of offsets; the paper shows no head of it.",
                )]
            },
            ..TABLE
        },
        _ => TABLE,
    }
}

const KERNEL_MATRIX: Guide = Guide {
    question: "What does a score by offset look like as a matrix?",
    reading: "Row i is the query, column j the key; the colour is f(j − i), which is the same all along a diagonal.",
    look_for: "Move a centre c, and its band moves to the diagonal k = c, below the main one where c is negative. A small b makes a wide band.",
    sources: &[cite(
        Tisa,
        "section 4.2",
        "Defines F_P at any size n by one function of j − i.",
    )],
};

fn added_scores(subject: PositionFamily) -> Guide {
    const TABLE: Guide = Guide {
        question: "What do the kernels change in the head’s scores?",
        reading: "Row i is the query, column j the key; the colour is the head’s score and f(j − i) added, which then goes through softmax.",
        look_for: "A band that is not in the head’s map comes from a kernel. What varies along a row is what counts; what is the same in all of a row is lost in softmax.",
        sources: &[cite(
            Tisa,
            "section 4.1, equation 4a",
            "F_P is added to the scores of words and positions; here positions and the mean word take the place of a text.",
        )],
    };
    match subject {
        PositionFamily::Offset => Guide {
            reading: "Row i is the query, column j the key; the colour is the head’s score for the offset and f(j − i) added. Both are the same along a diagonal, and so is the sum.",
            sources: const {
                &[cite(
                    Tisa,
                    "section 4.1, equation 4a",
                    "F_P is added to scores that have position embeddings; here the head’s own score by offset takes their place.",
                )]
            },
            ..TABLE
        },
        _ => TABLE,
    }
}

fn head_attention(subject: PositionFamily) -> Guide {
    const TABLE: Guide = Guide {
        question: "Where would each query of the head look if only positions counted?",
        reading: "Row i is the query; the colours along it are its attention to each key, the softmax of its scores, and add up to 1.",
        look_for: "As computed, with the mean word at every position, MiniLM’s layer 1, head 6 keeps 94 % of its attention within ±4. Different words lower such shares. By the paper’s formula its attention is nearly even.",
        sources: &[
            cite(
                Tisa,
                "equation 1 and Figure 8",
                "Attention is the softmax of scores; the figure shows F̂_P before it.",
            ),
            cite(
                SinusoidLikeWaves,
                "equation 1 and Figure 1",
                "Attention of RoBERTa’s heads on 15 tokens of a text; here every word is the mean word.",
            ),
        ],
    };
    match subject {
        PositionFamily::Offset => Guide {
            question: "Where would each query of the head look if only offsets counted?",
            look_for: "Away from the edges the rows are alike, each shifted by one. Near an edge keys are missing, and those that are left get more.",
            sources: const {
                &[cite(
                    Tisa,
                    "equation 1",
                    "Attention is the softmax of scores; here these are what the head adds for offsets, without words.",
                )]
            },
            ..TABLE
        },
        _ => TABLE,
    }
}

const KERNEL_ATTENTION: Guide = Guide {
    question: "Where do the kernels alone make each query look?",
    reading: "Row i is the query; the colours along it are the softmax of f(j − i) over the keys, and add up to 1.",
    look_for: "Away from the edges every row is the one above, shifted by one. The starting kernels look most at k = −1, the previous token.",
    sources: &[cite(
        Tisa,
        "section 4.1, equation 4b",
        "Attention of words with F_P added and no position embeddings; here it is F_P alone.",
    )],
};

fn added_attention(subject: PositionFamily) -> Guide {
    const TABLE: Guide = Guide {
        question: "Where does the head look once the kernels are added?",
        reading: "Row i is the query; the colours along it are the softmax of the head’s scores with f(j − i) added.",
        look_for: "Attention follows whichever varies more along a row, the head or the kernels. Scale the kernels up, and it goes over to them.",
        sources: &[cite(
            Tisa,
            "section 4.1, equation 4a",
            "F_P beside position embeddings inside softmax; the text calls this harder to read than F_P alone, since two terms share the task.",
        )],
    };
    match subject {
        PositionFamily::Offset => Guide {
            sources: const {
                &[cite(
                    Tisa,
                    "section 4.1, equation 4a",
                    "F_P beside position embeddings inside softmax; here it stands beside the head’s own score by offset.",
                )]
            },
            ..TABLE
        },
        _ => TABLE,
    }
}

fn attention_looks(subject: PositionFamily) -> Guide {
    const TABLE: Guide = Guide {
        question: "How do the kernels change which offsets the head attends to?",
        reading: "A line is the share of all attention at each offset, averaged over the queries: the head dashed, the kernels, and both added, which is the heavy line.",
        look_for: "Even attention to 512 keys has 9 bits of entropy, and fewer bits mean fewer keys. As computed, with the mean word at every position, MiniLM’s layer 1, head 6 has 0.96 bits; different words spread it more.",
        sources: &[cite(
            SinusoidLikeWaves,
            "equations 7 and 8",
            "Attention summed along each diagonal for |t| ≤ 10, on texts; here it is divided by n, without a text, and entropy is added.",
        )],
    };
    match subject {
        PositionFamily::Offset => Guide {
            look_for: "Even attention to n keys has log₂ n bits of entropy, 7 for 128; fewer bits mean fewer keys. Look whether the sum peaks where the head or where the kernels do.",
            ..TABLE
        },
        _ => TABLE,
    }
}

fn kernel_fit(subject: PositionFamily) -> Guide {
    const TABLE: Guide = Guide {
        question: "Can a few kernels stand in for this head?",
        reading: "The grey line is the head’s profile, the dark line the fit to it. Each colour is one kernel, moved to the level of the fit so that its shape can be seen.",
        look_for: "For MiniLM’s layer 1, head 2, R² of the profile is 0.78 with one kernel and 1.00 with five, by the paper’s formula.",
        sources: &[cite(
            Tisa,
            "section 5, appendix C and Figure 3",
            "Kernels are fitted to F̂_P as a start for training; the page fits the diagonal means, by least squares within limits of its own.",
        )],
    };
    match subject {
        PositionFamily::Offset => Guide {
            look_for: "A T5 head has steps, which no sum of a few smooth kernels follows exactly; see whether the fit passes through the middle of each.",
            ..TABLE
        },
        _ => TABLE,
    }
}

const FIT_RESIDUAL: Guide = Guide {
    question: "What does the fit miss?",
    reading: "The line is the head’s profile minus the fit at each offset, in units of the score; it lies at 0 where the fit is exact.",
    look_for: "A bump near k = 0 asks for another kernel. Swings far out matter less, since means there are of few cells and count by the length of their diagonal.",
    sources: &[],
};

fn fit_curve(subject: PositionFamily) -> Guide {
    const TABLE: Guide = Guide {
        question: "How many kernels are enough?",
        reading: "Each point is R² of the best fit found with so many kernels, the share of the profile’s variance that it explains. The number of kernels chosen is marked.",
        look_for: "Where the line turns flat, another kernel does not pay. MiniLM’s layer 1, head 12 has 0.56 with one kernel and 0.94 with three, by the paper’s formula.",
        sources: &[cite(
            Tisa,
            "Table 3",
            "Compares 1, 3 and 5 kernels by what models score on GLUE tasks; here they are compared by R² of the fit.",
        )],
    };
    match subject {
        PositionFamily::Offset => Guide {
            look_for: "Where the line turns flat, another kernel does not pay. Steps of a T5 head keep it rising slowly.",
            ..TABLE
        },
        _ => TABLE,
    }
}

fn fit_attention(subject: PositionFamily) -> Guide {
    const TABLE: Guide = Guide {
        question: "Do the fitted kernels look where the head looks?",
        reading: "Row i is the query; the colours along it are the softmax of the fitted kernels over the keys, at the length n that is chosen.",
        look_for: "Compare it with the head’s map beside it. At an n beyond the rows of the table, the kernels go on and the head does not.",
        sources: &[cite(
            Tisa,
            "section 4.2",
            "F_P is defined at any n; the paper proposes longer texts than those of training and reports no experiment on them.",
        )],
    };
    match subject {
        PositionFamily::Offset => Guide {
            look_for: "Compare it with the head’s map beside it, at several n: far out the kernels fall to 0, while T5 keeps the score of its last bucket.",
            ..TABLE
        },
        _ => TABLE,
    }
}

fn fit_head_attention(subject: PositionFamily) -> Guide {
    const TABLE: Guide = Guide {
        question: "Where does the head itself look?",
        reading: "Row i is the query; the colours along it are the softmax of the head’s own positional scores, on the range that it shares with the map of the fit.",
        look_for: "What changes along a diagonal here is missing from the fit’s map, because kernels are fitted to the means of diagonals.",
        sources: &[cite(
            Tisa,
            "equation 1 and Figure 8",
            "Attention is the softmax of scores; the figure shows the scores of ALBERT’s first layer before it.",
        )],
    };
    match subject {
        PositionFamily::Offset => Guide {
            reading: "Row i is the query; the colours along it are the softmax of what the head adds for each offset, on the range that it shares with the map of the fit.",
            look_for: "Both maps follow the offset alone, so they differ only where the fit leaves a residual.",
            sources: const {
                &[cite(
                    Tisa,
                    "equation 1",
                    "Attention is the softmax of scores; here these are what the head adds for offsets, without words.",
                )]
            },
            ..TABLE
        },
        _ => TABLE,
    }
}

fn fit_grid(subject: PositionFamily) -> Guide {
    const TABLE: Guide = Guide {
        question: "Which heads can a few kernels describe?",
        reading: "A cell is one head for |k| ≤ 64, its profile in grey and the fit in blue, on a scale of its own. The number below is R² of the fit.",
        look_for: "In MiniLM’s first layer, five kernels reach 1.00 for heads 2 and 10 and only 0.43 for head 3, by the paper’s formula.",
        sources: &[cite(
            Tisa,
            "Figure 6",
            "Sections through 12 heads of ALBERT base v2 on the left, and their scoring functions on the right.",
        )],
    };
    match subject {
        PositionFamily::Offset => Guide {
            look_for: "A low R² says that a profile has a form that a few smooth kernels cannot take, such as steps; order by R² to find such heads.",
            ..TABLE
        },
        _ => TABLE,
    }
}

const FIRST_LAYER_EMBEDDINGS: Guide = Guide {
    question: "Where does the model’s first layer look with its own embeddings?",
    reading: "Row i is the query; the colours are attention as the model computes it, with its position embeddings and with the mean word, or the token ids typed in, at every position.",
    look_for: "This is the map that the other three are to be compared with. All four share one range of colours unless each is given its own.",
    sources: &[cite(
        Tisa,
        "equations 1 and 2",
        "Attention of words and positions together; LayerNorm and biases, which the page includes, are left out there.",
    )],
};

const FIRST_LAYER_ADDED: Guide = Guide {
    question: "What happens when kernels are added beside the embeddings?",
    reading: "Row i is the query; the colours are attention as in the first map, with f(j − i) added to the scores.",
    look_for: "Small kernels are hardly seen beside large scores: the profile of MiniLM’s layer 1, head 1 spans more than 8 as computed.",
    sources: &[cite(
        Tisa,
        "section 4.1, equation 4a, and Table 3a",
        "Kernels beside position embeddings, and what that brings after fine-tuning; here nothing is trained.",
    )],
};

const FIRST_LAYER_INSTEAD: Guide = Guide {
    question: "Can kernels take the place of the embeddings?",
    reading: "Row i is the query; the colours are attention with the mean embedding in place of each position’s own, and with f(j − i) added to the scores.",
    look_for: "With the mean word everywhere this is the attention of the kernels alone. Fit the head first, and compare it with the first map.",
    sources: &[cite(
        Tisa,
        "section 4.1, equation 4b, and appendix C",
        "The equation leaves position embeddings out; the appendix puts their average in their place, as is done here.",
    )],
};

const FIRST_LAYER_NONE: Guide = Guide {
    question: "What is left when nothing tells positions apart?",
    reading: "Row i is the query; the colours are attention with the mean embedding at every position and no kernels.",
    look_for: "With the mean word everywhere, all keys of a row get the same. With token ids typed in, the same word gets the same attention wherever it stands.",
    sources: &[cite(
        Tisa,
        "section 5 and Table 3b",
        "The bag-of-words baseline, S = 0, to which kernels alone are compared.",
    )],
};

fn parameter_count(subject: PositionFamily) -> Guide {
    const TABLE: Guide = Guide {
        question: "How many numbers does each way to encode position have to learn?",
        reading: "A bar is the number of learned parameters for positions, all layers and heads together, on a logarithmic axis. The formula stands beside it.",
        look_for: "For MiniLM, five kernels a head are 1,080 numbers, its learned table is 196,608, and an untied one would be 491,520.",
        sources: &[cite(
            Tisa,
            "Table 2 and appendix D",
            "Counts nd, nd + 2d² and 3SHL for Longformer, BERT, RoBERTa and ALBERT; the page adds further methods.",
        )],
    };
    match subject {
        PositionFamily::Table => TABLE,
        _ => Guide {
            look_for: "Change n: a learned table and an untied one grow with it, while kernels and T5’s buckets stay what they are. BERT-base’s table has 393,216 numbers, five kernels a head have 2,160.",
            ..TABLE
        },
    }
}
