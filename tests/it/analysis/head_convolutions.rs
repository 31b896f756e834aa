//! How close the heads of models are to a convolution, against the slow reference on their exported scores.

use crate::{
    analysis::golden_minilm,
    checkpoint::hostile::assert_is_sentence,
    math::attention_profiles::of_matrix,
    support::{
        models::{f32s, tensors, write},
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
    math::{ENOUGH_INSIDE, Grid},
    model::ModelOptions,
};
use ndarray::Array2;

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
