//! Lazy parts: who fetches them, and the messages if they fail to load.

use diagonal::{
    analysis::{
        Failure, FailureKind, FitOptions, GroupFiles, HeadFit, HeadList, HeadOverview, HeadWaves,
        MemorySession, ModelVersion, ReadLesson, Remedy, ScoreMode, Session,
    },
    checkpoint::{
        Checkpoint, CheckpointError, ErrorKind, FileGroups, MemorySource, ShardIndex, group_files,
    },
    lazy::{LazyPart, LoadError, LoadFailure, PATIENCE_S, simulate_offline},
    model::ModelOptions,
};
use pollster::block_on;
use std::rc::Rc;

use super::{
    formats::{data, read},
    hostile::assert_is_sentence,
    remote::session::{BERT, WithServer, begin_server, open_named},
};
use crate::support::questions::{FIRST, ask, ask_with_files, folder, head_of_first, open, open_as};

/// The error of a part that fails to load without a network.
fn missing(part: LazyPart) -> LoadError {
    let why = LoadFailure::Lost;
    LoadError { part, why }
}

fn open_one(bytes: Vec<u8>) -> Result<Checkpoint<MemorySource>, CheckpointError> {
    block_on(Checkpoint::open(MemorySource::from(bytes), "one"))
}

/// Groups files as if they had been opened together.
fn group(paths: &[&str]) -> Result<FileGroups<MemorySource>, LoadError> {
    let file = |path: &&str| ((*path).to_owned(), MemorySource::from(data(path)));
    block_on(group_files(paths.iter().map(file).collect()))
}

/// Two shards, and the index that names them.
const SHARDS: [&str; 2] = [
    "torch-sharded/pytorch_model-00001-of-00002.bin",
    "torch-sharded/pytorch_model-00002-of-00002.bin",
];
const TABLE: &str = "embeddings.position_embeddings.weight";

fn of_shards(shards: &[&str]) -> Checkpoint<MemorySource> {
    let text = data("torch-sharded/pytorch_model.bin.index.json");
    let index = ShardIndex::parse(&String::from_utf8(text).expect("text")).expect("an index");
    let file = |path: &&str| {
        let name = path.rsplit('/').next().expect("a name");
        (name.to_owned(), MemorySource::from(data(path)))
    };
    Checkpoint::from_shards(index, "late", shards.iter().map(file))
}

/// Checks for a temporary failure with its remedy.
fn assert_passes(failure: &Failure, part: LazyPart) {
    assert_eq!(failure.kind, FailureKind::Network);
    assert_eq!(failure.remedy(), Some(Remedy::TryAgain));
    assert_eq!(failure.sentence, missing(part).to_string());
    assert_is_sentence(&failure.sentence);
}

#[test]
fn every_reason_is_a_sentence_of_its_own() {
    let reasons = ["lost", "silent", "web page", "of a later version"];
    let failures = reasons.map(LoadFailure::from_reason);
    assert_eq!(failures[0], failures[3]);
    for failure in failures {
        assert_is_sentence(&failure.to_string());
        let other = failures.iter().find(|other| **other != failure);
        let other = other.expect("another reason");
        assert_ne!(failure.to_string(), other.to_string());
    }
    // The script that loads files names the same reasons, and has the same time limit.
    let script = include_str!("../../../www/own_file.js");
    for reason in &reasons[..3] {
        assert!(script.contains(&format!("\"{reason}\"")), "{reason}");
    }
    let milliseconds = script.split("PATIENCE_MS = ").nth(1).expect("a constant");
    let digits = milliseconds
        .split(';')
        .next()
        .expect("an end")
        .replace('_', "");
    assert_eq!(digits, (PATIENCE_S * 1000).to_string());
    // So has the start of a worker.
    assert_eq!(PATIENCE_S, worker_protocol::START_LIMIT_S);
}

#[test]
fn safetensors_fetch_nothing() {
    simulate_offline(true);
    open_one(data("bert/model.safetensors")).expect("it opens");
    let shards: Vec<String> = (1..=7)
        .map(|n| format!("bert-sharded/model-{n:05}-of-00007.safetensors"))
        .collect();
    let shards: Vec<&str> = shards.iter().map(String::as_str).collect();
    assert_eq!(group(&shards).expect("sorted").bundles.len(), 1);
    // Recognising other file kinds needs no parser, and neither does grouping.
    for bytes in [&b"\x1f\x8b\x08"[..], b"<html>", b"", b"{\"a\": 1}", b"?"] {
        let error = open_one(bytes.to_vec()).expect_err("no checkpoint");
        assert_eq!(error.kind(), ErrorKind::RefusedFile);
    }
    let paths = ["gguf/model.gguf", "torch-training/checkpoint.pt"];
    assert_eq!(group(&paths).expect("sorted").bundles.len(), 2);
    simulate_offline(false);
}

#[test]
fn other_formats_are_fetched() {
    let paths = [
        "bert-pickle/pytorch_model.bin",
        "torch-legacy/pytorch_model.bin",
        "numpy/f4-c.npy",
        "numpy/compressed.npz",
        "gguf/model.gguf",
    ];
    let kernels = ("kernels", b"a,b,c\n1,0.5,0\n".to_vec());
    let files = paths.iter().map(|path| (*path, data(path)));
    for (path, bytes) in files.chain([kernels]) {
        simulate_offline(true);
        let error = open_one(bytes.clone()).expect_err("nothing reads it yet");
        assert_eq!(
            error,
            CheckpointError::NotFetched(missing(LazyPart::Formats)),
            "{path}"
        );
        assert_eq!(error.kind(), ErrorKind::Network, "{path}");
        simulate_offline(false);
        let checkpoint = open_one(bytes).expect(path);
        assert!(checkpoint.names().len() > 0, "{path}");
    }
}

#[test]
fn a_shard_that_could_not_be_read_is_not_refused() {
    simulate_offline(true);
    let checkpoint = of_shards(&SHARDS);
    let error = block_on(checkpoint.locate(TABLE)).expect_err("nothing reads it yet");
    assert_eq!(error.kind(), ErrorKind::Network);
    assert_eq!(checkpoint.missing_files(), Vec::<String>::new());
    simulate_offline(false);
    read(&checkpoint, TABLE);
}

#[test]
fn shards_without_an_index_are_sorted_once_they_can_be_read() {
    simulate_offline(true);
    let error = group(&SHARDS).expect_err("their tensors are not known");
    assert_eq!(error, missing(LazyPart::Formats));
    simulate_offline(false);
    let sorted = group(&SHARDS).expect("sorted");
    assert_eq!((sorted.bundles.len(), sorted.messages.len()), (1, 0));
}

#[test]
fn a_shard_goes_to_its_model_once_it_can_be_read() {
    simulate_offline(true);
    let session = MemorySession::default();
    let (late, now): (Vec<_>, Vec<_>) = folder("torch-sharded")
        .into_iter()
        .partition(|(name, _)| name.ends_with(".bin"));
    // The index alone opens, but lacks its first shard.
    open(&session, now, ModelOptions::default()).expect_err("a shard is missing");
    let one = || vec![late[0].clone()];
    let failure = ask_with_files(&session, GroupFiles, one()).expect_err("it is not looked into");
    assert_passes(&failure, LazyPart::Formats);
    simulate_offline(false);
    let gathering = ask_with_files(&session, GroupFiles, one()).expect("sorted");
    assert_eq!(gathering.shards[0].fits, [FIRST.id], "{gathering:?}");
}

#[test]
fn what_is_open_stays_open_when_a_part_does_not_come() {
    simulate_offline(true);
    let session = MemorySession::default();
    open(&session, folder("bert"), ModelOptions::default()).expect("safetensors open");
    let second = ModelVersion { id: 2, revision: 1 };
    let failure = open_as(
        &session,
        second,
        folder("bert-pickle"),
        ModelOptions::default(),
    );
    assert_passes(
        &failure.expect_err("nothing reads it yet"),
        LazyPart::Formats,
    );
    let mode = ScoreMode::Paper;
    ask(
        &session,
        HeadList {
            of: FIRST,
            input: mode.into(),
        },
    )
    .expect("the first is still open");
    let fit = HeadFit {
        of: head_of_first(mode, 0, 0),
        options: FitOptions::default(),
    };
    let failure = ask(&session, fit.clone()).expect_err("nothing fits kernels yet");
    assert_passes(&failure, LazyPart::Fits);

    simulate_offline(false);
    open_as(
        &session,
        second,
        folder("bert-pickle"),
        ModelOptions::default(),
    )
    .expect("it opens");
    ask(&session, fit).expect("it is fitted");
}

#[test]
fn what_asks_servers_is_fetched_for_the_first_address() {
    let requests = begin_server();
    let host = WithServer::default();
    let (opened, is_offline) = (Rc::clone(&host.opened), Rc::clone(&host.is_offline));
    is_offline.set(true);
    let session = Session::new(host);
    open(&session, folder("bert"), ModelOptions::default()).expect("a file of this device opens");
    let mode = ScoreMode::Paper;
    let heads = HeadList {
        of: FIRST,
        input: mode.into(),
    };
    ask(&session, heads.clone()).expect("heads");
    assert_eq!(opened.get(), 0);

    let (second, third) = (
        ModelVersion { id: 2, revision: 1 },
        ModelVersion { id: 3, revision: 1 },
    );
    // Before the part has loaded, even forbidden addresses give the same failure.
    for named in [BERT, "org/bert", "ftp://example.org/a"] {
        let failure = open_named(&session, second, named, false).expect_err("nothing asks servers");
        assert_passes(&failure, LazyPart::Remote);
    }
    assert_eq!(requests(), 0);
    ask(&session, heads).expect("the first is still open");

    is_offline.set(false);
    opened.set(0);
    open_named(&session, second, BERT, false).expect("it opens");
    open_named(&session, third, "org/bert", false).expect("it opens");
    assert_eq!(opened.get(), 1, "what was fetched is kept");
    assert!(requests() > 2);
}

#[test]
fn questions_load_the_parts_that_they_need_and_no_others() {
    let session = MemorySession::default();
    open(&session, folder("bert"), ModelOptions::default()).expect("safetensors open");
    let of = head_of_first(ScoreMode::Paper, 0, 0);
    simulate_offline(true);
    ask(&session, HeadOverview { of }).expect("an overview");
    let failure = ask(&session, HeadWaves { of }).expect_err("nothing finds waves yet");
    assert_passes(&failure, LazyPart::Waves);
    let lesson = || {
        let text = b"---\ntitle: T\n---\n\n## Step\n\nText.\n".to_vec();
        let file = ("own.md".to_owned(), MemorySource::from(text));
        ask_with_files(&session, ReadLesson { address: None }, vec![file])
    };
    let failure = lesson().expect_err("nothing reads lessons yet");
    assert_passes(&failure, LazyPart::Lessons);
    simulate_offline(false);
    let waves = ask(&session, HeadWaves { of }).expect("an answer");
    waves.expect("waves");
    assert_eq!(lesson().expect("a lesson").head.title, "T");
}
