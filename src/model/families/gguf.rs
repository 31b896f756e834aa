//! Models with llama.cpp's tensor names that have a position table: BERT, GPT-2 and others.
//!
//! ```text
//! h_i = LayerNorm(word + type + E_i)      q, k = h·W + b, after a LayerNorm where the layer has one
//! ```
//!
//! Special rows of the table were removed when the file was made. The names follow the GGUF specification, ggml
//! project, 2023.

use super::{
    Activation, AttentionDescription, BlockDescription, Cut, Detection, DetectionInput, Family,
    FeedForwardDescription, HeadCounts, Leading, LinearTensors, Model, NormDescription,
    ResidualDescription, SourceDescription,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct Gguf;

impl Family for Gguf {
    fn name(&self) -> &'static str {
        "GGUF"
    }

    fn about(&self) -> &'static str {
        "Learned absolute positions under llama.cpp’s names."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let table = "position_embd.weight";
        let model = clues.model(table)?;
        if !model.has("token_embd.weight") {
            return None;
        }
        // BERT's maps are stored separately; those of GPT-2 and models derived from its code share one weight.
        let is_apart = ["attn_q", "attn_k"].map(|map| model.has(&format!("blk.0.{map}.weight")));
        let is_decoder = is_apart != [true, true];
        let blocks = model.blocks(|at| block(&model, at, is_decoder));
        let source = SourceDescription::table(&model, table, Leading::None)
            .words(&model, "token_embd")
            .adds(&model, "token_types.weight", "token type 0")
            .norm(&model, &["token_embd_norm"])
            .blocks(&model, blocks)
            .layer_norm(&model, "blk.{}.attn_norm")
            .final_norm(&model, "output_norm");
        let source = match model.config().model_type.as_deref() {
            Some("gpt2") => source.causal_head(&model, &["output.weight"], true),
            // BERT files hold no prediction of words.
            Some("bert") => source,
            _ => SourceDescription {
                description: None,
                ..source
            },
        };
        let source = if is_decoder { source.causal() } else { source };
        Detection::by_names("llama.cpp", vec![source])
    }
}

/// A block: BERT's with norms after its parts and the erf form of GELU, or GPT-2's with norms before them and the tanh
/// form. The file's epsilon counts; otherwise it is that of the library's `BertConfig` or `GPT2Config`.
fn block(model: &Model<'_>, at: usize, is_decoder: bool) -> BlockDescription {
    let name = |name: &str| format!("blk.{at}.{name}");
    let map = |end: &str| LinearTensors::new(model, &name(end));
    let epsilon = if is_decoder { 1e-5 } else { 1e-12 };
    let epsilon = model.config().layer_norm_epsilon.unwrap_or(epsilon);
    let norm = |end: &str| NormDescription::layer(model, &name(end), epsilon);
    let [query, key, value] = if is_decoder {
        LinearTensors::thirds(model, &name("attn_qkv"), Cut::third_of_rows)
    } else {
        ["attn_q", "attn_k", "attn_v"].map(map)
    };
    let [first, second] = if is_decoder {
        ["attn_norm", "ffn_norm"].map(|end| ResidualDescription::pre_norm(norm(end)))
    } else {
        ["attn_output_norm", "layer_output_norm"]
            .map(|end| ResidualDescription::post_norm(norm(end)))
    };
    let heads = HeadCounts::new(model.config().heads);
    let maps = [query, key, value, map("attn_output")];
    BlockDescription::new(
        AttentionDescription::new(maps, heads, first).causal(is_decoder),
        FeedForwardDescription::plain(
            map("ffn_up"),
            map("ffn_down"),
            if is_decoder {
                Activation::GeluTanh
            } else {
                Activation::Gelu
            },
            second,
        ),
    )
}
