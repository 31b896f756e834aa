//! Lazy parts: who fetches them, and the messages if they fail to load.

use diagonal::{
    analysis::{
        Failure, FailureKind, FitOptions, GroupFiles, HeadFit, HeadList, InPlace, LazyParts,
        ModelVersion, Remedy, ScoreMode, Session,
    },
    checkpoint::{
        Checkpoint, CheckpointError, ErrorKind, FileGroups, MemorySource, ShardIndex, group_files,
    },
    lazy::{LazyPart, LoadError, LoadFailure, Loader, PATIENCE_S},
    model::ModelOptions,
};
use futures_util::FutureExt;
use pollster::block_on;
use std::cell::Cell;

use super::{
    formats::{data, read},
    hostile::assert_is_sentence,
    remote::session::{BERT, SERVERS, begin_server, open_named},
};
use crate::support::asking::{FIRST, ask, ask_with_files, folder, head_of_first, open, open_as};

thread_local! {
    static ONLINE: Cell<bool> = const { Cell::new(false) };
    static FETCHES: Cell<usize> = const { Cell::new(0) };
}

fn fetched<T>(here: Loader<T>, part: LazyPart) -> Result<T, LoadError> {
    FETCHES.set(FETCHES.get() + 1);
    if ONLINE.get() {
        block_on(here())
    } else {
        Err(missing(part))
    }
}

/// The error of a part that fails to load without a network.
fn missing(part: LazyPart) -> LoadError {
    let why = LoadFailure::Lost;
    LoadError { part, why }
}

/// Lazy parts from a network that may be down.
const LATE: LazyParts = LazyParts {
    fits: || async { fetched(LazyParts::HERE.fits, LazyPart::Fits) }.boxed_local(),
    formats: || async { fetched(LazyParts::HERE.formats, LazyPart::Formats) }.boxed_local(),
    gpu: || async { fetched(LazyParts::HERE.gpu, LazyPart::Gpu) }.boxed_local(),
    lessons: || async { fetched(LazyParts::HERE.lessons, LazyPart::Lessons) }.boxed_local(),
    remote: || async { fetched(SERVERS, LazyPart::Remote) }.boxed_local(),
    waves: || async { fetched(LazyParts::HERE.waves, LazyPart::Waves) }.boxed_local(),
};

/// Resets the state of a test; its thread may have run another.
fn begin_offline() {
    ONLINE.set(false);
    FETCHES.set(0);
}

fn open_one(bytes: Vec<u8>) -> Result<Checkpoint<MemorySource>, CheckpointError> {
    block_on(Checkpoint::open_with(
        LATE.formats,
        MemorySource::from(bytes),
        "one",
    ))
}

/// Groups files as if they had been opened together.
fn gathered(paths: &[&str]) -> Result<FileGroups<MemorySource>, LoadError> {
    let file = |path: &&str| ((*path).to_owned(), MemorySource::from(data(path)));
    block_on(group_files(paths.iter().map(file).collect(), LATE.formats))
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
    Checkpoint::from_shards_with(LATE.formats, index, "late", shards.iter().map(file))
}

fn session() -> Session<MemorySource> {
    Session::new(LATE, InPlace)
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
}

#[test]
fn safetensors_fetch_nothing() {
    begin_offline();
    open_one(data("bert/model.safetensors")).expect("it opens");
    let shards: Vec<String> = (1..=7)
        .map(|n| format!("bert-sharded/model-{n:05}-of-00007.safetensors"))
        .collect();
    let shards: Vec<&str> = shards.iter().map(String::as_str).collect();
    assert_eq!(gathered(&shards).expect("sorted").bundles.len(), 1);
    // Recognising other file kinds needs no parser, and neither does grouping.
    for bytes in [&b"\x1f\x8b\x08"[..], b"<html>", b"", b"{\"a\": 1}", b"?"] {
        let error = open_one(bytes.to_vec()).expect_err("no checkpoint");
        assert_eq!(error.kind(), ErrorKind::RefusedFile);
    }
    let paths = ["gguf/model.gguf", "torch-training/checkpoint.pt"];
    assert_eq!(gathered(&paths).expect("sorted").bundles.len(), 2);
    assert_eq!(FETCHES.get(), 0);
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
        begin_offline();
        let error = open_one(bytes.clone()).expect_err("nothing reads it yet");
        assert_eq!(
            error,
            CheckpointError::NotFetched(missing(LazyPart::Formats)),
            "{path}"
        );
        assert_eq!(error.kind(), ErrorKind::Network, "{path}");
        ONLINE.set(true);
        let checkpoint = open_one(bytes).expect(path);
        assert!(checkpoint.names().len() > 0, "{path}");
        assert_eq!(FETCHES.get(), 2, "{path}");
    }
}

#[test]
fn a_shard_that_could_not_be_read_is_not_refused() {
    begin_offline();
    let checkpoint = of_shards(&SHARDS);
    let error = block_on(checkpoint.locate(TABLE)).expect_err("nothing reads it yet");
    assert_eq!(error.kind(), ErrorKind::Network);
    assert_eq!(checkpoint.missing(), Vec::<String>::new());
    ONLINE.set(true);
    read(&checkpoint, TABLE);
}

#[test]
fn shards_without_an_index_are_sorted_once_they_can_be_read() {
    begin_offline();
    let error = gathered(&SHARDS).expect_err("their tensors are not known");
    assert_eq!(error, missing(LazyPart::Formats));
    ONLINE.set(true);
    let sorted = gathered(&SHARDS).expect("sorted");
    assert_eq!((sorted.bundles.len(), sorted.messages.len()), (1, 0));
}

#[test]
fn a_shard_goes_to_its_model_once_it_can_be_read() {
    begin_offline();
    let session = session();
    let (late, now): (Vec<_>, Vec<_>) = folder("torch-sharded")
        .into_iter()
        .partition(|(name, _)| name.ends_with(".bin"));
    // The index alone opens, but lacks its first shard.
    open(&session, now, ModelOptions::default()).expect_err("a shard is missing");
    let one = || vec![late[0].clone()];
    let failure = ask_with_files(&session, GroupFiles, one()).expect_err("it is not looked into");
    assert_passes(&failure, LazyPart::Formats);
    ONLINE.set(true);
    let gathering = ask_with_files(&session, GroupFiles, one()).expect("sorted");
    assert_eq!(gathering.shards[0].fits, [FIRST.id], "{gathering:?}");
}

#[test]
fn what_is_open_stays_open_when_a_part_does_not_come() {
    begin_offline();
    let session = session();
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

    ONLINE.set(true);
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
    begin_offline();
    let requests = begin_server();
    let session = session();
    open(&session, folder("bert"), ModelOptions::default()).expect("a file of this device opens");
    let mode = ScoreMode::Paper;
    let heads = HeadList {
        of: FIRST,
        input: mode.into(),
    };
    ask(&session, heads.clone()).expect("heads");
    assert_eq!(FETCHES.get(), 0);

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

    ONLINE.set(true);
    FETCHES.set(0);
    open_named(&session, second, BERT, false).expect("it opens");
    open_named(&session, third, "org/bert", false).expect("it opens");
    assert_eq!(FETCHES.get(), 1, "what was fetched is kept");
    assert!(requests() > 2);
}
