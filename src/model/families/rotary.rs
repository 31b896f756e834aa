//! Rotary models: queries and keys are turned by angles that grow with the position; nothing is learned.
//!
//! ```text
//! q_i → R(i·θ_m)·q_i      θ_m = base^(−2m/w)      w columns of every head, all of them or a part
//! ```
//!
//! LLaMA, Mistral, Qwen, Gemma, GPT-NeoX, GPT-J, Phi, Falcon, `ModernBERT` and many others. What is to be known
//! stands in their configuration. Su et al., `RoFormer`, 2021.

use super::{Clues, Config, Family, Found, PositionTensors, SourceDescription};
use crate::checkpoint::Shortened;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub(super) struct RotaryFamily;

/// Kinds of model whose configuration may leave out the base, which is then the paper's.
const SILENT: &[&str] = &[
    "codegen", "falcon", "gemma", "gpt_neox", "gptj", "llama", "mistral", "phi",
];
/// The paper's base.
const BASE: f64 = 10_000.0;
/// Tensors of rotary models alone, for files without a configuration.
const NAMES: &[&str] = &[
    "layers.0.input_layernorm.weight",
    "layers.0.attn.Wqkv.weight",
    ".rotary_emb.",
    "rotary_embeddings.",
];

impl Family for RotaryFamily {
    fn name(&self) -> &'static str {
        "Rotary"
    }

    fn about(&self) -> &'static str {
        "Queries and keys are turned with the position: nothing learned."
    }

    fn find(&self, clues: &Clues<'_>) -> Option<Found> {
        let top = clues.config();
        // A model that also sees or hears has a part for text.
        let config = [top, top.section("text_config")]
            .into_iter()
            .find(|config| !bases(config).is_empty());
        let Some(config) = config else {
            return by_names(clues);
        };
        let bases = bases(config);
        let sources: Vec<_> = bases
            .iter()
            .filter_map(|angles| source(config, angles, bases.len() > 1))
            .collect();
        if sources.is_empty() {
            return by_names(clues);
        }
        let reason = "The configuration speaks of angles, and no tensor bears the name of a table.";
        Some(Found {
            reason: reason.to_owned(),
            sources,
        })
    }
}

/// Angles of some of the layers, or of all.
struct Angles<'a> {
    layers: &'a str,
    base: f64,
    /// Whether the configuration says so.
    is_said: bool,
    /// The part of it that does, or would.
    said: &'a Config,
}

/// What a configuration says of angles: one kind for all layers, or one for those that see everything and one
/// for those that see a window.
fn bases(config: &Config) -> Vec<Angles<'_>> {
    let parameters = config.section("rope_parameters");
    let base = |said: &Config, key: &str| said.number(key).filter(|base| *base > 1.0);
    let mut found = Vec::new();
    for (layers, said) in parameters.sections() {
        let layers = match layers {
            "full_attention" => "global",
            "sliding_attention" => "local",
            _ => continue,
        };
        let base = base(said, "rope_theta");
        found.extend(base.map(|base| Angles {
            layers,
            base,
            is_said: true,
            said,
        }));
    }
    if !found.is_empty() {
        return found;
    }
    for (layers, said, key) in [
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
        let base = base(said, key).filter(|_| is_new);
        found.extend(base.map(|base| Angles {
            layers,
            base,
            is_said: true,
            said,
        }));
    }
    let silent = config
        .model_type
        .as_deref()
        .is_some_and(|t| SILENT.contains(&t));
    if found.is_empty() && silent {
        let (layers, base, said) = ("global", BASE, config);
        found.push(Angles {
            layers,
            base,
            is_said: false,
            said,
        });
    }
    found
}

fn source(config: &Config, angles: &Angles<'_>, several: bool) -> Option<SourceDescription> {
    let width = width(config, angles.said)?;
    let place = PositionTensors::Rotary {
        width,
        base: angles.base,
    };
    let (id, title) = if several {
        (angles.layers, format!("{} attention", angles.layers))
    } else {
        ("positions", "positions".to_owned())
    };
    let mut source = SourceDescription::new(config, id, &title, place).remark(
        "Nothing learned",
        format!(
            "The file stores no positions. Queries and keys are turned by angles with base {} ({}) over {width} \
             columns of every head; shown is what that alone does.",
            angles.base,
            if angles.is_said { "as configured" } else { "as usual" },
        ),
    );
    let kind = [angles.said, config.section("rope_scaling")]
        .into_iter()
        .find_map(|said| {
            let kind = said.word("rope_type").or(said.word("type"))?;
            (kind != "default").then_some(kind)
        });
    if let Some(kind) = kind {
        let text = format!(
            "The configuration stretches the angles (“{}”), which is left out here.",
            Shortened(kind)
        );
        source = source.remark("Stretched angles", text);
    }
    Some(source)
}

/// Columns of a head that are turned: all of them, a fraction, or a number of their own.
fn width(config: &Config, said: &Config) -> Option<u32> {
    let own = ["rotary_dim", "qk_rope_head_dim"]
        .iter()
        .find_map(|key| config.count(key));
    let head = || {
        let whole = || Some(config.hidden? / config.heads?);
        config.count("head_dim").or_else(whole)
    };
    let fraction = [
        said.number("partial_rotary_factor"),
        config.number("partial_rotary_factor"),
        config.number("rotary_pct"),
        config.number("rotary_emb_fraction"),
    ];
    let fraction = fraction.into_iter().flatten().next().unwrap_or(1.0);
    let width = match own {
        Some(width) => f64::from(width),
        None => f64::from(head()?) * fraction,
    };
    // Columns are turned in pairs, and a head has no more than some hundreds.
    let pairs = (width / 2.0).floor();
    (1.0..=2048.0).contains(&pairs).then_some(pairs as u32 * 2)
}

/// Recognised, but neither base nor width is known.
fn by_names(clues: &Clues<'_>) -> Option<Found> {
    let named = NAMES.iter().any(|name| clues.naming(name).is_some());
    named.then(|| {
        Found::nothing(
            "By the names of its tensors this is a rotary model: queries and keys are turned by angles that grow \
             with the position, and nothing learned of that is stored. Open its config.json as well, which says \
             how fast they turn.",
        )
    })
}
