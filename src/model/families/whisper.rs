//! Whisper: computed positions in the audio encoder, learned ones in the text decoder.
//!
//! ```text
//! h_i = content + E_i      q = LayerNorm(h)·W_Q + b      k = LayerNorm(h)·W_K
//! ```
//!
//! The encoder's table has all sines before all cosines, and the step of its frequencies is ln(10000)/(d/2 − 1).
//! Radford et al., Robust Speech Recognition via Large-Scale Weak Supervision, 2022.

use super::{Config, Detection, DetectionInput, Family, Leading, SourceDescription, bart};

#[derive(Clone, Copy, Debug)]
pub(super) struct Whisper;

/// Configured number of heads of the encoder or the decoder, under the library's key or that of the authors' `dims`.
fn heads(config: &Config, half: &str) -> Option<u32> {
    let key = match half {
        "encoder" => "n_audio_head",
        _ => "n_text_head",
    };
    let own = config.count(&format!("{half}_attention_heads"));
    own.or_else(|| config.count(key))
}

impl Family for Whisper {
    fn name(&self) -> &'static str {
        "Whisper"
    }

    fn about(&self) -> &'static str {
        "Computed positions for sound, learned positions for text."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let model = clues.model("encoder.embed_positions.weight")?;
        if !model.has("encoder.conv1.weight") && !clues.says_alone(&["whisper"]) {
            return None;
        }
        let half = |name: &str| {
            let table = format!("{name}.embed_positions.weight");
            let layers = bart::layers(&model, name);
            model.has(&table).then(|| {
                SourceDescription::table(&model, &table, Leading::None)
                    .with_name(name, name)
                    .heads(heads(model.config(), name))
                    .usual_heads(&[])
                    .epsilon(1e-5)
                    .layers(layers)
                    .layer_norm(&model, &format!("{name}.layers.{{}}.self_attn_layer_norm"))
            })
        };
        let encoder = half("encoder").map(|source| {
            source
                .unknown(
                    "Sound",
                    "What the sound adds to positions is not known, so x̄ is taken as zero.",
                )
                .remark(
                    "Fixed positions",
                    "The encoder’s table was computed, not learned.",
                )
        });
        let decoder = half("decoder");
        let decoder = decoder.map(|source| source.words(&model, "decoder.embed_tokens").causal());
        Detection::by_names(
            "Whisper",
            [encoder, decoder].into_iter().flatten().collect(),
        )
    }
}
