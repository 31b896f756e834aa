//! Guides of the training view: checkpoints of one run over time.

use super::{
    Guide,
    Paper::{LearnedEmbeddings, Tisa},
    PositionFamily, Source, cite,
};

pub(super) fn guide(figure: &str, subject: PositionFamily) -> Option<Guide> {
    Some(match figure {
        "training-curves" => training_curves(subject),
        "training-matrix" => training_matrix(subject),
        "training-table" => TRAINING_TABLE,
        _ => return None,
    })
}

fn training_curves(subject: PositionFamily) -> Guide {
    const TABLE: Guide = Guide {
        question: "Does the table become more Toeplitz while the model learns?",
        reading: "Across are the steps of the run. The lines are R² without k = 0, R² of all cells, what all cells of a random table score, and the mean |autocorrelation| of the table.",
        look_for: "At the start R² of all cells lies near chance and R² without k = 0 near 0. What rises above that was learned; see whether smoothness comes first.",
        sources: &[
            ALBERT,
            cite(
                LearnedEmbeddings,
                "section “Embedding visualizations”",
                "Autocorrelation of a table by lag; here it is averaged over lags, for each step.",
            ),
        ],
    };
    match subject {
        PositionFamily::Offset | PositionFamily::Window | PositionFamily::Rotary => Guide {
            question: "Do the positions become more Toeplitz while the model learns?",
            reading: "Across are the steps of the run. The lines are R² without k = 0 and R² of all cells.",
            look_for: "R² is 1 at every step, since scores by offset are Toeplitz by construction. What training changes is in the matrix.",
            sources: &[ALBERT],
        },
        _ => TABLE,
    }
}

fn training_matrix(subject: PositionFamily) -> Guide {
    const TABLE: Guide = Guide {
        question: "When do diagonals appear in the table’s cosines?",
        reading: "Row i and column j are positions; the colour is the cosine of their rows of the table at the step shown, on one range for all steps.",
        look_for: "Play the run: an untrained table has the main diagonal alone; then a band widens beside it, and diagonals farther out appear where the table has waves.",
        sources: &[
            cite(
                LearnedEmbeddings,
                "section “Cosine self-similarity”",
                "Cosines of a table during training, which fall off ever more slowly beside the diagonal.",
            ),
            cite(
                Tisa,
                "Figure 5",
                "Inner products of ALBERT’s two versions, of which the second was trained longer.",
            ),
        ],
    };
    match subject {
        PositionFamily::Offset | PositionFamily::Window => Guide {
            question: "How do the added scores change while the model learns?",
            reading: "Row i is the query, column j the key; the colour is the added score at the step shown, averaged over the heads of the first layer, on one range for all steps.",
            look_for: "Play the run: see which offsets gain and which lose, and whether both directions do so alike.",
            sources: &[],
        },
        PositionFamily::Rotary => Guide {
            question: "Do rotations change while the model learns?",
            reading: "Row i and column j are positions; the colour is the cosine that they have after they are turned, at the step shown.",
            look_for: "The picture is the same at every step, because the angles follow from a formula and nothing of them is learned.",
            sources: TURNED,
        },
        _ => TABLE,
    }
}

const ALBERT: Source = cite(
    Tisa,
    "section 3.1, Figures 2 and 5",
    "R² of ALBERT rises from version 1 to version 2, which was trained longer; here the steps of one run are shown.",
);

const TURNED: &[Source] = &[cite(
    Tisa,
    "section 2 and Table 1",
    "Describes rotations of queries and keys, and notes that they are not learned.",
)];

const TRAINING_TABLE: Guide = Guide {
    question: "When does the table become smooth?",
    reading: "A row is a position, a column one dimension of its embedding; the colour is the value at the step shown, on one range for all steps.",
    look_for: "An untrained table is noise. Streaks down the columns appear as neighbouring rows become alike.",
    sources: &[cite(
        LearnedEmbeddings,
        "section “Embedding visualizations”",
        "A learned table over two epochs; its streaks run across, because positions do.",
    )],
};
