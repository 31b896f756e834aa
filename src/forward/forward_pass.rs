//! A model that can be run: which of its layers are applied, and the functions that read and apply them.

use ndarray::{Array2, ArrayView2};

use super::{
    AttentionObserver, Batch, BlockWeights, Embedding, ForwardError, ScoreWeights,
    activation::ActivationFunction,
    apply_block,
    embedding::{self, TextContent, row_count},
    tensor_numbers::TensorNumbers,
};
use crate::{
    checkpoint::Weights,
    model::{
        AttentionPositions, BlockDescription, BlockSizes, Cut, FeedForwardDescription,
        ModelDescription, ModelError, PositionModel,
    },
};

/// Most bytes of the experts of a layer in single precision. They are copied once, and a browser gives a worker at most
/// 4 GB.
const MOST_EXPERT_BYTES: u64 = 1 << 30;

/// A forward pass of an open model. It holds no weights: a layer's weights are read, applied and dropped.
#[derive(Clone, Debug, PartialEq)]
pub struct ForwardPass {
    pub(super) description: ModelDescription,
    /// Number of query heads, where it is known from the open model.
    heads: Option<u32>,
    query_heads: usize,
    hidden_width: usize,
    longest_text: Option<usize>,
    /// The pass to whose last states this one attends.
    encoder: Option<Box<Self>>,
}

impl ForwardPass {
    /// Checks that a model can be run, as far as its embedding and first layer show. Reads no numbers.
    ///
    /// # Errors
    /// If the family does not describe the model, or its tensors are missing or do not fit, as a sentence.
    pub async fn open<W: Weights>(
        model: &PositionModel,
        checkpoint: &W,
    ) -> Result<Self, ForwardError> {
        let family = model.family;
        let description = model.description().cloned();
        let description = description.ok_or(ForwardError::NotDescribed { family })?;
        let heads = Some(model.heads.count).filter(|_| !model.heads.is_none());
        let encoder = match &description.encoder {
            Some(encoder) => {
                let encoder = (**encoder).clone();
                Some(Self::check_model(encoder, None, family, checkpoint).await?)
            }
            None => None,
        };
        let attends = |block: &BlockDescription| block.cross_attention.is_some();
        if encoder.is_none() && description.blocks.iter().any(attends) {
            return Err(ForwardError::NoEncoder);
        }
        Ok(Self {
            encoder: encoder.map(Box::new),
            ..Self::check_model(description, heads, family, checkpoint).await?
        })
    }

    /// A pass of which scores alone are read: it can be opened where the files lack values, outputs and feed-forward
    /// parts, and cannot be applied there.
    ///
    /// # Errors
    /// If the family does not describe the model, or tensors of its embedding or of the first layer's scores are missing
    /// or do not fit, as a sentence.
    pub async fn open_scores<W: Weights>(
        model: &PositionModel,
        checkpoint: &W,
    ) -> Result<Self, ForwardError> {
        let pass = Self::open_attention(model, checkpoint).await?;
        let embedding = &pass.description.embedding;
        embedding.check(checkpoint, pass.hidden_width).await?;
        Ok(pass)
    }

    /// A pass of which maps of the attention alone are read: it can be opened where the files lack words, too.
    ///
    /// # Errors
    /// If the family does not describe the model, or tensors of the first layer's scores are missing or do not fit, as a
    /// sentence.
    pub async fn open_attention<W: Weights>(
        model: &PositionModel,
        checkpoint: &W,
    ) -> Result<Self, ForwardError> {
        let family = model.family;
        let description = model.description().cloned();
        let description = description.ok_or(ForwardError::NotDescribed { family })?;
        let first = description.passes.first();
        let first = first.and_then(|at| description.blocks.get(*at));
        let first = first.ok_or(ForwardError::NotDescribed { family })?;
        let heads = Some(model.heads.count).filter(|_| !model.heads.is_none());
        let sizes = first.attention.check(checkpoint, heads, None).await?;
        Ok(Self {
            heads,
            query_heads: sizes.heads,
            hidden_width: sizes.hidden_width,
            longest_text: None,
            description,
            encoder: None,
        })
    }

    /// Checks a model without its encoder.
    async fn check_model<W: Weights>(
        description: ModelDescription,
        heads: Option<u32>,
        family: &'static str,
        checkpoint: &W,
    ) -> Result<Self, ForwardError> {
        let first = description.passes.first();
        let first = first.and_then(|at| description.blocks.get(*at));
        let first = first.ok_or(ForwardError::NotDescribed { family })?;
        for block in &description.blocks {
            ActivationFunction::find(&block.feed_forward.activation)?;
        }
        check_experts(&first.feed_forward, checkpoint).await?;
        let sizes = first.check(checkpoint, heads, None).await?;
        (description.embedding.check(checkpoint, sizes.hidden_width)).await?;
        Ok(Self {
            heads,
            query_heads: sizes.heads,
            hidden_width: sizes.hidden_width,
            longest_text: longest_text(&description, checkpoint).await?,
            description,
            encoder: None,
        })
    }

    /// The encoder of a decoder. Run it first, and give its [`Self::last_states`] to [`Batch::with_encoder`].
    #[must_use]
    pub fn encoder(&self) -> Option<&Self> {
        self.encoder.as_deref()
    }

    /// The word in front of a text that a decoder with an encoder reads; `None` if that is the last word of the text.
    #[must_use]
    pub fn start_word(&self) -> Option<u32> {
        self.description.start_word
    }

    /// Number of layers that are applied. Those that share their weights count each time.
    #[must_use]
    pub fn layers(&self) -> usize {
        self.description.passes.len()
    }

    /// Index of the weights of a layer. Layers that share their weights have the same index.
    ///
    /// # Panics
    /// If there is no such layer.
    #[must_use]
    pub fn weights_of(&self, layer: usize) -> usize {
        self.description.passes[layer]
    }

    /// Number of query heads of the first layer.
    #[must_use]
    pub fn heads(&self) -> usize {
        self.query_heads
    }

    /// Number of columns of the states.
    #[must_use]
    pub fn hidden_width(&self) -> usize {
        self.hidden_width
    }

    /// Number of tokens of the longest text, for models with a table of positions or of offsets.
    #[must_use]
    pub fn longest_text(&self) -> Option<usize> {
        self.longest_text
    }

    /// Whether queries see earlier keys only.
    #[must_use]
    pub fn is_causal(&self) -> bool {
        let first = self.description.blocks.first();
        first.is_some_and(|block| block.attention.mask == crate::math::AttentionMask::Causal)
    }

    /// Whether the queries and keys of some layer are normed.
    #[must_use]
    pub fn norms_queries(&self) -> bool {
        let mut blocks = self.description.blocks.iter();
        blocks.any(|block| block.attention.query_key_norms.is_some())
    }

    /// Bytes of the weights of a layer in its file. Tensors that are missing count nothing.
    ///
    /// # Errors
    /// If there is no such layer.
    pub async fn layer_bytes<W: Weights>(
        &self,
        checkpoint: &W,
        layer: usize,
    ) -> Result<u64, ForwardError> {
        Ok(bytes_of(checkpoint, &self.block(layer)?.tensors()).await)
    }

    /// Bytes of the weights of a layer's scores in its file. Tensors that hold other maps as well count as a whole, and
    /// those that are missing count nothing.
    ///
    /// # Errors
    /// If there is no such layer.
    pub async fn score_bytes<W: Weights>(
        &self,
        checkpoint: &W,
        layer: usize,
    ) -> Result<u64, ForwardError> {
        let tensors = ScoreWeights::tensors(&self.block(layer)?.attention);
        Ok(bytes_of(checkpoint, &tensors).await)
    }

    /// Reads the parts of the states that enter the first layer, of texts as ids of words.
    ///
    /// # Errors
    /// If a text has no tokens, more than [`Self::longest_text`], or an id that the model does not have, and if
    /// tensors cannot be read or are not finite.
    pub async fn embed<W: Weights>(
        &self,
        checkpoint: &W,
        texts: &[Vec<u32>],
        pause: &impl AsyncFn(),
    ) -> Result<Embedding, ForwardError> {
        self.embed_content(checkpoint, TextContent::Ids(texts), pause)
            .await
    }

    /// [`Self::embed`] for rows instead of words, as they are added to positions: mixtures of words, or the patches of
    /// an image behind the rows of its tokens. Each [n, width].
    ///
    /// # Errors
    /// As [`Self::embed`].
    ///
    /// # Panics
    /// If the rows do not have the width of the positions.
    pub async fn embed_rows<W: Weights>(
        &self,
        checkpoint: &W,
        texts: &[ArrayView2<'_, f32>],
        pause: &impl AsyncFn(),
    ) -> Result<Embedding, ForwardError> {
        self.embed_content(checkpoint, TextContent::Rows(texts), pause)
            .await
    }

    async fn embed_content<W: Weights>(
        &self,
        checkpoint: &W,
        content: TextContent<'_>,
        pause: &impl AsyncFn(),
    ) -> Result<Embedding, ForwardError> {
        let lengths = content.lengths();
        if let Some(text) = lengths.iter().position(|length| *length == 0) {
            return Err(ForwardError::EmptyText { text });
        }
        let tokens = lengths.into_iter().max().unwrap_or(0);
        match self.longest_text {
            Some(longest) if tokens > longest => Err(ForwardError::TooLong { tokens, longest }),
            _ => embedding::read(checkpoint, &self.description.embedding, content, pause).await,
        }
    }

    /// Rows of words as they are added to positions, [ids, width].
    ///
    /// # Errors
    /// If the model has no such word, and if tensors cannot be read or are not finite.
    pub async fn word_rows<W: Weights>(
        &self,
        checkpoint: &W,
        ids: &[u32],
        pause: &impl AsyncFn(),
    ) -> Result<Array2<f32>, ForwardError> {
        embedding::word_rows(checkpoint, &self.description.embedding, ids, pause).await
    }

    /// Number of rows of the model's word table.
    ///
    /// # Errors
    /// If the model has no words, or the table is missing.
    pub async fn words<W: Weights>(&self, checkpoint: &W) -> Result<usize, ForwardError> {
        let words = self
            .description
            .embedding
            .words()
            .ok_or(ModelError::NoWords)?;
        let tensor = checkpoint.locate(words).await?;
        Ok(tensor.shape.first().map_or(0, |rows| *rows as usize))
    }

    /// Reads the weights of a layer, in slices of at most 32 MB.
    ///
    /// # Errors
    /// If there is no such layer, or a tensor is missing, does not fit, cannot be read, or is not finite.
    pub async fn read_layer<W: Weights>(
        &self,
        checkpoint: &W,
        layer: usize,
        pause: &impl AsyncFn(),
    ) -> Result<BlockWeights, ForwardError> {
        let block = self.block(layer)?;
        let sizes = self.check(checkpoint, block).await?;
        let mut numbers = TensorNumbers::read(checkpoint, &block.tensors(), pause).await?;
        BlockWeights::take(&mut numbers, block, sizes)
    }

    /// Reads the weights of a layer's scores alone.
    ///
    /// # Errors
    /// As [`Self::read_layer`].
    pub async fn read_scores<W: Weights>(
        &self,
        checkpoint: &W,
        layer: usize,
        pause: &impl AsyncFn(),
    ) -> Result<ScoreWeights, ForwardError> {
        let block = self.block(layer)?;
        let sizes = self.check_scores(checkpoint, block).await?;
        let tensors: Vec<(&str, Cut)> = ScoreWeights::tensors(&block.attention);
        let mut numbers = TensorNumbers::read(checkpoint, &tensors, pause).await?;
        ScoreWeights::take(&mut numbers, &block.attention, sizes)
    }

    /// Applies a layer to the states of all texts. The observer sees the attention of every head, but not that to an
    /// encoder.
    ///
    /// Drop the future to stop; `pause` is called every few milliseconds.
    ///
    /// # Errors
    /// If a state is outside single precision, or the batch of a decoder has no encoder. The states are then of no
    /// use.
    pub async fn apply(
        &self,
        layer: usize,
        weights: &BlockWeights,
        batch: &mut Batch,
        observer: &mut impl AttentionObserver,
        pause: &impl AsyncFn(),
    ) -> Result<(), ForwardError> {
        apply_block::apply(weights, batch, layer, observer, pause).await
    }

    pub(super) fn block(&self, layer: usize) -> Result<&BlockDescription, ForwardError> {
        let at = self.description.passes.get(layer);
        let block = at.and_then(|at| self.description.blocks.get(*at));
        let layers = self.layers();
        block.ok_or_else(|| ModelError::NoSuchLayer { layer, layers }.into())
    }

    pub(super) async fn check<W: Weights>(
        &self,
        checkpoint: &W,
        block: &BlockDescription,
    ) -> Result<BlockSizes, ForwardError> {
        let hidden = Some(self.hidden_width);
        Ok(block.check(checkpoint, self.heads, hidden).await?)
    }

    /// Checks what the scores of a layer need.
    pub(super) async fn check_scores<W: Weights>(
        &self,
        checkpoint: &W,
        block: &BlockDescription,
    ) -> Result<BlockSizes, ForwardError> {
        let hidden = Some(self.hidden_width);
        let attention = &block.attention;
        Ok(attention.check(checkpoint, self.heads, hidden).await?)
    }
}

/// Refuses experts whose numbers cannot be read or held. A layer's weights are in memory at once.
async fn check_experts<W: Weights>(
    part: &FeedForwardDescription,
    checkpoint: &W,
) -> Result<(), ForwardError> {
    if part.experts.is_none() {
        return Ok(());
    }
    let mut bytes = 0_u64;
    for map in [&part.inner, &part.output] {
        let blocks = format!("{}_blocks", map.weight);
        if !checkpoint.has(&map.weight) && checkpoint.has(&blocks) {
            return Err(ForwardError::PackedExperts { tensor: blocks });
        }
        let sides = checkpoint.locate(&map.weight).await?.shape.into_iter();
        let of_map = sides.fold(size_of::<f32>() as u64, u64::saturating_mul);
        bytes = bytes.saturating_add(of_map);
    }
    match bytes > MOST_EXPERT_BYTES {
        true => Err(ForwardError::LargeExperts { bytes }),
        false => Ok(()),
    }
}

/// Bytes of some tensors in their file, each once.
async fn bytes_of<W: Weights>(checkpoint: &W, tensors: &[(&str, Cut)]) -> u64 {
    let mut names: Vec<&str> = Vec::new();
    let mut bytes = 0;
    for (name, _) in tensors {
        if !names.contains(name) {
            names.push(name);
            bytes += checkpoint
                .locate(name)
                .await
                .map_or(0, |tensor| tensor.bytes());
        }
    }
    bytes
}

/// Number of tokens of the longest text, by the rows of the tables of positions and offsets.
async fn longest_text<W: Weights>(
    description: &ModelDescription,
    checkpoint: &W,
) -> Result<Option<usize>, ForwardError> {
    let embedding = &description.embedding;
    let mut longest = match &embedding.positions {
        Some(name) => {
            let rows = row_count(&checkpoint.locate(name).await?);
            Some(rows.saturating_sub(embedding.first_position as usize))
        }
        None => None,
    };
    let first = description.blocks.first();
    if let Some(AttentionPositions::Vectors { tensor, .. }) =
        first.map(|block| &block.attention.positions)
    {
        // 2n − 1 rows.
        let rows = row_count(&checkpoint.locate(tensor).await?).div_ceil(2);
        longest = Some(longest.map_or(rows, |longest| longest.min(rows)));
    }
    Ok(longest)
}
