//! Shares of position and content in the scores of rotary heads, against sums over all words and offsets.

use diagonal::math::{KeyRotation, PositionBudget, VectorMoments};
use ndarray::{Array1, Array2, Axis};
use proptest::{collection::vec, prelude::*};

/// Columns of a head: two pairs, and two columns that are not rotated.
const WIDTH: usize = 6;

fn rotation(frequencies: [f64; 2], pair_factor: f64) -> KeyRotation {
    KeyRotation {
        columns: vec![(0, 2), (1, 3)],
        frequencies: frequencies.to_vec(),
        pair_factor,
        scale: 0.37,
    }
}

fn moments(words: &Array2<f64>) -> VectorMoments {
    let sum = words.sum_axis(Axis(0));
    VectorMoments::from_sums(&sum, &words.t().dot(words), words.nrows() as f64)
}

/// The rotation by offset k as a matrix.
fn matrix(rotation: &KeyRotation, k: i64) -> Array2<f64> {
    let mut matrix = Array2::eye(WIDTH);
    for (&(a, b), theta) in rotation.columns.iter().zip(&rotation.frequencies) {
        let (sin, cos) = (k as f64 * theta).sin_cos();
        let factor = rotation.pair_factor;
        matrix[(a, a)] = factor * cos;
        matrix[(b, b)] = factor * cos;
        matrix[(a, b)] = -factor * sin;
        matrix[(b, a)] = factor * sin;
    }
    matrix
}

fn variance(values: &[f64]) -> f64 {
    Array1::from(values.to_vec()).var(0.0)
}

fn words(count: usize) -> impl Strategy<Value = Array2<f64>> {
    vec(-2.0..2.0, count * WIDTH)
        .prop_map(move |numbers| Array2::from_shape_vec((count, WIDTH), numbers).expect("words"))
}

proptest! {
    #[test]
    fn a_budget_is_the_variance_over_words_and_offsets(
        queries in words(5),
        keys in words(4),
        frequencies in [0.0..3.0, 0.0..0.1],
        pair_factor in 0.5..1.5,
        (first, count) in (-9_i64..3, 1_i64..9),
    ) {
        let rotation = rotation(frequencies, pair_factor);
        let offsets = first..first + count;
        let budget =
            PositionBudget::compute(&moments(&queries), &moments(&keys), &rotation, offsets.clone());
        // Scores of all query words, key words and offsets.
        let by_offset: Vec<Array2<f64>> = offsets
            .map(|k| rotation.scale * queries.dot(&matrix(&rotation, k)).dot(&keys.t()))
            .collect();
        let all: Vec<f64> = by_offset.iter().flatten().copied().collect();
        let means: Vec<f64> = by_offset.iter().map(|scores| scores.mean().expect("words")).collect();
        let over_offsets = by_offset.iter().fold(Array2::<f64>::zeros((5, 4)), |sum, scores| sum + scores);
        let over_offsets: Vec<f64> = over_offsets.iter().map(|sum| sum / count as f64).collect();
        let total = variance(&all);
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * total.max(1e-3);
        prop_assert!(near(budget.position, variance(&means)));
        prop_assert!(near(budget.content, variance(&over_offsets)));
        prop_assert!(near(budget.total(), total), "{} {total}", budget.total());
    }

    /// ‖W_Qᵀ·R·W_K‖² = tr(G_Q·R·G_K·Rᵀ) with G = W·Wᵀ.
    #[test]
    fn isotropic_states_have_the_squared_norms_of_rotated_maps(
        (query, key) in (words(7), words(7)),
        frequencies in [0.0..3.0, 0.0..0.1],
    ) {
        // Maps from 7 columns, [width, 7].
        let (query, key) = (query.reversed_axes(), key.reversed_axes());
        let rotation = rotation(frequencies, 1.0);
        let isotropic = |map: &Array2<f64>| VectorMoments::isotropic(map.dot(&map.t()));
        let offsets = -4..=4;
        let budget =
            PositionBudget::compute(&isotropic(&query), &isotropic(&key), &rotation, offsets.clone());
        let square = |rotation: &Array2<f64>| {
            query.t().dot(rotation).dot(&key).mapv(|x| x * x).sum()
        };
        let rotations: Vec<Array2<f64>> = offsets.map(|k| matrix(&rotation, k)).collect();
        let mean = rotations.iter().fold(Array2::<f64>::zeros((WIDTH, WIDTH)), |sum, r| sum + r) / 9.0;
        let all = rotations.iter().map(square).sum::<f64>() / 9.0;
        let scale = rotation.scale * rotation.scale;
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * all.max(1e-3);
        prop_assert_eq!(budget.position, 0.0);
        prop_assert!(near(budget.content, scale * square(&mean)));
        prop_assert!(near(budget.total(), scale * all));
    }
}

#[test]
fn a_head_without_rotation_is_content_alone() {
    let words = Array2::from_shape_fn((3, WIDTH), |(i, j)| ((i + 1) * (j + 2)) as f64);
    let rotation = KeyRotation {
        scale: 1.0,
        ..KeyRotation::default()
    };
    let budget = PositionBudget::compute(&moments(&words), &moments(&words), &rotation, -5..=0);
    let [position, content, both] = budget.shares().expect("shares");
    assert!(position < 1e-12 && both < 1e-12, "{budget:?}");
    assert!((content - 1.0).abs() < 1e-12);
}

#[test]
fn nothing_that_varies_has_no_shares() {
    let words = Array2::ones((3, WIDTH));
    let rotation = rotation([0.0, 0.0], 1.0);
    let budget = PositionBudget::compute(&moments(&words), &moments(&words), &rotation, 0..3);
    assert_eq!(budget.shares(), None, "{budget:?}");
}
