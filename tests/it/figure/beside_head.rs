//! Kernels beside a head: the sum of their scores, the attention of each, and the initial kernels.

use diagonal::{
    analysis::{
        AttentionStats, HeadAttentionStats, HeadId, HeadTile, Looks, MatrixFormat, MatrixId,
        ScoreMode,
    },
    encoding::{Kernel, Kernels},
    figure::{
        Column, Figure,
        attention_stats::{MAP_NAMES, attention_looks, look_words},
    },
    math::{AttentionMask, Profile, Tile, Toeplitz, Window, reference},
    url_state::{Link, default_kernels, starting_kernels},
};
use ndarray::Array2;
use proptest::{collection::vec, prelude::*};

use crate::support::questions::{ask, head_of_first, npy, save, with_bert};

const N: usize = 24;

fn kernels() -> Kernels {
    Kernels(vec![
        Kernel::new(2.0, 0.1, -1.0),
        Kernel::new(-1.0, 0.5, 3.0),
    ])
}

fn head() -> HeadId {
    head_of_first(ScoreMode::AsComputed, 1, 3)
}

/// The head's scores among the leading positions.
fn scores_of_head() -> Array2<f64> {
    let tile = HeadTile {
        of: head(),
        window: Window::whole(N, N),
        limit: N,
    };
    let tile = ask(&with_bert(), tile).expect("a tile");
    Array2::from_shape_fn((N, N), |(i, j)| f64::from(tile.at(i, j).expect("a cell")))
}

fn scores_of_kernels() -> Array2<f64> {
    Array2::from_shape_fn((N, N), |(i, j)| kernels().at(j as f64 - i as f64))
}

/// Shares by offset from −(n−1), and the mean entropy of the rows, from the definitions.
fn looked_up(scores: &Array2<f64>, causal: bool) -> (Vec<f64>, f64) {
    let attention = reference::softmax(scores, causal);
    let n = scores.nrows();
    let mut shares = vec![0.0; 2 * n - 1];
    let mut entropy = 0.0;
    for ((i, j), &p) in attention.indexed_iter() {
        if p > 0.0 {
            shares[j + n - 1 - i] += p / n as f64;
            entropy -= p * p.log2() / n as f64;
        }
    }
    (shares, entropy)
}

fn look(kernels: Kernels, cells: AttentionMask) -> HeadAttentionStats {
    HeadAttentionStats {
        of: head(),
        kernels,
        n: N,
        cells,
    }
}

proptest! {
    /// Includes profiles far beyond the range of exp().
    #[test]
    fn a_toeplitz_look_is_that_of_its_cells(
        half in vec(-4.0..4.0_f64, 1..24),
        scale in prop::sample::select(vec![0.0, 1.0, 30.0, 500.0]),
        causal in any::<bool>(),
    ) {
        let n = half.len();
        let f = Profile::from_fn(n, |k| scale * half[k.unsigned_abs() as usize] + k as f64 / n as f64);
        let cells = if causal { AttentionMask::Causal } else { AttentionMask::Whole };
        let look = AttentionStats::from_toeplitz(&Toeplitz::new(f.clone()), cells);
        let scores = Array2::from_shape_fn((n, n), |(i, j)| f.at(j as i64 - i as i64).unwrap_or(f64::NAN));
        let (shares, entropy) = looked_up(&scores, causal);
        for (found, expected) in look.share.iter().zip(&shares) {
            prop_assert!((found - expected).abs() < 1e-11, "{found} {expected}");
        }
        // The entropy is the difference of a row's log-sum and its mean score, both as large as the scores, so the
        // tolerance scales with them.
        let size = f.iter().fold(1.0_f64, |size, f| size.max(f.abs()));
        prop_assert!((look.entropy - entropy).abs() < 1e-11 * size, "{} {entropy}", look.entropy);
    }
}

#[test]
fn where_a_head_looks_is_counted_cell_by_cell() {
    let session = with_bert();
    for (cells, causal) in [(AttentionMask::Whole, false), (AttentionMask::Causal, true)] {
        let look = |kernels| ask(&session, look(kernels, cells)).expect("an answer");
        let looks = Looks {
            head: look(Kernels::default()),
            kernels: AttentionStats::from_toeplitz(&kernels().scores(N), cells),
            together: look(kernels()),
        };
        let (a, b) = (scores_of_head(), scores_of_kernels());
        let both = &a + &b;
        for (look, scores) in [
            (&looks.head, &a),
            (&looks.kernels, &b),
            (&looks.together, &both),
        ] {
            let (shares, entropy) = looked_up(scores, causal);
            assert!((look.share.iter().sum::<f64>() - 1.0).abs() < 1e-6);
            for (found, expected) in look.share.iter().zip(&shares) {
                assert!((found - expected).abs() < 1e-6, "{found} {expected}");
            }
            assert!((look.entropy - entropy).abs() < 1e-5, "{entropy}");
            let reach = 3;
            let near: f64 = shares[N - 1 - reach..N + reach].iter().sum();
            assert!((look.within(reach) - near).abs() < 1e-6);
            let peak = shares[(look.peak() + N as i64 - 1) as usize];
            assert!(shares.iter().all(|share| *share <= peak + 1e-6));
        }
        let figure = attention_looks(&looks, cells);
        assert_eq!(figure.lines().count(), MAP_NAMES.len());
        let table = figure.table();
        assert_eq!(table.rows(), 2 * N - 1);
        for (name, scores) in [("head", &a), ("both_added", &both)] {
            let (_, entropy) = looked_up(scores, causal);
            let read = |column: &str| match table.column(&format!("{name}_{column}")) {
                Some(Column::Number(values)) => values[0],
                other => panic!("{name}_{column}: {other:?}"),
            };
            assert!((read("entropy") - entropy).abs() < 1e-5, "{entropy}");
            assert!((read("keys") - entropy.exp2()).abs() < 1e-4, "{entropy}");
        }
        assert!(figure.summary().contains("bits"));
    }
}

#[test]
fn uniform_attention_looks_at_all_keys_alike() {
    let uniform =
        AttentionStats::from_toeplitz(&Kernels::default().scores(N), AttentionMask::Whole);
    assert!((uniform.keys() - N as f64).abs() < 1e-9);
    assert_eq!(uniform.peak(), 0);
    let head = look(Kernels::default(), AttentionMask::Whole);
    let head = ask(&with_bert(), head).expect("an answer");
    let looks = Looks {
        together: head.clone(),
        kernels: uniform,
        head,
    };
    let words = look_words(&looks, 4);
    let alone = &words[1];
    assert_eq!((&*alone.name, &*alone.keys), ("kernels", "24.0"));
    assert_eq!(
        words.len(),
        MAP_NAMES.len(),
        "a table without a seam has no sides"
    );
}

#[test]
fn the_sum_is_drawn_as_it_is_saved() {
    let session = with_bert();
    let sum = &scores_of_head() + &scores_of_kernels();
    let of = MatrixId::Added(kernels(), N, AttentionMask::Whole, head());
    let (shape, values) = npy(&save(&session, &of, MatrixFormat::Npy, None));
    assert_eq!(shape, (N, N));
    for (found, expected) in values.iter().zip(&sum) {
        assert!((f64::from(*found) - expected).abs() < 1e-5);
    }
    // The page adds the two tiles, whose values are means of equal blocks.
    for limit in [N, 7] {
        let window = Window {
            rows: 2..N,
            cols: 0..N - 2,
        };
        let of_head = HeadTile {
            of: head(),
            window: window.clone(),
            limit,
        };
        let of_head = ask(&session, of_head).expect("a tile");
        let of_kernels: Tile = kernels().scores(N).tile(window.clone(), limit);
        let drawn = of_head.plus(&of_kernels).expect("equal blocks");
        for p in 0..drawn.height() {
            for q in 0..drawn.width() {
                let rows = window.rows.clone().skip(p * drawn.row_step);
                let cells = rows.take(drawn.row_step).flat_map(|i| {
                    let cols = window.cols.clone().skip(q * drawn.col_step);
                    cols.take(drawn.col_step).map(move |j| (i, j))
                });
                let cells: Vec<f64> = cells.map(|at| sum[at]).collect();
                let mean = cells.iter().sum::<f64>() / cells.len() as f64;
                let value = f64::from(drawn.values[p * drawn.width() + q]);
                assert!((value - mean).abs() < 1e-5, "{value} {mean}");
            }
        }
        let other = Toeplitz::tile(&kernels().scores(N), Window::whole(N, N), limit);
        assert_eq!(of_head.plus(&other), None, "other cells");
    }
}

#[test]
fn kernels_start_in_the_size_of_the_head() {
    assert_eq!(starting_kernels(None), default_kernels());
    for nothing in [0.0, f64::NAN, f64::INFINITY, 1e-300] {
        assert_eq!(starting_kernels(Some(nothing)), default_kernels());
    }
    for span in [0.031, 4.2, 178.0, 1e-8, 5e5] {
        let kernels = starting_kernels(Some(span));
        let own = kernels.scores(64).profile().span(AttentionMask::Whole);
        assert!((own / span - 1.0).abs() < 0.01, "{span} {own}");
        for kernel in &kernels.0 {
            let written = format!("{:.2e}", kernel.a);
            assert_eq!(written.parse(), Ok(kernel.a), "three digits");
        }
    }
}

#[test]
fn kernels_are_as_long_as_the_head_by_default() {
    let section = |query: &str| Link::parse(query).0.kernels;
    assert_eq!(section("").length_beside(Some(512)), 512);
    assert_eq!(section("").length_beside(None), 64);
    assert_eq!(section("").length_beside(Some(1 << 20)), 16_384);
    assert_eq!(section("n=128").length_beside(Some(512)), 128);
    let (link, warnings) = Link::parse("n=7");
    assert_eq!((link.kernels.length, warnings.count()), (None, 1));
}
