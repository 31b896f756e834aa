//! Description of the whole model beside a position source.

use super::{
    Activation, BlockDescription, ContentInput, Cut, EmbeddingContent, EmbeddingDescription,
    LayerTensors, Leading, LinearTensors, Model, ModelDescription, NormDescription,
    PositionTensors, PredictionHead, PreprocessStep, SourceDescription,
};

impl SourceDescription {
    /// Sets the layers to the queries and keys of blocks, and describes the model: these blocks after this source's
    /// content, positions and steps, so call it after they are set. Without blocks nothing is described.
    #[must_use]
    pub fn blocks(mut self, model: &Model<'_>, blocks: Vec<BlockDescription>) -> Self {
        let layers = blocks.iter();
        self.layers = layers
            .map(|block| LayerTensors::from_block(model, block))
            .collect();
        let embedding = self.embedding(model);
        self.description(ModelDescription::new(embedding, blocks))
    }

    /// Describes the model, without setting the layers. Without blocks nothing is described.
    #[must_use]
    pub fn description(mut self, description: ModelDescription) -> Self {
        self.description = Some(description).filter(|model| !model.blocks.is_empty());
        self
    }

    /// Changes the description of the model, if there is one.
    #[must_use]
    pub fn describe(mut self, change: impl FnOnce(&mut ModelDescription)) -> Self {
        if let Some(description) = &mut self.description {
            change(description);
        }
        self
    }

    /// Ends the description with a `LayerNorm`, if the model has it.
    #[must_use]
    pub fn final_norm(self, model: &Model<'_>, stem: &str) -> Self {
        let epsilon = self.norm_epsilon();
        let norm = model.norm(stem);
        let norm = norm.map(|_| NormDescription::layer(model, stem, epsilon));
        self.describe(|model| model.final_norm = norm)
    }

    /// Ends the description with the prediction of masked words, if the file holds it.
    #[must_use]
    pub fn masked_head(self, model: &Model<'_>, activation: Activation) -> Self {
        let epsilon = self.norm_epsilon();
        self.describe(|description| {
            let words = description.embedding.words();
            let head =
                words.and_then(|w| PredictionHead::for_masked_words(model, w, activation, epsilon));
            description.head = head;
        })
    }

    /// Ends the description with the prediction of the next word; see [`PredictionHead::causal`].
    #[must_use]
    pub fn causal_head(self, model: &Model<'_>, own: &[&str], is_tied: bool) -> Self {
        self.describe(|description| {
            let words = description.embedding.words();
            let head = words.and_then(|w| PredictionHead::causal(model, w, own, is_tied));
            description.head = head;
        })
    }

    /// Content, positions and steps of this source as an embedding.
    fn embedding(&self, model: &Model<'_>) -> EmbeddingDescription {
        let map = |stem: &String| LinearTensors {
            weight: format!("{stem}.weight"),
            bias: Some(format!("{stem}.bias")).filter(|bias| model.has_full_name(bias)),
            cut: Cut::ROWS,
        };
        let mut embedding = EmbeddingDescription::default();
        if let ContentInput::Words {
            tensor,
            is_scaled: scaled,
            map: stem,
        } = &self.content
        {
            embedding.content = Some(EmbeddingContent::Words {
                tensor: tensor.clone(),
                is_scaled: *scaled,
                map: stem.as_ref().map(map),
            });
        }
        if let PositionTensors::Table {
            tensor,
            leading_rows,
        } = &self.positions
        {
            embedding.positions = Some(tensor.clone());
            if let Leading::Offset { rows, .. } = leading_rows {
                embedding.first_position = *rows;
            }
        }
        for step in &self.steps {
            match step {
                PreprocessStep::Add { tensor, .. } => embedding.token_types = Some(tensor.clone()),
                PreprocessStep::Norm(stem) => {
                    let stem = stem.strip_prefix(model.prefix()).unwrap_or(stem);
                    let norm = NormDescription::layer(model, stem, self.norm_epsilon());
                    embedding.norm = Some(norm);
                }
                PreprocessStep::Map(stem) => embedding.map = Some(map(stem)),
            }
        }
        embedding
    }
}
