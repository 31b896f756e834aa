//! Rotation of queries and keys.

use super::{
    TextCode, function,
    layers::{condition, same},
};
use crate::{
    model::{AngleDivisors, AttentionPositions, RotaryPairs, RotaryTensors, RotationDescription},
    numpy_model::{angles::angle_call, python::CodeSegment},
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
        let mut lines = Vec::new();
        for tensors in others {
            let passes = self.description.passes.iter();
            let own: Vec<bool> = passes
                .map(|at| rotations[*at].is_some_and(|rotation| rotation.tensors == **tensors))
                .collect();
            lines.push(format!("if {}:", condition(&own)));
            lines.push(format!("    return {}", self.angles(tensors)?));
        }
        lines.push(format!("return {}", self.angles(first)?));
        let about = "Angles theta_m of the pairs of columns from a position to the next (RoFormer, eq. 15).";
        Ok(Some(function("layer_angles(n, layer)", about, lines)))
    }

    /// An expression for the angles of a layer. Pairs after the last one that rotates have the angle 0 where they lie
    /// between the columns of a pair.
    fn angles(&self, tensors: &RotaryTensors) -> Result<String, String> {
        let no_long_rope =
            || Err("Programs cannot run models with LongRoPE over a text.".to_owned());
        let Some(angles) = angle_call(&tensors.angles, "n") else {
            return no_long_rope();
        };
        let divided = match &tensors.divisors {
            None => angles,
            Some(AngleDivisors::Always(name)) => {
                format!("{angles} / {}", self.tensor(&[Some(name)]))
            }
            Some(AngleDivisors::ByLength { .. }) => return no_long_rope(),
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

    pub(super) fn rotation_pairs(&self) -> Result<RotaryPairs, String> {
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
