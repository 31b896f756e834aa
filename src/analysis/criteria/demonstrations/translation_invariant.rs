//! Translation invariant: do scores depend on the offset alone?

use super::{
    DemonstrationPicture, DemonstrationState, EncodingMethod, Outcome, Quantity, SmallHead, head,
};
use crate::analysis::criteria::small_head::{products, r2, sinusoids};

/// Scores of an untrained method, with random numbers from `seed`.
pub(super) fn draw_scores(
    way: EncodingMethod,
    n: usize,
    seed: u64,
    around: &DemonstrationState<'_>,
) -> Outcome {
    let small = SmallHead {
        seed,
        ..head(way, n, around)
    };
    let scores = small.scores();
    let own = r2(&scores);
    let mut numbers = vec![("Toeplitz R² of the scores", Quantity::Share(own))];
    if way == EncodingMethod::Sinusoidal {
        let table = sinusoids(n);
        let gram = r2(&products(&table, &table));
        numbers.push(("R² of the table’s inner products", Quantity::Share(gram)));
    }
    if way == EncodingMethod::Learned {
        let of_open = [
            ("R² of the open model’s table", around.table_r2),
            ("R² of its open head", around.head_r2),
        ];
        numbers.extend(
            of_open
                .into_iter()
                .filter_map(|(name, r2)| Some((name, Quantity::Share(r2?)))),
        );
    }
    Outcome {
        words: if own > 1.0 - 1e-9 {
            "The scores are constant along every diagonal, for any seed."
        } else {
            "The scores vary along the diagonals."
        },
        numbers,
        picture: DemonstrationPicture::Matrix(scores),
    }
}

/// `F_P` of the page's kernels, with all centres moved by `by`.
pub(super) fn shift_centres(n: usize, by: f64, around: &DemonstrationState<'_>) -> Outcome {
    let mut kernels = around.kernels.clone();
    for kernel in &mut kernels.0 {
        kernel.c += by;
    }
    let around = DemonstrationState {
        kernels: &kernels,
        ..*around
    };
    let scores = head(EncodingMethod::Tisa, n, &around).scores();
    Outcome {
        words: "The scores are constant along every diagonal, for any centres.",
        numbers: vec![("Toeplitz R² of the scores", Quantity::Share(r2(&scores)))],
        picture: DemonstrationPicture::Matrix(scores),
    }
}
