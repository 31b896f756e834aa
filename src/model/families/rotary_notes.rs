//! Notes on rotary settings beyond base and width: stretched angles, several axes, layers without rotation. The figures
//! do not include them; the notes say so.

use super::{Config, DetectionInput, SourceDescription, rotary::Angles};
use crate::checkpoint::CleanText;

/// Values of `rope_type` without stretching.
const PLAIN: &[&str] = &["default", "none", "mrope", "proportional"];
/// Model types in which every fourth layer has no rotation, unless configured otherwise.
const EVERY_FOURTH: &[&str] = &["smollm3", "llama4", "llama4_text"];
/// Model types that rotate only in layers with a local window.
const WINDOWS_ALONE: &[&str] = &[
    "cohere2",
    "command-r2",
    "exaone4",
    "exaone_moe",
    "exaone-moe",
    "afmoe",
];
/// Default period of the global layers among all layers.
const USUAL_PERIOD: u32 = 4;
/// Values of `layer_types` that are attention layers.
const ATTENTIONS: &[&str] = &[
    "attention",
    "full_attention",
    "sliding_attention",
    "chunked_attention",
];
/// Maximum number of layers that a note lists.
const MOST_LISTED: usize = 16;
/// Prefix of the GGUF tensors of factors for long and short texts (`LongRoPE`).
const FACTORS: &str = "rope_factors_";

/// Share of a head's pairs that rotate, if the exponent of their angles runs over the whole head (Gemma 4's
/// `proportional`).
pub(super) fn proportion(config: &Config) -> Option<f64> {
    let is_proportional = kind(config) == Some("proportional");
    is_proportional.then(|| config.number("partial_rotary_factor").unwrap_or(1.0))
}

fn kind(config: &Config) -> Option<&str> {
    config.word("rope_type").or(config.word("type"))
}

/// Text on angles that are stretched for longer texts; `None` if they are not.
pub(super) fn stretched_angles(
    clues: &DetectionInput<'_>,
    config: &Config,
    angles: &Angles<'_>,
) -> Option<String> {
    let has_factors = angles.layers == "global" && clues.tensor_containing(FACTORS).is_some();
    let parts = parts(config, angles);
    let text = parts.iter().find_map(|part| describe_stretching(part));
    text.or(has_factors.then(|| {
        "The file has factors that stretch the angles for long texts; they are left out here."
            .to_owned()
    }))
}

/// Sections of the configuration that speak of these angles.
fn parts<'a>(config: &'a Config, angles: &Angles<'a>) -> Vec<&'a Config> {
    // An entry outside of all sections applies to the global layers.
    let is_shared = angles.layers == "global" && !angles.is_apart;
    let shared = ["rope_parameters", "rope_scaling"].map(|key| config.section(key));
    [angles.section]
        .into_iter()
        .chain(shared.into_iter().filter(|_| is_shared))
        .collect()
}

/// Adds the notes to a source.
pub(super) fn add(
    mut source: SourceDescription,
    clues: &DetectionInput<'_>,
    config: &Config,
    angles: &Angles<'_>,
) -> SourceDescription {
    if let Some(text) = stretched_angles(clues, config, angles) {
        source = source.remark("Stretched angles", text);
    }
    let mut axes = parts(config, angles).into_iter().chain([config]);
    if let Some(text) = axes.find_map(several_axes) {
        source = source.remark("Several axes", text);
    }
    if let Some(text) = describe_layers_without_rotation(config) {
        source = source.remark("Layers without rotation", text);
    }
    source
}

/// Describes stretched angles for texts longer than those of training.
fn describe_stretching(part: &Config) -> Option<String> {
    let factor = part.number("factor");
    let kind = match kind(part) {
        Some("proportional") if factor.is_some_and(|factor| factor != 1.0) => "linear",
        Some(kind) if !PLAIN.contains(&kind) => kind,
        // Older GGUF files have a factor but no type.
        None if factor.is_some_and(|factor| factor != 1.0) => "linear",
        _ => return None,
    };
    let kind = CleanText(kind);
    Some(match factor {
        Some(factor) => format!(
            "The configuration stretches the angles (“{kind}”, factor {factor}); this is left out here."
        ),
        None => {
            format!("The configuration stretches the angles (“{kind}”); this is left out here.")
        }
    })
}

/// Describes M-RoPE, which distributes the pairs over the axes of text, pictures and videos.
fn several_axes(part: &Config) -> Option<String> {
    let pairs = part.counts("mrope_section");
    if pairs.len() < 2 {
        return None;
    }
    let listed: Vec<_> = pairs.iter().take(4).map(u32::to_string).collect();
    let order = if part.flag("mrope_interleaved") == Some(true) {
        ", interleaved"
    } else {
        ""
    };
    Some(format!(
        "The pairs of columns are divided among {} axes, such as time, rows and columns of a picture ({} \
         pairs{order}). For text all axes count the same positions, so the figures are right; for pictures they are not.",
        listed.len(),
        listed.join(", ")
    ))
}

/// Maximum number of layers, more than any model has.
const MOST_LAYERS: u32 = 4096;

/// Sentences on the layers without rotation.
fn describe_layers_without_rotation(config: &Config) -> Option<String> {
    let model_type = config.model_type.as_deref().unwrap_or_default();
    // Bounds the list, since a configuration may give any number.
    let layers = config.layers.filter(|layers| *layers <= MOST_LAYERS);
    let layers = layers.unwrap_or(0) as usize;
    let kinds = config.words("layer_types");
    let of_kind = |is: &dyn Fn(&str) -> bool| -> Vec<usize> {
        let layers = kinds.iter().zip(1..).filter(|(kind, _)| is(kind));
        layers.map(|(_, layer)| layer).collect()
    };
    let mut sentences = Vec::new();
    // One number per layer: 1 with rotation, 0 without.
    let listed = config.numbers("no_rope_layers");
    let interval = config.count("no_rope_layer_interval");
    let interval = interval.or(EVERY_FOURTH.contains(&model_type).then_some(USUAL_PERIOD));
    let period = config.count("sliding_window_pattern");
    let every = |period: u32| -> Vec<usize> {
        let layers = 1..=layers;
        layers
            .filter(|layer| layer.is_multiple_of(period as usize))
            .collect()
    };
    if !listed.is_empty() {
        let still = listed.iter().zip(1..).filter(|(turns, _)| **turns == 0.0);
        sentences.extend(list_layers(
            &still.map(|(_, layer)| layer).collect::<Vec<_>>(),
            listed.len(),
        ));
    } else if let Some(interval) = interval {
        let still = every(interval);
        sentences.extend(list_layers(&still, layers).or_else(|| {
            (layers == 0)
                .then(|| format!("Layers whose number {interval} divides have no rotation."))
        }));
    } else if WINDOWS_ALONE.contains(&model_type) && config.count("sliding_window").is_some() {
        let still = if kinds.is_empty() {
            every(period.unwrap_or(USUAL_PERIOD))
        } else {
            of_kind(&|kind| kind == "full_attention")
        };
        let which = list_layers(&still, layers.max(kinds.len())).unwrap_or_default();
        sentences.push(
            format!("Only layers with a window rotate queries and keys; layers with full attention do not. {which}")
                .trim_end()
                .to_owned(),
        );
    }
    let others = of_kind(&|kind| !ATTENTIONS.contains(&kind));
    if !others.is_empty() {
        let have = if others.len() == 1 { "has" } else { "have" };
        sentences.push(format!(
            "Of {} layers, {} {have} no attention of this kind and no rotation.",
            kinds.len(),
            others.len()
        ));
    }
    (!sentences.is_empty()).then(|| {
        format!(
            "{} The figures are those of the other layers.",
            sentences.join(" ")
        )
    })
}

/// A sentence that lists the layers without rotation, counted from 1; `None` if there are none.
fn list_layers(still: &[usize], layers: usize) -> Option<String> {
    let (first, more) = (still.first()?, still.len() > MOST_LISTED);
    let listed = still.iter().take(MOST_LISTED).map(usize::to_string);
    let numbers = listed.collect::<Vec<_>>().join(", ");
    Some(if still.len() == 1 {
        format!("Layer {first} of {layers} has no rotation.")
    } else {
        let more = if more { " …" } else { "" };
        format!("Of {layers} layers, these have no rotation: {numbers}{more}.")
    })
}
