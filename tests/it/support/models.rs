//! Every family, and variants of its checkpoints.

use crate::support::root;
use std::{collections::BTreeMap, path::PathBuf};

use diagonal::{
    checkpoint::{Checkpoint, MemorySource},
    model::{Config, Heads, HeadsSource, ModelError, ModelOptions, Note, PositionModel},
};
use pollster::block_on;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use crate::checkpoint::{checkpoints::open, hostile::assert_is_sentence};

pub(crate) fn data(path: &str) -> PathBuf {
    root().join("tests/data").join(path)
}

pub(crate) fn config(family: &str) -> Config {
    let text = std::fs::read_to_string(data(family).join("config.json")).expect(family);
    Config::parse(&text).expect(family)
}

pub(crate) fn bytes(family: &str) -> Vec<u8> {
    std::fs::read(data(family).join("model.safetensors")).expect(family)
}

pub(crate) type ModelVersion = (Checkpoint<MemorySource>, PositionModel);

pub(crate) fn open_model(
    bytes: Vec<u8>,
    config: Option<&Config>,
    choice: &ModelOptions,
) -> Result<ModelVersion, ModelError> {
    let checkpoint = open(bytes).expect("a checkpoint");
    let model = block_on(PositionModel::open(&checkpoint, config, choice));
    if let Err(error) = &model {
        assert_is_sentence(&error.to_string());
    }
    model.map(|model| (checkpoint, model))
}

pub(crate) fn plainly(bytes: Vec<u8>, config: Option<&Config>) -> ModelVersion {
    open_model(bytes, config, &ModelOptions::default()).expect("a model")
}

pub(crate) fn note<'a>(model: &'a PositionModel, title: &str) -> Option<&'a str> {
    for Note { text, .. } in &model.notes {
        assert_is_sentence(text);
    }
    model
        .notes
        .iter()
        .find(|note| note.title == title)
        .map(|note| note.text.as_str())
}

// ── checkpoints rewritten ──

#[derive(Clone)]
pub(crate) struct Stored {
    pub(crate) dtype: Dtype,
    pub(crate) shape: Vec<usize>,
    pub(crate) bytes: Vec<u8>,
}

pub(crate) type Tensors = BTreeMap<String, Stored>;

pub(crate) fn tensors(family: &str) -> Tensors {
    let bytes = bytes(family);
    let file = SafeTensors::deserialize(&bytes).expect(family);
    let stored = |view: TensorView<'_>| Stored {
        dtype: view.dtype(),
        shape: view.shape().to_vec(),
        bytes: view.data().to_vec(),
    };
    file.tensors()
        .into_iter()
        .map(|(name, view)| (name, stored(view)))
        .collect()
}

pub(crate) fn f32s(shape: &[usize], number: impl Fn(usize) -> f32) -> Stored {
    let bytes = (0..shape.iter().product())
        .flat_map(|i| number(i).to_le_bytes())
        .collect();
    Stored {
        dtype: Dtype::F32,
        shape: shape.to_vec(),
        bytes,
    }
}

pub(crate) fn write(tensors: &Tensors) -> Vec<u8> {
    let views = tensors.iter().map(|(name, tensor)| {
        let view = TensorView::new(tensor.dtype, tensor.shape.clone(), &tensor.bytes);
        (name, view.expect("a fitting view"))
    });
    safetensors::serialize(views, None).expect("written")
}

pub(crate) fn rename_tensors(tensors: Tensors, name: impl Fn(&str) -> String) -> Tensors {
    tensors
        .into_iter()
        .map(|(old, tensor)| (name(&old), tensor))
        .collect()
}

/// Reads a whole model, to compare two.
fn everything(bytes: Vec<u8>, config: Option<&Config>) -> impl PartialEq + std::fmt::Debug {
    let (checkpoint, model) = plainly(bytes, config);
    let inputs = block_on(model.read_inputs(&checkpoint, |_, _| ())).expect("inputs");
    let layers: Vec<_> = (0..model.layers)
        .map(|layer| block_on(model.read_layer(&checkpoint, layer)).expect("layer"))
        .collect();
    assert!(!layers.is_empty());
    (
        model.family,
        model.table().expect("a table").clone(),
        model.heads,
        inputs,
        layers,
    )
}

pub(crate) const TABLE: &str = "embeddings.position_embeddings.weight";
pub(crate) const WORDS: &str = "embeddings.word_embeddings.weight";

#[test]
fn prefixes_and_old_names_change_nothing() {
    for (family, prefix) in [
        ("bert", "bert."),
        ("bert", "model.text."),
        ("roberta", "roberta."),
        ("albert", "albert."),
    ] {
        let config = config(family);
        let plain = everything(bytes(family), Some(&config));
        let prefixed = write(&rename_tensors(tensors(family), |name| {
            format!("{prefix}{name}")
        }));
        assert!(everything(prefixed, Some(&config)) == plain, "{prefix}");
        let old = |name: &str| {
            name.replace("LayerNorm.weight", "LayerNorm.gamma")
                .replace("LayerNorm.bias", "LayerNorm.beta")
        };
        assert!(
            everything(write(&rename_tensors(tensors(family), old)), Some(&config)) == plain,
            "{family}, gamma"
        );
    }
}

#[test]
fn of_several_prefixes_the_shortest_is_taken() {
    let mut both = rename_tensors(tensors("bert"), |name| format!("decoder.bert.{name}"));
    both.extend(tensors("bert"));
    let (_, model) = plainly(write(&both), Some(&config("bert")));
    assert_eq!(model.tensor(), Some(TABLE));
    let ids: Vec<_> = model.sources.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["positions", "decoder.bert"]);

    // The other table can be chosen, and is still BERT's.
    let other = format!("decoder.bert.{TABLE}");
    let choice = ModelOptions {
        table: Some(other.clone()),
        heads: Some(8),
        ..ModelOptions::default()
    };
    let (_, model) = open_model(write(&both), None, &choice).expect("chosen");
    assert_eq!(
        (
            model.family,
            model.tensor().unwrap_or_default(),
            model.layers
        ),
        ("BERT", other.as_str(), 2)
    );
    assert_eq!(
        model.heads,
        Heads {
            count: 8,
            source: HeadsSource::Chosen
        }
    );
}

#[test]
fn roberta_counts_from_after_the_padding_row() {
    let left_out =
        |model: &PositionModel| note(model, "Rows left out").unwrap_or_default().to_owned();
    let roberta = config("roberta");
    let with = |pad| {
        let mut config = roberta.clone();
        config.pad_id = pad;
        config
    };
    let rows = |config: Option<&Config>| {
        let (_, model) = plainly(bytes("roberta"), config);
        (
            model.family,
            98 - model.table().expect("a table").nrows(),
            left_out(&model),
        )
    };
    let (family, dropped, why) = rows(Some(&roberta));
    assert_eq!((family, dropped), ("RoBERTa", 2));
    assert!(why.contains("so says the configuration"), "{why}");
    let (family, dropped, why) = rows(Some(&with(Some(3))));
    assert_eq!((family, dropped), ("RoBERTa", 4), "{why}");
    let (family, dropped, why) = rows(None);
    assert_eq!((family, dropped), ("RoBERTa", 2));
    assert!(
        why.contains("row 1 counted from 0: it is all zeros"),
        "{why}"
    );
    // BERT's padding id is 0, but its positions begin at row 0.
    assert_eq!(rows(Some(&config("bert"))).0, "BERT");
    assert_eq!(rows(Some(&config("bert"))).1, 0);

    // A padding row beyond the table.
    let error = open_model(
        bytes("roberta"),
        Some(&with(Some(u64::MAX))),
        &ModelOptions::default(),
    );
    assert!(
        matches!(error, Err(ModelError::NoPositions { .. })),
        "{error:?}"
    );
}

#[test]
fn without_a_padding_row_of_zeros_the_prefix_or_the_length_tells() {
    let replaced = |rows: usize, prefix: &str| {
        let mut all = tensors("roberta");
        all.insert(
            TABLE.to_owned(),
            f32s(&[rows, 64], |i| (i % 97) as f32 - 40.0),
        );
        let (_, model) = plainly(
            write(&rename_tensors(all, |name| format!("{prefix}{name}"))),
            None,
        );
        (model.family, rows - model.table().expect("a table").nrows())
    };
    assert_eq!(replaced(512, "roberta."), ("RoBERTa", 2));
    assert_eq!(replaced(514, ""), ("RoBERTa", 2));
    assert_eq!(replaced(512, ""), ("BERT", 0));
    assert_eq!(replaced(514, "bert."), ("BERT", 0));
}

#[test]
fn albert_projects_and_shares_its_layers() {
    let (checkpoint, model) = plainly(bytes("albert"), Some(&config("albert")));
    assert_eq!(
        (
            model.table().expect("a table").ncols(),
            model.hidden_width,
            model.layers
        ),
        (32, 64, 1)
    );
    assert!(note(&model, "Shared layers").is_some_and(|text| text.contains("All 2 layers")));
    assert!(note(&model, "Projection").is_some());
    let error = block_on(model.read_layer(&checkpoint, 1));
    assert_eq!(
        error,
        Err(ModelError::NoSuchLayer {
            layer: 1,
            layers: 1
        })
    );
}

#[test]
fn configurations_are_read_whatever_they_call_things() {
    let parse = |text: &str| Config::parse(text);
    assert_eq!(parse("{}"), Ok(Config::default()));
    assert_eq!(
        parse(r#"{"n_heads": 12}"#).expect("DistilBERT's").heads,
        Some(12)
    );
    assert_eq!(
        parse(r#"{"n_head": 12, "n_layer": 3}"#)
            .expect("GPT-2's")
            .layers,
        Some(3)
    );
    let open = parse(r#"{"num_attention_heads": null, "pad_token_id": -1}"#).expect("read");
    assert_eq!((open.heads, open.pad_id), (None, None));
    assert_eq!(config("roberta").pad_id, Some(1));
    for nonsense in [
        r#"{"num_attention_heads": 0}"#,
        r#"{"num_attention_heads": "twelve"}"#,
        r#"{"num_attention_heads": 1.5}"#,
        r#"{"num_hidden_layers": -1}"#,
        r#"{"num_hidden_layers": 4294967296}"#,
        r#"{"layer_norm_eps": -1e-12}"#,
        r#"{"layer_norm_eps": "small"}"#,
        r#"{"pad_token_id": 1.5}"#,
        r#"{"model_type": 7}"#,
        "[]",
        "",
        "{",
        "null",
        "<!doctype html>",
    ] {
        assert_is_sentence(&parse(nonsense).expect_err(nonsense).to_string());
    }
}

#[test]
fn a_configuration_of_another_model_is_noted() {
    let mut other = config("bert");
    (other.layers, other.model_type) = (Some(12), Some("nomic".to_owned()));
    let (_, model) = plainly(bytes("bert"), Some(&other));
    assert_eq!(model.family, "BERT");
    assert!(note(&model, "Family").is_some_and(|text| text.contains("nomic")));
    assert!(note(&model, "Layers").is_some_and(|text| text.contains("12") && text.contains('2')));
}
