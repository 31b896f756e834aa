//! Number of columns of a head, and of those that rotate, by a configuration.

use super::{
    Config, angle_sections::angle_sections, rotary_bases::Angles, rotary_defaults::usual_of,
    rotary_layers::LayerRules,
};

/// Maximum number of column pairs in a head.
pub(super) const MOST_PAIRS: f64 = 2048.0;
/// Entries with the number of columns of a head.
const HEADS: &[&str] = &["head_dim", "attention_head_dim", "kv_channels"];
/// Entries with the share of a head's columns that rotate.
const SHARES: &[&str] = &["partial_rotary_factor", "rotary_pct", "rotary_emb_fraction"];

/// Number of columns of a head.
pub(super) fn head_width(config: &Config, angles: &Angles<'_>) -> Option<u32> {
    let own = if angles.is_local() {
        "local_head_dim"
    } else {
        "global_head_dim"
    };
    let usual = usual_of(config);
    let global = || usual?.global_head.filter(|_| !angles.is_local());
    let configured = || HEADS.iter().find_map(|key| config.count(key));
    let whole = || Some(config.hidden_width? / config.heads?);
    config
        .count(own)
        .or_else(|| head_in_layers(config, angles))
        .or_else(global)
        .or_else(configured)
        .or_else(|| usual?.head)
        .or_else(whole)
}

/// Width of the heads in the first layer of these angles that has its own (`per_layer_config`).
fn head_in_layers(config: &Config, angles: &Angles<'_>) -> Option<u32> {
    let layers = config.section("per_layer_config");
    layers.sections().next()?;
    let rules = LayerRules::new(config);
    layers.sections().find_map(|(at, layer)| {
        let kind = rules.name(at.parse().ok()?)?;
        let is_own = match angles.layers.as_str() {
            "global" => kind == "full_attention",
            "local" => kind == "sliding_attention",
            other => kind == other,
        };
        layer.count("head_dim").filter(|_| is_own)
    })
}

/// Number of rotated columns of a head: all, a share, or a configured number.
pub(super) fn rotated_width(config: &Config, angles: &Angles<'_>) -> Option<u32> {
    let local = Some("local_rotary_dim").filter(|_| angles.is_local());
    let own = local
        .into_iter()
        .chain(["rotary_dim", "qk_rope_head_dim"])
        .find_map(|key| config.count(key));
    let width = match own {
        Some(width) => f64::from(width),
        None => (f64::from(head_width(config, angles)?) * share(config, angles)).floor(),
    };
    // Columns rotate in pairs, and a head has at most a few hundred.
    (2.0..=2.0 * MOST_PAIRS)
        .contains(&width)
        .then_some(width as u32)
}

/// Share of a head's columns that rotate.
pub(super) fn share(config: &Config, angles: &Angles<'_>) -> f64 {
    let shared = angle_sections(config)
        .into_iter()
        .filter(|_| !angles.is_apart);
    let sections = [angles.section].into_iter().chain(shared).chain([config]);
    let stated = sections
        .flat_map(|section| SHARES.iter().filter_map(|key| section.number(key)))
        .next();
    // Layers with a section of their own rotate whole heads if it says nothing.
    let usual = usual_of(config).filter(|_| !angles.is_apart);
    stated.unwrap_or_else(|| usual.map_or(1.0, |usual| usual.share))
}
