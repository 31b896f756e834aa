//! Tiles against reference implementations: block means of products, of Toeplitz matrices, of attention.

use super::oracles::{dense, every_product, extent, products, random};
use diagonal::{
    analysis::{AttentionMask, HeadToMix, MixedAttention},
    encoding::{Kernel, Kernels},
    math::{LowRank, Profile, RowBlocks, Tile, Toeplitz, Window, reference, toeplitz_attention},
};
use fastrand::Rng;
use ndarray::{Array2, s};

/// Windows of an n×n matrix: the whole, a square, a wide one, a tall one, one cell.
fn windows(n: usize) -> Vec<Window> {
    let window = |rows, cols| Window { rows, cols };
    vec![
        Window::whole(n, n),
        window(n / 3..n, 0..n - n / 3),
        window(n / 2..n / 2 + 1, 0..n),
        window(0..n, n / 4..n / 4 + n.div_ceil(3)),
        window(n - 1..n, 0..1),
    ]
}

/// Compares a tile with block means of the reference matrix; NaN if a block has no visible cell.
fn is_tile_of(tile: &Tile, slow: &Array2<f64>, causal: bool, room: f64, what: &str) {
    let Window { rows, cols } = tile.window.clone();
    assert_eq!(tile.row_step, tile.col_step);
    let means = reference::block_means(
        &slow.slice(s![rows.clone(), cols.clone()]).to_owned(),
        tile.row_step,
    );
    assert_eq!((tile.height(), tile.width()), means.dim(), "{what}");
    assert_eq!(tile.values.len(), means.len(), "{what}");
    for (((p, q), slow), fast) in means.indexed_iter().zip(&tile.values) {
        let last_query = (rows.start + (p + 1) * tile.row_step).min(rows.end) - 1;
        if causal && cols.start + q * tile.col_step > last_query {
            assert!(fast.is_nan(), "{what}: block {p},{q} is {fast}");
        } else {
            let off = (f64::from(*fast) - slow).abs();
            assert!(
                off <= room + 1e-5 * slow.abs(),
                "{what}: block {p},{q} is {fast}, slow {slow}"
            );
        }
    }
}

const LIMITS: [usize; 4] = [1, 3, 7, 512];

#[test]
fn tiles_are_block_means() {
    for (what, a) in every_product() {
        let (n, slow) = (a.n(), dense(&a));
        // The error of an `f32` sum is relative to its largest products.
        let room = 2e-6 * (extent(&slow) + slow[[0, 0]].abs()) + 1e-5;
        let formed = slow.mapv(|v| v as f32);
        for window in windows(n) {
            for limit in LIMITS {
                let what = format!("{what}, {window:?}, limit {limit}");
                let tile = a.tile(window.clone(), limit);
                assert!(tile.height().max(tile.width()) <= limit, "{what}");
                is_tile_of(&tile, &slow, false, room, &what);
                is_tile_of(&tile.causal(), &slow, true, room, &what);
                let of_formed = Tile::from_matrix(formed.view(), window.clone(), limit);
                if of_formed.row_step == of_formed.col_step {
                    is_tile_of(&of_formed, &slow, false, room, &what);
                }
            }
        }
        for i in 0..n {
            let row = a.rows(i..i + 1);
            for j in 0..n {
                assert!(
                    (a.cell(i, j) - slow[[i, j]]).abs() <= 1e-9 * (1.0 + slow[[i, j]].abs()),
                    "{what}"
                );
                let off = (f64::from(row[[0, j]]) - slow[[i, j]]).abs();
                assert!(off <= room, "{what}: cell {i},{j} is off by {off}");
            }
        }
    }
}

/// Sizes that are multiples of the strips and squares of the symmetric product, and others.
#[test]
fn a_table_times_itself_is_what_its_product_with_a_copy_is() {
    let mut rng = Rng::with_seed(5);
    for n in [1, 2, 31, 127, 128, 129, 160, 300] {
        for width in [1, 3, 40] {
            let table = random(&mut rng, n, width);
            let own = LowRank::gram(table.clone());
            let copy = LowRank::product(table.clone(), table, 0.0);
            let exact = own.tile(Window::whole(n, n), n);
            is_tile_of(&exact, &dense(&copy), false, 2e-6 * width as f64, "whole");
            let at = |i: usize, j: usize| exact.values[i * n + j];
            assert!(
                (0..n).all(|i| (0..i).all(|j| at(i, j).to_bits() == at(j, i).to_bits())),
                "n {n}, width {width}: not its own mirror image"
            );
            for window in windows(n) {
                let other = copy.tile(window.clone(), n);
                let tile = own.tile(window, n);
                let pairs = tile.values.iter().zip(&other.values);
                let room = 1e-6 * width as f32;
                assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() <= room));
            }
        }
    }
}

/// NaN stays in its row and column.
#[test]
fn a_row_without_numbers_is_a_row_and_a_column_of_its_table_times_itself() {
    let n = 200;
    let mut table = random(&mut Rng::with_seed(6), n, 4);
    table.row_mut(150).fill(f32::NAN);
    let tile = LowRank::gram(table).tile(Window::whole(n, n), n);
    for (at, value) in tile.values.iter().enumerate() {
        assert_eq!(value.is_nan(), at / n == 150 || at % n == 150, "cell {at}");
    }
}

/// Profiles of every kind: mild, steep, and too large for exponentials in `f64`.
fn profiles() -> Vec<Toeplitz> {
    let mut rng = Rng::with_seed(3);
    let mut profiles = Vec::new();
    for n in (1..=24).chain([40, 130]) {
        for size in [3.0, 250.0, 800.0] {
            let f = (0..2 * n - 1).map(|_| size * (2.0 * rng.f64() - 1.0));
            profiles.push(Toeplitz::new(Profile::new(f.collect())));
        }
        profiles.push(Toeplitz::from_fn(n, |k| -800.0 * k as f64 / n as f64));
        profiles.push(Toeplitz::from_fn(n, |k| 800.0 * k as f64 / n as f64));
    }
    profiles
}

#[test]
fn attention_of_a_profile_is_the_softmax_of_its_matrix() {
    for f in profiles() {
        let n = f.n();
        let scores = Array2::from_shape_fn((n, n), |(i, j)| f.at(j as i64 - i as i64).expect("k"));
        let top = f.profile().iter().fold(0.0_f64, |top, v| top.max(v.abs()));
        for window in windows(n) {
            for limit in LIMITS {
                let what = format!("n {n}, |f| up to {top:.0}, {window:?}, limit {limit}");
                let tile = f.tile(window.clone(), limit);
                is_tile_of(&tile, &scores, false, 1e-6 * top, &what);
                for (cells, causal) in
                    [(AttentionMask::Whole, false), (AttentionMask::Causal, true)]
                {
                    let slow = reference::softmax(&scores, causal);
                    let fast = toeplitz_attention(&f, cells, window.clone(), limit);
                    is_tile_of(&fast, &slow, causal, 1e-9, &what);
                }
            }
        }
    }
}

#[test]
fn attention_of_kernels_added_to_a_head_is_the_softmax_of_the_sum() {
    let kernels = Kernels(vec![
        Kernel::new(6.0, 0.3, -2.0),
        Kernel::new(-4.0, 0.01, 5.0),
    ]);
    for (n, r) in [(1, 2), (2, 1), (9, 4), (31, 8), (130, 16)] {
        for (what, a) in products(n, r) {
            let head = a.tile(Window::whole(n, n), n);
            for length in [1, n.div_ceil(2), n] {
                is_attention_of_sum(&head, &kernels, length, &what);
                for (cells, causal) in
                    [(AttentionMask::Whole, false), (AttentionMask::Causal, true)]
                {
                    let slow = attention_of_sum(&head, &kernels, length, causal);
                    let whole = Window::whole(length, length);
                    let mixed = MixedAttention::new(&kernels, length, cells);
                    let mut blocks = RowBlocks::new(whole, 7, cells);
                    for first in (0..length).step_by(5) {
                        let queries = first..(first + 5).min(length);
                        let rows = a.block(0..length).rows(queries.clone());
                        let mut rows = rows.into_raw_vec_and_offset().0;
                        mixed.attend(queries.clone(), &mut rows);
                        for (i, row) in queries.zip(rows.chunks_exact(length)) {
                            blocks.add(i, row);
                        }
                    }
                    let top = top_of_sum(&head, &kernels, length);
                    is_tile_of(&blocks.finish(), &slow, causal, 1e-6 * top, &what);
                }
            }
            assert!(HeadToMix::new(&head, n + 1, AttentionMask::Whole).is_none());
            let coarse = a.tile(Window::whole(n, n), n.div_ceil(2));
            let of_blocks = HeadToMix::new(&coarse, n, AttentionMask::Whole);
            assert_eq!(of_blocks.is_some(), n == 1, "{what}");
        }
    }
}

/// Kernels as high as the head's scores, or a thousand times higher: exponentials of each alone leave the range of
/// single precision, those of the sum do not.
#[test]
fn kernels_that_outweigh_a_head_are_mixed_exactly() {
    let n = 60;
    let score = |i: usize, j: usize| {
        if (i + 2 * j).is_multiple_of(7) {
            40.0
        } else {
            -60.0
        }
    };
    let head = Tile::square(Window::whole(n, n), n, |rows, cols| {
        let cell = |i: usize| cols.iter().map(move |j| score(i, j.start));
        rows.iter().flat_map(|i| cell(i.start)).collect()
    });
    for height in [90.0, -90.0, 1e3, -1e5] {
        for centre in [-50.0, 0.0, 3.0] {
            let kernels = Kernels(vec![Kernel::new(height, 0.2, centre)]);
            is_attention_of_sum(&head, &kernels, n, &format!("{height} at {centre}"));
        }
    }
}

/// The page's mixture equals softmax of the sum, whole and causal, in every window.
fn is_attention_of_sum(head: &Tile, kernels: &Kernels, n: usize, what: &str) {
    let top = top_of_sum(head, kernels, n);
    for (cells, causal) in [(AttentionMask::Whole, false), (AttentionMask::Causal, true)] {
        let slow = attention_of_sum(head, kernels, n, causal);
        let head = HeadToMix::new(head, n, cells).expect("exact");
        for window in windows(n) {
            let picture = head.attention(kernels, window.clone(), 256);
            let what = format!("{what}, {window:?}");
            is_tile_of(&picture, &slow, causal, 1e-6 * top, &what);
        }
    }
}

fn sum_of(head: &Tile, kernels: &Kernels, n: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, n), |(i, j)| {
        f64::from(head.at(i, j).expect("a cell")) + kernels.at(j as f64 - i as f64)
    })
}

/// The greatest |score| of the sum, at least 1. The error of a score s in `f32` is 6e-8·s, and so is the relative error
/// of its exponential.
fn top_of_sum(head: &Tile, kernels: &Kernels, n: usize) -> f64 {
    let sum = sum_of(head, kernels, n);
    sum.iter().fold(1.0_f64, |top, v| top.max(v.abs()))
}

fn attention_of_sum(head: &Tile, kernels: &Kernels, n: usize, causal: bool) -> Array2<f64> {
    reference::softmax(&sum_of(head, kernels, n), causal)
}
