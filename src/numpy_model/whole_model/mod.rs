//! Python code that runs a whole model over a text, from the description of the model.
//!
//! It defines, for models that programs can run,
//!
//! | Name | Content |
//! |---|---|
//! | `DEPTH` | number of layers that a text passes |
//! | `embed(tokens)` | states that enter the first layer, [n, d] |
//! | `scores_and_values(x, layer)` | scores of the heads before mask and softmax, [heads, n, n], and their values |
//! | `visible_keys(n, layer)` | whether each query sees each key, [n, n] |
//! | `apply_block(x, layer)` | states after a layer, [n, d] |
//! | `first_layer_parts(tokens)` | queries and keys of the first layer as sums of parts, where that is possible |
//! | `logits(x)` | scores of all words, [n, words], of models that predict words |
//! | `replaced_probabilities(x)` | of ELECTRA's discriminator |
//!
//! and what these call: `linear_map`, `affine_map`, `stored_norm`, `layer_angles`, `offset_scores`, `experts`, and
//! constants; and `sink_scores(layer)`, of models whose heads have sinks. The part `forward` calls them.
//!
//! `rotary_heads.rs` writes the heads of rotary models without a text from the same description; see there.

mod attention;
mod block;
mod coverage;
mod embedding;
mod experts;
mod first_layer;
mod layers;
mod maps;
mod norms;
mod predictions;
mod rotary;
mod rotary_heads;
mod rotation;

pub(super) use rotary_heads::rotary_head_segments;
pub(super) use rotation::LayerRotation;

use super::{
    angles::ANGLE_PARTS,
    python::{CodeSegment, wrap_line},
    readable,
};
use crate::{
    checkpoint::Weights,
    model::{BlockDescription, BlockSizes, ModelDescription, PositionModel},
};
use maps::UsualMaps;
use norms::NormForm;
use std::collections::BTreeMap;

/// The sentence on models whose layers do not fit one function.
const LAYERS_DIFFER: &str =
    "Programs cannot run this model over a text: its layers are of several kinds.";

/// Longest line of the code.
const LONGEST_LINE: usize = 110;

/// Functions of the parts that the code may call, each with its part.
const CALLED_PARTS: &[(&str, &str)] = &[
    ("bucket_scores", "bucket_scores"),
    ("gelu", "gelu"),
    ("gelu_tanh", "gelu_tanh"),
    ("layer_norm", "layer_norm"),
    ("layer_norm_of_parts", "layer_norm_of_parts"),
    ("quick_gelu", "quick_gelu"),
    ("relu", "relu"),
    ("relu_squared", "relu_squared"),
    ("rms_norm", "rms_norm"),
    ("rms_norm_of_parts", "rms_norm_of_parts"),
    ("rotate", "rotate"),
    ("rotate_pairs", "rotate_pairs"),
    ("silu", "silu"),
    ("toeplitz_scores", "toeplitz_scores"),
    ("word_sample", "word_sample"),
];

/// Code that runs a model over a text.
///
/// # Errors
/// A sentence on why programs cannot run the model.
pub async fn whole_model_segments<W: Weights>(
    model: &PositionModel,
    file: &W,
) -> Result<Vec<CodeSegment>, String> {
    let description = model.description().ok_or_else(|| {
        format!(
            "Programs cannot run models of the family {} over a text.",
            model.family
        )
    })?;
    coverage::check(description)?;
    let heads = Some(model.heads.count).filter(|_| !model.heads.is_none());
    let sizes = description.check(file, heads).await;
    let sizes = sizes.map_err(|error| error.to_string())?;
    let sizes = layers::common_value(
        sizes
            .iter()
            .map(|size| (size.heads, size.key_heads, size.head_width)),
    )
    .and_then(|_| sizes.first().copied())
    .ok_or(LAYERS_DIFFER)?;
    let code = TextCode::read(description, sizes, coverage::tensors(description), file).await?;
    code.segments(model.heads.is_none())
}

/// The description of a model, with the forms of maps and norms that most of its layers share.
struct TextCode<'a> {
    description: &'a ModelDescription,
    /// Sizes of the first block; numbers and widths of heads are those of all blocks.
    sizes: BlockSizes,
    /// Shapes of all tensors.
    shapes: BTreeMap<&'a str, Vec<u64>>,
    usual_maps: UsualMaps,
    usual_norm: Option<NormForm>,
}

impl<'a> TextCode<'a> {
    /// Reads the shapes of tensors.
    ///
    /// # Errors
    /// A sentence on the first tensor that programs cannot read.
    async fn read<W: Weights>(
        description: &'a ModelDescription,
        sizes: BlockSizes,
        tensors: Vec<&'a str>,
        file: &W,
    ) -> Result<Self, String> {
        let mut shapes = BTreeMap::new();
        for name in tensors {
            if !shapes.contains_key(name) {
                shapes.insert(name, readable(file, name).await?);
            }
        }
        Ok(Self {
            description,
            sizes,
            shapes,
            usual_maps: UsualMaps::of_model(description),
            usual_norm: NormForm::most_frequent(description),
        })
    }
}

impl TextCode<'_> {
    /// All definitions. With `needs_heads` the number of heads is one of them.
    fn segments(&self, needs_heads: bool) -> Result<Vec<CodeSegment>, String> {
        let mut segments = self.constants(needs_heads)?;
        segments.extend(self.map_functions());
        segments.extend(self.norm_function()?);
        segments.push(self.embed()?);
        segments.extend(self.layer_angles()?);
        segments.extend(self.offset_scores()?);
        segments.push(self.scores_and_values()?);
        segments.push(self.visible_keys()?);
        segments.extend(self.sink_scores()?);
        segments.extend(self.experts()?);
        segments.push(self.apply_block()?);
        segments.extend(self.first_layer_parts()?);
        segments.extend(self.predictions()?);
        Ok(segments)
    }

    fn constants(&self, needs_heads: bool) -> Result<Vec<CodeSegment>, String> {
        let mut constants = self.layer_constants(needs_heads);
        constants.extend(self.attention_constants()?);
        Ok(constants)
    }

    /// `HEADS` if it is needed, `DEPTH`, and `PASSES` of models whose layers share weights.
    fn layer_constants(&self, needs_heads: bool) -> Vec<CodeSegment> {
        let passes = &self.description.passes;
        let mut constants = Vec::new();
        if needs_heads {
            constants.push(CodeSegment::constant(
                "HEADS",
                &self.sizes.heads.to_string(),
            ));
        }
        let depth = format!("{}  # number of layers that a text passes", passes.len());
        constants.push(CodeSegment::constant("DEPTH", &depth));
        if self.layer_index() != "layer" {
            let value = format!("{passes:?}  # whose weights each of them has");
            constants.push(CodeSegment::constant("PASSES", &value));
        }
        constants
    }

    /// The blocks.
    fn blocks(&self) -> &[BlockDescription] {
        &self.description.blocks
    }
}

/// A function whose last line may assign what it returns to `x`. Long lines are broken.
fn function(head: &str, about: &str, mut lines: Vec<String>) -> CodeSegment {
    if let Some(last) = lines.last_mut()
        && let Some(value) = last.strip_prefix("x = ")
    {
        *last = format!("return {value}");
    }
    // The body is indented by four columns.
    let lines: Vec<String> = lines
        .iter()
        .flat_map(|line| wrap_line(line, LONGEST_LINE - 4))
        .collect();
    let mut segment = CodeSegment::function(head, about, &lines);
    for (function, part) in CALLED_PARTS.iter().chain(ANGLE_PARTS) {
        if calls(&segment.code, function) {
            segment = segment.with_part(part);
        }
    }
    segment
}

/// Whether code calls a function by its own name.
fn calls(code: &str, function: &str) -> bool {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '"');
    code.match_indices(&format!("{function}("))
        .any(|(at, _)| !code[..at].ends_with(is_of_name))
}
