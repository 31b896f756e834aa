//! A head whose keys are turned so that it attends some tokens further.

use super::{HeadInput, head::peak_within};
use crate::math::{NoWaves, Profile, WaveSpan, matrix_product::product};
use ndarray::{Array2, ArrayView2, Axis, s};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Numbers of tokens by which a head is made to attend further; negative towards earlier tokens.
pub const RETARGET_SHIFTS: RangeInclusive<i64> = -8..=8;

/// Greatest |offset| of the attention that is drawn.
pub const RETARGET_REACH: i64 = 24;

/// A head as it is, and with keys that are turned by each of [`RETARGET_SHIFTS`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Retargeting {
    /// Number of positions over which attention is averaged.
    pub n: usize,
    /// Name in the file of the tensor with the keys' weights.
    pub tensor: String,
    /// Number of directions in which positions are turned.
    pub directions: usize,
    /// Share of the variance of the positions that these directions hold.
    pub variance: f64,
    /// Share of the variance of the scores along rows that the rotation moves.
    pub score_share: f64,
    /// By shift, in ascending order. Shifts of half the positions or more are left out.
    pub shifts: Vec<RetargetedHead>,
}

/// The attention of a head with turned keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RetargetedHead {
    /// Number of tokens by which the head is to attend further.
    pub shift: i64,
    /// Size of the difference between the turned keys and the keys `shift` tokens before, relative to the latter, without
    /// means; see [`TurnedKey`].
    pub error: f64,
    /// Share of attention at the offsets −[`RETARGET_REACH`] … [`RETARGET_REACH`], or as far as there are positions.
    pub shares: Vec<f64>,
    /// Offset with the greatest share.
    pub peak: i64,
    /// Share there.
    pub peak_share: f64,
}

impl RetargetedHead {
    /// The head, from its share of attention by offset.
    #[must_use]
    pub fn new(shift: i64, error: f64, share: &Profile) -> Self {
        let reach = RETARGET_REACH.min(share.n() as i64 - 1);
        let peak = peak_within(share, share.n());
        let at = |k: i64| share.at(k).unwrap_or(0.0);
        Self {
            shift,
            error,
            shares: (-reach..=reach).map(at).collect(),
            peak,
            peak_share: at(peak),
        }
    }
}

impl Retargeting {
    /// The head as it is.
    #[must_use]
    pub fn original(&self) -> Option<&RetargetedHead> {
        self.at(0)
    }

    /// The head with a shift.
    #[must_use]
    pub fn at(&self, shift: i64) -> Option<&RetargetedHead> {
        self.shifts.iter().find(|head| head.shift == shift)
    }
}

/// Weights of keys that are turned in the space of the positions' waves.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnedKey {
    /// `W_K`' of the head, [d, `d_k`].
    pub weight: Array2<f32>,
    /// The keys of all positions without bias, [n, `d_k`].
    pub keys: Array2<f32>,
    /// Root of the sum of squares of `k'_p` − `k_{p−Δ}`, relative to that of `k_{p−Δ}`, both without their mean over the
    /// positions that are met: softmax ignores what all keys have in common.
    pub error: f64,
}

impl TurnedKey {
    /// Turns the keys of a head so that it attends `shift` tokens further.
    ///
    /// # Errors
    /// As [`WaveSpan::shift`].
    pub fn compute(span: &WaveSpan, head: HeadInput<'_>, shift: i64) -> Result<Self, NoWaves> {
        let turn = span.shift(shift)?;
        let weight = match shift {
            0 => head.key.to_owned(),
            _ => span.turn(head.key, &turn),
        };
        let before = product(head.states, head.key, 1.0);
        let keys = product(head.states, weight.view(), 1.0);
        let (n, distance) = (keys.nrows(), shift.unsigned_abs() as usize);
        let (early, late) = (s![..n - distance, ..], s![distance.., ..]);
        let (turned, target) = if shift > 0 {
            (keys.slice(late), before.slice(early))
        } else {
            (keys.slice(early), before.slice(late))
        };
        let (turned, target) = (without_mean(turned), without_mean(target));
        let size = |m: &Array2<f64>| m.iter().map(|v| v * v).sum::<f64>().sqrt();
        Ok(Self {
            error: size(&(&turned - &target)) / size(&target).max(f64::MIN_POSITIVE),
            weight,
            keys,
        })
    }
}

fn without_mean(rows: ArrayView2<'_, f32>) -> Array2<f64> {
    let rows = rows.mapv(f64::from);
    let mean = rows.mean_axis(Axis(0));
    mean.map_or_else(|| rows.clone(), |mean| &rows - &mean)
}
