//! What each way to encode position adds to a score by offset: every scheme as one function f(k).
//!
//! The schemes are not of one kind, and each one's `about` says what f is: an inner product of position rows, a
//! bias, a mean. Learned numbers come from the model that is open; without one the scheme is shown untrained, and
//! says so. Softmax does not see a constant added to all scores, nor does a picture of several schemes: see
//! [`ProfileScaling`].

use super::{EncodingParameters, PositionKind, Untrained};
use crate::{
    encoding::{Kernels, Random, Rotary, Sinusoidal, TransformerXl},
    math::{Profile, Toeplitz},
};
use std::ops::RangeInclusive;

/// A way to encode position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemeId {
    /// Vaswani et al. 2017.
    Sinusoidal,
    /// The open model's position table, or what it has in place of one.
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

/// A scheme, in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scheme {
    /// Which scheme it is.
    pub which: SchemeId,
    /// Short name, stable in links and columns.
    pub id: &'static str,
    /// Name on the page.
    pub title: &'static str,
    /// What f(k) is, in a sentence.
    pub about: &'static str,
    /// Families whose scores by offset are of this scheme.
    families: &'static [&'static str],
}

/// Every scheme, in reading order: what menu, figure, links and tests go through.
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
        about: "Diagonal means of the open model’s position matrix: what a learned table has learned.",
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
        about: "One score a bucket; buckets widen with distance (Raffel et al. 2020).",
        families: &["T5", "MPNet"],
    },
    Scheme {
        which: SchemeId::Shaw,
        id: "shaw",
        title: "Shaw, clipped",
        about: "A query met by the vector of the offset, constant beyond ±K (Shaw et al. 2018).",
        families: &[],
    },
    Scheme {
        which: SchemeId::Rotary,
        id: "rotary",
        title: "Rotary",
        about: "Mean product of equal pairs that are turned; dashed its envelope, over all angles between them (Su et al. 2021).",
        families: &[],
    },
    Scheme {
        which: SchemeId::TransformerXl,
        id: "transformer-xl",
        title: "Transformer-XL",
        about: "A vector met by the sinusoid of the distance, v·W·R, term (d); v and W untrained (Dai et al. 2019).",
        families: &[],
    },
    Scheme {
        which: SchemeId::Deberta,
        id: "deberta",
        title: "DeBERTa",
        about: "Content met by the embedding of the distance’s bucket (He et al. 2021).",
        families: &["DeBERTa"],
    },
];

/// The scheme that an open model's profile belongs to: where it is scores by offset, that of its family.
#[must_use]
pub fn scheme_of(family: &str, kind: PositionKind) -> SchemeId {
    SCHEMES
        .iter()
        .find(|scheme| kind == PositionKind::Line && scheme.families.contains(&family))
        .map_or(SchemeId::Learned, |scheme| scheme.which)
}

/// What is open.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// The kernels of the kernels view.
    pub kernels: &'a Kernels,
    /// The open model's diagonal means, −(n−1) … n−1 for an n of its own, and the scheme they belong to.
    pub open: Option<(SchemeId, &'a Profile)>,
    /// The same of the open head.
    pub head: Option<&'a Profile>,
}

/// f(k) of a scheme.
#[derive(Debug, Clone, PartialEq)]
pub struct EncodingProfile {
    /// The scheme.
    pub scheme: &'static Scheme,
    /// f(k); no number where it is not known.
    pub f: Profile,
    /// A bound on it, where it has one worth drawing.
    pub envelope: Option<Profile>,
    /// Where its numbers come from.
    pub source: ProfileSource,
}

/// Where a profile's numbers come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProfileSource {
    /// A formula without anything learned.
    Formula,
    /// What is open.
    Open,
    /// A form that nobody has trained.
    Untrained,
}

/// Width of the vectors in Shaw's untrained form, a head's in the paper.
const HEAD_WIDTH: usize = 64;

/// f(k) of a scheme; `None` where it is that of a model or head and none is open.
#[must_use]
pub fn encoding_profile(
    scheme: &'static Scheme,
    parameters: &EncodingParameters,
    given: &Given<'_>,
) -> Option<EncodingProfile> {
    let n = parameters.n;
    let made = |f, source| EncodingProfile {
        scheme,
        f: Profile::new(f),
        envelope: None,
        source,
    };
    let open = given.open.filter(|(which, _)| *which == scheme.which);
    if let Some((_, f)) = open {
        return Some(made(fitted(f, n), ProfileSource::Open));
    }
    let formula = |f| Some(made(f, ProfileSource::Formula));
    let untrained = |f| Some(made(f, ProfileSource::Untrained));
    match scheme.which {
        SchemeId::Learned => None,
        SchemeId::Head => Some(made(fitted(given.head?, n), ProfileSource::Open)),
        SchemeId::Sinusoidal => formula(sinusoid(parameters).profile()),
        SchemeId::Tisa => formula(given.kernels.scores(n).profile().to_vec()),
        SchemeId::Alibi => formula(parameters.alibi.profile(n)),
        SchemeId::Rotary => {
            let rotary = Rotary {
                rows: n,
                ..parameters.rotary
            };
            let profile = rotary.profile(parameters.scaling);
            Some(EncodingProfile {
                envelope: Some(Profile::new(profile.envelope)),
                ..made(profile.mean, ProfileSource::Formula)
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
                row % buckets.of_direction()
            });
            untrained(buckets.profile(&scores, n))
        }
        SchemeId::Shaw => {
            let shaw = parameters.shaw;
            let scores = match parameters.untrained {
                Untrained::Steps => (0..shaw.rows())
                    .map(|row| -(row.abs_diff(shaw.reach) as f64))
                    .collect(),
                Untrained::Noise => shaw.untrained(HEAD_WIDTH, parameters.seed),
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

/// f(k) of every scheme that has one now, in order.
#[must_use]
pub fn encoding_profiles(
    schemes: impl IntoIterator<Item = SchemeId>,
    parameters: &EncodingParameters,
    given: &Given<'_>,
) -> Vec<EncodingProfile> {
    let wanted: Vec<SchemeId> = schemes.into_iter().collect();
    SCHEMES
        .iter()
        .filter(|scheme| wanted.contains(&scheme.which))
        .filter_map(|scheme| encoding_profile(scheme, parameters, given))
        .collect()
}

/// The sinusoid over n positions.
fn sinusoid(parameters: &EncodingParameters) -> Sinusoidal {
    Sinusoidal {
        rows: parameters.n,
        ..parameters.sinusoid
    }
}

/// Scores of the rows of a table that nobody has trained; `number` counts a row from that of k = 0.
fn scores(
    parameters: &EncodingParameters,
    rows: usize,
    number: impl Fn(usize) -> usize,
) -> Vec<f32> {
    match parameters.untrained {
        Untrained::Steps => (0..rows).map(|row| -(number(row) as f32)).collect(),
        Untrained::Noise => {
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

/// A profile of one length for another: cut, or without numbers beyond its own.
fn fitted(f: &Profile, n: usize) -> Vec<f64> {
    Profile::from_fn(n, |k| f.at(k).unwrap_or(f64::NAN)).into()
}

impl EncodingProfile {
    /// f(k), where it is known.
    #[must_use]
    pub fn at(&self, k: i64) -> Option<f64> {
        self.f.at(k).filter(|value| value.is_finite())
    }

    /// How f is made comparable among the offsets `shown`.
    #[must_use]
    pub fn scaled(&self, shown: RangeInclusive<i64>) -> ProfileScaling {
        let values = self.f.by_offset().filter(|(k, _)| shown.contains(k));
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

/// (f(k) − f(0)) / (max f − min f) over the offsets that are shown: every scheme passes through 0 at k = 0 and
/// spans one, since softmax sees neither a constant nor, but for its sharpness, a factor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProfileScaling {
    /// f(0).
    pub zero: f64,
    /// max f − min f, or 1 where f is constant.
    pub range: f64,
}

impl ProfileScaling {
    /// A value, made comparable.
    #[must_use]
    pub fn of(self, value: f64) -> f64 {
        (value - self.zero) / self.range
    }
}
