//! Contribution of each position encoding to a score, as one function f(k) of the offset.
//!
//! The schemes differ in kind; [`Scheme::about`] says what f is: an inner product of position rows, a bias or a mean.
//! Learned numbers come from the open model; without one, the scheme is shown untrained and marked as such. Softmax
//! ignores a constant added to all scores, and so does the figure of several schemes: see [`ProfileScaling`].

use super::{EncodingParameters, PositionKind, UntrainedValues};
use crate::{
    encoding::{Kernels, Random, Rotary, Sinusoidal, TransformerXl},
    math::{Profile, Toeplitz},
};
use std::ops::RangeInclusive;

/// Identifies a position encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemeId {
    /// Vaswani et al. 2017.
    Sinusoidal,
    /// The open model's position table, or its equivalent.
    Learned,
    /// The open head.
    Head,
    /// Wennberg and Henter 2021.
    Tisa,
    /// Press et al. 2022.
    Alibi,
    /// Raffel et al. 2020.
    T5,
    /// Shaw et al. 2018.
    Shaw,
    /// Su et al. 2021.
    Rotary,
    /// Dai et al. 2019.
    TransformerXl,
    /// He et al. 2021.
    Deberta,
}

/// Description of a scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scheme {
    /// Identifier in code.
    pub which: SchemeId,
    /// Short name, stable in links and columns.
    pub id: &'static str,
    /// Name on the page.
    pub title: &'static str,
    /// Definition of f(k) in one sentence.
    pub about: &'static str,
    /// Model families whose scores by offset belong to this scheme.
    families: &'static [&'static str],
}

/// All schemes in reading order, for menu, figure, links and tests.
pub const SCHEMES: &[Scheme] = &[
    Scheme {
        which: SchemeId::Sinusoidal,
        id: "sinusoidal",
        title: "Sinusoidal",
        about: "Inner product of two rows of the fixed table (Vaswani et al. 2017).",
        families: &[],
    },
    Scheme {
        which: SchemeId::Learned,
        id: "learned",
        title: "Open model",
        about: "Diagonal means of the open model’s position matrix.",
        families: &[],
    },
    Scheme {
        which: SchemeId::Head,
        id: "head",
        title: "Open head",
        about: "Diagonal means of the open head’s positional scores.",
        families: &[],
    },
    Scheme {
        which: SchemeId::Tisa,
        id: "tisa",
        title: "TISA",
        about: "The kernels of the kernels view (Wennberg and Henter 2021, eq. 5).",
        families: &[],
    },
    Scheme {
        which: SchemeId::Alibi,
        id: "alibi",
        title: "ALiBi",
        about: "Minus distance times the head’s slope; nothing learned (Press et al. 2022).",
        families: &[],
    },
    Scheme {
        which: SchemeId::T5,
        id: "t5",
        title: "T5 buckets",
        about: "One score per bucket; buckets widen with distance (Raffel et al. 2020).",
        families: &["T5", "MPNet"],
    },
    Scheme {
        which: SchemeId::Shaw,
        id: "shaw",
        title: "Shaw, clipped",
        about: "The product of a query and the vector of the offset, constant beyond ±K (Shaw et al. 2018).",
        families: &[],
    },
    Scheme {
        which: SchemeId::Rotary,
        id: "rotary",
        title: "Rotary",
        about: "Mean product of equal pairs after rotation. Dashed: its envelope over all angles between them (Su et al. 2021).",
        families: &[],
    },
    Scheme {
        which: SchemeId::TransformerXl,
        id: "transformer-xl",
        title: "Transformer-XL",
        about: "The product of a vector and the sinusoid of the distance, v·W·R, term (d); v and W untrained (Dai et al. 2019).",
        families: &[],
    },
    Scheme {
        which: SchemeId::Deberta,
        id: "deberta",
        title: "DeBERTa",
        about: "The product of content and the embedding of the distance’s bucket (He et al. 2021).",
        families: &["DeBERTa"],
    },
];

/// Scheme of an open model's profile: that of its family if positions are scores by offset, else [`SchemeId::Learned`].
#[must_use]
pub fn scheme_of(family: &str, kind: PositionKind) -> SchemeId {
    SCHEMES
        .iter()
        .find(|scheme| kind == PositionKind::Line && scheme.families.contains(&family))
        .map_or(SchemeId::Learned, |scheme| scheme.which)
}

/// Data of the page that schemes use.
#[derive(Debug, Clone, Copy)]
pub struct ProfileInputs<'a> {
    /// Kernels of the kernels view.
    pub kernels: &'a Kernels,
    /// Diagonal means of the open model, for offsets −(n−1) … n−1 with the model's own n, and their scheme.
    pub open: Option<(SchemeId, &'a Profile)>,
    /// Diagonal means of the open head.
    pub head: Option<&'a Profile>,
}

/// f(k) of a scheme.
#[derive(Debug, Clone, PartialEq)]
pub struct EncodingProfile {
    /// The scheme.
    pub scheme: &'static Scheme,
    /// f(k); NaN where it is unknown.
    pub f: Profile,
    /// A bound on f, if the scheme has one worth drawing.
    pub envelope: Option<Profile>,
    /// Origin of the numbers.
    pub source: ProfileSource,
}

/// Origin of a profile's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProfileSource {
    /// A formula without learned numbers.
    Formula,
    /// The open model or head.
    Open,
    /// A scheme with untrained numbers.
    Untrained,
}

/// Width of the vectors in Shaw's untrained form: the width of a head in the paper.
const HEAD_WIDTH: usize = 64;

/// f(k) of a scheme; `None` if it needs a model or head and none is open.
#[must_use]
pub fn encoding_profile(
    scheme: &'static Scheme,
    parameters: &EncodingParameters,
    inputs: &ProfileInputs<'_>,
) -> Option<EncodingProfile> {
    let n = parameters.n;
    let build = |f, source| EncodingProfile {
        scheme,
        f: Profile::new(f),
        envelope: None,
        source,
    };
    let open = inputs.open.filter(|(which, _)| *which == scheme.which);
    if let Some((_, f)) = open {
        return Some(build(cut_or_pad(f, n), ProfileSource::Open));
    }
    let formula = |f| Some(build(f, ProfileSource::Formula));
    let untrained = |f| Some(build(f, ProfileSource::Untrained));
    match scheme.which {
        SchemeId::Learned => None,
        SchemeId::Head => Some(build(cut_or_pad(inputs.head?, n), ProfileSource::Open)),
        SchemeId::Sinusoidal => formula(sinusoid(parameters).profile()),
        SchemeId::Tisa => formula(inputs.kernels.scores(n).profile().to_vec()),
        SchemeId::Alibi => formula(parameters.alibi.profile(n)),
        SchemeId::Rotary => {
            let rotary = Rotary {
                rows: n,
                ..parameters.rotary
            };
            let profile = rotary.profile(parameters.scaling);
            Some(EncodingProfile {
                envelope: Some(Profile::new(profile.envelope)),
                ..build(profile.mean, ProfileSource::Formula)
            })
        }
        SchemeId::TransformerXl => untrained(
            TransformerXl {
                sinusoid: sinusoid(parameters),
                seed: parameters.seed,
            }
            .profile(),
        ),
        SchemeId::T5 => {
            let buckets = parameters.buckets;
            let scores = scores(parameters, buckets.count(), |row| {
                row % buckets.buckets_of_direction()
            });
            untrained(buckets.profile(&scores, n))
        }
        SchemeId::Shaw => {
            let shaw = parameters.shaw;
            let scores = match parameters.untrained_values {
                UntrainedValues::Steps => (0..shaw.rows())
                    .map(|row| -(row.abs_diff(shaw.reach) as f64))
                    .collect(),
                UntrainedValues::Noise => shaw.untrained_scores(HEAD_WIDTH, parameters.seed),
            };
            untrained(shaw.profile(&scores, n))
        }
        SchemeId::Deberta => {
            let rows = parameters.rows;
            let span = rows.span();
            let scores = scores(parameters, 2 * span, |row| row.abs_diff(span));
            let f = |k| f64::from(scores[rows.c2p_row(k)]);
            untrained(Toeplitz::from_fn(n, f).profile().to_vec())
        }
    }
}

/// f(k) of the requested schemes that have one now, in the order of [`SCHEMES`].
#[must_use]
pub fn encoding_profiles(
    schemes: impl IntoIterator<Item = SchemeId>,
    parameters: &EncodingParameters,
    inputs: &ProfileInputs<'_>,
) -> Vec<EncodingProfile> {
    let requested: Vec<SchemeId> = schemes.into_iter().collect();
    SCHEMES
        .iter()
        .filter(|scheme| requested.contains(&scheme.which))
        .filter_map(|scheme| encoding_profile(scheme, parameters, inputs))
        .collect()
}

/// The sinusoid with n rows.
fn sinusoid(parameters: &EncodingParameters) -> Sinusoidal {
    Sinusoidal {
        rows: parameters.n,
        ..parameters.sinusoid
    }
}

/// Scores of the rows of an untrained table; `number` is the distance of a row from that of k = 0.
fn scores(
    parameters: &EncodingParameters,
    rows: usize,
    number: impl Fn(usize) -> usize,
) -> Vec<f32> {
    match parameters.untrained_values {
        UntrainedValues::Steps => (0..rows).map(|row| -(number(row) as f32)).collect(),
        UntrainedValues::Noise => {
            let seed = parameters.seed;
            let table = Random {
                rows,
                width: 1,
                seed,
            }
            .table();
            table.into_iter().collect()
        }
    }
}

/// A profile for n positions: cut, or padded with NaN.
fn cut_or_pad(f: &Profile, n: usize) -> Vec<f64> {
    Profile::from_fn(n, |k| f.at(k).unwrap_or(f64::NAN)).into()
}

impl EncodingProfile {
    /// f(k), or `None` where it is unknown.
    #[must_use]
    pub fn at(&self, k: i64) -> Option<f64> {
        self.f.at(k).filter(|value| value.is_finite())
    }

    /// Scaling that makes f comparable over the offsets `shown`.
    #[must_use]
    pub fn scaling(&self, offsets: RangeInclusive<i64>) -> ProfileScaling {
        let values = self.f.by_offset().filter(|(k, _)| offsets.contains(k));
        let (low, high) = values
            .map(|(_, value)| value)
            .filter(|value| value.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        ProfileScaling {
            zero: self.at(0).unwrap_or(0.0),
            range: if high > low { high - low } else { 1.0 },
        }
    }
}

/// Maps f(k) to (f(k) − f(0)) / (max f − min f), with the extremes over the offsets shown. Every scheme is then zero at
/// offset 0 and spans 1. Softmax ignores a constant, and a factor changes only its sharpness.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProfileScaling {
    /// f(0).
    pub zero: f64,
    /// max f − min f, or 1 where f is constant.
    pub range: f64,
}

impl ProfileScaling {
    /// The scaled value.
    #[must_use]
    pub fn apply(self, value: f64) -> f64 {
        (value - self.zero) / self.range
    }
}
