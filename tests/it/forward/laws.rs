//! Laws of forward passes.

use super::{File, Run, no_pause, open_pass, pass_of, text};
use crate::{
    checkpoint::checkpoints::open,
    support::models::{Stored, Tensors, config, data, f32s, tensors, write},
};
use diagonal::{
    forward::{Batch, ForwardPass, LayerAttention},
    math::reference::toeplitz_r2,
    model::Config,
};
use ndarray::{Array2, ArrayView2};
use pollster::block_on;

/// A pass over a folder whose tensors are changed.
pub(super) fn changed(
    folder: &str,
    source: Option<&str>,
    change: impl FnOnce(&mut Tensors),
) -> (File, ForwardPass) {
    let folder = format!("forward/{folder}");
    let mut all = tensors(&folder);
    change(&mut all);
    let file = open(write(&all)).expect("a file");
    let pass = pass_of(&file, &config(&folder), source).expect("a pass");
    (file, pass)
}

/// Sets all numbers of the tensors whose names contain a text.
pub(super) fn set(all: &mut Tensors, name: &str, number: f32) {
    let named = all.iter_mut().filter(|(other, _)| other.contains(name));
    let mut count = 0;
    for (_, Stored { bytes, .. }) in named {
        let (numbers, _) = bytes.as_chunks_mut::<4>();
        numbers.fill(number.to_le_bytes());
        count += 1;
    }
    assert!(count > 0, "no tensor is called {name}");
}

fn apart(a: ArrayView2<'_, f32>, b: ArrayView2<'_, f32>) -> f32 {
    let size = b.iter().fold(1.0_f32, |most, x| most.max(x.abs()));
    let apart = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    assert_eq!(a.dim(), b.dim());
    apart.fold(0.0_f32, f32::max) / size
}

#[test]
fn a_text_of_a_batch_has_the_states_that_it_has_alone() {
    let texts = [text(9, 1), text(1, 2), text(9, 3), text(16, 4)];
    for (folder, source) in [
        ("bert", None),
        ("deberta-v2", None),
        ("deberta-v3", None),
        ("mpnet", None),
        ("t5", Some("encoder")),
        ("llama-dynamic", None),
    ] {
        let (file, pass) = open_pass(folder, source);
        let together = Run::of_texts(&file, &pass, &texts);
        for (at, text) in texts.iter().enumerate() {
            let alone = Run::of_texts(&file, &pass, std::slice::from_ref(text));
            for (together, alone) in together.states.iter().zip(&alone.states) {
                assert!(apart(together.text(at), alone.text(0)) < 1e-5, "{folder}");
            }
        }
    }
}

#[test]
fn without_positions_shuffled_texts_have_shuffled_states() {
    let order = [3, 0, 7, 1, 2, 9, 5, 4, 8, 6];
    for (folder, table) in [
        ("bert", "position_embeddings"),
        ("roberta", "position_embeddings"),
    ] {
        let (file, pass) = changed(folder, None, |all| set(all, table, 0.0));
        let words = text(order.len(), 2);
        let shuffled = order.map(|at| words[at]).to_vec();
        let runs = [words, shuffled].map(|text| Run::of_texts(&file, &pass, &[text]));
        let rows = runs[0].last().text(0);
        let expected = Array2::from_shape_fn(rows.dim(), |(i, j)| rows[(order[i], j)]);
        assert!(
            apart(runs[1].last().text(0), expected.view()) < 1e-5,
            "{folder}"
        );
        // With its table, the order matters.
        let (file, pass) = open_pass(folder, None);
        let words = text(order.len(), 2);
        let shuffled = order.map(|at| words[at]).to_vec();
        let runs = [words, shuffled].map(|text| Run::of_texts(&file, &pass, &[text]));
        let rows = runs[0].last().text(0);
        let expected = Array2::from_shape_fn(rows.dim(), |(i, j)| rows[(order[i], j)]);
        assert!(
            apart(runs[1].last().text(0), expected.view()) > 1e-2,
            "{folder}"
        );
    }
}

fn r2(scores: &Array2<f32>) -> f64 {
    toeplitz_r2(&scores.mapv(f64::from))
}

/// Scores of the first layer's heads.
fn first_scores(file: &File, pass: &ForwardPass, text: Vec<u32>) -> Vec<Array2<f32>> {
    let embedding = block_on(pass.embed(file, &[text], &no_pause)).expect("an embedding");
    let weights = block_on(pass.read_scores(file, 0, &no_pause)).expect("weights");
    let states = embedding.states();
    let attention = LayerAttention::new(&weights, states.text(0));
    let heads = 0..attention.heads();
    heads
        .map(|head| attention.scores(head, 0..attention.n()))
        .collect()
}

#[test]
fn the_bias_of_t5_alone_is_a_toeplitz_matrix() {
    let (file, pass) = changed("t5", Some("encoder"), |all| {
        set(all, "SelfAttention.q.weight", 0.0);
    });
    for scores in first_scores(&file, &pass, text(20, 5)) {
        assert!((r2(&scores) - 1.0).abs() < 1e-9);
    }
    let (file, pass) = open_pass("t5", Some("encoder"));
    for scores in first_scores(&file, &pass, text(20, 5)) {
        assert!(r2(&scores) < 0.9);
    }
}

#[test]
fn relative_positions_of_one_repeated_word_depend_on_the_offset_alone() {
    for (folder, source) in [
        ("t5", Some("encoder")),
        ("deberta", None),
        ("deberta-v3", None),
        ("gpt-neox", None),
        ("llama", None),
        ("llama-yarn", None),
        ("qwen3", None),
        ("modernbert", None),
    ] {
        let (file, pass) = open_pass(folder, source);
        for scores in first_scores(&file, &pass, vec![9; 14]) {
            assert!(
                (r2(&scores) - 1.0).abs() < 1e-5,
                "{folder}: {}",
                r2(&scores)
            );
        }
        let scores = first_scores(&file, &pass, text(14, 1));
        assert!(scores.iter().any(|scores| r2(scores) < 0.99), "{folder}");
    }
}

#[test]
fn decoders_see_no_later_words() {
    let (long, short) = (text(14, 3), text(14, 3)[..6].to_vec());
    let mut other = long.clone();
    other[6..].reverse();
    for folder in [
        "gpt", "gpt2", "gpt-neo", "opt", "gpt-neox", "llama", "qwen2", "gemma3",
    ] {
        let (file, pass) = open_pass(folder, None);
        assert!(pass.is_causal(), "{folder}");
        let [long, other] =
            [&long, &other].map(|text| Run::of_texts(&file, &pass, std::slice::from_ref(text)));
        let short = Run::of_texts(&file, &pass, std::slice::from_ref(&short));
        let first = |run: &Run| run.last().text(0).slice(ndarray::s![..6, ..]).to_owned();
        assert!(
            apart(first(&long).view(), short.last().text(0)) < 1e-5,
            "{folder}"
        );
        assert!(
            apart(first(&long).view(), first(&other).view()) < 1e-5,
            "{folder}"
        );
    }
    for folder in ["bert", "modernbert"] {
        assert!(!open_pass(folder, None).1.is_causal(), "{folder}");
    }
}

#[test]
fn attention_is_a_distribution_over_the_keys_that_are_seen() {
    for (folder, source) in [
        ("bert", None),
        ("gpt-neo", None),
        ("gemma3", None),
        ("modernbert", None),
        ("t5", Some("encoder")),
    ] {
        let (file, pass) = open_pass(folder, source);
        let run = Run::of_texts(&file, &pass, &[text(15, 1)]);
        for (place, [_, attention]) in &run.heads.0 {
            let weights = block_on(pass.read_scores(&file, place.0, &no_pause)).expect("weights");
            let (mask, reach) = (weights.mask, weights.reach.unwrap_or(15));
            for (i, row) in attention.rows().into_iter().enumerate() {
                let sum: f64 = row.iter().map(|share| f64::from(*share)).sum();
                assert!((sum - 1.0).abs() < 1e-5, "{folder}, {place:?}: {sum}");
                for (j, share) in row.iter().enumerate() {
                    let is_seen = i.abs_diff(j) <= reach && j < mask.visible_keys(i, 15);
                    assert_eq!(
                        *share > 0.0,
                        is_seen,
                        "{folder}, {place:?}, {i}, {j}: {share}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_head_alone_has_the_scores_that_it_has_among_all() {
    for (folder, source) in [
        ("bert", None),
        ("mpnet", None),
        ("deberta", None),
        ("deberta-v3", None),
        ("t5", Some("encoder")),
        ("llama", None),
        ("qwen3", None),
        ("modernbert", None),
    ] {
        let (file, pass) = open_pass(folder, source);
        let embedding = block_on(pass.embed(&file, &[text(11, 1)], &no_pause));
        let states = embedding.expect("an embedding").states();
        let weights = block_on(pass.read_scores(&file, 1, &no_pause)).expect("weights");
        let all = LayerAttention::new(&weights, states.text(0));
        for head in 0..all.heads() {
            let weights = weights.select_head(head).expect("a head");
            let alone = LayerAttention::new(&weights, states.text(0));
            assert_eq!(alone.heads(), 1);
            for (alone, all) in [
                (alone.scores(0, 0..11), all.scores(head, 0..11)),
                (alone.attention(0, 3..5), all.attention(head, 3..5)),
            ] {
                assert!(
                    apart(alone.view(), all.view()) < 1e-5,
                    "{folder}, head {head}"
                );
            }
        }
        assert!(weights.select_head(all.heads()).is_none(), "{folder}");
    }
}

/// BERT's relative keys: products of queries, and of keys, with a vector per offset, before the division by √`d_k`.
#[test]
fn vectors_of_offsets_meet_queries_and_keys() {
    let vector = |row: usize, column: usize| ((7 * row + 3 * column) as f32).sin();
    for kind in ["relative_key", "relative_key_query"] {
        let folder = "forward/bert";
        let mut all = tensors(folder);
        for layer in [0, 1] {
            let name =
                format!("bert.encoder.layer.{layer}.attention.self.distance_embedding.weight");
            all.insert(name, f32s(&[63, 8], |at| vector(at / 8, at % 8)));
        }
        let path = data(folder).join("config.json");
        let text = std::fs::read_to_string(path).expect("a configuration");
        let entry = format!("{{\"position_embedding_type\": \"{kind}\",");
        let config = Config::parse(&text.replacen('{', &entry, 1)).expect("a configuration");
        let file = open(write(&all)).expect("a file");
        let pass = pass_of(&file, &config, None).expect("a pass");
        let embedding = block_on(pass.embed(&file, &[super::text(9, 1)], &no_pause));
        let states = embedding.expect("an embedding").states();
        let weights = block_on(pass.read_scores(&file, 0, &no_pause)).expect("weights");
        let attention = LayerAttention::new(&weights, states.text(0));
        for head in 0..2 {
            let (q, k) = (attention.queries(head), attention.keys(head));
            let expected = Array2::from_shape_fn((9, 9), |(i, j)| {
                let meets = |rows: &ArrayView2<'_, f32>, row: usize| -> f32 {
                    (0..8).map(|c| rows[(row, c)] * vector(i + 31 - j, c)).sum()
                };
                let words: f32 = (0..8).map(|c| q[(i, c)] * k[(j, c)]).sum();
                let keys = if kind == "relative_key" {
                    0.0
                } else {
                    meets(&k, j)
                };
                (words + meets(&q, i) + keys) / 8.0_f32.sqrt()
            });
            assert!(
                apart(attention.scores(head, 0..9).view(), expected.view()) < 1e-5,
                "{kind}"
            );
        }
    }
}

#[test]
fn the_layers_of_albert_share_their_weights() {
    let (_, albert) = open_pass("albert", None);
    assert_eq!(albert.layers(), 3);
    assert!((0..3).all(|layer| albert.weights_of(layer) == 0));
    let (_, bert) = open_pass("bert", None);
    assert!((0..2).all(|layer| bert.weights_of(layer) == layer));
}

#[test]
fn parts_of_the_embedding_add_up_to_the_states() {
    for folder in ["bert", "albert", "opt-projected", "llama"] {
        let (file, pass) = open_pass(folder, None);
        let texts = [text(8, 1), text(5, 2)];
        let embedding = block_on(pass.embed(&file, &texts, &no_pause)).expect("an embedding");
        let words = block_on(pass.word_rows(&file, &texts.concat(), &no_pause)).expect("words");
        assert_eq!(embedding.content, words, "{folder}");
        let rows = [
            words.slice(ndarray::s![..8, ..]),
            words.slice(ndarray::s![8.., ..]),
        ];
        let from_rows = block_on(pass.embed_rows(&file, &rows, &no_pause)).expect("an embedding");
        assert_eq!(from_rows, embedding, "{folder}");
        let states: Batch = embedding.states();
        assert_eq!((states.texts(), states.range(1)), (2, 8..13), "{folder}");
        assert_eq!(states.rows().ncols(), pass.hidden_width(), "{folder}");
    }
}

/// The table of words takes several slices.
#[test]
fn predictions_do_not_depend_on_the_slices_of_the_vocabulary() {
    let (count, width) = (600_000, 16);
    let number = |at: usize| ((at % 9973) as f32 * 0.7).sin() + (at / 9973) as f32 * 1e-3;
    let (file, pass) = changed("gpt2", None, |all| {
        let words = f32s(&[count, width], number);
        assert!(words.bytes.len() > 32 << 20);
        all.insert("transformer.wte.weight".to_owned(), words);
    });
    let run = Run::of_texts(&file, &pass, &[vec![5, 599_999, 300_000, 17]]);
    let states = run.last().text(0);
    let truth = [Some(599_999), None, Some(0), Some(524_288)];
    let predictions = block_on(pass.predict(&file, states, &truth, 7, &no_pause));
    let predictions = predictions.expect("predictions");
    let last = block_on(pass.last_states(&file, states, &no_pause)).expect("last states");
    for ((state, prediction), truth) in last.rows().into_iter().zip(&predictions).zip(truth) {
        let score = |word: usize| -> f64 {
            let products =
                (0..width).map(|c| f64::from(state[c]) * f64::from(number(width * word + c)));
            products.sum()
        };
        let scores: Vec<f64> = (0..count).map(score).collect();
        let total: f64 = scores.iter().map(|score| score.exp()).sum();
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        for (rank, word) in prediction.top.iter().enumerate() {
            // Words with nearly the same score may change places.
            let (found, expected) = (scores[word.word as usize], scores[order[rank]]);
            assert!(
                (found - expected).abs() < 1e-4,
                "{rank}: {found} {expected}"
            );
            let probability = found.exp() / total;
            assert!(
                (word.probability / probability - 1.0).abs() < 1e-3,
                "{rank}"
            );
        }
        assert_eq!(prediction.truth.is_some(), truth.is_some());
        if let (Some(found), Some(word)) = (prediction.truth, truth) {
            let score = scores[word as usize];
            let above = scores.iter().filter(|other| **other > score + 1e-4).count();
            let most = scores.iter().filter(|other| **other > score - 1e-4).count();
            assert!(
                (above..=most).contains(&found.rank),
                "{} of {above}",
                found.rank
            );
            let surprise = -(score.exp() / total).log2();
            assert!((found.surprise - surprise).abs() < 1e-3);
        }
    }
}
