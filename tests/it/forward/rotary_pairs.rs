//! Energies and bounds of the pairs of rotary heads against torch, for every family that rotates.

use super::{no_pause, open_pass};
use crate::support::models::data;
use diagonal::{
    forward::{ColumnEnergies, RotatedPair},
    math::pair_shares,
};
use pollster::block_on;
use serde_json::Value;

/// Number of tokens on which angles may depend: fewer than in training.
const LENGTH: usize = 8;
/// The library's angles are in single precision.
const TOLERANCE: f64 = 1e-6;

fn is_near(one: f64, other: f64) -> bool {
    (one - other).abs() <= TOLERANCE * other.abs()
}

/// Golden numbers by folder.
pub(crate) fn golden() -> Value {
    let text = std::fs::read_to_string(data("rotary-pairs.json")).expect("a file");
    serde_json::from_str(&text).expect("JSON")
}

pub(crate) const FOLDERS: [&str; 9] = [
    "gpt-neox",
    "llama",
    "llama-yarn",
    "llama-dynamic",
    "qwen2",
    "qwen3",
    "gemma3",
    "smollm3",
    "modernbert",
];

fn numbers<'a>(pairs: &'a Value, name: &'a str) -> impl Iterator<Item = f64> + 'a {
    let pairs = pairs.as_array().expect("pairs").iter();
    pairs.map(move |pair| pair[name].as_f64().expect("a number"))
}

fn are_near(found: &[f64], golden: &Value, name: &str, place: &str) {
    let golden: Vec<f64> = numbers(golden, name).collect();
    assert_eq!(found.len(), golden.len(), "{place}, {name}");
    for (found, golden) in found.iter().zip(golden) {
        assert!(
            is_near(*found, golden),
            "{place}, {name}: {found}, {golden}"
        );
    }
}

fn columns_are(pairs: &[RotatedPair], golden: &Value, place: &str) {
    let columns = golden.as_array().expect("pairs").iter();
    let columns: Vec<&Value> = columns.map(|pair| &pair["columns"]).collect();
    let found: Vec<Value> = pairs
        .iter()
        .map(|pair| pair.columns.to_vec().into())
        .collect();
    assert_eq!(found.iter().collect::<Vec<_>>(), columns, "{place}");
    let indices: Vec<usize> = pairs.iter().map(|pair| pair.index).collect();
    assert_eq!(indices, (0..pairs.len()).collect::<Vec<_>>(), "{place}");
}

#[test]
fn energies_and_shares_are_those_of_torch() {
    let golden = golden();
    for folder in FOLDERS {
        let (file, pass) = open_pass(folder, None);
        let layers = golden[folder].as_array().expect(folder);
        assert_eq!(layers.len(), pass.layers(), "{folder}");
        for (layer, golden) in layers.iter().enumerate() {
            let weights = block_on(pass.read_scores(&file, layer, &no_pause)).expect(folder);
            let found = block_on(weights.rotary_energies(LENGTH, true, &no_pause));
            let heads = golden["heads"].as_array().expect("heads");
            assert_eq!(found.queries.len(), heads.len(), "{folder}, layer {layer}");
            assert_eq!(
                found.pairs.is_empty(),
                heads.is_empty(),
                "{folder}, layer {layer}"
            );
            for (head, golden_pairs) in heads.iter().enumerate() {
                let place = format!("{folder}, layer {layer}, head {head}");
                columns_are(&found.pairs, golden_pairs, &place);
                let wavelengths: Vec<f64> =
                    found.pairs.iter().map(|pair| pair.wavelength).collect();
                are_near(&wavelengths, golden_pairs, "wavelength", &place);
                let (query, key) = (&found.queries[head], found.key(head).expect("keys"));
                are_near(&query.pairs, golden_pairs, "query", &place);
                are_near(&key.pairs, golden_pairs, "key", &place);
                are_near(&query.stored_pairs, golden_pairs, "stored_query", &place);
                are_near(&key.stored_pairs, golden_pairs, "stored_key", &place);
                let shares = pair_shares(&query.pairs, &key.pairs);
                are_near(&shares, golden_pairs, "share", &place);
                let rest =
                    |side: usize| golden["unrotated"][head][side].as_f64().expect("a number");
                let is_rest =
                    |found: &ColumnEnergies, rest: f64| is_near(found.unrotated_energy, rest);
                assert!(is_rest(query, rest(0)) && is_rest(key, rest(1)), "{place}");
            }
        }
    }
}

#[test]
fn bounds_are_those_of_the_norms_of_torch() {
    let golden = golden();
    let mut with_bounds = Vec::new();
    for folder in FOLDERS {
        let (file, pass) = open_pass(folder, None);
        for layer in 0..pass.layers() {
            let found = pass.read_rotary_bounds(&file, layer, (LENGTH, true), &no_pause);
            let found = block_on(found).expect(folder);
            let heads = golden[folder][layer]["heads"].as_array().expect("heads");
            let Some(found) = found else {
                assert!(
                    heads.iter().all(|pairs| pairs[0]["bound"].is_null()),
                    "{folder}"
                );
                continue;
            };
            with_bounds.push(folder);
            assert_eq!(found.heads.len(), heads.len(), "{folder}");
            for (head, (bounds, golden)) in found.heads.iter().zip(heads).enumerate() {
                let place = format!("{folder}, layer {layer}, head {head}");
                columns_are(&found.pairs, golden, &place);
                are_near(bounds, golden, "bound", &place);
            }
        }
        assert_eq!(
            pass.norms_queries(),
            with_bounds.contains(&folder),
            "{folder}"
        );
    }
    with_bounds.dedup();
    assert_eq!(with_bounds, ["qwen3", "gemma3"]);
}

#[test]
fn the_bytes_of_scores_are_less_than_those_of_a_layer() {
    let (file, pass) = open_pass("llama", None);
    let scores = block_on(pass.score_bytes(&file, 0)).expect("bytes");
    let layer = block_on(pass.layer_bytes(&file, 0)).expect("bytes");
    // Queries of four heads and keys of two, six columns each, and a norm, in single precision.
    assert_eq!(scores, 4 * (16 * 6 * (4 + 2) + 16));
    assert!(scores < layer);
    assert!(block_on(pass.score_bytes(&file, 9)).is_err());
}
