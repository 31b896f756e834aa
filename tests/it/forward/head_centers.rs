//! Scores by offset of rotary heads for mean words, against queries and keys of their own library.

use super::{no_pause, open_pass};
use crate::support::models::data;
use diagonal::{
    checkpoint::{Weights, WeightsInMemory},
    forward::{ForwardError, HeadCenters, LayerAttention, ScoreWeights},
    math::Profile,
};
use pollster::block_on;
use std::collections::BTreeMap;

/// Number of positions of the golden profiles.
const N: usize = 24;
/// Largest difference, as a share of the largest score of a head: angles of the library are in single precision.
const SCORES: f64 = 1e-5;

fn read(folder: &str, layer: usize) -> (ScoreWeights, Result<HeadCenters, ForwardError>) {
    let (file, pass) = open_pass(folder, None);
    let weights = block_on(pass.read_scores(&file, layer, &no_pause)).expect(folder);
    let centers = pass.read_centers(&file, layer, &weights, true, |_, _| {}, &no_pause);
    let centers = block_on(centers);
    (weights, centers)
}

#[test]
fn profiles_of_mean_words_are_those_of_the_library() {
    let golden = std::fs::read_to_string(data("rotary-heads.json")).expect("a file");
    let golden: BTreeMap<String, Vec<Vec<Vec<f64>>>> =
        serde_json::from_str(&golden).expect("numbers");
    assert_eq!(golden.len(), 9);
    for (folder, layers) in golden {
        for (layer, heads) in layers.iter().enumerate() {
            let (weights, centers) = read(&folder, layer);
            let centers = centers.expect(&folder);
            assert_eq!(centers.estimate, None, "{folder}: all words were read");
            let scores = weights.rotary_scores(&centers, N, true);
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
    for folder in ["llama", "qwen3", "gemma3", "smollm3", "modernbert"] {
        let (_, centers) = read(folder, 1);
        let error = centers.expect_err(folder);
        assert_eq!(error, ForwardError::NoCenters { layer: 1 }, "{folder}");
        assert!(error.to_string().contains("layer 2"), "{error}");
    }
}

/// f(k) is the mean of the scores of all pairs of words k apart, if words are independent.
#[test]
fn a_profile_is_the_mean_over_all_pairs_of_words() {
    for folder in ["llama", "gpt-neox", "qwen3", "llama-yarn"] {
        let (file, pass) = open_pass(folder, None);
        let weights = block_on(pass.read_scores(&file, 0, &no_pause)).expect(folder);
        let centers = pass.read_centers(&file, 0, &weights, true, |_, _| {}, &no_pause);
        let centers = block_on(centers).expect(folder);
        let words = block_on(pass.words(&file)).expect(folder) as u32;
        let n = 7;
        let profiles: Vec<Profile> = weights
            .rotary_scores(&centers, n, true)
            .iter()
            .map(|head| head.scores(n).profile().clone())
            .collect();
        let mut sums = vec![vec![0.0; 2 * n - 1]; weights.heads];
        for first in 0..words {
            for second in 0..words {
                let mut text = vec![first; n];
                text[n - 1] = second;
                let embedding = block_on(pass.embed(&file, &[text], &no_pause)).expect(folder);
                let states = embedding.states();
                let attention = LayerAttention::new(&weights, states.text(0));
                for (head, sums) in sums.iter_mut().enumerate() {
                    let scores = attention.scores(head, 0..n);
                    for i in 0..n - 1 {
                        sums[2 * (n - 1) - i] += f64::from(scores[(i, n - 1)]);
                        sums[i] += f64::from(scores[(n - 1, i)]);
                    }
                }
            }
        }
        let pairs = f64::from(words * words);
        for (head, (sums, profile)) in sums.iter().zip(&profiles).enumerate() {
            let largest = profile.span(diagonal::math::AttentionMask::Whole);
            for (at, (sum, f)) in sums.iter().zip(profile.values()).enumerate() {
                // At k = 0 both words are one.
                if at != n - 1 {
                    let apart = (sum / pairs - f).abs() / largest.max(f.abs());
                    assert!(apart < 1e-4, "{folder}, head {head}, {at}: {sum} {f}");
                }
            }
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
    let weights = block_on(pass.read_scores(&large, 0, &no_pause)).expect("weights");
    let [sample, exact] = [false, true].map(|is_exact| {
        let centers = pass.read_centers(&large, 0, &weights, is_exact, |_, _| {}, &no_pause);
        block_on(centers).expect("centers")
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
