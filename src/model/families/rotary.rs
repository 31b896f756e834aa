//! Rotary models: queries and keys are rotated by angles that grow with the position; nothing is learned.
//!
//! ```text
//! q_i → R(i·θ_m)·q_i      θ_m = base^(−2m/w)      w columns of every head, all of them or a part
//! ```
//!
//! LLaMA, Mistral, Qwen, Gemma, GPT-NeoX, GPT-J, Phi, Falcon, `ModernBERT` and many others. All parameters come from
//! the configuration. Su et al., `RoFormer`, 2021. `rotary_extension.rs` reads changes of the angles for longer texts,
//! and `rotary_notes.rs` reports settings that are not applied here.

use super::{
    AngleDivisors, Config, Correction, Detection, DetectionInput, Family, Note, PositionTensors,
    RotaryTensors, SourceDescription, TABLE, position_type, rotary_blocks, rotary_description,
    rotary_extension, rotary_extension::Extension, rotary_notes,
};
use crate::encoding::{ContextExtension, RotaryAngles};

#[derive(Clone, Copy, Debug)]
pub(super) struct RotaryFamily;

/// Default angles of a model type, for configurations that leave them out.
struct Usual {
    model_type: &'static str,
    base: f64,
    /// Base of the layers with a local window, if they have their own.
    local_base: Option<f64>,
    /// Columns of a head, if not the width of the model divided by the number of heads.
    head: Option<u32>,
}

/// Model types whose configuration may leave out the base.
const USUAL: &[Usual] = &[
    usual("codegen", BASE),
    usual("esm", BASE),
    usual("falcon", BASE),
    Usual {
        head: Some(256),
        ..usual("gemma", BASE)
    },
    Usual {
        head: Some(256),
        ..usual("gemma2", BASE)
    },
    Usual {
        head: Some(256),
        local_base: Some(BASE),
        ..usual("gemma3_text", 1e6)
    },
    usual("gpt_neox", BASE),
    usual("gptj", BASE),
    usual("llama", BASE),
    usual("llama4_text", 5e5),
    usual("mistral", BASE),
    usual("mixtral", 1e6),
    usual("phi", BASE),
    usual("phi3", BASE),
    usual("roformer", BASE),
    usual("smollm3", 2e6),
];

const fn usual(model_type: &'static str, base: f64) -> Usual {
    Usual {
        model_type,
        base,
        local_base: None,
        head: None,
    }
}

/// Base in the paper.
const BASE: f64 = 10_000.0;
/// GGUF architectures whose window layers use the paper's base, unless the file gives another.
const GGUF_WINDOWS: &[&str] = &["gemma3", "gemma3n", "gemma-embedding"];
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
        let description = rotary_blocks::description(clues, config, &bases);
        let rotary = rotary_description::describe(clues, config, &bases);
        let sources: Vec<_> = bases
            .iter()
            .filter_map(|angles| source(clues, config, angles, bases.len() > 1))
            .map(|source| SourceDescription {
                description: description.clone(),
                rotary: rotary.clone(),
                ..source
            })
            .collect();
        if sources.is_empty() {
            return by_names(clues);
        }
        let reason = if is_original {
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
}

/// Rotary angles of all layers, or of the global or local ones.
pub(super) struct Angles<'a> {
    /// "global" or "local".
    pub(super) layers: &'a str,
    pub(super) base: f64,
    /// Whether the base is in the configuration.
    pub(super) is_said: bool,
    /// The section that holds the base, or would hold it.
    pub(super) section: &'a Config,
    /// Whether these layers have their own section.
    pub(super) is_apart: bool,
}

/// The angles in a configuration: one entry for all layers, or one each for global and for local layers.
fn bases(config: &Config, is_declared: bool) -> Vec<Angles<'_>> {
    let parameters = config.section("rope_parameters");
    let base = |section: &Config, key: &str| section.number(key).filter(|base| *base > 1.0);
    let mut found = Vec::new();
    for (layers, section) in parameters.sections() {
        let layers = match layers {
            "full_attention" => "global",
            "sliding_attention" => "local",
            _ => continue,
        };
        let base = base(section, "rope_theta");
        found.extend(base.map(|base| Angles {
            layers,
            base,
            is_said: true,
            section,
            is_apart: true,
        }));
    }
    if !found.is_empty() {
        // Sorted for the menu, for any order in the file.
        found.sort_by_key(|angles| angles.layers);
        return found;
    }
    for (layers, section, key) in [
        ("global", config, "global_rope_theta"),
        ("global", parameters, "rope_theta"),
        ("global", config, "rope_theta"),
        ("global", config, "rotary_emb_base"),
        ("local", config, "local_rope_theta"),
        ("local", config, "rope_local_base_freq"),
    ] {
        let is_new = found
            .iter()
            .all(|angles: &Angles<'_>| angles.layers != layers);
        let base = base(section, key).filter(|_| is_new);
        found.extend(base.map(|base| Angles {
            layers,
            base,
            is_said: true,
            section,
            is_apart: false,
        }));
    }
    let unsaid = |layers, base| Angles {
        layers,
        base,
        is_said: false,
        section: config,
        is_apart: false,
    };
    let model_type = config.model_type.as_deref().unwrap_or_default();
    let usual = usual_of(config);
    let has_window = config.count("sliding_window").is_some();
    if found.is_empty() {
        let base = usual.map(|usual| usual.base);
        let base = base.or(is_declared.then_some(BASE));
        // A number of rotated columns also indicates rotary positions.
        let base = base.or(config.count("rotary_dim").map(|_| BASE));
        found.extend(base.map(|base| unsaid("global", base)));
    }
    if let [
        Angles {
            layers: "global", ..
        },
    ] = found[..]
    {
        let local = usual.and_then(|usual| usual.local_base);
        let local = local.or((has_window && GGUF_WINDOWS.contains(&model_type)).then_some(BASE));
        found.extend(local.map(|base| unsaid("local", base)));
    }
    found
}

fn usual_of(config: &Config) -> Option<&'static Usual> {
    let model_type = config.model_type.as_deref()?;
    USUAL.iter().find(|usual| usual.model_type == model_type)
}

/// The angles as trained, and a description of the rotated columns.
fn trained_angles(config: &Config, angles: &Angles<'_>) -> Option<(RotaryAngles, String)> {
    let Some(share) = rotary_extension::proportion(angles.section) else {
        let width = width(config, angles)?;
        let columns = format!("{width} columns of every head");
        return Some((RotaryAngles::new(width as usize, angles.base), columns));
    };
    let head = head(config, angles)?;
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
        (angles.layers, format!("{} attention", angles.layers))
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

/// Maximum number of column pairs in a head.
const MOST_PAIRS: f64 = 2048.0;

/// Number of columns of a head.
pub(super) fn head(config: &Config, angles: &Angles<'_>) -> Option<u32> {
    let own = if angles.layers == "local" {
        "local_head_dim"
    } else {
        "global_head_dim"
    };
    let whole = || Some(config.hidden_width? / config.heads?);
    let usual = || usual_of(config)?.head;
    let configured = config.count(own).or(config.count("head_dim"));
    configured.or_else(usual).or_else(whole)
}

/// Number of rotated columns of a head: all, a fraction, or a configured number.
fn width(config: &Config, angles: &Angles<'_>) -> Option<u32> {
    let section = angles.section;
    let local = Some("local_rotary_dim").filter(|_| angles.layers == "local");
    let own = local
        .into_iter()
        .chain(["rotary_dim", "qk_rope_head_dim"])
        .find_map(|key| config.count(key));
    let fraction = [
        section.number("partial_rotary_factor"),
        config.number("partial_rotary_factor"),
        config.number("rotary_pct"),
        config.number("rotary_emb_fraction"),
    ];
    let fraction = fraction.into_iter().flatten().next().unwrap_or(1.0);
    let width = match own {
        Some(width) => f64::from(width),
        None => f64::from(head(config, angles)?) * fraction,
    };
    // Columns rotate in pairs, and a head has at most a few hundred.
    let pairs = (width / 2.0).floor();
    (1.0..=MOST_PAIRS)
        .contains(&pairs)
        .then_some(pairs as u32 * 2)
}

/// A rotary model whose base and width are unknown.
fn by_names(clues: &DetectionInput<'_>) -> Option<Detection> {
    let named = NAMES
        .iter()
        .any(|name| clues.tensor_containing(name).is_some());
    named.then(|| {
        Detection::nothing(
            "By the names of its tensors this is a rotary model: queries and keys are rotated by angles that grow with the position, and nothing of this is learned or stored. Open its config.json or params.json as well, which has the angles.",
        )
    })
}
