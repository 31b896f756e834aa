//! Valid checkpoints with inconsistent contents: each is refused, or shown as far as possible, with a message.

use diagonal::{
    checkpoint::Checkpoint,
    model::{Heads, HeadsSource, ModelError, ModelOptions, PositionModel, tables},
};
use pollster::block_on;
use safetensors::tensor::Dtype;

use super::model_reading::large;
use crate::{
    checkpoint::{checkpoints::open, hostile::assert_is_sentence},
    support::models::{
        Stored, TABLE, Tensors, WORDS, bytes, config, f32s, note, open_model, plainly,
        rename_tensors, tensors, write,
    },
};

#[test]
fn tables_without_positions_are_refused() {
    for (rows, width) in [(0, 64), (1, 64), (96, 0)] {
        let mut all = tensors("bert");
        all.insert(TABLE.to_owned(), f32s(&[rows, width], |_| 1.0));
        let error = open_model(write(&all), Some(&config("bert")), &ModelOptions::default());
        assert!(
            matches!(error, Err(ModelError::NoPositions { .. })),
            "{rows} × {width}: {error:?}"
        );
    }
    for shape in [&[64][..], &[4, 4, 4], &[2, 1, 32, 1]] {
        let mut all = tensors("bert");
        all.insert(TABLE.to_owned(), f32s(shape, |_| 1.0));
        let error = open_model(write(&all), None, &ModelOptions::default());
        assert!(
            matches!(error, Err(ModelError::NotATable { .. })),
            "{shape:?}: {error:?}"
        );
    }
}

#[test]
fn what_is_no_number_is_found() {
    let with = |name: &str, index: usize, number: f32| {
        let mut all = tensors("bert");
        let tensor = all.get_mut(name).expect(name);
        tensor.bytes[index * 4..][..4].copy_from_slice(&number.to_le_bytes());
        write(&all)
    };
    let says = |error: &ModelError, words: &[&str]| {
        let text = error.to_string();
        assert_is_sentence(&text);
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    };
    let error = open_model(
        with(TABLE, 5 * 64 + 7, f32::NAN),
        None,
        &ModelOptions::default(),
    )
    .expect_err("NaN");
    says(&error, &[TABLE, "NaN", "row 5, column 7"]);
    let key = "encoder.layer.1.attention.self.key.weight";
    let (checkpoint, model) = plainly(with(key, 3 * 64 + 2, f32::INFINITY), None);
    assert!(block_on(model.read_layer(&checkpoint, 0)).is_ok());
    says(
        &block_on(model.read_layer(&checkpoint, 1)).expect_err("infinite"),
        &[key, "inf", "row 3, column 2"],
    );
    let (checkpoint, model) = plainly(with(WORDS, 199 * 64, f32::NEG_INFINITY), None);
    let error = block_on(model.read_inputs(&checkpoint, |_, _| ())).expect_err("infinite");
    says(&error, &[WORDS, "-inf", "row 199, column 0"]);
}

#[test]
fn heads_must_divide_the_width() {
    let chosen = |heads| {
        open_model(
            bytes("bert"),
            None,
            &ModelOptions {
                heads: Some(heads),
                ..ModelOptions::default()
            },
        )
    };
    assert_eq!(chosen(16).expect("16 divides 64").1.heads.count, 16);
    for heads in [0, 3, 65, u32::MAX] {
        let error = chosen(heads).expect_err("it does not divide");
        assert!(error.to_string().contains("You chose"), "{error}");
    }
    let mut config = config("bert");
    config.heads = Some(5);
    // A configuration of another model does not make the weights unreadable.
    let (_, model) =
        open_model(bytes("bert"), Some(&config), &ModelOptions::default()).expect("the weights");
    assert_eq!(model.heads.source, HeadsSource::Assumed);
    let text = note(&model, "Heads assumed").expect("a note");
    assert!(text.contains("The configuration says 5"), "{text}");
}

#[test]
fn heads_are_assumed_by_width() {
    for (width, heads) in [
        (384, 12),
        (312, 12),
        (128, 2),
        (256, 4),
        (512, 8),
        (768, 12),
        (1024, 16),
        (640, 10),
        (100, 2),
    ] {
        let source = large(2, width, 1);
        let checkpoint = block_on(Checkpoint::open(source, "wide")).expect("a checkpoint");
        let model = block_on(PositionModel::open(
            &checkpoint,
            None,
            &ModelOptions::default(),
        ))
        .expect("a model");
        assert_eq!(
            model.heads,
            Heads {
                count: heads,
                source: HeadsSource::Assumed
            },
            "{width}"
        );
    }
}

#[test]
fn a_table_alone_opens_without_heads() {
    let all: Tensors = tensors("bert")
        .into_iter()
        .filter(|(name, _)| name.starts_with("embeddings."))
        .collect();
    let (checkpoint, model) = plainly(write(&all), None);
    assert_eq!(
        (model.family, model.layers, model.heads),
        ("BERT", 0, Heads::NONE)
    );
    assert!(note(&model, "No heads").is_some());
    assert!(block_on(model.read_layer(&checkpoint, 0)).is_err());
}

#[test]
fn weights_of_another_shape_are_refused_but_the_table_is_shown() {
    let query = "encoder.layer.0.attention.self.query.weight";
    for shape in [&[64, 32][..], &[64], &[32, 64], &[64, 64, 1], &[0, 64]] {
        let mut all = tensors("bert");
        all.insert(query.to_owned(), f32s(shape, |_| 1.0));
        let opened = open_model(
            write(&all),
            None,
            &ModelOptions {
                heads: Some(1),
                ..ModelOptions::default()
            },
        );
        match opened {
            Ok((checkpoint, model)) => {
                let error = block_on(model.read_layer(&checkpoint, 0)).expect_err("another shape");
                assert!(
                    matches!(error, ModelError::Shape { .. }),
                    "{shape:?}: {error:?}"
                );
                assert_is_sentence(&error.to_string());
            }
            Err(error) => assert!(
                matches!(error, ModelError::HeadsDoNotDivide { .. }),
                "{shape:?}: {error:?}"
            ),
        }
    }
    for name in [
        WORDS,
        "embeddings.token_type_embeddings.weight",
        "embeddings.LayerNorm.bias",
    ] {
        let mut all = tensors("bert");
        all.insert(name.to_owned(), f32s(&[7, 32], |_| 1.0));
        let (checkpoint, model) = plainly(write(&all), None);
        let error = block_on(model.read_inputs(&checkpoint, |_, _| ())).expect_err(name);
        assert!(
            matches!(error, ModelError::Shape { .. }),
            "{name}: {error:?}"
        );
        assert_is_sentence(&error.to_string());
    }
}

#[test]
fn unknown_attention_leaves_the_table_of_bert() {
    // The table has BERT's name, and the attention an unknown one.
    let own = rename_tensors(tensors("bert"), |name| {
        name.replace("self.query", "own.query")
    });
    let (_, model) = plainly(write(&own), None);
    let rows = model.table().expect("a table").nrows();
    assert_eq!((model.family, model.layers, rows), ("BERT", 0, 96));
    let text = note(&model, "No heads").expect("a reason");
    assert!(text.contains("do not have the names"), "{text}");
}

#[test]
fn an_unknown_file_counts_its_tensors() {
    let names = ["first", "second"];
    for count in 1..=names.len() {
        let tensors = names[..count]
            .iter()
            .map(|name| ((*name).to_owned(), f32s(&[8, 8], |_| 1.0)));
        let error = open_model(write(&tensors.collect()), None, &ModelOptions::default());
        let error = error.expect_err("no family").to_string();
        let begin = [
            "The name of its tensor matches no",
            "The names of its 2 tensors match no",
        ];
        assert!(error.starts_with(begin[count - 1]), "{error}");
        assert_is_sentence(&error);
    }
}

#[test]
fn any_table_can_be_chosen() {
    let mut all = Tensors::new();
    all.insert("blocks.0.mlp.weight".to_owned(), f32s(&[8, 8], |_| 1.0));
    all.insert("wte.weight".to_owned(), f32s(&[50, 8], |_| 1.0));
    all.insert("pos_embed".to_owned(), f32s(&[1, 20, 8], |i| i as f32));
    all.insert("norm.bias".to_owned(), f32s(&[8], |_| 1.0));
    all.insert(
        "position_ids".to_owned(),
        Stored {
            dtype: Dtype::I64,
            shape: vec![1, 20],
            bytes: vec![0; 160],
        },
    );
    let checkpoint = open(write(&all)).expect("a checkpoint");
    let names: Vec<_> = tables(checkpoint.tensors())
        .iter()
        .map(|tensor| tensor.name.as_str())
        .collect();
    assert_eq!(names, ["pos_embed", "wte.weight", "blocks.0.mlp.weight"]);

    let choose = |name: &str| {
        open_model(
            write(&all),
            None,
            &ModelOptions {
                table: Some(name.to_owned()),
                heads: Some(7),
                ..ModelOptions::default()
            },
        )
        .map(|(_, model)| model)
    };
    let model = choose("pos_embed").expect("a table");
    assert_eq!(
        (
            model.family,
            model.table().expect("a table").dim(),
            model.layers
        ),
        ("table", (20, 8), 0)
    );
    assert_eq!(
        (
            model.tensor().unwrap_or_default(),
            model.table().expect("a table")[[19, 7]]
        ),
        ("pos_embed", 159.0)
    );
    assert!(matches!(
        choose("absent"),
        Err(ModelError::NoSuchTensor { .. })
    ));
    assert!(matches!(
        choose("norm.bias"),
        Err(ModelError::NotATable { .. })
    ));
    assert!(matches!(
        choose("position_ids"),
        Err(ModelError::NotATable { .. })
    ));
}
