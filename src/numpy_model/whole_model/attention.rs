//! Scores, values and masks of the heads.

use super::{LAYERS_DIFFER, TextCode, function, layers::same};
use crate::{
    math::AttentionMask,
    model::{AttentionDescription, AttentionPositions, Cut, LinearTensors, ScoreScale},
    numpy_model::python::CodeSegment,
};

impl TextCode<'_> {
    /// The attention of every block.
    pub(super) fn attentions(&self) -> Vec<&AttentionDescription> {
        self.blocks().iter().map(|block| &block.attention).collect()
    }

    /// `SCORE_SCALE`, `KEY_VALUE_HEADS` and `LOCAL_REACH`, as far as the model needs them.
    pub(super) fn attention_constants(&self) -> Result<Vec<CodeSegment>, String> {
        let mut constants = Vec::new();
        let scale = self.attentions()[0].scale;
        if scale != ScoreScale::Factor(1.0) {
            constants.push(self.score_scale(scale));
        }
        if self.shares_keys() {
            constants.push(self.key_value_heads());
        }
        if let Some(reach) = self.reach()? {
            let about = "greatest distance of a key that a query sees in local layers";
            constants.push(CodeSegment::constant(
                "LOCAL_REACH",
                &format!("{reach}  # {about}"),
            ));
        }
        Ok(constants)
    }

    /// `SCORE_SCALE`.
    pub(super) fn score_scale(&self, scale: ScoreScale) -> CodeSegment {
        let width = self.sizes.head_width;
        let value = match scale {
            ScoreScale::Factor(factor) => {
                format!("{factor:?}  # factor of the products of queries and keys")
            }
            ScoreScale::RootOfWidth(1.0) => {
                format!("{width} ** -0.5  # one over the root of a head's width")
            }
            ScoreScale::RootOfWidth(divisor) => {
                format!(
                    "{width} ** -0.5 / {divisor:?}  # factor of the products of queries and keys"
                )
            }
        };
        CodeSegment::constant("SCORE_SCALE", &value)
    }

    /// `KEY_VALUE_HEADS`.
    pub(super) fn key_value_heads(&self) -> CodeSegment {
        let about = match self.shares_keys() {
            true => "heads of keys and values, each shared by adjacent heads of queries",
            false => "heads of keys and values",
        };
        let value = format!("{}  # {about}", self.sizes.key_heads);
        CodeSegment::constant("KEY_VALUE_HEADS", &value)
    }

    /// Whether several heads of queries share keys and values.
    pub(super) fn shares_keys(&self) -> bool {
        self.sizes.key_heads != self.sizes.heads
    }

    /// The factor of the scores, with the sign of multiplication; empty if it is 1.
    pub(super) fn scale(&self) -> Result<&'static str, String> {
        let scales: Vec<ScoreScale> = self
            .attentions()
            .iter()
            .map(|attention| attention.scale)
            .collect();
        let is_plain =
            self.layer_index() == "layer" && scales.len() == self.description.passes.len();
        match same(scales.iter().copied()) {
            Ok(ScoreScale::Factor(1.0)) => Ok(""),
            Ok(_) => Ok("SCORE_SCALE * "),
            Err(_) if is_plain && by_layer(&scales) => Ok("SCORE_SCALE / (layer + 1) * "),
            Err(sentence) => Err(sentence),
        }
    }

    /// `scores_and_values`.
    pub(super) fn scores_and_values(&self) -> Result<CodeSegment, String> {
        let attentions = self.attentions();
        let norms: Vec<_> = attentions
            .iter()
            .map(|a| a.residual.input_norm.as_ref())
            .collect();
        let mut lines = self.norm_call(&norms, "x", "x")?;
        lines.extend(self.queries_keys_values()?);
        lines.extend(self.query_key_norms()?);
        lines.extend(self.rotation_lines()?);
        let added = match self.bucket_tables()?.is_empty() {
            true => "",
            false => " + offset_scores(len(x), layer)",
        };
        if self.shares_keys() {
            let repeated = "np.repeat(part, HEADS // KEY_VALUE_HEADS, axis=0)";
            lines.push(format!(
                "keys, values = ({repeated} for part in (keys, values))"
            ));
        }
        let scale = self.scale()?;
        lines.push(format!(
            "return {scale}queries @ keys.swapaxes(1, 2){added}, values"
        ));
        let about = "Scores of the heads before mask and softmax, [heads, n, n], and their values, [heads, n, width].";
        Ok(function("scores_and_values(x, layer)", about, lines))
    }

    /// Lines that assign queries, keys and values, [heads, n, width].
    fn queries_keys_values(&self) -> Result<Vec<String>, String> {
        let attentions = self.attentions();
        let queries: Vec<&LinearTensors> = attentions.iter().map(|a| &a.query).collect();
        let fused = same(attentions.iter().map(|attention| self.is_fused(attention)))?;
        if fused {
            let cut = same(queries.iter().map(|map| map.cut))?;
            let whole = self.whole_map(&queries, "x")?;
            return Ok(match cut {
                Cut::HeadRows { .. } => vec![
                    format!("fused = split_heads({whole}, HEADS)"),
                    "queries, keys, values = np.split(fused, 3, axis=2)".to_owned(),
                ],
                _ => vec![
                    format!("fused = {whole}"),
                    "queries, keys, values = np.split(fused, 3, axis=1)".to_owned(),
                    "queries, keys, values = (split_heads(part, HEADS) for part in (queries, keys, values))".to_owned(),
                ],
            });
        }
        let key_heads = if self.shares_keys() {
            "KEY_VALUE_HEADS"
        } else {
            "HEADS"
        };
        let keys: Vec<&LinearTensors> = attentions.iter().map(|a| &a.key).collect();
        let values: Vec<&LinearTensors> = attentions.iter().map(|a| &a.value).collect();
        let targets = [
            ("queries", queries, "HEADS"),
            ("keys", keys, key_heads),
            ("values", values, key_heads),
        ];
        let line = |(target, maps, heads): (&str, Vec<&LinearTensors>, &str)| {
            Ok(format!(
                "{target} = split_heads({}, {heads})",
                self.map(&maps, "x")?
            ))
        };
        targets.into_iter().map(line).collect()
    }

    /// Whether one weight holds queries, keys and values in this order, and one bias as well.
    fn is_fused(&self, attention: &AttentionDescription) -> bool {
        let maps = [&attention.query, &attention.key, &attention.value];
        let is_third = |(at, map): (u64, &&LinearTensors)| match map.cut {
            Cut::Rows { part, of } | Cut::Columns { part, of } | Cut::HeadRows { part, of } => {
                (part, of) == (at, 3)
            }
        };
        let [first, ..] = maps;
        let is_same = |map: &&LinearTensors| {
            let forms = [map.cut, first.cut].map(|cut| std::mem::discriminant(&cut));
            (&map.weight, &map.bias, forms[0]) == (&first.weight, &first.bias, forms[1])
        };
        let fits = |map: &LinearTensors| map.bias.is_none() || self.has_whole_bias(map);
        maps.iter().all(is_same) && (0..).zip(&maps).all(is_third) && fits(first)
    }

    fn query_key_norms(&self) -> Result<Vec<String>, String> {
        let attentions = self.attentions();
        let norms: Vec<_> = attentions
            .iter()
            .map(|a| a.query_key_norms.as_ref())
            .collect();
        let queries: Vec<_> = norms
            .iter()
            .map(|norms| Some(&norms.as_ref()?.query))
            .collect();
        let keys: Vec<_> = norms
            .iter()
            .map(|norms| Some(&norms.as_ref()?.key))
            .collect();
        let mut lines = self.norm_call(&queries, "queries", "queries")?;
        lines.extend(self.norm_call(&keys, "keys", "keys")?);
        Ok(lines)
    }

    /// Tables of scores by bucket of offsets of every block, with the farthest distance and whether keys on both sides
    /// have their own buckets; empty without them.
    pub(super) fn bucket_tables(&self) -> Result<Vec<(&str, u32, bool)>, String> {
        let attentions = self.attentions();
        let tables: Vec<_> = attentions
            .iter()
            .filter_map(|attention| match &attention.positions {
                AttentionPositions::Buckets {
                    tensor,
                    max_distance,
                    bidirectional,
                } => Some((tensor.as_str(), *max_distance, *bidirectional)),
                _ => None,
            })
            .collect();
        match tables.is_empty() || tables.len() == self.blocks().len() {
            true => Ok(tables),
            false => Err(LAYERS_DIFFER.to_owned()),
        }
    }

    /// `offset_scores`, if scores by offset are added.
    pub(super) fn offset_scores(&self) -> Result<Option<CodeSegment>, String> {
        let tables = self.bucket_tables()?;
        if tables.is_empty() {
            return Ok(None);
        }
        let names: Vec<Option<&str>> = tables.iter().map(|(name, ..)| Some(*name)).collect();
        let (farthest, both) = same(tables.iter().map(|(_, farthest, both)| (farthest, both)))?;
        let count = if *both {
            "len(table) // 2"
        } else {
            "len(table)"
        };
        let both = if *both { "True" } else { "False" };
        let lines = vec![
            format!("table = {}", self.tensor(&names)),
            format!(
                "return np.moveaxis(bucket_scores(table, n, {count}, {farthest}, {both}), 2, 0)"
            ),
        ];
        let about =
            "Scores of each head that depend on the offset, [heads, n, n] (T5, section 2.1).";
        Ok(Some(function("offset_scores(n, layer)", about, lines)))
    }

    /// `sink_scores`, if heads have sinks.
    pub(super) fn sink_scores(&self) -> Result<Option<CodeSegment>, String> {
        let attentions = self.attentions();
        let names: Vec<Option<&str>> = attentions.iter().map(|a| a.sinks.as_deref()).collect();
        if !same(names.iter().map(Option::is_some))? {
            return Ok(None);
        }
        let lines = vec![format!("return {}", self.vector(&names))];
        let about = "Scores of the sinks, [heads].";
        Ok(Some(function("sink_scores(layer)", about, lines)))
    }

    fn reach(&self) -> Result<Option<u32>, String> {
        let reaches: Vec<u32> = self
            .attentions()
            .iter()
            .filter_map(|attention| attention.reach)
            .collect();
        match reaches.is_empty() {
            true => Ok(None),
            false => same(reaches).map(Some),
        }
    }

    /// `visible_keys`.
    pub(super) fn visible_keys(&self) -> Result<CodeSegment, String> {
        let attentions = self.attentions();
        let mask = match same(attentions.iter().map(|attention| attention.mask))? {
            AttentionMask::Causal => "np.tri(n, dtype=bool)",
            AttentionMask::Whole => "np.ones((n, n), dtype=bool)",
        };
        let lines = match self.reach()? {
            None => vec![format!("return {mask}")],
            Some(_) => {
                let has: Vec<bool> = attentions
                    .iter()
                    .map(|attention| attention.reach.is_some())
                    .collect();
                let mut lines = vec![
                    format!("seen = {mask}"),
                    "distances = abs(np.arange(n) - np.arange(n)[:, None])".to_owned(),
                ];
                lines.extend(self.in_layers(
                    &has,
                    "seen &= distances <= LOCAL_REACH".to_owned(),
                    None,
                ));
                lines.push("return seen".to_owned());
                lines
            }
        };
        Ok(function(
            "visible_keys(n, layer)",
            "Whether each query sees each key, [n, n].",
            lines,
        ))
    }
}

/// Whether scores are divided by the number of the layer, counted from 1, as GPT-2 can be configured.
fn by_layer(scales: &[ScoreScale]) -> bool {
    let fits =
        |(at, scale): (usize, &ScoreScale)| *scale == ScoreScale::RootOfWidth(at as f64 + 1.0);
    scales.iter().enumerate().all(fits)
}
