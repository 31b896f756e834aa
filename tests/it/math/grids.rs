//! Positions on a grid: offsets in two dimensions, against sums over every cell, and scores by two-dimensional offset.

use super::laws::config;
use crate::{
    encoding::relative::{golden, table},
    support::oracles::{dense, extent, products, random},
};
use diagonal::math::{
    CentredMatrix, DiagonalSummer, Grid, GridFit, GridToeplitz, LowRank, Tile, ToeplitzFit, Window,
    reference,
};
use fastrand::Rng;
use ndarray::{Array2, s};
use proptest::prelude::*;

const GRIDS: [(usize, usize); 14] = [
    (1, 1),
    (1, 2),
    (2, 1),
    (2, 2),
    (1, 9),
    (9, 1),
    (3, 4),
    (4, 3),
    (5, 5),
    (2, 17),
    (17, 2),
    // Beyond 48 cells, offsets are summed by FFT.
    (8, 8),
    (7, 11),
    (14, 9),
];

fn grid((height, width): (usize, usize)) -> Grid {
    Grid { height, width }
}

fn any_grid() -> impl Strategy<Value = Grid> {
    (1..9_usize, 1..9_usize).prop_map(grid)
}

fn scores(grid: Grid, seed: u64) -> GridToeplitz {
    let (rows, columns) = grid.reach();
    let f = random(&mut Rng::with_seed(seed), rows, columns);
    GridToeplitz::new(grid, f.iter().map(|&v| v.into()).collect())
}

/// The matrix, formed.
fn form(a: &GridToeplitz) -> Array2<f64> {
    Array2::from_shape_fn((a.n(), a.n()), |(i, j)| {
        let (dy, dx) = a.grid().offset(i, j);
        a.at(dy, dx).expect("an offset of two positions")
    })
}

#[test]
fn squares_are_found_exactly() {
    let squares: Vec<usize> = (1..200)
        .filter(|&n| Grid::square(n).is_some_and(|grid| grid.cells() == n))
        .collect();
    assert_eq!(
        squares,
        [1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196]
    );
    assert_eq!(Grid::square(0), None);
    // Near the limit of an exact square root in double precision.
    let side = 94_906_267_usize;
    assert!(Grid::square(side * side).is_some());
    assert!(Grid::square(side * side - 1).is_none() && Grid::square(side * side + 1).is_none());
}

#[test]
fn offsets_are_key_minus_query() {
    for grid in GRIDS.map(grid) {
        let offsets: Vec<_> = grid.offsets().collect();
        assert_eq!(offsets.len(), grid.reach().0 * grid.reach().1);
        for (at, &(dy, dx)) in offsets.iter().enumerate() {
            assert_eq!(grid.index(dy, dx), Some(at));
        }
        let mut pairs = vec![0; offsets.len()];
        for i in 0..grid.cells() {
            for j in 0..grid.cells() {
                let (query, key) = (grid.place(i), grid.place(j));
                let (dy, dx) = grid.offset(i, j);
                assert_eq!(
                    (query.0 as i64 + dy, query.1 as i64 + dx),
                    (key.0 as i64, key.1 as i64)
                );
                pairs[grid.index(dy, dx).expect("listed")] += 1;
            }
        }
        let counted: Vec<_> = offsets.iter().map(|&(dy, dx)| grid.pairs(dy, dx)).collect();
        assert_eq!(counted, pairs, "{grid:?}");
        let (h, w) = (grid.height as i64, grid.width as i64);
        for (dy, dx) in [(h, 0), (-h, 0), (0, w), (0, -w), (i64::MIN, i64::MAX)] {
            assert_eq!((grid.index(dy, dx), grid.pairs(dy, dx)), (None, 0));
        }
    }
}

#[test]
fn a_line_with_gaps_is_a_grid() {
    for grid in GRIDS.map(grid) {
        for (what, a) in products(grid.cells(), 5) {
            let slow = dense(&a);
            let fit = GridFit::compute(&a, grid);
            let summer = DiagonalSummer::on(grid);
            let varies = extent(&slow) > 1e-9 * (1.0 + slow[[0, 0]].abs());
            assert_eq!(fit.r2.is_nan(), !varies, "{what}, {grid:?}");
            if varies {
                assert_eq!(fit, GridFit::from_centred(&CentredMatrix::new(&a), &summer));
                let r2 = reference::grid_r2(&slow, grid.width);
                assert!(
                    (fit.r2 - r2).abs() < 1e-5,
                    "{what}, {grid:?}: {} {r2}",
                    fit.r2
                );
            }
            let f = reference::grid_mean(&slow, grid.width);
            assert_eq!(fit.f.len(), f.len());
            let room = 1e-5 * extent(&slow) + 1e-9 * (1.0 + slow[[0, 0]].abs());
            for ((dy, dx), slow) in grid.offsets().zip(f) {
                let fast = fit.at(dy, dx).expect("listed");
                assert!(
                    (fast - slow).abs() <= room,
                    "{what}, {grid:?}, ({dy}, {dx}): {fast} {slow}"
                );
            }
            assert_eq!(fit.picture(), fit.toeplitz().picture());
            // With rows in sequence, equal (Δy, Δx) implies equal k, but not the reverse.
            let line = ToeplitzFit::compute(&a);
            assert!(!varies || fit.r2 >= line.r2 - 1e-6, "{what}, {grid:?}");
            if grid.height == 1 && varies {
                assert_eq!((fit.f, fit.r2), (line.f.into(), line.r2));
            }
        }
    }
}

#[test]
fn the_patches_of_vit_have_their_golden_share() {
    let table = table("vit", "embeddings.position_embeddings");
    let patches = LowRank::gram(table.slice(s![1.., ..]).to_owned());
    let golden = golden("vit");
    let golden = &golden["table"];
    let grid = Grid::square(patches.n()).expect("a square");
    assert_eq!(golden["grid"], serde_json::json!([grid.height, grid.width]));
    let is = |found: f64, name: &str| {
        let golden = golden[name].as_f64().expect(name);
        assert!((found - golden).abs() < 1e-6, "{name}: {found}, {golden}");
    };
    is(GridFit::compute(&patches, grid).r2, "inner_product_r2_2d");
    is(ToeplitzFit::compute(&patches).r2, "inner_product_r2");
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn what_depends_on_the_offset_alone_explains_itself(grid in any_grid(), seed: u64) {
        let a = scores(grid, seed);
        let matrix = form(&a);
        let product = LowRank::product(matrix.mapv(|v| v as f32), Array2::eye(a.n()), 0.0);
        let fit = GridFit::compute(&product, grid);
        prop_assert!(fit.r2 > 1.0 - 1e-5 || a.n() == 1 && fit.r2.is_nan(), "{}", fit.r2);
        for (fast, f) in fit.f.iter().zip(a.profile()) {
            prop_assert!((fast - f).abs() < 1e-4);
        }

        let line = a.in_one_dimension();
        let f = reference::diagonal_mean(&matrix);
        prop_assert_eq!(line.f.len(), f.len());
        for (fast, slow) in line.f.iter().zip(&f) {
            prop_assert!((fast - slow).abs() < 1e-9, "{fast} {slow}");
        }
        prop_assert!((line.mean - matrix.mean().expect("cells")).abs() < 1e-9);
        // A single cell has no variance.
        let slow = reference::toeplitz_r2(&matrix);
        let is_none = a.n() == 1 && line.r2.is_nan();
        prop_assert!(is_none || (line.r2 - slow).abs() < 1e-9, "{} {slow}", line.r2);
    }

    #[test]
    fn cells_rows_and_tiles_are_those_of_the_formed_matrix(
        grid in any_grid(),
        seed: u64,
        shift in prop_oneof![Just(0.0), -1e3..1e3_f64],
        (rows, cols) in (any::<[u8; 2]>(), any::<[u8; 2]>()),
        limit in 1..70_usize,
    ) {
        let a = scores(grid, seed);
        let a = GridToeplitz::from_fn(grid, |dy, dx| shift + a.at(dy, dx).expect("listed"));
        let (matrix, n) = (form(&a), a.n());
        for ((i, j), &cell) in matrix.indexed_iter() {
            prop_assert_eq!(a.cell(i, j), cell);
        }
        let range = |[from, length]: [u8; 2]| {
            let from = usize::from(from) % n;
            from..from + 1 + usize::from(length) % (n - from)
        };
        let window = Window { rows: range(rows), cols: range(cols) };
        let narrow = matrix.mapv(|v| v as f32);
        prop_assert_eq!(a.rows(window.rows.clone()), narrow.slice(s![window.rows.clone(), ..]));

        let tile = a.tile(window.clone(), limit);
        prop_assert!(tile.width().max(tile.height()) <= limit);
        let part = matrix.slice(s![window.rows.clone(), window.cols.clone()]).to_owned();
        let slow = reference::block_means(&part, tile.row_step);
        prop_assert_eq!((tile.height(), tile.width()), slow.dim());
        prop_assert_eq!(tile.values.len(), slow.len());
        for (fast, slow) in tile.values.iter().zip(&slow) {
            let room = 1e-6 * (1.0 + shift.abs());
            prop_assert!((f64::from(*fast) - slow).abs() < room, "{fast} {slow}");
        }
        if tile.is_exact() {
            prop_assert_eq!(tile.with_cells(None), Tile::from_matrix(narrow.view(), window, n).with_cells(None));
        }
    }
}
