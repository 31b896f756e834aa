//! Rotary models: queries and keys are rotated by angles that grow with the position; nothing is learned.
//!
//! ```text
//! q_i → R(i·θ_m)·q_i      θ_m = base^(−2m/w)      w columns of every head, all of them or a part
//! ```
//!
//! LLaMA, Mistral, Qwen, Gemma, GPT-NeoX, GPT-J, Phi, Falcon, `ModernBERT` and many others. All parameters come from
//! the configuration. Su et al., `RoFormer`, 2021. `rotary_bases.rs` and `rotary_widths.rs` read the angles,
//! `rotary_extension.rs` their changes for longer texts, `rotary_layers.rs` differences between layers, and
//! `rotary_notes.rs` reports settings that are not applied here. Models for images are described by `patch_source.rs`.

use super::{
    AngleDivisors, Config, Correction, Detection, DetectionInput, Family, Note, PositionTensors,
    RotaryTensors, SourceDescription, TABLE,
    alibi::AlibiFamily,
    patch_source, position_type,
    rotary_bases::{Angles, bases},
    rotary_blocks, rotary_description,
    rotary_extension::{self, Extension},
    rotary_notes,
    rotary_widths::{MOST_PAIRS, head_width, rotated_width},
};
use crate::{
    encoding::{ContextExtension, RotaryAngles},
    model::QueryStatistics,
    short_text::short_message,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct RotaryFamily;

/// Sections that may describe a rotary model: the top level, and the text part of multimodal models.
const PARTS: &[&[&str]] = &[
    &[],
    &["text_config"],
    &["llm_config"],
    &["language_config"],
    &["thinker_config", "text_config"],
];
/// GGUF tensor that divides the angles, one number per pair of columns.
const DIVISORS: &str = "rope_freqs.weight";
/// GGUF tensors that divide the angles of short and of long texts (`LongRoPE`).
const DIVISORS_BY_LENGTH: [&str; 2] = ["rope_factors_short.weight", "rope_factors_long.weight"];
/// Parts of tensor names that only rotary models have, for files without a configuration.
const NAMES: &[&str] = &[
    "layers.0.input_layernorm.weight",
    "layers.0.attn.Wqkv.weight",
    ".rotary_emb.",
    "rotary_embeddings.",
    ORIGINAL,
];
/// Ending of the names of the tensors in files of statistics of queries.
const QUERY_STATISTICS: &str = ".q_abs_mean";
/// How such files are recognised.
const STATISTICS: &str = "The file has statistics of queries over a text, as TriAttention’s authors publish them, and no weights.";
/// Note on what they determine.
const OF_QUERIES: &str = "The file has the mean query of each head before rotation, and the mean size of its pairs, over a text (TriAttention, arXiv 2604.04921). It has no keys, so that scores by offset are not determined: “Wavelengths that heads use” shows what queries say of each pair. Open the model itself and run a text for the scores.";
/// Note on statistics of a model with norms on queries. The script of the authors is `scripts/calibrate.py` in their
/// repository, WeianMao/triattention.
const OF_NORMED_QUERIES: &str = "This model norms its queries before it rotates them. The authors’ script (calibrate.py) leaves that norm out, and the file does not say how it was made. If it was made by that script, shares and concentrations are those of queries before the norm, which changes both.";
/// Name of a map in the files that the authors of LLaMA and Mistral publish. Their `params.json` may leave out the base.
const ORIGINAL: &str = "layers.0.attention.wq.weight";

impl Family for RotaryFamily {
    fn name(&self) -> &'static str {
        "Rotary"
    }

    fn about(&self) -> &'static str {
        "Queries and keys are rotated with the position: nothing learned."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        if AlibiFamily.find(clues).is_some() {
            // Falcon's configuration has angles even where the model does not use them.
            return None;
        }
        let patches = patch_source::find(clues);
        if patches.as_ref().is_some_and(|(_, is_part)| !is_part) {
            return with_patches(None, patches);
        }
        with_patches(find_text(clues), patches)
    }
}

/// Adds the source of patches to those of a text.
fn with_patches(
    text: Option<Detection>,
    patches: Option<(SourceDescription, bool)>,
) -> Option<Detection> {
    let Some((source, _)) = patches else {
        return text;
    };
    let text = text.filter(|text| !text.sources.is_empty());
    let mut detection = text.unwrap_or_else(|| Detection {
        reason: "The model rotates queries and keys of patches.".to_owned(),
        sources: Vec::new(),
    });
    detection.sources.push(source);
    Some(detection)
}

/// The sources of a model for texts.
fn find_text(clues: &DetectionInput<'_>) -> Option<Detection> {
    let top = clues.config();
    let part = |path: &&[&str]| path.iter().fold(top, |part, key| part.section(key));
    let is_original = clues.tensor_containing(ORIGINAL).is_some();
    let is_declared = position_type::is_rotary(clues) || is_original;
    let config = PARTS
        .iter()
        .map(part)
        .find(|config| !bases(config, is_declared).is_empty());
    let Some(config) = config else {
        return by_names(clues);
    };
    let bases = bases(config, is_declared);
    let description = rotary_blocks::description(clues, config, &bases)
        .or_else(|| rotary_blocks::bert_description(clues, config, &bases));
    let rotary = rotary_description::describe(clues, config, &bases);
    let has_statistics = has_statistics(clues);
    let sources: Vec<_> = bases
        .iter()
        .filter_map(|angles| source(clues, config, angles, bases.len() > 1))
        .map(|source| SourceDescription {
            description: description.clone(),
            rotary: rotary.clone(),
            ..source
        })
        .map(|source| match has_statistics {
            true => with_statistics(source, config),
            false => source,
        })
        .collect();
    if sources.is_empty() {
        return by_names(clues);
    }
    let reason = if has_statistics {
        STATISTICS
    } else if is_original {
        "Tensor names match the files of LLaMA's and Mistral's authors."
    } else if is_declared {
        "The configuration says that positions are rotary."
    } else if clues.model(TABLE).is_some() {
        "The configuration has angles."
    } else {
        "The configuration has angles, and no tensor has the name of a table."
    };
    Some(Detection {
        reason: reason.to_owned(),
        sources,
    })
}

/// The angles as trained, and a description of the rotated columns.
fn trained_angles(config: &Config, angles: &Angles<'_>) -> Option<(RotaryAngles, String)> {
    let Some(share) = rotary_extension::proportion(angles.section) else {
        let width = rotated_width(config, angles)?;
        let columns = format!("{width} columns of every head");
        let trained = RotaryAngles {
            // An odd width is rounded up.
            pairs: (width as usize).div_ceil(2),
            ..RotaryAngles::new(width as usize, angles.base)
        };
        return Some((trained, columns));
    };
    let head = head_width(config, angles)?;
    // The exponent runs over the whole head, of which only the first pairs rotate: base^(−2m/head), m < pairs.
    let pairs = (share * f64::from(head) / 2.0).floor();
    let pairs = (1.0..=MOST_PAIRS).contains(&pairs).then_some(pairs)?;
    let width = 2 * pairs as u32;
    let columns = match head.saturating_sub(width) {
        0 => format!("{width} columns of every head"),
        still => format!(
            "{width} columns of every head, spread as over all {head}; the other {still} columns are not rotated"
        ),
    };
    let whole = RotaryAngles::new(head as usize, angles.base);
    let pairs = pairs as usize;
    Some((RotaryAngles { pairs, ..whole }, columns))
}

/// The angles of the layers to which `angles` applies, a sentence on their change for longer texts, and a description of
/// the rotated columns.
pub(super) fn tensors(
    clues: &DetectionInput<'_>,
    config: &Config,
    angles: &Angles<'_>,
) -> Option<(RotaryTensors, Option<String>, String)> {
    let (mut trained, columns) = trained_angles(config, angles)?;
    let is_global = angles.layers == "global";
    let tensor = |name: &str| {
        let name = clues.tensor_containing(name).filter(|_| is_global)?;
        Some(name.to_owned())
    };
    let [short, long] = DIVISORS_BY_LENGTH.map(tensor);
    let divisors = match (tensor(DIVISORS), &short, &long) {
        (Some(all), ..) => Some(AngleDivisors::Always(all)),
        (None, None, None) => None,
        (None, ..) => Some(AngleDivisors::ByLength {
            short,
            long,
            trained_length: rotary_extension::trained_length(config, angles),
            attention_factor: rotary_extension::attention_factor(config, angles),
        }),
    };
    // The lists of LongRoPE are in these tensors instead of in the configuration.
    let has_lists = matches!(divisors, Some(AngleDivisors::ByLength { .. }));
    let extension = if has_lists {
        Extension::default()
    } else {
        rotary_extension::extension(config, angles, trained.pairs)
    };
    trained.extension = extension.change;
    let tensors = RotaryTensors {
        angles: trained,
        divisors,
    };
    Some((tensors, extension.text, columns))
}

fn source(
    clues: &DetectionInput<'_>,
    config: &Config,
    angles: &Angles<'_>,
    several: bool,
) -> Option<SourceDescription> {
    let (tensors, extension, columns) = tensors(clues, config, angles)?;
    let (id, title) = if several {
        (angles.layers.as_str(), title_of(&angles.layers))
    } else {
        ("positions", "positions".to_owned())
    };
    let is_changed = tensors.angles.extension != ContextExtension::None;
    let place = PositionTensors::Rotary(tensors);
    let mut source = SourceDescription::new(config, id, &title, place).remark(
        "Nothing learned",
        format!(
            "The file stores no positions. Queries and keys are rotated by angles with base {} ({}) over {columns}; the figures show this rotation alone.",
            angles.base,
            if angles.is_said { "as configured" } else { "as usual" },
        ),
    );
    if let Some(text) = extension {
        let note = Note::new("Stretched angles", text);
        source.remarks.push(if is_changed {
            note.with_switch(Correction::AngleScaling, true)
        } else {
            note
        });
    }
    Some(rotary_notes::add(source, config, angles))
}

/// Title of the layers of one kind.
fn title_of(layers: &str) -> String {
    match layers {
        "global" | "local" => format!("{layers} attention"),
        _ => short_message(&layers.replace('_', " ")),
    }
}

/// Whether the file has statistics of queries instead of weights.
fn has_statistics(clues: &DetectionInput<'_>) -> bool {
    let names = clues.tensor_containing(QUERY_STATISTICS);
    QueryStatistics::find(names).is_some()
}

/// Adds the notes on statistics of queries to a source.
fn with_statistics(source: SourceDescription, config: &Config) -> SourceDescription {
    let source = source.remark("Statistics of queries", OF_QUERIES);
    match rotary_notes::norms_queries(config) {
        true => source.remark("Norm of queries", OF_NORMED_QUERIES),
        false => source,
    }
}

/// A rotary model whose base and width are unknown.
fn by_names(clues: &DetectionInput<'_>) -> Option<Detection> {
    if has_statistics(clues) {
        return Some(Detection::nothing(&format!(
            "{STATISTICS} They have no angles: open the config.json of their model together with them."
        )));
    }
    let named = NAMES
        .iter()
        .any(|name| clues.tensor_containing(name).is_some());
    named.then(|| {
        Detection::nothing(
            "By the names of its tensors this is a rotary model: queries and keys are rotated by angles that grow with the position, and nothing of this is learned or stored. Open its config.json or params.json as well, which has the angles.",
        )
    })
}
