//! Tensors chosen by hand: rows left out, a grid, words, a norm, queries and keys, heads.

use diagonal::model::{HeadsSource, ModelOptions, PositionModel};
use pollster::block_on;

use crate::support::models::{
    bytes, config, f32s, note, open_model, plainly, rename_tensors, tensors, write,
};

/// A BERT under names that no family knows, and the choice that opens it.
fn unknown_bert() -> (Vec<u8>, ModelOptions) {
    let renamed = rename_tensors(tensors("bert"), |name| {
        name.replace("position_embeddings", "places")
            .replace("word_embeddings", "tokens")
            .replace("attention.self.query", "asks")
            .replace("attention.self.key", "answers")
    });
    let choice = ModelOptions {
        table: Some("embeddings.places.weight".to_owned()),
        words: Some("embeddings.tokens.weight".to_owned()),
        norm: Some("embeddings.LayerNorm.weight".to_owned()),
        attention: Some((
            "encoder.layer.0.asks.weight".to_owned(),
            "encoder.layer.0.answers.weight".to_owned(),
        )),
        ..ModelOptions::default()
    };
    (write(&renamed), choice)
}

#[test]
fn a_whole_model_can_be_chosen_by_hand() {
    let (bytes_by_hand, choice) = unknown_bert();
    let config = config("bert");
    let (checkpoint, model) = open_model(bytes_by_hand, Some(&config), &choice).expect("it opens");
    let (whole_checkpoint, whole) = plainly(bytes("bert"), Some(&config));
    assert_eq!(model.table(), whole.table());
    assert_eq!(model.layers, whole.layers);
    assert_eq!(
        (model.heads.count, model.heads.source),
        (whole.heads.count, HeadsSource::Config)
    );
    let [by_hand, known] =
        [(&checkpoint, &model), (&whole_checkpoint, &whole)].map(|(file, model)| {
            let inputs = block_on(model.read_inputs(file, |_, _| ())).expect("inputs");
            let layer = block_on(model.read_layer(file, 1)).expect("a layer");
            (inputs.mean_word, layer.query, layer.key_bias)
        });
    assert!(by_hand == known);
    // Token types were not chosen.
    assert!(note(&model, "Added to every position").is_none());
    assert!(note(&model, "LayerNorm").is_some());
}

#[test]
fn nothing_is_claimed_of_what_was_not_chosen() {
    let (file, whole_choice) = unknown_bert();
    let choice = ModelOptions {
        words: None,
        norm: None,
        ..whole_choice
    };
    let (_, model) = open_model(file.clone(), None, &choice).expect("it opens");
    for note in &model.notes {
        assert!(
            !note.text.contains("The file has n"),
            "{}: {}",
            note.title,
            note.text
        );
    }
    let choice = ModelOptions {
        attention: None,
        ..choice
    };
    let (_, model) = open_model(file, None, &choice).expect("it opens");
    assert_eq!(model.layers, 0);
    assert!(
        note(&model, "No heads")
            .expect("a reason")
            .contains("chose no")
    );
}

#[test]
fn rows_are_left_out_at_both_ends_and_the_rest_is_a_grid() {
    let file = write(
        &[(
            "grid".to_owned(),
            f32s(&[2 + 12 + 3, 4], |at| (at as f32).sin()),
        )]
        .into(),
    );
    let choice = ModelOptions {
        table: Some("grid".to_owned()),
        left_out: (2, 3),
        patches: Some((3, 4)),
        ..ModelOptions::default()
    };
    let (_, model) = open_model(file.clone(), None, &choice).expect("it opens");
    let table = model.table().expect("a table");
    assert_eq!(table.nrows(), 12);
    assert_eq!(table[[0, 0]], 8_f32.sin());
    let grid = model.positions.grid().expect("a grid");
    assert_eq!((grid.height, grid.width), (3, 4));
    // A grid of another size is passed over with a sentence.
    let wrong = ModelOptions {
        patches: Some((5, 5)),
        ..choice.clone()
    };
    let (_, model) = open_model(file.clone(), None, &wrong).expect("it opens");
    assert_eq!(model.positions.grid(), None);
    assert!(note(&model, "Grid").expect("a note").contains("25"));
    assert!(
        model
            .possible_grids
            .iter()
            .any(|grid| (grid.height, grid.width) == (3, 4))
    );
    // No rows are left.
    for left_out in [(16, 0), (0, 17), (9, 9), (4096, 4096)] {
        let choice = ModelOptions {
            left_out,
            ..choice.clone()
        };
        let error = open_model(file.clone(), None, &choice)
            .map(drop)
            .expect_err("no positions");
        assert!(
            error.to_string().contains("two positions"),
            "{left_out:?}: {error}"
        );
    }
}

/// Of a table with more rows than are read, those after the rows left out are read.
#[test]
fn rows_are_left_out_of_a_long_table() {
    let number = |at: usize| at as f32;
    let file = write(&[("grid".to_owned(), f32s(&[40_000, 2], number))].into());
    for first in [10, 20_000, 39_000] {
        let choice = ModelOptions {
            table: Some("grid".to_owned()),
            left_out: (first, 0),
            ..ModelOptions::default()
        };
        let (_, model) = open_model(file.clone(), None, &choice).expect("it opens");
        let table = model.table().expect("a table");
        assert_eq!(table.nrows(), (40_000 - first as usize).min(16_384));
        for (at, cell) in table.iter().enumerate() {
            assert_eq!(*cell, number(2 * first as usize + at), "{first}, {at}");
        }
    }
}

#[test]
fn tensors_that_do_not_exist_get_a_sentence() {
    let (file, choice) = unknown_bert();
    let nothing = Some("nothing".to_owned());
    for choice in [
        ModelOptions {
            table: nothing.clone(),
            ..choice.clone()
        },
        ModelOptions {
            words: nothing.clone(),
            ..choice.clone()
        },
        ModelOptions {
            norm: nothing.clone(),
            ..choice.clone()
        },
        ModelOptions {
            attention: Some(("nothing".to_owned(), "nothing".to_owned())),
            ..choice.clone()
        },
    ] {
        let error = open_model(file.clone(), None, &choice)
            .map(drop)
            .expect_err("no such tensor");
        assert!(error.to_string().contains("no tensor “nothing”"), "{error}");
    }
    // A norm of another width is refused when heads are read.
    let choice = ModelOptions {
        norm: Some("encoder.layer.0.intermediate.dense.bias".to_owned()),
        ..choice
    };
    let (checkpoint, model) = open_model(file, None, &choice).expect("the table opens");
    let inputs = block_on(model.read_inputs(&checkpoint, |_, _| ()));
    let weights = block_on(model.read_layer(&checkpoint, 0));
    assert!(inputs.is_err() || weights.is_err());
}

/// Part of a model may have layers 12 and 15 only.
#[test]
fn layers_are_found_under_any_numbers() {
    let renamed = rename_tensors(tensors("bert"), |name| {
        name.replace("position_embeddings", "places")
            .replace("layer.1.", "layer.15.")
            .replace("layer.0.", "layer.12.")
    });
    let map = |layer: u32, map: &str| format!("encoder.layer.{layer}.attention.self.{map}.weight");
    let (whole_checkpoint, whole) = plainly(bytes("bert"), Some(&config("bert")));
    for number in [12, 15] {
        let choice = ModelOptions {
            table: Some("embeddings.places.weight".to_owned()),
            attention: Some((map(number, "query"), map(number, "key"))),
            norm: Some("encoder.layer.12.output.LayerNorm.weight".to_owned()),
            ..ModelOptions::default()
        };
        let file = write(&renamed);
        let (checkpoint, model) =
            open_model(file, Some(&config("bert")), &choice).expect("it opens");
        assert_eq!((model.layers, whole.layers), (2, 2));
        for layer in 0..2 {
            let read = |file: &_, model: &PositionModel| {
                block_on(model.read_layer(file, layer)).expect("a layer")
            };
            let [by_hand, known] = [read(&checkpoint, &model), read(&whole_checkpoint, &whole)];
            assert!(by_hand.query == known.query && by_hand.key == known.key);
            assert!(by_hand.norm.is_some());
        }
    }
    // Tensors without a common number are one layer.
    let choice = ModelOptions {
        table: Some("embeddings.places.weight".to_owned()),
        attention: Some((
            map(12, "query"),
            "embeddings.word_embeddings.weight".to_owned(),
        )),
        ..ModelOptions::default()
    };
    let (_, model) = open_model(write(&renamed), None, &choice).expect("it opens");
    assert_eq!(model.layers, 1);
}

#[test]
fn a_norm_with_a_number_belongs_to_its_layer() {
    let choice = ModelOptions {
        table: Some("wpe.weight".to_owned()),
        norm: Some("h.0.ln_1.weight".to_owned()),
        attention: Some((
            "h.0.attn.c_attn.weight".to_owned(),
            "h.0.attn.c_attn.weight".to_owned(),
        )),
        is_transposed: true,
        ..ModelOptions::default()
    };
    let renamed = rename_tensors(tensors("gpt2"), |name| {
        name.trim_start_matches("transformer.")
            .replace("wpe", "places")
    });
    let choice = ModelOptions {
        table: Some("places.weight".to_owned()),
        ..choice
    };
    let (checkpoint, model) =
        open_model(write(&renamed), Some(&config("gpt2")), &choice).expect("it opens");
    let (whole_checkpoint, whole) = plainly(bytes("gpt2"), Some(&config("gpt2")));
    for layer in 0..whole.layers {
        let read = |file: &_, model: &PositionModel| {
            block_on(model.read_layer(file, layer)).expect("a layer")
        };
        assert!(read(&checkpoint, &model) == read(&whole_checkpoint, &whole));
    }
}
