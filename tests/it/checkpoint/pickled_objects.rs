//! Pickles with more in them than dictionaries of tensors: modules, TorchScript, training programs. Names and numbers
//! are those that torch itself finds (`tests/data/pickles`).

use diagonal::{
    checkpoint::{Checkpoint, MemorySource, OMISSIONS},
    model::{ModelOptions, PositionModel},
};
use pollster::block_on;
use serde_json::Value;

use super::formats::{data, open};

fn golden(path: &str) -> serde_json::Map<String, Value> {
    let bytes = data(&format!("pickles/{path}"));
    match serde_json::from_slice(&bytes).expect("JSON") {
        Value::Object(files) => files,
        other => panic!("{other}"),
    }
}

fn shape(entry: &Value) -> Vec<u64> {
    let lengths = entry["shape"].as_array().expect("a shape").iter();
    lengths
        .map(|length| length.as_u64().expect("a length"))
        .collect()
}

fn assert_names(file: &str, checkpoint: &Checkpoint<MemorySource>, tensors: &Value) {
    let tensors = tensors.as_object().expect("tensors by name");
    let mut expected: Vec<&str> = tensors.keys().map(String::as_str).collect();
    expected.sort_unstable();
    let names: Vec<&str> = checkpoint.names().collect();
    assert_eq!(names, expected, "{file}");
    for tensor in checkpoint.tensors() {
        assert_eq!(
            tensor.shape,
            shape(&tensors[&tensor.name]),
            "{file}: {}",
            tensor.name
        );
    }
}

#[test]
fn every_kind_of_object_gives_its_tensors_under_the_names_of_torch() {
    let files = golden("made/golden.json");
    assert!(files.len() >= 15, "{} files", files.len());
    for (file, golden) in &files {
        let checkpoint = open(&format!("pickles/made/{file}"));
        assert_names(file, &checkpoint, &golden["tensors"]);
        let unreadable: Vec<&str> = golden["unreadable"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        for tensor in checkpoint.tensors() {
            let place = format!("{file}: {}", tensor.name);
            let numbers = block_on(checkpoint.read_exact(tensor));
            if unreadable.contains(&tensor.name.as_str()) || !tensor.dtype.is_float() {
                assert!(numbers.is_err(), "{place}");
                continue;
            }
            let numbers = numbers.unwrap_or_else(|error| panic!("{place}: {error}"));
            let expected = golden["tensors"][&tensor.name]["numbers"].as_array();
            let expected: Vec<f32> = expected
                .expect("numbers")
                .iter()
                .filter_map(Value::as_f64)
                .map(|number| number as f32)
                .collect();
            let numbers: Vec<f32> = numbers.into_iter().map(|number| number as f32).collect();
            assert_eq!(numbers[..expected.len()], expected, "{place}");
        }
        let metadata = checkpoint.metadata();
        let config = metadata.get("config");
        let config = config.map(|text| serde_json::from_str::<Value>(text).expect("JSON"));
        assert_eq!(config.unwrap_or_default(), golden["config"], "{file}");
        let omissions = metadata.get(OMISSIONS).cloned().unwrap_or_default();
        for name in golden["passed_over"].as_array().expect("a list") {
            let name = name.as_str().expect("a name");
            assert!(omissions.contains(name), "{file}: {omissions}");
        }
        for (name, entry) in golden["tensors"].as_object().expect("tensors") {
            assert!(
                !omissions.contains(name) || entry.is_null(),
                "{file}: {omissions}"
            );
        }
    }
}

#[test]
fn files_of_training_programs_list_what_torch_finds_in_them() {
    let cases = golden("cases.json");
    assert_eq!(cases.len(), 5);
    for (case, golden) in &cases {
        let file = golden["file"].as_str().expect("a file");
        let checkpoint = open(&format!("cases/{case}/{file}"));
        assert_names(case, &checkpoint, &golden["tensors"]);
        let floats = checkpoint.tensors().into_iter();
        for tensor in floats.filter(|tensor| tensor.dtype.is_float()) {
            let numbers = block_on(checkpoint.read_exact(tensor)).expect("numbers");
            let expected = golden["tensors"][&tensor.name]["sum"].as_f64();
            let (sum, expected) = (numbers.iter().sum::<f64>(), expected.expect("a sum"));
            let scale = numbers.iter().map(|number| number.abs()).sum::<f64>();
            assert!(
                (sum - expected).abs() <= 1e-12 * scale,
                "{case}, {}: {sum}, not {expected}",
                tensor.name
            );
        }
    }
    let metadata = |path: &str, key: &str| {
        let checkpoint = open(&format!("cases/{path}"));
        checkpoint.metadata().get(key).cloned().unwrap_or_default()
    };
    let nano: Value = serde_json::from_str(&metadata("nanogpt-compiled/ckpt.pt", "config"))
        .expect("a configuration");
    assert_eq!(
        (&nano["n_head"], &nano["n_embd"]),
        (&Value::from(6), &Value::from(48))
    );
    let whisper = metadata("whisper-openai/tiny.pt", "config");
    assert!(whisper.contains(r#""n_text_head":4"#), "{whisper}");
    let class = "pytorch_lightning.callbacks.model_checkpoint.ModelCheckpoint";
    let lightning = metadata("lightning-class-keys/sd-v1-small.ckpt", OMISSIONS);
    assert!(lightning.contains(class), "{lightning}");
}

#[test]
fn a_note_says_what_was_passed_over() {
    let checkpoint = open("pickles/made/mmengine.pth");
    let choice = ModelOptions {
        table: Some("state_dict.weight".to_owned()),
        ..ModelOptions::default()
    };
    let model = block_on(PositionModel::open(&checkpoint, None, &choice)).expect("a table");
    let note = model.notes.iter().find(|note| note.title == "Passed over");
    let text = &note.expect("a note").text;
    assert!(
        text.contains("HistoryBuffer") && text.contains("no code of the file is run"),
        "{text}"
    );
    // A dictionary of tensors needs no such note.
    let plain = open("torch-training/checkpoint.pt");
    assert!(!plain.metadata().contains_key(OMISSIONS));
}

#[test]
fn a_pickled_module_has_the_names_of_its_state() {
    let module = open("torch-module/linear.pt");
    let names: Vec<&str> = module.names().collect();
    assert_eq!(names, ["bias", "weight"]);
    assert!(module.metadata().is_empty(), "{:?}", module.metadata());
}
