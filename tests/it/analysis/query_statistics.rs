//! Files of statistics of queries: opened with the configuration of their model, and refused when they contradict it.

use crate::{
    checkpoint::hostile::assert_is_sentence,
    support::{
        models::{Stored, Tensors, data, write},
        questions::{FIRST, ask, folder, head_of_first, hear, open},
    },
};
use diagonal::{
    analysis::{
        HeadOverview, MemorySession, RotaryFrequencies, RotaryLayers, RotaryMeasure, ScoreMode,
    },
    checkpoint::MemorySource,
    figure::{Figure, FrequencyColours, FrequencyLook, frequency_map},
    model::{ModelOptions, PositionKind, QueryStatistics},
};
use safetensors::tensor::Dtype;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Numbers of a head by NumPy or torch.
#[derive(Deserialize)]
struct Expected {
    concentration: Vec<f64>,
    share: Vec<f64>,
}

fn files() -> Vec<(String, MemorySource)> {
    let files = folder("query-statistics").into_iter();
    files
        .filter(|(name, _)| !name.ends_with("expected.json"))
        .collect()
}

fn layers(session: &MemorySession) -> RotaryLayers {
    let question = RotaryFrequencies {
        of: FIRST,
        measure: RotaryMeasure::Energy,
        reads_all: false,
    };
    ask(session, question).expect("statistics")
}

#[test]
fn statistics_are_shown_by_wavelength() {
    let session = MemorySession::default();
    let summary = open(&session, files(), ModelOptions::default()).expect("a model");
    assert_eq!((summary.kind, summary.layers), (PositionKind::Rotary, 0));
    let mut titles = summary.notes.iter().map(|note| note.title.as_str());
    assert!(titles.any(|title| title == "Statistics of queries"));
    let layers = layers(&session);
    assert!(layers.has_statistics && layers.total == 2 && layers.layers.len() == 2);
    let expected = std::fs::read_to_string(data("query-statistics/expected.json")).expect("a file");
    let expected: BTreeMap<String, Expected> = serde_json::from_str(&expected).expect("numbers");
    let expected: Vec<&Expected> = expected.values().collect();
    for colours in [FrequencyColours::Share, FrequencyColours::Concentration] {
        let look = FrequencyLook {
            colours,
            by_effective_pairs: false,
        };
        let map = frequency_map(&layers, look).expect("a map");
        let csv = map.table().csv();
        let mut rows: Vec<&str> = csv.lines().collect();
        let header: Vec<&str> = rows.remove(0).split(',').collect();
        let numbers = |name: &str| -> Vec<f64> {
            let at = header
                .iter()
                .position(|column| *column == name)
                .expect(name);
            let cell = |row: &&str| row.split(',').nth(at).and_then(|cell| cell.parse().ok());
            rows.iter().map(|row| cell(row).expect(name)).collect()
        };
        // 100^(−m/4) radians for each position.
        let wavelengths = (0..4).map(|m| std::f64::consts::TAU * 100_f64.powf(f64::from(m) / 4.0));
        let wavelengths: Vec<f64> = wavelengths.collect();
        for (found, expected) in numbers("wavelength")
            .chunks(4)
            .flat_map(|head| head.iter().zip(&wavelengths))
        {
            assert!((found / expected - 1.0).abs() < 1e-12);
        }
        let concentrations = expected.iter().flat_map(|head| &head.concentration);
        let shares = expected.iter().flat_map(|head| &head.share);
        for (name, expected) in [
            ("concentration", concentrations.collect::<Vec<_>>()),
            ("share", shares.collect()),
        ] {
            let found = numbers(name);
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(expected) {
                assert!(
                    (found - expected).abs() < 1e-6,
                    "{name}: {found} for {expected}"
                );
            }
        }
        let summary = map.summary();
        assert!(summary.contains("Concentration of queries"), "{summary}");
    }
    // Without keys there are no scores.
    let of = head_of_first(ScoreMode::AsComputed, 0, 0);
    let failure = hear(&session, HeadOverview { of }, Vec::new());
    assert_is_sentence(&failure.answer().expect_err("no heads").to_string());
}

/// Without angles there is no figure, and the sentence says which file is missing.
#[test]
fn statistics_alone_ask_for_the_configuration() {
    let session = MemorySession::default();
    let files = files()
        .into_iter()
        .filter(|(name, _)| name.ends_with(".pt"));
    let failure = open(&session, files.collect(), ModelOptions::default()).expect_err("no angles");
    let sentence = failure.to_string();
    assert!(
        sentence.contains("TriAttention") && sentence.contains("config.json"),
        "{sentence}"
    );
}

/// A file with vectors of `pairs` ones for each head of `heads`.
fn made(heads: &[(usize, usize)], pairs: usize, number: f32) -> Vec<u8> {
    let mut all = Tensors::default();
    for (layer, head) in heads {
        for vector in ["q_mean_real", "q_mean_imag", "q_abs_mean"] {
            let bytes: Vec<u8> = (0..pairs).flat_map(|_| number.to_le_bytes()).collect();
            let name = format!("stats.layer{layer:02}_head{head:02}.{vector}");
            let stored = Stored {
                dtype: Dtype::F32,
                shape: vec![pairs],
                bytes,
            };
            all.insert(name, stored);
        }
    }
    write(&all)
}

fn refusal(bytes: Vec<u8>) -> String {
    let session = MemorySession::default();
    let mut files: Vec<(String, MemorySource)> = files();
    files.retain(|(name, _)| !name.ends_with(".pt"));
    files.push((
        "query-statistics/model.safetensors".to_owned(),
        MemorySource::new(bytes),
    ));
    open(&session, files, ModelOptions::default()).expect("a model");
    let question = RotaryFrequencies {
        of: FIRST,
        measure: RotaryMeasure::Energy,
        reads_all: false,
    };
    let failure = hear(&session, question, Vec::new())
        .answer()
        .expect_err("refused");
    assert_is_sentence(&failure.to_string());
    failure.to_string()
}

#[test]
fn statistics_of_another_model_are_refused() {
    assert!(refusal(made(&[(0, 0), (2, 0)], 4, 1.0)).contains("3 layers"));
    assert!(refusal(made(&[(0, 4)], 4, 1.0)).contains("5 heads"));
    let pairs = refusal(made(&[(0, 0)], 64, 1.0));
    assert!(
        pairs.contains("64 pairs") && pairs.contains("rotates 4"),
        "{pairs}"
    );
    assert!(refusal(made(&[(1, 1)], 4, f32::NAN)).contains("NaN"));
}

/// The authors' script leaves out the norm that some models apply to queries.
#[test]
fn a_note_says_for_which_norms_statistics_hold() {
    let has_note = |change: &str| {
        let session = MemorySession::default();
        let config = std::fs::read_to_string(data("query-statistics/config.json"));
        let config = config.expect("a file").replacen("\"llama\"", change, 1);
        let mut files = files();
        files.retain(|(name, _)| name.ends_with(".pt"));
        let config = MemorySource::new(config.into_bytes());
        files.push(("query-statistics/config.json".to_owned(), config));
        let summary = open(&session, files, ModelOptions::default()).expect("a model");
        let mut notes = summary.notes.iter();
        let note = notes.find(|note| note.title == "Norm of queries");
        note.is_some_and(|note| note.text.contains("before the norm"))
    };
    assert!(!has_note("\"llama\""));
    assert!(!has_note("\"phi\", \"qk_layernorm\": false"));
    for change in [
        "\"qwen3\"",
        "\"gemma3_text\"",
        "\"phi\", \"qk_layernorm\": true",
    ] {
        assert!(has_note(change), "{change}");
    }
}

#[test]
fn names_of_heads_are_read_strictly() {
    let find = |name: &str| QueryStatistics::find([name]);
    let found = find("stats.layer07_head12.q_abs_mean").expect("a head");
    assert_eq!((found.layers(), found.heads()), (8, 13));
    for name in [
        "stats.layer07_head12.q_mean_real",
        "layer_head.q_abs_mean",
        "layer-1_head0.q_abs_mean",
        "layer99999999999999999999_head0.q_abs_mean",
        "layer5000_head0.q_abs_mean",
        "q_abs_mean",
    ] {
        assert!(find(name).is_none(), "{name}");
    }
}
