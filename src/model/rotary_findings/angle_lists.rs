//! Angles of a rotary model as numbers, at the offset at which programs are compared.

use super::{Finding, FindingKind, LayerAngles, RotaryDescription, rotary_config::RotaryConfig};
use crate::{checkpoint::Weights, encoding::ContextExtension};

/// Offset at which programs are compared if the configuration gives no length.
const USUAL_OFFSET: f64 = 4096.0;

/// Angles of one entry of [`RotaryDescription::angles`].
pub(super) struct AngleLists<'a> {
    /// The entry.
    pub(super) source: &'a LayerAngles,
    /// Index of the entry.
    pub(super) index: usize,
    /// θ_m in radians, as the model uses them in a text of `offset` tokens.
    pub(super) configured_angles: Vec<f64>,
    /// θ_m in radians, as trained.
    pub(super) plain: Vec<f64>,
    /// Offset in tokens: the claimed length, or what is known in its place.
    pub(super) offset: f64,
}

impl<'a> AngleLists<'a> {
    /// The angles by the configuration alone. Tensors that divide them are left out.
    pub(super) fn from_config(description: &'a RotaryDescription) -> Vec<Self> {
        let list = |(index, source): (usize, &'a LayerAngles)| {
            let offset = offset(description, source);
            Self {
                source,
                index,
                configured_angles: source.tensors.angles.frequencies(offset as usize),
                plain: source.tensors.angles.trained_frequencies(),
                offset,
            }
        };
        description.angles.iter().enumerate().map(list).collect()
    }

    /// The angles with the numbers of tensors that divide them. What cannot be read is a finding.
    pub(super) async fn read<W: Weights>(
        description: &'a RotaryDescription,
        checkpoint: &W,
        findings: &mut Vec<Finding>,
    ) -> Vec<Self> {
        let mut lists = Self::from_config(description);
        for list in &mut lists {
            if list.source.tensors.divisors.is_none() {
                continue;
            }
            let length = list.offset as usize;
            let configured_angles = list.source.read(checkpoint, length, true).await;
            let plain = list.source.read(checkpoint, length, false).await;
            match (configured_angles, plain) {
                (Ok(configured_angles), Ok(plain)) => {
                    (list.configured_angles, list.plain) =
                        (configured_angles.frequencies, plain.frequencies);
                }
                (Err(error), _) | (_, Err(error)) => findings.push(Finding::fault(
                    FindingKind::UnusableTensor,
                    &error.to_string(),
                )),
            }
        }
        lists
    }

    /// Number of layers that use these angles; 0 if the number of layers is unknown.
    pub(super) fn layers(&self, description: &RotaryDescription) -> usize {
        description.layers_with(self.index).count()
    }

    /// Number of columns of a head. Models that compress queries and keys have columns with and without rotation.
    pub(super) fn head_width(&self, config: &RotaryConfig<'_>) -> Option<u32> {
        config.compressed_head_width().or(self.source.head_width)
    }

    /// Number of rotated pairs.
    pub(super) fn pairs(&self) -> usize {
        self.configured_angles.len()
    }
}

/// The claimed length; for angles that change with the length beyond that of training, the length that they reach.
fn offset(description: &RotaryDescription, source: &LayerAngles) -> f64 {
    let longest = description.claimed_length.or(description.trained_length);
    let longest = longest.unwrap_or(USUAL_OFFSET);
    match source.tensors.angles.extension {
        ContextExtension::Dynamic {
            factor,
            trained_length,
        } => longest.max(factor * trained_length).min(1e10),
        _ => longest,
    }
}

/// The factor of a change for longer texts, if it has one, and the length from which it counts, if the configuration
/// gives one.
pub(super) fn factor_of(change: &ContextExtension) -> Option<(f64, Option<f64>)> {
    match change {
        ContextExtension::None | ContextExtension::LongRope(_) => None,
        ContextExtension::Linear { factor } | ContextExtension::Ntk { factor } => {
            Some((*factor, None))
        }
        ContextExtension::Dynamic {
            factor,
            trained_length,
        }
        | ContextExtension::Llama3 {
            factor,
            trained_length,
            ..
        } => Some((*factor, Some(*trained_length))),
        ContextExtension::Yarn(yarn) => Some((yarn.factor, Some(yarn.trained_length))),
    }
}

/// A change for longer texts as the words of a sentence.
pub(super) fn change_name(change: &ContextExtension) -> &'static str {
    match change {
        ContextExtension::None => "none",
        ContextExtension::Linear { .. } => "linear",
        ContextExtension::Ntk { .. } => "NTK",
        ContextExtension::Dynamic { .. } => "dynamic",
        ContextExtension::Yarn(_) => "yarn",
        ContextExtension::LongRope(_) => "longrope",
        ContextExtension::Llama3 { .. } => "llama3",
    }
}
