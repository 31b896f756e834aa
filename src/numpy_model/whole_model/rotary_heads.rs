//! Heads of rotary models without a text.
//!
//! | Name | Content |
//! |---|---|
//! | `KEY_VALUE_HEADS`, `HEAD_WIDTH` | number of key heads, number of columns of a head |
//! | `POSITIONS`, `SCORE_SCALE` | number of positions, factor of the scores |
//! | `VOCABULARY`, `WORD_BLOCKS`, `MEAN_BLOCKS` | number of words, and samples of them |
//! | `embed(tokens)` | states of words that enter the first layer |
//! | `layer_input(x, layer)`, `input_scale(layer)` | norm at the beginning of a layer; its scales, [d, 1], or 1 |
//! | `layer_maps(layer)` | `W_Q`, `b_Q`, `W_K`, `b_K` |
//! | `query_key_norms(layer)` | scale and shift of the norms of queries and keys |
//! | `queries_and_keys_of(x, layer)` | queries and keys before rotation |
//! | `head_columns(matrix, head)` | the columns of a head |
//! | `rotation(layer)` | pairs of columns, their angles, and a factor |
//! | `scores(layer, head)` | scores of the mean query and key, [n, n], where weights determine them |

use super::{TextCode, coverage, function, layers::same, rotation::LayerRotation};
use crate::{
    checkpoint::Weights,
    model::{
        CenterSource, Correction, LinearTensors, ModelDescription, NormDescription, PositionModel,
        words::{WordUse, sample_blocks},
    },
    numpy_model::{
        layer_code::matrix_lines,
        python::{CodeSegment, name_by_index},
    },
};
use std::ops::Range;

/// Code of the heads of a rotary model.
pub(in crate::numpy_model) struct RotaryHeadCode {
    /// The definitions.
    pub(in crate::numpy_model) segments: Vec<CodeSegment>,
    /// Whether `scores` is one of them.
    pub(in crate::numpy_model) has_scores: bool,
}

/// Writes the heads of a rotary model of `positions` positions.
///
/// # Errors
/// A sentence on what programs cannot read.
pub(in crate::numpy_model) async fn rotary_head_segments<W: Weights>(
    model: &PositionModel,
    positions: usize,
    file: &W,
) -> Result<RotaryHeadCode, String> {
    let description = model.description().ok_or_else(|| {
        format!(
            "The layers of models of the family {} are not described.",
            model.family
        )
    })?;
    let heads = Some(model.heads.count).filter(|_| !model.heads.is_none());
    let (mut sizes, mut hidden) = (Vec::new(), None);
    for block in &description.blocks {
        let size = block.attention.check(file, heads, hidden).await;
        let size = size.map_err(|error| error.to_string())?;
        hidden = Some(size.hidden_width);
        sizes.push(size);
    }
    let sizes = same(sizes)?;
    let code = TextCode::read(description, sizes, tensors(description), file).await?;
    let is_scaled = model.choice().does(Correction::AngleScaling);
    let rotation = LayerRotation::read(&code, positions, is_scaled, file).await?;
    let words = match description.embedding.words() {
        Some(name) => Some(code.words(name, model, file).await?),
        None => None,
    };
    let mut segments = code.head_constants(model.heads.is_none(), positions)?;
    segments.extend(code.map_functions());
    segments.extend(code.norm_function()?);
    if let Some(words) = words {
        segments.extend(words);
        segments.push(code.embed()?);
    }
    segments.push(code.layer_input()?);
    segments.push(code.input_scale()?);
    segments.push(code.layer_maps()?);
    segments.push(code.norms_of_queries_and_keys()?);
    segments.push(code.queries_and_keys_of()?);
    segments.push(head_columns());
    segments.push(rotation.function());
    let has_scores = model.layers > 0;
    if has_scores {
        segments.push(code.mean_query_and_key(model.layers)?);
        segments.push(scores());
    }
    Ok(RotaryHeadCode {
        segments,
        has_scores,
    })
}

/// Names of the tensors of the words, and of the scores of all layers.
fn tensors(description: &ModelDescription) -> Vec<&str> {
    let mut names = coverage::embedding_tensors(&description.embedding);
    for block in &description.blocks {
        let attention = &block.attention;
        for map in [&attention.query, &attention.key] {
            names.push(&map.weight);
            names.extend(map.bias.as_deref());
        }
        let norms = attention.query_key_norms.iter();
        let norms = norms.flat_map(|norms| [&norms.query, &norms.key]);
        let norms = norms.chain(&attention.residual.input_norm);
        names.extend(norms.flat_map(NormDescription::tensors));
    }
    let layers = 0..description.passes.len();
    names.extend(layers.filter_map(|layer| description.input_shift(layer)));
    names
}

/// `head_columns`.
fn head_columns() -> CodeSegment {
    let lines = [
        "at = head * (matrix.shape[-1] // HEAD_WIDTH) // HEADS",
        "return matrix[..., at * HEAD_WIDTH : (at + 1) * HEAD_WIDTH]",
    ];
    let about =
        "The columns of a head in queries, or those of its keys, which several heads may share.";
    let lines = lines.map(str::to_owned).to_vec();
    function("head_columns(matrix, head)", about, lines)
}

/// `scores`.
fn scores() -> CodeSegment {
    let lines = [
        "query, key = (head_columns(part, head) for part in mean_query_and_key(layer))",
        "columns, theta, factor = rotation(layer)",
        "offsets = np.arange(1 - POSITIONS, POSITIONS)[:, None]",
        "keys = rotate_pairs(np.tile(key, (len(offsets), 1)), columns, offsets * theta, factor**2)",
        "return toeplitz_scores(SCORE_SCALE * (keys * query).sum(axis=1))",
    ];
    let about =
        "Scores of the mean query and key of a head at all positions, [n, n] (RoFormer, eq. 16).";
    let lines = lines.map(str::to_owned).to_vec();
    function("scores(layer, head)", about, lines)
}

impl TextCode<'_> {
    fn head_constants(
        &self,
        needs_heads: bool,
        positions: usize,
    ) -> Result<Vec<CodeSegment>, String> {
        let scale = same(self.attentions().iter().map(|attention| attention.scale))?;
        let width = format!("{}  # columns of a head", self.sizes.head_width);
        let positions = format!("{positions}  # number of positions n");
        let mut constants = self.layer_constants(needs_heads);
        constants.extend([
            self.key_value_heads(),
            CodeSegment::constant("HEAD_WIDTH", &width),
            self.score_scale(scale),
            CodeSegment::constant("POSITIONS", &positions),
        ]);
        Ok(constants)
    }

    /// `VOCABULARY`, and the blocks of the samples that the page takes of its words.
    async fn words<W: Weights>(
        &self,
        name: &str,
        model: &PositionModel,
        file: &W,
    ) -> Result<[CodeSegment; 3], String> {
        let tensor = file.locate(name).await.map_err(|error| error.to_string())?;
        let width = tensor.shape.last().copied().unwrap_or(1).max(1);
        let count = tensor.shape.iter().product::<u64>() / width;
        let outputs = (self.sizes.heads + self.sizes.key_heads) * self.sizes.head_width;
        let first = self.description.passes.first();
        let first = first.and_then(|at| self.blocks().get(*at));
        let has_norms = first.is_some_and(|block| block.attention.query_key_norms.is_some());
        let blocks = |maps_words, about| {
            let words = WordUse {
                maps: (self.sizes.hidden_width, outputs),
                maps_words,
                is_exact: model.choice().does(Correction::ExactWords),
                is_remote: file.is_remote(),
            };
            match sample_blocks(&tensor, words) {
                Some(blocks) => format!("{blocks}  # blocks of 16 words {about}"),
                None => "None  # all words count".to_owned(),
            }
        };
        let of_means = blocks(has_norms, "of which the means are taken");
        let of_moments = blocks(true, "over which queries and keys vary");
        let count = format!("{count}  # number of words");
        Ok([
            CodeSegment::constant("VOCABULARY", &count),
            CodeSegment::constant("MEAN_BLOCKS", &of_means),
            CodeSegment::constant("WORD_BLOCKS", &of_moments),
        ])
    }

    /// The norms before the maps of the layers.
    fn input_norms(&self) -> Vec<Option<&NormDescription>> {
        let attentions = self.attentions().into_iter();
        let norms = attentions.map(|attention| attention.residual.input_norm.as_ref());
        norms.collect()
    }

    fn layer_input(&self) -> Result<CodeSegment, String> {
        let mut lines = self.norm_call(&self.input_norms(), "x", "x")?;
        lines.push("return x".to_owned());
        let about = "The states that the maps of a layer are applied to.";
        Ok(function("layer_input(x, layer)", about, lines))
    }

    fn input_scale(&self) -> Result<CodeSegment, String> {
        let norms = self.input_norms();
        let has: Vec<bool> = norms.iter().map(Option::is_some).collect();
        let mut lines = match has.contains(&true) {
            true => {
                let scale = self.norm_scale(&norms)?;
                self.in_layers(&has, format!("return {scale}[:, None]"), None)
            }
            false => Vec::new(),
        };
        if has.contains(&false) {
            lines.push("return 1.0".to_owned());
        }
        let about = "Factors of the columns of the states in the norm before the maps of a layer.";
        Ok(function("input_scale(layer)", about, lines))
    }

    /// An expression for the scales of a norm, in brackets if it is a sum.
    fn norm_scale(&self, norms: &[Option<&NormDescription>]) -> Result<String, String> {
        let weights: Vec<Option<&str>> = norms
            .iter()
            .map(|norm| Some((*norm)?.weight.as_str()))
            .collect();
        let scale = self.vector(&weights);
        Ok(
            match same(norms.iter().flatten().map(|norm| norm.adds_one))? {
                true => format!("(1 + {scale})"),
                false => scale,
            },
        )
    }

    fn layer_maps(&self) -> Result<CodeSegment, String> {
        let attentions = self.attentions();
        let mut lines = Vec::new();
        let queries: Vec<&LinearTensors> = attentions.iter().map(|a| &a.query).collect();
        let keys: Vec<&LinearTensors> = attentions.iter().map(|a| &a.key).collect();
        for (target, maps) in [("query", queries), ("key", keys)] {
            let cut = same(maps.iter().map(|map| map.cut))?;
            same(maps.iter().map(|map| map.bias.is_some()))?;
            let weights: Vec<Option<&str>> =
                maps.iter().map(|map| Some(map.weight.as_str())).collect();
            lines.extend(matrix_lines(target, &self.name(&weights), cut));
            let bias = self.bias(&maps)?;
            let bias = bias.unwrap_or_else(|| "0.0".to_owned());
            lines.push(format!("{target}_bias = {bias}"));
        }
        lines.push("return query, query_bias, key, key_bias".to_owned());
        let about = "W_Q, b_Q, W_K and b_K of a layer.";
        Ok(function("layer_maps(layer)", about, lines))
    }

    /// The norms of queries and of keys of the layers.
    fn norms_on_heads(&self) -> Result<[Vec<Option<&NormDescription>>; 2], String> {
        let norms = self.attentions().into_iter();
        let norms: Vec<_> = norms.map(|a| a.query_key_norms.as_ref()).collect();
        if norms.iter().flatten().any(|norms| !norms.is_per_head) {
            return Err("Programs cannot norm the queries of all heads as one row.".to_owned());
        }
        let of = |norm: fn(&crate::model::QueryKeyNorms) -> &NormDescription| {
            norms.iter().map(|norms| norms.map(norm)).collect()
        };
        Ok([of(|norms| &norms.query), of(|norms| &norms.key)])
    }

    fn norms_of_queries_and_keys(&self) -> Result<CodeSegment, String> {
        let sides = self.norms_on_heads()?;
        let has: Vec<bool> = sides[0].iter().map(Option::is_some).collect();
        let mut lines = Vec::new();
        if has.contains(&true) {
            let mut parts = Vec::new();
            for norms in &sides {
                let biases: Vec<Option<&str>> =
                    norms.iter().map(|norm| (*norm)?.bias.as_deref()).collect();
                let shift = match same(norms.iter().flatten().map(|norm| norm.bias.is_some()))? {
                    true => self.vector(&biases),
                    false => "np.zeros(HEAD_WIDTH)".to_owned(),
                };
                parts.push((self.norm_scale(norms)?, shift));
            }
            let names = ["query", "key"];
            let assign = |(name, (scale, shift)): (&str, &(String, String))| {
                format!("{name} = {scale}, {shift}")
            };
            let own: Vec<String> = names.into_iter().zip(&parts).map(assign).collect();
            let is_everywhere = !has.contains(&false);
            for line in own.into_iter().chain(["return query, key".to_owned()]) {
                lines.extend(match is_everywhere {
                    true => vec![line],
                    false => self.in_layers(&has, line, None),
                });
            }
        }
        if has.contains(&false) {
            lines.push("return None".to_owned());
        }
        let about =
            "Scale and shift of the columns of a head in the norm of queries and in that of keys.";
        Ok(function("query_key_norms(layer)", about, lines))
    }

    fn queries_and_keys_of(&self) -> Result<CodeSegment, String> {
        let [queries, keys] = self.norms_on_heads()?;
        let mut lines = vec![
            "x = layer_input(x, layer)".to_owned(),
            "w_q, b_q, w_k, b_k = layer_maps(layer)".to_owned(),
            "queries, keys = x @ w_q + b_q, x @ w_k + b_k".to_owned(),
        ];
        let has_norms = queries.iter().any(Option::is_some);
        if has_norms {
            let heads = "part.reshape(len(x), -1, HEAD_WIDTH) for part in (queries, keys)";
            lines.push(format!("queries, keys = ({heads})"));
            lines.extend(self.norm_call(&queries, "queries", "queries")?);
            lines.extend(self.norm_call(&keys, "keys", "keys")?);
        }
        lines.push(match has_norms {
            true => "return queries.reshape(len(x), -1), keys.reshape(len(x), -1)".to_owned(),
            false => "return queries, keys".to_owned(),
        });
        let about = "Queries and keys of states, [n, heads * width], before they are rotated.";
        Ok(function("queries_and_keys_of(x, layer)", about, lines))
    }

    /// Lines that return what all words share of queries and keys in some layers: β·W + b, or b alone without a bias β of
    /// the norm before them.
    fn shared_parts(&self, layers: Range<usize>) -> Result<Vec<String>, String> {
        let first = layers.start;
        let shifts: Vec<_> = layers.map(|at| self.description.input_shift(at)).collect();
        let lines = match same(shifts.iter().map(Option::is_some))? {
            true => {
                // The names of all layers follow from one another; those of the first may be of another kind.
                let names = shifts.into_iter();
                let names = std::iter::repeat_n(None, first)
                    .chain(names)
                    .collect::<Vec<_>>();
                [
                    "w_q, b_q, w_k, b_k = layer_maps(layer)".to_owned(),
                    format!(
                        "shift = tensor({})  # bias of the norm before",
                        name_by_index(&names, "layer")
                    ),
                    "return shift @ w_q + b_q, shift @ w_k + b_k".to_owned(),
                ]
                .to_vec()
            }
            false => [
                "_, b_q, _, b_k = layer_maps(layer)  # what all words share",
                "return b_q, b_k",
            ]
            .map(str::to_owned)
            .to_vec(),
        };
        Ok(lines)
    }

    /// `mean_query_and_key`, of the first `layers` layers.
    fn mean_query_and_key(&self, layers: usize) -> Result<CodeSegment, String> {
        let has_words = self.description.center_source(0) == Some(CenterSource::Words);
        let [norms, _] = self.norms_on_heads()?;
        let first = self.description.passes.first().copied().unwrap_or(0);
        let mut lines: Vec<String> = match (has_words, layers) {
            (false, _) => self.shared_parts(0..layers)?,
            (true, 1) => Vec::new(),
            (true, _) => {
                let inner = self.shared_parts(1..layers)?.into_iter();
                let inner = inner.map(|line| format!("    {line}"));
                ["if layer > 0:".to_owned()]
                    .into_iter()
                    .chain(inner)
                    .collect()
            }
        };
        if has_words {
            lines.push("x = embed(word_sample(VOCABULARY, MEAN_BLOCKS))".to_owned());
            lines.extend(match norms[first].is_some() {
                true => vec![
                    "queries, keys = queries_and_keys_of(x, layer)".to_owned(),
                    "return queries.mean(axis=0), keys.mean(axis=0)".to_owned(),
                ],
                false => vec![
                    "w_q, b_q, w_k, b_k = layer_maps(layer)".to_owned(),
                    "mean = layer_input(x, layer).mean(axis=0)".to_owned(),
                    "return mean @ w_q + b_q, mean @ w_k + b_k".to_owned(),
                ],
            });
        }
        let about = match has_words {
            true if layers > 1 => {
                "Mean query and key of the heads before rotation: of words in layer 0, then what all words share."
            }
            true => "Mean query and key of the heads over words, before they are rotated.",
            false => "The part of the queries and keys of a layer that all words share.",
        };
        Ok(function("mean_query_and_key(layer)", about, lines).with_cache())
    }
}
