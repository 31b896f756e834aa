//! Notes on rotary settings that the figures do not include: several axes, layers without rotation, norms of queries.

use super::{
    Config, SourceDescription, rotary_axes,
    rotary_bases::Angles,
    rotary_layers::{LayerRules, MOST_LAYERS},
};

/// Maximum number of layers that a note lists.
const MOST_LISTED: usize = 16;

/// Adds the notes to a source.
pub(super) fn add(
    mut source: SourceDescription,
    config: &Config,
    angles: &Angles<'_>,
) -> SourceDescription {
    if let Some(text) = several_axes(config, angles) {
        source = source.remark("Several axes", text);
    }
    if let Some(text) = describe_layers_without_rotation(config) {
        source = source.remark("Layers without rotation", text);
    }
    source
}

/// Starts of `model_type` whose models norm queries before they rotate them.
const NORMED_QUERIES: &[&str] = &["qwen3", "gemma3", "olmo2", "olmo3", "olmoe"];
/// Entries of configurations that say so for other models.
const NORM_ENTRIES: &[&str] = &["use_qk_norm", "qk_layernorm", "use_qk_layernorm"];

/// Whether a configuration is that of a model that norms queries before they are rotated.
pub(super) fn norms_queries(config: &Config) -> bool {
    let model_type = config.model_type.as_deref().unwrap_or_default();
    let is_named = NORMED_QUERIES
        .iter()
        .any(|start| model_type.starts_with(start));
    let is_said = |entry: &&str| config.flag(entry) == Some(true);
    is_named || NORM_ENTRIES.iter().any(is_said)
}

/// Describes M-RoPE, which distributes the pairs over the axes of text, pictures and videos.
fn several_axes(config: &Config, angles: &Angles<'_>) -> Option<String> {
    let counts = rotary_axes::counts(config, angles)?;
    let listed: Vec<_> = counts.iter().filter(|count| **count > 0).collect();
    let words: Vec<String> = listed.iter().map(ToString::to_string).collect();
    let order = if rotary_axes::is_interleaved(config, angles) {
        ", interleaved"
    } else {
        ""
    };
    Some(format!(
        "The pairs of columns are divided among {} axes, such as time, rows and columns of a picture ({} \
         pairs{order}). A word has the same number on all axes, so the axes move together, and the figures and heads \
         are those of a text. A patch of a picture has a number of its own on each axis, which they leave out.",
        words.len(),
        words.join(", ")
    ))
}

/// Sentences on the layers without rotation.
fn describe_layers_without_rotation(config: &Config) -> Option<String> {
    let rules = LayerRules::new(config);
    // Bounds the list, since a configuration may give any number.
    let configured = config.layers.map_or(0, |layers| layers as usize);
    let configured = if configured > MOST_LAYERS {
        0
    } else {
        configured
    };
    let layers = configured.max(rules.list_length());
    let kinds = || (0..layers).map(|at| (at + 1, rules.kind(at)));
    let still = kinds().filter(|(_, kind)| kind.has_attention && !kind.is_rotated);
    let still: Vec<usize> = still.map(|(number, _)| number).collect();
    let mut sentences = Vec::new();
    if rules.rotates_in_windows_alone() {
        sentences.push(
            "Only layers with a window rotate queries and keys; layers with full attention do not."
                .to_owned(),
        );
    }
    sentences.extend(list_layers(&still, layers));
    if let Some(interval) = rules.unrotated_interval().filter(|_| layers == 0) {
        sentences.push(format!(
            "Layers whose number {interval} divides have no rotation."
        ));
    }
    let others = kinds().filter(|(_, kind)| !kind.has_attention).count();
    if others > 0 {
        let have = if others == 1 { "has" } else { "have" };
        sentences.push(format!(
            "Of {layers} layers, {others} {have} no attention of this kind and no rotation."
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
