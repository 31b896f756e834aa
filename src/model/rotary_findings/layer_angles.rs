//! Findings on which angles each layer uses.

use std::f64::consts::TAU;

use super::{
    Finding, FindingKind, FindingNumber, RotaryAxis, RotaryDescription,
    angle_lists::{AngleLists, change_name, factor_of},
    finding::number_text,
    rotary_config::RotaryConfig,
};

/// Maximum number of layers that a sentence lists.
const MOST_LISTED: usize = 12;

/// Adds a finding for each list of angles, and for the layers without any.
pub(super) fn check(
    config: &RotaryConfig<'_>,
    description: &RotaryDescription,
    lists: &[AngleLists<'_>],
    findings: &mut Vec<Finding>,
) {
    findings.extend(lists.iter().map(|list| angles(config, description, list)));
    findings.extend(name_unrotated_layers(description));
    findings.extend(lists.iter().find_map(axes));
}

fn angles(
    config: &RotaryConfig<'_>,
    description: &RotaryDescription,
    list: &AngleLists<'_>,
) -> Finding {
    let angles = &list.source.tensors.angles;
    let columns = 2 * list.pairs();
    let waves = list.configured_angles.iter().filter(|angle| **angle > 0.0);
    let waves = waves.map(|angle| TAU / angle);
    let (shortest, longest) = waves.fold((f64::INFINITY, 0.0_f64), |(least, most), wave| {
        (least.min(wave), most.max(wave))
    });
    let head = list.head_width(config).map_or(f64::NAN, f64::from);
    let of_head = if head == columns as f64 {
        format!("all {columns} columns of a head")
    } else if head.is_nan() {
        format!("{columns} columns of a head")
    } else {
        format!("{columns} of {} columns of a head", number_text(head))
    };
    let base = number_text(angles.base);
    let stated = if list.source.is_base_configured {
        ""
    } else {
        ", which the configuration leaves out"
    };
    let mut sentence = format!(
        "{} {of_head} with base {base}{stated}: one turn takes from {} to {} tokens",
        subject(description, list),
        number_text(shortest),
        number_text(longest)
    );
    if list.source.tensors.divisors.is_some() {
        sentence.push_str(", after numbers in the file divide the angles");
    } else if list.source.is_scaled() {
        let factor = factor_of(&angles.extension);
        let factor = factor.map_or(String::new(), |(factor, _)| {
            format!(" by factor {}", number_text(factor))
        });
        let name = change_name(&angles.extension);
        sentence.push_str(&format!(", after the change “{name}”{factor}"));
    }
    sentence.push('.');
    let factor = factor_of(&angles.extension).map_or(f64::NAN, |(factor, _)| factor);
    Finding::fact(FindingKind::LayerAngles, &sentence).with(&[
        (FindingNumber::Layers, list.layers(description) as f64),
        (FindingNumber::AllLayers, description.layers.len() as f64),
        (FindingNumber::Base, angles.base),
        (FindingNumber::HeadWidth, head),
        (FindingNumber::RotatedColumns, columns as f64),
        (FindingNumber::Pairs, list.pairs() as f64),
        (FindingNumber::Factor, factor),
        (FindingNumber::ShortestWavelength, shortest),
        (FindingNumber::LongestWavelength, longest),
    ])
}

/// “All 32 layers rotate”, “Of 32 layers, the 26 with a window rotate”.
fn subject(description: &RotaryDescription, list: &AngleLists<'_>) -> String {
    let (own, all) = (list.layers(description), description.layers.len());
    let locals = description.angles.iter().filter(|own| own.is_local).count();
    let has_several = description.angles.len() == 2 && locals == 1;
    let (one, several) = match (has_several, list.source.is_local) {
        (false, _) => ("1", ""),
        (true, true) => ("the one with a window", " with a window"),
        (true, false) => (
            "the one that sees the whole text",
            " that see the whole text",
        ),
    };
    match own {
        0 => format!("Layers{several} rotate"),
        1 if all == 1 => "The layer rotates".to_owned(),
        1 => format!("Of {all} layers, {one} rotates"),
        _ if own == all => format!("All {all} layers rotate"),
        _ if has_several => format!("Of {all} layers, the {own}{several} rotate"),
        _ => format!("Of {all} layers, {own} rotate"),
    }
}

fn name_unrotated_layers(description: &RotaryDescription) -> Option<Finding> {
    let still: Vec<usize> = description.unrotated_layers().collect();
    let (count, all) = (still.len(), description.layers.len());
    if count == 0 {
        return None;
    }
    let listed: Vec<String> = still
        .iter()
        .take(MOST_LISTED)
        .map(|at| (at + 1).to_string())
        .collect();
    let more = if count > MOST_LISTED { ", …" } else { "" };
    let verbs = match count {
        1 => "rotates nothing and sees",
        _ => "rotate nothing and see",
    };
    let sentence = format!(
        "Of {all} layers, {count} {verbs} positions only through the other layers and the mask: number {}{more}.",
        listed.join(", ")
    );
    let numbers = [
        (FindingNumber::Layers, count as f64),
        (FindingNumber::AllLayers, all as f64),
    ];
    Some(Finding::fact(FindingKind::UnrotatedLayers, &sentence).with(&numbers))
}

fn axes(list: &AngleLists<'_>) -> Option<Finding> {
    let axes = &list.source.axes;
    let count = |axis: RotaryAxis| axes.iter().filter(|own| **own == axis).count();
    let [time, row, column] = [RotaryAxis::Time, RotaryAxis::Row, RotaryAxis::Column].map(count);
    if axes.is_empty() {
        return None;
    }
    let sentence = format!(
        "The {} pairs are shared out among the axes of pictures and videos ({time} for frames, {row} for rows, {column} for columns): a program that counts one axis is right for text and wrong for {} pairs in pictures.",
        axes.len(),
        row + column
    );
    let numbers = [
        (FindingNumber::Pairs, axes.len() as f64),
        (FindingNumber::DifferentPairs, (row + column) as f64),
    ];
    Some(Finding::fact(FindingKind::PositionAxes, &sentence).with(&numbers))
}
