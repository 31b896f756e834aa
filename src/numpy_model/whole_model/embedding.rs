//! States that enter the first layer.

use super::{TextCode, function};
use crate::{
    model::{EmbeddingContent, EmbeddingDescription},
    numpy_model::python::CodeSegment,
};

impl TextCode<'_> {
    /// `embed`.
    pub(super) fn embed(&self) -> Result<CodeSegment, String> {
        let embedding = &self.description.embedding;
        let mut lines = self.word_rows("x")?;
        if let Some(rows) = self.position_rows() {
            lines.push(format!("x = x + {rows}"));
        }
        if let Some(row) = self.token_type() {
            lines.push(format!("x = x + {row}"));
        }
        if let Some(norm) = &embedding.norm {
            lines.push(format!("x = {}", self.norm(&[Some(norm)], "x")?));
        }
        if let Some(map) = &embedding.map {
            lines.push(format!("x = {}", self.map(&[map], "x")?));
        }
        let about = "States of a text that enter the first layer, [n, d].";
        Ok(function("embed(tokens)", about, lines))
    }

    /// Lines that assign the rows of words, as they are added to positions.
    pub(super) fn word_rows(&self, target: &str) -> Result<Vec<String>, String> {
        let EmbeddingDescription { content, .. } = &self.description.embedding;
        let Some(EmbeddingContent::Words {
            tensor,
            is_scaled,
            map,
        }) = content
        else {
            return Err("The file has no words.".to_owned());
        };
        let mut lines = vec![format!("{target} = {}[tokens]", self.table(tensor))];
        if let Some(map) = map {
            lines.push(format!("{target} = {}", self.map(&[map], target)?));
        }
        if *is_scaled {
            lines.push(format!(
                "{target} = {target} * math.sqrt({target}.shape[1])"
            ));
        }
        Ok(lines)
    }

    /// The rows of a text's positions, if the model has a table.
    pub(super) fn position_rows(&self) -> Option<String> {
        let embedding = &self.description.embedding;
        let table = self.table(embedding.positions.as_deref()?);
        Some(match embedding.first_position {
            0 => format!("{table}[: len(tokens)]"),
            first => format!("{table}[{first} : {first} + len(tokens)]"),
        })
    }

    /// The row of token type 0, if the model has one.
    pub(super) fn token_type(&self) -> Option<String> {
        let name = self.description.embedding.token_types.as_deref()?;
        Some(format!("{}[0]", self.table(name)))
    }
}
