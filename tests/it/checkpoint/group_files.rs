//! Grouping files that are opened together: folders, shards, configurations, and ignored files.

use diagonal::checkpoint::{BundleFiles, Checkpoint, FileGroups, MemorySource, group_files};
use pollster::block_on;

use super::{formats::data, hostile::assert_is_sentence};

/// Test data under other names.
fn files(named: &[(&str, &str)]) -> FileGroups<MemorySource> {
    let file = |(name, path): &(&str, &str)| {
        let bytes = match path.strip_prefix('=') {
            Some(text) => text.as_bytes().to_vec(),
            None => data(path),
        };
        ((*name).to_owned(), MemorySource::from(bytes))
    };
    let gathered = block_on(group_files(named.iter().map(file).collect()));
    let gathered = gathered.expect("all formats are at hand");
    gathered
        .messages
        .iter()
        .for_each(|message| assert_is_sentence(message));
    gathered
}

fn names(gathered: &FileGroups<MemorySource>) -> Vec<&str> {
    gathered
        .bundles
        .iter()
        .map(|bundle| bundle.name.as_str())
        .collect()
}

fn open(files: BundleFiles<MemorySource>) -> Checkpoint<MemorySource> {
    match files {
        BundleFiles::One(source) => block_on(Checkpoint::open(source, "one")).expect("it opens"),
        BundleFiles::Shards { index, sources } => Checkpoint::from_shards(index, "shards", sources),
    }
}

const CONFIG: &str = "bert/config.json";
const MODEL: &str = "albert/model.safetensors";

#[test]
fn a_tokenizer_belongs_to_the_models_in_its_folder_and_below() {
    let gathered = files(&[
        ("a/model.safetensors", MODEL),
        ("a/tokenizer.json", "={}"),
        ("a/old-vocab.txt", "=word"),
        ("a/step/model.safetensors", MODEL),
        ("b/model.safetensors", MODEL),
        ("c/spiece.model", "="),
    ]);
    let tokenizers: Vec<_> = (gathered.bundles.iter())
        .map(|bundle| (bundle.name.as_str(), bundle.tokenizer.clone()))
        .collect();
    assert_eq!(
        tokenizers,
        [("a", vec![1, 2]), ("step", vec![1, 2]), ("b", vec![])]
    );
    assert_eq!(gathered.tokenizer, [5]);
    assert!(gathered.messages.is_empty(), "{:?}", gathered.messages);
}

#[test]
fn a_tokenizer_alone_is_no_model_and_no_fault() {
    let gathered = files(&[("merges.txt", "=a b"), ("vocab.json", "={}")]);
    assert!(gathered.bundles.is_empty() && gathered.messages.is_empty());
    assert_eq!(gathered.tokenizer, [0, 1]);
}

#[test]
fn a_folder_is_one_model_named_for_it() {
    let gathered = files(&[
        ("my-model/README.md", "=# My model"),
        ("my-model/config.json", CONFIG),
        ("my-model/model.safetensors", MODEL),
        ("my-model/optimizer.pt", "torch-module/linear.pt"),
        (
            "my-model/pytorch_model.bin",
            "bert-pickle/pytorch_model.bin",
        ),
        (
            "my-model/tokenizer_config.json",
            r#"={"tokenizer_class": "T", "model_type": "bert"}"#,
        ),
        ("my-model/training_args.bin", "torch-module/linear.pt"),
        ("my-model/vocab.json", r#"={"a": 1}"#),
    ]);
    assert_eq!(names(&gathered), ["my-model"]);
    assert!(gathered.loose.is_empty());
    let [message] = &gathered.messages[..] else {
        panic!("{:?}", gathered.messages);
    };
    assert!(
        message.contains("my-model/model.safetensors") && message.contains("hold the same"),
        "{message}"
    );
    let config = gathered.bundles[0].config.as_deref();
    assert_eq!(config.map(str::as_bytes), Some(&data(CONFIG)[..]));
}

#[test]
fn several_models_each_get_the_nearest_configuration() {
    let gathered = files(&[
        ("run/config.json", CONFIG),
        ("run/step-100/model.safetensors", MODEL),
        ("run/step-200/model.safetensors", MODEL),
        ("run/step-200/config.json", "albert/config.json"),
        ("other.gguf", "gguf/model.gguf"),
        ("table.npy", "numpy/f4-c.npy"),
    ]);
    assert_eq!(
        names(&gathered),
        ["step-100", "step-200", "other.gguf", "table.npy"]
    );
    let configs: Vec<_> = gathered
        .bundles
        .iter()
        .map(|bundle| bundle.config.clone())
        .collect();
    let text = |path| Some(String::from_utf8(data(path)).expect("text"));
    assert_eq!(
        configs,
        [text(CONFIG), text("albert/config.json"), None, None]
    );
    assert!(gathered.messages.is_empty(), "{:?}", gathered.messages);

    let flat = files(&[
        ("a.safetensors", MODEL),
        ("config (1).json", CONFIG),
        ("b.pt", "torch-training/checkpoint.pt"),
    ]);
    assert_eq!(names(&flat), ["a.safetensors", "b.pt"]);
    assert!(flat.bundles.iter().all(|bundle| bundle.config.is_some()));
}

fn shards(of: std::ops::RangeInclusive<u32>, index: bool) -> Vec<(String, String)> {
    let mut files: Vec<_> = of
        .map(|number| format!("model-0000{number}-of-00007.safetensors"))
        .collect();
    if index {
        files.push("model.safetensors.index.json".to_owned());
    }
    let path = |name: String| (format!("sharded/{name}"), format!("bert-sharded/{name}"));
    files.into_iter().map(path).collect()
}

fn of(named: &[(String, String)]) -> FileGroups<MemorySource> {
    let named: Vec<_> = named
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    files(&named)
}

#[test]
fn shards_go_with_their_index_and_may_be_missing() {
    let mut gathered = of(&shards(2..=4, true));
    assert_eq!(names(&gathered), ["sharded"]);
    assert!(
        gathered.loose.is_empty() && gathered.messages.is_empty(),
        "{:?}",
        gathered.messages
    );
    let checkpoint = open(gathered.bundles.remove(0).files);
    assert_eq!(checkpoint.missing_files().len(), 4);

    // A shard opened later, by itself, is not bundled here: the open checkpoint takes it.
    let mut late = of(&shards(1..=1, false));
    assert!(late.bundles.is_empty() && late.messages.is_empty());
    let shard = late.loose.remove(0);
    assert_eq!(shard.name, "model-00001-of-00007.safetensors");
    assert_eq!(shard.input, 0);
    checkpoint
        .offer(&shard.name, shard.source)
        .expect("it is wanted");
    assert_eq!(checkpoint.missing_files().len(), 3);
}

#[test]
fn all_shards_without_an_index_are_one_checkpoint() {
    let mut gathered = of(&shards(1..=7, false));
    assert_eq!(names(&gathered), ["sharded"]);
    let checkpoint = open(gathered.bundles.remove(0).files);
    let whole = block_on(Checkpoint::open(
        MemorySource::from(data("bert/model.safetensors")),
        "bert",
    ));
    let whole = whole.expect("it opens");
    assert!(checkpoint.names().eq(whole.names()));
    for name in whole.names() {
        assert_eq!(
            crate::checkpoint::formats::read(&checkpoint, name),
            crate::checkpoint::formats::read(&whole, name)
        );
    }

    let loose = of(&shards(1..=6, false));
    assert_eq!((loose.bundles.len(), loose.loose.len()), (0, 6));
    let first_is_broken = files(&[
        (
            "model-00001-of-00002.safetensors",
            "=\u{10}\0\0\0\0\0\0\0{\"a\": [oops]    }",
        ),
        ("model-00002-of-00002.safetensors", MODEL),
    ]);
    assert!(
        first_is_broken.messages[0].contains("00001-of-00002"),
        "{:?}",
        first_is_broken.messages
    );
}

#[test]
fn a_bundle_names_its_files_and_they_make_the_same_bundle_again() {
    let mut named = vec![
        ("my-model/README.md".to_owned(), "=# My model".to_owned()),
        ("run/config.json".to_owned(), CONFIG.to_owned()),
        ("run/a/model.safetensors".to_owned(), MODEL.to_owned()),
        ("run/b/model.safetensors".to_owned(), MODEL.to_owned()),
    ];
    named.extend(shards(2..=4, true));
    let lone = "c/model-00002-of-00009.safetensors";
    named.push((lone.to_owned(), MODEL.to_owned()));
    let gathered = of(&named);
    let inputs: Vec<&[usize]> = gathered.bundles.iter().map(|b| &b.inputs[..]).collect();
    assert_eq!(names(&gathered), ["sharded", "a", "b"]);
    assert_eq!(inputs, [&[4, 5, 6, 7][..], &[1, 2], &[1, 3]]);
    let [loose] = &gathered.loose[..] else {
        panic!("{:?}", gathered.loose);
    };
    assert_eq!((loose.input, &*loose.name), (8, &lone[2..]));

    for bundle in &gathered.bundles {
        let alone: Vec<_> = bundle.inputs.iter().map(|at| named[*at].clone()).collect();
        let again = of(&alone);
        let [same] = &again.bundles[..] else {
            panic!("{again:?}");
        };
        assert_eq!((&same.name, &same.config), (&bundle.name, &bundle.config));
        assert_eq!(same.inputs, (0..alone.len()).collect::<Vec<_>>());
        assert!(again.loose.is_empty() && again.messages.is_empty());
    }
    // Shards without an index are grouped by their names, too.
    let complete = of(&shards(1..=7, false));
    assert_eq!(complete.bundles[0].inputs, [0, 1, 2, 3, 4, 5, 6]);
}

#[test]
fn what_is_of_no_use_gets_a_sentence() {
    for (named, says) in [
        (vec![("config.json", CONFIG)], "weights are not here"),
        (
            vec![("x.index.json", r#"={"weight_map":{"a":"../b"}}"#)],
            "“../b”",
        ),
        (
            vec![("notes.txt", "=hello, world")],
            "This is text, not a checkpoint",
        ),
        (vec![("page.html", "=<!doctype html>")], "web page"),
        (vec![("empty.bin", "=")], "empty"),
        (
            vec![
                ("m/config.json", CONFIG),
                (
                    "m/model.safetensors",
                    "=version https://git-lfs.github.com/spec/v1\n",
                ),
            ],
            "git lfs pull",
        ),
    ] {
        let gathered = files(&named);
        assert!(
            gathered.bundles.is_empty() && gathered.loose.is_empty(),
            "{named:?}"
        );
        assert!(
            gathered
                .messages
                .iter()
                .any(|message| message.contains(says)),
            "{:?}",
            gathered.messages
        );
    }
    assert!(files(&[]).messages.is_empty());
}

const ADAPTER: &str = "cases/lora-adapter-alone/adapter_model.safetensors";
const ADAPTER_CONFIG: &str = "cases/lora-adapter-alone/adapter_config.json";

#[test]
fn adapters_are_no_models() {
    // Alone: the sentence names the base model.
    let alone = files(&[
        ("a/adapter_config.json", ADAPTER_CONFIG),
        ("a/adapter_model.safetensors", ADAPTER),
        ("a/optimizer.pt", "torch-module/linear.pt"),
    ]);
    assert!(alone.bundles.is_empty());
    assert_eq!(alone.messages.len(), 1, "{:?}", alone.messages);
    let base = "“meta-llama/Llama-3.2-1B”";
    assert!(alone.messages[0].contains(base), "{:?}", alone.messages);

    // Beside a base model, in its folder or below it, only the adapter is left out.
    let beside = files(&[
        ("m/config.json", CONFIG),
        ("m/model.safetensors", MODEL),
        ("m/adapter_model.safetensors", ADAPTER),
        ("m/step/adapter_config.json", ADAPTER_CONFIG),
        ("m/step/adapter_model.bin", ADAPTER),
    ]);
    assert_eq!(names(&beside), ["m"]);
    let [without_base, with_base] = &beside.messages[..] else {
        panic!("{:?}", beside.messages);
    };
    assert!(without_base.contains("LoRA adapter. "), "{without_base}");
    assert!(with_base.contains(base), "{with_base}");

    // Without weights, the configuration says what to add.
    let config = files(&[("a/adapter_config.json", ADAPTER_CONFIG)]);
    assert!(
        config.messages[0].contains("adapter_model.safetensors"),
        "{:?}",
        config.messages
    );
    // A file of LoRA tensors under another name is opened, and refused for what it holds.
    let mut renamed = files(&[("my-style.safetensors", ADAPTER)]);
    let BundleFiles::One(source) = renamed.bundles.remove(0).files else {
        panic!("one file");
    };
    let error = block_on(Checkpoint::open(source, "my-style")).expect_err("no model");
    assert!(error.to_string().contains("LoRA adapter"), "{error}");
    assert_is_sentence(&error.to_string());
}

#[test]
fn configurations_of_adapters_are_not_trusted() {
    for (config, says) in [
        (
            r#"{"peft_type": "IA3", "base_model_name_or_path": "a"}"#,
            "adapter (IA3) of “a”",
        ),
        (
            r#"{"peft_type": "<b>x", "base_model_name_or_path": " "}"#,
            "a LoRA adapter. ",
        ),
        (r#"{"peft_type": 7}"#, "a LoRA adapter. "),
        (r#"{"peft_type": "LORA", "base_mod"#, "a LoRA adapter. "),
        (
            r#"{"peft_type": "LORA", "base_model_name_or_path": "a\u0007\u001b[31m"}"#,
            "of “a\u{fffd}",
        ),
    ] {
        let gathered = files(&[
            ("adapter_config.json", &format!("={config}")),
            ("adapter_model.safetensors", ADAPTER),
        ]);
        let [message] = &gathered.messages[..] else {
            panic!("{:?}", gathered.messages);
        };
        assert!(message.contains(says), "{message}");
    }
    let long = format!(
        r#"={{"peft_type": "LORA", "base_model_name_or_path": "{}"}}"#,
        "w".repeat(9000)
    );
    files(&[
        ("adapter_config.json", &long),
        ("adapter_model.safetensors", ADAPTER),
    ]);
}

#[test]
fn layers_behind_a_model_are_no_models() {
    let listed = r#"=[{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        {"idx": 2, "name": "2", "path": "head", "type": "sentence_transformers.models.Dense"},
        {"idx": 3, "name": "3", "path": "../b", "type": "sentence_transformers.models.Dense"}]"#;
    let gathered = files(&[
        ("s/modules.json", listed),
        ("s/model.safetensors", MODEL),
        ("s/config.json", CONFIG),
        ("s/head/model.safetensors", MODEL),
        ("s/3_Dense/model.safetensors", MODEL),
        ("b/model.safetensors", MODEL),
    ]);
    assert_eq!(names(&gathered), ["s", "b"]);
    assert!(gathered.messages.is_empty(), "{:?}", gathered.messages);
    // The model itself may be in a folder of its own.
    let old = listed.replace(r#""path": """#, r#""path": "0_Transformer""#);
    let gathered = files(&[
        ("s/modules.json", &old),
        ("s/0_Transformer/model.safetensors", MODEL),
        ("s/head/model.safetensors", MODEL),
    ]);
    assert_eq!(names(&gathered), ["0_Transformer"]);
    // A damaged list leaves out nothing; such a layer alone is opened.
    for damaged in ["=[{", "={}", "=[{\"path\": 7}]", "=[]"] {
        let gathered = files(&[
            ("s/modules.json", damaged),
            ("s/model.safetensors", MODEL),
            ("s/head/model.safetensors", MODEL),
        ]);
        assert_eq!(names(&gathered), ["s", "head"], "{damaged}");
    }
    assert_eq!(
        names(&files(&[("2_Dense/model.safetensors", MODEL)])),
        ["2_Dense"]
    );
}

#[test]
fn ten_thousand_files_are_enough() {
    let file = |at: usize| (format!("{at}.txt"), MemorySource::from(b"text".to_vec()));
    let gathered = block_on(group_files((0..10_001).map(file).collect()));
    let gathered = gathered.expect("all formats are at hand");
    assert!(gathered.messages[0].contains("10001 files"));
    assert!(gathered.messages.len() < 20);
}
