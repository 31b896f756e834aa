//! Pairs of columns that the layers of a rotary model turn, in a text of known length.

use super::{
    TextCode, function,
    layers::{common_value, condition},
};
use crate::{
    checkpoint::Weights,
    model::{RotaryDescription, RotaryPairs, RotationDescription},
    numpy_model::{angles::PairAngles, python::CodeSegment},
};

/// The rotation of every layer, by kinds of layers.
pub(in crate::numpy_model) struct LayerRotation {
    /// The distinct rotations, each with whether a layer has it.
    kinds: Vec<(RotationKind, Vec<bool>)>,
    pairs: RotaryPairs,
}

/// The pairs of a head that turn.
#[derive(Clone, Debug, PartialEq)]
struct RotationKind {
    angles: PairAngles,
    /// Distance of the columns of a pair, of pairs of both halves.
    apart: usize,
}

impl LayerRotation {
    /// Finds the rotation of every layer in a text of `positions` tokens.
    ///
    /// # Errors
    /// A sentence on what programs cannot rotate.
    pub(super) async fn read<W: Weights>(
        code: &TextCode<'_>,
        positions: usize,
        is_scaled: bool,
        file: &W,
    ) -> Result<Self, String> {
        let rotations = code.rotations();
        let width = code.sizes.head_width;
        let mut kinds = Vec::new();
        for at in &code.description.passes {
            kinds.push(match rotations.get(*at).copied().flatten() {
                Some(rotation) => {
                    RotationKind::read(rotation, width, positions, is_scaled, file).await?
                }
                None => RotationKind::still(),
            });
        }
        Ok(Self::of_layers(kinds, code.rotation_pairs()?))
    }

    /// Finds the rotation of the first `layers` layers by the configuration alone, for files without weights. The
    /// columns of a pair are in both halves of a head.
    ///
    /// # Errors
    /// A sentence on what programs cannot rotate.
    pub(in crate::numpy_model) async fn of_configuration<W: Weights>(
        rotary: &RotaryDescription,
        layers: usize,
        (positions, is_scaled): (usize, bool),
        file: &W,
    ) -> Result<Self, String> {
        let mut kinds = Vec::new();
        for layer in 0..layers {
            kinds.push(match rotary.layer_angles(layer) {
                Some(angles) => {
                    let angles = PairAngles::read(&angles.tensors, positions, is_scaled, file);
                    let angles = angles.await?;
                    let apart = angles.pairs;
                    RotationKind { angles, apart }
                }
                None => RotationKind::still(),
            });
        }
        Ok(Self::of_layers(kinds, RotaryPairs::Halves))
    }

    /// Groups layers by their rotation.
    fn of_layers(of_layers: Vec<RotationKind>, pairs: RotaryPairs) -> Self {
        let count = of_layers.len();
        let mut kinds: Vec<(RotationKind, Vec<bool>)> = Vec::new();
        for (layer, kind) in of_layers.into_iter().enumerate() {
            let own = match kinds.iter_mut().find(|(other, _)| *other == kind) {
                Some((_, own)) => own,
                None => {
                    kinds.push((kind, vec![false; count]));
                    &mut kinds.last_mut().expect("a kind").1
                }
            };
            own[layer] = true;
        }
        // The most frequent kind is what remains.
        kinds.sort_by_key(|(_, own)| own.iter().filter(|has| **has).count());
        Self { kinds, pairs }
    }

    /// `rotation`.
    pub(in crate::numpy_model) fn function(&self) -> CodeSegment {
        let turning = || {
            self.kinds
                .iter()
                .map(|(kind, _)| kind)
                .filter(|kind| kind.angles.pairs > 0)
        };
        let apart = match self.pairs {
            RotaryPairs::Adjacent => None,
            RotaryPairs::Halves => Some(
                match turning().all(|kind| kind.apart == kind.angles.pairs) {
                    true => "len(theta)".to_owned(),
                    false => common_value(turning().map(|kind| kind.apart))
                        .map_or_else(|| "apart".to_owned(), |apart| apart.to_string()),
                },
            ),
        };
        let factor = common_value(turning().map(|kind| kind.angles.factor));
        let mut names = "theta".to_owned();
        if apart.as_deref() == Some("apart") {
            names += ", apart";
        }
        if factor.is_none() {
            names += ", factor";
        }
        let assignment = |kind: &RotationKind| {
            let mut values = kind.angles.theta.clone();
            if apart.as_deref() == Some("apart") {
                values += &format!(", {}", kind.apart);
            }
            if factor.is_none() {
                values += &format!(", {:?}", kind.angles.factor);
            }
            format!("{names} = {values}")
        };
        let mut lines = Vec::new();
        let count = self.kinds.len();
        for (at, (kind, own)) in self.kinds.iter().enumerate() {
            match (at, at + 1 == count) {
                (0, true) => lines.push(assignment(kind)),
                (0, false) => lines.push(format!("if {}:", condition(own))),
                (_, false) => lines.push(format!("elif {}:", condition(own))),
                (_, true) => lines.push("else:".to_owned()),
            }
            if count > 1 {
                lines.push(format!("    {}", assignment(kind)));
            }
        }
        lines.push(match &apart {
            Some(apart) => format!("columns = np.arange(len(theta))[:, None] + [0, {apart}]"),
            None => "columns = 2 * np.arange(len(theta))[:, None] + [0, 1]".to_owned(),
        });
        let factor = factor.map_or_else(|| "factor".to_owned(), |factor| format!("{factor:?}"));
        lines.push(format!("return columns, theta, {factor}"));
        let about = "The pairs of columns of a head that turn, [pairs, 2], their angles theta_m from a position to the next
    (RoFormer, eq. 15), and a factor of these columns in queries and keys.
    ";
        function("rotation(layer)", about, lines)
    }
}

impl RotationKind {
    async fn read<W: Weights>(
        rotation: &RotationDescription,
        width: usize,
        positions: usize,
        is_scaled: bool,
        file: &W,
    ) -> Result<Self, String> {
        let angles = PairAngles::read(&rotation.tensors, positions, is_scaled, file).await?;
        let inside = (0..angles.pairs).take_while(|m| rotation.columns(*m).1 < width);
        let count = inside.count();
        let (first, second) = rotation.columns(0);
        Ok(Self {
            angles: angles.first_pairs(count),
            apart: second - first,
        })
    }

    /// No pairs.
    fn still() -> Self {
        Self {
            angles: PairAngles {
                theta: "np.zeros(0)".to_owned(),
                pairs: 0,
                factor: 1.0,
            },
            apart: 0,
        }
    }
}
