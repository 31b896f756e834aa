//! Bases of rotary angles in a configuration: one for all layers, one each for global and local layers, or one for each
//! kind of layers.

use super::{
    Config, angle_sections::angle_sections, rotary_defaults::usual_of, rotary_layers::LayerRules,
};

/// Base in the paper.
pub(super) const BASE: f64 = 10_000.0;
/// GGUF architectures whose window layers use the paper's base, unless the file gives another.
const GGUF_WINDOWS: &[&str] = &["gemma3", "gemma3n", "gemma-embedding"];
/// Maximum number of sets of angles of one model.
const MOST_BASES: usize = 8;

/// Rotary angles of all layers, or of those of one kind.
pub(super) struct Angles<'a> {
    /// “global”, “local”, or the configuration's name of the layers' kind.
    pub(super) layers: String,
    pub(super) base: f64,
    /// Whether the base is in the configuration.
    pub(super) is_said: bool,
    /// The section that holds the base, or would hold it.
    pub(super) section: &'a Config,
    /// Whether these layers have their own section.
    pub(super) is_apart: bool,
    /// Whether the entries outside of all sections change these angles.
    pub(super) is_shared: bool,
}

impl Angles<'_> {
    pub(super) fn is_local(&self) -> bool {
        self.layers == "local" || self.layers.contains("sliding")
    }
}

/// The angles in a configuration: one entry for all layers, or one for each kind.
pub(super) fn bases(config: &Config, is_declared: bool) -> Vec<Angles<'_>> {
    let apart = bases_by_kind(config);
    if !apart.is_empty() {
        return apart;
    }
    let by_layer = bases_by_layer(config);
    if !by_layer.is_empty() {
        return by_layer;
    }
    let mut found = stated_bases(config);
    let unsaid = |layers: &str, base| Angles {
        layers: layers.to_owned(),
        base,
        is_said: false,
        section: config,
        is_apart: false,
        is_shared: layers == "global",
    };
    let model_type = config.model_type.as_deref().unwrap_or_default();
    let usual = usual_of(config);
    if found.iter().all(|angles| angles.layers != "global") {
        let base = usual.map(|usual| usual.base);
        // A number of rotated columns, or a change of the angles, also indicates rotary positions.
        let has_sign = config.count("rotary_dim").is_some()
            || angle_sections(config).into_iter().any(is_scaling);
        let base = base.or((is_declared || has_sign).then_some(BASE));
        let base = base.filter(|_| found.is_empty() || usual.is_some());
        found.splice(0..0, base.map(|base| unsaid("global", base)));
    }
    if let [Angles { layers, .. }] = &found[..]
        && layers == "global"
    {
        let has_window = config.count("sliding_window").is_some();
        let local = usual.and_then(|usual| usual.local_base);
        let local = local.or((has_window && GGUF_WINDOWS.contains(&model_type)).then_some(BASE));
        found.extend(local.map(|base| unsaid("local", base)));
    }
    if model_type.starts_with("modernbert") {
        // Here a change applies to all layers.
        for angles in &mut found {
            angles.is_shared = true;
        }
    }
    found
}

fn is_scaling(section: &Config) -> bool {
    section.word("rope_type").is_some() || section.word("type").is_some()
}

/// The bases in sections for kinds of layers.
fn bases_by_kind(config: &Config) -> Vec<Angles<'_>> {
    let nested = angle_sections(config)
        .into_iter()
        .find(|section| section.sections().next().is_some());
    let Some(nested) = nested else {
        return Vec::new();
    };
    let usual = usual_of(config);
    let angles = nested.sections().map(|(kind, section)| {
        let (layers, usual) = match kind {
            "full_attention" => ("global", usual.map(|usual| usual.base)),
            "sliding_attention" => (
                "local",
                usual.and_then(|usual| usual.local_base.or(Some(usual.base))),
            ),
            _ => (kind, usual.map(|usual| usual.base)),
        };
        let own = base(section, "rope_theta");
        let shared = base(nested, "rope_theta").or(base(config, "rope_theta"));
        let stated = own.or(shared.filter(|_| layers != "local"));
        Angles {
            layers: layers.to_owned(),
            base: stated.or(shared).or(usual).unwrap_or(BASE),
            is_said: stated.or(shared).is_some(),
            section,
            is_apart: true,
            is_shared: false,
        }
    });
    let mut angles: Vec<_> = angles.take(MOST_BASES).collect();
    // Sorted for the menu, for any order in the file.
    angles.sort_by(|a, b| a.layers.cmp(&b.layers));
    angles
}

/// The bases of configurations that give one for each layer (`layer_rope_theta`), if they differ.
fn bases_by_layer(config: &Config) -> Vec<Angles<'_>> {
    let rules = LayerRules::new(config);
    let mut bases: Vec<f64> = (0..rules.list_length())
        .filter_map(|at| rules.base(at))
        .filter(|base| *base > 1.0)
        .collect();
    bases.sort_by(f64::total_cmp);
    bases.dedup();
    if bases.len() < 2 || bases.len() > MOST_BASES {
        return Vec::new();
    }
    let [parameters, _] = angle_sections(config);
    let angles = |base: f64| Angles {
        layers: base_name(base),
        base,
        is_said: true,
        section: parameters,
        is_apart: false,
        is_shared: true,
    };
    bases.into_iter().map(angles).collect()
}

/// Name of the layers of one base, where each layer has its own.
pub(super) fn base_name(base: f64) -> String {
    format!("base-{base}")
}

/// The bases that are stated outside of sections for kinds of layers.
fn stated_bases(config: &Config) -> Vec<Angles<'_>> {
    let [parameters, scaling] = angle_sections(config);
    let mut found: Vec<Angles<'_>> = Vec::new();
    for (layers, section, key) in [
        ("global", config, "global_rope_theta"),
        ("global", parameters, "rope_theta"),
        ("global", scaling, "rope_theta"),
        ("global", config, "rope_theta"),
        ("global", config, "rotary_emb_base"),
        ("local", config, "local_rope_theta"),
        ("local", config, "rope_local_base_freq"),
    ] {
        let is_new = found.iter().all(|angles| angles.layers != layers);
        let base = base(section, key).filter(|_| is_new);
        found.extend(base.map(|base| Angles {
            layers: layers.to_owned(),
            base,
            is_said: true,
            section,
            is_apart: false,
            is_shared: layers == "global",
        }));
    }
    found
}

fn base(section: &Config, key: &str) -> Option<f64> {
    section.number(key).filter(|base| *base > 1.0)
}
