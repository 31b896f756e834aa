//! Findings on whether the angles cover the length that the configuration claims.

use super::{
    Finding, FindingKind, FindingNumber, RotaryDescription, Severity,
    angle_lists::{AngleLists, change_name, factor_of},
    finding::{count_text, number_text},
    rotary_config::RotaryConfig,
};
use crate::encoding::{NegativeSum, critical_columns, first_negative_sum, turns};

/// Offset up to which the sum of cosines is followed beyond shorter claimed lengths.
const SHORTEST_SEARCH: f64 = 131_072.0;

/// Adds findings on the lengths. Layers with a window never meet a longer offset than the window, so that only the other
/// layers count, if there are any.
pub(super) fn check(
    config: &RotaryConfig<'_>,
    description: &RotaryDescription,
    lists: &[AngleLists<'_>],
    findings: &mut Vec<Finding>,
) {
    let global = lists.iter().find(|list| !list.source.is_local);
    let Some(list) = global.or(lists.first()) else {
        return;
    };
    findings.extend(slowest_pair(description, list));
    findings.extend(negative_sum(config, description, list));
    findings.extend(stretched_length(description, list));
}

/// Turns of the slowest pair, and pairs that reach angles beyond those of training.
fn slowest_pair(description: &RotaryDescription, list: &AngleLists<'_>) -> Option<Finding> {
    let (trained, claimed) = (description.trained_length?, description.claimed_length?);
    let slowest = |angles: &[f64]| {
        let rotating = angles.iter().copied().filter(|angle| *angle > 0.0);
        rotating.reduce(f64::min)
    };
    let in_training = turns(slowest(&list.plain)?, trained);
    let in_claimed = turns(slowest(&list.configured_angles)?, claimed);
    let has_full_turn = |plain: f64| turns(plain, trained) >= 1.0;
    let partial = list.plain.iter().filter(|plain| !has_full_turn(**plain));
    let partial = partial.count();
    let is_beyond = |(plain, scaled): (&f64, &f64)| {
        !has_full_turn(*plain) && scaled * claimed > plain * trained * (1.0 + 1e-9)
    };
    let pairs = list.plain.iter().zip(&list.configured_angles);
    let beyond = pairs.filter(|pair| is_beyond(*pair)).count();
    let angles = &list.source.tensors.angles;
    let columns = 2 * list.pairs();
    let critical = critical_columns(angles.exponent_width, angles.base, trained).min(columns);
    let is_same = claimed == trained && beyond == 0;
    let training = format!(
        "Within the {}{} tokens{} the slowest pair makes {} turns and {partial} of {} make no full turn (the critical dimension of Liu et al. 2024 is {critical} of {columns} columns)",
        if is_same { "claimed " } else { "" },
        number_text(trained),
        if is_same { "" } else { " of training" },
        number_text(in_training),
        count_text(list.pairs(), "pair"),
    );
    let (severity, sentence) = if is_same {
        let sentence = format!("{training}; the configuration names no other length of training.");
        (Severity::Fact, sentence)
    } else if beyond == 0 {
        let sentence = format!(
            "{training}; within the claimed {} tokens it makes {} turns, and no pair goes beyond the angles of training.",
            number_text(claimed),
            number_text(in_claimed)
        );
        (Severity::Fact, sentence)
    } else {
        let goes = if beyond == 1 { "goes" } else { "go" };
        let sentence = format!(
            "{training}; within the claimed {} tokens it makes {} turns, and {} {goes} beyond the angles of training, unless training continued with longer texts.",
            number_text(claimed),
            number_text(in_claimed),
            count_text(beyond, "pair")
        );
        (Severity::Caution, sentence)
    };
    Some(
        Finding::new(FindingKind::SlowestPair, severity, &sentence).with(&[
            (FindingNumber::TrainedLength, trained),
            (FindingNumber::ClaimedLength, claimed),
            (FindingNumber::TurnsInTraining, in_training),
            (FindingNumber::Turns, in_claimed),
            (FindingNumber::Pairs, list.pairs() as f64),
            (FindingNumber::PairsWithoutFullTurn, partial as f64),
            (FindingNumber::PairsBeyondTraining, beyond as f64),
            (FindingNumber::CriticalColumns, critical as f64),
        ]),
    )
}

/// The angles of all columns of a head, in which pairs that do not rotate have angle 0.
fn with_still_pairs(config: &RotaryConfig<'_>, list: &AngleLists<'_>) -> Vec<f64> {
    const MOST: usize = 2048;
    let head = list.head_width(config).unwrap_or(0) as usize;
    let pairs = (head / 2).clamp(list.pairs(), MOST.max(list.pairs()));
    let mut angles = list.configured_angles.clone();
    angles.resize(pairs, 0.0);
    angles
}

/// The first offset with a negative sum of cosines.
fn negative_sum(
    config: &RotaryConfig<'_>,
    description: &RotaryDescription,
    list: &AngleLists<'_>,
) -> Option<Finding> {
    let claimed = description.claimed_length?;
    let longest = claimed.max(SHORTEST_SEARCH);
    let kind = FindingKind::NegativeSum;
    let claim = (FindingNumber::ClaimedLength, claimed);
    let length = number_text(claimed);
    let angles = with_still_pairs(config, list);
    Some(match first_negative_sum(&angles, longest as usize) {
        NegativeSum::At(k) => {
            let numbers = [claim, (FindingNumber::FirstNegativeSum, k as f64)];
            let offset = number_text(k as f64);
            let start =
                format!("The cosines of all pairs first sum to less than 0 at offset {offset}");
            if (k as f64) < claimed {
                let sentence = format!(
                    "{start}, before the claimed {length} tokens: there a key that equals the query gets a lower score than a random one on average (Men et al. 2024, theorem 1)."
                );
                Finding::caution(kind, &sentence).with(&numbers)
            } else {
                let sentence = format!("{start}, beyond the claimed {length} tokens.");
                Finding::fact(kind, &sentence).with(&numbers)
            }
        }
        NegativeSum::NotUpTo(k) => {
            let sentence = format!(
                "The cosines of all pairs never sum to less than 0 up to offset {}; the configuration claims {length} tokens.",
                number_text(k as f64)
            );
            let numbers = [claim, (FindingNumber::PositiveUpTo, k as f64)];
            Finding::fact(kind, &sentence).with(&numbers)
        }
    })
}

/// The factor times the length of training, and the claimed length.
fn stretched_length(description: &RotaryDescription, list: &AngleLists<'_>) -> Option<Finding> {
    let claimed = description.claimed_length?;
    let change = &list.source.tensors.angles.extension;
    let (factor, trained) = factor_of(change)?;
    let trained = trained.or(description.trained_length)?;
    let reach = factor * trained;
    let name = change_name(change);
    let product = format!(
        "The change “{name}” stretches {} tokens by {} to {}",
        number_text(trained),
        number_text(factor),
        number_text(reach)
    );
    let numbers = [
        (FindingNumber::Factor, factor),
        (FindingNumber::TrainedLength, trained),
        (FindingNumber::ClaimedLength, claimed),
        (FindingNumber::StretchedLength, reach),
    ];
    let kind = FindingKind::StretchedLength;
    let finding = if (reach - claimed).abs() <= 1e-6 * claimed {
        let sentence = format!("{product}, the claimed length.");
        Finding::fact(kind, &sentence)
    } else if reach < claimed {
        let sentence = format!(
            "{product}, less than the claimed {}, unless training continued with longer texts.",
            number_text(claimed)
        );
        Finding::caution(kind, &sentence)
    } else {
        let sentence = format!(
            "{product}, more than the claimed {}: programs that stop at the claimed length leave the rest unused.",
            number_text(claimed)
        );
        Finding::fact(kind, &sentence)
    };
    Some(finding.with(&numbers))
}
