//! Inductive: do scores exist for texts longer than any in training?

use super::{
    Curve, DemonstrationPicture, DemonstrationState, EncodingMethod, Outcome, Quantity, SmallHead,
    head,
};

/// Scores of query 0 for `asked` keys, of which training had `trained`.
pub(super) fn longer(
    way: EncodingMethod,
    trained: usize,
    length: usize,
    around: &DemonstrationState<'_>,
) -> Outcome {
    let ends = matches!(
        way,
        EncodingMethod::Learned | EncodingMethod::Synthesizer | EncodingMethod::Untied
    );
    let mut row = SmallHead {
        queries: 1,
        ..head(way, length, around)
    }
    .scores()
    .swap_remove(0);
    if ends {
        row.iter_mut().skip(trained).for_each(|v| *v = f64::NAN);
    }
    let there = if ends { length.min(trained) } else { length } as u64;
    let disambiguate = different(&row);
    let part = |keep: &dyn Fn(usize) -> bool| {
        let cells = row.iter().enumerate();
        cells
            .map(|(j, v)| if keep(j) { *v } else { f64::NAN })
            .collect()
    };
    let words = match way {
        _ if length <= trained => "All of these positions were in training.",
        EncodingMethod::Learned | EncodingMethod::Untied | EncodingMethod::Synthesizer => {
            "Beyond the last row of training there is no score."
        }
        EncodingMethod::Relative | EncodingMethod::T5 => {
            "Scores exist beyond training, but far offsets all have the same one."
        }
        EncodingMethod::Flow => "The path continues, one position after the other.",
        EncodingMethod::Sinusoidal | EncodingMethod::Rotary => {
            "The formula continues: far offsets have their own scores."
        }
        EncodingMethod::Tisa => {
            "f continues: it is flat where no kernel reaches, which is known beforehand."
        }
    };
    let length = length as u64;
    Outcome {
        words,
        numbers: vec![
            ("cells of the matrix", Quantity::Count(length * length)),
            (
                "of these without a score",
                Quantity::Count(length * length - there * there),
            ),
            (
                "different scores in this row",
                Quantity::Count(disambiguate),
            ),
        ],
        picture: DemonstrationPicture::Curves {
            axis: super::CurveAxis::Key,
            first: 0,
            curves: vec![
                Curve {
                    name: "query 0, key of a trained position",
                    values: part(&|j| j < trained),
                    is_reference: false,
                },
                Curve {
                    name: "beyond training",
                    // Starts at the last trained position, so that the two curves join.
                    values: part(&|j| j + 1 >= trained),
                    is_reference: true,
                },
            ],
        },
    }
}

/// Number of finite values that differ by more than rounding (1e-9).
fn different(row: &[f64]) -> u64 {
    let mut values: Vec<f64> = row.iter().copied().filter(|v| v.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    values.dedup_by(|b, a| *b - *a <= 1e-9);
    values.len() as u64
}
