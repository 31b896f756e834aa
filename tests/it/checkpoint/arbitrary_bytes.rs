//! Arbitrary bytes, and good files with some of them changed: everything that can be done with a file either works or
//! says why not.

use diagonal::{
    checkpoint::safetensors::parse,
    model::{Config, ModelOptions, PositionModel, ScoreMode, tables},
};
use pollster::block_on;
use proptest::{
    collection::vec,
    prelude::*,
    sample::{Index, select},
};

use super::{
    checkpoints::{file, open},
    hostile::assert_is_sentence,
};

/// Opens a file, if possible, and performs every operation on it.
fn use_it(bytes: Vec<u8>) {
    let checkpoint = match open(bytes) {
        Ok(checkpoint) => checkpoint,
        Err(error) => return assert_is_sentence(&error.to_string()),
    };
    for tensor in checkpoint.tensors() {
        match block_on(checkpoint.read(tensor)) {
            Ok(numbers) => assert!(numbers.len() as u64 <= tensor.bytes()),
            Err(error) => assert_is_sentence(&error.to_string()),
        }
    }
    let mut choices = vec![
        ModelOptions::default(),
        ModelOptions {
            heads: Some(3),
            ..ModelOptions::default()
        },
    ];
    let chosen = tables(checkpoint.tensors()).into_iter().take(3);
    choices.extend(chosen.map(|tensor| ModelOptions {
        table: Some(tensor.name.clone()),
        ..ModelOptions::default()
    }));
    for choice in choices {
        let model = match block_on(PositionModel::open(&checkpoint, None, &choice)) {
            Ok(model) => model,
            Err(error) => {
                assert_is_sentence(&error.to_string());
                continue;
            }
        };
        match block_on(model.read_inputs(&checkpoint, |_, _| ())) {
            Ok(inputs) => {
                let states =
                    inputs.hidden_states(model.table().expect("a table"), ScoreMode::AsComputed);
                assert_eq!(
                    states.x.dim(),
                    (model.table().expect("a table").nrows(), model.hidden_width)
                );
            }
            Err(error) => assert_is_sentence(&error.to_string()),
        }
        for layer in 0..=model.layers {
            match block_on(model.read_layer(&checkpoint, layer)) {
                Ok(weights) => assert_eq!(weights.query.dim(), weights.key.dim()),
                Err(error) => assert_is_sentence(&error.to_string()),
            }
        }
    }
}

const ALBERT: &[u8] = include_bytes!("../../data/albert/model.safetensors");

/// Length of a file's header.
fn header_length(bytes: &[u8]) -> usize {
    u64::from_le_bytes(bytes[..8].try_into().expect("8 bytes")) as usize
}

proptest! {
    #[test]
    fn any_bytes_at_all(bytes in vec(any::<u8>(), 0..300)) {
        use_it(bytes);
    }

    #[test]
    fn any_bytes_behind_a_true_length(json in "\\{[ -~]{0,120}", data in vec(any::<u8>(), 0..40)) {
        use_it(file(&json, &data));
    }

    #[test]
    fn any_size_that_is_claimed(size in any::<u64>(), bytes in vec(any::<u8>(), 0..64)) {
        drop(parse(&bytes, size));
        let header = [&(bytes.len() as u64).to_le_bytes()[..], b"{", &bytes].concat();
        drop(parse(&header, size));
    }

    #[test]
    fn a_good_header_with_bytes_changed(
        changes in vec((any::<Index>(), select(b"0123456789{}[]\",:.-eF \\u\xff".to_vec())), 1..6),
    ) {
        let mut bytes = ALBERT.to_vec();
        let header = header_length(&bytes);
        for (index, byte) in changes {
            bytes[8 + index.index(header)] = byte;
        }
        use_it(bytes);
    }

    #[test]
    fn a_good_file_cut_off(length in 0..ALBERT.len()) {
        use_it(ALBERT[..length].to_vec());
    }

    #[test]
    fn a_good_file_with_other_shapes(
        renamed in any::<Index>(),
        shape in vec(0_u64..70, 0..4),
        dtype in select(&["F32", "F16", "BF16", "F64", "I64", "F4", "?"][..]),
    ) {
        use_it(reshape_albert(renamed, &shape, dtype));
    }

    #[test]
    fn any_configuration(text in ".{0,80}") {
        if let Err(error) = Config::parse(&text) {
            assert_is_sentence(&error.to_string());
        }
    }
}

/// ALBERT with one tensor of another shape and type, with matching data.
fn reshape_albert(which: Index, shape: &[u64], dtype: &str) -> Vec<u8> {
    let header = header_length(ALBERT);
    let mut json: serde_json::Value = serde_json::from_slice(&ALBERT[8..8 + header]).expect("JSON");
    let mut data = ALBERT[8 + header..].to_vec();
    let names: Vec<String> = json
        .as_object()
        .expect("an object")
        .keys()
        .filter(|k| *k != "__metadata__")
        .cloned()
        .collect();
    let bits = diagonal::checkpoint::Dtype::from_name(dtype)
        .bits()
        .unwrap_or(8);
    let length = (shape.iter().product::<u64>() * bits).div_ceil(8);
    let begin = data.len() as u64;
    data.extend((0..length).map(|i| (i % 60) as u8));
    let offsets = [begin, begin + length];
    json[which.get(&names)] =
        serde_json::json!({"dtype": dtype, "shape": shape, "data_offsets": offsets});
    file(&json.to_string(), &data)
}
