//! Rotation of queries and keys by rows and columns of patches in timm's models: EVA-02, RoPE-ViT, Perception Encoder,
//! `DINOv3`, and ViTs of timm's own.
//!
//! timm's configurations name an architecture, whose function has the values (timm 1.0.31, `models/eva.py`); those in
//! `model_args` replace them. `DINOv3`'s authors store their periods, and their files have no configuration.

use super::{
    Config, DetectionInput, PatchFrequencies, PatchRotation, RotaryPairs, rotary_bases::BASE,
    timm_config, vision_towers::normalized_steps,
};
use crate::{
    encoding::{PatchAngles, PatchPairs},
    math::Grid,
};

/// Tensor of learned frequencies in RoPE-ViT with mixed axes.
pub(super) const FREQUENCIES: &str = "rope.freqs";
/// Tensor of periods in the files of `DINOv3`'s authors.
const PERIODS: &str = "rope_embed.periods";
/// Rows and columns of patches in images of 224 pixels, for files without a configuration.
const USUAL_GRID: Grid = Grid {
    height: 14,
    width: 14,
};
/// Number of rotated columns of a head in most models.
const HEAD: u32 = 64;
/// Maximum width of a model or a head.
const MOST_COLUMNS: u32 = 4096;

/// Unit in which rows and columns are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PatchUnit {
    /// Patches.
    Patches,
    /// Patches of another image, with so many of them in a row and in a column.
    Reference(u32),
    /// Patches of the image that the architecture's name gives.
    NamedImage,
    /// Half the image, in turns.
    HalfImage,
}

/// Values of an architecture's function.
struct Architecture {
    head: u32,
    base: f64,
    order: PatchPairs,
    unit: PatchUnit,
}

/// The rotation of the model without a table of positions that a file or a configuration describes.
pub(super) fn find_alone(clues: &DetectionInput<'_>) -> Option<PatchRotation> {
    let layers = |model: &super::Model<'_>| model.in_layers("blocks.{}.norm1.weight").len();
    if let Some(model) = clues.model(PERIODS) {
        return Some(PatchRotation {
            layers: layers(&model),
            grid: Some(USUAL_GRID),
            frequencies: PatchFrequencies::Periods {
                tensor: model.name(PERIODS),
                steps: normalized_steps(USUAL_GRID),
            },
            pairs: RotaryPairs::Halves,
        });
    }
    let mixed = clues.model(FREQUENCIES);
    let tensor = mixed.map(|model| model.name(FREQUENCIES));
    let blocks = clues.model("blocks.0.norm1.weight");
    let layers = mixed.or(blocks).map_or(0, |model| layers(&model));
    find(clues.config(), tensor, layers)
}

/// The rotation by the architecture that a configuration names, or by a tensor of learned frequencies.
pub(super) fn find(
    config: &Config,
    learned_tensor: Option<String>,
    layers: usize,
) -> Option<PatchRotation> {
    let grid = timm_config::patches(config).map(|(height, width)| Grid {
        height: height as usize,
        width: width as usize,
    });
    let (frequencies, pairs) = match learned_tensor {
        Some(tensor) => (PatchFrequencies::Learned(tensor), RotaryPairs::Adjacent),
        None => {
            let (angles, pairs) = formula(config, grid)?;
            (PatchFrequencies::Formula(angles), pairs)
        }
    };
    Some(PatchRotation {
        layers,
        grid,
        frequencies,
        pairs,
    })
}

/// Angles of an architecture, and the columns that form a pair: timm's function rotates adjacent columns, but in DINOv3
/// the halves of a head, as its authors do.
fn formula(config: &Config, grid: Option<Grid>) -> Option<(PatchAngles, RotaryPairs)> {
    let name = config.word("architecture")?.split('.').next()?;
    let usual = architecture(name)?;
    let arguments = config.section("model_args");
    let head = match (arguments.count("embed_dim"), arguments.heads) {
        (Some(width), Some(heads)) => width / heads,
        _ => usual.head,
    };
    let width = config.count("num_features");
    // A model of another width than the architecture's has other heads.
    let is_divided = width.is_none_or(|width| width % head.max(1) == 0);
    if !is_divided || !(4..=MOST_COLUMNS).contains(&head) {
        return None;
    }
    let reference = match usual.unit {
        PatchUnit::Patches | PatchUnit::HalfImage => None,
        PatchUnit::Reference(side) => Some(side),
        PatchUnit::NamedImage => named_side(name),
    };
    let own = arguments.counts("ref_feat_shape");
    let reference = match (own.first(), own.last()) {
        (Some(height), Some(width)) => Some([*height, *width]),
        _ => reference.map(|side| [side; 2]),
    };
    let steps = match (usual.unit, grid, reference) {
        (PatchUnit::HalfImage, grid, _) => normalized_steps(grid?),
        (_, Some(grid), Some([height, width])) => [
            f64::from(height) / grid.height as f64,
            f64::from(width) / grid.width as f64,
        ],
        _ => [1.0; 2],
    };
    let base = arguments.number("rope_temperature");
    let angles = PatchAngles {
        width: head as usize,
        base: base.filter(|base| *base > 1.0).unwrap_or(usual.base),
        order: usual.order,
        steps,
    };
    let pairs = match usual.unit {
        PatchUnit::HalfImage => RotaryPairs::Halves,
        _ => RotaryPairs::Adjacent,
    };
    Some((angles, pairs))
}

/// Values of an architecture by its name; `None` if it does not rotate, or by learned frequencies.
fn architecture(name: &str) -> Option<Architecture> {
    let plain = Architecture {
        head: HEAD,
        base: BASE,
        order: PatchPairs::RowsFirst,
        unit: PatchUnit::Patches,
    };
    let kind = if name.starts_with("eva02_enormous_") {
        // Of EVA-02's models the largest does not rotate.
        return None;
    } else if name.starts_with("eva02_") || name.contains("_rope_reg") {
        Architecture {
            unit: PatchUnit::Reference(16),
            ..plain
        }
    } else if name.starts_with("vit_pe_") {
        let is_largest = name.contains("_gigantic_");
        Architecture {
            head: if is_largest { 96 } else { HEAD },
            order: PatchPairs::ColumnsFirst,
            unit: PatchUnit::NamedImage,
            ..plain
        }
    } else if name.starts_with("vit_") && name.contains("_dinov3") {
        let is_largest = name.starts_with("vit_7b_");
        Architecture {
            head: if is_largest { 128 } else { HEAD },
            base: 100.0,
            unit: PatchUnit::HalfImage,
            ..plain
        }
    } else if name.contains("_rope_") && !name.contains("_rope_mixed") {
        Architecture {
            base: 100.0,
            order: PatchPairs::ColumnsFirst,
            ..plain
        }
    } else {
        return None;
    };
    Some(kind)
}

/// Number of patches in a row of the image of a name such as `vit_pe_core_large_patch14_336`.
fn named_side(name: &str) -> Option<u32> {
    let (_, numbers) = name.split_once("_patch")?;
    let (patch, image) = numbers.split_once('_')?;
    let (patch, image): (u32, u32) = (patch.parse().ok()?, image.parse().ok()?);
    image.checked_div(patch)
}
