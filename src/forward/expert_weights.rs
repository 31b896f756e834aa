//! Experts of a feed-forward part: each token passes those that the router ranks highest.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis, s};

use super::{
    ForwardError, LinearMap, activation::ActivationFunction, tensor_numbers::TensorNumbers,
};
use crate::model::{ExpertsDescription, FeedForwardDescription};

/// Weights of the experts and of their router.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ExpertWeights {
    router: LinearMap,
    /// Number of experts that a token passes.
    active: usize,
    /// Limit of the numbers before the activation.
    limit: f32,
    experts: Vec<Expert>,
}

/// Weights of an expert.
#[derive(Clone, Debug, PartialEq)]
struct Expert {
    gate: LinearMap,
    inner: LinearMap,
    output: LinearMap,
}

impl ExpertWeights {
    /// Takes the weights out of the numbers that were read.
    pub(super) fn take(
        numbers: &mut TensorNumbers,
        part: &FeedForwardDescription,
        experts: &ExpertsDescription,
        heads: usize,
    ) -> Result<Self, ForwardError> {
        let inner = numbers.take_stack(&part.inner)?;
        let output = numbers.take_stack(&part.output)?;
        let maps = inner.into_iter().zip(output);
        Ok(Self {
            router: numbers.take_map(&experts.router, heads)?,
            active: experts.active as usize,
            limit: experts.limit as f32,
            experts: maps
                .map(|(alternating, output)| Expert {
                    gate: every_second(&alternating, 0),
                    inner: every_second(&alternating, 1),
                    output,
                })
                .collect(),
        })
    }

    /// Output of the part for its normed input, [n, hidden].
    pub(super) async fn apply(
        &self,
        input: ArrayView2<'_, f32>,
        activation: ActivationFunction,
        pause: &impl AsyncFn(),
    ) -> Array2<f32> {
        let logits = self.router.apply(input, pause).await;
        let mut tokens = vec![Vec::new(); self.experts.len()];
        for (token, logits) in logits.rows().into_iter().enumerate() {
            for (expert, weight) in active_experts(logits, self.active) {
                tokens[expert].push((token, weight));
            }
        }
        let mut sum = Array2::zeros(input.dim());
        for (expert, tokens) in self.experts.iter().zip(tokens) {
            let (rows, weights): (Vec<usize>, Vec<f32>) = tokens.into_iter().unzip();
            if rows.is_empty() {
                continue;
            }
            let input = input.select(Axis(0), &rows);
            let output = expert.apply(&input, self.limit, activation, pause).await;
            for ((row, weight), output) in rows.into_iter().zip(weights).zip(output.rows()) {
                sum.row_mut(row).scaled_add(weight, &output);
            }
        }
        sum
    }
}

impl Expert {
    async fn apply(
        &self,
        input: &Array2<f32>,
        limit: f32,
        activation: ActivationFunction,
        pause: &impl AsyncFn(),
    ) -> Array2<f32> {
        let mut gate = self.gate.apply(input.view(), pause).await;
        let mut inner = self.inner.apply(input.view(), pause).await;
        gate.mapv_inplace(|x| x.min(limit));
        activation.apply_to_rows(&mut gate);
        inner.zip_mut_with(&gate, |u, g| *u = (u.clamp(-limit, limit) + 1.0) * g);
        pause().await;
        self.output.apply(inner.view(), pause).await
    }
}

/// The map to every second output, from `first` on.
fn every_second(map: &LinearMap, first: usize) -> LinearMap {
    let bias = map.bias.as_ref();
    LinearMap {
        weight: map.weight.slice(s![.., first..;2]).to_owned(),
        bias: bias.map(|bias| bias.iter().skip(first).step_by(2).copied().collect()),
    }
}

/// Experts with the greatest logits, each with its share of their softmax. Equal logits go to the first expert.
fn active_experts(logits: ArrayView1<'_, f32>, active: usize) -> Vec<(usize, f32)> {
    let mut order: Vec<usize> = (0..logits.len()).collect();
    order.sort_by(|a, b| logits[*b].total_cmp(&logits[*a]));
    order.truncate(active);
    let greatest = order.first().map_or(0.0, |first| f64::from(logits[*first]));
    let exponentials = order
        .iter()
        .map(|expert| (f64::from(logits[*expert]) - greatest).exp());
    let total: f64 = exponentials.clone().sum();
    let shares: Vec<f32> = exponentials.map(|e| (e / total) as f32).collect();
    order.into_iter().zip(shares).collect()
}

#[cfg(test)]
mod tests {
    use super::active_experts;
    use ndarray::array;

    #[test]
    fn active_experts_share_by_their_own_logits_alone() {
        let logits = array![0.0, 3_f32.ln(), -5.0, 3_f32.ln(), 0.0];
        let shares = active_experts(logits.view(), 3);
        let experts: Vec<usize> = shares.iter().map(|(expert, _)| *expert).collect();
        assert_eq!(experts, [1, 3, 0]);
        for ((_, share), expected) in shares.iter().zip([3.0 / 7.0, 3.0 / 7.0, 1.0 / 7.0]) {
            assert!((share - expected).abs() < 1e-6, "{share} {expected}");
        }
    }
}
