//! AdamW (Kingma & Ba 2015; Loshchilov & Hutter 2019) with warm-up, a cosine to a tenth, and a limit to gradients.

use crate::{Real, parameters::ParameterLayout, real::dot};
use std::f64::consts::PI;

/// Share of the old mean gradient and of the old mean square that each step keeps.
const BETAS: (f64, f64) = (0.9, 0.98);

/// Added to the root of the mean square.
const EPSILON: f64 = 1e-8;

/// Greatest norm of the gradient of all parameters; longer gradients are shortened to it.
const GREATEST_NORM: f64 = 1.0;

/// Greatest number of steps of warm-up, which the post-norm architecture needs; a tenth of short runs.
const WARM_UP: u32 = 100;

/// Learning rate at the end, in peak rates.
const LAST_RATE: f64 = 0.1;

/// The moments of every parameter's gradient.
#[derive(Clone, Debug)]
pub(crate) struct AdamW<T> {
    mean: Vec<T>,
    square: Vec<T>,
    step: u32,
    steps: u32,
}

/// Learning rate at a step (from 1) of a run of `steps`, in peak rates.
pub(crate) fn rate(step: u32, steps: u32) -> f64 {
    let warm_up = WARM_UP.min(steps.div_ceil(10));
    if step <= warm_up {
        return f64::from(step) / f64::from(warm_up);
    }
    let share = f64::from(step - warm_up) / f64::from((steps - warm_up).max(1));
    LAST_RATE + (1.0 - LAST_RATE) * 0.5 * (1.0 + (PI * share.min(1.0)).cos())
}

impl<T: Real> AdamW<T> {
    /// Moments of zero, for a run of `steps` steps.
    pub(crate) fn new(layout: &ParameterLayout, steps: u32) -> Self {
        Self {
            mean: vec![T::ZERO; layout.len()],
            square: vec![T::ZERO; layout.len()],
            step: 0,
            steps,
        }
    }

    /// Changes the weights by one step along the gradients.
    pub(crate) fn step(&mut self, layout: &ParameterLayout, weights: &mut [T], gradients: &[T]) {
        self.step += 1;
        let norm = dot(gradients, gradients).to_f64().sqrt();
        let clip = T::from_f64(GREATEST_NORM / norm.max(GREATEST_NORM));
        let rate = rate(self.step, self.steps);
        let bias = |beta: f64| 1.0 - beta.powi(self.step as i32);
        let (mean_bias, square_bias) = (bias(BETAS.0), bias(BETAS.1));
        let [keep_mean, keep_square] = [BETAS.0, BETAS.1].map(T::from_f64);
        let [add_mean, add_square] = [1.0 - BETAS.0, 1.0 - BETAS.1].map(T::from_f64);
        let inverse_bias = T::from_f64(square_bias.recip());
        let epsilon = T::from_f64(EPSILON);
        for entry in layout.entries() {
            let rate = rate * entry.group.peak_rate();
            let step = T::from_f64(rate / mean_bias);
            let decay = T::from_f64(1.0 - rate * entry.group.decay());
            let weights = entry
                .range
                .of_mut(weights)
                .iter_mut()
                .zip(entry.range.of(gradients));
            let moments = entry
                .range
                .of_mut(&mut self.mean)
                .iter_mut()
                .zip(entry.range.of_mut(&mut self.square));
            for ((weight, gradient), (mean, square)) in weights.zip(moments) {
                let gradient = *gradient * clip;
                *mean = keep_mean * *mean + add_mean * gradient;
                *square = keep_square * *square + add_square * gradient * gradient;
                let root = (*square * inverse_bias).square_root();
                *weight = *weight * decay - step * *mean / (root + epsilon);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AdamW, rate};
    use crate::parameters::{LearningGroup, ParameterLayout, StartValues};

    #[test]
    fn the_rate_rises_to_its_peak_and_falls_to_a_tenth() {
        assert_eq!(rate(1, 1000), 0.01);
        assert_eq!(rate(100, 1000), 1.0);
        assert!((rate(550, 1000) - 0.55).abs() < 1e-12);
        assert!((rate(1000, 1000) - 0.1).abs() < 1e-12);
        assert_eq!(rate(1, 1), 1.0);
        assert_eq!(rate(2, 20), 1.0);
    }

    #[test]
    fn the_first_step_has_the_length_of_the_rate() {
        let mut layout = ParameterLayout::default();
        layout.add(
            "biases",
            &[3],
            StartValues::Constant(0.0),
            LearningGroup::Vector,
        );
        let mut weights = [1.0_f64, 1.0, 1.0];
        AdamW::new(&layout, 1).step(&layout, &mut weights, &[1e-3, -0.5, 40.0]);
        for (weight, expected) in weights.iter().zip([0.998, 1.002, 0.998]) {
            assert!((weight - expected).abs() < 1e-5, "{weights:?}");
        }
    }

    #[test]
    fn it_finds_the_bottom_of_a_bowl_and_matrices_decay() {
        let mut layout = ParameterLayout::default();
        let at = layout.add(
            "place",
            &[2],
            StartValues::Constant(0.0),
            LearningGroup::KernelShape,
        );
        layout.add(
            "matrix",
            &[2],
            StartValues::Constant(1.0),
            LearningGroup::Matrix,
        );
        let mut weights: Vec<f64> = layout.start_values(0);
        let mut adam = AdamW::new(&layout, 400);
        for _ in 0..400 {
            let mut gradients = vec![0.0; 4];
            gradients[0] = weights[0] - 3.0;
            gradients[1] = weights[1] + 2.0;
            adam.step(&layout, &mut weights, &gradients);
        }
        let place = at.of(&weights);
        assert!(
            (place[0] - 3.0).abs() < 0.05 && (place[1] + 2.0).abs() < 0.05,
            "{place:?}"
        );
        assert!(weights[2] < 1.0 && weights[2] > 0.98);
    }
}
