//! Codecs of schemes' parameters: numbers separated by colons.

use super::{
    BUCKETS, EVEN_WIDTHS, EncodingsChoice, FACTORS, HEADS, PHASOR_OFFSETS, POSITIVE, PhasorChoice,
    THRESHOLDS, TRAINED_LENGTHS,
};
use crate::{
    analysis::{EncodingParameters, ExtensionKind, SCHEMES, SchemeId, UntrainedValues},
    encoding::{Alibi, Buckets, Fire, Kerple, KerpleForm, RelativeRows, Rotary, Sinusoidal},
    url_state::{
        BASES, ROWS,
        codec::{Codec, number_within, pieces, take, whole_within},
    },
};

/// Schemes by identifier, written in the order of [`SCHEMES`]. An unknown identifier is an error.
pub(super) struct SchemeList;

impl Codec<Vec<SchemeId>> for SchemeList {
    fn read(&self, text: &str, into: &mut Vec<SchemeId>) -> Result<(), String> {
        let ids = text.split(',').filter(|id| !id.is_empty());
        let ids: Vec<&str> = ids.take(SCHEMES.len() + 1).collect();
        let is_known = |id: &&str| SCHEMES.iter().any(|scheme| scheme.id == *id);
        let listed = SCHEMES.iter().filter(|scheme| ids.contains(&scheme.id));
        let schemes = ids
            .iter()
            .all(is_known)
            .then(|| listed.map(|scheme| scheme.which).collect());
        take(text, schemes, into)
    }

    fn write(&self, value: &Vec<SchemeId>) -> Option<String> {
        let listed = SCHEMES
            .iter()
            .filter(|scheme| value.contains(&scheme.which));
        Some(listed.map(|scheme| scheme.id).collect::<Vec<_>>().join(","))
    }
}

/// An even width and a frequency base: `64:10000`.
pub(super) struct WidthAndBase;

impl Codec<Sinusoidal> for WidthAndBase {
    fn read(&self, text: &str, into: &mut Sinusoidal) -> Result<(), String> {
        (into.width, into.base) = width_and_base(text).ok_or(text)?;
        Ok(())
    }

    fn write(&self, value: &Sinusoidal) -> Option<String> {
        Some(format!("{}:{}", value.width, value.base))
    }
}

impl Codec<Rotary> for WidthAndBase {
    fn read(&self, text: &str, into: &mut Rotary) -> Result<(), String> {
        (into.width, into.base) = width_and_base(text).ok_or(text)?;
        Ok(())
    }

    fn write(&self, value: &Rotary) -> Option<String> {
        Some(format!("{}:{}", value.width, value.base))
    }
}

fn width_and_base(text: &str) -> Option<(usize, f64)> {
    let [width, base] = pieces(text)?;
    let width = whole_within(width, EVEN_WIDTHS).filter(|width| width % 2 == 0)?;
    Some((width, number_within(base, BASES)?))
}

/// An `ALiBi` head (from 1) and the number of heads: `3:8`.
pub(super) struct HeadOfHeads;

impl Codec<Alibi> for HeadOfHeads {
    fn read(&self, text: &str, into: &mut Alibi) -> Result<(), String> {
        let alibi = pieces(text).and_then(|[head, heads]| {
            let heads = whole_within(heads, HEADS)?;
            let head = whole_within(head, 1..=heads)? - 1;
            Some(Alibi { heads, head })
        });
        take(text, alibi, into)
    }

    fn write(&self, value: &Alibi) -> Option<String> {
        Some(format!("{}:{}", value.head + 1, value.heads))
    }
}

/// Number of buckets, maximum distance, and `both` directions or `back` only: `32:128:both`.
pub(super) struct BucketSizes;

impl Codec<Buckets> for BucketSizes {
    fn read(&self, text: &str, into: &mut Buckets) -> Result<(), String> {
        let buckets = pieces(text).and_then(|[count, distance, directions]| {
            let both = match directions {
                "both" => true,
                "back" => false,
                _ => return None,
            };
            Buckets::new(
                whole_within(count, BUCKETS)?,
                whole_within(distance, BUCKETS)?,
                both,
            )
        });
        take(text, buckets, into)
    }

    fn write(&self, value: &Buckets) -> Option<String> {
        let directions = if value.is_bidirectional() {
            "both"
        } else {
            "back"
        };
        Some(format!(
            "{}:{}:{directions}",
            value.count(),
            value.max_distance()
        ))
    }
}

/// The factor of a change of rotary angles, and the trained length where the change depends on it: `8` or `8:2048`. Not
/// written for changes of another kind.
pub(super) struct ExtensionCodec(pub(super) ExtensionKind);

impl Codec<EncodingParameters> for ExtensionCodec {
    fn read(&self, text: &str, into: &mut EncodingParameters) -> Result<(), String> {
        let (factor, length) = match self.0 {
            ExtensionKind::Yarn | ExtensionKind::Llama3 => {
                let [factor, length] = pieces(text).ok_or(text)?;
                (factor, whole_within(length, TRAINED_LENGTHS))
            }
            _ => (text, Some(*TRAINED_LENGTHS.start())),
        };
        let read = number_within(factor, FACTORS).zip(length);
        let (factor, length) = read.ok_or(text)?;
        into.set_extension(self.0, factor, length as f64);
        Ok(())
    }

    fn write(&self, value: &EncodingParameters) -> Option<String> {
        let factor = value.extension.factor()?;
        let is_this = value.extension_kind() == self.0;
        let length = value.extension.trained_length();
        is_this.then(|| match length {
            Some(length) => format!("{factor}:{length}"),
            None => factor.to_string(),
        })
    }
}

/// An even number of rotated columns: `16`.
pub(super) struct RotatedColumns;

impl Codec<usize> for RotatedColumns {
    fn read(&self, text: &str, into: &mut usize) -> Result<(), String> {
        let columns = whole_within(text, EVEN_WIDTHS).filter(|columns| columns % 2 == 0);
        take(text, columns, into)
    }

    fn write(&self, value: &usize) -> Option<String> {
        Some(value.to_string())
    }
}

/// The form of KERPLE, r₁ and r₂: `log:1:0.5` or `power:1:0.5`.
pub(super) struct KerpleNumbers;

impl Codec<Kerple> for KerpleNumbers {
    fn read(&self, text: &str, into: &mut Kerple) -> Result<(), String> {
        let kerple = pieces(text).and_then(|[form, r1, r2]| {
            let (form, greatest) = match form {
                "log" => (KerpleForm::Logarithm, *POSITIVE.end()),
                "power" => (KerpleForm::Power, Kerple::GREATEST_POWER),
                _ => return None,
            };
            let r1 = number_within(r1, POSITIVE)?;
            let r2 = number_within(r2, *POSITIVE.start()..=greatest)?;
            Some(Kerple { form, r1, r2 })
        });
        take(text, kerple, into)
    }

    fn write(&self, value: &Kerple) -> Option<String> {
        let form = match value.form {
            KerpleForm::Logarithm => "log",
            KerpleForm::Power => "power",
        };
        Some(format!("{form}:{}:{}", value.r1, value.r2))
    }
}

/// c and the threshold L of FIRE: `0.1:64`.
pub(super) struct FireNumbers;

impl Codec<Fire> for FireNumbers {
    fn read(&self, text: &str, into: &mut Fire) -> Result<(), String> {
        let fire = pieces(text).and_then(|[c, threshold]| {
            Some(Fire {
                c: number_within(c, POSITIVE)?,
                threshold: number_within(threshold, THRESHOLDS)?,
            })
        });
        take(text, fire, into)
    }

    fn write(&self, value: &Fire) -> Option<String> {
        Some(format!("{}:{}", value.c, value.threshold))
    }
}

/// Number of `DeBERTa`'s buckets on either side, and the maximum distance.
pub(super) struct RowSpans;

impl Codec<RelativeRows> for RowSpans {
    fn read(&self, text: &str, into: &mut RelativeRows) -> Result<(), String> {
        let rows = pieces(text).and_then(|[buckets, distance]| {
            let buckets = whole_within(buckets, BUCKETS)?;
            RelativeRows::new(whole_within(distance, BUCKETS)?, Some(buckets))
        });
        take(text, rows, into)
    }

    fn write(&self, value: &RelativeRows) -> Option<String> {
        Some(format!("{}:{}", value.span(), value.max_distance()))
    }
}

/// The seed, if untrained rows are noise.
pub(super) struct NoiseSeed;

impl Codec<EncodingParameters> for NoiseSeed {
    fn read(&self, text: &str, into: &mut EncodingParameters) -> Result<(), String> {
        take(text, text.parse().ok(), &mut into.seed)?;
        into.untrained_values = UntrainedValues::Noise;
        Ok(())
    }

    fn write(&self, value: &EncodingParameters) -> Option<String> {
        (value.untrained_values == UntrainedValues::Noise).then(|| value.seed.to_string())
    }
}

/// The seed, if untrained rows are steps.
pub(super) struct StepsSeed;

impl Codec<EncodingParameters> for StepsSeed {
    fn read(&self, text: &str, into: &mut EncodingParameters) -> Result<(), String> {
        take(text, text.parse().ok(), &mut into.seed)
    }

    fn write(&self, value: &EncodingParameters) -> Option<String> {
        (value.untrained_values == UntrainedValues::Steps).then(|| value.seed.to_string())
    }
}

/// Distances between rows, separated by commas. Not written if the list is empty.
pub(super) struct DistanceList;

impl Codec<Vec<usize>> for DistanceList {
    fn read(&self, text: &str, into: &mut Vec<usize>) -> Result<(), String> {
        let parsed = EncodingsChoice::typed_distances(text).ok();
        take(text, parsed.filter(|distances| !distances.is_empty()), into)
    }

    fn write(&self, value: &Vec<usize>) -> Option<String> {
        let distances: Vec<String> = value.iter().map(usize::to_string).collect();
        (!distances.is_empty()).then(|| distances.join(","))
    }
}

/// Position i and offset k: `0:4`.
pub(super) struct PositionAndOffset;

impl Codec<PhasorChoice> for PositionAndOffset {
    fn read(&self, text: &str, into: &mut PhasorChoice) -> Result<(), String> {
        let choice = pieces(text).and_then(|[position, offset]| {
            Some(PhasorChoice {
                position: whole_within(position, 0..=ROWS.end() - 1)?,
                offset: whole_within(offset, PHASOR_OFFSETS)?,
            })
        });
        take(text, choice, into)
    }

    fn write(&self, value: &PhasorChoice) -> Option<String> {
        Some(format!("{}:{}", value.position, value.offset))
    }
}
