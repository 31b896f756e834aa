//! Files whose table is not used by the model, because the configuration names another kind of positions.

use diagonal::{
    encoding::RotaryAngles,
    math::Scores,
    model::{Config, ModelError, ModelOptions, OffsetRows, PositionSource, ScoreMode},
};
use ndarray::{Array1, Array2};
use pollster::block_on;

use crate::support::models::{Stored, Tensors, f32s, note, open_model, tensors, write};

const VECTORS: &str = "encoder.layer.{}.attention.self.distance_embedding.weight";

/// BERT of the test data with a vector of 16 numbers for every offset of 20 positions.
pub(crate) fn with_vectors() -> Tensors {
    let mut all = tensors("bert");
    for layer in 0..2 {
        let vectors: Stored = f32s(&[39, 16], |at| {
            ((at * 7 + layer * 3) % 11) as f32 / 11.0 - 0.4
        });
        all.insert(VECTORS.replace("{}", &layer.to_string()), vectors);
    }
    all
}

/// The configuration of BERT with another `position_embedding_type`.
pub(crate) fn config(kind: &str) -> Config {
    let text =
        std::fs::read_to_string(crate::support::models::data("bert/config.json")).expect("text");
    let mut config: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    config["position_embedding_type"] = kind.into();
    Config::parse(&config.to_string()).expect("a configuration")
}

#[test]
fn relative_keys_are_scores_by_offset_of_the_mean_word() {
    let bytes = write(&with_vectors());
    for (kind, meets_keys) in [("relative_key", false), ("relative_key_query", true)] {
        let (file, model) =
            open_model(bytes.clone(), Some(&config(kind)), &ModelOptions::default()).expect(kind);
        assert_eq!(model.family, "BERT, relative keys");
        assert!(matches!(
            model.positions,
            PositionSource::ByOffset(OffsetRows::Distances(_), 20)
        ));
        assert_eq!((model.heads.count, model.layers), (4, 2));
        let inputs = block_on(model.read_inputs(&file, |_, _| ())).expect("inputs");
        let word = Array1::from(inputs.content()).mapv(f64::from);
        for layer in 0..2 {
            let found =
                block_on(model.read_offset_scores(&file, layer, Some(&inputs))).expect("scores");
            let weights = block_on(model.read_layer(&file, layer)).expect("weights");
            let vectors = file
                .tensor(&VECTORS.replace("{}", &layer.to_string()))
                .expect("vectors")
                .clone();
            let vectors = block_on(file.read(&vectors)).expect("numbers");
            let vectors = Array2::from_shape_vec((39, 16), vectors)
                .expect("a shape")
                .mapv(f64::from);
            let of_word = |map: &Array2<f32>, bias: &Option<Vec<f32>>| {
                let bias = bias.as_ref().expect("a bias").iter().map(|b| f64::from(*b));
                word.dot(&map.mapv(f64::from)) + Array1::from_iter(bias)
            };
            let query = of_word(&weights.query, &weights.query_bias);
            let key = of_word(&weights.key, &weights.key_bias);
            for head in 0..4 {
                let Scores::Toeplitz(scores) = found.head(head) else {
                    panic!("scores by offset");
                };
                // Cell by cell, as in the library: query i, key j, row i − j + n − 1.
                for i in 0..20_usize {
                    for j in 0..20_usize {
                        let mut score = 0.0;
                        for column in 0..16 {
                            let vector = vectors[[i + 19 - j, column]];
                            score += query[16 * head + column] * vector;
                            if meets_keys {
                                score += key[16 * head + column] * vector;
                            }
                        }
                        let at = scores.at(j as i64 - i as i64).expect("an offset");
                        assert!(
                            (at - score / 4.0).abs() < 1e-5,
                            "{kind}, layer {layer}, head {head}, {i}, {j}"
                        );
                    }
                }
            }
        }
    }
    // Without a hint in the configuration, the vectors themselves decide.
    let (_, model) = open_model(bytes.clone(), None, &ModelOptions::default()).expect("it opens");
    assert_eq!(
        (model.family, model.heads.count),
        ("BERT, relative keys", 4)
    );
    assert!(note(&model, "Keys").is_some());
    // With absolute positions the table counts, as usual.
    let absolute =
        open_model(bytes, Some(&config("absolute")), &ModelOptions::default()).expect("it opens");
    assert_eq!(absolute.1.family, "BERT");
    assert!(
        block_on(absolute.1.read_inputs(&absolute.0, |_, _| ())).is_ok_and(|inputs| {
            let table = absolute.1.table().expect("a table");
            inputs.hidden_states(table, ScoreMode::Paper).x.nrows() == table.nrows()
        })
    );
}

#[test]
fn a_table_that_the_configuration_does_not_name_is_not_shown() {
    let bytes = write(&tensors("bert"));
    for (kind, words) in [
        ("relative_key", "offsets have vectors"),
        ("relative_key_query", "offsets have vectors"),
        ("something-new", "“something-new”"),
        ("nope", "no positions at all"),
        ("alibi", "ALiBi"),
    ] {
        match open_model(bytes.clone(), Some(&config(kind)), &ModelOptions::default()) {
            Err(ModelError::NothingLearned { sentence, .. }) => {
                assert!(
                    sentence.contains(words) && sentence.contains("position_embeddings"),
                    "{kind}: {sentence}"
                );
            }
            other => panic!("{kind}: {:?}", other.map(|(_, model)| model.family)),
        }
    }
    for kind in ["rotary", "rope"] {
        let (_, model) =
            open_model(bytes.clone(), Some(&config(kind)), &ModelOptions::default()).expect(kind);
        let PositionSource::Rotary(rotary) = &model.positions else {
            panic!("{kind}");
        };
        assert_eq!(
            rotary.frequencies,
            RotaryAngles::new(16, 10_000.0).frequencies(1)
        );
        assert!(note(&model, "Unused table").is_some());
    }
    // ESM-2 without its configuration: the angles stored in its layers show that it is rotary.
    let mut all = tensors("bert");
    let angles = "encoder.layer.0.attention.self.rotary_embeddings.inv_freq";
    all.insert(angles.to_owned(), f32s(&[8], |_| 1.0));
    let error = open_model(write(&all), None, &ModelOptions::default())
        .map(|_| ())
        .expect_err("no base");
    assert!(
        error.to_string().contains("rotary") && error.to_string().contains("position_embeddings")
    );
}
