//! How close heads are to a convolution: against slow reference implementations, and by laws that hold for all scores.

use super::laws::config;
use crate::{
    analysis::golden_minilm,
    checkpoint::hostile::assert_is_sentence,
    support::{
        models::{f32s, tensors, write},
        oracles::random,
        questions::{FIRST, ask, folder, head_of_first, npy, open, save, with_computed},
    },
};
use diagonal::{
    analysis::{
        ATTENDED_POSITIONS, AttentionMask, FailureKind, HeadConvolutions, HeadId, MatrixFormat,
        MatrixId, MemorySession, Origin, ScoreMode, profile_letter,
    },
    checkpoint::MemorySource,
    encoding::Sinusoidal,
    math::{
        ALIKE, AttentionFit, AttentionProfile, ENOUGH_INSIDE, Grid, GridToeplitz, LowRank,
        ProfileReach, Scores, Toeplitz, reference, shared_profiles,
    },
    model::ModelOptions,
};
use fastrand::Rng;
use ndarray::Array2;
use proptest::prelude::*;

/// Scores as a matrix in `f64`.
fn dense(scores: &Scores) -> Array2<f64> {
    scores.rows(0..scores.n()).mapv(f64::from)
}

/// Random scores of a product on a grid.
fn product(grid: Grid, width: usize, spread: f32, seed: u64) -> Scores {
    let mut rng = Rng::with_seed(seed);
    let mut factor = || random(&mut rng, grid.cells(), width) * spread;
    Scores::Product(LowRank::product(factor(), factor(), 0.3), Some(grid))
}

/// The share explained, from the reference implementation.
fn slowly(scores: &Scores, grid: Grid, cells: AttentionMask) -> f64 {
    of_matrix(&dense(scores), grid, cells)
}

fn of_matrix(scores: &Array2<f64>, grid: Grid, cells: AttentionMask) -> f64 {
    let attention = reference::softmax(scores, cells == AttentionMask::Causal);
    match cells {
        AttentionMask::Causal => reference::causal_toeplitz_r2(&attention),
        AttentionMask::Whole if grid.height == 1 => reference::toeplitz_r2(&attention),
        AttentionMask::Whole => reference::grid_r2(&attention, grid.width),
    }
}

proptest! {
    #![proptest_config(config(64))]

    #[test]
    fn the_share_is_that_of_the_slow_twin(
        height in 1..6_usize, width in 2..8_usize, spread in 0.05..2.0_f32, seed: u64,
    ) {
        let grid = Grid { height, width };
        let scores = product(grid, 3, spread, seed);
        let fit = AttentionFit::compute(&scores, grid, AttentionMask::Whole);
        let slow = slowly(&scores, grid, AttentionMask::Whole);
        prop_assert!((fit.explained_share - slow).abs() < 1e-6, "{} {slow}", fit.explained_share);
        let attention = reference::softmax(&dense(&scores), false);
        let means = reference::grid_mean(&attention, width);
        for (g, mean) in fit.g.iter().zip(means) {
            prop_assert!((g - mean).abs() < 1e-6);
        }
    }

    #[test]
    fn the_share_of_a_decoder_is_over_the_keys_that_it_sees(
        n in 2..30_usize, spread in 0.05..2.0_f32, seed: u64,
    ) {
        let grid = Grid::line(n);
        let scores = product(grid, 3, spread, seed);
        let fit = AttentionFit::compute(&scores, grid, AttentionMask::Causal);
        let slow = slowly(&scores, grid, AttentionMask::Causal);
        prop_assert!((fit.explained_share - slow).abs() < 1e-6, "{} {slow}", fit.explained_share);
        prop_assert!(fit.g[n..].iter().all(|g| *g == 0.0), "no later key is seen");
    }

    #[test]
    fn a_profile_moved_is_the_same_profile(dy in -2..=2_i64, dx in -2..=2_i64, seed: u64) {
        // Bumps at most two offsets from the centre, in a window that reaches five.
        let mut rng = Rng::with_seed(seed);
        let bump: Vec<f32> = (0..9).map(|_| 0.05 + rng.f32()).collect();
        let at = |down: i64, across: i64| profile(5, |y, x| {
            let (y, x) = (y - down, x - across);
            if y.abs() <= 1 && x.abs() <= 1 { bump[((y + 1) * 3 + x + 1) as usize] } else { 0.0 }
        });
        let (here, there) = (at(0, 0), at(dy, dx));
        prop_assert!((here.alikeness(&there) - 1.0).abs() < 1e-9);
        prop_assert_eq!(shared_profiles(&[here, there]), vec![Some(0), Some(0)]);
    }

    #[test]
    fn alikeness_is_that_of_the_slow_twin(down in 0..4_usize, across in 1..4_usize, seed: u64) {
        let reach = ProfileReach { down, across };
        let mut rng = Rng::with_seed(seed);
        let mut any = || AttentionProfile {
            reach,
            values: reach.offsets().map(|_| rng.f32().powi(4)).collect(),
            inside: 1.0,
        };
        let (a, b) = (any(), any());
        let picture = |of: &AttentionProfile| {
            let values = of.values.iter().map(|v| f64::from(*v)).collect();
            Array2::from_shape_vec(reach.size(), values).expect("a picture")
        };
        let slow = reference::alikeness(&picture(&a), &picture(&b));
        prop_assert!((a.alikeness(&b) - slow).abs() < 1e-9);
        prop_assert!((b.alikeness(&a) - slow).abs() < 1e-9, "both ways");
    }
}

/// A square profile.
fn profile(reach: usize, value: impl Fn(i64, i64) -> f32) -> AttentionProfile {
    let reach = ProfileReach {
        down: reach,
        across: reach,
    };
    let values = reach.offsets().map(|(dy, dx)| value(dy, dx));
    AttentionProfile {
        reach,
        values: values.collect(),
        inside: 1.0,
    }
}

#[test]
fn attention_without_an_edge_is_all_convolution() {
    // On a ring, softmax divides every row by the same sum, and with period n offsets k and k − n are the same.
    let n = 24;
    let ring = |k: i64| f64::from((k.rem_euclid(n as i64) as f32 * 0.7).cos());
    let scores = Scores::Toeplitz(Toeplitz::from_fn(n, ring));
    let fit = AttentionFit::compute(&scores, Grid::line(n), AttentionMask::Whole);
    assert!(
        (fit.explained_share - 1.0).abs() < 1e-9,
        "{}",
        fit.explained_share
    );
    // Uniform attention is constant.
    let flat = Scores::Toeplitz(Toeplitz::from_fn(n, |_| 3.0));
    let fit = AttentionFit::compute(&flat, Grid::line(n), AttentionMask::Whole);
    assert!(
        (fit.explained_share - 1.0).abs() < 1e-9,
        "{}",
        fit.explained_share
    );
}

#[test]
fn sharp_heads_lose_to_the_edge_alone() {
    // A head on its own pixel loses nothing; one on the neighbouring pixel loses at one edge.
    let grid = Grid {
        height: 9,
        width: 9,
    };
    let at = |y: i64, x: i64| {
        let score = move |dy: i64, dx: i64| -40.0 * ((dy - y).pow(2) + (dx - x).pow(2)) as f64;
        let scores = Scores::Grid(GridToeplitz::from_fn(grid, score));
        AttentionFit::compute(&scores, grid, AttentionMask::Whole)
    };
    let own = at(0, 0);
    assert!((own.explained_share - 1.0).abs() < 1e-9);
    assert_eq!(own.profile().peak(), (0, 0));
    let beside = at(-1, 2);
    assert!(
        (0.5..0.99).contains(&beside.explained_share),
        "{}",
        beside.explained_share
    );
    assert_eq!(beside.profile().peak(), (-1, 2));
    assert_eq!(
        shared_profiles(&[own.profile(), beside.profile()]),
        [Some(0), Some(0)]
    );
}

#[test]
fn random_scores_are_no_convolution() {
    let grid = Grid {
        height: 8,
        width: 8,
    };
    let scores = product(grid, 16, 0.5, 7);
    let fit = AttentionFit::compute(&scores, grid, AttentionMask::Whole);
    // Random attention explains about 225 of 4096 cells' variance: one share per offset.
    assert!(fit.explained_share < 0.15, "{}", fit.explained_share);
}

#[test]
fn scores_that_are_no_numbers_have_no_share() {
    let table = Array2::from_shape_fn((5, 2), |(i, _)| if i == 2 { f32::NAN } else { i as f32 });
    let scores = Scores::Product(LowRank::gram(table), None);
    let fit = AttentionFit::compute(&scores, Grid::line(5), AttentionMask::Whole);
    assert!(fit.explained_share.is_nan());
    let _ = fit.profile().peak();
    // A single position has one cell.
    let one = Scores::Toeplitz(Toeplitz::from_fn(1, |_| 2.0));
    let fit = AttentionFit::compute(&one, Grid::line(1), AttentionMask::Causal);
    assert_eq!((fit.explained_share, fit.g), (1.0, vec![1.0]));
}

/// A Gaussian of the given α, centred at (y, x), on a square, or on a line if there are no rows.
fn gaussian(alpha: f64, (y, x): (f64, f64), reach: ProfileReach) -> AttentionProfile {
    let weight = |(dy, dx): (i64, i64)| {
        let (dy, dx) = (dy as f64 - y, dx as f64 - x);
        (-alpha * (dy * dy + dx * dx)).exp()
    };
    let all: f64 = reach.offsets().map(weight).sum();
    AttentionProfile {
        reach,
        values: reach
            .offsets()
            .map(|at| (weight(at) / all) as f32)
            .collect(),
        inside: 1.0,
    }
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn one_letter_is_one_width_at_any_centres(
        alpha in 0.3..1.0_f64,
        wider in 1.0..2.0_f64,
        on_a_line: bool,
        (y, x) in (-2.0..2.0_f64, -2.0..2.0_f64),
    ) {
        let (down, y) = if on_a_line { (0, 0.0) } else { (8, y.round()) };
        let reach = ProfileReach { down, across: 12 };
        // Centres on whole offsets, because a narrow Gaussian between two offsets is another kernel.
        let here = gaussian(alpha, (0.0, 0.0), reach);
        let there = gaussian(alpha / wider.powi(2), (y, x.round()), reach);
        if wider > 1.3 {
            prop_assert_ne!(shared_profiles(&[here, there])[1], Some(0));
        } else if wider < 1.03 {
            prop_assert_eq!(shared_profiles(&[here, there])[1], Some(0));
        }
    }
}

#[test]
fn profiles_that_differ_have_their_own_letters() {
    let narrow = |y: i64, x: i64| {
        profile(5, move |dy, dx| {
            (-2.0 * ((dy - y).pow(2) + (dx - x).pow(2)) as f32).exp()
        })
    };
    let wide = |y: i64, x: i64| {
        profile(5, move |dy, dx| {
            (-0.25 * ((dy - y).pow(2) + (dx - x).pow(2)) as f32).exp()
        })
    };
    let far = AttentionProfile {
        inside: 0.9 * ENOUGH_INSIDE,
        ..narrow(0, 0)
    };
    assert!(narrow(0, 0).alikeness(&wide(0, 0)) < ALIKE);
    let heads = [
        wide(0, 0),
        narrow(1, 1),
        narrow(-2, 0),
        far,
        narrow(0, 2),
        wide(1, 0),
    ];
    let letters = shared_profiles(&heads);
    let letters: Vec<String> = letters
        .into_iter()
        .map(|group| group.map_or("–".to_owned(), profile_letter))
        .collect();
    assert_eq!(letters, ["B", "A", "A", "–", "A", "B"]);
    assert_eq!(profile_letter(25), "Z");
    assert_eq!(profile_letter(26), "AA");
    assert_eq!(profile_letter(27), "AB");
    assert!(shared_profiles(&[]).is_empty());
}

// ── of models ──

/// A head's scores as exported.
fn matrix(session: &MemorySession, id: HeadId, n: usize) -> Array2<f64> {
    let id = MatrixId::Head(id, AttentionMask::Whole);
    let bytes = save(session, &id, MatrixFormat::Npy, None);
    let (size, values) = npy(&bytes);
    assert_eq!(size, (n, n));
    let values = values.into_iter().map(f64::from).collect();
    Array2::from_shape_vec(size, values).expect("a matrix")
}

/// Tables, decoders, scores by offset, windows, kernels and distances: every share equals that of the reference
/// implementation on the exported scores.
#[test]
fn every_model_with_heads_has_shares() {
    for name in [
        "bert", "gpt2", "vit", "deit", "clip", "beit", "swin", "t5", "tisa", "deberta",
    ] {
        let session = MemorySession::default();
        let summary = open(&session, folder(name), ModelOptions::default()).expect(name);
        for mode in [ScoreMode::Paper, ScoreMode::AsComputed] {
            let layers = ask(
                &session,
                HeadConvolutions {
                    of: FIRST,
                    input: mode.into(),
                },
            )
            .expect(name);
            assert_eq!(layers.len(), summary.layers, "{name}");
            for (at, layer) in layers.iter().enumerate() {
                assert_eq!((layer.layer, layer.of), (at, layer.n), "{name}");
                assert_eq!(
                    layer.heads.len(),
                    summary.heads.expect(name).0 as usize,
                    "{name}"
                );
                assert_eq!(
                    (layer.grid, layer.cells),
                    (summary.grid, summary.cells),
                    "{name}"
                );
                let grid = layer.grid.unwrap_or(Grid::line(layer.n));
                for (head, found) in layer.heads.iter().enumerate() {
                    let scores = matrix(&session, head_of_first(mode, at, head), layer.n);
                    let slow = of_matrix(&scores, grid, layer.cells);
                    assert!(
                        (found.explained_share - slow).abs() < 1e-5,
                        "{name} {at} {head}: {} {slow}",
                        found.explained_share
                    );
                    assert!((0.0..=1.0).contains(&found.scores_r2), "{name}");
                    assert!((0.0..1.0 + 1e-9).contains(&found.profile.inside), "{name}");
                    assert_eq!(
                        found.kernel_index.is_some(),
                        found.profile.inside >= ENOUGH_INSIDE
                    );
                }
            }
        }
    }
}

/// Scores of T5 and Swin depend only on the offset; their attention does so only approximately, because of the edges.
#[test]
fn edges_take_a_share_of_relative_models() {
    for name in ["t5", "swin", "tisa"] {
        let session = MemorySession::default();
        open(&session, folder(name), ModelOptions::default()).expect(name);
        let mode = ScoreMode::Paper;
        let layers = ask(
            &session,
            HeadConvolutions {
                of: FIRST,
                input: mode.into(),
            },
        )
        .expect(name);
        for head in &layers[0].heads {
            println!("{name} {} {:?}", head.explained_share, head.kernel_index);
            assert!((head.scores_r2 - 1.0).abs() < 1e-9, "{name}");
            assert!(head.explained_share < 1.0, "{name}");
            assert!(
                head.explained_share > 0.05,
                "{name} {}",
                head.explained_share
            );
        }
    }
}

#[test]
fn long_tables_are_looked_at_by_their_leading_positions() {
    let n = ATTENDED_POSITIONS + 52;
    let mut tensors = tensors("bert");
    let table = "embeddings.position_embeddings.weight";
    let key = tensors.keys().find(|key| key.ends_with(table));
    let key = key.expect("a table").clone();
    tensors.insert(key, f32s(&[n, 64], |at| ((at * 37 % 101) as f32).sin()));
    let session = MemorySession::default();
    let file = (
        "long.safetensors".to_owned(),
        MemorySource::new(write(&tensors)),
    );
    open(&session, vec![file], ModelOptions::default()).expect("a long table");
    let mode = ScoreMode::AsComputed;
    let layers = ask(
        &session,
        HeadConvolutions {
            of: FIRST,
            input: mode.into(),
        },
    )
    .expect("shares");
    assert_eq!((layers[0].n, layers[0].of), (ATTENDED_POSITIONS, n));
    assert!(
        layers[0]
            .heads
            .iter()
            .all(|head| head.explained_share.is_finite())
    );
}

/// Large images are evaluated on their leading rows, which are an image, too.
#[test]
fn large_images_are_looked_at_by_their_leading_rows() {
    let mut tensors = tensors("attention-cnn");
    tensors.retain(|name, _| !name.contains("layer.1") && !name.contains("layer.2"));
    let config = r#"{"model_type": "attention-cnn", "image_size": [50, 60], "patch_size": 1}"#;
    let session = MemorySession::default();
    let files = vec![
        (
            "m/model.safetensors".to_owned(),
            MemorySource::new(write(&tensors)),
        ),
        (
            "m/config.json".to_owned(),
            MemorySource::new(config.as_bytes()),
        ),
    ];
    let summary = open(&session, files, ModelOptions::default()).expect("large images");
    let own = Grid {
        height: 50,
        width: 60,
    };
    assert_eq!(summary.grid, Some(own));
    let mode = ScoreMode::Paper;
    let layers = ask(
        &session,
        HeadConvolutions {
            of: FIRST,
            input: mode.into(),
        },
    )
    .expect("shares");
    let looked_at = Grid { height: 34, ..own };
    assert_eq!((layers[0].n, layers[0].of), (34 * 60, 3000));
    assert_eq!(layers[0].grid, Some(looked_at));
    assert!(
        layers[0]
            .heads
            .iter()
            .all(|head| head.explained_share > 0.5)
    );
}

/// Head 3 of the first layer attends to the previous position, like a convolution with one tap.
#[test]
fn the_preset_has_a_head_that_looks_back() {
    let (session, _) = golden_minilm::open();
    let mode = ScoreMode::AsComputed;
    let begin = std::time::Instant::now();
    let layers = ask(
        &session,
        HeadConvolutions {
            of: FIRST,
            input: mode.into(),
        },
    )
    .expect("shares");
    println!("{} heads in {:?}", 12 * layers.len(), begin.elapsed());
    let head = &layers[0].heads[2];
    assert_eq!(head.profile.peak(), (0, -1));
    assert!(head.explained_share > 0.7, "{}", head.explained_share);
    for layer in &layers {
        let shares: Vec<String> = layer
            .heads
            .iter()
            .map(|head| {
                format!(
                    "{:.2}{}",
                    head.explained_share,
                    head.kernel_index.map_or("–".to_owned(), profile_letter)
                )
            })
            .collect();
        println!("layer {}: {}", layer.layer + 1, shares.join(" "));
    }
}

#[test]
fn a_computed_table_has_no_heads() {
    let session = with_computed(Origin::Sinusoidal(Sinusoidal {
        rows: 16,
        width: 8,
        base: 10_000.0,
    }));
    let mode = ScoreMode::Paper;
    let failure = ask(
        &session,
        HeadConvolutions {
            of: FIRST,
            input: mode.into(),
        },
    )
    .expect_err("no heads");
    assert_eq!(failure.kind, FailureKind::NotThere);
    assert_is_sentence(&failure.to_string());
}
