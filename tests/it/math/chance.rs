//! R² by chance, and without k = 0: closed forms against random draws, fast sums against direct ones.

use crate::support::oracles::{dense, every_product, extent};
use diagonal::{
    encoding::Random,
    math::{
        CentredMatrix, DiagonalSummer, Grid, GridFit, OffsetR2, RandomTable, Scores, Similarity,
        reference,
    },
};

const SIMILARITIES: [Similarity; 2] = [Similarity::InnerProduct, Similarity::Cosine];

/// The mean R² of random tables, on a line and, if given, on a grid.
fn drawn(rows: usize, width: usize, grid: Option<Grid>, similarity: Similarity) -> Vec<OffsetR2> {
    // Small tables vary more, and are cheaper.
    let count = if rows < 100 { 120 } else { 3 };
    let draws: Vec<Vec<OffsetR2>> = (0..count)
        .map(|seed| {
            let table = Random { rows, width, seed }.table();
            let scores = Scores::from_table(table, grid, similarity);
            let fits = scores.fits(&scores.plans());
            std::iter::once(fits.r2()).chain(fits.grid_r2()).collect()
        })
        .collect();
    let mean = |at: usize, of: fn(&OffsetR2) -> f64| {
        draws.iter().map(|draw| of(&draw[at])).sum::<f64>() / count as f64
    };
    let kinds = 0..draws[0].len();
    kinds
        .map(|at| OffsetR2::from_numbers(mean(at, |r2| r2.all), mean(at, |r2| r2.off_diagonal)))
        .collect()
}

#[test]
fn random_tables_of_ten_shapes_score_what_the_marks_say() {
    let square = Grid::square;
    for (rows, width, grid) in [
        (512, 384, None),
        (32, 96, None),
        (128, 512, None),
        (300, 8, None),
        (48, 256, None),
        (800, 32, None),
        (196, 96, square(196)),
        (49, 96, square(49)),
        (16, 64, square(16)),
        (
            60,
            30,
            Some(Grid {
                height: 5,
                width: 12,
            }),
        ),
    ] {
        for similarity in SIMILARITIES {
            let chance = RandomTable { width, similarity };
            let marks = [chance.on_line(rows)]
                .into_iter()
                .chain(grid.map(|grid| chance.on_grid(grid)));
            for (mark, drawn) in marks.zip(drawn(rows, width, grid, similarity)) {
                let mark = mark.expect("more than two rows");
                // The chance level is a quotient of expectations; the expectation of the quotient differs by less than
                // this.
                for (mark, drawn) in [
                    (mark.all, drawn.all),
                    (mark.off_diagonal, drawn.off_diagonal),
                ] {
                    assert!(
                        (mark - drawn).abs() < 0.003 + 0.04 * mark,
                        "{rows} × {width}, {grid:?}, {similarity:?}: {mark}, drawn {drawn}"
                    );
                }
            }
        }
    }
}

#[test]
fn on_a_line_the_marks_are_short_formulas() {
    for (n, d) in [(3, 1), (32, 384), (512, 384), (197, 768)] {
        let on_line = |similarity| {
            RandomTable {
                width: d,
                similarity,
            }
            .on_line(n)
        };
        let close = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-12, "{n} × {d}");
        let inner = on_line(Similarity::InnerProduct).expect("three rows");
        let (n, d) = (n as f64, d as f64);
        close(inner.all, (d + 2.0) / (d + 2.0 + n));
        close(inner.off_diagonal, 2.0 / (n + 1.0));
        let cosine = on_line(Similarity::Cosine).expect("three rows");
        close(cosine.off_diagonal, 2.0 / (n + 1.0));
    }
    let few = RandomTable {
        width: 8,
        similarity: Similarity::InnerProduct,
    };
    for n in 0..3 {
        assert_eq!(few.on_line(n), None);
    }
}

#[test]
fn without_the_main_diagonal_a_grid_fit_is_that_of_the_formed_matrix() {
    for (what, a) in every_product() {
        let slow = dense(&a);
        let varies = extent(&slow) > 1e-9 * (1.0 + slow[[0, 0]].abs());
        if a.n() < 4 || a.n() > 64 || !varies {
            continue;
        }
        for height in (1..=a.n()).filter(|height| a.n().is_multiple_of(*height)) {
            let grid = Grid {
                height,
                width: a.n() / height,
            };
            let centred = CentredMatrix::new(&a);
            let fit = GridFit::from_centred(&centred, &DiagonalSummer::on(grid));
            let (fast, slow) = (
                fit.off_diagonal_r2(&centred),
                reference::off_diagonal_grid_r2(&slow, grid.width),
            );
            assert!(
                (fast - slow).abs() < 1e-5,
                "{what}, {grid:?}: {fast} {slow}"
            );
        }
    }
}
