//! Scores by offset of rotary heads for mean words, against queries and keys of their own library.

use super::{Run, no_pause, open_pass, text};
use crate::support::models::data;
use diagonal::{
    checkpoint::{Weights, WeightsInMemory},
    forward::{ForwardError, HeadCenters, HeadMoments, LayerAttention, RotaryHeads, ScoreWeights},
};
use ndarray::{ArrayView2, Axis};
use pollster::block_on;
use std::collections::BTreeMap;

/// Number of positions of the golden profiles.
const N: usize = 24;
/// Largest difference, as a share of the largest score of a head: angles of the library are in single precision.
const SCORES: f64 = 1e-5;

fn read(folder: &str, layer: usize) -> Result<(RotaryHeads, HeadCenters), ForwardError> {
    let (file, pass) = open_pass(folder, None);
    block_on(pass.read_centers(&file, layer, true, |_, _| {}, &no_pause))
}

#[test]
fn profiles_of_mean_words_are_those_of_the_library() {
    let golden = std::fs::read_to_string(data("rotary-heads.json")).expect("a file");
    let golden: BTreeMap<String, Vec<Vec<Vec<f64>>>> =
        serde_json::from_str(&golden).expect("numbers");
    assert_eq!(golden.len(), 12);
    for (folder, layers) in golden {
        for (layer, heads) in layers.iter().enumerate() {
            let (rotary, centers) = read(&folder, layer).expect(&folder);
            assert_eq!(centers.estimate, None, "{folder}: all words were read");
            let scores = rotary.scores(&centers, N, true);
            assert_eq!(scores.len(), heads.len(), "{folder}");
            for (head, (scores, golden)) in scores.iter().zip(heads).enumerate() {
                let found = scores.scores(N);
                let largest = golden.iter().fold(0.0_f64, |most, f| most.max(f.abs()));
                for (found, golden) in found.profile().values().iter().zip(golden) {
                    let apart = (found - golden).abs() / largest;
                    assert!(
                        apart <= SCORES,
                        "{folder}, layer {layer}, head {head}: {found} for {golden}"
                    );
                }
            }
        }
    }
}

#[test]
fn layers_whose_queries_depend_on_the_text_are_refused() {
    for folder in [
        "llama",
        "qwen3",
        "qwen3-vl",
        "gemma3",
        "smollm3",
        "modernbert",
    ] {
        let error = read(folder, 1).expect_err(folder);
        assert_eq!(error, ForwardError::NoCenters { layer: 1 }, "{folder}");
        assert!(error.to_string().contains("layer 2"), "{error}");
    }
}

/// The bias β of a norm before the maps adds β·W to their biases b; the sum is what all words share.
#[test]
fn the_bias_of_a_norm_counts_with_those_of_the_maps() {
    let (file, pass) = open_pass("gpt-neox", None);
    let (_, centers) = read("gpt-neox", 1).expect("centres");
    let weights = block_on(pass.read_scores(&file, 1, &no_pause)).expect("weights");
    let norm = weights.input_norm.as_ref().expect("a norm");
    let shifts = norm.shifts.as_ref().expect("a bias");
    assert!(shifts.iter().all(|shift| *shift != 0.0));
    let sides = [
        (&weights.query, &centers.queries),
        (&weights.key, &centers.keys),
    ];
    for (map, centers) in sides {
        let bias = map.bias.as_ref().expect("a bias");
        for (output, found) in centers.iter().enumerate() {
            let products = shifts
                .iter()
                .enumerate()
                .map(|(input, shift)| f64::from(*shift) * f64::from(map.weight[(input, output)]));
            let expected = products.sum::<f64>() + f64::from(bias[output]);
            assert!(
                (found - expected).abs() < 1e-12,
                "{output}: {found}, {expected}"
            );
        }
    }
}

/// Biases need no maps where the norm before them has none.
#[test]
fn biases_are_read_alone() {
    for folder in ["qwen2", "qwen2-vl", "gpt-oss"] {
        let (file, pass) = open_pass(folder, None);
        let before = file.bytes_read();
        let centers = pass.read_centers(&file, 1, true, |_, _| {}, &no_pause);
        let (rotary, centers) = block_on(centers).expect(folder);
        let bytes = file.bytes_read() - before;
        let maps = block_on(pass.score_bytes(&file, 1)).expect(folder);
        assert!(bytes * 8 < maps, "{folder}: {bytes} of {maps}");
        let shape = |count| (count, rotary.head_width);
        assert_eq!(centers.queries.dim(), shape(rotary.heads), "{folder}");
        assert_eq!(centers.keys.dim(), shape(rotary.key_heads), "{folder}");
    }
}

/// Scores of a head, by offset.
type HeadScores = (Vec<i64>, Vec<Vec<f64>>);

/// Scores of all pairs of states, [rows, hidden], by offset, for each head; query states in the order of rows. At offset
/// 0 both states are one, so that it is left out.
pub(crate) fn scores_of_pairs(
    weights: &ScoreWeights,
    states: ArrayView2<'_, f32>,
    n: usize,
) -> Vec<HeadScores> {
    let (last, rows) = (n - 1, states.nrows());
    let offsets: Vec<i64> = (1..n as i64).flat_map(|k| [k, -k]).collect();
    let pairs = vec![0.0; rows * rows];
    let mut heads = vec![(offsets.clone(), vec![pairs; offsets.len()]); weights.heads];
    for first in 0..rows {
        for second in 0..rows {
            // One state at all positions but the last, where the other is.
            let mut order = vec![first; n];
            order[last] = second;
            let text = states.select(Axis(0), &order);
            let attention = LayerAttention::new(weights, text.view());
            for (head, (offsets, scores)) in heads.iter_mut().enumerate() {
                let matrix = attention.scores(head, 0..n);
                for (k, scores) in offsets.iter().zip(scores) {
                    let other = last - k.unsigned_abs() as usize;
                    let (cell, (query, key)) = match *k > 0 {
                        true => ((other, last), (first, second)),
                        false => ((last, other), (second, first)),
                    };
                    scores[query * rows + key] = f64::from(matrix[cell]);
                }
            }
        }
    }
    heads
}

/// Asserts that profiles are the means of the scores of all pairs, and budgets their variance.
fn are_those_of_all_pairs(
    what: &str,
    heads: Vec<HeadScores>,
    (rotary, centers): &(RotaryHeads, HeadCenters),
    moments: &HeadMoments,
    n: usize,
) {
    let profiles = rotary.scores(centers, n, true);
    let rotation = rotary.key_rotation(n, true);
    assert_eq!(profiles.len(), heads.len(), "{what}");
    for (head, (offsets, scores)) in heads.into_iter().enumerate() {
        let what = format!("{what}, head {head}");
        let f = profiles[head].scores(n);
        let all = scores.concat();
        let (total, spread) = (variance(&all), variance(&all).sqrt());
        let means: Vec<f64> = scores.iter().map(|scores| mean(scores)).collect();
        for (k, mean) in offsets.iter().zip(&means) {
            let apart = (f.at(*k).expect("an offset") - mean).abs();
            assert!(apart < 1e-5 * spread, "{what}, {k}: {apart:e}");
        }
        let over_offsets = (0..scores[0].len()).map(|pair| {
            let values: Vec<f64> = scores.iter().map(|scores| scores[pair]).collect();
            mean(&values)
        });
        let content = variance(&over_offsets.collect::<Vec<f64>>());
        let budget = moments.budget(&rotation, head, offsets);
        for (found, expected) in [
            (budget.position, variance(&means)),
            (budget.content, content),
            (budget.total(), total),
        ] {
            let apart = (found - expected).abs() / total;
            assert!(apart < 1e-5, "{what}: {found} for {expected}");
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares = values.iter().map(|value| (value - mean).powi(2));
    squares.sum::<f64>() / values.len() as f64
}

/// f(k) is the mean of the scores of all pairs of words k apart, and the budget their variance.
#[test]
fn profiles_and_budgets_are_those_of_all_pairs_of_words() {
    let n = 5;
    for folder in [
        "llama",
        "gpt-neox",
        "gpt-oss",
        "qwen3",
        "llama-yarn",
        "gemma3",
    ] {
        let (file, pass) = open_pass(folder, None);
        let weights = block_on(pass.read_scores(&file, 0, &no_pause)).expect(folder);
        let moments = pass.read_moments(&file, &weights, true, |_, _| {}, &no_pause);
        let moments = block_on(moments).expect(folder);
        let words = block_on(pass.words(&file)).expect(folder) as u32;
        let words: Vec<Vec<u32>> = (0..words).map(|word| vec![word]).collect();
        let embedding = block_on(pass.embed(&file, &words, &no_pause)).expect(folder);
        let heads = scores_of_pairs(&weights, embedding.states().rows().view(), n);
        let centers = read(folder, 0).expect(folder);
        are_those_of_all_pairs(folder, heads, &centers, &moments, n);
    }
}

/// The same over the tokens of a text in every layer, where states depend on the text.
#[test]
fn profiles_and_budgets_over_a_text_are_those_of_all_pairs_of_tokens() {
    let n = 6;
    for folder in [
        "llama",
        "llama-yarn",
        "qwen2",
        "qwen3",
        "gemma3",
        "gpt-neox",
        "gpt-oss",
        "modernbert",
        "smollm3",
    ] {
        let (file, pass) = open_pass(folder, None);
        let run = Run::of_texts(&file, &pass, &[text(14, 3)]);
        for layer in 0..pass.layers() {
            let weights = block_on(pass.read_scores(&file, layer, &no_pause)).expect(folder);
            let states = run.states[layer].text(0).to_owned();
            let centers = block_on(HeadCenters::from_states(&weights, &states, &no_pause));
            let moments = block_on(HeadMoments::from_states(&weights, &states, &no_pause));
            assert_eq!(moments.words, (14, 14));
            let heads = scores_of_pairs(&weights, states.view(), n);
            let what = format!("{folder}, layer {layer}");
            let centers = (weights.rotary_heads(), centers);
            are_those_of_all_pairs(&what, heads, &centers, &moments, n);
        }
    }
}

/// A large vocabulary is sampled, and its exact mean is within a few standard errors.
#[test]
fn a_sample_of_words_says_how_accurate_it_is() {
    let (file, pass) = open_pass("qwen3", None);
    let mut tensors: BTreeMap<String, (Vec<u64>, Vec<f32>)> = BTreeMap::new();
    for name in Weights::names(&file).into_iter().map(str::to_owned) {
        let tensor = block_on(file.locate(&name)).expect("a tensor");
        let numbers = block_on(Weights::read(&file, &tensor)).expect("numbers");
        tensors.insert(name, (tensor.shape.clone(), numbers));
    }
    let words = tensors
        .iter_mut()
        .find(|(name, _)| name.ends_with("embed_tokens.weight"));
    let (_, words) = words.expect("the word table");
    let width = words.0[1];
    let rows = 20_000;
    let number = |at: u64| ((at * 2_654_435_761 % 1_000_003) as f32 / 1_000_003.0) - 0.45;
    *words = (vec![rows, width], (0..rows * width).map(number).collect());
    let large = WeightsInMemory::new("large", tensors);
    let [sample, exact] = [false, true].map(|is_exact| {
        let centers = pass.read_centers(&large, 0, is_exact, |_, _| {}, &no_pause);
        block_on(centers).expect("centers").1
    });
    let estimate = sample.estimate.clone().expect("an estimate");
    assert_eq!((estimate.rows, estimate.of), (4096, rows));
    assert!(exact.estimate.is_none());
    let sides = |centers: HeadCenters| [centers.queries, centers.keys];
    let pairs = sides(sample).into_iter().zip(sides(exact));
    let (mut apart, mut length) = (0.0, 0.0);
    for (sample, exact) in pairs {
        apart += (&sample - &exact).mapv(|x| x * x).sum();
        length += exact.mapv(|x| x * x).sum();
    }
    let error = f64::sqrt(apart / length);
    assert!(
        error <= 4.0 * estimate.relative_error,
        "{error} {estimate:?}"
    );
    assert!(estimate.relative_error < 0.2, "{estimate:?}");
}
