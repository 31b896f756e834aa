//! Shapes of queries and keys, and numbers of layers, that contradict the configuration.

use std::collections::BTreeSet;

use super::{
    Finding, FindingKind, FindingNumber,
    finding::{count_text, number_text},
    rotary_config::RotaryConfig,
};
use crate::checkpoint::{Name, ShapeText, TensorInfo, Weights};

/// Ends of the names of maps to queries.
const QUERIES: &[&str] = &[
    "self_attn.q_proj.weight",
    "attention.wq.weight",
    "attn_q.weight",
];
/// Ends of the names of maps to keys.
const KEYS: &[&str] = &[
    "self_attn.k_proj.weight",
    "attention.wk.weight",
    "attn_k.weight",
];
/// Parts of names that the number of a layer follows.
const LAYERS: &[&str] = &["layers.", "blk."];
/// Parts of the names of tensors of other models in the file, and of layers that predict further words.
const OTHERS: &[&str] = &["visual", "vision", "audio", "mtp", "lora_", "draft"];
/// Maximum number of layers.
const MOST_LAYERS: usize = 4096;

/// Adds findings on the tensors. Reads no numbers, and opens at most the files of the first layer's maps.
pub(super) async fn check<W: Weights>(
    config: &RotaryConfig<'_>,
    checkpoint: &W,
    findings: &mut Vec<Finding>,
) {
    findings.extend(layer_count(config, &checkpoint.names()));
    findings.extend(query_shape(config, checkpoint).await);
    findings.extend(key_shape(config, checkpoint).await);
}

/// Number of the layer of a tensor, counted from 0; `None` for tensors outside of layers and of other models.
fn layer_of(name: &str) -> Option<usize> {
    if OTHERS.iter().any(|other| name.contains(other)) {
        return None;
    }
    LAYERS.iter().find_map(|word| {
        let rest = &name[name.find(word)? + word.len()..];
        let number: usize = rest.split('.').next()?.parse().ok()?;
        (number < MOST_LAYERS).then_some(number)
    })
}

fn layer_count(config: &RotaryConfig<'_>, names: &[&str]) -> Option<Finding> {
    let layers = config.part.layers? as usize;
    let numbers: BTreeSet<usize> = names.iter().filter_map(|name| layer_of(name)).collect();
    let last = *numbers.last()?;
    let further = ["num_nextn_predict_layers", "mtp_num_layers"]
        .iter()
        .find_map(|key| config.part.count(key))
        .unwrap_or(0) as usize;
    let count = last + 1;
    let numbers_of = |value: usize| {
        [
            (FindingNumber::Layers, value as f64),
            (FindingNumber::AllLayers, layers as f64),
        ]
    };
    let kind = FindingKind::LayerCount;
    if count > layers.saturating_add(further) {
        let sentence = format!(
            "The file has tensors of {}, but the configuration says {layers}; the two may belong to different models.",
            count_text(count, "layer")
        );
        return Some(Finding::fault(kind, &sentence).with(&numbers_of(count)));
    }
    let most = layers.min(MOST_LAYERS);
    let absent = (0..most).filter(|at| !numbers.contains(at));
    let (first, count) = (absent.clone().next()?, absent.count());
    let have = if count == 1 { "has" } else { "have" };
    let sentence = format!(
        "Of {}, {count} {have} no tensors in the file, the first of them layer {}; a part of the checkpoint may be missing.",
        count_text(layers, "layer"),
        first + 1
    );
    Some(Finding::fault(kind, &sentence).with(&numbers_of(count)))
}

/// The map of the first layer that ends in one of these names, and its number of outputs.
async fn first_map<W: Weights>(
    config: &RotaryConfig<'_>,
    checkpoint: &W,
    ends: &[&str],
) -> Option<(TensorInfo, u64)> {
    let names = checkpoint.names();
    let is_map =
        |name: &&&str| layer_of(name) == Some(0) && ends.iter().any(|end| name.ends_with(end));
    let name = names.iter().filter(is_map).min_by_key(|name| name.len())?;
    let tensor = checkpoint.locate(name).await.ok()?;
    let [outputs, inputs] = tensor.shape[..] else {
        return None;
    };
    // Packed numbers have other shapes.
    let hidden = config.part.hidden_width.map(u64::from);
    (hidden == Some(inputs)).then_some((tensor, outputs))
}

/// Number of columns of a head of the first layer.
fn head_width(config: &RotaryConfig<'_>) -> Option<u32> {
    let known = config.description.and_then(|known| known.layer_angles(0));
    let known = known.and_then(|angles| angles.head_width);
    known.or_else(|| config.head_width())
}

async fn query_shape<W: Weights>(config: &RotaryConfig<'_>, checkpoint: &W) -> Option<Finding> {
    let (tensor, outputs) = first_map(config, checkpoint, QUERIES).await?;
    let (heads, width) = (config.part.heads?, head_width(config)?);
    let expected = u64::from(heads) * u64::from(width);
    // Some models store a gate of the same size with the queries.
    let has_gate = config.part.flag("attn_output_gate") == Some(true)
        || config
            .part
            .model_type
            .as_deref()
            .is_some_and(|kind| kind.starts_with("qwen3_"));
    if outputs == expected || (has_gate && outputs == 2 * expected) {
        return None;
    }
    let numbers = [
        (FindingNumber::Value, outputs as f64),
        (FindingNumber::Heads, f64::from(heads)),
    ];
    let found = wrong_rows(FindingKind::QueryShape, &tensor, (heads, "heads"), width);
    Some(found.with(&numbers))
}

async fn key_shape<W: Weights>(config: &RotaryConfig<'_>, checkpoint: &W) -> Option<Finding> {
    let (tensor, outputs) = first_map(config, checkpoint, KEYS).await?;
    let part = config.part;
    // A list has one number for each layer.
    if part
        .entry("num_key_value_heads")
        .is_some_and(serde_json::Value::is_array)
    {
        return None;
    }
    let keys = part.count("num_key_value_heads").or(part.heads)?;
    let width = head_width(config)?;
    if outputs == u64::from(keys) * u64::from(width) {
        return None;
    }
    let noun = if part.count("num_key_value_heads").is_some() {
        "key heads"
    } else {
        "key heads (as many as heads, since “num_key_value_heads” is absent)"
    };
    let numbers = [
        (FindingNumber::Value, outputs as f64),
        (FindingNumber::KeyHeads, f64::from(keys)),
    ];
    let found = wrong_rows(FindingKind::KeyShape, &tensor, (keys, noun), width);
    Some(found.with(&numbers))
}

/// A map whose rows are not those of so many heads of `width` columns.
fn wrong_rows(
    kind: FindingKind,
    tensor: &TensorInfo,
    (count, noun): (u32, &str),
    width: u32,
) -> Finding {
    let expected = f64::from(count) * f64::from(width);
    let sentence = format!(
        "Tensor {} is {}, but {count} {noun} of {width} columns make {} rows; the configuration may belong to another model.",
        Name(&tensor.name),
        ShapeText(&tensor.shape),
        number_text(expected)
    );
    Finding::fault(kind, &sentence).with(&[
        (FindingNumber::Expected, expected),
        (FindingNumber::HeadWidth, f64::from(width)),
    ])
}
