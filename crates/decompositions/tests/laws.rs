//! Properties of the decompositions for any input, rank-deficient matrices included.

use decompositions::{
    SingularValues, gram, leading_eigenvectors, orthonormal, product, symmetric, turns,
};
use fastrand::Rng;
use nalgebra::{DMatrix, DVector};

fn random(rng: &mut Rng, rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |_, _| {
        (0..12).map(|_| rng.f64()).sum::<f64>() - 6.0
    })
}

fn is_orthonormal(matrix: &DMatrix<f64>) -> bool {
    (gram(matrix) - DMatrix::identity(matrix.ncols(), matrix.ncols())).amax() < 1e-11
}

/// Square matrices of every rank, with repeated singular values, and with very large or very small entries.
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
        let found = SingularValues::compute(&matrix).expect("it converges");
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
        // The last column repeats the first one exactly, or up to a difference between 0.1 and rounding.
        let apart = if seed % 2 == 0 {
            0.0
        } else {
            0.1_f64.powi((seed % 17) as i32)
        };
        let last = matrix.column(0) * 3.0 + matrix.column(columns - 1) * apart;
        matrix.set_column(columns - 1, &last);
        let (axes, triangle) = orthonormal(matrix.clone());
        assert_eq!(axes.shape(), (rows, rows.min(columns)));
        assert!(is_orthonormal(&axes), "seed {seed}");
        assert!(
            (product(&axes, &triangle) - matrix).amax() < 1e-12,
            "seed {seed}"
        );
    }
}

/// Symmetric matrices: random, of low rank, with repeated eigenvalues, block diagonal, multiples of the identity.
fn symmetric_matrix(seed: u64) -> DMatrix<f64> {
    let mut rng = Rng::with_seed(seed);
    let size = rng.usize(2..90);
    let rank = rng.usize(1..=size);
    match seed % 7 {
        0 => gram(&random(&mut rng, size, size)),
        1 => gram(&random(&mut rng, rank, size)),
        2 => {
            let (basis, _) = orthonormal(random(&mut rng, size, size));
            let equal = DMatrix::from_diagonal(&DVector::from_fn(size, |at, _| (at / 8) as f64));
            &basis * equal * basis.transpose()
        }
        3 => DMatrix::from_diagonal_element(size, size, 3.0),
        4 => DMatrix::zeros(size, size),
        5 => {
            let half = gram(&random(&mut rng, size, size)) * 1e-20;
            DMatrix::from_fn(2 * size, 2 * size, |i, j| {
                let same = (i < size) == (j < size);
                if same {
                    half[(i % size, j % size)]
                } else {
                    0.0
                }
            })
        }
        // Sampled sinusoids, as in tables of sinusoids: their Gram matrix has pairs of nearly equal eigenvalues.
        _ => {
            let waves = DMatrix::from_fn(size, size, |t, c| {
                (t as f64 * 0.9_f64.powi(c as i32 / 2) + (c % 2) as f64 * 1.57).sin()
            });
            gram(&waves)
        }
    }
}

#[test]
fn leading_eigenvectors_are_those_of_the_whole_decomposition() {
    for seed in 0..1400 {
        let matrix = symmetric_matrix(seed);
        let unit = matrix.amax();
        let (values, vectors) = leading_eigenvectors(matrix.clone(), 12).expect("it converges");
        let (all, _) = symmetric(matrix.clone()).expect("it converges");
        let allowed = 1e-11 * unit * matrix.nrows() as f64;
        assert_eq!(values.len(), all.len(), "seed {seed}");
        for (value, other) in values.iter().zip(&all) {
            assert!(
                (value - other).abs() <= allowed,
                "seed {seed}: {value}, {other}"
            );
        }
        assert_eq!(vectors.ncols(), matrix.nrows().min(12), "seed {seed}");
        assert!(is_orthonormal(&vectors), "seed {seed}");
        for (at, vector) in vectors.column_iter().enumerate() {
            let residual = &matrix * vector - vector * values[at];
            assert!(residual.amax() <= allowed, "seed {seed}: vector {at}");
        }
    }
}

#[test]
fn a_gram_matrix_is_the_product_it_is_named_after() {
    for (rows, columns) in [(3, 0), (1, 1), (5, 127), (4, 128), (7, 129), (9, 300)] {
        let a = random(&mut Rng::with_seed(5), rows, columns);
        assert!(
            (gram(&a) - a.transpose() * &a).amax() < 1e-11 || columns == 0,
            "{rows} × {columns}"
        );
        assert_eq!(gram(&a), gram(&a).transpose());
    }
}
