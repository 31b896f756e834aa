//! Comparison of a model's description with the shapes of its tensors.

use super::{
    AttentionDescription, AttentionPositions, BlockDescription, ConvolutionDescription, Cut,
    DistanceMap, EmbeddingContent, EmbeddingDescription, FeedForwardDescription, Heads,
    HeadsSource, LinearTensors, ModelDescription, ModelError, NormDescription, PredictionHead,
    head_count, read::wrong_shape, tables::rows_and_width,
};
use crate::checkpoint::{TensorInfo, Weights};

/// Sizes of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockSizes {
    /// Number of columns of the states.
    pub hidden_width: usize,
    /// Number of query heads.
    pub heads: usize,
    /// Number of key and value heads.
    pub key_heads: usize,
    /// Number of columns of a head.
    pub head_width: usize,
    /// Inner width of the feed-forward part, or of each of its experts.
    pub inner: usize,
}

impl ModelDescription {
    /// Checks that the file holds every tensor of the description in a shape that fits the others, and returns the
    /// sizes of each block. Reads no numbers. `heads` is the number of query heads of a layer, where it is known from
    /// the open model; otherwise that of the description counts.
    ///
    /// # Errors
    /// For the first tensor that is missing or does not fit, as a sentence that names it.
    pub async fn check<W: Weights>(
        &self,
        checkpoint: &W,
        heads: Option<u32>,
    ) -> Result<Vec<BlockSizes>, ModelError> {
        let mut sizes: Vec<BlockSizes> = Vec::new();
        for block in &self.blocks {
            let hidden = sizes.first().map(|first| first.hidden_width);
            sizes.push(block.check(checkpoint, heads, hidden).await?);
        }
        let hidden = sizes.first().map_or(0, |first| first.hidden_width);
        self.embedding.check(checkpoint, hidden).await?;
        self.check_head(checkpoint, hidden).await?;
        Ok(sizes)
    }

    /// Checks what follows the last block, for states of `hidden` columns: the last norm and map, and the heads that
    /// there are.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub async fn check_head<W: Weights>(
        &self,
        checkpoint: &W,
        hidden: usize,
    ) -> Result<(), ModelError> {
        let shapes = Shapes { checkpoint };
        if let Some(norm) = &self.final_norm {
            shapes.norm(norm, hidden).await?;
        }
        let mut width = hidden;
        if let Some(map) = &self.final_map {
            (_, width) = shapes.map(map, Some(hidden), None).await?;
        }
        if let Some(detector) = &self.detector {
            let (_, inner) = shapes.map(&detector.dense, Some(width), None).await?;
            shapes.map(&detector.output, Some(inner), Some(1)).await?;
        }
        match &self.head {
            Some(head) => shapes.head(head, width).await,
            None => Ok(()),
        }
    }
}

impl BlockDescription {
    /// Checks this block alone, for states of `hidden` columns if their number is known.
    ///
    /// # Errors
    /// As [`ModelDescription::check`].
    pub async fn check<W: Weights>(
        &self,
        checkpoint: &W,
        heads: Option<u32>,
        hidden: Option<usize>,
    ) -> Result<BlockSizes, ModelError> {
        Shapes { checkpoint }.block(self, heads, hidden).await
    }
}

impl AttentionDescription {
    /// Checks what the scores of this attention need, for states of `hidden` columns if their number is known. The inner
    /// width of the sizes is 0.
    ///
    /// # Errors
    /// As [`ModelDescription::check`].
    pub async fn check<W: Weights>(
        &self,
        checkpoint: &W,
        heads: Option<u32>,
        hidden: Option<usize>,
    ) -> Result<BlockSizes, ModelError> {
        Shapes { checkpoint }
            .scores(self, heads, hidden, false)
            .await
    }
}

impl EmbeddingDescription {
    /// Checks the embedding for blocks of `hidden` columns.
    ///
    /// # Errors
    /// As [`ModelDescription::check`].
    pub async fn check<W: Weights>(&self, checkpoint: &W, hidden: usize) -> Result<(), ModelError> {
        Shapes { checkpoint }.embedding(self, hidden).await
    }
}

/// Shapes of a checkpoint's tensors.
pub(super) struct Shapes<'a, W> {
    pub(super) checkpoint: &'a W,
}

impl<W: Weights> Shapes<'_, W> {
    /// Checks a block for states of `hidden` columns, if their number is known.
    async fn block(
        &self,
        block: &BlockDescription,
        heads: Option<u32>,
        hidden: Option<usize>,
    ) -> Result<BlockSizes, ModelError> {
        let own = &block.attention;
        let mut sizes = self.attention(own, heads, hidden, false).await?;
        if let Some(cross) = &block.cross_attention {
            self.attention(cross, heads, Some(sizes.hidden_width), true)
                .await?;
        }
        if let Some(convolution) = &block.convolution {
            self.convolution(convolution, sizes.hidden_width).await?;
        }
        sizes.inner = self
            .feed_forward(&block.feed_forward, sizes.hidden_width)
            .await?;
        Ok(sizes)
    }

    /// Checks an attention, and returns its sizes.
    async fn attention(
        &self,
        attention: &AttentionDescription,
        heads: Option<u32>,
        hidden: Option<usize>,
        is_cross: bool,
    ) -> Result<BlockSizes, ModelError> {
        let sizes = self.scores(attention, heads, hidden, is_cross).await?;
        let (hidden, width) = (sizes.hidden_width, sizes.head_width);
        let (queries, keys) = (sizes.heads * width, sizes.key_heads * width);
        let (states, _) = self.map(&attention.key, None, Some(keys)).await?;
        self.map(&attention.value, Some(states), Some(keys)).await?;
        self.map(&attention.output, Some(queries), Some(hidden))
            .await?;
        for norm in attention.residual.norms() {
            self.norm(norm, hidden).await?;
        }
        if let Some(scale) = &attention.residual.output_scale {
            self.vector(scale, hidden).await?;
        }
        Ok(sizes)
    }

    /// Checks what the scores of an attention need, and returns its sizes. Keys and values of a cross-attention are made
    /// from states that may have another width.
    async fn scores(
        &self,
        attention: &AttentionDescription,
        heads: Option<u32>,
        hidden: Option<usize>,
        is_cross: bool,
    ) -> Result<BlockSizes, ModelError> {
        let (hidden, queries) = self.map(&attention.query, hidden, None).await?;
        let counts = attention.heads;
        let heads = match (heads.or(counts.heads), counts.width) {
            (Some(heads), _) => heads,
            (None, Some(width)) => queries as u32 / width.max(1),
            (None, None) => 0,
        };
        let source = HeadsSource::Config;
        head_count::check(
            Heads {
                count: heads,
                source,
            },
            queries,
        )?;
        let heads = heads as usize;
        let width = queries / heads;
        if counts
            .width
            .is_some_and(|configured| configured as usize != width)
        {
            let tensor = self.checkpoint.locate(&attention.query.weight).await?;
            let configured_width = counts.width.unwrap_or_default();
            let expected = format!("{heads} heads of {configured_width} columns");
            return Err(wrong_shape(&tensor, expected));
        }
        let key_heads = counts.key_heads.map_or(heads, |count| count as usize);
        if key_heads == 0 || !heads.is_multiple_of(key_heads) {
            let tensor = self.checkpoint.locate(&attention.key.weight).await?;
            let expected = format!("that of a number of key heads that divides {heads}");
            return Err(wrong_shape(&tensor, expected));
        }
        let keys = key_heads * width;
        let states = (!is_cross).then_some(hidden);
        self.map(&attention.key, states, Some(keys)).await?;
        if let Some(norms) = &attention.query_key_norms {
            let columns = |all| if norms.is_per_head { width } else { all };
            self.norm(&norms.query, columns(queries)).await?;
            self.norm(&norms.key, columns(keys)).await?;
        }
        if let Some(norm) = &attention.residual.input_norm {
            self.norm(norm, hidden).await?;
        }
        if let Some(sinks) = &attention.sinks {
            self.vector(sinks, heads).await?;
        }
        let sizes = BlockSizes {
            hidden_width: hidden,
            heads,
            key_heads,
            head_width: width,
            inner: 0,
        };
        self.positions(attention, &sizes).await?;
        Ok(sizes)
    }

    async fn positions(
        &self,
        attention: &AttentionDescription,
        sizes: &BlockSizes,
    ) -> Result<(), ModelError> {
        match &attention.positions {
            AttentionPositions::None => {}
            AttentionPositions::Rotation(rotation) => {
                let width = rotation.tensors.width();
                if width > sizes.head_width {
                    let tensor = self.checkpoint.locate(&attention.query.weight).await?;
                    let expected = format!("heads of at least {width} columns");
                    return Err(wrong_shape(&tensor, expected));
                }
                for divisors in rotation.tensors.names() {
                    self.vector(divisors, width / 2).await?;
                }
            }
            AttentionPositions::Buckets { tensor, .. } => {
                self.table(tensor, sizes.heads).await?;
            }
            AttentionPositions::Vectors { tensor, .. } => {
                self.table(tensor, sizes.head_width).await?;
            }
            AttentionPositions::Distances(terms) => {
                self.table(&terms.table, sizes.hidden_width).await?;
                if let Some(norm) = &terms.norm {
                    self.norm(norm, sizes.hidden_width).await?;
                }
                let queries = sizes.heads * sizes.head_width;
                for map in [&terms.key, &terms.query].into_iter().flatten() {
                    if let DistanceMap::Own(map) = map {
                        self.map(map, Some(sizes.hidden_width), Some(queries))
                            .await?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Checks a feed-forward part, and returns its inner width.
    async fn feed_forward(
        &self,
        part: &FeedForwardDescription,
        hidden: usize,
    ) -> Result<usize, ModelError> {
        let inner = match &part.experts {
            Some(experts) => self.experts(part, experts, hidden).await?,
            None => {
                let (_, inner) = self.map(&part.inner, Some(hidden), None).await?;
                if let Some(gate) = &part.gate {
                    self.map(gate, Some(hidden), Some(inner)).await?;
                }
                self.map(&part.output, Some(inner), Some(hidden)).await?;
                inner
            }
        };
        for norm in part.residual.norms() {
            self.norm(norm, hidden).await?;
        }
        if let Some(scale) = &part.residual.output_scale {
            self.vector(scale, hidden).await?;
        }
        Ok(inner)
    }

    async fn convolution(
        &self,
        convolution: &ConvolutionDescription,
        hidden: usize,
    ) -> Result<(), ModelError> {
        let tensor = self.checkpoint.locate(&convolution.weight).await?;
        let side = hidden as u64;
        if !matches!(tensor.shape[..], [out, inputs, taps] if [out, inputs] == [side; 2] && taps % 2 == 1)
        {
            let expected = format!("{hidden} × {hidden} × an odd number");
            return Err(wrong_shape(&tensor, expected));
        }
        if let Some(bias) = &convolution.bias {
            self.vector(bias, hidden).await?;
        }
        self.norm(&convolution.norm, hidden).await
    }

    /// Checks an embedding for blocks of `hidden` columns.
    async fn embedding(
        &self,
        embedding: &EmbeddingDescription,
        hidden: usize,
    ) -> Result<(), ModelError> {
        // The width of the sum, which only a map at the end may change.
        let sum = match &embedding.map {
            Some(map) => self.map(map, None, Some(hidden)).await?.0,
            None => hidden,
        };
        match &embedding.content {
            Some(EmbeddingContent::Words { tensor, map, .. }) => {
                let width = match map {
                    Some(map) => self.map(map, None, Some(sum)).await?.0,
                    None => sum,
                };
                self.table(tensor, width).await?;
            }
            Some(EmbeddingContent::Patches {
                weight,
                bias,
                tokens,
            }) => {
                let tensor = self.checkpoint.locate(weight).await?;
                if tensor.shape.first() != Some(&(sum as u64)) {
                    return Err(wrong_shape(&tensor, format!("a kernel of {sum} outputs")));
                }
                if let Some(bias) = bias {
                    self.vector(bias, sum).await?;
                }
                for token in tokens {
                    let tensor = self.checkpoint.locate(token).await?;
                    if tensor.shape.last() != Some(&(sum as u64)) {
                        return Err(wrong_shape(&tensor, format!("rows of {sum} numbers")));
                    }
                }
            }
            None => return Err(ModelError::NoWords),
        }
        for table in [&embedding.positions, &embedding.token_types]
            .into_iter()
            .flatten()
        {
            self.table(table, sum).await?;
        }
        if let Some(norm) = &embedding.norm {
            self.norm(norm, sum).await?;
        }
        Ok(())
    }

    async fn head(&self, head: &PredictionHead, input: usize) -> Result<(), ModelError> {
        let width = match &head.transform {
            Some(transform) => {
                let (_, width) = self.map(&transform.dense, Some(input), None).await?;
                self.norm(&transform.norm, width).await?;
                width
            }
            None => input,
        };
        let words = self.table(&head.words, width).await?;
        match &head.bias {
            Some(bias) => self.vector(bias, words).await,
            None => Ok(()),
        }
    }

    /// Checks a linear map and its bias, and returns the numbers of its inputs and outputs.
    pub(super) async fn map(
        &self,
        map: &LinearTensors,
        inputs: Option<usize>,
        outputs: Option<usize>,
    ) -> Result<(usize, usize), ModelError> {
        let tensor = self.checkpoint.locate(&map.weight).await?;
        let found = inputs_and_outputs(&tensor, map.cut);
        let fits = |(found_inputs, found_outputs): &(usize, usize)| {
            inputs.is_none_or(|inputs| inputs == *found_inputs)
                && outputs.is_none_or(|outputs| outputs == *found_outputs)
        };
        let Some(found) = found.filter(fits) else {
            return Err(wrong_shape(&tensor, expected_map(map.cut, inputs, outputs)));
        };
        if let Some(bias) = &map.bias {
            let tensor = self.checkpoint.locate(bias).await?;
            let (length, outputs) = (count(&tensor), found.1);
            // The bias may hold only the part that is used.
            if length != outputs && length != outputs * map.cut.parts() as usize {
                return Err(wrong_shape(&tensor, outputs.to_string()));
            }
        }
        Ok(found)
    }

    async fn norm(&self, norm: &NormDescription, width: usize) -> Result<(), ModelError> {
        for name in norm.tensors() {
            self.vector(name, width).await?;
        }
        Ok(())
    }

    async fn vector(&self, name: &str, length: usize) -> Result<(), ModelError> {
        let tensor = self.checkpoint.locate(name).await?;
        if count(&tensor) == length {
            Ok(())
        } else {
            Err(wrong_shape(&tensor, length.to_string()))
        }
    }

    /// Checks the width of a table, and returns the number of its rows.
    async fn table(&self, name: &str, width: usize) -> Result<usize, ModelError> {
        let tensor = self.checkpoint.locate(name).await?;
        match rows_and_width(&tensor) {
            Some((rows, found)) if found == width as u64 => Ok(rows as usize),
            _ => Err(wrong_shape(&tensor, format!("rows of {width} numbers"))),
        }
    }
}

/// Numbers of inputs and outputs of a map; `None` if the weight is no matrix with so many parts.
fn inputs_and_outputs(tensor: &TensorInfo, cut: Cut) -> Option<(usize, usize)> {
    let [rows, columns] = tensor.shape[..] else {
        return None;
    };
    let (inputs, outputs) = match cut {
        Cut::Rows { .. } | Cut::HeadRows { .. } => (columns, rows),
        Cut::Columns { .. } => (rows, columns),
    };
    let parts = cut.parts();
    let is_whole = inputs > 0 && outputs > 0 && outputs.is_multiple_of(parts);
    is_whole.then_some((inputs as usize, (outputs / parts) as usize))
}

/// A valid shape of a weight, as text.
fn expected_map(cut: Cut, inputs: Option<usize>, outputs: Option<usize>) -> String {
    let side = |number: Option<usize>, name: &str| {
        number.map_or_else(|| name.to_owned(), |number| number.to_string())
    };
    let parts = cut.parts() as usize;
    let (inputs, outputs) = (
        side(inputs, "inputs"),
        side(outputs.map(|outputs| outputs * parts), "outputs"),
    );
    match cut {
        Cut::Columns { .. } => format!("{inputs} × {outputs}"),
        _ => format!("{outputs} × {inputs}"),
    }
}

pub(super) fn count(tensor: &TensorInfo) -> usize {
    let product = (tensor.shape.iter()).try_fold(1_u64, |n, side| n.checked_mul(*side));
    product.map_or(usize::MAX, |count| {
        usize::try_from(count).unwrap_or(usize::MAX)
    })
}
