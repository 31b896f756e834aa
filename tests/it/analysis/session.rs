//! A session with several files: grouping, missing files, and files opened later.

use std::collections::HashMap;

use diagonal::{
    analysis::{
        CorrectionEffects, FailureKind, FoundModel, GroupFiles, GroupedFiles, HeadList,
        HeadOverview, MemorySession, ModelSummary, ModelVersion, OpenModel, OpenResult, Origin,
        PositionKind, PositionOverview, Remedy, ScoreMode, Similarity, TableTile,
    },
    checkpoint::MemorySource,
    math::AttentionMask,
    model::{Correction, ModelOptions},
};
use safetensors::{SafeTensors, tensor::TensorView};
use serde_json::Value;

use crate::support::{
    models::data,
    questions::{
        FIRST, ask, ask_with_files, folder as files, head_of_first, open, open_as, open_otherwise,
    },
};

type Files = Vec<(String, MemorySource)>;

fn gather(session: &MemorySession, files: Files) -> GroupedFiles {
    ask_with_files(session, GroupFiles, files).expect("files are sorted")
}

/// A session with the only model of a folder open.
fn with(folder: &str, choice: ModelOptions) -> (MemorySession, ModelSummary) {
    let session = MemorySession::default();
    let gathering = gather(&session, files(folder));
    let [FoundModel { name, .. }] = gathering.models.as_slice() else {
        panic!("{folder}: {gathering:?}");
    };
    let summary = open(&session, files(folder), choice).expect(folder);
    assert_eq!(&summary.name, name);
    (session, summary)
}

const INNER_PRODUCTS: PositionOverview = PositionOverview {
    of: FIRST,
    similarity: Similarity::InnerProduct,
};

fn golden(folder: &str) -> Value {
    let text = std::fs::read_to_string(data(folder).join("golden.json")).expect(folder);
    serde_json::from_str(&text).expect("golden numbers")
}

#[test]
fn a_folder_is_a_model_whatever_its_format() {
    for folder in ["bert", "bert-pickle", "bert-sharded"] {
        let (session, summary) = with(folder, ModelOptions::default());
        assert_eq!(
            (summary.family.as_str(), summary.rows, summary.width),
            ("BERT", 96, 64)
        );
        assert_eq!(
            summary.name.split('.').next(),
            Some(folder),
            "named for its folder"
        );
        let positions = ask(&session, INNER_PRODUCTS).expect(folder);
        let r2 = golden(folder)["table"]["inner_product_r2"]
            .as_f64()
            .expect("golden");
        assert!((positions.fit.r2 - r2).abs() < 1e-6, "{folder}");
        let mode = ScoreMode::AsComputed;
        let heads = ask(
            &session,
            HeadList {
                of: FIRST,
                input: mode.into(),
            },
        )
        .expect(folder);
        assert_eq!(heads.last().map(|head| head.layer), Some(1), "{folder}");
    }
}

/// The shard that is opened later.
const LATE: &str = "model-00006-of-00007.safetensors";

/// Splits off the shard that is opened later.
fn without_late(all: Files) -> (Files, Files) {
    all.into_iter().partition(|(name, _)| name.ends_with(LATE))
}

#[test]
fn a_missing_shard_is_asked_for_and_taken_when_it_comes() {
    let session = MemorySession::default();
    let (late, now) = without_late(files("bert-sharded"));
    let summary = open(&session, now.clone(), ModelOptions::default()).expect("the table is there");
    assert_eq!(summary.missing_files, [LATE]);
    let mode = ScoreMode::Paper;
    let failure = ask(
        &session,
        HeadList {
            of: FIRST,
            input: mode.into(),
        },
    )
    .expect_err("a shard is missing");
    let name = LATE.to_owned();
    assert_eq!(
        failure.kind,
        FailureKind::MissingFile { name: name.clone() }
    );
    assert_eq!(failure.remedy(), Some(Remedy::AddFile(name)));
    assert!(failure.sentence.contains(LATE), "{failure}");
    // Grouping finds its model, which is then reopened with all of its files.
    let gathering = gather(&session, late.clone());
    assert!(gathering.models.is_empty(), "{gathering:?}");
    assert_eq!(gathering.shards.len(), 1);
    assert_eq!(
        (gathering.shards[0].file, &gathering.shards[0].fits),
        (0, &vec![1])
    );
    let again = ModelVersion { id: 1, revision: 2 };
    let all = now.into_iter().chain(late).collect();
    let summary = open_as(&session, again, all, ModelOptions::default()).expect("all of it");
    assert!(summary.missing_files.is_empty());
    let heads = ask(
        &session,
        HeadList {
            of: again,
            input: mode.into(),
        },
    )
    .expect("heads");
    assert_eq!(heads.len(), 8);
}

#[test]
fn an_index_may_come_before_its_shards() {
    let session = MemorySession::default();
    let all = files("bert-sharded");
    let is_listed = |(name, _): &(String, MemorySource)| name.ends_with(".json");
    let (index, shards): (Files, Files) = all.clone().into_iter().partition(is_listed);
    let failure = open(&session, index, ModelOptions::default()).expect_err("no shard is there");
    let first = "model-00001-of-00007.safetensors".to_owned();
    assert!(failure.sentence.contains(&first), "{failure}");
    assert_eq!(failure.kind, FailureKind::MissingFile { name: first });
    let gathering = gather(&session, shards);
    assert!(gathering.models.is_empty(), "{gathering:?}");
    assert_eq!(gathering.shards.len(), 7);
    // A failed opening is remembered with its missing shards.
    assert!(gathering.shards.iter().all(|shard| shard.fits == [1]));
    let summary = open(&session, all, ModelOptions::default()).expect("now it opens");
    // The configuration that was opened with the index still counts.
    assert_eq!(summary.heads.map(|(heads, _)| heads), Some(4));
}

#[test]
fn a_configuration_inside_the_first_shard_counts() {
    let config = std::fs::read_to_string(data("bert-sharded/config.json")).expect("text");
    let with_config = |(name, file): (String, MemorySource)| {
        if !name.ends_with("model-00001-of-00007.safetensors") {
            return (name, file);
        }
        let bytes = std::fs::read(data(&name)).expect("a shard");
        let tensors = SafeTensors::deserialize(&bytes).expect("a shard").tensors();
        let metadata = HashMap::from([("config".to_owned(), config.clone())]);
        let bytes = safetensors::serialize(tensors, Some(metadata)).expect("written");
        (name, MemorySource::new(bytes))
    };
    let all = files("bert-sharded").into_iter();
    let shards = all.filter(|(name, _)| !name.ends_with("config.json"));
    let shards: Files = shards.map(with_config).collect();
    let session = MemorySession::default();
    let summary = open(&session, shards, ModelOptions::default()).expect("it opens");
    // By the width alone there would be one head or two.
    assert_eq!(summary.heads.map(|(heads, _)| heads), Some(4));
}

#[test]
fn shards_of_another_model_are_not_taken_for_missing_ones() {
    let session = MemorySession::default();
    let (_, now) = without_late(files("bert-sharded"));
    open(&session, now, ModelOptions::default()).expect("the table is there");
    // The same files as another model, with its own index.
    let other = files("bert-sharded").into_iter();
    let other = other.map(|(name, file)| (name.replace("bert-sharded", "other"), file));
    let gathering = gather(&session, other.collect());
    assert_eq!(
        (gathering.models.len(), gathering.shards.len()),
        (1, 0),
        "{gathering:?}"
    );
}

/// The sharded BERT under another name, with each row of its tensors repeated `times` times.
fn another(times: usize) -> Files {
    let rewritten = |(name, file): (String, MemorySource)| {
        let path = data(&name);
        let name = name.replace("bert-sharded", "another");
        if times == 1 || !name.ends_with(".safetensors") {
            return (name, file);
        }
        let bytes = std::fs::read(path).expect("a shard");
        let tensors = SafeTensors::deserialize(&bytes).expect("a shard").tensors();
        let repeated: Vec<_> = tensors
            .iter()
            .map(|(name, tensor)| {
                let mut shape = tensor.shape().to_vec();
                let columns = shape.pop().expect("an axis");
                let row = columns * tensor.dtype().bitsize() / 8;
                let rows = tensor.data().chunks_exact(row);
                let data: Vec<u8> = rows.flat_map(|row| row.repeat(times)).collect();
                shape.push(columns * times);
                (name, tensor.dtype(), shape, data)
            })
            .collect();
        let views = repeated.iter().map(|(name, dtype, shape, data)| {
            let view = TensorView::new(*dtype, shape.clone(), data);
            (name, view.expect("a fitting view"))
        });
        let bytes = safetensors::serialize(views, None).expect("written");
        (name, MemorySource::new(bytes))
    };
    files("bert-sharded").into_iter().map(rewritten).collect()
}

#[test]
fn a_shard_goes_to_the_model_whose_tensors_it_has() {
    let second = ModelVersion { id: 2, revision: 1 };
    for (times, of_first, of_second) in [(1, vec![1, 2], vec![1, 2]), (2, vec![1], vec![2])] {
        let session = MemorySession::default();
        let (late, now) = without_late(files("bert-sharded"));
        open(&session, now, ModelOptions::default()).expect("the table is there");
        let (other_late, now) = without_late(another(times));
        open_as(&session, second, now, ModelOptions::default()).expect("the table is there");
        for (late, fits) in [(late, of_first), (other_late, of_second)] {
            let shards = gather(&session, late).shards;
            assert_eq!(shards.len(), 1);
            assert_eq!(shards[0].fits, fits, "tensors {times} times as wide");
        }
    }
}

#[test]
fn relative_scores_answer_like_tables() {
    let golden = golden("t5");
    for (source, key) in [("encoder", "encoder_bias"), ("decoder", "decoder_bias")] {
        let choice = ModelOptions {
            source: Some(source.to_owned()),
            length: Some(40),
            ..ModelOptions::default()
        };
        let (session, summary) = with("t5", choice);
        assert_eq!(
            (summary.kind, summary.rows, summary.heads.map(|h| h.0)),
            (PositionKind::Line, 40, Some(4))
        );
        for (head, expected) in golden[key].as_array().expect("heads").iter().enumerate() {
            let of = head_of_first(ScoreMode::Paper, 0, head);
            let detail = ask(&session, HeadOverview { of }).expect("a head");
            // Golden offsets begin at −39, as in the answer.
            for (ours, expected) in detail
                .fit
                .f
                .iter()
                .zip(expected.as_array().expect("offsets"))
            {
                assert!((ours - expected.as_f64().expect("a number")).abs() < 1e-6);
            }
            assert_eq!(detail.fit.r2, 1.0);
        }
        let failure = ask(
            &session,
            TableTile {
                of: FIRST,
                limit: 512,
            },
        )
        .expect_err("there is no table");
        assert_eq!(failure.kind, FailureKind::NotThere);
    }
}

#[test]
fn every_switch_says_what_it_does() {
    let (session, summary) = with("roberta", ModelOptions::default());
    let switches = summary
        .notes
        .iter()
        .filter(|note| note.switch.is_some())
        .count();
    assert!(switches >= 4, "{:?}", summary.notes);
    let effects = ask(&session, CorrectionEffects { of: FIRST }).expect("effects");
    assert_eq!(effects.len(), switches);
    let rows = effects
        .iter()
        .find(|e| e.correction == Correction::LeadingRows)
        .expect("rows");
    assert!(rows.with > rows.without, "{rows:?}");
    // With the switch reversed, the model itself has that R².
    let choice = ModelOptions::default().switch(Correction::LeadingRows);
    let (session, _) = with("roberta", choice);
    let positions = ask(&session, INNER_PRODUCTS).expect("positions");
    assert!((positions.fit.r2 - rows.without).abs() < 1e-9);
}

#[test]
fn images_have_two_dimensions() {
    let (session, summary) = with("vit", ModelOptions::default());
    let grid = summary.grid.expect("patches");
    assert_eq!((grid.height, grid.width, summary.rows), (8, 8, 64));
    let positions = ask(&session, INNER_PRODUCTS).expect("positions");
    let golden = golden("vit")["table"]["inner_product_r2_2d"]
        .as_f64()
        .expect("golden");
    let ours = positions.grid_fit.as_ref().expect("a fit").r2;
    assert!((ours - golden).abs() < 1e-6, "{ours} {golden}");
    assert_eq!(positions.scopes[0].name, "whole-2d");
}

#[test]
fn decoders_look_back_and_encoders_both_ways() {
    let causal = [
        ("gpt2", &["positions"][..]),
        ("gpt2-masks-prefix", &["positions"]),
        ("openai-gpt", &["positions"]),
        ("opt", &["positions"]),
        ("bart", &["decoder"]),
        ("mbart", &["decoder"]),
        ("t5", &["decoder"]),
        ("whisper", &["decoder"]),
        ("clip", &["text"]),
    ];
    let both = [
        ("bert", &["positions"][..]),
        ("roberta", &["positions"]),
        ("vit", &["positions"]),
        ("bart", &["encoder"]),
        ("t5", &["encoder"]),
        ("whisper", &["encoder"]),
        ("clip", &["vision"]),
    ];
    for (cells, folders) in [
        (AttentionMask::Causal, &causal[..]),
        (AttentionMask::Whole, &both),
    ] {
        for (folder, sources) in folders {
            for source in *sources {
                let choice = ModelOptions {
                    source: Some((*source).to_owned()),
                    ..ModelOptions::default()
                };
                let (_, summary) = with(folder, choice);
                assert_eq!(summary.source, *source, "{folder}");
                assert_eq!(summary.cells, cells, "{folder}, {source}");
            }
        }
    }
}

#[test]
fn an_old_revision_is_closed() {
    let (session, _) = with("bert", ModelOptions::default());
    let now = ModelVersion { id: 1, revision: 2 };
    let choice = ModelOptions {
        heads: Some(8),
        ..ModelOptions::default()
    };
    open_otherwise(&session, now, choice).expect("eight heads");
    let mode = ScoreMode::Paper;
    let failure = ask(
        &session,
        HeadList {
            of: FIRST,
            input: mode.into(),
        },
    )
    .expect_err("four heads are gone");
    assert_eq!(
        (failure.kind.clone(), failure.remedy()),
        (FailureKind::Closed, None)
    );
    let heads = ask(
        &session,
        HeadList {
            of: now,
            input: mode.into(),
        },
    )
    .expect("eight heads a layer");
    assert_eq!(heads.len(), 16);
}

#[test]
fn a_failed_choice_leaves_what_was_open() {
    let (session, _) = with("bert", ModelOptions::default());
    let before = ask(&session, INNER_PRODUCTS).expect("positions");
    let choice = ModelOptions {
        heads: Some(7),
        ..ModelOptions::default()
    };
    let next = ModelVersion { id: 1, revision: 2 };
    open_otherwise(&session, next, choice).expect_err("64 is no multiple of 7");
    assert_eq!(ask(&session, INNER_PRODUCTS).expect("positions"), before);
    let of = next;
    let failure = ask(&session, TableTile { of, limit: 512 }).expect_err("it was not opened");
    assert_eq!(failure.kind, FailureKind::Closed);
}

/// As the page does after losing a worker.
#[test]
fn files_handed_over_again_open_the_same_model() {
    let choice = ModelOptions {
        heads: Some(8),
        ..ModelOptions::default()
    };
    let opened = ModelVersion { id: 5, revision: 3 };
    let of = head_of_first(ScoreMode::AsComputed, 1, 7);
    let of = diagonal::analysis::HeadId {
        model: opened,
        ..of
    };
    let [before, after] = [(); 2].map(|()| {
        let session = MemorySession::default();
        let summary = open_as(&session, opened, files("bert-sharded"), choice.clone());
        let head = ask(&session, HeadOverview { of }).expect("a head");
        (summary.expect("the same files"), head)
    });
    assert_eq!(before, after);
}

#[test]
fn a_computed_table_leaves_nothing_of_the_file_before_it() {
    let (session, _) = with("bert", ModelOptions::default());
    let computed = OpenModel {
        version: ModelVersion { id: 1, revision: 2 },
        origin: Origin::Random(diagonal::encoding::Random::default()),
        choice: ModelOptions::default(),
    };
    let opening = ask(&session, computed).expect("a table");
    assert!(matches!(opening, OpenResult::Opened(_)));
    let next = ModelVersion { id: 1, revision: 3 };
    let failure =
        open_otherwise(&session, next, ModelOptions::default()).expect_err("no file is open");
    assert_eq!(failure.kind, FailureKind::Closed);
}
