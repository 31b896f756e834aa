//! Rotation of queries and keys.

use super::{
    LAYERS_DIFFER, TextCode, function,
    layers::{condition, same},
};
use crate::{
    encoding::{ContextExtension, RotaryAngles},
    model::{AngleDivisors, AttentionPositions, RotaryPairs, RotaryTensors, RotationDescription},
    numpy_model::python::CodeSegment,
};

impl TextCode<'_> {
    /// Rotation of every block.
    pub(super) fn rotations(&self) -> Vec<Option<&RotationDescription>> {
        let blocks = self.blocks().iter();
        let rotation = blocks.map(|block| match &block.attention.positions {
            AttentionPositions::Rotation(rotation) => Some(rotation),
            _ => None,
        });
        rotation.collect()
    }

    /// `layer_angles`, if layers rotate queries and keys.
    pub(super) fn layer_angles(&self) -> Result<Option<CodeSegment>, String> {
        let rotations = self.rotations();
        let mut kinds: Vec<&RotaryTensors> = Vec::new();
        for rotation in rotations.iter().flatten() {
            if !kinds.contains(&&rotation.tensors) {
                kinds.push(&rotation.tensors);
            }
        }
        let Some((first, others)) = kinds.split_first() else {
            return Ok(None);
        };
        let mut parts = Vec::new();
        let mut lines = Vec::new();
        for tensors in others {
            let passes = self.description.passes.iter();
            let own: Vec<bool> = passes
                .map(|at| rotations[*at].is_some_and(|rotation| rotation.tensors == **tensors))
                .collect();
            lines.push(format!("if {}:", condition(&own)));
            lines.push(format!("    return {}", self.angles(tensors, &mut parts)?));
        }
        lines.push(format!("return {}", self.angles(first, &mut parts)?));
        // Every change is a part with a function of the same name.
        let part = match parts.split_first() {
            None => None,
            Some((part, others)) if others.iter().all(|other| other == part) => Some(*part),
            Some(_) => return Err(LAYERS_DIFFER.to_owned()),
        };
        let about = "Angles theta_m of the pairs of columns from a position to the next (RoFormer, eq. 15).";
        let segment = function("layer_angles(n, layer)", about, lines);
        Ok(Some(match part {
            Some(part) => segment.with_part(part),
            None => segment,
        }))
    }

    /// An expression for the angles of a layer. Pairs after the last one that rotates have the angle 0 where they lie
    /// between the columns of a pair.
    fn angles(
        &self,
        tensors: &RotaryTensors,
        parts: &mut Vec<&'static str>,
    ) -> Result<String, String> {
        let RotaryAngles {
            pairs,
            exponent_width,
            base,
            ref extension,
        } = tensors.angles;
        let shape = format!("{base:?}, {exponent_width}, {pairs}");
        let trained = format!("trained_angles({shape})");
        let mut changed = |part: &'static str, arguments: &str| {
            parts.push(part);
            format!("changed_angles({shape}, {arguments})")
        };
        let angles = match extension {
            ContextExtension::None => trained,
            ContextExtension::Linear { factor } => {
                changed("rotary_change_linear", &format!("{factor:?}"))
            }
            // A single pair rotates by one radian at any base.
            ContextExtension::Ntk { .. } | ContextExtension::Dynamic { .. }
                if exponent_width <= 2 =>
            {
                trained
            }
            ContextExtension::Ntk { factor } => {
                changed("rotary_change_ntk", &format!("{factor:?}"))
            }
            ContextExtension::Dynamic {
                factor,
                trained_length,
            } => changed(
                "rotary_change_dynamic",
                &format!("{factor:?}, {trained_length:?}, n"),
            ),
            ContextExtension::Llama3 {
                factor,
                low_turns,
                high_turns,
                trained_length,
            } => changed(
                "rotary_change_llama3",
                &format!("{factor:?}, {trained_length:?}, {low_turns:?}, {high_turns:?}"),
            ),
            ContextExtension::Yarn(yarn) => {
                let truncated = if yarn.is_truncated { "True" } else { "False" };
                let lengths = format!("{:?}, {:?}", yarn.factor, yarn.trained_length);
                let turns = format!("{:?}, {:?}", yarn.fast_turns, yarn.slow_turns);
                changed(
                    "rotary_change_yarn",
                    &format!("{lengths}, {turns}, {truncated}"),
                )
            }
            ContextExtension::LongRope(_) => {
                return Err("Programs cannot run models with LongRoPE over a text.".to_owned());
            }
        };
        let divided = match &tensors.divisors {
            None => angles,
            Some(AngleDivisors::Always(name)) => {
                format!("{angles} / {}", self.tensor(&[Some(name)]))
            }
            Some(AngleDivisors::ByLength { .. }) => {
                return Err("Programs cannot run models with LongRoPE over a text.".to_owned());
            }
        };
        Ok(match self.still_pairs(tensors)? {
            0 => divided,
            still => format!("np.append({divided}, np.zeros({still}))"),
        })
    }

    /// Number of pairs after the last one that rotates, in heads of which the first pairs alone are rotated, with
    /// partners half a head apart.
    fn still_pairs(&self, tensors: &RotaryTensors) -> Result<usize, String> {
        let angles = &tensors.angles;
        let is_adjacent = self.rotation_pairs()? == RotaryPairs::Adjacent;
        let apart = (angles.exponent_width / 2).max(angles.pairs);
        if is_adjacent || apart == angles.pairs {
            return Ok(0);
        }
        match 2 * apart <= self.sizes.head_width && tensors.attention_factor() == 1.0 {
            true => Ok(apart - angles.pairs),
            false => Err("Programs cannot rotate some pairs of columns alone.".to_owned()),
        }
    }

    fn rotation_pairs(&self) -> Result<RotaryPairs, String> {
        same(
            self.rotations()
                .into_iter()
                .flatten()
                .map(|rotation| rotation.pairs),
        )
    }

    /// Lines that rotate queries and keys.
    pub(super) fn rotation_lines(&self) -> Result<Vec<String>, String> {
        let rotations = self.rotations();
        let has: Vec<bool> = rotations.iter().map(Option::is_some).collect();
        if !has.contains(&true) {
            return Ok(Vec::new());
        }
        let factor = same(
            rotations
                .iter()
                .flatten()
                .map(|rotation| rotation.tensors.attention_factor()),
        )?;
        let mut more = String::new();
        if self.rotation_pairs()? == RotaryPairs::Adjacent {
            more += ", halves=False";
        }
        if factor != 1.0 {
            more += &format!(", factor={factor:?}");
        }
        let line = format!(
            "queries, keys = (rotate(part, layer_angles(len(x), layer){more}) for part in (queries, keys))"
        );
        Ok(self.in_layers(&has, line, None))
    }
}
