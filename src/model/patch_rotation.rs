//! The rotation of queries and keys by rows and columns of patches: what its angles depend on, in a vision transformer
//! or the vision tower of a larger model.

use super::{ModelError, RotaryPairs, read};
use crate::{
    checkpoint::{TensorInfo, Weights},
    encoding::{PatchAngles, PatchPositions},
    math::Grid,
};

/// Maximum number of learned frequencies, more than any model has.
const MOST_FREQUENCIES: u64 = 1 << 22;
/// Maximum number of stored periods.
const MOST_PERIODS: u64 = 2048;
/// Number of pairs of a head where a tensor of learned frequencies does not divide its columns among heads.
const USUAL_PAIRS: u64 = 32;
/// Maximum number of rows and of columns of patches whose positions are compared.
const MOST_SIDE: usize = 32;
/// Rows and columns of patches whose positions are compared, if no configuration gives them.
const USUAL_SIDE: usize = 16;

/// Rotation of queries and keys by rows and columns of patches.
///
/// It comes from a configuration and the names of tensors, without any numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct PatchRotation {
    /// Number of layers; 0 if neither the configuration nor the names of tensors say it.
    pub layers: usize,
    /// Rows and columns of patches in the configured image; `None` for images of any size.
    pub grid: Option<Grid>,
    /// Source of the angles.
    pub frequencies: PatchFrequencies,
    /// Columns that form a pair.
    pub pairs: RotaryPairs,
}

/// Source of the angles by rows and columns of patches.
#[derive(Clone, Debug, PartialEq)]
pub enum PatchFrequencies {
    /// A formula, for all layers and heads.
    Formula(PatchAngles),
    /// A tensor of periods, [w/4], for all layers and heads: pairs of rows, then pairs of columns (`DINOv3`).
    Periods {
        /// Name of the tensor.
        tensor: String,
        /// Radians of a pair with period 1 for each row and each column of patches.
        steps: [f64; 2],
    },
    /// A learned tensor, [2, layers, heads, w/2]: frequencies of columns, then of rows (RoPE-Mixed).
    Learned(String),
}

/// Frequencies of the pairs of columns in the heads of a layer.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadFrequencies {
    /// Number of heads with frequencies of their own; 1 if all heads share them.
    pub heads: usize,
    /// [θ^y, θ^x] in radians for each row and each column of patches: all pairs of the first head, then of the next.
    pub frequencies: Vec<[f64; 2]>,
}

impl HeadFrequencies {
    /// Number of pairs of a head.
    #[must_use]
    pub fn pairs(&self) -> usize {
        self.frequencies.len() / self.heads.max(1)
    }

    /// [θ^y, θ^x] of the pairs of a head.
    ///
    /// # Panics
    /// If heads have frequencies of their own and there is no such head.
    #[must_use]
    pub fn of_head(&self, head: usize) -> &[[f64; 2]] {
        let at = if self.heads > 1 { head } else { 0 };
        &self.frequencies[at * self.pairs()..][..self.pairs()]
    }
}

impl PatchRotation {
    /// Columns of each pair of a head with so many pairs.
    #[must_use]
    pub fn columns(&self, pairs: usize) -> Vec<(usize, usize)> {
        let columns = |m| match self.pairs {
            RotaryPairs::Halves => (m, m + pairs),
            RotaryPairs::Adjacent => (2 * m, 2 * m + 1),
        };
        (0..pairs).map(columns).collect()
    }

    /// Reads the frequencies of every layer; a single entry if all layers share them.
    ///
    /// # Errors
    /// If a tensor cannot be read, has an impossible shape, or is not finite.
    pub async fn read<W: Weights>(
        &self,
        checkpoint: &W,
    ) -> Result<Vec<HeadFrequencies>, ModelError> {
        match &self.frequencies {
            PatchFrequencies::Formula(angles) => Ok(vec![HeadFrequencies {
                heads: 1,
                frequencies: angles.frequencies(),
            }]),
            PatchFrequencies::Periods { tensor, steps } => {
                let tensor = checkpoint.locate(tensor).await?;
                if !matches!(tensor.shape[..], [1..=MOST_PERIODS]) {
                    return Err(read::wrong_shape(&tensor, "one period per pair".to_owned()));
                }
                let periods = numbers(checkpoint, &tensor).await?;
                let [row, column] = *steps;
                let rows = periods.iter().map(|period| [row / f64::from(*period), 0.0]);
                let columns = periods
                    .iter()
                    .map(|period| [0.0, column / f64::from(*period)]);
                Ok(vec![HeadFrequencies {
                    heads: 1,
                    frequencies: rows.chain(columns).collect(),
                }])
            }
            PatchFrequencies::Learned(tensor) => {
                let tensor = checkpoint.locate(tensor).await?;
                read_learned(checkpoint, &tensor).await
            }
        }
    }

    /// Positions of an image under the frequencies of the first layer, with the pairs of all its heads: the configured
    /// image, or at most its first 32 rows and columns of patches.
    pub(super) async fn positions<W: Weights>(
        &self,
        checkpoint: &W,
    ) -> Result<PatchPositions, ModelError> {
        let first = self.read(checkpoint).await?.into_iter().next();
        let side = |side: usize| side.clamp(1, MOST_SIDE);
        Ok(PatchPositions {
            grid: Grid {
                height: side(self.grid.map_or(USUAL_SIDE, |grid| grid.height)),
                width: side(self.grid.map_or(USUAL_SIDE, |grid| grid.width)),
            },
            frequencies: first.map_or_else(Vec::new, |first| first.frequencies),
        })
    }

    /// Names of the tensors with frequencies.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        match &self.frequencies {
            PatchFrequencies::Formula(_) => Vec::new(),
            PatchFrequencies::Periods { tensor, .. } | PatchFrequencies::Learned(tensor) => {
                vec![tensor.clone()]
            }
        }
    }
}

async fn numbers<W: Weights>(checkpoint: &W, tensor: &TensorInfo) -> Result<Vec<f32>, ModelError> {
    let numbers = checkpoint.read(tensor).await?;
    read::refuse_non_numbers(&numbers, tensor, 0, 1)?;
    Ok(numbers)
}

/// Learned frequencies of every layer.
async fn read_learned<W: Weights>(
    checkpoint: &W,
    tensor: &TensorInfo,
) -> Result<Vec<HeadFrequencies>, ModelError> {
    let refuse = || {
        let expected = "[2, layers, heads, pairs], or [2, layers, pairs of all heads]";
        read::wrong_shape(tensor, expected.to_owned())
    };
    let (layers, heads, columns) = match tensor.shape[..] {
        [2, layers, heads, pairs] => (layers, heads, heads.checked_mul(pairs)),
        [2, layers, columns] => {
            let is_divided = columns % USUAL_PAIRS == 0;
            let heads = if is_divided { columns / USUAL_PAIRS } else { 1 };
            (layers, heads, Some(columns))
        }
        _ => return Err(refuse()),
    };
    let columns = columns.ok_or_else(refuse)?;
    let count = columns.checked_mul(layers).and_then(|n| n.checked_mul(2));
    if count.is_none_or(|count| count == 0 || count > MOST_FREQUENCIES) {
        return Err(refuse());
    }
    let numbers = numbers(checkpoint, tensor).await?;
    let (across, down) = numbers.split_at(numbers.len() / 2);
    let (across, down) = [across, down]
        .map(|half| half.chunks_exact(columns as usize))
        .into();
    let layer = |(across, down): (&[f32], &[f32])| HeadFrequencies {
        heads: heads as usize,
        frequencies: down
            .iter()
            .zip(across)
            .map(|(down, across)| [f64::from(*down), f64::from(*across)])
            .collect(),
    };
    Ok(across.zip(down).map(layer).collect())
}
