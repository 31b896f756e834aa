//! k-means: k groups of points with the least sum of squared distances to the means of their groups.
//!
//! Lloyd's iteration from k-means++ starts (Arthur & Vassilvitskii 2007), the best of several. All randomness comes
//! from one seed, so a seed always gives the same groups. Existing crates (linfa 0.8) bring a second version of
//! ndarray, a random number generator and a search tree, which a few hundred heads of 21 numbers do not need.
//!
//! The mean silhouette (Rousseeuw 1987) measures how dense and far apart the groups are: 1 at best, about 0 if groups
//! cut through a single cloud.

use fastrand::Rng;

/// Number of starts; the best result counts.
const STARTS: usize = 32;

/// Maximum number of iterations per start; a few dozen are usual.
const ROUNDS: usize = 300;

/// A clustering of points.
#[derive(Debug, Clone, PartialEq)]
pub struct Clusters {
    /// Group of each point, 0 … k−1.
    pub of: Vec<usize>,
    /// Mean of each group.
    pub centres: Vec<Vec<f64>>,
    /// Sum of squared distances to the means of the groups.
    pub inertia: f64,
}

impl Clusters {
    /// Clusters points into k groups, or into as many as there are distinct points if that is fewer. All points must
    /// have the same length, and all numbers must be finite.
    #[must_use]
    pub fn compute(points: &[Vec<f64>], k: usize, seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let mut best: Option<Self> = None;
        for _ in 0..STARTS {
            let clusters = lloyd(points, spread_out(points, k, &mut rng));
            if best
                .as_ref()
                .is_none_or(|best| clusters.inertia < best.inertia)
            {
                best = Some(clusters);
            }
        }
        best.unwrap_or(Self {
            of: Vec::new(),
            centres: Vec::new(),
            inertia: 0.0,
        })
    }

    /// Number of groups.
    #[must_use]
    pub fn k(&self) -> usize {
        self.centres.len()
    }

    /// Mean over the points of (b − a)/max(a, b), where a is the mean distance to the point's own group and b that to
    /// the nearest other group; 0 for a point alone in its group. `None` for fewer than two groups.
    #[must_use]
    pub fn silhouette(&self, points: &[Vec<f64>]) -> Option<f64> {
        let k = self.k();
        if k < 2 {
            return None;
        }
        let mut sizes = vec![0_usize; k];
        for &group in &self.of {
            sizes[group] += 1;
        }
        let of_point = |at: usize| {
            let own = self.of[at];
            if sizes[own] < 2 {
                return 0.0;
            }
            let mut sums = vec![0.0; k];
            for (other, &group) in points.iter().zip(&self.of) {
                sums[group] += squared_distance(&points[at], other).sqrt();
            }
            let a = sums[own] / (sizes[own] - 1) as f64;
            let others = (0..k).filter(|&group| group != own && sizes[group] > 0);
            let b = others
                .map(|group| sums[group] / sizes[group] as f64)
                .fold(f64::INFINITY, f64::min);
            if a.max(b) > 0.0 {
                (b - a) / a.max(b)
            } else {
                0.0
            }
        };
        Some((0..points.len()).map(of_point).sum::<f64>() / points.len() as f64)
    }

    /// Share of the sum of squared distances of the points to their mean that the means of the groups explain: 1 minus the
    /// inertia over that sum. `None` for fewer than two groups.
    #[must_use]
    pub fn explained_share(&self, points: &[Vec<f64>]) -> Option<f64> {
        if self.k() < 2 {
            return None;
        }
        let count = points.len() as f64;
        let mean: Vec<f64> = (0..points[0].len())
            .map(|at| points.iter().map(|point| point[at]).sum::<f64>() / count)
            .collect();
        let total = points.iter().map(|point| squared_distance(point, &mean));
        Some(1.0 - self.inertia / total.sum::<f64>())
    }

    /// Renumbers the groups: `order` lists the present numbers in their new order.
    #[must_use]
    pub fn in_order(mut self, order: &[usize]) -> Self {
        let mut place = vec![0; self.k()];
        for (new, &old) in order.iter().enumerate() {
            place[old] = new;
        }
        for group in &mut self.of {
            *group = place[*group];
        }
        self.centres = order.iter().map(|&old| self.centres[old].clone()).collect();
        self
    }
}

/// Initial centres by k-means++: each point is chosen with a probability proportional to its squared distance to the
/// nearest chosen point.
fn spread_out(points: &[Vec<f64>], k: usize, rng: &mut Rng) -> Vec<Vec<f64>> {
    let mut centres: Vec<Vec<f64>> = Vec::new();
    let mut distances = vec![f64::INFINITY; points.len()];
    while centres.len() < k && !points.is_empty() {
        let next = if centres.is_empty() {
            rng.usize(..points.len())
        } else {
            let total: f64 = distances.iter().sum();
            if total <= 0.0 {
                break;
            }
            let mut left = rng.f64() * total;
            let chosen = distances.iter().position(|distance| {
                left -= distance;
                left < 0.0
            });
            // Rounding may leave a remainder; then the last point at a positive distance is chosen.
            let last = distances.iter().rposition(|&distance| distance > 0.0);
            chosen.or(last).unwrap_or_default()
        };
        for (distance, point) in distances.iter_mut().zip(points) {
            *distance = distance.min(squared_distance(point, &points[next]));
        }
        centres.push(points[next].clone());
    }
    centres
}

fn lloyd(points: &[Vec<f64>], mut centres: Vec<Vec<f64>>) -> Clusters {
    let nearest = |centres: &[Vec<f64>]| -> Vec<usize> {
        let of_point = |point: &Vec<f64>| {
            let distance = |at: &usize| squared_distance(point, &centres[*at]);
            (0..centres.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))
        };
        points
            .iter()
            .map(|point| of_point(point).unwrap_or_default())
            .collect()
    };
    let mut of = nearest(&centres);
    for _ in 0..ROUNDS {
        for (group, centre) in centres.iter_mut().enumerate() {
            let members: Vec<_> = points
                .iter()
                .zip(&of)
                .filter(|(_, at)| **at == group)
                .collect();
            // A group that has lost all of its points keeps its centre.
            if members.is_empty() {
                continue;
            }
            for (at, value) in centre.iter_mut().enumerate() {
                *value =
                    members.iter().map(|(point, _)| point[at]).sum::<f64>() / members.len() as f64;
            }
        }
        let now = nearest(&centres);
        if now == of {
            break;
        }
        of = now;
    }
    let inertia = points
        .iter()
        .zip(&of)
        .map(|(point, &at)| squared_distance(point, &centres[at]))
        .sum();
    Clusters {
        of,
        centres,
        inertia,
    }
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}
