//! Sinusoidal positions that a module stores with its weights, as the module `PositionalEncoding` of PyTorch's tutorial on
//! transformers does.
//!
//! ```text
//! h_i = √d·word + E_i      E_i = sin, cos of i·10000^(−2m/d), in alternate columns
//! ```

use super::{
    Cut, Detection, DetectionInput, Family, LayerTensors, Leading, Model, SourceDescription,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct StoredEncoding;

/// Name of the module's buffer, [n, 1, d] or [1, n, d].
const TABLE: &str = "pe";
/// Stems of PyTorch's own layers and of word tables in models built after the tutorial.
const LAYERS: &[&str] = &[
    "transformer_encoder.layers",
    "transformer.encoder.layers",
    "encoder.layers",
    "layers",
];
const WORDS: &[&str] = &[
    "embedding",
    "encoder",
    "embed",
    "word_embedding",
    "token_embedding",
    "src_embed.0.lut",
];

impl Family for StoredEncoding {
    fn name(&self) -> &'static str {
        "PyTorch's tutorial"
    }

    fn about(&self) -> &'static str {
        "Sines and cosines that were stored with the weights."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let model = clues.model(TABLE)?;
        let mut source = SourceDescription::table(&model, TABLE, Leading::None).epsilon(1e-5).remark(
            "Stored positions",
            "The table is a buffer named “pe”, as in PyTorch's tutorial on transformers, where it is computed.",
        );
        // Layers and words lie beside the module that holds the buffer.
        let outer = model.outer();
        let layers = LAYERS.iter().map(|stem| layers(&outer, stem));
        if let Some(layers) = layers.into_iter().find(|layers| !layers.is_empty()) {
            source = source.layers(layers);
            let words = WORDS
                .iter()
                .find(|stem| outer.has(&format!("{stem}.weight")));
            if let Some(words) = words {
                source = source.words(&outer, words).times_root_of_width().remark(
                    "Scale assumed",
                    "The tutorial multiplies token embeddings by the square root of their width. The file does not say whether this model does.",
                );
            }
        }
        Detection::by_names("the tutorial's module", vec![source])
    }
}

/// Layers of PyTorch's `TransformerEncoderLayer`.
fn layers(model: &Model<'_>, stem: &str) -> Vec<LayerTensors> {
    let [weight, bias] =
        ["weight", "bias"].map(|end| format!("{stem}.{{}}.self_attn.in_proj_{end}"));
    model.fused_layers(&weight, &bias, Cut::third_of_rows)
}
