//! Constants of the angles of rotary models, from the answer that the figure shows.

use super::super::literal::{Literal, dict_literal};
use crate::{
    analysis::{AngleSet, AngleSource, ModelAngles, RotaryAxis},
    encoding::{ContextExtension, RotaryAngles},
    figure::AngleChange,
    numpy_model::pair_order,
};

/// A constant or a condition of the programs of rotary angles, as the figure shows them after a change.
#[must_use]
pub fn angle_constant(angles: &ModelAngles, change: AngleChange, name: &str) -> Option<String> {
    let sets = angles.sets.iter().enumerate();
    let lines: Option<Vec<_>> = sets.map(|(at, set)| line_of(at, set, change)).collect();
    let Some(lines) = lines else {
        return patch_constant(angles, change, name);
    };
    let changes: Vec<Option<(&str, String)>> = lines
        .iter()
        .zip(&angles.sets)
        .map(|(line, set)| change_of(line, set, angles))
        .collect();
    let kind = changes.iter().flatten().map(|(kind, _)| *kind).next();
    Some(match name {
        "by-patch" => false.literal(),
        "changed" => kind.is_some().literal(),
        "linear" | "ntk" | "dynamic" | "yarn" | "divided" | "llama3" => {
            (kind == Some(name)).literal()
        }
        "ANGLE_SETS" => {
            let sets = lines
                .iter()
                .zip(&angles.sets)
                .zip(&changes)
                .map(|((line, set), change)| {
                    let layers: Vec<usize> = set.layers.iter().map(|layer| layer + 1).collect();
                    let layers = match layers.is_empty() {
                        true => vec![1],
                        false => layers,
                    };
                    let plain = (layers, line.base, line.exponent_width, set.turning).literal();
                    match (kind, change) {
                        (None, _) => plain,
                        (Some(_), change) => {
                            let change = change
                                .as_ref()
                                .map_or("None", |(_, change)| change.as_str());
                            format!("{}, {change})", plain.trim_end_matches(')'))
                        }
                    }
                });
            format!("[{}]", sets.collect::<Vec<_>>().join(", "))
        }
        "AXES" => {
            let axes = angles.sets.iter().find(|set| !set.axes.is_empty());
            axes.map(|set| {
                set.axes
                    .iter()
                    .map(|axis| axis_name(*axis))
                    .collect::<Vec<_>>()
            })
            .literal()
        }
        _ => return None,
    })
}

/// A constant or a condition of the program of angles by rows and columns of patches.
fn patch_constant(angles: &ModelAngles, change: AngleChange, name: &str) -> Option<String> {
    let formula = angles.sets.iter().find_map(|set| match &set.angles {
        AngleSource::Patches(formula) => Some(formula),
        AngleSource::Line(_) | AngleSource::Stored { .. } => None,
    });
    Some(match name {
        "by-patch" => true.literal(),
        "stored" => formula.is_none().literal(),
        "ANGLE_LAYERS" => angles.layers.max(1).literal(),
        "PATCH_FORMULA" => {
            let formula = formula?;
            let base = change.base.unwrap_or(formula.base);
            let [down, across] = formula.steps;
            let order = pair_order(formula.order);
            (formula.width, base, order, (down, across)).literal()
        }
        _ => return None,
    })
}

fn axis_name(axis: RotaryAxis) -> &'static str {
    match axis {
        RotaryAxis::Time => "time",
        RotaryAxis::Row => "row",
        RotaryAxis::Column => "column",
    }
}

/// The angles of a set for texts, with the base of the slider for the first set. `None` for patches.
fn line_of(at: usize, set: &AngleSet, change: AngleChange) -> Option<RotaryAngles> {
    let AngleSource::Line(line) = &set.angles else {
        return None;
    };
    let mut line = line.clone();
    if let Some(base) = change.base.filter(|_| at == 0) {
        line.base = base;
    }
    if let Some(factor) = change.factor {
        line.extension = line.extension.with_factor(factor);
    }
    Some(line)
}

/// The change of a set for longer texts: its kind, and a dictionary of its numbers.
fn change_of(
    line: &RotaryAngles,
    set: &AngleSet,
    angles: &ModelAngles,
) -> Option<(&'static str, String)> {
    if !set.divisors.is_empty() {
        return Some((
            "divided",
            dict_literal([("divisors", set.divisors.clone())]),
        ));
    }
    if !angles.is_scaled {
        return None;
    }
    let numbers = |numbers: &[(&str, f64)]| dict_literal(numbers.iter().copied());
    Some(match &line.extension {
        ContextExtension::None => return None,
        ContextExtension::Linear { factor } => ("linear", numbers(&[("factor", *factor)])),
        ContextExtension::Ntk { factor } => ("ntk", numbers(&[("factor", *factor)])),
        ContextExtension::Dynamic {
            factor,
            trained_length,
        } => (
            "dynamic",
            numbers(&[
                ("factor", *factor),
                ("trained_length", *trained_length),
                ("length", angles.length as f64),
            ]),
        ),
        ContextExtension::Yarn(yarn) => {
            let entries = [
                ("factor", yarn.factor.literal()),
                ("trained_length", yarn.trained_length.literal()),
                ("fast_turns", yarn.fast_turns.literal()),
                ("slow_turns", yarn.slow_turns.literal()),
                ("truncated", yarn.is_truncated.literal()),
            ];
            let entries = entries.map(|(name, value)| format!("\"{name}\": {value}"));
            ("yarn", format!("{{{}}}", entries.join(", ")))
        }
        ContextExtension::LongRope(rope) => {
            let is_long = angles.length as f64 > rope.trained_length;
            let divisors = if is_long {
                &rope.long_divisors
            } else {
                &rope.short_divisors
            };
            ("divided", dict_literal([("divisors", divisors.clone())]))
        }
        ContextExtension::Llama3 {
            factor,
            low_turns,
            high_turns,
            trained_length,
        } => (
            "llama3",
            numbers(&[
                ("factor", *factor),
                ("trained_length", *trained_length),
                ("low_turns", *low_turns),
                ("high_turns", *high_turns),
            ]),
        ),
    })
}
