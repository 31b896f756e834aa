//! The layers of a rotary model, from its configuration and the names of its tensors.

use super::{
    Config, DetectionInput, LayerAngles, RotaryAxis, RotaryDescription, RotaryLayer,
    parts::{self, Parts},
    rotary::{self, Angles},
    rotary_extension,
    rotary_layers::{has_attention, layer_kind},
};
use crate::model::names::TensorNames;

/// Parts of tensor names that are followed by the number of a layer.
const LAYERS: &[&str] = &["layers.", "blk.", "h.", "blocks.", "layer."];
/// Parts of the names of tensors that belong to a model for images or sound.
const OTHER_MODELS: &[&str] = &["visual", "vision", "audio"];

/// The description of the model of a configuration alone.
pub(in crate::model) fn from_config(config: &Config) -> Option<RotaryDescription> {
    let names = TensorNames::new(&[]);
    let clues = DetectionInput {
        names: &names,
        config,
        peeked_values: &[],
        fused_shape: None,
        ignores_attention: false,
    };
    let Parts::Sources(parts) = parts::find(&clues) else {
        return None;
    };
    parts.into_iter().find_map(|part| part.source.rotary)
}

/// The description of a model; `None` if no angles are known.
pub(super) fn describe(
    clues: &DetectionInput<'_>,
    config: &Config,
    bases: &[Angles<'_>],
) -> Option<RotaryDescription> {
    let known: Vec<(&str, LayerAngles)> = bases
        .iter()
        .filter_map(|angles| Some((angles.layers, layer_angles(clues, config, angles)?)))
        .collect();
    let index_of = |name: &str| known.iter().position(|(layers, _)| *layers == name);
    let layers = (0..layer_count(clues, config)).map(|at| {
        let kind = layer_kind(config, at);
        let has_attention = has_attention(config, at);
        let name = if kind.is_local { "local" } else { "global" };
        RotaryLayer {
            has_attention,
            is_local: kind.is_local,
            angles: (has_attention && kind.is_rotated).then(|| index_of(name).unwrap_or(0)),
        }
    });
    let layers = layers.collect();
    let first = bases.first()?;
    (!known.is_empty()).then(|| RotaryDescription {
        model_type: config.model_type.clone(),
        layers,
        trained_length: rotary_extension::training_length(config, first),
        claimed_length: rotary_extension::claimed_length(config),
        angles: known.into_iter().map(|(_, angles)| angles).collect(),
    })
}

fn layer_angles(
    clues: &DetectionInput<'_>,
    config: &Config,
    angles: &Angles<'_>,
) -> Option<LayerAngles> {
    let (tensors, scaling, _) = rotary::tensors(clues, config, angles)?;
    Some(LayerAngles {
        is_local: angles.layers == "local",
        axes: axes(config, angles, tensors.angles.pairs),
        tensors,
        head_width: rotary::head(config, angles),
        is_base_configured: angles.is_said,
        scaling,
    })
}

/// Axis of each of the first `pairs` pairs of columns; empty without sections for several axes.
///
/// Sections follow one another (Qwen2-VL), or rows and columns have every third pair, as far as their sections reach,
/// and the frames the others (Qwen3-VL).
fn axes(config: &Config, angles: &Angles<'_>, pairs: usize) -> Vec<RotaryAxis> {
    const AXES: [RotaryAxis; 3] = [RotaryAxis::Time, RotaryAxis::Row, RotaryAxis::Column];
    let sections = rotary_extension::sections(config, angles);
    let mut sections = sections.into_iter().chain([config]);
    let section = sections.find(|section| section.counts("mrope_section").len() > 1);
    let Some(section) = section else {
        return Vec::new();
    };
    let counts = section.counts("mrope_section");
    let count = |axis: usize| counts.get(axis).map_or(0, |count| *count as usize);
    let axis_of = |pair: usize| {
        if section.flag("mrope_interleaved") == Some(true) {
            let axis = pair % 3;
            return AXES[if pair < 3 * count(axis) { axis } else { 0 }];
        }
        let mut end = 0;
        let axis = (0..3).find(|axis| {
            end += count(*axis);
            pair < end
        });
        AXES[axis.unwrap_or(0)]
    };
    (0..pairs).map(axis_of).collect()
}

/// Number of layers: as configured, or else as the names of tensors say; 0 if neither says it.
fn layer_count(clues: &DetectionInput<'_>, config: &Config) -> usize {
    let most = RotaryDescription::MOST_LAYERS;
    let configured = config.layers.map(|layers| layers as usize);
    let listed = [
        config.words("layer_types").len(),
        config.numbers("no_rope_layers").len(),
    ];
    let known = configured.into_iter().chain(listed);
    let known = known.filter(|layers| (1..=most).contains(layers)).next();
    known.unwrap_or_else(|| {
        let names = clues.names.iter();
        let names = names.filter(|name| !OTHER_MODELS.iter().any(|other| name.contains(other)));
        let last = names.filter_map(layer_number).max();
        last.map_or(0, |last| last + 1)
    })
}

/// Number of the layer to which a tensor belongs, counted from 0.
fn layer_number(name: &str) -> Option<usize> {
    LAYERS.iter().find_map(|word| {
        let at = name.find(word)?;
        let is_whole = at == 0 || name.as_bytes().get(at - 1) == Some(&b'.');
        let rest = &name[at + word.len()..];
        let digits = rest.split('.').next().filter(|_| is_whole)?;
        let number: usize = digits.parse().ok()?;
        (number < RotaryDescription::MOST_LAYERS).then_some(number)
    })
}
