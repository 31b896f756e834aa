//! Hostile files and texts: none of them panics, and each fault has a sentence.

use proptest::prelude::*;
use serde_json::{Value, json};
use std::{fs, path::Path};
use text_tokenizer::{TextTokenizer, TokenizerError};

type Files = Vec<(String, Vec<u8>)>;

fn file(name: &str, content: impl Into<Vec<u8>>) -> (String, Vec<u8>) {
    (name.to_owned(), content.into())
}

fn build(files: Files) -> Result<TextTokenizer, TokenizerError> {
    TextTokenizer::from_files(&files)
}

fn build_json(json: &Value) -> Result<TextTokenizer, TokenizerError> {
    build(vec![file("tokenizer.json", json.to_string())])
}

/// The sentence of an error, which is checked to be one.
fn refusal(result: Result<TextTokenizer, TokenizerError>) -> String {
    let sentence = result.expect_err("the files are refused").to_string();
    assert!(sentence.ends_with('.'), "{sentence}");
    assert!(sentence.len() < 400, "{sentence}");
    assert!(!sentence.contains(['\n', '\0']), "{sentence}");
    sentence
}

/// A file of the test data.
fn data(kind: &str, name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/tokenizers");
    fs::read(folder.join(kind).join(name)).expect("a file of the test data")
}

fn stored(kind: &str) -> Value {
    serde_json::from_slice(&data(kind, "tokenizer.json")).expect("JSON")
}

#[test]
fn files_that_are_no_tokenizer_are_refused_with_a_sentence() {
    for (files, part) in [
        (vec![], "There is no tokenizer"),
        (vec![file("model.safetensors", "")], "There is no tokenizer"),
        (
            vec![file("tokenizer_config.json", "{}")],
            "There is no tokenizer",
        ),
        (vec![file("a/vocab.json", "{}")], "Add merges.txt"),
        (vec![file("merges.txt", "a b")], "Add vocab.json"),
        (vec![file("tokenizer.json", "")], "it is not JSON"),
        (vec![file("tokenizer.json", "[]")], "no part “model”"),
        (
            vec![file("tokenizer.json", vec![0xff, 0xfe])],
            "is not UTF-8",
        ),
        (
            vec![file("tokenizer.json", "[".repeat(100_000))],
            "it is not JSON",
        ),
        (
            vec![file("vocab.json", "[]"), file("merges.txt", "")],
            "no list of pieces",
        ),
        (
            vec![file("vocab.json", "{}"), file("merges.txt", "a b c")],
            "line 1 is no pair",
        ),
        (
            vec![file("spiece.model", vec![0x0a, 0xff])],
            "no SentencePiece file",
        ),
        (vec![file("spm.model", "")], "no pieces"),
        (
            vec![file(
                "spiece.model",
                data("t5", "spiece.model")[..5000].to_vec(),
            )],
            "Download it again",
        ),
    ] {
        let sentence = refusal(build(files));
        assert!(sentence.contains(part), "{sentence}");
    }
}

#[test]
fn kinds_that_a_vocabulary_does_not_describe_ask_for_the_whole_tokenizer() {
    let settings = |class: &str| {
        file(
            "tokenizer_config.json",
            json!({ "tokenizer_class": class }).to_string(),
        )
    };
    for files in [
        vec![
            file("spiece.model", data("t5", "spiece.model")),
            settings("XLNetTokenizer"),
        ],
        vec![
            file("vocab.txt", data("bert-cased", "vocab.txt")),
            settings("EsmTokenizer"),
        ],
        vec![
            file("vocab.json", data("gpt2", "vocab.json")),
            file("merges.txt", data("gpt2", "merges.txt")),
            settings("WhisperTokenizer"),
        ],
    ] {
        let sentence = refusal(build(files));
        assert!(sentence.contains("Add the tokenizer.json"), "{sentence}");
    }
}

#[test]
fn damaged_descriptions_are_refused() {
    let change = |kind: &str, path: &str, value: Value| {
        let mut json = stored(kind);
        *json.pointer_mut(path).expect("a part of the description") = value;
        refusal(build_json(&json))
    };
    let long = "x".repeat(100_000);
    change("gpt2", "/model/vocab", json!({ long.as_str(): 0 }));
    change(
        "xlm-roberta",
        "/model/vocab",
        json!([[long, 0.0], ["a", 1.0]]),
    );
    change("xlm-roberta", "/model/vocab", json!([]));
    change("xlm-roberta", "/model/unk_id", json!(1_000_000));
    change("xlm-roberta", "/model/vocab/0/1", Value::Null);
    change("gpt2", "/model/merges/0", json!(["no", "piece"]));
    change(
        "gpt2",
        "/model/merges/0",
        json!(["x".repeat(50), "y".repeat(50)]),
    );
    change("gpt2", "/model/continuing_subword_prefix", json!("##"));
    change("gpt2", "/model", json!("none"));
    change("gpt2", "/version", json!("2.0"));
    change(
        "llama3",
        "/pre_tokenizer/pretokenizers/0",
        json!({ "type": "FixedLength", "length": 0 }),
    );
    change(
        "llama3",
        "/pre_tokenizer/pretokenizers/0/pattern",
        json!({ "Regex": "(" }),
    );
    let map =
        |bytes: &[u8]| json!({ "type": "Precompiled", "precompiled_charsmap": base64(bytes) });
    change("xlm-roberta", "/normalizer/normalizers/0", map(&[]));
    change(
        "xlm-roberta",
        "/normalizer/normalizers/0",
        map(&[4, 0, 0, 0, 255, 255, 255, 255]),
    );
    change("xlm-roberta", "/normalizer/normalizers/0", map(&[255; 64]));
    let damaged = json!({ "type": "Precompiled", "precompiled_charsmap": "*" });
    change("xlm-roberta", "/normalizer/normalizers/0", damaged);
    for single in [
        json!([]),
        json!([{ "Sequence": { "id": "B", "type_id": 0 } }]),
        json!([{ "Sequence": { "id": "A", "type_id": 0 } }, { "SpecialToken": { "id": "none", "type_id": 0 } }]),
        Value::Array(vec![
            json!({ "Sequence": { "id": "A", "type_id": 0 } });
            1000
        ]),
    ] {
        change("bert-cased", "/post_processor/single", single);
    }
    change(
        "bert-cased",
        "/post_processor/special_tokens/[CLS]/ids",
        json!([1, 2, 3]),
    );
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |three: &[u8]| {
        let bits = three
            .iter()
            .fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - three.len()));
        let letter = |at: usize| char::from(LETTERS[(bits >> (18 - 6 * at) & 63) as usize]);
        let letters: String = (0..=three.len()).map(letter).collect();
        format!("{letters:=<4}")
    };
    bytes.chunks(3).map(group).collect()
}

#[test]
fn a_vocabulary_of_a_million_pieces_opens() {
    let pieces: String = (0..1_000_000).map(|number| format!("{number}\n")).collect();
    let tokenizer = build(vec![file(
        "vocab.txt",
        format!("[UNK]\n[CLS]\n[SEP]\n{pieces}"),
    )]);
    let tokenizer = tokenizer.expect("a tokenizer");
    assert!(tokenizer.vocabulary_size() >= 1_000_003);
    let tokens = tokenizer.encode("999999", 10).expect("tokens").tokens;
    let ids: Vec<u32> = tokens.iter().map(|token| token.id).collect();
    assert_eq!(ids, [1, 1_000_002, 2]);
}

#[test]
fn a_vocabulary_without_unknown_text_says_so() {
    let tokenizer = build(vec![file("vocab.txt", "a\nb\n")]).expect("a tokenizer");
    assert_eq!(tokenizer.encode("a", 9).expect("tokens").tokens.len(), 1);
    let error = tokenizer.encode("z", 9).expect_err("an error").to_string();
    assert!(
        error.contains("Check that it is the tokenizer of this model"),
        "{error}"
    );
}

#[test]
fn ids_of_huge_numbers_do_no_harm() {
    let mut json = stored("gpt2");
    let last = u32::MAX;
    *json.pointer_mut("/model/vocab/a").expect("a piece") = json!(last);
    let tokenizer = build_json(&json).expect("a tokenizer");
    assert_eq!(tokenizer.encode("a", 9).expect("tokens").tokens[0].id, last);
    assert_eq!(tokenizer.vocabulary_size(), last as usize + 1);
}

/// Texts that break parsers.
fn hostile_texts() -> Vec<String> {
    let mut texts: Vec<String> = [
        "", " ", "\0", "\u{feff}", "\u{fffd}", "[MASK]", "<mask>  ", "e\u{301}",
    ]
    .map(str::to_owned)
    .into();
    texts.push("\u{301}".repeat(10_000));
    texts.push("x".repeat(50_000));
    texts.push(" ".repeat(50_000));
    texts.push("👩\u{200d}👧\u{202e}אב".repeat(1000));
    texts
}

fn any_kind() -> impl Strategy<Value = (&'static str, &'static [&'static str])> {
    const KINDS: &[(&str, &[&str])] = &[
        ("bert-uncased", &["tokenizer.json"]),
        ("bert-cased", &["vocab.txt"]),
        ("gpt2", &["vocab.json", "merges.txt"]),
        ("roberta", &["tokenizer.json"]),
        ("llama", &["tokenizer.json"]),
        ("llama3", &["tokenizer.json"]),
        ("t5", &["spiece.model"]),
        ("albert", &["spiece.model"]),
        ("deberta-v2", &["spm.model"]),
        ("xlm-roberta", &["tokenizer.json"]),
    ];
    prop::sample::select(KINDS)
}

/// Opens files, and tokenizes texts if that succeeds. Fails only by a panic.
fn open_and_encode(files: Files, texts: &[String]) {
    let Ok(tokenizer) = build(files) else {
        return;
    };
    for text in texts {
        if let Ok(encoding) = tokenizer.encode(text, 64) {
            assert!(encoding.tokens.len() <= 64);
            for token in &encoding.tokens {
                assert!(text.get(token.bytes.clone()).is_some(), "{token:?}");
            }
            let ids: Vec<u32> = encoding.tokens.iter().map(|token| token.id).collect();
            assert_eq!(tokenizer.pieces(&ids).len(), ids.len());
        }
    }
}

#[test]
fn hostile_texts_do_no_harm() {
    for (kind, names) in [
        ("bert-uncased", "tokenizer.json"),
        ("roberta", "tokenizer.json"),
        ("llama", "tokenizer.json"),
        ("llama3", "tokenizer.json"),
        ("t5", "spiece.model"),
        ("albert", "spiece.model"),
        ("deberta-v2", "spm.model"),
        ("xlm-roberta", "tokenizer.json"),
    ] {
        open_and_encode(vec![file(names, data(kind, names))], &hostile_texts());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Bytes of files are changed, removed and repeated.
    #[test]
    fn damaged_files_do_no_harm(
        (kind, names) in any_kind(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3_u8), 1..6),
    ) {
        let files = names.iter().map(|name| {
            let mut bytes = data(kind, name);
            for (at, byte, change) in &changes {
                let at = at.index(bytes.len());
                match change {
                    0 => bytes[at] = *byte,
                    1 => bytes.truncate(bytes.len() - at / 50),
                    _ => {
                        let end = bytes.len().min(at + usize::from(*byte));
                        let part = bytes[at..end].to_vec();
                        bytes.splice(at..at, part);
                    }
                }
            }
            file(name, bytes)
        });
        open_and_encode(files.collect(), &["The old clock [MASK]\u{301} ⅐ Ａ".to_owned(), String::new()]);
    }

    /// Values of the description, other than its vocabulary, are replaced by others of it and by hostile ones.
    #[test]
    fn rearranged_descriptions_do_no_harm(
        kind in prop::sample::select(&["bert-cased", "roberta", "llama", "llama3", "xlm-roberta", "gpt-neox"][..]),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..4),
    ) {
        let mut json = stored(kind);
        for (place, value) in changes {
            let mut values = vec![
                json!(0), json!(-1), json!(1e300), json!(""), json!("\0"), json!(null), json!([]), json!({}), json!(true),
                json!({ "Regex": "(a|a)*$" }), json!({ "String": "" }), json!({ "Regex": "" }),
            ];
            let places = places(&json);
            values.extend(places.iter().filter_map(|place| json.pointer(place).cloned()));
            let value = values[value.index(values.len())].clone();
            if let Some(old) = json.pointer_mut(&places[place.index(places.len())]) {
                *old = value;
            }
        }
        let files = vec![file("tokenizer.json", json.to_string())];
        open_and_encode(files, &["The old clock [MASK]\u{301}  ⅐ Ａ\n".to_owned(), String::new()]);
    }

    #[test]
    fn any_text_is_covered_by_its_tokens((kind, names) in any_kind(), text in "\\PC{0,40}") {
        let files = names.iter().map(|name| file(name, data(kind, name)));
        open_and_encode(files.collect(), &[text]);
    }
}

/// Pointers to the values of a description, other than those in its vocabulary.
fn places(json: &Value) -> Vec<String> {
    fn walk(value: &Value, path: &str, places: &mut Vec<String>) {
        let inner: Vec<(String, &Value)> = match value {
            Value::Object(entries) => entries
                .iter()
                .map(|(key, value)| (key.clone(), value))
                .collect(),
            Value::Array(entries) => entries
                .iter()
                .enumerate()
                .map(|(at, it)| (at.to_string(), it))
                .collect(),
            _ => Vec::new(),
        };
        for (key, value) in inner.into_iter().take(12) {
            let path = format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"));
            walk(value, &path, places);
            places.push(path);
        }
    }
    let mut places = Vec::new();
    walk(json, "", &mut places);
    places
}
