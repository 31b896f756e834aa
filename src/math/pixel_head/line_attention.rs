//! Attention along one axis of an image, where that of a head is a product of two such attentions.

use super::{gaussian::NEGLIGIBLE, parabola::Parabola};

/// Distances beyond the radius of a box that still count as inside, since centres are decimal fractions.
const ROUNDING: f64 = 1e-9;

/// Attention of every query on a line, as the first key and the weights of the keys that count.
#[derive(Debug)]
pub(super) struct LineAttention {
    queries: Vec<(usize, Vec<f64>)>,
}

impl LineAttention {
    /// Softmax over n keys of −rate·(k − q − centre)².
    pub(super) fn gaussian(n: usize, rate: f64, centre: f64) -> Self {
        let queries = (0..n).map(|query| {
            let parabola = Parabola {
                rate,
                centre: query as f64 + centre,
                loss: 0.0,
            };
            let best = parabola.best(n);
            let keys = parabola.within(n, parabola.loss_at(best) + NEGLIGIBLE);
            let first = keys.start;
            let weights: Vec<f64> = keys
                .map(|x| (-parabola.loss_above(x, best)).exp())
                .collect();
            let sum: f64 = weights.iter().sum();
            (
                first,
                weights.into_iter().map(|weight| weight / sum).collect(),
            )
        });
        Self {
            queries: queries.collect(),
        }
    }

    /// Equal weights on the keys at most `radius` from q + centre; all weight on the nearest key if there is none.
    pub(super) fn uniform(n: usize, radius: f64, centre: f64) -> Self {
        let queries = (0..n as i64).map(|query| {
            let keys = keys_in_box(radius, centre);
            let last = n as i64 - 1;
            // Of a box beyond the edge, the range is empty.
            let (first, end) = (
                (query + keys.0).clamp(0, last + 1),
                (query + keys.1 + 1).clamp(0, last + 1),
            );
            match (end - first).max(0) as usize {
                0 => {
                    let nearest = query.saturating_add(nearest_offset(centre)).clamp(0, last);
                    (nearest as usize, vec![1.0])
                }
                keys => (first as usize, vec![1.0 / keys as f64; keys]),
            }
        });
        Self {
            queries: queries.collect(),
        }
    }

    /// Weights of a query over all n keys.
    pub(super) fn weights(&self, query: usize) -> Vec<f64> {
        let mut all = vec![0.0; self.queries.len()];
        let (first, weights) = &self.queries[query];
        all[*first..*first + weights.len()].copy_from_slice(weights);
        all
    }

    /// Applies the attention along the middle axis of an array [`outer`, n, `inner`].
    pub(super) fn look(&self, image: &[f64], outer: usize, inner: usize) -> Vec<f64> {
        let n = self.queries.len();
        let mut output = vec![0.0; outer * n * inner];
        for at in 0..outer {
            let from = at * n * inner;
            for (query, (first, weights)) in self.queries.iter().enumerate() {
                let to = from + query * inner;
                let output = &mut output[to..to + inner];
                for (key, weight) in (*first..).zip(weights) {
                    let value = from + key * inner;
                    for (output, value) in output.iter_mut().zip(&image[value..value + inner]) {
                        *output += weight * value;
                    }
                }
            }
        }
        output
    }
}

/// The first and the last whole offset at most `radius` from `centre`. The first is greater if there is none.
pub(super) fn keys_in_box(radius: f64, centre: f64) -> (i64, i64) {
    let reach = radius + ROUNDING;
    (
        (centre - reach).ceil() as i64,
        (centre + reach).floor() as i64,
    )
}

/// The whole offset nearest to `centre`; the greater one of two.
pub(super) fn nearest_offset(centre: f64) -> i64 {
    (centre + 0.5).floor() as i64
}
