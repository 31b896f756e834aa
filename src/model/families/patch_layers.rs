//! Queries and keys of models that rotate patches, by names of their tensors.
//!
//! ```text
//! DINOv3, Qwen2-VL, Llama 4, Perception Encoder, RoPE-ViT   LayerNorm with a bias before queries and keys
//! EVA-02, DINOv3                                            keys without a bias of their own
//! Qwen2.5-VL                                                RMS norm, biases of queries and keys
//! Pixtral                                                   RMS norm, no biases
//! ```

use super::{Cut, DetectionInput, LayerTensors, LinearTensors, Model};

/// Names of the maps of a layer. `{}` is replaced by the number of the layer.
struct MapNames {
    /// Stem of the map to queries, keys and values; or of that to queries and that to keys.
    maps: &'static [&'static str],
    /// Stem of the norm before them.
    norm: &'static str,
    /// Stem of the norm of queries, if there can be one.
    query_norm: &'static str,
}

const NAMES: &[MapNames] = &[
    // Qwen's towers, timm, the files of DINOv3's authors.
    MapNames {
        maps: &["blocks.{}.attn.qkv"],
        norm: "blocks.{}.norm1",
        query_norm: "blocks.{}.attn.q_norm",
    },
    // EVA-02 in timm.
    MapNames {
        maps: &["blocks.{}.attn.q_proj", "blocks.{}.attn.k_proj"],
        norm: "blocks.{}.norm1",
        query_norm: "blocks.{}.attn.q_norm",
    },
    // Qwen2.5-Omni.
    MapNames {
        maps: &["blocks.{}.attn.q", "blocks.{}.attn.k"],
        norm: "blocks.{}.norm1",
        query_norm: "blocks.{}.attn.q_norm",
    },
    // DINOv3 in transformers.
    MapNames {
        maps: &["layer.{}.attention.q_proj", "layer.{}.attention.k_proj"],
        norm: "layer.{}.norm1",
        query_norm: "layer.{}.attention.q_norm",
    },
    // Llama 4.
    MapNames {
        maps: &["layers.{}.self_attn.q_proj", "layers.{}.self_attn.k_proj"],
        norm: "layers.{}.input_layernorm",
        query_norm: "layers.{}.self_attn.q_norm",
    },
];
/// Kinds of towers, as [`super::vision_towers`] names them, whose layers these are.
const TOWERS: &[&str] = &[
    "dinov3_vit",
    "qwen2_vl",
    "qwen2_5_vl",
    "qwen2_5_omni",
    "qwen3_vl",
    "llama4",
];

/// Layers of a tower, which may be a part of a larger model; none if they have other names.
pub(super) fn of_tower(clues: &DetectionInput<'_>, kind: &str, is_part: bool) -> Vec<LayerTensors> {
    if !TOWERS.contains(&kind) {
        return Vec::new();
    }
    find(clues, |prefix| {
        !is_part || prefix.contains("vision") || prefix.contains("visual")
    })
}

/// Layers of a vision transformer under timm's names or those of its authors.
pub(super) fn of_timm(clues: &DetectionInput<'_>) -> Vec<LayerTensors> {
    find(clues, |_| true)
}

fn find(clues: &DetectionInput<'_>, is_own: impl Fn(&str) -> bool) -> Vec<LayerTensors> {
    let first = NAMES.iter().find_map(|names| {
        let anchor = format!("{}.weight", at_layer(names.maps[0], 0));
        let models = clues.models(&anchor);
        let model = models.into_iter().find(|model| is_own(model.prefix()))?;
        Some((names, model))
    });
    first.map_or_else(Vec::new, |(names, model)| layers(&model, names))
}

/// Layers below a prefix. Queries and keys that are normed have no part that all patches share.
pub(super) fn below(model: &Model<'_>) -> Vec<LayerTensors> {
    let names = NAMES
        .iter()
        .find(|names| model.has(&format!("{}.weight", at_layer(names.maps[0], 0))));
    names.map_or_else(Vec::new, |names| layers(model, names))
}

fn layers(model: &Model<'_>, names: &MapNames) -> Vec<LayerTensors> {
    model.layers(|at| {
        let is_normed = model.has(&format!("{}.weight", at_layer(names.query_norm, at)));
        let layer = layer(model, names, at)?;
        (!is_normed).then_some(layer)
    })
}

fn layer(model: &Model<'_>, names: &MapNames, at: usize) -> Option<LayerTensors> {
    let stems: Vec<String> = names.maps.iter().map(|stem| at_layer(stem, at)).collect();
    if !stems
        .iter()
        .all(|stem| model.has(&format!("{stem}.weight")))
    {
        return None;
    }
    let [query, key] = match &stems[..] {
        [fused] => fused_maps(model, fused),
        _ => [0, 1].map(|map| LinearTensors::new(model, &stems[map])),
    };
    // An RMS norm has no bias.
    let norm = at_layer(names.norm, at);
    let has_shift = model.has(&format!("{norm}.bias"));
    Some(LayerTensors {
        norm: model.norm(&norm).filter(|_| has_shift),
        ..LayerTensors::new(query, key)
    })
}

/// Queries and keys of one weight with its bias; or with biases of queries and values alone, under timm's names or by
/// the mask of `DINOv3`'s authors.
fn fused_maps(model: &Model<'_>, stem: &str) -> [LinearTensors; 2] {
    let mut maps = [0, 1].map(|part| LinearTensors::part(model, stem, Cut::third_of_rows(part)));
    if model.has(&format!("{stem}.bias_mask")) {
        maps[1].bias = None;
    }
    if let Some((attention, _)) = stem.rsplit_once('.')
        && let Some(bias) = model.optional(&format!("{attention}.q_bias"))
    {
        maps[0].bias = Some(bias);
    }
    maps
}

/// A name in a layer.
fn at_layer(name: &str, layer: usize) -> String {
    name.replace("{}", &layer.to_string())
}
