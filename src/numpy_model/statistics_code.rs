//! Statistics of the queries of rotary heads, of files that have nothing else.
//!
//! | Name | Content |
//! |---|---|
//! | `STATISTICS` | layer and head of each head, from 0 |
//! | `query_statistics(layer, head)` | mean and mean size of the queries in each pair of columns |
//! | `rotation(layer)` | pairs of columns, their angles, and a factor |

use super::{
    LONGEST_LINE,
    python::{CodeSegment, fill_lines, string_literal, tuple_literal},
    readable,
    whole_model::LayerRotation,
};
use crate::{
    checkpoint::Weights,
    model::{Correction, PositionModel, QueryStatistics, VECTOR_ENDINGS},
    short_text::short_name,
};

/// Least numbers of digits of layers and heads in names.
const DIGITS: std::ops::RangeInclusive<usize> = 1..=4;

/// Writes the heads of layers that rotate, in a text of `positions` tokens.
///
/// # Errors
/// A sentence on what programs cannot read.
pub(super) async fn segments<W: Weights>(
    statistics: &QueryStatistics,
    model: &PositionModel,
    positions: usize,
    file: &W,
) -> Result<[CodeSegment; 3], String> {
    let rotary = model
        .rotary()
        .ok_or("The configuration has no angles of layers.")?;
    let is_rotated = |layer: usize| rotary.layer_angles(layer).is_some();
    let heads = || statistics.places().filter(|((at, _), _)| is_rotated(*at));
    let places: Vec<(usize, usize)> = heads().map(|(place, _)| place).collect();
    for (_, stem) in heads() {
        for ending in VECTOR_ENDINGS {
            readable(file, &format!("{stem}{ending}")).await?;
        }
    }
    let name = name_of_head(&heads().collect::<Vec<_>>())?;
    let is_scaled = model.choice().does(Correction::AngleScaling);
    let layers = statistics.layers();
    let length = (positions, is_scaled);
    let rotation = LayerRotation::of_configuration(rotary, layers, length, file).await?;
    Ok([list_of_heads(&places), vectors(&name), rotation.function()])
}

/// `STATISTICS`.
fn list_of_heads(places: &[(usize, usize)]) -> CodeSegment {
    let layers = places.last().map_or(0, |(layer, _)| layer + 1);
    let heads = places.iter().map(|(_, head)| head + 1).max().unwrap_or(0);
    let all = (0..layers).flat_map(|layer| (0..heads).map(move |head| (layer, head)));
    if all.eq(places.iter().copied()) {
        let list = format!(
            "[(layer, head) for layer in range({layers}) for head in range({heads})]  # layers and heads, from 0"
        );
        return CodeSegment::constant("STATISTICS", &list);
    }
    let pairs = places
        .iter()
        .map(|(layer, head)| tuple_literal([layer, head]));
    let pairs = pairs.collect::<Vec<_>>().join(", ");
    let lines = fill_lines(&pairs, "    ", LONGEST_LINE).join("\n");
    let list = format!("[  # layers and heads, from 0\n{lines}\n]");
    CodeSegment::constant("STATISTICS", &list)
}

/// An expression for the name of the vectors of the head `head` in the layer `layer`, without their endings.
///
/// # Errors
/// A sentence if the names do not follow from these numbers.
fn name_of_head(heads: &[((usize, usize), &str)]) -> Result<String, String> {
    let (_, first) = heads
        .first()
        .ok_or("No layer with statistics rotates queries.")?;
    let before = first.rfind('.').map_or("", |end| &first[..=end]);
    let digits = DIGITS.rev().find(|digits| {
        heads.iter().all(|((layer, head), stem)| {
            **stem == format!("{before}layer{layer:0digits$}_head{head:0digits$}")
        })
    });
    let digits = digits.ok_or_else(|| {
        format!(
            "Programs do not read statistics under names such as {}.",
            short_name(first)
        )
    })?;
    let before = match before {
        "" => String::new(),
        before => format!("{} + ", string_literal(before)),
    };
    Ok(format!(
        "{before}f\"layer{{layer:0{digits}d}}_head{{head:0{digits}d}}\""
    ))
}

/// `query_statistics`.
fn vectors(name: &str) -> CodeSegment {
    let [real, imaginary, size] = VECTOR_ENDINGS;
    let lines = [
        format!("name = {name}"),
        format!("mean = tensor(name + \"{real}\") + 1j * tensor(name + \"{imaginary}\")"),
        format!("return mean, tensor(name + \"{size}\")"),
    ];
    let about = "E q_m, a complex number, and E|q_m| of each pair of columns m before rotation (arXiv 2604.04921).";
    CodeSegment::function("query_statistics(layer, head)", about, &lines)
}
