//! Names of any length: messages about them fit into a few lines, and links keep the whole name.

use diagonal::{
    analysis::{
        Failure, FailureKind, GroupFiles, HeadList, MemorySession, OpenModel, OpenResult, Origin,
        ScoreMode, TableTile,
    },
    checkpoint::MemorySource,
    kernel_io::heads_of_csv,
    model::ModelOptions,
    url_state::{Link, ModelRef, model_name, page_title},
};
use serde_json::json;

use crate::{
    checkpoint::{checkpoints, fuzz::around},
    support::questions::{FIRST, ask, ask_with_files},
};

/// Names of `length` characters, without a space and with many.
fn names(length: usize) -> [String; 2] {
    ["long-name", "a long name "].map(|word| word.repeat(length / word.len()))
}

/// The length of a name in a file's header.
const LONG: usize = 200_000;
/// The length of pasted text.
const LONGER: usize = 1_000_000;

/// Checks that a message is short enough to lay out and read.
fn assert_is_short(text: &str) {
    assert!(
        text.chars().count() <= 2_000,
        "{} characters: {:.300}",
        text.len(),
        text
    );
    for word in text.split_whitespace() {
        assert!(word.chars().count() <= 200, "a word too long: {text:.300}");
    }
}

/// All messages about files while they are grouped, opened and queried.
fn said_of(files: &[(String, Vec<u8>)], choice: &ModelOptions) -> Vec<String> {
    let sources = || -> Vec<(String, MemorySource)> {
        let source =
            |(name, bytes): &(String, Vec<u8>)| (name.clone(), MemorySource::new(bytes.clone()));
        files.iter().map(source).collect()
    };
    let session = MemorySession::default();
    let mut messages = Vec::new();
    let mut has_heads = false;
    let sentence = |failure: Failure| failure.sentence;
    match ask_with_files(&session, GroupFiles, sources()) {
        Ok(gathering) => messages.extend(gathering.messages),
        Err(failure) => messages.push(sentence(failure)),
    }
    let open = OpenModel {
        version: FIRST,
        origin: Origin::Files,
        choice: choice.clone(),
    };
    match ask_with_files(&session, open, sources()) {
        Ok(OpenResult::Opened(summary)) => {
            has_heads = summary.heads.is_some();
            messages.extend(summary.notes.into_iter().map(|note| note.text));
            messages.push(model_name(&files[0].0, None));
        }
        Ok(OpenResult::Choose(_, sentence)) => messages.push(sentence),
        Ok(OpenResult::AskWhole(_)) => {}
        Err(failure) => messages.push(sentence(failure)),
    }
    let of = FIRST;
    messages.extend(
        ask(&session, TableTile { of, limit: 8 })
            .err()
            .map(sentence),
    );
    // A model without heads answers none of these.
    if has_heads {
        let mode = ScoreMode::AsComputed;
        messages.extend(
            ask(
                &session,
                HeadList {
                    of,
                    input: mode.into(),
                },
            )
            .err()
            .map(sentence),
        );
    }
    messages
}

fn tensor(dtype: &str, shape: &[u64], data: [u64; 2]) -> serde_json::Value {
    json!({ "dtype": dtype, "shape": shape, "data_offsets": data })
}

/// A safetensors file of these tensors, with 1,024 bytes of data.
fn safetensors(tensors: serde_json::Value) -> Vec<u8> {
    checkpoints::file(&tensors.to_string(), &[0; 1024])
}

#[test]
fn names_of_tensors_and_files_are_cut_in_whatever_is_said_of_them() {
    for name in names(LONG) {
        let weights = |tensors| vec![("m.safetensors".to_owned(), safetensors(tensors))];
        let one = |value: serde_json::Value| json!({ name.clone(): value });
        let two = |a: [u64; 2], b: [u64; 2]| {
            let (first, second) = (format!("{name}1"), format!("{name}2"));
            weights(json!({ first: tensor("F32", &[4, 4], a), second: tensor("F32", &[4, 4], b) }))
        };
        let long_table = |end: &str| {
            let name = format!("{name}{end}");
            json!({ name: tensor("F32", &[16, 16], [0, 1024]) })
        };
        for files in [
            weights(one(tensor("F32", &[4, 4], [64, 0]))),
            weights(one(tensor("F32", &[4, 4], [0, 4096]))),
            weights(one(tensor("F32", &[4, 4], [0, 32]))),
            weights(one(tensor("F32", &[u64::MAX, 4], [0, 32]))),
            weights(one(tensor("I64", &[4, 4], [0, 128]))),
            weights(one(tensor(&name, &[4, 4], [0, 128]))),
            weights(one(tensor("F32", &[16, 16], [0, 1024]))),
            weights(long_table(".embeddings.position_embeddings.weight")),
            weights(json!({ "__metadata__": { "format": name, "general.name": name } })),
            two([0, 64], [32, 96]),
            vec![(name.clone(), b"no model".to_vec())],
            vec![(format!("{name}.safetensors"), b"no model".to_vec())],
            vec![(format!("{name}.safetensors"), safetensors(long_table("")))],
            vec![(format!("{name}/config.json"), b"{}".to_vec())],
            vec![(
                format!("{name}.safetensors.index.json"),
                json!({ "weight_map": { "a": "model.safetensors" } })
                    .to_string()
                    .into_bytes(),
            )],
            vec![(
                "model.safetensors.index.json".to_owned(),
                json!({ "weight_map": { name.clone(): name } })
                    .to_string()
                    .into_bytes(),
            )],
            vec![(
                "kernels.csv".to_owned(),
                format!("layer,head,a1,b1,c1\n1,1,{name},1,0\n").into_bytes(),
            )],
            vec![(
                "kernels.json".to_owned(),
                json!({ "format": name }).to_string().into_bytes(),
            )],
        ] {
            let choices = [
                ModelOptions::default(),
                ModelOptions {
                    table: Some(name.clone()),
                    ..ModelOptions::default()
                },
                ModelOptions {
                    source: Some(name.clone()),
                    ..ModelOptions::default()
                },
                ModelOptions {
                    table: Some("x".to_owned()),
                    attention: Some((name.clone(), name.clone())),
                    ..ModelOptions::default()
                },
            ];
            for choice in choices {
                let messages = said_of(&files, &choice);
                assert!(!messages.is_empty(), "{:.40} says something", files[0].0);
                for sentence in messages {
                    assert_is_short(&sentence);
                }
            }
        }
    }
}

#[test]
fn values_of_configurations_and_classes_of_pickles_are_cut() {
    let bert = std::fs::read(crate::support::models::data("bert").join("model.safetensors"));
    let bert = bert.expect("the small BERT");
    for name in names(LONG) {
        for config in [
            json!({ "model_type": name }),
            json!({ "model_type": "bert", "num_attention_heads": name }),
            json!({ "model_type": "bert", "num_attention_heads": 4, "hidden_act": name, "position_embedding_type": name }),
            json!({ "model_type": "roberta", "num_attention_heads": 4, "architectures": [name], "layer_norm_eps": name }),
            json!({ name.clone(): name }),
            json!(name),
        ] {
            let files = [
                ("m/config.json".to_owned(), config.to_string().into_bytes()),
                ("m/model.safetensors".to_owned(), bert.clone()),
            ];
            for sentence in said_of(&files, &ModelOptions::default()) {
                assert_is_short(&sentence);
            }
        }
        let class = name.replace(' ', "_");
        let global = [
            &b"\x80\x02c"[..],
            class.as_bytes(),
            b"\n",
            class.as_bytes(),
            b"\n.",
        ];
        let pickle = global.concat();
        let files = [("pytorch_model.bin".to_owned(), around(&pickle))];
        let messages = said_of(&files, &ModelOptions::default());
        assert!(!messages.is_empty());
        for sentence in messages {
            assert_is_short(&sentence);
        }
    }
}

#[test]
fn what_links_name_is_cut_where_it_is_said_and_stays_whole_in_the_link() {
    for name in names(LONGER) {
        let reference = ModelRef::File {
            name: name.clone(),
            hash: Some(7),
        };
        let link = Link {
            model: reference.clone(),
            ..Link::default()
        };
        let (again, warnings) = Link::parse(&link.query());
        assert_eq!(again.model, reference, "it opens again");
        assert_eq!(warnings.message(), None);
        for text in [model_name(&name, None), page_title(link.view, &name)] {
            assert_is_short(&text);
        }
        // As the value and as the key of every part of a link.
        let value = name.replace(' ', "+");
        for key in [
            "view", "model", "hash", "layer", "kernels", "window", "pin", "embed", "x", &value,
        ] {
            let (_, warnings) = Link::parse(&format!("model=file&file=a&{key}={value}"));
            assert_is_short(&warnings.message().unwrap_or_default());
        }
        let failure = Failure::new(
            FailureKind::OurFault,
            format!("The name {name} and “{name}”."),
        );
        assert_is_short(&failure.sentence);
        let table = format!("alpha,delta_y,delta_x\n1,0,{}\n", name.replace(' ', "_"));
        assert_is_short(&heads_of_csv(&table).expect_err("no number"));
    }
}

/// Snapshots of a run differ at the end of their names.
#[test]
fn a_long_name_keeps_its_end() {
    let name = format!("{}-step-128000.safetensors", "run".repeat(100));
    let short = model_name(&name, None);
    assert!(
        short.starts_with("runrun") && short.ends_with("-step-128000"),
        "{short}"
    );
}
