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
            let found = rows(&all, Some(&config(folder)));
            assert_eq!(found, (shape[0], true), "{folder}, {in_pairs}");
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
fn eight_bit_weights_with_factors_beside_them_are_not_read_as_they_are() {
    let query = "encoder.layer.0.attention.self.query.weight";
    let mut all = tensors("bert");
    let shape = all[query].shape.clone();
    let eight = Stored {
        dtype: safetensors::Dtype::F8_E4M3,
        bytes: vec![0x38; shape.iter().product()],
        shape,
    };
    all.insert(query.to_owned(), eight);
    let read = |all: &Tensors| {
        let (file, model) = open_model(write(all), Some(&config("bert")), &ModelOptions::default())
            .expect("the table");
        pollster::block_on(model.read_layer(&file, 0))
    };
    let plain = read(&all).expect("exact numbers");
    assert!(plain.query.iter().all(|number| *number == 1.0));
    for factors in ["weight_scale", "weight_scale_inv", "scale_weight"] {
        let mut all = tensors("bert");
        let shape = all[query].shape.clone();
        let bytes = vec![0x38; shape.iter().product()];
        let dtype = safetensors::Dtype::F8_E4M3;
        all.insert(
            query.to_owned(),
            Stored {
                dtype,
                shape,
                bytes,
            },
        );
        let name = query.replace("weight", factors);
        all.insert(name, f32s(&[1], |_| 0.5));
        let sentence = read(&all).expect_err("not the model's numbers").to_string();
        assert!(sentence.contains(factors), "{sentence}");
    }
}
