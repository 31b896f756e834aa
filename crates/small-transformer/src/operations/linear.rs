//! Linear maps: y = x·Wᵀ + b, with W \[out, in\] as in PyTorch.

use super::product::product;
use crate::{
    Real,
    parameters::{LearningGroup, ParameterLayout, ParameterRange, StartValues},
    real::add,
};
use gemmkit::{MatMut, MatRef};

/// A linear map with a bias.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linear {
    weight: ParameterRange,
    bias: ParameterRange,
    inputs: usize,
    outputs: usize,
}

impl Linear {
    /// The map `name`. Its weights start with variance 1/in, so that y starts as large as x; the bias starts at zero.
    pub(crate) fn new(
        layout: &mut ParameterLayout,
        name: &str,
        inputs: usize,
        outputs: usize,
    ) -> Self {
        let deviation = (inputs as f64).sqrt().recip();
        let (weight, bias) = (format!("{name}.weight"), format!("{name}.bias"));
        let start = StartValues::Normal(deviation);
        Self {
            weight: layout.add(&weight, &[outputs, inputs], start, LearningGroup::Matrix),
            bias: layout.add(
                &bias,
                &[outputs],
                StartValues::Constant(0.0),
                LearningGroup::Vector,
            ),
            inputs,
            outputs,
        }
    }

    /// y \[rows, out\] from x \[rows, in\].
    pub(crate) fn forward<T: Real>(&self, weights: &[T], x: &[T], y: &mut [T]) {
        let rows = x.len() / self.inputs;
        for row in y.chunks_exact_mut(self.outputs) {
            row.copy_from_slice(self.bias.of(weights));
        }
        let x = MatRef::from_row_major(x, rows, self.inputs);
        let w = MatRef::from_col_major(self.weight.of(weights), self.inputs, self.outputs);
        product(
            MatMut::from_row_major(y, rows, self.outputs),
            x,
            w,
            T::ONE,
            T::ONE,
        );
    }

    /// Adds to the gradients of x and of the weights: ∂x += ∂y·W, ∂W += ∂yᵀ·x, ∂b += Σ rows of ∂y.
    pub(crate) fn backward<T: Real>(
        &self,
        weights: &[T],
        x: &[T],
        dy: &[T],
        dx: &mut [T],
        gradients: &mut [T],
    ) {
        let rows = x.len() / self.inputs;
        for row in dy.chunks_exact(self.outputs) {
            add(self.bias.of_mut(gradients), row);
        }
        let x = MatRef::from_row_major(x, rows, self.inputs);
        let dy_transposed = MatRef::from_col_major(dy, self.outputs, rows);
        let dw = MatMut::from_row_major(self.weight.of_mut(gradients), self.outputs, self.inputs);
        product(dw, dy_transposed, x, T::ONE, T::ONE);
        let w = MatRef::from_row_major(self.weight.of(weights), self.outputs, self.inputs);
        let dy = MatRef::from_row_major(dy, rows, self.outputs);
        product(
            MatMut::from_row_major(dx, rows, self.inputs),
            dy,
            w,
            T::ONE,
            T::ONE,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::Linear;
    use crate::{
        gradient_check::{check, numbers},
        parameters::ParameterLayout,
    };

    #[test]
    fn gradients_are_central_differences() {
        for (rows, inputs, outputs) in [(1, 1, 1), (3, 5, 2), (70, 3, 66)] {
            let mut layout = ParameterLayout::default();
            let map = Linear::new(&mut layout, "map", inputs, outputs);
            let split = rows * inputs;
            let arguments = numbers(split + layout.len());
            let sides = numbers(rows * outputs);
            check(
                &arguments,
                |arguments| {
                    let (x, weights) = arguments.split_at(split);
                    let mut y = vec![0.0; rows * outputs];
                    map.forward(weights, x, &mut y);
                    y.iter().zip(&sides).map(|(y, side)| y * side).sum()
                },
                |arguments, gradient| {
                    let (x, weights) = arguments.split_at(split);
                    let (dx, gradients) = gradient.split_at_mut(split);
                    map.backward(weights, x, &sides, dx, gradients);
                },
            );
        }
    }
}
