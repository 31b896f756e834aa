//! A sharded checkpoint opens the shards that it needs, reports missing ones, and accepts them later.

use diagonal::{
    checkpoint::{
        Checkpoint, CheckpointError, ErrorKind, MemorySource, OMISSIONS, ShardFit, ShardIndex,
    },
    model::{Config, ModelOptions, PositionModel},
};
use pollster::block_on;

use super::{
    checkpoints::{Counting, file},
    formats::{data, read},
    hostile::assert_is_sentence,
};

const FOLDER: &str = "bert-sharded";
const TABLE: &str = "embeddings.position_embeddings.weight";

fn index() -> ShardIndex {
    let text = data(&format!("{FOLDER}/model.safetensors.index.json"));
    ShardIndex::parse(&String::from_utf8(text).expect("text")).expect("an index")
}

fn source(name: &str) -> Counting {
    Counting::new(data(&format!("{FOLDER}/{name}")))
}

#[test]
fn only_shards_with_wanted_tensors_are_read() {
    let files: Vec<(String, Counting)> = index()
        .files
        .into_iter()
        .map(|name| (name.clone(), source(&name)))
        .collect();
    let checkpoint = Checkpoint::from_shards(index(), "bert", files.clone());
    let read_of = || -> Vec<usize> {
        files
            .iter()
            .map(|(_, file)| file.reads.borrow().len())
            .collect()
    };
    assert_eq!(read_of(), [0; 7], "an index is enough to list the names");
    assert!(checkpoint.has(TABLE) && checkpoint.missing_files().is_empty());

    read(&checkpoint, TABLE);
    assert_eq!(
        read_of(),
        [1, 0, 0, 0, 0, 0, 0],
        "the table is in the first"
    );
    assert_eq!(checkpoint.bytes_read(), files[0].1.bytes_read());

    let config = Config::parse(&String::from_utf8(data("bert/config.json")).expect("text"));
    let config = config.expect("a configuration");
    let model = block_on(PositionModel::open(
        &checkpoint,
        Some(&config),
        &ModelOptions::default(),
    ))
    .expect("it opens");
    block_on(model.read_layer(&checkpoint, 0)).expect("a layer is read");
    let needed: Vec<usize> = index()
        .tensors
        .iter()
        .filter(|(name, _)| name.contains("layer.0.attention.self.query"))
        .map(|(_, file)| *file as usize)
        .collect();
    let read_of = read_of();
    assert!(needed.iter().all(|file| read_of[*file] > 0), "{read_of:?}");
    assert!(
        read_of.contains(&0),
        "the last layers were not asked for: {read_of:?}"
    );
}

#[test]
fn a_missing_shard_is_named_and_taken_later() {
    let all = index();
    let missing = all.files[0].clone();
    let at_hand = all.files[1..]
        .iter()
        .map(|name| (name.clone(), source(name)));
    let checkpoint = Checkpoint::from_shards(index(), "bert", at_hand);
    assert_eq!(checkpoint.missing_files(), std::slice::from_ref(&missing));
    let error = block_on(checkpoint.locate(TABLE)).expect_err("it is missing");
    assert_is_sentence(&error.to_string());
    assert!(
        matches!(&error, CheckpointError::MissingShard { shard } if *shard == missing),
        "{error}"
    );
    assert!(error.to_string().contains(&missing));

    // A wrong file of that name is opened, rejected, and can be replaced.
    let wrong = Counting::new(b"not a checkpoint at all".to_vec());
    checkpoint.offer(&missing, wrong).expect("it is wanted");
    assert!(block_on(checkpoint.locate(TABLE)).is_err());
    assert!(
        checkpoint
            .offer("model-00008-of-00007.safetensors", source(&missing))
            .is_err()
    );
    checkpoint
        .offer(&missing, source(&missing))
        .expect("it is wanted again");
    let (shape, numbers) = read(&checkpoint, TABLE);
    let whole = Counting::new(data("bert/model.safetensors"));
    let whole = block_on(Checkpoint::open(whole, "bert")).expect("it opens");
    assert_eq!((shape, numbers), read(&whole, TABLE));
    assert!(
        checkpoint.offer(&missing, source(&missing)).is_err(),
        "it is open now"
    );
}

#[test]
fn metadata_are_those_of_all_open_shards() {
    let shard = |tensor: &str, metadata: &str| {
        let entry = r#"{"dtype":"F32","shape":[1],"data_offsets":[0,4]}"#;
        let header = format!(r#"{{"__metadata__":{metadata},"{tensor}":{entry}}}"#);
        MemorySource::from(file(&header, &1.0_f32.to_le_bytes()))
    };
    let index = r#"{"weight_map":{"a":"1.safetensors","b":"2.safetensors"}}"#;
    let index = ShardIndex::parse(index).expect("an index");
    let first = r#"{"config":"first","one":"1","\u0000omissions":"A is left out."}"#;
    let second = r#"{"config":"second","two":"2","\u0000omissions":"B is left out."}"#;
    let sources = [
        ("1.safetensors".to_owned(), shard("a", first)),
        ("2.safetensors".to_owned(), shard("b", second)),
    ];
    let checkpoint = Checkpoint::from_shards(index, "two", sources);
    assert!(checkpoint.metadata().is_empty());
    block_on(checkpoint.open_first()).expect("it opens");
    assert_eq!(checkpoint.metadata()["config"], "first");
    assert!(!checkpoint.metadata().contains_key("two"));
    read(&checkpoint, "b");
    let metadata = checkpoint.metadata();
    assert_eq!(metadata["config"], "first");
    assert_eq!((&*metadata["one"], &*metadata["two"]), ("1", "2"));
    assert_eq!(metadata[OMISSIONS], "A is left out. B is left out.");
}

#[test]
fn an_index_of_another_version_is_found_out() {
    let text = r#"{"weight_map":{"new.weight":"model-00001-of-00007.safetensors"}}"#;
    let index = ShardIndex::parse(text).expect("an index");
    let name = index.files[0].clone();
    let checkpoint = Checkpoint::from_shards(index, "bert", [(name.clone(), source(&name))]);
    let error = block_on(checkpoint.locate("new.weight")).expect_err("it is not there");
    assert!(
        matches!(error, CheckpointError::NotInShard { .. }),
        "{error}"
    );
    assert_is_sentence(&error.to_string());
}

#[test]
fn hostile_indices_are_refused() {
    let long = format!("{}.bin", "a".repeat(300));
    for name in [
        "../model.safetensors",
        "a/../../b.bin",
        "/etc/passwd",
        "..",
        ".",
        "",
        "https://example.org/model.bin",
        "c:model.bin",
        "a\\b.bin",
        "a?b",
        "a#b",
        "a%2fb",
        "a\u{0}b",
        &long,
    ] {
        let text = serde_json::json!({"weight_map": {"x": name}}).to_string();
        let error = ShardIndex::parse(&text).expect_err(name);
        assert!(
            matches!(error, CheckpointError::ShardName { .. }),
            "{name}: {error}"
        );
        assert_is_sentence(&error.to_string());
    }
    for text in [
        "",
        "[]",
        "{}",
        r#"{"weight_map":{}}"#,
        r#"{"weight_map":{"a":1}}"#,
        r#"{"weight_map":[]}"#,
    ] {
        let error = ShardIndex::parse(text).expect_err(text);
        assert!(
            matches!(error, CheckpointError::IndexMalformed { .. }),
            "{text}: {error}"
        );
        assert_is_sentence(&error.to_string());
    }
    let many: serde_json::Map<String, serde_json::Value> = (0..10_001)
        .map(|at| (at.to_string(), format!("{at}.bin").into()))
        .collect();
    let error = ShardIndex::parse(&serde_json::json!({"weight_map": many}).to_string());
    assert!(
        error
            .expect_err("too many")
            .to_string()
            .contains("10001 files")
    );
}

#[test]
fn an_index_cannot_lead_in_a_circle() {
    // An index or a configuration in place of a shard has no tensors: it is neither followed nor requested.
    for name in [
        "model.safetensors.index.json",
        "b.index.JSON",
        "config.json",
    ] {
        let text = format!(r#"{{"weight_map":{{"x":"{name}","y":"model.safetensors"}}}}"#);
        let error = ShardIndex::parse(&text).expect_err("refused").to_string();
        assert!(
            error.contains(name) && error.contains("not a file of tensors"),
            "{error}"
        );
    }
}

#[test]
fn a_tensor_listed_twice_is_in_the_file_named_last() {
    let text = r#"{"weight_map":{"x":"a.bin","x":"b.bin"}}"#;
    let index = ShardIndex::parse(text).expect("an index");
    assert_eq!(
        (index.files, index.tensors),
        (vec!["b.bin".to_owned()], vec![("x".to_owned(), 0)])
    );
}

/// A shard of these tensors, with their shapes.
fn shard(tensors: &[(&str, &[u64])]) -> MemorySource {
    let mut header = serde_json::Map::new();
    let mut end = 0;
    for (name, shape) in tensors {
        let begin = end;
        end += 4 * shape.iter().product::<u64>();
        let entry =
            serde_json::json!({"dtype": "F32", "shape": shape, "data_offsets": [begin, end]});
        header.insert((*name).to_owned(), entry);
    }
    let header = serde_json::Value::from(header).to_string();
    MemorySource::from(file(&header, &vec![0; end as usize]))
}

/// A model without its second shard, `2.bin`.
fn half_a_model(query: &str, width: u64) -> Checkpoint<MemorySource> {
    let names = [0, 1, 2].map(|layer| format!("layer.{layer}.{query}"));
    let text = serde_json::json!({"weight_map": {
        &names[0]: "1.bin", &names[1]: "1.bin", "norm": "1.bin", &names[2]: "2.bin", "head": "2.bin"
    }});
    let index = ShardIndex::parse(&text.to_string()).expect("an index");
    let first = shard(&[
        (&names[0], &[width, width]),
        (&names[1], &[width, width]),
        ("norm", &[width]),
    ]);
    let checkpoint = Checkpoint::from_shards(index, "half", [("1.bin".to_owned(), first)]);
    block_on(checkpoint.open_all()).expect("it opens");
    checkpoint
}

#[test]
fn a_later_shard_goes_to_the_model_whose_tensors_it_holds() {
    let fit = |checkpoint: &Checkpoint<_>, name: &str, tensors: &[(&str, &[u64])]| {
        block_on(checkpoint.fits(name, &shard(tensors))).expect("a shard")
    };
    let (a, b) = (half_a_model("query", 8), half_a_model("q_proj", 8));
    let wide = half_a_model("query", 16);
    let of_a: [(&str, &[u64]); 2] = [("layer.2.query", &[8, 8]), ("head", &[8, 3])];
    // All three lack a file of that name.
    assert!(
        [&a, &b, &wide]
            .iter()
            .all(|model| model.missing_files() == ["2.bin"])
    );
    assert_eq!(fit(&a, "2.bin", &of_a), ShardFit::Possible);
    assert_eq!(fit(&b, "2.bin", &of_a), ShardFit::No);
    assert_eq!(fit(&wide, "2.bin", &of_a), ShardFit::Unlikely);
    assert!(ShardFit::No < ShardFit::Unlikely && ShardFit::Unlikely < ShardFit::Possible);
    assert_eq!(fit(&a, "1.bin", &of_a), ShardFit::No, "that one is at hand");
    assert_eq!(fit(&a, "3.bin", &of_a), ShardFit::No);
    assert_eq!(
        fit(&a, "2.bin", &of_a[..1]),
        ShardFit::No,
        "a tensor is missing"
    );
    let more = [of_a[0], of_a[1], ("other", &[1][..])];
    assert_eq!(fit(&a, "2.bin", &more), ShardFit::No, "a tensor too many");
    let shared = [of_a[0], of_a[1], ("norm", &[8][..])];
    assert_eq!(
        fit(&a, "2.bin", &shared),
        ShardFit::Possible,
        "written twice"
    );

    let broken = MemorySource::from(b"not a checkpoint at all".to_vec());
    let error = block_on(a.fits("2.bin", &broken)).expect_err("it cannot be opened");
    assert_eq!(error.kind(), ErrorKind::RefusedFile);
}

#[test]
fn a_shard_that_could_not_be_opened_is_missing_again() {
    let checkpoint = half_a_model("query", 8);
    let broken = MemorySource::from(b"not a checkpoint at all".to_vec());
    checkpoint.offer("2.bin", broken).expect("it is wanted");
    assert!(checkpoint.missing_files().is_empty());
    assert!(block_on(checkpoint.locate("head")).is_err());
    assert_eq!(checkpoint.missing_files(), ["2.bin"]);
    let right = shard(&[("layer.2.query", &[8, 8]), ("head", &[8, 3])]);
    assert_eq!(
        block_on(checkpoint.fits("2.bin", &right)),
        Ok(ShardFit::Possible)
    );
    checkpoint
        .offer("2.bin", right)
        .expect("it is wanted again");
    assert!(checkpoint.missing_files().is_empty());
    assert!(block_on(checkpoint.locate("head")).is_ok());
}

#[test]
fn errors_say_of_what_kind_they_are() {
    let checkpoint = half_a_model("query", 8);
    let error = block_on(checkpoint.locate("head")).expect_err("it is missing");
    let name = "2.bin".to_owned();
    assert_eq!(error.kind(), ErrorKind::MissingFile { name });
    let error = block_on(checkpoint.locate("nothing")).expect_err("there is none");
    assert_eq!(error.kind(), ErrorKind::RefusedFile);
}
