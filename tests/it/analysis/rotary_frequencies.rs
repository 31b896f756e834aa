//! Questions about the wavelengths that rotary heads use.

use super::rotary_frequency_map::look;
use crate::{
    checkpoint::hostile::assert_is_sentence,
    forward::rotary_pairs::{FOLDERS, golden},
    support::{
        models::data,
        questions::{FIRST, ask, folder, hear, open, with_bert, with_computed},
    },
};
use diagonal::{
    analysis::{MemorySession, Origin, RotaryFrequencies, RotaryMeasure},
    checkpoint::MemorySource,
    encoding::Sinusoidal,
    figure::{Figure, FrequencyColours, FrequencyLook, frequency_map, pairs_in_use},
    model::ModelOptions,
};
use safetensors::{
    SafeTensors,
    tensor::{TensorView, serialize},
};

const ENERGY: RotaryFrequencies = RotaryFrequencies {
    of: FIRST,
    measure: RotaryMeasure::Energy,
    reads_all: false,
};
const BOUND: RotaryFrequencies = RotaryFrequencies {
    measure: RotaryMeasure::Bound,
    ..ENERGY
};

/// The files of a folder, without the golden numbers of texts.
fn files(name: &str) -> Vec<(String, MemorySource)> {
    let mut files = folder(&format!("forward/{name}"));
    files.retain(|(name, _)| !name.ends_with("golden.safetensors"));
    files
}

fn session_with(name: &str) -> MemorySession {
    let session = MemorySession::default();
    open(&session, files(name), ModelOptions::default()).expect(name);
    session
}

/// A column of a CSV file.
fn column(csv: &str, name: &str) -> Vec<f64> {
    let mut lines = csv.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let at = header.iter().position(|other| *other == name).expect(name);
    lines
        .map(|line| line.split(',').nth(at).expect(name).parse().expect(name))
        .collect()
}

#[test]
fn the_table_has_the_numbers_of_torch() {
    let golden = golden();
    for folder in FOLDERS {
        let layers = ask(&session_with(folder), ENERGY).expect(folder);
        assert_eq!(layers.layers.len(), layers.total, "{folder}");
        assert_eq!(layers.unread, None);
        for (colours, names) in [
            (FrequencyColours::Share, ["query", "key"]),
            (
                FrequencyColours::StoredShare,
                ["stored_query", "stored_key"],
            ),
        ] {
            let map = frequency_map(&layers, look(colours, true)).expect("a map");
            let csv = map.table().csv();
            assert!(
                csv.starts_with("layer,head,pair,wavelength,query,key,share\n"),
                "{csv}"
            );
            let mut rows = Vec::new();
            for (layer, of_layer) in golden[folder]
                .as_array()
                .expect("layers")
                .iter()
                .enumerate()
            {
                for (head, pairs) in of_layer["heads"]
                    .as_array()
                    .expect("heads")
                    .iter()
                    .enumerate()
                {
                    for (pair, numbers) in pairs.as_array().expect("pairs").iter().enumerate() {
                        let number = |name: &str| numbers[name].as_f64().expect("a number");
                        let place = [layer + 1, head + 1, pair + 1].map(|at| at as f64);
                        let [query, key] = names.map(number);
                        rows.push([
                            place[0],
                            place[1],
                            place[2],
                            number("wavelength"),
                            query,
                            key,
                        ]);
                    }
                }
            }
            let columns = ["layer", "head", "pair", "wavelength", "query", "key"];
            for (at, name) in columns.into_iter().enumerate() {
                // The page shows the angles of texts longer than those of training, which stretch these.
                if (folder, name) == ("llama-dynamic", "wavelength") {
                    continue;
                }
                let found = column(&csv, name);
                assert_eq!(found.len(), rows.len(), "{folder}");
                for (found, row) in found.iter().zip(&rows) {
                    let place = format!("{folder}, {colours:?}, {name}: {found}, {row:?}");
                    assert!((found - row[at]).abs() <= 1e-6 * row[at], "{place}");
                }
            }
            // The shares of every head add up to 1.
            let keys = column(&csv, "layer").into_iter().zip(column(&csv, "head"));
            let heads: Vec<_> = keys.zip(column(&csv, "share")).collect();
            for head in heads.chunk_by(|a, b| a.0 == b.0) {
                let sum: f64 = head.iter().map(|(_, share)| share).sum();
                assert!((sum - 1.0).abs() < 1e-12, "{folder}: {sum}");
            }
        }
    }
}

#[test]
fn norms_on_queries_and_keys_bound_pairs() {
    let golden = golden();
    for folder in ["qwen3", "gemma3"] {
        let session = session_with(folder);
        let layers = ask(&session, BOUND).expect(folder);
        assert!(layers.has_bounds && ask(&session, ENERGY).expect(folder).has_bounds);
        let map = frequency_map(&layers, look(FrequencyColours::Bound, false)).expect("a map");
        assert!(map.effective.is_empty());
        let csv = map.table().csv();
        assert!(
            csv.starts_with("layer,head,pair,wavelength,bound\n"),
            "{csv}"
        );
        let first = golden[folder][0]["heads"][0][0]["bound"]
            .as_f64()
            .expect("a bound");
        let found = column(&csv, "bound");
        assert!((found[0] - first).abs() < 1e-6 * first);
        let most = found.into_iter().fold(0.0, f64::max);
        let most = diagonal::figure::number(most);
        assert!(
            map.summary()
                .contains(&format!("at most {most} to a score")),
            "{}",
            map.summary()
        );
        assert_eq!(
            pairs_in_use(&layers, look(FrequencyColours::Bound, false), (0, 0)),
            None
        );
    }
    let failure = ask(&session_with("llama"), BOUND).expect_err("no norms");
    assert!(failure.sentence.contains("does not norm"), "{failure}");
}

#[test]
fn what_does_not_rotate_is_named() {
    let summary = |folder: &str| {
        let layers = ask(&session_with(folder), ENERGY).expect(folder);
        frequency_map(&layers, FrequencyLook::default())
            .expect("a map")
            .summary()
    };
    let text = summary("smollm3");
    assert!(
        text.contains("4 heads of 2 layers, 3 rotated pairs each."),
        "{text}"
    );
    assert!(text.contains("Layer 2 does not rotate."), "{text}");
    let text = summary("gpt-neox");
    assert!(text.contains("one rotated pair each"), "{text}");
    assert!(text.contains("Columns that do not rotate have "), "{text}");
    assert!(!summary("llama").contains("not rotate"));
    let computed = with_computed(Origin::Sinusoidal(Sinusoidal::default()));
    for (session, words) in [(with_bert(), "does not rotate"), (computed, "no heads")] {
        let failure = ask(&session, ENERGY).expect_err("nothing rotates");
        assert!(failure.sentence.contains(words), "{failure}");
        assert_is_sentence(&failure.to_string());
    }
}

#[test]
fn layers_beside_a_damaged_one_are_shown() {
    let damaged = "model.layers.0.self_attn.k_proj.weight";
    let path = data("forward").join("llama/model.safetensors");
    let bytes = std::fs::read(path).expect("a file");
    let model = SafeTensors::deserialize(&bytes).expect("a model");
    let mut tensors = model.tensors();
    let tensor = tensors.iter_mut().find(|(name, _)| name == damaged);
    let (_, tensor) = tensor.expect("the keys of the first layer");
    let not_numbers = vec![0xff; tensor.data().len()];
    let shape = tensor.shape().to_vec();
    *tensor = TensorView::new(tensor.dtype(), shape, &not_numbers).expect("a tensor");
    let bytes = serialize(tensors, None).expect("a file");
    let mut files = files("llama");
    for (name, source) in &mut files {
        if name.ends_with("model.safetensors") {
            *source = MemorySource::new(bytes.clone());
        }
    }
    let session = MemorySession::default();
    open(&session, files, ModelOptions::default()).expect("a model");
    let events = hear(&session, ENERGY, Vec::new());
    let layers = events.pieces.iter().flat_map(|piece| &piece.layers);
    let layers: Vec<usize> = layers.map(|of| of.layer).collect();
    assert_eq!(layers, [1]);
    let sentence = events.failure.expect("a failure").to_string();
    assert!(sentence.contains(damaged), "{sentence}");
    assert_is_sentence(&sentence);
}
