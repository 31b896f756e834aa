//! GPT-2: a learned table added to words, and a `LayerNorm` at the beginning of every layer.
//!
//! ```text
//! h_i = word + E_i      [q k v] = LayerNorm(h)·W + b      W stored [in, out]
//! ```
//!
//! Radford et al., Language Models are Unsupervised Multitask Learners, 2019. GPT-Neo (Black et al., 2021) stores
//! queries and keys separately and does not scale their products.

use super::{
    Activation, AttentionDescription, BlockDescription, Cut, Detection, DetectionInput, Family,
    FeedForwardDescription, HeadCounts, Leading, LinearTensors, Model, NormDescription,
    ResidualDescription, ScoreScale, SourceDescription,
};
use crate::math::AttentionMask;

#[derive(Clone, Copy, Debug)]
pub(super) struct Gpt2;

const TABLE: &str = "wpe.weight";

impl Family for Gpt2 {
    fn name(&self) -> &'static str {
        "GPT-2"
    }

    fn about(&self) -> &'static str {
        "Learned absolute positions; a LayerNorm begins every layer."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let model = clues.model(TABLE)?;
        let neo = model.blocks(|at| neo_block(&model, at));
        let apart = model.blocks(|at| separate_block(&model, at));
        let ours = model.has("h.0.attn.c_attn.weight") || !neo.is_empty() || !apart.is_empty();
        // nanoGPT and minGPT store their maps as [3d, d], the authors as [d, 3d].
        let is_linear = (clues.fused_shape())
            .is_some_and(|[rows, columns]| columns.checked_mul(3) == Some(rows));
        if !ours && clues.has_attention() {
            return None;
        }
        let source = SourceDescription::table(&model, TABLE, Leading::None)
            .words(&model, "wte")
            .epsilon(EPSILON)
            .usual_heads(&[])
            .causal();
        let source = if !neo.is_empty() {
            source.without_scaling().blocks(&model, neo)
        } else if clues.model_type() == Some("gpt_bigcode") {
            source
        } else if model.library_of(TABLE) == Some(X_TRANSFORMERS) {
            x_transformers(source, &model, apart)
        } else if !apart.is_empty() {
            source.blocks(&model, apart)
        } else if is_linear {
            source.blocks(&model, model.blocks(|at| linear_block(&model, at))).remark(
                "Maps",
                "Queries, keys and values are stored as [3d, d], as in nanoGPT and minGPT, and not transposed as in GPT-2's own files.",
            )
        } else {
            let source = match model.config().flag("scale_attn_weights") {
                Some(false) => source.without_scaling(),
                _ => source,
            };
            source.blocks(&model, model.blocks(|at| block(&model, at)))
        };
        let source =
            source
                .final_norm(&model, "ln_f")
                .causal_head(&model, &["lm_head.weight"], true);
        Detection::by_names("GPT-2", vec![remarks(source, &model)])
    }
}

/// Layout of the x-transformers package.
const X_TRANSFORMERS: &str = "x-transformers";

/// Layers of x-transformers, which divides positions by the root of their width before it adds them to words.
fn x_transformers(
    source: SourceDescription,
    model: &Model<'_>,
    blocks: Vec<BlockDescription>,
) -> SourceDescription {
    let source = SourceDescription {
        cells: AttentionMask::Whole,
        ..source.times_root_of_width().blocks(model, blocks)
    };
    let source = source
        .remark(
            "Scale",
            "This package divides positions by the square root of their width. Here words are multiplied by it instead, which changes all scores by one factor.",
        )
        .remark(
            "Mask",
            "Names do not show whether later tokens are hidden. All cells are shown; causal cells can be chosen.",
        );
    SourceDescription {
        description: None,
        ..source
    }
}

/// Epsilon of the library's `GPT2Config` and `GPTNeoConfig`.
const EPSILON: f64 = 1e-5;

/// The configured activation, or that of the library's `GPT2Config` and `GPTNeoConfig`.
fn activation(model: &Model<'_>) -> Activation {
    let keys = ["activation_function"];
    Activation::from_config(model.config(), &keys, Activation::GeluTanh)
}

/// A block of GPT-2.
fn block(model: &Model<'_>, at: usize) -> BlockDescription {
    let mut block = fused_block(model, at, ResidualDescription::pre_norm, activation(model));
    let config = model.config();
    let layer = match config.flag("scale_attn_by_inverse_layer_idx") {
        Some(true) => at as f64 + 1.0,
        _ => 1.0,
    };
    block.attention.scale = match config.flag("scale_attn_weights") {
        Some(false) => ScoreScale::Factor(layer.recip()),
        _ => ScoreScale::RootOfWidth(layer),
    };
    block
}

/// A block of GPT or GPT-2: maps stored as [in, out], those of queries, keys and values in one weight.
pub(super) fn fused_block(
    model: &Model<'_>,
    at: usize,
    residual: fn(NormDescription) -> ResidualDescription,
    activation: Activation,
) -> BlockDescription {
    let stem = format!("h.{at}");
    let map = |name: &str| LinearTensors::part(model, &format!("{stem}.{name}"), Cut::COLUMNS);
    let [query, key, value] =
        LinearTensors::thirds(model, &format!("{stem}.attn.c_attn"), Cut::third_of_columns);
    let maps = [query, key, value, map("attn.c_proj")];
    let inner = [map("mlp.c_fc"), map("mlp.c_proj")];
    around(model, &stem, maps, inner, residual, activation)
}

/// A block of nanoGPT or minGPT: maps stored as [out, in], those of queries, keys and values in one weight. nanoGPT, whose
/// configuration says whether maps have biases, uses GELU itself, minGPT the tanh form.
fn linear_block(model: &Model<'_>, at: usize) -> BlockDescription {
    let stem = format!("h.{at}");
    let map = |name: &str| LinearTensors::new(model, &format!("{stem}.{name}"));
    let [query, key, value] =
        LinearTensors::thirds(model, &format!("{stem}.attn.c_attn"), Cut::third_of_rows);
    let maps = [query, key, value, map("attn.c_proj")];
    let inner = [map("mlp.c_fc"), map("mlp.c_proj")];
    let activation = match model.config().flag("bias") {
        Some(_) => Activation::Gelu,
        None => activation(model),
    };
    around(
        model,
        &stem,
        maps,
        inner,
        ResidualDescription::pre_norm,
        activation,
    )
}

/// A block whose queries, keys and values have maps of their own, stored as [out, in].
fn separate_block(model: &Model<'_>, at: usize) -> BlockDescription {
    let stem = format!("h.{at}");
    let map = |name: &str| LinearTensors::new(model, &format!("{stem}.{name}"));
    let maps = ["q_proj", "k_proj", "v_proj", "c_proj"].map(|name| map(&format!("attn.{name}")));
    let inner = [map("mlp.c_fc"), map("mlp.c_proj")];
    let residual = ResidualDescription::pre_norm;
    around(model, &stem, maps, inner, residual, activation(model))
}

/// A block of GPT-Neo, whose even layers counted from 1 see a window only, unless the configuration lists others. Its
/// products are not scaled.
fn neo_block(model: &Model<'_>, at: usize) -> BlockDescription {
    let stem = format!("h.{at}");
    let map = |name: &str| LinearTensors::new(model, &format!("{stem}.{name}"));
    let maps = ["q_proj", "k_proj", "v_proj", "out_proj"];
    let maps = maps.map(|name| map(&format!("attn.attention.{name}")));
    let inner = [map("mlp.c_fc"), map("mlp.c_proj")];
    let residual = ResidualDescription::pre_norm;
    let mut block = around(model, &stem, maps, inner, residual, activation(model));
    block.attention.scale = ScoreScale::Factor(1.0);
    let config = model.config();
    let mut kinds = config.words("attention_layers");
    if kinds.is_empty() {
        kinds = config.repeated_words("attention_types");
    }
    let is_local = match kinds.get(at) {
        Some(kind) => *kind == "local",
        None => at % 2 == 1,
    };
    // The library's default window; a query sees itself and the keys before it.
    let window = config.count("window_size").unwrap_or(256);
    block.attention.reach = is_local.then_some(window - 1);
    block
}

fn around(
    model: &Model<'_>,
    stem: &str,
    maps: [LinearTensors; 4],
    [inner, output]: [LinearTensors; 2],
    residual: fn(NormDescription) -> ResidualDescription,
    activation: Activation,
) -> BlockDescription {
    let epsilon = model.config().layer_norm_epsilon.unwrap_or(EPSILON);
    let norm = |name: &str| {
        residual(NormDescription::layer(
            model,
            &format!("{stem}.{name}"),
            epsilon,
        ))
    };
    let heads = HeadCounts::new(model.config().heads);
    BlockDescription::new(
        AttentionDescription::new(maps, heads, norm("ln_1")).causal(true),
        FeedForwardDescription::plain(inner, output, activation, norm("ln_2")),
    )
}

fn remarks(mut source: SourceDescription, model: &Model<'_>) -> SourceDescription {
    if model.has("h.0.attn.bias") || model.has("h.0.attn.attention.bias") {
        source = source.remark(
            "Stored masks",
            "The tensors “attn.bias” are masks that hide later tokens, not biases. They are not read.",
        );
    }
    if model.config().flag("scale_attn_by_inverse_layer_idx") == Some(true) {
        source = source.remark(
            "Scale",
            "This model also divides the scores of each layer by the number of the layer; this is left out here.",
        );
    }
    if model.config().model_type.as_deref() == Some("gpt_bigcode") {
        source = source.remark(
            "No heads",
            "All heads of this model share their keys, which is not read here: only the table is shown.",
        );
    }
    source
}
