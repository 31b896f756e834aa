//! Models of the Hub: how little is requested, and messages if none can be opened.

use std::rc::Rc;

use diagonal::checkpoint::{
    BundleFiles, Checkpoint, HubError, HubName, Network, OpenRemote, RemoteError, Servers,
};
use pollster::block_on;

use super::{FIRST, Fault, Script, Served, Server, faults, requests, serve, server};

const ORIGIN: &str = "https://hub.example";

/// A model of BERT-base's shape: 109 million numbers, 438 MB, of which only the header is stored.
fn bert_base() -> Served {
    let (layers, width, inner) = (12, 768, 3072);
    let mut shapes = vec![
        ("embeddings.LayerNorm.bias".to_owned(), vec![width]),
        ("embeddings.LayerNorm.weight".to_owned(), vec![width]),
        (
            "embeddings.position_embeddings.weight".to_owned(),
            vec![512, width],
        ),
        (
            "embeddings.token_type_embeddings.weight".to_owned(),
            vec![2, width],
        ),
        (
            "embeddings.word_embeddings.weight".to_owned(),
            vec![30522, width],
        ),
    ];
    for layer in 0..layers {
        for (name, rows, columns) in [
            ("attention.output.LayerNorm", width, 0),
            ("attention.output.dense", width, width),
            ("attention.self.key", width, width),
            ("attention.self.query", width, width),
            ("attention.self.value", width, width),
            ("intermediate.dense", inner, width),
            ("output.LayerNorm", width, 0),
            ("output.dense", width, inner),
        ] {
            let name = format!("encoder.layer.{layer}.{name}");
            let weight = if columns == 0 {
                vec![rows]
            } else {
                vec![rows, columns]
            };
            shapes.push((format!("{name}.bias"), vec![rows]));
            shapes.push((format!("{name}.weight"), weight));
        }
    }
    shapes.sort();
    let mut end = 0_u64;
    let entries: Vec<String> = shapes
        .iter()
        .map(|(name, shape)| {
            let begin = end;
            end += 4 * shape.iter().product::<u64>();
            format!("\"bert.{name}\":{{\"dtype\":\"F32\",\"shape\":{shape:?},\"data_offsets\":[{begin},{end}]}}")
        })
        .collect();
    let header = format!("{{{}}}", entries.join(","));
    let mut beginning = (header.len() as u64).to_le_bytes().to_vec();
    beginning.extend_from_slice(header.as_bytes());
    Served {
        size: beginning.len() as u64 + end,
        beginning,
    }
}

/// A Hub with one model.
fn hub(files: &[(&str, Served)]) -> (Rc<Server>, Rc<Network<Script>>) {
    let path = |name: &str| format!("{ORIGIN}/org/model/resolve/main/{name}");
    let files = files.iter().map(|(name, file)| (path(name), file.clone()));
    server(|server| server.files = files.collect())
}

fn text(text: &str) -> Served {
    Served {
        beginning: text.as_bytes().to_vec(),
        size: text.len() as u64,
    }
}

#[test]
fn a_model_of_berts_shape_gives_its_table_in_three_requests() {
    let config = "{\"model_type\":\"bert\"}";
    let (server, network) = hub(&[
        ("config.json", text(config)),
        ("model.safetensors", bert_base()),
    ]);
    let name = HubName::parse("org/model").expect("a name");
    let model = block_on(name.open(&network, ORIGIN, false)).expect("a model");
    assert_eq!(model.config.as_deref(), Some(config));
    let BundleFiles::One(source) = model.files else {
        panic!("one file");
    };
    let checkpoint = block_on(Checkpoint::open(source, "org/model")).expect("a checkpoint");
    let table = "bert.embeddings.position_embeddings.weight";
    let table = checkpoint.tensor(table).expect("a table").clone();
    assert_eq!(table.shape, [512, 768]);
    block_on(checkpoint.read(&table)).expect("numbers");
    assert!(checkpoint.size() > 430_000_000 && checkpoint.is_remote());
    assert_eq!(requests(&server), 3);
    let most = FIRST + 512 * 768 * 4 + config.len() as u64;
    assert!(server.sent.get() <= most, "{} bytes", server.sent.get());
}

#[test]
fn shards_are_asked_for_when_they_are_looked_into() {
    let header = "{\"t\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}";
    let mut shard = (header.len() as u64).to_le_bytes().to_vec();
    shard.extend_from_slice(header.as_bytes());
    shard.extend_from_slice(&[0; 8]);
    let shard = Served {
        size: shard.len() as u64,
        beginning: shard,
    };
    let map: Vec<String> = (0..30)
        .map(|n| {
            format!(
                "\"{}\":\"s-{n}.safetensors\"",
                if n == 7 {
                    "t".to_owned()
                } else {
                    format!("t{n}")
                }
            )
        })
        .collect();
    let index = format!("{{\"weight_map\":{{{}}}}}", map.join(","));
    let files = [
        ("model.safetensors.index.json", text(&index)),
        ("s-7.safetensors", shard),
    ];
    let (server, network) = hub(&files);
    let name = HubName::parse("org/model").expect("a name");
    let model = block_on(name.open(&network, ORIGIN, false)).expect("a model");
    assert_eq!(model.config, None);
    let BundleFiles::Shards { index, sources } = model.files else {
        panic!("shards");
    };
    assert_eq!(requests(&server), 3);
    let checkpoint = Checkpoint::from_shards(index, "org/model", sources);
    assert_eq!(checkpoint.missing_files(), Vec::<String>::new());
    let tensor = block_on(checkpoint.locate("t")).expect("a tensor");
    assert_eq!(block_on(checkpoint.read(&tensor)), Ok(vec![0.0; 2]));
    assert_eq!(requests(&server), 4);
    let absent = block_on(checkpoint.locate("t3")).expect_err("no such shard");
    assert!(
        absent.to_string().contains("no file at this address"),
        "{absent}"
    );
}

/// Names of the files of the tokenizer beside a model, as the page asks for them.
fn tokenizer(named: &str, files: &[(&str, Served)]) -> Vec<String> {
    let (server, _) = hub(files);
    let servers = Servers::new(Script(server), ORIGIN);
    let files = block_on(servers.tokenizer_files(named)).expect("the files that exist");
    files
        .into_iter()
        .map(|(name, bytes)| format!("{name} {}", bytes.len()))
        .collect()
}

#[test]
fn a_model_comes_with_its_tokenizer() {
    let vocabulary = ("vocab.json", text("{}"));
    assert_eq!(
        tokenizer(
            "org/model",
            &[
                vocabulary.clone(),
                ("tokenizer_config.json", text("{ }")),
                ("tokenizer.json", text("{}"))
            ]
        ),
        ["tokenizer.json 2", "tokenizer_config.json 3"]
    );
    // A vocabulary needs the settings beside it.
    assert_eq!(
        tokenizer(
            "org/model",
            &[
                vocabulary.clone(),
                ("merges.txt", text("a")),
                ("added_tokens.json", text("{}")),
                ("config.json", text("{}"))
            ]
        ),
        [
            "vocab.json 2",
            "merges.txt 1",
            "added_tokens.json 2",
            "config.json 2"
        ]
    );
    assert_eq!(tokenizer("org/model", &[vocabulary]), ["vocab.json 2"]);
    assert_eq!(tokenizer("org/model", &[]), Vec::<String>::new());
}

#[test]
fn a_model_that_cannot_be_opened_gets_the_sentence_that_helps() {
    let name = HubName::parse("org/model").expect("a name");
    let (server, network) = hub(&[("config.json", text("{}"))]);
    let error = block_on(name.open(&network, ORIGIN, false)).expect_err("no weights");
    assert!(matches!(error, HubError::NoWeights { .. }));
    assert!(
        error.to_string().contains("model.safetensors nor"),
        "{error}"
    );
    assert_eq!(requests(&server), 6);

    let config = "{\"peft_type\":\"LORA\",\"base_model_name_or_path\":\"org/base\"}";
    let (_, network) = hub(&[("adapter_config.json", text(config))]);
    let error = block_on(name.open(&network, ORIGIN, false)).expect_err("no model");
    assert!(
        error.to_string().contains("LoRA adapter of “org/base”"),
        "{error}"
    );

    for (code, words) in [("RepoNotFound", "no such model"), ("GatedRepo", "gated")] {
        let (server, network) = hub(&[]);
        faults(&server, &[Fault::Status(401, Some(code)); 2]);
        let error = block_on(name.open(&network, ORIGIN, false)).expect_err("a refusal");
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(requests(&server), 2);
    }

    let path = "{\"weight_map\":{\"t\":\"../../other/model/resolve/main/x\"}}";
    let (_, network) = hub(&[("model.safetensors.index.json", text(path))]);
    let error = block_on(name.open(&network, ORIGIN, false)).expect_err("a refusal");
    assert!(matches!(error, HubError::Index(_)), "{error}");

    let (_, network) = hub(&[
        ("config.json", serve(100 << 20)),
        ("model.safetensors", serve(9)),
    ]);
    let error = block_on(name.open(&network, ORIGIN, false)).expect_err("a refusal");
    assert_eq!(
        error,
        HubError::Remote(RemoteError::TooLarge { limit: 8 << 20 })
    );
}
