//! The layers of a rotary model, from its configuration and the names of its tensors.

use super::{
    Config, DetectionInput, LayerAngles, RotaryDescription, RotaryLayer, rotary, rotary_axes,
    rotary_bases::{Angles, base_name},
    rotary_extension,
    rotary_layers::{LayerKind, LayerRules, MOST_LAYERS},
    rotary_widths::head_width,
};

/// Parts of tensor names that are followed by the number of a layer.
const LAYERS: &[&str] = &["layers.", "blk.", "h.", "blocks.", "layer."];
/// Parts of the names of tensors that belong to a model for images or sound.
const OTHER_MODELS: &[&str] = &["visual", "vision", "audio"];

/// The description of a model; `None` if no angles are known.
pub(super) fn describe(
    clues: &DetectionInput<'_>,
    config: &Config,
    bases: &[Angles<'_>],
) -> Option<RotaryDescription> {
    let angles = bases
        .iter()
        .filter_map(|angles| Some((angles, layer_angles(clues, config, angles)?)));
    let (bases, angles): (Vec<&Angles<'_>>, Vec<LayerAngles>) = angles.unzip();
    let rules = LayerRules::new(config);
    let layers = (0..layer_count(clues, config, &rules)).map(|at| {
        let kind = rules.kind(at);
        let is_rotated = kind.has_attention && kind.is_rotated;
        RotaryLayer {
            has_attention: kind.has_attention,
            is_local: kind.is_local,
            angles: is_rotated.then(|| index_of_angles(bases.iter().copied(), &rules, at, kind)),
        }
    });
    let layers = layers.collect();
    let first = bases.first()?;
    Some(RotaryDescription {
        model_type: config.model_type.clone(),
        layers,
        trained_length: rotary_extension::training_length(config, first),
        claimed_length: rotary_extension::claimed_length(config),
        angles,
    })
}

/// Index of the angles of a rotated layer: those of its base, of the name of its kind, or of its local or global kind.
pub(super) fn index_of_angles<'a>(
    bases: impl IntoIterator<Item = &'a Angles<'a>> + Clone,
    rules: &LayerRules<'_>,
    at: usize,
    kind: LayerKind,
) -> usize {
    let index_of = |name: &str| {
        let mut bases = bases.clone().into_iter();
        bases.position(|angles| angles.layers == name)
    };
    let by_base = rules.base(at).and_then(|base| index_of(&base_name(base)));
    let by_name = || index_of(rules.name(at)?);
    let by_kind = || index_of(if kind.is_local { "local" } else { "global" });
    // DeepSeek-V4's names for layers with a window alone, and for those with compressed keys.
    let by_window = || index_of(if kind.is_local { "main" } else { "compress" });
    by_base
        .or_else(by_name)
        .or_else(by_kind)
        .or_else(by_window)
        .unwrap_or(0)
}

fn layer_angles(
    clues: &DetectionInput<'_>,
    config: &Config,
    angles: &Angles<'_>,
) -> Option<LayerAngles> {
    let (tensors, scaling, _) = rotary::tensors(clues, config, angles)?;
    Some(LayerAngles {
        is_local: angles.is_local(),
        axes: rotary_axes::axes(config, angles, tensors.angles.pairs),
        tensors,
        head_width: head_width(config, angles),
        is_base_configured: angles.is_said,
        scaling,
    })
}

/// Number of layers: as configured, or else as the names of tensors say; 0 if neither says it.
fn layer_count(clues: &DetectionInput<'_>, config: &Config, rules: &LayerRules<'_>) -> usize {
    let configured = config.layers.map_or(0, |layers| layers as usize);
    let mut known = [configured, rules.list_length()].into_iter();
    let known = known.find(|layers| (1..=MOST_LAYERS).contains(layers));
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
        (number < MOST_LAYERS).then_some(number)
    })
}
