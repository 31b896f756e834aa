//! Findings on how other programs misread the configuration in silence, with the error of the phases.
//!
//! A phase is θ_m times an offset. A program with other angles is compared at the claimed length: a pair whose phase is
//! off by more than π says nothing about the offset any more.

use super::{
    Finding, FindingKind, FindingNumber, RotaryDescription, Severity,
    angle_lists::{AngleLists, factor_of},
    finding::{count_text, number_text},
    rotary_config::RotaryConfig,
    sections::USUAL_BASE,
};
use crate::{
    encoding::{ContextExtension, PhaseDifference, RotaryAngles},
    model::families::SCALE_FLAGS,
};

/// Maximum number of columns of a head, more than any model has.
const MOST_COLUMNS: usize = 4096;

/// Adds a finding for each misreading that changes an angle.
pub(super) fn check(
    config: &RotaryConfig<'_>,
    description: &RotaryDescription,
    lists: &[AngleLists<'_>],
    findings: &mut Vec<Finding>,
) {
    let readers = [
        fields_moved(config, lists),
        scaling_ignored(lists),
        unrotated_layers_ignored(description, lists),
        local_angles_ignored(config, description, lists),
        partial_rotation_ignored(config, lists),
        proportion_ignored(lists),
        attention_factor_ignored(config, lists),
        scale_flag_ignored(config, lists),
        length_factors_ignored(config, lists),
    ];
    findings.extend(readers.into_iter().flatten());
}

/// Angles of a program, beside those of the model.
struct Misreading<'a> {
    list: &'a AngleLists<'a>,
    /// The model's angles.
    angles: &'a [f64],
    /// The program's angles.
    others: Vec<f64>,
}

impl Misreading<'_> {
    fn difference(&self) -> PhaseDifference {
        PhaseDifference::new(self.angles, &self.others, self.list.offset)
    }
}

/// The finding on a misreading, of which the worst list of angles counts; `None` if no angle changes. `start` is a
/// sentence without its end.
fn finding(kind: FindingKind, start: &str, misreadings: &[Misreading<'_>]) -> Option<Finding> {
    let differences = misreadings
        .iter()
        .map(|misreading| (misreading, misreading.difference()));
    let changed = differences.filter(|(_, difference)| difference.pairs > 0);
    let (worst, difference) = changed.max_by(|(_, a), (_, b)| a.largest.total_cmp(&b.largest))?;
    let pairs = worst.angles.len().max(worst.others.len());
    let wrong = difference.pairs_beyond_half_turn;
    let (severity, end) = if wrong == 0 {
        let sentence = format!(
            "{} of {} differ, none by more than π",
            difference.pairs,
            count_text(pairs, "pair")
        );
        (Severity::Fact, sentence)
    } else {
        let sentence = format!(
            "{wrong} of {} are off by more than π",
            count_text(pairs, "pair")
        );
        (Severity::Caution, sentence)
    };
    let sentence = format!(
        "{start}: at offset {} the phase is wrong by up to {} rad, and {end}.",
        number_text(worst.list.offset),
        number_text(difference.largest)
    );
    Some(Finding::new(kind, severity, &sentence).with(&[
        (FindingNumber::Offset, worst.list.offset),
        (FindingNumber::PhaseError, difference.largest),
        (FindingNumber::Pairs, pairs as f64),
        (FindingNumber::DifferentPairs, difference.pairs as f64),
        (FindingNumber::WrongPairs, wrong as f64),
    ]))
}

/// Base 10,000, no change for longer texts and no partial rotation, where these are in `rope_parameters` alone.
fn fields_moved(config: &RotaryConfig<'_>, lists: &[AngleLists<'_>]) -> Option<Finding> {
    let part = config.part;
    if part.section("rope_parameters").is_empty() {
        return None;
    }
    let old_names = [
        "rope_theta",
        "global_rope_theta",
        "rotary_emb_base",
        "rope_local_base_freq",
        "local_rope_theta",
    ];
    let stated = old_names.iter().find_map(|key| part.number(key));
    let base = stated.unwrap_or(USUAL_BASE);
    let keeps_scaling = !part.section("rope_scaling").is_empty();
    let keeps_share = [
        "partial_rotary_factor",
        "rotary_pct",
        "rotary_dim",
        "qk_rope_head_dim",
    ]
    .iter()
    .any(|key| part.entry(key).is_some());
    let misreadings = lists.iter().map(|list| {
        let angles = &list.source.tensors.angles;
        let head = list.source.head_width.filter(|_| !keeps_share);
        let head = head.map(|width| (width as usize).min(MOST_COLUMNS));
        let columns = head.unwrap_or(2 * angles.pairs);
        let mut read = RotaryAngles::new(columns, base);
        if keeps_scaling {
            read.extension = angles.extension.clone();
        }
        Misreading {
            list,
            angles: &list.configured_angles,
            others: read.frequencies(list.offset as usize),
        }
    });
    let misreadings: Vec<_> = misreadings.collect();
    let base_text = number_text(base);
    let lost = if stated.is_some() { "" } else { " in silence" };
    let is_changed = lists.iter().any(|list| list.source.is_scaled());
    let unchanged = if is_changed && !keeps_scaling {
        " and no change for longer texts"
    } else {
        ""
    };
    let start = format!(
        "The angles are in “rope_parameters”, and a program that knows only “rope_theta” and “rope_scaling” (transformers before version 5) uses base {base_text}{lost}{unchanged}"
    );
    let found = finding(FindingKind::FieldsMoved, &start, &misreadings)?;
    Some(found.with(&[(FindingNumber::Base, base)]))
}

fn scaling_ignored(lists: &[AngleLists<'_>]) -> Option<Finding> {
    let scaled = lists.iter().filter(|list| list.source.is_scaled());
    let misreadings: Vec<_> = scaled
        .map(|list| Misreading {
            list,
            angles: &list.configured_angles,
            others: list.plain.clone(),
        })
        .collect();
    let start = "A program that leaves the change for longer texts out uses the angles of training";
    finding(FindingKind::ScalingIgnored, start, &misreadings)
}

fn unrotated_layers_ignored(
    description: &RotaryDescription,
    lists: &[AngleLists<'_>],
) -> Option<Finding> {
    let count = description.unrotated_layers().count();
    if count == 0 {
        return None;
    }
    // Layers without rotation are mostly those that see the whole text.
    let global = lists.iter().find(|list| !list.source.is_local);
    let list = global.or(lists.first())?;
    let misreading = Misreading {
        list,
        angles: &[],
        others: list.configured_angles.clone(),
    };
    let layers = count_text(count, "layer");
    let start = format!("A program that rotates every layer turns {layers} too many");
    let found = finding(FindingKind::UnrotatedLayersIgnored, &start, &[misreading])?;
    Some(found.with(&[
        (FindingNumber::Layers, count as f64),
        (FindingNumber::AllLayers, description.layers.len() as f64),
    ]))
}

fn local_angles_ignored(
    config: &RotaryConfig<'_>,
    description: &RotaryDescription,
    lists: &[AngleLists<'_>],
) -> Option<Finding> {
    let global = lists.iter().find(|list| !list.source.is_local)?;
    let local = lists.iter().find(|list| list.source.is_local)?;
    let misreading = Misreading {
        list: local,
        angles: &local.configured_angles,
        others: global.configured_angles.clone(),
    };
    let layers = local.layers(description);
    let window = ["sliding_window", "local_attention", "attention_chunk_size"]
        .iter()
        .find_map(|key| config.part.number(key))
        .filter(|window| *window > 0.0);
    let in_window = window.map(|window| {
        PhaseDifference::new(
            &local.configured_angles,
            &global.configured_angles,
            window.min(local.offset),
        )
        .largest
    });
    let within = match (window, in_window) {
        (Some(window), Some(error)) => format!(
            " (within their window of {} tokens, by up to {} rad)",
            number_text(window),
            number_text(error)
        ),
        _ => String::new(),
    };
    let who = match layers {
        0 => "layers with a window".to_owned(),
        _ => format!("{} with a window", count_text(layers, "layer")),
    };
    let start = format!(
        "A program that uses base {} everywhere turns {who} wrongly{within}",
        number_text(global.source.tensors.angles.base)
    );
    let found = finding(FindingKind::LocalAnglesIgnored, &start, &[misreading])?;
    Some(found.with(&[
        (FindingNumber::Layers, layers as f64),
        (FindingNumber::Window, window.unwrap_or(f64::NAN)),
        (
            FindingNumber::PhaseErrorInWindow,
            in_window.unwrap_or(f64::NAN),
        ),
    ]))
}

fn partial_rotation_ignored(
    config: &RotaryConfig<'_>,
    lists: &[AngleLists<'_>],
) -> Option<Finding> {
    // Heads of these models have columns without positions by design, in tensors of their own.
    if config.part.count("qk_rope_head_dim").is_some() {
        return None;
    }
    let partial = lists.iter().filter_map(|list| {
        let head = (list.source.head_width? as usize).min(MOST_COLUMNS);
        let angles = &list.source.tensors.angles;
        let is_partial = head > 2 * angles.pairs;
        let whole = RotaryAngles {
            extension: angles.extension.clone(),
            ..RotaryAngles::new(head, angles.base)
        };
        is_partial.then(|| Misreading {
            list,
            angles: &list.configured_angles,
            others: whole.frequencies(list.offset as usize),
        })
    });
    let misreadings: Vec<_> = partial.collect();
    let list = misreadings.first()?.list;
    let head = list.source.head_width.unwrap_or(0);
    let columns = 2 * list.pairs();
    let start =
        format!("A program that rotates whole heads turns {head} columns in place of {columns}");
    let found = finding(FindingKind::PartialRotationIgnored, &start, &misreadings)?;
    Some(found.with(&[
        (FindingNumber::HeadWidth, f64::from(head)),
        (FindingNumber::RotatedColumns, columns as f64),
    ]))
}

/// Exponents over the rotated columns, where they must run over the whole head (Gemma 4).
fn proportion_ignored(lists: &[AngleLists<'_>]) -> Option<Finding> {
    let list = lists
        .iter()
        .find(|list| list.source.tensors.angles.exponent_width > 2 * list.pairs())?;
    let angles = &list.source.tensors.angles;
    let columns = 2 * list.pairs();
    let partial = RotaryAngles {
        exponent_width: columns,
        ..angles.clone()
    };
    let misreading = Misreading {
        list,
        angles: &list.configured_angles,
        others: partial.frequencies(list.offset as usize),
    };
    let start = format!(
        "A program that takes “proportional” as a partial rotation lets the exponents run over {columns} columns in place of {}",
        angles.exponent_width
    );
    finding(FindingKind::ProportionIgnored, &start, &[misreading])
}

/// The factor of queries and keys, and `DeepSeek`'s factor of the scores.
fn attention_factor_ignored(
    config: &RotaryConfig<'_>,
    lists: &[AngleLists<'_>],
) -> Option<Finding> {
    let list = lists.iter().find(|list| !list.source.is_local);
    let list = list.or(lists.first())?;
    let factor = list.source.tensors.attention_factor();
    // DeepSeek's code multiplies the scale of the scores by this number's square, beside the factor.
    let coefficient = config
        .changes()
        .find_map(|place| place.section.number("mscale_all_dim"))
        .filter(|coefficient| *coefficient > 0.0 && config.compressed_head_width().is_some());
    let stretch = factor_of(&list.source.tensors.angles.extension);
    let of_scores = match (coefficient, stretch) {
        (Some(coefficient), Some((stretch, _))) if stretch > 1.0 => {
            0.1 * coefficient * stretch.ln() + 1.0
        }
        _ => 1.0,
    };
    let product = (factor * of_scores).powi(2);
    if (product - 1.0).abs() < 1e-9 {
        return None;
    }
    let origin = match (factor == 1.0, of_scores == 1.0) {
        (true, _) => {
            format!(
                "The entry “mscale_all_dim” multiplies the scale of the scores by {of_scores:.4}²"
            )
        }
        (false, true) => format!("Queries and keys are multiplied by {factor:.4} each"),
        (false, false) => format!(
            "Queries and keys are multiplied by {factor:.4} each, and “mscale_all_dim” multiplies the scale of the scores by {of_scores:.4}²"
        ),
    };
    let sentence = format!(
        "{origin}: the scores of a program that leaves this out lack the factor {product:.4}."
    );
    Some(
        Finding::caution(FindingKind::AttentionFactorIgnored, &sentence)
            .with(&[(FindingNumber::ScoreFactor, product)]),
    )
}

/// `YaRN` without its factor of queries and keys, by an entry that few programs know.
fn scale_flag_ignored(config: &RotaryConfig<'_>, lists: &[AngleLists<'_>]) -> Option<Finding> {
    let (place, key) = config.changes().find_map(|place| {
        let is_off = |key: &&str| place.section.flag(key) == Some(false);
        Some((place, SCALE_FLAGS.into_iter().find(is_off)?))
    })?;
    let list = lists.iter().find(|list| !list.source.is_local);
    let ContextExtension::Yarn(yarn) = &list.or(lists.first())?.source.tensors.angles.extension
    else {
        return None;
    };
    if yarn.factor <= 1.0 || yarn.attention_factor != 1.0 {
        return None;
    }
    let factor = 0.1 * yarn.factor.ln() + 1.0;
    let product = factor.powi(2);
    let sentence = format!(
        "The entry {} is false, so that queries and keys are not multiplied by YaRN's factor 0.1·ln {} + 1 = {factor:.4}: the scores of a program that does not know the entry have the factor {product:.4} too much.",
        place.entry_text(key),
        number_text(yarn.factor)
    );
    let finding = Finding::caution(FindingKind::ScaleFlagIgnored, &sentence);
    Some(finding.with(&[(FindingNumber::ScoreFactor, product)]))
}

/// Phi-MoE's factors of queries and keys, one for texts up to the length of training and one for longer texts.
fn length_factors_ignored(config: &RotaryConfig<'_>, lists: &[AngleLists<'_>]) -> Option<Finding> {
    let (short, long) = config.changes().find_map(|place| {
        let number = |key| place.section.number(key).filter(|factor| *factor > 0.0);
        Some((number("short_mscale")?, number("long_mscale")?))
    })?;
    let usual = lists.first()?.source.tensors.attention_factor();
    let product = (long / usual).powi(2);
    if (product - 1.0).abs() < 1e-9 && (short / usual - 1.0).abs() < 1e-9 {
        return None;
    }
    let sentence = format!(
        "Phi-MoE's code multiplies queries and keys by “short_mscale” ({short:.4}) up to the length of training and by “long_mscale” ({long:.4}) beyond it; this page and programs that leave the two out use {usual:.4}, and the scores of long texts then lack the factor {product:.4}."
    );
    let finding = Finding::caution(FindingKind::LengthFactorsIgnored, &sentence);
    Some(finding.with(&[(FindingNumber::ScoreFactor, product)]))
}
