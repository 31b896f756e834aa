//! What holds of decompositions whatever the numbers are, also where the rank is not full.

use decompositions::{SingularValues, gram, orthonormal, product, symmetric, turns};
use fastrand::Rng;
use nalgebra::DMatrix;

fn random(rng: &mut Rng, rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |_, _| {
        (0..12).map(|_| rng.f64()).sum::<f64>() - 6.0
    })
}

fn is_orthonormal(matrix: &DMatrix<f64>) -> bool {
    (gram(matrix) - DMatrix::identity(matrix.ncols(), matrix.ncols())).amax() < 1e-11
}

/// Square matrices of every rank, of one singular value many times, of very large and very small numbers.
fn square(seed: u64) -> DMatrix<f64> {
    let mut rng = Rng::with_seed(seed);
    let size = rng.usize(1..20);
    let rank = rng.usize(0..=size);
    let product = random(&mut rng, size, rank) * random(&mut rng, rank, size);
    match seed % 5 {
        0 => random(&mut rng, size, size),
        1 => DMatrix::identity(size, size),
        2 => product * 1e-30,
        3 => orthonormal(random(&mut rng, size, size)).0 * 1e30,
        _ => product,
    }
}

#[test]
fn singular_values_rebuild_what_they_are_of() {
    for seed in 0..3000 {
        let matrix = square(seed);
        let found = SingularValues::of(&matrix).expect("it converges");
        let values = DMatrix::from_diagonal(&found.values);
        let rebuilt = &found.left * values * found.right.transpose();
        assert!(
            (rebuilt - &matrix).amax() <= 1e-11 * matrix.amax(),
            "seed {seed}"
        );
        assert!(
            is_orthonormal(&found.left) && is_orthonormal(&found.right),
            "seed {seed}"
        );
        let falls = found
            .values
            .as_slice()
            .windows(2)
            .all(|two| two[0] >= two[1]);
        assert!(
            falls && found.values.iter().all(|value| *value >= 0.0),
            "seed {seed}"
        );
    }
}

#[test]
fn orthogonal_matrices_are_turns() {
    for seed in 0..1000 {
        let mut rng = Rng::with_seed(seed);
        let size = rng.usize(1..24);
        let matrix = match seed % 4 {
            0 => DMatrix::identity(size, size),
            1 => DMatrix::from_fn(size, size, |i, j| f64::from(i == (j + 1) % size)),
            2 => -orthonormal(random(&mut rng, size, size)).0,
            _ => orthonormal(random(&mut rng, size, size)).0,
        };
        let (vectors, blocks) = turns(&matrix).expect("it converges");
        assert!(is_orthonormal(&vectors), "seed {seed}");
        let rebuilt = &vectors * &blocks * vectors.transpose();
        assert!((rebuilt - &matrix).amax() < 1e-10, "seed {seed}");
        for (i, j) in (0..size).flat_map(|i| (0..size).map(move |j| (i, j))) {
            if i.abs_diff(j) > 1 {
                assert!(blocks[(i, j)].abs() < 1e-10, "seed {seed}: {i}, {j}");
            }
        }
    }
}

#[test]
fn symmetric_matrices_are_rebuilt() {
    for seed in 0..500 {
        let mut rng = Rng::with_seed(seed);
        let (rows, columns) = (rng.usize(1..20), rng.usize(1..20));
        let matrix = gram(&random(&mut rng, rows, columns));
        let (values, vectors) = symmetric(matrix.clone()).expect("it converges");
        assert!(values.windows(2).all(|two| two[0] >= two[1]), "seed {seed}");
        let scaled = DMatrix::from_diagonal(&values.into());
        let rebuilt = product(&product(&vectors, &scaled), &vectors.transpose());
        assert!(
            (rebuilt - &matrix).amax() < 1e-11 * matrix.amax(),
            "seed {seed}"
        );
        assert!(is_orthonormal(&vectors), "seed {seed}");
    }
}

#[test]
fn columns_become_orthonormal_whatever_their_rank() {
    for seed in 0..500 {
        let mut rng = Rng::with_seed(seed);
        let (rows, columns) = (rng.usize(1..20), rng.usize(1..20));
        let mut matrix = random(&mut rng, rows, columns);
        if seed % 2 == 0 {
            let copied = matrix.column(0) * 3.0;
            matrix.set_column(columns - 1, &copied);
        }
        let (axes, triangle) = orthonormal(matrix.clone());
        assert_eq!(axes.shape(), (rows, rows.min(columns)));
        assert!(is_orthonormal(&axes), "seed {seed}");
        assert!(
            (product(&axes, &triangle) - matrix).amax() < 1e-12,
            "seed {seed}"
        );
    }
}
