//! Vision transformers and vision towers that rotate queries and keys by rows and columns of patches, by the model type
//! of their configuration.
//!
//! Orders of the pairs, bases and the values of entries that a configuration may leave out are those of the transformers
//! library, version 5.24. Some configurations give a tower no model type of its own; then that of the whole model counts.

use super::{
    Config, PatchFrequencies, PatchRotation, RotaryPairs, rotary_bases::BASE,
    rotary_widths::MOST_PAIRS,
};
use crate::{
    encoding::{PatchAngles, PatchPairs},
    math::Grid,
};
use std::f64::consts::TAU;

/// A kind of vision transformer with its usual values.
struct Tower {
    /// Beginning of the model type.
    start: &'static str,
    pairs: PatchPairs,
    /// Columns that form a pair.
    columns: RotaryPairs,
    base: f64,
    /// Width of the layers.
    width: u32,
    heads: u32,
    layers: u32,
    /// Sides of image and patch; `None` for images of any size.
    sides: Option<(u32, u32)>,
    /// Whether rows and columns are measured in images from −1 to 1, in turns.
    is_normalized: bool,
}

const fn tower(start: &'static str, width: u32, heads: u32, layers: u32) -> Tower {
    Tower {
        start,
        pairs: PatchPairs::RowsFirst,
        columns: RotaryPairs::Halves,
        base: BASE,
        width,
        heads,
        layers,
        sides: None,
        is_normalized: false,
    }
}

impl Tower {
    const fn pairs(self, pairs: PatchPairs) -> Self {
        Self { pairs, ..self }
    }

    /// Pairs are adjacent columns, as in complex numbers.
    const fn adjacent(self) -> Self {
        Self {
            columns: RotaryPairs::Adjacent,
            ..self
        }
    }

    const fn base(self, base: f64) -> Self {
        Self { base, ..self }
    }

    const fn sides(self, image: u32, patch: u32) -> Self {
        Self {
            sides: Some((image, patch)),
            ..self
        }
    }

    const fn in_half_images(self) -> Self {
        Self {
            is_normalized: true,
            ..self.base(100.0)
        }
    }
}

const TOWERS: &[Tower] = &[
    tower("dinov3_vit", 384, 6, 12)
        .sides(224, 16)
        .in_half_images(),
    tower("sapiens2", 1024, 16, 24)
        .sides(224, 16)
        .in_half_images(),
    tower("pixtral", 1024, 16, 24)
        .sides(1024, 16)
        .pairs(PatchPairs::SharedList),
    tower("qwen2_vl", 1280, 16, 32),
    tower("qwen2_5_vl", 3584, 16, 32),
    tower("qwen2_5_omni", 3584, 16, 32),
    tower("qwen3_vl", 1152, 16, 27),
    tower("qwen3_omni", 1152, 16, 27),
    tower("qwen3_5", 1152, 16, 27),
    tower("qwen4_exp", 1152, 16, 27),
    tower("cohere_compass", 1152, 16, 27),
    tower("ernie4_5_vl", 1280, 16, 32),
    tower("exaone4_5", 3584, 16, 32),
    tower("gemma4", 768, 12, 16).base(100.0),
    tower("glm4v", 1536, 12, 24).sides(336, 14),
    tower("glm_ocr", 1024, 16, 24).sides(336, 14),
    tower("glm5_next", 1024, 16, 24).sides(336, 14),
    tower("lfm3_vl", 1024, 16, 14).base(1_000_000.0),
    tower("paddleocr_vl", 1152, 16, 27).sides(384, 14),
    tower("video_llama_3", 768, 12, 12),
    tower("llama4", 768, 16, 34)
        .sides(448, 14)
        .adjacent()
        .pairs(PatchPairs::ColumnsFirst),
    tower("step3p", 1536, 16, 47)
        .sides(728, 14)
        .pairs(PatchPairs::ColumnsFirst),
    tower("kimi_k25", 1152, 16, 27)
        .adjacent()
        .pairs(PatchPairs::Alternating),
];
/// Model types of whole vision transformers. Those of towers contain “`_vision`”.
const WHOLE: &[&str] = &["dinov3_vit", "sapiens2", "pixtral"];
/// Sections that may describe the tower of a larger model.
const SECTIONS: &[&[&str]] = &[&["vision_config"], &["thinker_config", "vision_config"]];
/// Section of the tower in Mistral's `params.json`, which has no model types.
const PIXTRAL: &str = "vision_encoder";

/// The configuration of a vision transformer, and its rotation.
pub(super) struct VisionTower<'a> {
    /// Beginning of its model type.
    pub(super) kind: &'static str,
    pub(super) config: &'a Config,
    pub(super) rotation: PatchRotation,
    /// Whether it is a part of a larger model.
    pub(super) is_part: bool,
}

/// The vision transformer that a configuration describes, as a whole or in a section; `None` if there is none whose
/// patches are rotated.
pub(super) fn find(config: &Config) -> Option<VisionTower<'_>> {
    let model_type = config.model_type.as_deref().unwrap_or_default();
    let is_whole = WHOLE.contains(&model_type) || model_type.contains("_vision");
    if is_whole && let Some(tower) = tower_of(model_type) {
        return rotation(config, tower, false);
    }
    let in_section = SECTIONS.iter().find_map(|path| {
        let (outer, section) = path.iter().fold((config, config), |(_, section), key| {
            (section, section.section(key))
        });
        let types = [section, outer, config].map(|config| config.model_type.as_deref());
        let tower = types.into_iter().flatten().find_map(tower_of)?;
        rotation(section, tower, true).filter(|_| !section.is_empty())
    });
    in_section.or_else(|| {
        let section = config.section(PIXTRAL);
        rotation(section, tower_of("pixtral")?, true).filter(|_| section.hidden_width.is_some())
    })
}

fn tower_of(model_type: &str) -> Option<&'static Tower> {
    TOWERS
        .iter()
        .find(|tower| model_type.starts_with(tower.start))
}

fn rotation<'a>(
    config: &'a Config,
    tower: &'static Tower,
    is_part: bool,
) -> Option<VisionTower<'a>> {
    // Qwen2-VL's `hidden_size` is that of its text.
    let width = match tower.start {
        "qwen2_vl" => config.count("embed_dim"),
        _ => config.hidden_width,
    };
    let heads = config.heads.unwrap_or(tower.heads);
    let head = config.count("head_dim");
    let head = head.unwrap_or_else(|| width.unwrap_or(tower.width) / heads);
    let is_possible = (4.0..=2.0 * MOST_PAIRS).contains(&f64::from(head));
    let sides = |key: &str, usual: u32| match config.counts(key) {
        sides if sides.is_empty() => vec![usual],
        sides => sides,
    };
    let patches = match tower.sides {
        Some((image, patch)) => {
            let patch = sides("patch_size", patch);
            Config::patches_of(&sides("image_size", image), &patch, &[])
        }
        None => None,
    };
    let grid = patches.map(|(height, width)| Grid {
        height: height as usize,
        width: width as usize,
    });
    let steps = match grid {
        Some(grid) if tower.is_normalized => normalized_steps(grid),
        _ => [1.0; 2],
    };
    let bases = [config.section("rope_parameters"), config];
    let base = bases
        .iter()
        .find_map(|section| section.number("rope_theta"));
    let angles = PatchAngles {
        width: head as usize,
        base: base.filter(|base| *base > 1.0).unwrap_or(tower.base),
        order: tower.pairs,
        steps,
    };
    let layers = config.layers.or(config.count("depth"));
    is_possible.then(|| VisionTower {
        kind: tower.start,
        config,
        is_part,
        rotation: PatchRotation {
            layers: layers.unwrap_or(tower.layers) as usize,
            grid,
            frequencies: PatchFrequencies::Formula(angles),
            pairs: tower.columns,
        },
    })
}

/// Radians of the fastest pair for each row and each column of an image that reaches from −1 to 1: 2π·(2/h), 2π·(2/w).
pub(super) fn normalized_steps(grid: Grid) -> [f64; 2] {
    [grid.height, grid.width].map(|side| TAU * 2.0 / side as f64)
}
