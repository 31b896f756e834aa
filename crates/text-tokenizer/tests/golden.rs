//! Ids, pieces and offsets of small tokenizers of every kind, as the libraries of published models give them.
//! `tests/data/make/tokenizer_kinds.py` makes the files.

use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};
use text_tokenizer::{TextTokenizer, Token};

type Files = Vec<(String, Vec<u8>)>;

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/tokenizers")
}

fn read_json(path: &Path) -> Value {
    let text = fs::read(path).expect("a file of the test data");
    serde_json::from_slice(&text).expect("JSON")
}

/// The files of a kind that have these names, and the model's configuration.
fn read_files(folder: &Path, names: &Value) -> Files {
    let names = names.as_array().expect("names").iter();
    let names = names.map(|name| name.as_str().expect("a name"));
    let files = names.chain(["config.json"]);
    files
        .filter_map(|name| Some((name.to_owned(), fs::read(folder.join(name)).ok()?)))
        .collect()
}

/// Texts of the test data, each repeated as often as it says. A text that is `null` is the training text.
fn texts(list: &Value) -> Vec<String> {
    let training = fs::read_to_string(data().join("training.txt")).expect("a training text");
    let text = |entry: &Value| {
        let text = entry["text"].as_str().unwrap_or(&training);
        let times = entry["times"].as_u64().unwrap_or(1);
        text.repeat(usize::try_from(times).expect("a small number"))
    };
    list.as_array().expect("texts").iter().map(text).collect()
}

/// FNV-1a over the ids as little-endian numbers.
fn hash(tokens: &[Token]) -> String {
    let bytes = tokens.iter().flat_map(|token| token.id.to_le_bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// Calls back with each set of files of each kind: its name, the files, and the golden numbers.
fn for_each_set(mut check: impl FnMut(&str, &Files, &Value)) {
    let mut sets = 0;
    for entry in fs::read_dir(data()).expect("the test data").flatten() {
        let folder = entry.path();
        if !folder.is_dir() {
            continue;
        }
        let entries = read_json(&folder.join("golden.json"));
        for entry in entries.as_array().expect("entries") {
            for names in entry["sets"].as_array().expect("sets") {
                let name = format!("{} {names}", entry_name(&folder));
                check(&name, &read_files(&folder, names), &entry["golden"]);
                sets += 1;
            }
        }
    }
    assert!(sets >= 20, "only {sets} sets of files");
}

fn entry_name(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().display().to_string()
}

fn build(name: &str, files: &Files) -> TextTokenizer {
    TextTokenizer::from_files(files).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn tokens_are_those_of_the_libraries() {
    let texts = texts(&read_json(&data().join("texts.json"))["texts"]);
    let mut faults = Vec::new();
    for_each_set(|name, files, golden| {
        let tokenizer = build(name, files);
        let expected = golden["texts"].as_array().expect("texts");
        assert_eq!(expected.len(), texts.len());
        for (text, expected) in texts.iter().zip(expected) {
            let encoding = tokenizer.encode(text, usize::MAX);
            let tokens =
                encoding.map_or_else(|error| panic!("{name}: {text:?}: {error}"), |it| it.tokens);
            let ids: Vec<u32> = tokens.iter().map(|token| token.id).collect();
            let bytes: Vec<usize> = tokens
                .iter()
                .flat_map(|it| [it.bytes.start, it.bytes.end])
                .collect();
            let pieces = tokens.iter().map(|token| &*token.piece);
            let expected_ids = &expected["ids"];
            if serde_json::json!(ids) != *expected_ids {
                faults.push(format!("{name}: {text:?}: ids {ids:?}, not {expected_ids}"));
            } else if serde_json::json!(bytes) != expected["bytes"] {
                faults.push(format!(
                    "{name}: {text:?}: bytes {bytes:?}, not {}",
                    expected["bytes"]
                ));
            } else {
                for (id, piece) in ids.iter().zip(pieces) {
                    assert_eq!(golden["pieces"][id.to_string()], piece, "{name}: {text:?}");
                }
            }
        }
    });
    assert!(
        faults.is_empty(),
        "{} faults\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[test]
fn long_texts_have_the_tokens_of_the_libraries() {
    let texts = texts(&read_json(&data().join("texts.json"))["long"]);
    let mut faults = Vec::new();
    for_each_set(|name, files, golden| {
        let tokenizer = build(name, files);
        let expected = golden["long"].as_array().expect("texts");
        for (text, expected) in texts.iter().zip(expected) {
            let tokens = tokenizer.encode(text, usize::MAX).expect("tokens").tokens;
            if serde_json::json!({ "tokens": tokens.len(), "hash": hash(&tokens) }) != *expected {
                let start: String = text.chars().take(20).collect();
                faults.push(format!(
                    "{name}: {start:?}… has {} tokens, not {expected}",
                    tokens.len()
                ));
            }
        }
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn special_tokens_have_the_roles_of_the_settings() {
    for_each_set(|name, files, golden| {
        let special = build(name, files).special();
        for (role, id) in [
            ("mask", special.mask),
            ("cls", special.class),
            ("sep", special.separator),
            ("unk", special.unknown),
            ("bos", special.begin),
            ("eos", special.end),
            ("pad", special.padding),
        ] {
            let expected = &golden["special"][role];
            // A file alone names no roles to the library.
            let is_alone = name.ends_with("[\"tokenizer.json\"]");
            assert!(
                is_alone && expected.is_null() || *expected == serde_json::json!(id),
                "{name}: {role} {id:?}, not {expected}"
            );
        }
    });
}

#[test]
fn a_text_beyond_the_limit_keeps_its_special_tokens() {
    let text = "The old clock in the hall struck nine, and nobody heard it.";
    for_each_set(|name, files, _| {
        let tokenizer = build(name, files);
        let whole = tokenizer.encode(text, usize::MAX).expect("tokens");
        assert_eq!(whole.cut_at, None);
        let count = whole.tokens.len();
        let added = tokenizer.added_tokens();
        assert_eq!(
            tokenizer.encode(text, count).expect("tokens"),
            whole,
            "{name}"
        );
        let cut = tokenizer.encode(text, count - 3).expect("tokens");
        assert_eq!(cut.tokens.len(), count - 3, "{name}");
        let is_added = |token: &&Token| token.bytes.is_empty();
        assert_eq!(cut.tokens.iter().filter(is_added).count(), added, "{name}");
        let own = |tokens: &[Token]| {
            tokens
                .iter()
                .filter(|it| !is_added(it))
                .cloned()
                .collect::<Vec<_>>()
        };
        let (before, after) = (own(&whole.tokens), own(&cut.tokens));
        assert_eq!(before[..after.len()], after, "{name}");
        assert_eq!(cut.cut_at, Some(before[after.len()].bytes.start), "{name}");
        for limit in 0..=added {
            let nothing = tokenizer.encode(text, limit).expect("tokens");
            assert_eq!(nothing.tokens.len(), limit, "{name}");
            assert_eq!(nothing.cut_at, Some(0), "{name}");
        }
    });
}

#[test]
fn pieces_have_the_text_that_they_stand_for() {
    let text = "The old clock struck nine";
    for_each_set(|name, files, _| {
        let tokenizer = build(name, files);
        let tokens = tokenizer.encode(text, usize::MAX).expect("tokens").tokens;
        let ids: Vec<u32> = tokens
            .iter()
            .filter(|it| !it.bytes.is_empty())
            .map(|it| it.id)
            .collect();
        let pieces = tokenizer.pieces(&ids);
        let joined: String = pieces
            .iter()
            .map(|piece| piece.text.replace(' ', ""))
            .collect();
        assert_eq!(
            joined.to_lowercase(),
            text.replace(' ', "").to_lowercase(),
            "{name}"
        );
        let absent = &tokenizer.pieces(&[u32::MAX])[0];
        assert_eq!((&absent.piece, &*absent.text), (&None, ""));
        assert!(tokenizer.vocabulary_size() > 300, "{name}");
    });
}
