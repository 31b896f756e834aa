//! Axes that the pairs of columns follow in models for texts, pictures and videos (M-RoPE).
//!
//! ```text
//! in sections      t t … h h … w w …     Qwen2-VL, GLM-4V, PaddleOCR-VL
//! interleaved      t h w t h w … t t     Qwen3-VL, Qwen3.5: rows and columns as far as their sections reach
//! alternating      h w h w … t t …       ERNIE 4.5-VL
//! ```
//!
//! Wang et al., Qwen2-VL, 2024. The order is that of each model's rotary module in the transformers library, version
//! 5.24, and so are the sections of model types whose configuration may leave them out.

use super::{Config, RotaryAxis, rotary_bases::Angles, rotary_extension};

/// Order of the axes among the pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AxisOrder {
    Sections,
    Interleaved,
    Alternating,
}

/// Beginnings of model types with their order and their usual sections. Longer ones come first.
const ORDERS: &[(&str, AxisOrder, [u32; 3])] = &[
    ("qwen3_5", AxisOrder::Interleaved, [11, 11, 10]),
    ("qwen4_exp", AxisOrder::Interleaved, [11, 11, 10]),
    ("qwen3_vl", AxisOrder::Interleaved, [24, 20, 20]),
    ("qwen3_omni", AxisOrder::Interleaved, [24, 20, 20]),
    ("cosmos3_edge", AxisOrder::Interleaved, [24, 20, 20]),
    ("hy_v4_vl", AxisOrder::Interleaved, [24, 20, 20]),
    ("cohere_compass", AxisOrder::Interleaved, [24, 20, 20]),
    ("ernie4_5_vl", AxisOrder::Alternating, [22, 22, 20]),
    ("qwen2_vl", AxisOrder::Sections, [16, 24, 24]),
    ("qwen2_5_vl", AxisOrder::Sections, [16, 24, 24]),
    ("qwen2_5_omni", AxisOrder::Sections, [16, 24, 24]),
    ("paddleocr_vl", AxisOrder::Sections, [16, 24, 24]),
    ("glm4v", AxisOrder::Sections, [8, 12, 12]),
    ("glm_ocr", AxisOrder::Sections, [8, 12, 12]),
    ("glm_image", AxisOrder::Sections, [8, 12, 12]),
];

/// Axis of each of the first `pairs` pairs of columns; empty for models with one axis.
pub(super) fn axes(config: &Config, angles: &Angles<'_>, pairs: usize) -> Vec<RotaryAxis> {
    let Some((order, counts)) = order_and_counts(config, angles) else {
        return Vec::new();
    };
    (0..pairs).map(|pair| axis(order, counts, pair)).collect()
}

/// Whether the axes take turns.
pub(super) fn is_interleaved(config: &Config, angles: &Angles<'_>) -> bool {
    let order = order_and_counts(config, angles);
    order.is_some_and(|(order, _)| order != AxisOrder::Sections)
}

/// Numbers of pairs of time, rows and columns; `None` for models with one axis.
pub(super) fn counts(config: &Config, angles: &Angles<'_>) -> Option<[u32; 3]> {
    order_and_counts(config, angles).map(|(_, counts)| counts)
}

fn order_and_counts(config: &Config, angles: &Angles<'_>) -> Option<(AxisOrder, [u32; 3])> {
    let sections = rotary_extension::sections(config, angles);
    let mut sections = sections.into_iter().chain([config]);
    let stated = sections.find(|section| section.counts("mrope_section").len() > 1);
    let model_type = config.model_type.as_deref().unwrap_or_default();
    let known = ORDERS
        .iter()
        .find(|(start, ..)| model_type.starts_with(start));
    let counts = match (stated, known) {
        (Some(section), _) => {
            let counts = section.counts("mrope_section");
            [0, 1, 2].map(|axis| counts.get(axis).copied().unwrap_or(0))
        }
        (None, Some((_, _, usual))) => *usual,
        (None, None) => return None,
    };
    let flag = stated.and_then(|section| section.flag("mrope_interleaved"));
    let order = match (known, flag) {
        (Some((_, order, _)), _) => *order,
        (None, Some(true)) => AxisOrder::Interleaved,
        (None, _) => AxisOrder::Sections,
    };
    Some((order, counts))
}

/// Axis of a pair. Pairs beyond all sections follow the time.
fn axis(order: AxisOrder, counts: [u32; 3], pair: usize) -> RotaryAxis {
    const AXES: [RotaryAxis; 3] = [RotaryAxis::Time, RotaryAxis::Row, RotaryAxis::Column];
    let [first, second, third] = counts.map(|count| count as usize);
    match order {
        AxisOrder::Interleaved => match pair % 3 {
            1 if pair < 3 * second => RotaryAxis::Row,
            2 if pair < 3 * third => RotaryAxis::Column,
            _ => RotaryAxis::Time,
        },
        // Here the sections are those of rows, columns and time.
        AxisOrder::Alternating if pair < first + second => AXES[1 + pair % 2],
        AxisOrder::Alternating => RotaryAxis::Time,
        AxisOrder::Sections if pair < first => RotaryAxis::Time,
        AxisOrder::Sections if pair < first + second => RotaryAxis::Row,
        AxisOrder::Sections if pair < first + second + third => RotaryAxis::Column,
        AxisOrder::Sections => RotaryAxis::Time,
    }
}
