//! Maps from states to the outputs of heads: W_V·W_O of every head, as products among them.

use ndarray::{Array2, ArrayView2, s};

use super::{
    ForwardError, ForwardPass,
    position_weights::key_head,
    score_weights::map_tensors,
    tensor_numbers::{TensorNumbers, misfit},
};
use crate::{checkpoint::Weights, math::matrix_product::product, model::Cut};

/// Inner products of the maps W_V·W_O of the heads of a layer, [heads, heads]: sums over all cells of two maps.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadOutputProducts(pub Array2<f64>);

impl ForwardPass {
    /// Reads values and output of a layer, and multiplies the maps of its heads with one another.
    ///
    /// # Errors
    /// If there is no such layer, the file has no values or no output of it, or a tensor does not fit, cannot be read, or is
    /// not finite.
    pub async fn read_output_products<W: Weights>(
        &self,
        checkpoint: &W,
        layer: usize,
        pause: &impl AsyncFn(),
    ) -> Result<HeadOutputProducts, ForwardError> {
        let block = self.block(layer)?;
        let sizes = self.check_scores(checkpoint, block).await?;
        let attention = &block.attention;
        let maps = [&attention.value, &attention.output].into_iter();
        let tensors: Vec<(&str, Cut)> = maps.flat_map(map_tensors).collect();
        if !tensors.iter().all(|(name, _)| checkpoint.has(name)) {
            return Err(ForwardError::NoOutputs { layer });
        }
        let mut numbers = TensorNumbers::read(checkpoint, &tensors, pause).await?;
        let value = numbers.take_map(&attention.value, sizes.heads)?.weight;
        let output = numbers.take_map(&attention.output, sizes.heads)?.weight;
        let (heads, key_heads) = (sizes.heads, sizes.key_heads);
        let width = output.nrows() / heads.max(1);
        if output.nrows() != heads * width || width == 0 {
            return Err(misfit(&attention.output.weight));
        }
        if value.ncols() != key_heads * width {
            return Err(misfit(&attention.value.weight));
        }
        pause().await;
        // ⟨V_g·O_g, V_h·O_h⟩ is the sum over the cells of V_gᵀ·V_h times those of O_g·O_hᵀ.
        let values = product(value.t(), value.view(), 1.0);
        pause().await;
        let outputs = product(output.view(), output.t(), 1.0);
        let block = |all: &Array2<f32>, (row, column): (usize, usize)| {
            let cells = s![
                row * width..(row + 1) * width,
                column * width..(column + 1) * width
            ];
            all.slice(cells).to_owned()
        };
        let products = Array2::from_shape_fn((heads, heads), |(g, h)| {
            let of_values = (key_head(g, heads, key_heads), key_head(h, heads, key_heads));
            cell_product(
                block(&values, of_values).view(),
                block(&outputs, (g, h)).view(),
            )
        });
        Ok(HeadOutputProducts(products))
    }
}

/// Sum of the products of equal cells.
fn cell_product(a: ArrayView2<'_, f32>, b: ArrayView2<'_, f32>) -> f64 {
    let cells = a.iter().zip(b);
    cells.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

impl HeadOutputProducts {
    /// Number of heads.
    #[must_use]
    pub fn heads(&self) -> usize {
        self.0.nrows()
    }

    /// Frobenius norm of Σ a_h·W_V·W_O over the heads, and the share of each head in its square; shares add up to 1, and
    /// one of them may be negative. NaN shares if the norm is 0.
    ///
    /// # Panics
    /// If there is not one factor a_h for each head.
    #[must_use]
    pub fn weighted_norm(&self, factors: &[f64]) -> (f64, Vec<f64>) {
        assert_eq!(factors.len(), self.heads(), "one factor for each head");
        let rows = self.0.rows().into_iter().zip(factors);
        let parts = rows.map(|(row, factor)| {
            let sum: f64 = row.iter().zip(factors).map(|(p, a)| p * a).sum();
            factor * sum
        });
        let parts: Vec<f64> = parts.collect();
        // Rounding can give a value slightly below 0.
        let square = parts.iter().sum::<f64>().max(0.0);
        let shares = parts.iter().map(|part| part / square);
        (square.sqrt(), shares.collect())
    }
}
