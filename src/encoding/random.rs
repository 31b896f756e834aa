//! Rows of independent normal numbers, the noise baseline. They identify a position but not where it is.
//!
//! Their inner products still have an R² of about d/(d+n), all of it from the main diagonal. Off the diagonal nothing
//! depends on the offset.

use super::description::Encoding;
use crate::math::normal_number;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

pub(super) const ENCODING: Encoding = Encoding {
    id: "random",
    about: "Independent random rows: the noise baseline.",
};

/// Parameters of a random table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Random {
    /// Number of positions n.
    pub rows: usize,
    /// Width d.
    pub width: usize,
    /// The same seed gives the same table everywhere.
    pub seed: u64,
}

impl Default for Random {
    fn default() -> Self {
        Self {
            rows: 512,
            width: 384,
            seed: 1,
        }
    }
}

impl Random {
    /// The table [n, d]; entries are normal with variance 1/d, so rows have length about 1.
    #[must_use]
    pub fn table(&self) -> Array2<f32> {
        let mut uniform = fastrand::Rng::with_seed(self.seed);
        let scale = (self.width.max(1) as f64).sqrt().recip();
        Array2::from_shape_simple_fn((self.rows, self.width), || {
            normal_number(&mut uniform, scale) as f32
        })
    }
}
