//! A function of the offset: one value per diagonal of an n×n matrix.

use super::{AttentionMask, diagonal_cells, offsets};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::ops::{Deref, Range};

/// The values f(−(n−1)) … f(n−1), one per diagonal of an n×n matrix.
///
/// Dereferences to the slice of its values. Methods convert between offsets and indices of that slice.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// 2n − 1 values.
    f: Vec<f64>,
}

impl Profile {
    /// From the values at the offsets −(n−1) … n−1.
    ///
    /// # Panics
    /// If the number of values is even.
    #[must_use]
    pub fn new(f: Vec<f64>) -> Self {
        assert!(f.len() % 2 == 1, "a profile has 2n − 1 offsets");
        Self { f }
    }

    /// Evaluates a function at the offsets of max(n, 1) positions.
    #[must_use]
    pub fn from_fn(n: usize, f: impl FnMut(i64) -> f64) -> Self {
        Self::new(offsets(n.max(1)).map(f).collect())
    }

    /// Number of positions.
    #[must_use]
    pub fn n(&self) -> usize {
        self.f.len().div_ceil(2)
    }

    /// The first offset, −(n−1).
    #[must_use]
    pub fn first(&self) -> i64 {
        self.offsets().start
    }

    /// All offsets, −(n−1) … n−1.
    #[must_use]
    pub fn offsets(&self) -> Range<i64> {
        offsets(self.n())
    }

    /// f(k); `None` unless −n < k < n.
    #[must_use]
    pub fn at(&self, k: i64) -> Option<f64> {
        let index = usize::try_from(k.checked_sub(self.first())?).ok()?;
        self.f.get(index).copied()
    }

    /// Iterates over offsets and their values.
    pub fn by_offset(
        &self,
    ) -> impl ExactSizeIterator<Item = (i64, f64)> + DoubleEndedIterator + '_ {
        let first = self.first();
        (self.f.iter().enumerate()).map(move |(index, &f)| (first + index as i64, f))
    }

    /// Number of cells on the diagonal at an offset.
    #[must_use]
    pub fn cells(&self, k: i64) -> usize {
        diagonal_cells(self.n(), k)
    }

    /// The values, in the order of the offsets.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.f
    }

    /// The values at the offsets −(n−1) … 0, which a causal model uses.
    #[must_use]
    pub fn lookback(&self) -> &[f64] {
        &self.f[..self.n()]
    }

    /// Maximum minus minimum of the finite values at visible offsets; 0 if there are none.
    #[must_use]
    pub fn span(&self, cells: AttentionMask) -> f64 {
        let values = match cells {
            AttentionMask::Whole => self.values(),
            AttentionMask::Causal => self.lookback(),
        };
        let finite = values.iter().filter(|value| value.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| {
            (low.min(v), high.max(v))
        });
        (high - low).max(0.0)
    }

    /// Computes a new profile from each offset and its value.
    #[must_use]
    pub fn map(&self, mut f: impl FnMut(i64, f64) -> f64) -> Self {
        Self {
            f: self.by_offset().map(|(k, value)| f(k, value)).collect(),
        }
    }
}

impl Deref for Profile {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.f
    }
}

impl<'a> IntoIterator for &'a Profile {
    type Item = &'a f64;
    type IntoIter = std::slice::Iter<'a, f64>;

    fn into_iter(self) -> Self::IntoIter {
        self.f.iter()
    }
}

impl From<Profile> for Vec<f64> {
    fn from(profile: Profile) -> Self {
        profile.f
    }
}

// Serialised as a list of numbers; its length gives the number of positions.
impl Serialize for Profile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.f.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Profile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let f = Vec::<f64>::deserialize(deserializer)?;
        if f.len() % 2 == 1 {
            Ok(Self { f })
        } else {
            Err(D::Error::custom("a profile has an odd number of values"))
        }
    }
}
