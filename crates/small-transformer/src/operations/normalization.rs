//! LayerNorm: every row minus its mean, divided by its standard deviation, scaled and shifted (Ba, Kiros & Hinton 2016).

use crate::{
    Real,
    parameters::{LearningGroup, ParameterLayout, ParameterRange, StartValues},
    real::{dot, grow, sum},
};

/// Added to the variance, as in BERT.
pub(crate) const EPSILON: f64 = 1e-12;

/// A LayerNorm over rows of one width.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Normalization {
    weight: ParameterRange,
    bias: ParameterRange,
    width: usize,
}

/// Numbers of the forward pass that the backward pass needs.
#[derive(Clone, Debug)]
pub(crate) struct NormalizationState<T> {
    /// Rows with mean zero and variance one \[rows, width\].
    standard: Vec<T>,
    /// One over each row's standard deviation.
    inverse: Vec<T>,
}

impl<T: Real> NormalizationState<T> {
    /// Buffers for `rows` rows.
    pub(crate) fn new(rows: usize, width: usize) -> Self {
        Self {
            standard: vec![T::ZERO; rows * width],
            inverse: vec![T::ZERO; rows],
        }
    }

    /// Makes room for `rows` rows, if there is less.
    pub(crate) fn reserve(&mut self, rows: usize, width: usize) {
        grow(&mut self.standard, rows * width);
        grow(&mut self.inverse, rows);
    }
}

impl Normalization {
    /// The norm `name`. It starts without scale or shift.
    pub(crate) fn new(layout: &mut ParameterLayout, name: &str, width: usize) -> Self {
        let mut add = |part: &str, value| {
            let start = StartValues::Constant(value);
            layout.add(
                &format!("{name}.{part}"),
                &[width],
                start,
                LearningGroup::Vector,
            )
        };
        Self {
            weight: add("weight", 1.0),
            bias: add("bias", 0.0),
            width,
        }
    }

    /// y \[rows, width\] from x \[rows, width\].
    pub(crate) fn forward<T: Real>(
        &self,
        weights: &[T],
        x: &[T],
        y: &mut [T],
        state: &mut NormalizationState<T>,
    ) {
        let (scales, shifts) = (self.weight.of(weights), self.bias.of(weights));
        let share = T::from_f64((self.width as f64).recip());
        let rows = x
            .chunks_exact(self.width)
            .zip(y.chunks_exact_mut(self.width));
        let states = state
            .standard
            .chunks_exact_mut(self.width)
            .zip(&mut state.inverse);
        for ((x, y), (standard, inverse)) in rows.zip(states) {
            let mean = sum(x) * share;
            for (standard, x) in standard.iter_mut().zip(x) {
                *standard = *x - mean;
            }
            let variance = (dot(standard, standard) * share).to_f64();
            *inverse = T::from_f64((variance + EPSILON).sqrt().recip());
            let numbers = standard.iter_mut().zip(y).zip(scales.iter().zip(shifts));
            for ((standard, y), (scale, shift)) in numbers {
                *standard *= *inverse;
                *y = *standard * *scale + *shift;
            }
        }
    }

    /// Adds to the gradients of x and of the weights. With g = ∂y∘scale and x̂ the standard rows,
    /// ∂x += (g − mean(g) − x̂·mean(g∘x̂)) / deviation.
    pub(crate) fn backward<T: Real>(
        &self,
        weights: &[T],
        dy: &[T],
        state: &NormalizationState<T>,
        dx: &mut [T],
        gradients: &mut [T],
    ) {
        let scales = self.weight.of(weights);
        let share = T::from_f64((self.width as f64).recip());
        let rows = dy
            .chunks_exact(self.width)
            .zip(dx.chunks_exact_mut(self.width));
        let states = state.standard.chunks_exact(self.width).zip(&state.inverse);
        for ((dy, dx), (standard, inverse)) in rows.zip(states) {
            let scale_gradients = self.weight.of_mut(gradients).iter_mut();
            for (sum, (dy, standard)) in scale_gradients.zip(dy.iter().zip(standard)) {
                *sum += *dy * *standard;
            }
            for (sum, dy) in self.bias.of_mut(gradients).iter_mut().zip(dy) {
                *sum += *dy;
            }
            let mean = dot(dy, scales) * share;
            // Eight sums as in `dot`, of three factors.
            let mut sums = [T::ZERO; 8];
            for (at, ((dy, scale), standard)) in dy.iter().zip(scales).zip(standard).enumerate() {
                sums[at % 8] += *dy * *scale * *standard;
            }
            let along = sums.into_iter().sum::<T>() * share;
            let numbers = dx.iter_mut().zip(standard).zip(dy.iter().zip(scales));
            for ((dx, standard), (dy, scale)) in numbers {
                *dx += (*dy * *scale - mean - *standard * along) * *inverse;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Normalization, NormalizationState};
    use crate::{
        gradient_check::{check, numbers},
        parameters::ParameterLayout,
    };

    #[test]
    fn gradients_are_central_differences() {
        for (rows, width) in [(1, 2), (4, 5), (3, 17)] {
            let mut layout = ParameterLayout::default();
            let norm = Normalization::new(&mut layout, "norm", width);
            let split = rows * width;
            let arguments = numbers(split + layout.len());
            let sides = numbers(split);
            let forward = |arguments: &[f64]| {
                let (x, weights) = arguments.split_at(split);
                let mut state = NormalizationState::new(rows, width);
                let mut y = vec![0.0; split];
                norm.forward(weights, x, &mut y, &mut state);
                (y, state)
            };
            check(
                &arguments,
                |arguments| {
                    let y = forward(arguments).0;
                    y.iter().zip(&sides).map(|(y, side)| y * side).sum()
                },
                |arguments, gradient| {
                    let state = forward(arguments).1;
                    let (dx, gradients) = gradient.split_at_mut(split);
                    norm.backward(&arguments[split..], &sides, &state, dx, gradients);
                },
            );
        }
    }
}
