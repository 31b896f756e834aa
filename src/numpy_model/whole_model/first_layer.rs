//! The first layer as a sum of parts: of words, of positions, and of vectors that all tokens share.

use super::{TextCode, function, layers::same};
use crate::{
    model::{AttentionPositions, LinearTensors, ScoreScale},
    numpy_model::python::CodeSegment,
};

/// Description of the function.
const ABOUT: &str = "Scaled queries and keys of the first layer as sums of what words, positions and vectors that all tokens
    share contribute, [3, n, heads * width] each; and what the offset adds to their products.
    ";

impl TextCode<'_> {
    /// `first_layer_parts`, unless queries and keys of the first layer are no such sums.
    pub(super) fn first_layer_parts(&self) -> Result<Option<CodeSegment>, String> {
        let first = &self.blocks()[self.description.passes[0]].attention;
        let is_rotated = matches!(first.positions, AttentionPositions::Rotation(_));
        if is_rotated || first.query_key_norms.is_some() || self.shares_keys() {
            return Ok(None);
        }
        let embedding = &self.description.embedding;
        let mut lines = self.word_rows("words")?;
        let zeros = "np.zeros_like(words)";
        lines.push(format!(
            "positions = {}",
            self.position_rows().as_deref().unwrap_or(zeros)
        ));
        lines.push(match self.token_type() {
            Some(row) => format!("shared = {zeros} + {row}"),
            None => format!("shared = {zeros}"),
        });
        lines.push("parts = np.array([words, positions, shared])".to_owned());
        if let Some(norm) = &embedding.norm {
            lines.extend(self.norm_of_parts(norm)?);
        }
        if let Some(map) = &embedding.map {
            lines.extend(self.map_of_parts("parts", map)?);
        }
        if let Some(norm) = &first.residual.input_norm {
            lines.extend(self.norm_of_parts(norm)?);
        }
        lines.extend(self.map_of_parts("queries", &first.query)?);
        lines.extend(self.map_of_parts("keys", &first.key)?);
        let added = match self.bucket_tables()?.is_empty() {
            true => "np.zeros(HEADS)",
            false => "offset_scores(len(tokens), 0)",
        };
        let is_one = same([first.scale, ScoreScale::Factor(1.0)]).is_ok();
        let scale = if is_one { "" } else { "SCORE_SCALE * " };
        lines.push(format!("return {scale}queries, keys, {added}"));
        Ok(Some(function("first_layer_parts(tokens)", ABOUT, lines)))
    }

    /// Lines that assign the map of all parts; the bias belongs to the last.
    fn map_of_parts(&self, target: &str, map: &LinearTensors) -> Result<Vec<String>, String> {
        let mut lines = vec![format!("{target} = parts @ {}", self.weight(map))];
        if let Some(bias) = self.bias(&[map])? {
            lines.push(format!("{target}[2] += {bias}"));
        }
        Ok(lines)
    }
}
