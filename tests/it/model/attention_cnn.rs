//! Checkpoints with the tensor names of attention-cnn, against golden numbers computed pixel by pixel.

use super::model_golden::json;
use crate::{
    checkpoint::hostile::assert_is_sentence,
    support::{
        models::{f32s, note, open_model, plainly, tensors, write},
        questions::{FIRST, ask, folder, head_of_first, npy, open, save},
    },
};
use diagonal::{
    analysis::{
        AttentionMask, HeadConvolutions, MatrixFormat, MatrixId, MemorySession, ModelSummary,
        PatchMaps, PatchSimilarity, ScoreMode, Similarity, StoredGaussians,
    },
    checkpoint::MemorySource,
    math::{Grid, HeadShape, PixelHead, reference},
    model::{ModelError, ModelOptions},
};
use ndarray::Array2;
use serde_json::Value;

const FOLDERS: [&str; 3] = [
    "attention-cnn",
    "attention-cnn-torch",
    "attention-cnn-learned",
];

fn session(name: &str) -> (MemorySession, ModelSummary) {
    let session = MemorySession::default();
    let summary = open(&session, folder(name), ModelOptions::default()).expect(name);
    (session, summary)
}

fn list(value: &Value) -> Vec<f64> {
    let values = value.as_array().expect("a list").iter();
    values.map(|v| v.as_f64().expect("a number")).collect()
}

fn scores(session: &MemorySession, layer: usize, head: usize) -> Array2<f64> {
    let id = MatrixId::Head(
        head_of_first(ScoreMode::Paper, layer, head),
        AttentionMask::Whole,
    );
    let (size, values) = npy(&save(session, &id, MatrixFormat::Npy, None));
    let values = values.into_iter().map(f64::from).collect();
    Array2::from_shape_vec(size, values).expect("a matrix")
}

/// Scores and attention of every head for two pixels.
#[test]
fn heads_hold_their_golden_numbers() {
    for name in FOLDERS {
        let (session, summary) = session(name);
        let golden = json(&format!("{name}/golden.json"));
        assert_eq!(summary.family, "attention-cnn", "{name}");
        let grid = Grid {
            height: 5,
            width: 6,
        };
        assert_eq!(summary.grid, Some(grid), "{name}");
        for note in &summary.notes {
            assert_is_sentence(&note.text);
        }
        let queries: Vec<usize> = list(&golden["queries"])
            .iter()
            .map(|v| *v as usize)
            .collect();
        let mut worst = 0.0_f64;
        for layer in 0..summary.layers {
            let layer_name = format!("layer{layer}");
            for head in 0..4 {
                let scores = scores(&session, layer, head);
                let attention = reference::softmax(&scores, false);
                for (what, found) in [("scores", &scores), ("attention", &attention)] {
                    let rows = golden[what][&layer_name][head].as_array().expect("rows");
                    for (query, row) in queries.iter().zip(rows) {
                        for (found, golden) in found.row(*query).iter().zip(list(row)) {
                            let off = (found - golden).abs() / golden.abs().max(1.0);
                            assert!(off < 1e-5, "{name} {layer} {head} {what}: {found} {golden}");
                            worst = worst.max(off);
                        }
                    }
                }
            }
        }
        println!("{name}: off by {worst:.1e}");
    }
}

/// The stored centres and widths reproduce the heads' scores.
#[test]
fn centres_and_widths_are_those_of_the_scores() {
    for (name, is_round) in [("attention-cnn", true), ("attention-cnn-torch", false)] {
        let (session, summary) = session(name);
        let stored = ask(&session, StoredGaussians { of: FIRST })
            .expect(name)
            .expect(name);
        assert_eq!(stored.len(), summary.layers, "{name}");
        for (layer, heads) in stored.iter().enumerate() {
            assert_eq!(heads.len(), 4, "{name}");
            for (head, gaussian) in heads.iter().enumerate() {
                assert_eq!(
                    matches!(gaussian.shape, HeadShape::Round(_)),
                    is_round,
                    "{name}"
                );
                let scores = scores(&session, layer, head);
                let grid = summary.grid.expect("a grid");
                let score = |gaussian: PixelHead, (dy, dx): (i64, i64)| {
                    gaussian.score((dy as f64, dx as f64)) - gaussian.score((0.0, 0.0))
                };
                for ((i, j), found) in scores.indexed_iter() {
                    let expected = score(*gaussian, grid.offset(i, j));
                    let off = (found - expected).abs() / expected.abs().max(1.0);
                    assert!(off < 1e-4, "{name} {layer} {head}: {found} {expected}");
                }
            }
        }
    }
}

/// The view of images asks this of every model of the family; a failure would be shown on the page.
#[test]
fn a_model_without_gaussians_answers_so_and_does_not_fail() {
    for name in ["attention-cnn-learned", "vit", "swin", "bert"] {
        let (session, _) = session(name);
        let stored = ask(&session, StoredGaussians { of: FIRST }).expect(name);
        assert_is_sentence(&stored.expect_err(name));
    }
}

/// A Gaussian head is a convolution except at the edges, and is shown by offset.
#[test]
fn the_view_of_images_has_something_to_show() {
    let (session, _) = session("attention-cnn");
    let mode = ScoreMode::Paper;
    for layer in ask(
        &session,
        HeadConvolutions {
            of: FIRST,
            input: mode.into(),
        },
    )
    .expect("shares")
    {
        for head in layer.heads {
            assert!((head.scores_r2 - 1.0).abs() < 1e-9);
            assert!(
                (0.1..=1.0).contains(&head.explained_share),
                "{}",
                head.explained_share
            );
        }
    }
    let question = PatchSimilarity {
        of: FIRST,
        similarity: Similarity::Cosine,
        other: None,
        layer: 2,
    };
    let maps = ask(&session, question).expect("maps");
    assert!(matches!(maps, PatchMaps::ByHead(maps) if maps.layer == 2 && maps.heads.len() == 4));
}

const BEFORE: &str = "encoder.layer.0.attention.self.";

#[test]
fn what_does_not_fit_is_a_sentence() {
    let with = |folder: &str, name: &str, shape: &[usize], value: f32| {
        let mut tensors = tensors(folder);
        tensors.insert(format!("{BEFORE}{name}"), f32s(shape, |_| value));
        open_model(write(&tensors), None, &ModelOptions::default()).map(|(_, model)| model)
    };
    for (name, shape) in [
        ("attention_centers", &[4, 3][..]),
        ("attention_centers", &[0, 2]),
        ("attention_centers", &[8]),
        ("attention_spreads", &[3]),
        ("attention_spreads", &[4, 2, 3]),
    ] {
        let error = with("attention-cnn", name, shape, 1.0).expect_err(name);
        assert_is_sentence(&error.to_string());
    }
    let error = with("attention-cnn", "attention_centers", &[4, 2], f32::NAN);
    assert!(matches!(error, Err(ModelError::NotFinite { .. })));
    for (name, shape) in [
        ("row_embeddings.weight", &[12, 8][..]),
        ("row_embeddings.weight", &[13, 0]),
        ("head_keys_row.weight", &[4]),
    ] {
        let error = with("attention-cnn-learned", name, shape, 1.0).expect_err(name);
        assert_is_sentence(&error.to_string());
    }
    // A layer without its spreads gives an error that names them.
    let mut without = tensors("attention-cnn");
    without.remove(&format!("{BEFORE}attention_spreads"));
    let error = open_model(write(&without), None, &ModelOptions::default()).expect_err("spreads");
    assert!(error.to_string().contains("attention_spreads"), "{error}");
    // Heads with scores by content alone have no scores by position.
    let mut by_content = tensors("attention-cnn-learned");
    by_content.retain(|name, _| !name.contains("head_keys"));
    let error =
        open_model(write(&by_content), None, &ModelOptions::default()).expect_err("content");
    assert!(matches!(error, ModelError::NothingLearned { .. }));
}

#[test]
fn content_beside_positions_is_said() {
    let mut with_content = tensors("attention-cnn-learned");
    with_content.insert(format!("{BEFORE}query.weight"), f32s(&[32, 8], |_| 0.1));
    with_content.insert(format!("{BEFORE}key.weight"), f32s(&[32, 8], |_| 0.1));
    let (_, model) = plainly(write(&with_content), None);
    assert!(note(&model, "Content").is_some_and(|text| text.contains("positions alone")));
    assert!(note(&model, "Size of the image").is_some());
    assert!(note(&model, "Rows and columns").is_some());
    let config = diagonal::model::Config::parse("{\"attention_gaussian_blur_trick\": true}");
    let (_, model) = plainly(
        write(&tensors("attention-cnn")),
        Some(&config.expect("JSON")),
    );
    assert!(note(&model, "Blur trick").is_some());
}

/// A head that is constant in one direction is still valid.
#[test]
fn flat_heads_open() {
    let mut flat = tensors("attention-cnn");
    flat.insert(format!("{BEFORE}attention_spreads"), f32s(&[4], |_| 0.0));
    let session = MemorySession::default();
    let file = (
        "flat.safetensors".to_owned(),
        MemorySource::new(write(&flat)),
    );
    open(&session, vec![file], ModelOptions::default()).expect("flat heads");
    let mode = ScoreMode::Paper;
    let layers = ask(
        &session,
        HeadConvolutions {
            of: FIRST,
            input: mode.into(),
        },
    )
    .expect("shares");
    assert!(
        layers[0]
            .heads
            .iter()
            .all(|head| (head.explained_share - 1.0).abs() < 1e-9)
    );
    let stored = ask(&session, StoredGaussians { of: FIRST })
        .expect("an answer")
        .expect("Gaussians");
    assert_eq!(stored[0][0].shape, HeadShape::Round(0.0));
}

/// One convolution needs heads of "the same width and different centers": heads with the same letter meet that,
/// for any centres.
#[test]
fn letters_tell_widths_apart() {
    let (session, _) = session("attention-cnn");
    let stored = ask(&session, StoredGaussians { of: FIRST })
        .expect("an answer")
        .expect("Gaussians");
    let mode = ScoreMode::Paper;
    let layers = ask(
        &session,
        HeadConvolutions {
            of: FIRST,
            input: mode.into(),
        },
    )
    .expect("letters");
    for (layer, gaussians) in layers.iter().zip(&stored) {
        let alphas: Vec<f64> = gaussians.iter().filter_map(|head| head.alpha()).collect();
        let shared: Vec<Option<usize>> = layer.heads.iter().map(|head| head.kernel_index).collect();
        println!("{alphas:?} {shared:?}");
        for (a, of_a) in alphas.iter().zip(&shared) {
            for (b, of_b) in alphas.iter().zip(&shared) {
                if of_a.is_some() && of_a == of_b {
                    let ratio = (a / b).sqrt();
                    assert!((0.8..1.25).contains(&ratio), "{a} and {b} share a letter");
                }
            }
        }
    }
}
