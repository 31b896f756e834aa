//! Models read from weights in memory, and the names of their layers' tensors by family.

use crate::support::models::{bytes, config, plainly};
use diagonal::{
    checkpoint::{Weights, WeightsInMemory},
    math::Scores,
    model::{ModelOptions, PositionModel, ScoreMode},
};
use pollster::block_on;
use std::collections::BTreeMap;

#[test]
fn a_model_in_memory_has_the_heads_of_its_file() {
    let (file, model) = plainly(bytes("bert"), Some(&config("bert")));
    let tensor = |name: &str| {
        let tensor = block_on(file.locate(name)).expect(name);
        let numbers = block_on(file.read(&tensor)).expect(name);
        (name.to_owned(), (tensor.shape, numbers))
    };
    let floats = file.names().filter(|name| !name.ends_with("position_ids"));
    let tensors: BTreeMap<_, _> = floats.map(tensor).collect();
    let memory = WeightsInMemory::new("in memory", tensors);
    assert_eq!((memory.name(), memory.is_remote()), ("in memory", false));
    let (config, choice) = (config("bert"), ModelOptions::default());
    let twin = block_on(PositionModel::open(&memory, Some(&config), &choice)).expect("a model");
    assert_eq!(twin.positions, model.positions);
    assert_eq!(
        (twin.family, twin.layers, twin.heads),
        (model.family, model.layers, model.heads)
    );
    for mode in [ScoreMode::Paper, ScoreMode::AsComputed] {
        for layer in 0..model.layers {
            let table = model.table().expect("a table");
            let of_file = block_on(model.read_inputs(&file, |_, _| ())).expect("inputs");
            let of_memory = block_on(twin.read_inputs(&memory, |_, _| ())).expect("inputs");
            let here = block_on(model.read_layer(&file, layer)).expect("a layer");
            let there = block_on(twin.read_layer(&memory, layer)).expect("a layer");
            let here = model.layer_scores(&of_file.hidden_states(table, mode), &here);
            let there = twin.layer_scores(&of_memory.hidden_states(table, mode), &there);
            for head in 0..model.heads.count as usize {
                let rows = |scores: Scores| scores.rows(0..scores.n());
                assert_eq!(rows(here.head(head)), rows(there.head(head)));
            }
        }
    }
}
