//! Published scores agree with the differences that are printed beside them.

use diagonal::model::GLUE_SCORES;

/// Greatest rounding error of a number that is printed with one digit after the point.
const ROUNDING: f64 = 0.05;

fn percent(text: &str) -> f64 {
    text.trim_end_matches('%').parse().expect("a number")
}

/// A digit that was copied wrongly would break the printed difference or the printed share of errors.
#[test]
fn differences_follow_from_the_scores() {
    let mut tasks = Vec::new();
    for part in GLUE_SCORES {
        for row in part.rows {
            let baseline = percent(row.baseline);
            let best = row
                .with_kernels
                .map(percent)
                .into_iter()
                .fold(0.0, f64::max);
            let increase = best - baseline;
            assert!((increase - percent(row.increase)).abs() < 1e-9, "{row:?}");
            // Of the errors of the baseline, before all three numbers were rounded.
            let share = |gain: f64, errors: f64| 100.0 * gain / errors;
            let errors = 100.0 - baseline;
            let least = share(increase - 2.0 * ROUNDING, errors + ROUNDING) - ROUNDING;
            let most = share(increase + 2.0 * ROUNDING, errors - ROUNDING) + ROUNDING;
            let printed = percent(row.error_reduction);
            assert!(
                (least..=most).contains(&printed),
                "{row:?}: {least} to {most}"
            );
            assert!(row.error_reduction.ends_with('%'));
            tasks.push((part.letter, row.task));
        }
    }
    assert_eq!(tasks.len(), 8 + 7);
    tasks.dedup();
    assert_eq!(tasks.len(), 8 + 7);
    // The paper leaves CoLA out of part b.
    assert!(!tasks.contains(&("3b", "CoLA")));
}
