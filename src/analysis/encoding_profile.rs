//! Contribution of each position encoding to a score, as one function f(k) of the offset.
//!
//! The schemes differ in kind; [`Scheme::about`] says what f is: an inner product of position rows, a bias or a mean.
//! Learned numbers come from the open model; without one, the scheme is shown untrained and marked as such. Softmax
//! ignores a constant added to all scores, and so does the figure of several schemes: see [`ProfileScaling`].

use super::{EncodingParameters, SCHEMES, Scheme, SchemeId, UntrainedValues};
use crate::{
    encoding::{FireFunction, Kernels, Pope, Random, Rotary, Sinusoidal, TransformerXl},
    math::{Profile, Toeplitz},
};
use std::ops::RangeInclusive;

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
    /// A second line, drawn dashed.
    pub second: Option<SecondLine>,
    /// Where scores depend on the query’s position, too.
    pub by_row: Option<RowDependence>,
    /// Origin of the numbers.
    pub source: ProfileSource,
}

/// A line beside a scheme’s f.
#[derive(Debug, Clone, PartialEq)]
pub struct SecondLine {
    /// Its place in the name of a column, `rotary_envelope`.
    pub name: &'static str,
    /// Its values by offset; NaN where there is none.
    pub values: Profile,
}

/// A scheme whose scores are no function of the offset alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowDependence {
    /// Position of the query whose scores f is.
    pub row: usize,
    /// Share of the variance of all scores that the offset explains.
    pub r2: f64,
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
        second: None,
        by_row: None,
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
        SchemeId::Rotary => Some(rotary(scheme, parameters, parameters.rotary.width)),
        SchemeId::PartialRotary => Some(rotary(scheme, parameters, parameters.rotary_columns)),
        SchemeId::NoPositions => formula(vec![0.0; (2 * n).saturating_sub(1)]),
        SchemeId::Kerple => untrained(parameters.kerple.profile(n)),
        SchemeId::Fire => Some(fire(scheme, parameters)),
        SchemeId::Pope => {
            let Rotary { width, base, .. } = parameters.rotary;
            let pope = match parameters.untrained_values {
                UntrainedValues::Steps => Pope::new(width, base),
                UntrainedValues::Noise => Pope::with_random_shifts(width, base, parameters.seed),
            };
            untrained(pope.profile(n))
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

/// The mean rotated product of a head with so many rotated columns, and its envelope.
fn rotary(
    scheme: &'static Scheme,
    parameters: &EncodingParameters,
    rotated: usize,
) -> EncodingProfile {
    let head = Rotary {
        rows: parameters.n,
        ..parameters.rotary
    };
    let profile = head.profile(&head.angles(rotated, parameters.extension.clone()));
    EncodingProfile {
        scheme,
        f: Profile::new(profile.mean),
        second: Some(SecondLine {
            name: "envelope",
            values: Profile::new(profile.envelope),
        }),
        by_row: None,
        source: ProfileSource::Formula,
    }
}

/// The scores of one query of FIRE, and the diagonal means of its matrix.
fn fire(scheme: &'static Scheme, parameters: &EncodingParameters) -> EncodingProfile {
    let (n, row) = (parameters.n, parameters.fire_row);
    let f = match parameters.untrained_values {
        UntrainedValues::Steps => FireFunction::falling_line(),
        UntrainedValues::Noise => FireFunction::with_random_weights(parameters.seed),
    };
    let scores = parameters.fire.scores(&f, n, row);
    EncodingProfile {
        scheme,
        f: Profile::new(scores.row),
        second: Some(SecondLine {
            name: "mean",
            values: Profile::new(scores.mean),
        }),
        by_row: Some(RowDependence {
            row: row.min(n.saturating_sub(1)),
            r2: scores.r2,
        }),
        source: ProfileSource::Untrained,
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
