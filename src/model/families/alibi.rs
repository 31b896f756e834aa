//! `ALiBi`: scores fall with distance along slopes that a formula fixes; nothing is learned.
//!
//! ```text
//! score(i, j) = q_i·k_j / √d_k − m_h·(i − j)      m_h = 2^(−8h/H), h = 1 … H for H a power of 2
//! ```
//!
//! Press et al., Train Short, Test Long: Attention with LinearTensors Biases, ICLR 2022. BLOOM and MPT use it, and
//! Falcon where its configuration says so.

use super::{DetectionInput, Family, Found};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub(super) struct AlibiFamily;

impl Family for AlibiFamily {
    fn name(&self) -> &'static str {
        "ALiBi"
    }

    fn about(&self) -> &'static str {
        "Scores fall with distance at fixed rates: nothing learned."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Found> {
        let config = clues.config();
        let said = config
            .flag("alibi")
            .or(config.section("attn_config").flag("alibi"));
        let typed = matches!(clues.model_type(), Some("bloom" | "mpt")) && said != Some(false);
        let worded = config.word("position_embedding_type") == Some("alibi");
        // A norm right after the words is BLOOM's alone.
        let named = clues.naming("word_embeddings_layernorm.").is_some();
        (said == Some(true) || typed || worded || named).then(|| {
            Found::nothing(
                "This model stores no positions. It uses ALiBi: every head lowers its scores in proportion to \
                 the distance between query and key, at rates that a formula fixes, so nothing of it is learned.",
            )
        })
    }
}
