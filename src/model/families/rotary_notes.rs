//! Notes on rotary settings that the figures do not include: several axes, layers without rotation.

use super::{
    Config, SourceDescription,
    rotary::Angles,
    rotary_extension,
    rotary_layers::{ATTENTIONS, is_rotated, rotates_in_windows_alone, unrotated_interval},
};

/// Maximum number of layers that a note lists.
const MOST_LISTED: usize = 16;

/// Adds the notes to a source.
pub(super) fn add(
    mut source: SourceDescription,
    config: &Config,
    angles: &Angles<'_>,
) -> SourceDescription {
    let sections = rotary_extension::sections(config, angles);
    let mut axes = sections.into_iter().chain([config]);
    if let Some(text) = axes.find_map(several_axes) {
        source = source.remark("Several axes", text);
    }
    if let Some(text) = describe_layers_without_rotation(config) {
        source = source.remark("Layers without rotation", text);
    }
    source
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
    let kinds = config.words("layer_types");
    // Bounds the list, since a configuration may give any number.
    let configured = config.layers.filter(|layers| *layers <= MOST_LAYERS);
    let counts = [
        configured.unwrap_or(0) as usize,
        kinds.len(),
        config.numbers("no_rope_layers").len(),
    ];
    let layers = counts.into_iter().max().unwrap_or(0);
    let still: Vec<usize> = (0..layers)
        .filter(|at| !is_rotated(config, *at))
        .map(|at| at + 1)
        .collect();
    let mut sentences = Vec::new();
    if rotates_in_windows_alone(config) {
        sentences.push(
            "Only layers with a window rotate queries and keys; layers with full attention do not."
                .to_owned(),
        );
    }
    sentences.extend(list_layers(&still, layers));
    if let Some(interval) = unrotated_interval(config).filter(|_| layers == 0) {
        sentences.push(format!(
            "Layers whose number {interval} divides have no rotation."
        ));
    }
    let others = kinds.iter().filter(|kind| !ATTENTIONS.contains(kind));
    let others = others.count();
    if others > 0 {
        let have = if others == 1 { "has" } else { "have" };
        sentences.push(format!(
            "Of {} layers, {others} {have} no attention of this kind and no rotation.",
            kinds.len()
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
