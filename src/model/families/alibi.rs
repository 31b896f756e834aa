//! `ALiBi`: scores fall with distance along fixed slopes; nothing is learned.
//!
//! ```text
//! score(i, j) = q_i·k_j / √d_k − m_h·(i − j)      m_h = 2^(−8h/H), h = 1 … H for H a power of 2
//! ```
//!
//! Press et al., Train Short, Test Long: Attention with Linear Biases, ICLR 2022. Used by BLOOM and MPT, and by Falcon
//! if its configuration says so.

use super::{Detection, DetectionInput, Family};

#[derive(Clone, Copy, Debug)]
pub(super) struct AlibiFamily;

impl Family for AlibiFamily {
    fn name(&self) -> &'static str {
        "ALiBi"
    }

    fn about(&self) -> &'static str {
        "Scores fall with distance at fixed rates: nothing learned."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let config = clues.config();
        let flag = config
            .flag("alibi")
            .or(config.section("attn_config").flag("alibi"));
        let has_type = matches!(
            clues.model_type(),
            Some("bloom" | "mpt" | "jina-bert-v2" | "refact")
        ) && flag != Some(false);
        let has_word = config.word("position_embedding_type") == Some("alibi");
        // Only BLOOM has a norm directly after the word embeddings.
        let has_norm = clues
            .tensor_containing("word_embeddings_layernorm.")
            .is_some();
        let has_bias = config.number("alibi_bias").is_some_and(|bias| bias > 0.0);
        (flag == Some(true) || has_type || has_word || has_norm || has_bias).then(|| {
            Detection::nothing(
                "This model stores no positions. It uses ALiBi: every head lowers its scores in proportion to \
                 the distance between query and key, at rates that a formula fixes, so nothing of it is learned.",
            )
        })
    }
}
