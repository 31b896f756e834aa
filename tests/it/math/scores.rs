//! Scores in every form, and of tables larger or wider than any model's.

use crate::support::oracles::random;
use diagonal::math::{
    Autocorrelation, CentredMatrix, Grid, GridToeplitz, LowRank, Scores, Similarity, ToeplitzFit,
    Window,
};
use fastrand::Rng;
use ndarray::Array2;

/// Scores by offset on a grid, and the same matrix as a product with the identity.
fn both(height: usize, width: usize) -> (Scores, Scores) {
    let mut rng = Rng::with_seed(7);
    let grid = Grid { height, width };
    let f = grid.offsets().map(|_| rng.f64() - 0.5).collect();
    let of_grid = GridToeplitz::new(grid, f);
    let cells = of_grid.rows(0..grid.cells());
    let product = LowRank::product(cells, Array2::eye(grid.cells()), 0.0);
    (Scores::Grid(of_grid), Scores::Product(product, Some(grid)))
}

fn near(a: &[f64], b: &[f64], what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    for (a, b) in a.iter().zip(b) {
        // Without variance, both R² are NaN.
        let is_none = a.is_nan() && b.is_nan();
        assert!(is_none || (a - b).abs() < 1e-5, "{what}: {a}, {b}");
    }
}

#[test]
fn scores_on_a_grid_answer_as_their_matrix_does() {
    for (height, width) in [(4, 5), (1, 6), (6, 1), (3, 3)] {
        let (found, matrix) = both(height, width);
        let n = height * width;
        assert_eq!((found.n(), found.grid()), (n, matrix.grid()));
        let (a, b) = (found.fits(&found.plans()), matrix.fits(&matrix.plans()));
        near(&a.fit.f, &b.fit.f, "f");
        near(
            &[a.fit.r2, a.fit.mean, a.causal_r2(), a.off_diagonal_r2],
            &[b.fit.r2, b.fit.mean, b.causal_r2(), b.off_diagonal_r2],
            "fits",
        );
        let (a_2d, b_2d) = (a.grid_fit.expect("a grid"), b.grid_fit.expect("a grid"));
        near(&a_2d.f, &b_2d.f, "f in two dimensions");
        assert!(a_2d.r2 == 1.0 && b_2d.r2 > 0.999_99);
        assert_eq!(found.rows(1..3), matrix.rows(1..3));
        let tile = |scores: &Scores| scores.tile(Window::whole(n, n), 3).values;
        for (a, b) in tile(&found).iter().zip(tile(&matrix)) {
            assert!((a - b).abs() < 1e-5, "tiles: {a}, {b}");
        }
        near(&found.diagonal(2), &matrix.diagonal(2), "a diagonal");
        let spread = |scores: &Scores| {
            let fit = scores.fit();
            let mut spread = scores.spread(&fit);
            while spread.step(4) {}
            spread.deviations()
        };
        near(&spread(&found), &spread(&matrix), "spread");
        for range in [0..n, 0..width, 1..n, 0..n - 1, 1..3] {
            let (a, b) = (found.block(range.clone()), matrix.block(range.clone()));
            assert_eq!(a.rows(0..range.len()), b.rows(0..range.len()), "{range:?}");
            let r2 = |scores: &Scores| scores.fits(&scores.plans()).r2();
            let (of_range, of_block, formed) = (found.r2_of(range), r2(&a), r2(&b));
            for (r2, what) in [(of_range, "range"), (of_block, "block")] {
                near(
                    &[r2.all, r2.off_diagonal],
                    &[formed.all, formed.off_diagonal],
                    what,
                );
            }
        }
    }
}

#[test]
fn wide_tables_are_summed_over_their_cells() {
    let mut rng = Rng::with_seed(3);
    let wide = random(&mut rng, 24, 300);
    let other = random(&mut rng, 24, 300);
    for a in [
        LowRank::gram(wide.clone()),
        LowRank::product(wide, other, 0.5),
    ] {
        let centred = CentredMatrix::new(&a);
        let cells = || (0..24).flat_map(|i| (0..24).map(move |j| (i, j)));
        let squares = |causal: bool| -> f64 {
            let counted = cells().filter(|(i, j)| !causal || j <= i);
            counted
                .map(|(i, j)| (a.cell(i, j) - centred.mean()).powi(2))
                .sum()
        };
        let total = centred.total_squares();
        assert!((total / squares(false) - 1.0).abs() < 1e-5);
        assert!((centred.causal_squares() / squares(true) - 1.0).abs() < 1e-5);
    }
    // A Gram matrix of these columns would take 2 GB.
    let wide = random(&mut rng, 64, 16_384);
    let fits = Scores::from_table(wide, None, Similarity::InnerProduct);
    let fits = fits.fits(&fits.plans());
    assert!((0.0..1.0).contains(&fits.causal_r2()) && (0.0..1.0).contains(&fits.fit.r2));
}

#[test]
fn tables_of_any_size_have_the_r2_of_the_same_table_near_one() {
    let mut rng = Rng::with_seed(5);
    // The second is long enough for sums over its earlier rows; the first has its cells formed.
    let tables = [(40, 12), (300, 4)].map(|(rows, width)| {
        let table = random(&mut rng, rows, width);
        let largest = table.iter().fold(0.0_f32, |a, b| a.max(b.abs()));
        table.mapv(|v| v / largest)
    });
    let similarities = [Similarity::InnerProduct, Similarity::Cosine];
    let each = |table| similarities.map(|similarity| (table, similarity));
    for (table, similarity) in tables.iter().flat_map(each) {
        let fits = |exponent: i32| {
            let scaled = table.mapv(|v| (f64::from(v) * f64::from(exponent).exp2()) as f32);
            let scores = Scores::from_table(scaled, None, similarity);
            let fits = scores.fits(&scores.plans());
            let fit = fits.fit.clone();
            let mut spread = scores.spread(&fit);
            while spread.step(16) {}
            assert!(
                spread.deviations().iter().all(|v| v.is_finite()),
                "2^{exponent}"
            );
            [fits.fit.r2, fits.causal_r2(), fits.off_diagonal_r2]
        };
        let ordinary = fits(0);
        assert!(
            ordinary.iter().all(|r2| (0.0..0.99).contains(r2)),
            "{ordinary:?}"
        );
        for exponent in [-100, -60, -20, -9, 9, 20, 29, 60, 100, 127] {
            near(&fits(exponent), &ordinary, "R²");
        }
    }
}

#[test]
fn what_is_not_a_number_is_not_said_to_be_one() {
    let mut table = random(&mut Rng::with_seed(1), 20, 4);
    table[[3, 2]] = f32::INFINITY;
    assert!(ToeplitzFit::compute(&LowRank::gram(table)).r2.is_nan());
}

#[test]
fn a_table_that_does_not_vary_has_no_autocorrelation() {
    for value in [0.0, 1.5] {
        let table = Array2::from_elem((30, 4), value);
        assert_eq!(Autocorrelation::compute(table.view()), None);
    }
}
