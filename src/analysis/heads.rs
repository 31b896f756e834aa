//! Summary of every head: how Toeplitz its positional scores F̂_P are, and where they peak.

use crate::math::{AttentionMask, NoR2, Plans, Profile, Scores, SoftmaxR2, Tile, Window};
use serde::{Deserialize, Serialize};
use std::{collections::HashMap, sync::Arc};

/// Maximum number of blocks per side of a thumbnail.
const THUMBNAIL: usize = 48;

/// Data of one cell of the head grid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadSummary {
    /// Layer from 0.
    pub layer: usize,
    /// Head from 0.
    pub head: usize,
    /// Toeplitz R² over all cells; NaN if undefined, see [`Self::no_r2`].
    pub r2: f64,
    /// Toeplitz R² over the cells j ≤ i.
    pub causal_r2: f64,
    /// R² in two dimensions, if positions are patches of an image.
    pub r2_2d: Option<f64>,
    /// R² after each row's mean, which softmax ignores, is subtracted; `None` if scores depend on the offset alone.
    pub softmax_r2: Option<SoftmaxR2>,
    /// Offset at which the profile is highest, see [`peak_offset`].
    pub peak_offset: i64,
    /// The same among the offsets k ≤ 0.
    pub causal_peak_offset: i64,
    /// The matrix as block means.
    pub thumbnail: Tile,
}

impl HeadSummary {
    /// Summarises the scores of a head.
    #[must_use]
    pub fn new(scores: &Scores, layer: usize, head: usize, plans: &Plans) -> Self {
        let fits = scores.fits(plans);
        Self {
            layer,
            head,
            r2: fits.fit.r2,
            causal_r2: fits.causal_r2(),
            softmax_r2: fits.softmax_r2(),
            r2_2d: fits.grid_fit.map(|fit| fit.r2),
            peak_offset: peak_offset(&fits.fit.f, AttentionMask::Whole),
            causal_peak_offset: peak_offset(&fits.fit.f, AttentionMask::Causal),
            thumbnail: scores.tile(Window::whole(scores.n(), scores.n()), THUMBNAIL),
        }
    }

    /// Toeplitz R² under a mask. Without causality it is in two dimensions if positions are patches of an image.
    #[must_use]
    pub fn r2_over(&self, cells: AttentionMask) -> f64 {
        match cells {
            AttentionMask::Whole => self.r2_2d.unwrap_or(self.r2),
            AttentionMask::Causal => self.causal_r2,
        }
    }

    /// The reason why R² under a mask is undefined; `None` if it is defined.
    #[must_use]
    pub fn no_r2(&self, cells: AttentionMask) -> Option<NoR2> {
        let is_finite = || self.thumbnail.values.iter().all(|score| score.is_finite());
        match self.r2_over(cells) {
            r2 if !r2.is_nan() => None,
            _ if is_finite() => Some(NoR2::NothingVaries),
            _ => Some(NoR2::NotFinite),
        }
    }

    /// Offset at which the profile is highest under a mask.
    #[must_use]
    pub fn peak_over(&self, cells: AttentionMask) -> i64 {
        match cells {
            AttentionMask::Whole => self.peak_offset,
            AttentionMask::Causal => self.causal_peak_offset,
        }
    }
}

/// R² of a head's scores, weighted by attention.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WeightedHeadR2 {
    /// Layer, from 0.
    pub layer: usize,
    /// Head of the layer, from 0.
    pub head: usize,
    /// R²; NaN if undefined.
    pub r2: f64,
}

/// R² by which heads are labelled and ranked.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum HeadR2 {
    /// Toeplitz R² of the scores.
    #[default]
    Scores,
    /// R² after each row's mean, which softmax ignores, is subtracted; that of the scores where they depend on the offset
    /// alone.
    WithoutRowMeans,
    /// R² weighted by attention, by layer and head. Heads that are not listed have none yet.
    WeightedByAttention(Arc<HashMap<(usize, usize), f64>>),
}

impl HeadR2 {
    /// R² weighted by attention, as the answers of [`super::HeadAttentionR2`] list it.
    #[must_use]
    pub fn from_weighted(heads: &[WeightedHeadR2]) -> Self {
        let by_place = heads.iter().map(|head| ((head.layer, head.head), head.r2));
        Self::WeightedByAttention(Arc::new(by_place.collect()))
    }

    /// R² of a head under a mask; NaN if undefined. A weighted one is under the mask with which it was computed.
    #[must_use]
    pub fn of_head(&self, head: &HeadSummary, cells: AttentionMask) -> f64 {
        match self {
            Self::Scores => head.r2_over(cells),
            Self::WithoutRowMeans => match head.softmax_r2 {
                Some(r2) => r2.over(cells),
                None => head.r2_over(cells),
            },
            Self::WeightedByAttention(of_heads) => {
                let r2 = of_heads.get(&(head.layer, head.head));
                r2.copied().unwrap_or(f64::NAN)
            }
        }
    }
}

/// The offset with the greatest diagonal mean, among diagonals with at least half as many cells as the main one:
/// farther out, a mean over few cells is high by chance.
#[must_use]
pub fn peak_offset(f: &Profile, cells: AttentionMask) -> i64 {
    let reach = f.n() as i64 / 2;
    let last = match cells {
        AttentionMask::Whole => reach,
        AttentionMask::Causal => 0,
    };
    (-reach..=last)
        .max_by(|&a, &b| {
            // Diagonals without cells have no mean, and the sign of NaN depends on the processor.
            let mean = |k: i64| f.at(k).filter(|mean| !mean.is_nan());
            let at = |k: i64| mean(k).unwrap_or(f64::NEG_INFINITY);
            // Ties go to the offset nearest to zero.
            at(a).total_cmp(&at(b)).then(b.abs().cmp(&a.abs()))
        })
        .unwrap_or(0)
}
