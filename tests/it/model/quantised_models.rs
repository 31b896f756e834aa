//! Models whose queries and keys are quantised: they open as others do, with the numbers that their codes stand for
//! (`tests/data/make/quantised.py`).

use std::collections::BTreeMap;

use diagonal::{
    checkpoint::{Checkpoint, MemorySource},
    math::Scores,
    model::{Config, LayerWeights, ModelOptions, PositionModel},
};
use pollster::block_on;

use crate::support::models::{
    Tensors, bytes, config, data, f32s, note, open_model, plainly, write,
};

fn file(name: &str) -> Vec<u8> {
    std::fs::read(data(&format!("quantised/{name}"))).expect(name)
}

/// Scores of the positions alone in the first layer, head after head, cell after cell.
fn scores(checkpoint: &Checkpoint<MemorySource>, model: &PositionModel) -> Vec<Vec<f64>> {
    let weights = first_layer(checkpoint, model);
    let inputs = block_on(model.read_inputs(checkpoint, |_, _| ())).expect("inputs");
    let states = inputs.stored_states(model.table().expect("a table"));
    let layer = model.layer_scores(&states, &weights);
    let head = |head| {
        let Scores::Product(a, _) = layer.head(head) else {
            panic!("queries meet keys");
        };
        let cells = (0..a.n()).flat_map(|i| (0..a.n()).map(move |j| (i, j)));
        cells.map(|(i, j)| a.cell(i, j)).collect()
    };
    (0..model.heads.count as usize).map(head).collect()
}

fn first_layer(checkpoint: &Checkpoint<MemorySource>, model: &PositionModel) -> LayerWeights {
    block_on(model.read_layer(checkpoint, 0)).expect("the first layer")
}

/// Largest difference as a share of the range of all cells of a head.
fn difference(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    let of_head = |(a, b): (&Vec<f64>, &Vec<f64>)| {
        let range =
            b.iter().copied().fold(f64::MIN, f64::max) - b.iter().copied().fold(f64::MAX, f64::min);
        let largest = a
            .iter()
            .zip(b)
            .fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
        assert_eq!(a.len(), b.len());
        largest / range
    };
    a.iter().zip(b).map(of_head).fold(0.0, f64::max)
}

/// The same tensors as the numbers that they are read as.
fn decoded(checkpoint: &Checkpoint<MemorySource>, names: &[&str]) -> Vec<u8> {
    let read = |name: &&str| {
        let tensor = block_on(checkpoint.locate(name)).expect(name);
        let numbers = block_on(checkpoint.read(&tensor)).expect(name);
        let shape: Vec<usize> = tensor.shape.iter().map(|side| *side as usize).collect();
        ((*name).to_owned(), f32s(&shape, |at| numbers[at]))
    };
    write(&names.iter().map(read).collect::<Tensors>())
}

#[test]
fn a_gguf_file_of_blocks_has_its_heads() {
    let (checkpoint, model) = plainly(file("bert.gguf"), None);
    assert_eq!(
        (model.family, model.layers, model.heads.count),
        ("GGUF", 1, 4)
    );
    let text = note(&model, "Quantised weights").expect("a note");
    assert!(text.contains("Q4_K (4.5 bits a number)"), "{text}");
    let found = scores(&checkpoint, &model);
    let golden: serde_json::Value =
        serde_json::from_slice(&file("bert.golden.json")).expect("numbers");
    let golden: Vec<Vec<Vec<f64>>> =
        serde_json::from_value(golden["scores"].clone()).expect("scores");
    let golden: Vec<Vec<f64>> = golden.into_iter().map(|head| head.concat()).collect();
    let off = difference(&found, &golden);
    println!("Q4_K and Q8_0: off by {off:.1e} of the range");
    assert!((1e-6..0.05).contains(&off), "{off}");
    // Exactly the scores of the numbers that gguf-py reads (see `quantised_numbers.rs`).
    let names: Vec<&str> = checkpoint.names().collect();
    let config =
        Config::parse(r#"{"model_type":"bert","num_attention_heads":4,"layer_norm_eps":1e-12}"#);
    let twin = decoded(&checkpoint, &names);
    let (twin, its_model) = plainly(twin, Some(&config.expect("a configuration")));
    assert!(note(&its_model, "Quantised weights").is_none());
    assert!(first_layer(&checkpoint, &model) == first_layer(&twin, &its_model));
    assert_eq!(scores(&twin, &its_model), found);
}

#[test]
fn packed_queries_and_keys_have_their_heads() {
    let config = config("bert");
    let (original, its_model) = plainly(bytes("bert"), Some(&config));
    let expected = scores(&original, &its_model);
    for (name, method) in [
        ("gptq", "GPTQ, 4 bits"),
        ("awq", "AWQ, 4 bits"),
        ("nf4", "bitsandbytes NF4"),
    ] {
        let packed = file(&format!("{name}.safetensors"));
        let (checkpoint, model) = plainly(packed, Some(&config));
        assert_eq!((model.family, model.layers), ("BERT", 1), "{name}");
        assert_eq!(model.heads, its_model.heads);
        let text = note(&model, "Quantised weights").expect("a note");
        assert!(text.contains(method), "{text}");
        let found = scores(&checkpoint, &model);
        let off = difference(&found, &expected);
        println!("{name}: off by {off:.1e} of the range");
        assert!((1e-6..0.2).contains(&off), "{name}: {off}");
        // Exactly those of the numbers that the library reads.
        let names: Vec<&str> = (checkpoint.names())
            .filter(|name| name.ends_with(".weight") || name.ends_with(".bias"))
            .collect();
        let (twin, model) = plainly(decoded(&checkpoint, &names), Some(&config));
        assert_eq!(scores(&twin, &model), found, "{name}");
    }
}

#[test]
fn a_packed_query_that_cannot_be_read_leaves_the_table() {
    let config = config("bert");
    let packed = file("gptq.safetensors");
    let stored = safetensors::SafeTensors::deserialize(&packed).expect("tensors");
    let mut tensors: BTreeMap<_, _> = stored.tensors().into_iter().collect();
    tensors.retain(|name, _| !name.ends_with("qzeros"));
    let bytes = safetensors::serialize(tensors, None).expect("written");
    let (_, model) = open_model(bytes, Some(&config), &ModelOptions::default()).expect("the table");
    assert_eq!((model.family, model.layers), ("BERT", 0));
    let text = note(&model, "No heads").expect("a reason");
    assert!(
        text.contains("query.qzeros") && text.contains("GPTQ or AWQ"),
        "{text}"
    );
}
