//! Tables that begin with their first position, in families whose other tables do not.

use diagonal::model::{Config, ModelOptions, PositionSource};

use super::{of_source, opened};
use crate::support::models::{Stored, Tensors, config, f32s, note, open_model, tensors, write};

fn rows(tensors: &Tensors, config: Option<&Config>) -> (usize, bool) {
    let (_, model) =
        open_model(write(tensors), config, &ModelOptions::default()).expect("it opens");
    let PositionSource::Table(table) = &model.positions else {
        panic!("a table");
    };
    (table.rows.nrows(), note(&model, "First row").is_some())
}

#[test]
fn led_has_no_rows_before_its_positions_and_two_kinds_of_attention() {
    let (_, model) = opened("led", &ModelOptions::default()).expect("it opens");
    let ids: Vec<_> = model.sources.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["encoder", "decoder", "encoder-global"]);
    for (id, layers) in [("encoder", 1), ("decoder", 1), ("encoder-global", 1)] {
        let (checkpoint, model) = opened("led", &of_source(id)).expect(id);
        assert_eq!((model.layers, model.heads.count), (layers, 4), "{id}");
        assert!(note(&model, "Rows left out").is_none());
        assert!(pollster::block_on(model.read_layer(&checkpoint, 0)).is_ok());
        assert_eq!(note(&model, "Window").is_some(), id == "encoder");
    }
}

/// A computed table: sines in the first half of the columns, or in the even ones.
fn computed(rows: usize, width: usize, in_pairs: bool) -> Stored {
    f32s(&[rows, width], |at| {
        let (row, column) = (at / width, at % width);
        let (wave, is_cosine) = if in_pairs {
            (column / 2, column % 2 == 1)
        } else {
            (column % (width / 2), column >= width / 2)
        };
        let angle = row as f32 * 10_000_f32.powf(-2.0 * wave as f32 / width as f32);
        if is_cosine { angle.cos() } else { angle.sin() }
    })
}

#[test]
fn computed_tables_begin_with_position_0_in_every_family() {
    for (folder, table) in [
        ("bart", "encoder.embed_positions.weight"),
        ("mbart", "encoder.embed_positions.weight"),
        ("opt", "decoder.embed_positions.weight"),
        ("roberta", "embeddings.position_embeddings.weight"),
        ("xlm-roberta", "embeddings.position_embeddings.weight"),
        ("longformer", "embeddings.position_embeddings.weight"),
        ("mpnet", "embeddings.position_embeddings.weight"),
    ] {
        let mut all = tensors(folder);
        let name = all
            .keys()
            .find(|name| name.ends_with(table))
            .expect(folder)
            .clone();
        let shape = all[&name].shape.clone();
        for in_pairs in [true, false] {
            all.insert(name.clone(), computed(shape[0], shape[1], in_pairs));
            let count_and_note = rows(&all, Some(&config(folder)));
            assert_eq!(count_and_note, (shape[0], true), "{folder}, {in_pairs}");
        }
        // A table with another beginning is not computed from position 0.
        let other = f32s(&shape, |at| (at as f32 * 0.7).sin());
        all.insert(name.clone(), other);
        let (count, is_noted) = rows(&all, Some(&config(folder)));
        assert!(count < shape[0] && !is_noted, "{folder}");
        // Fairseq's computed tables have a row of zeros, after which positions are counted.
        let mut table = computed(shape[0], shape[1], false);
        table.bytes[4 * shape[1]..8 * shape[1]].fill(0);
        all.insert(name.clone(), table);
        assert!(rows(&all, Some(&config(folder))).0 < shape[0], "{folder}");
    }
}

#[test]
fn eight_bit_weights_are_multiplied_by_the_factors_beside_them() {
    let query = "encoder.layer.0.attention.self.query.weight";
    let mut all = tensors("bert");
    let [rows, columns] = all[query].shape[..] else {
        panic!("a matrix");
    };
    let ones = Stored {
        dtype: safetensors::Dtype::F8_E4M3,
        bytes: vec![0x38; rows * columns],
        shape: vec![rows, columns],
    };
    all.insert(query.to_owned(), ones);
    let read = |all: &Tensors| {
        let (file, model) = open_model(write(all), Some(&config("bert")), &ModelOptions::default())
            .expect("the table");
        pollster::block_on(model.read_layer(&file, 0))
    };
    let plain = read(&all).expect("exact numbers");
    assert!(plain.query.iter().all(|number| *number == 1.0));
    for factors in [
        "weight_scale",
        "weight_scale_inv",
        "scale_weight",
        "qscale_weight",
        "scale",
    ] {
        let name = query.replace("weight", factors);
        // One factor, and one for each row, which is an output.
        for shape in [vec![1], vec![rows, 1]] {
            let mut all = all.clone();
            all.insert(name.clone(), f32s(&shape, |at| 0.5 + at as f32));
            let scaled = read(&all).expect("the model's numbers").query;
            for ((_, output), number) in scaled.indexed_iter() {
                let row = if shape.len() == 1 { 0 } else { output };
                assert_eq!(*number, 0.5 + row as f32, "{factors}");
            }
        }
        let mut all = all.clone();
        all.insert(name, f32s(&[3, 5], |_| 0.5));
        let sentence = read(&all).expect_err("no layout").to_string();
        assert!(
            sentence.contains(factors) && sentence.contains("3 × 5"),
            "{sentence}"
        );
    }
}

#[test]
fn tables_of_eight_bits_are_multiplied_by_their_factors() {
    let table = "embeddings.position_embeddings.weight";
    let words = "embeddings.word_embeddings.weight";
    let mut all = tensors("bert");
    let mut expected = Vec::new();
    for name in [table, words] {
        let [rows, columns] = all[name].shape[..] else {
            panic!("a matrix");
        };
        // Codes from 0x30 to 0x3f are 0.5 to 1.875 in steps of 1/16 and 1/8.
        let code = |at: usize| 0x30 + (at * 7 % 16) as u8;
        let eight = Stored {
            dtype: safetensors::Dtype::F8_E4M3,
            bytes: (0..rows * columns).map(code).collect(),
            shape: vec![rows, columns],
        };
        let factor = |row: usize| 0.01 * (1 + row % 5) as f32;
        expected.push(f32s(&[rows, columns], |at| {
            let code = code(at) - 0x30;
            let mantissa = 1.0 + f32::from(code % 8) / 8.0;
            let number = if code < 8 { mantissa / 2.0 } else { mantissa };
            number * factor(at / columns)
        }));
        all.insert(name.to_owned(), eight);
        all.insert(format!("{name}_scale"), f32s(&[rows, 1], factor));
    }
    let mut plain = all.clone();
    for (name, expected) in [table, words].into_iter().zip(expected) {
        plain.remove(&format!("{name}_scale"));
        plain.insert(name.to_owned(), expected);
    }
    let read = |all: &Tensors| {
        let choice = ModelOptions::default();
        let (file, model) = open_model(write(all), Some(&config("bert")), &choice).expect("BERT");
        let inputs = pollster::block_on(model.read_inputs(&file, |_, _| ())).expect("words");
        (model.table().expect("a table").clone(), inputs.mean_word)
    };
    assert_eq!(read(&all), read(&plain));
}
