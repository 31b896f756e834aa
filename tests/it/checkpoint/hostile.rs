//! Broken and malicious files: each gets its own message, without a panic, hang or large allocation.

use std::time::{Duration, Instant};

use diagonal::{
    checkpoint::{Checkpoint, CheckpointError},
    model::{ModelOptions, PositionModel},
};
use pollster::block_on;

use super::checkpoints::{Sparse, file, open};

/// The message that refuses a file.
fn refusal(bytes: Vec<u8>) -> String {
    let error = open(bytes).expect_err("it must be refused");
    assert_is_sentence(&error.to_string());
    error.to_string()
}

/// Checks that a message about a file can be displayed.
pub(crate) fn assert_is_sentence(text: &str) {
    assert!(
        text.ends_with('.') && text.len() < 700,
        "no sentence: {text}"
    );
    assert!(
        text.starts_with(|c: char| c.is_uppercase()),
        "no sentence: {text}"
    );
    assert!(
        !text.contains(char::is_control),
        "control characters: {text:?}"
    );
}

fn header_of(tensors: &str) -> Vec<u8> {
    file(tensors, &[0; 64])
}

fn tensor(dtype: &str, shape: &str, begin: u64, end: u64) -> String {
    format!(r#"{{"dtype":"{dtype}","shape":{shape},"data_offsets":[{begin},{end}]}}"#)
}

#[test]
fn every_broken_file_has_its_sentence() {
    let f32s = |shape: &str, begin, end| tensor("F32", shape, begin, end);
    let one = |entry: &str| header_of(&format!(r#"{{"x":{entry}}}"#));
    let two = |a: &str, b: &str| header_of(&format!(r#"{{"x":{a},"y":{b}}}"#));
    let long = |length: u64, rest: &[u8]| [&length.to_le_bytes()[..], rest].concat();
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("no bytes", vec![], "empty"),
        ("cut off in the length", vec![9, 0, 0], "ends at byte 3"),
        ("cut off after the length", long(64, b""), "ends at byte 8"),
        (
            "cut off in the header",
            long(64, b"{\"x\":"),
            "ends at byte 13",
        ),
        (
            "header longer than the file",
            long(9999, b"{}"),
            "goes to byte 10007",
        ),
        (
            "header too long",
            long(100_000_001, b"{}"),
            "claims 100000001 bytes",
        ),
        (
            "header of all the numbers",
            long(u64::MAX, b"{}"),
            "claims 18446744073709551615 bytes",
        ),
        (
            "no object",
            file("[1,2,3]", b""),
            "format is not recognised",
        ),
        ("empty header", long(0, b"rest"), "format is not recognised"),
        (
            "not UTF-8",
            [&8_u64.to_le_bytes()[..], b"{\"\xff\xfe\":1}"].concat(),
            "not UTF-8 text at byte 10",
        ),
        (
            "not JSON",
            file("{\"x\": oops}", b""),
            "not what safetensors prescribes",
        ),
        (
            "JSON twice",
            file("{}{}", b""),
            "not what safetensors prescribes",
        ),
        (
            "cut off JSON",
            file("{\"x\":{\"dtype\"", b""),
            "not what safetensors prescribes",
        ),
        ("no tensor", file(r#"{"x":7}"#, b""), "tensor “x”"),
        (
            "no shape",
            one(r#"{"dtype":"F32","data_offsets":[0,4]}"#),
            "missing field `shape`",
        ),
        (
            "three offsets",
            one(r#"{"dtype":"F32","shape":[1],"data_offsets":[0,4,8]}"#),
            "tensor “x”",
        ),
        (
            "one offset",
            one(r#"{"dtype":"F32","shape":[1],"data_offsets":[0]}"#),
            "tensor “x”",
        ),
        ("negative dimension", one(&f32s("[-1]", 0, 4)), "`-1`"),
        ("fractional dimension", one(&f32s("[1.5]", 0, 4)), "1.5"),
        (
            "dimension beyond u64",
            one(&f32s("[18446744073709551616]", 0, 4)),
            "tensor “x”",
        ),
        (
            "name in the place of a type",
            one(r#"{"dtype":7,"shape":[1],"data_offsets":[0,4]}"#),
            "tensor “x”",
        ),
        (
            "metadata of numbers",
            header_of(r#"{"__metadata__":{"a":1}}"#),
            "not what safetensors prescribes",
        ),
        (
            "one name twice",
            header_of(&format!(r#"{{"x":{0},"x":{0}}}"#, f32s("[1]", 0, 4))),
            "“x” twice",
        ),
        (
            "one field twice",
            one(r#"{"dtype":"F32","dtype":"F16","shape":[1],"data_offsets":[0,4]}"#),
            "duplicate field",
        ),
        (
            "end before begin",
            one(&f32s("[1]", 8, 4)),
            "begins at byte 8",
        ),
        (
            "beyond the file",
            one(&f32s("[100]", 0, 400)),
            "the file has",
        ),
        (
            "beyond 64 bits",
            one(&tensor("Q", "[1]", 0, u64::MAX)),
            "the file has",
        ),
        (
            "both beyond 64 bits",
            one(&tensor("Q", "[1]", u64::MAX - 1, u64::MAX)),
            "the file has",
        ),
        (
            "too few bytes",
            one(&f32s("[2,2]", 0, 12)),
            "should take 16 bytes",
        ),
        (
            "too many bytes",
            one(&f32s("[2,2]", 0, 20)),
            "should take 16 bytes",
        ),
        (
            "half a byte",
            one(&tensor("F4", "[3]", 0, 1)),
            "should take 2 bytes",
        ),
        (
            "shape overflow",
            one(&f32s("[4294967296,4294967296]", 0, 0)),
            "4294967296 × 4294967296",
        ),
        (
            "width overflow",
            one(&f32s("[4611686018427387904]", 0, 4)),
            "more than any file",
        ),
        (
            "overlap",
            two(&f32s("[2]", 0, 8), &f32s("[2]", 4, 12)),
            "“x” and “y” share bytes",
        ),
        (
            "one inside another",
            two(&f32s("[8]", 0, 32), &f32s("[1]", 4, 8)),
            "“x” and “y” share bytes",
        ),
        (
            "the same bytes",
            two(&f32s("[2]", 0, 8), &f32s("[2]", 0, 8)),
            "share bytes",
        ),
        (
            "129 dimensions",
            one(&f32s(&format!("[{}1]", "1,".repeat(128)), 0, 4)),
            "more than 128 dimensions",
        ),
    ];
    for (case, bytes, says) in cases {
        let sentence = refusal(bytes);
        assert!(sentence.contains(says), "{case}: {sentence}");
    }
}

#[test]
fn other_files_are_named_for_what_they_are() {
    let cases: &[(&[u8], &str)] = &[
        (
            b"PK\x03\x04 and so on, for more than thirty bytes",
            "archive cannot be used: it is not at the end",
        ),
        (
            b"PK\x05\x06\x00\x00\x00\x00\x00",
            "format is not recognised",
        ),
        (b"\x80\x02}q\x00(X\x04\x00\x00\x00", "pickle"),
        (b"\x93NUMPY\x01\x00v\x00{'descr'", "ends at byte 18"),
        (b"GGUF\x03\x00\x00\x00\x00\x00\x00\x00", "ends at byte 12"),
        (
            b"GGUF\x00\x00\x00\x03\x00\x00\x00\x00",
            "GGUF file of a version",
        ),
        (b"\x89HDF\r\n\x1a\n", "HDF5"),
        (b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00", "gzip"),
        (b"<!doctype html><title>404</title>", "web page"),
        (
            b"version https://git-lfs.github.com/spec/v1\n",
            "git lfs pull",
        ),
        (b"{\"model_type\": \"bert\"}", "config.json"),
        (b"What is this?", "This is text"),
    ];
    for (bytes, says) in cases {
        let sentence = refusal(bytes.to_vec());
        assert!(sentence.contains(says), "{sentence}");
    }
}

#[test]
fn weights_that_were_not_gathered_are_named() {
    let entry = |name: &str, shape: &str, begin: u64, end: u64| {
        format!(r#""{name}":{}"#, tensor("F32", shape, begin, end))
    };
    let of = |entries: &[String]| header_of(&format!("{{{}}}", entries.join(",")));
    let empty = |name: &str| entry(name, "[0]", 0, 0);
    let sentence = refusal(of(&[
        empty("a.weight"),
        empty("b"),
        entry("c", "[4]", 0, 16),
    ]));
    assert!(
        sentence.starts_with("Of the file’s 3 floating-point tensors, 2 are empty")
            && sentence.contains("zero_to_fp32.py"),
        "{sentence}"
    );
    // Fewer of them are refused when they are needed, the position table and any weight.
    let file = open(of(&[
        empty("embeddings.position_embeddings.weight"),
        entry("embeddings.word_embeddings.weight", "[4,2]", 0, 32),
        entry("embeddings.LayerNorm.weight", "[2]", 32, 40),
    ]))
    .expect("it opens");
    let choice = ModelOptions::default();
    let error = block_on(PositionModel::open(&file, None, &choice)).expect_err("no table");
    let sentence = error.to_string();
    assert_is_sentence(&sentence);
    assert!(
        sentence.contains("position_embeddings") && sentence.contains("zero_to_fp32.py"),
        "{sentence}"
    );
    // An empty query leaves the table to be shown.
    let file = open(of(&[
        entry("embeddings.position_embeddings.weight", "[4,2]", 0, 32),
        empty("encoder.layer.0.attention.self.query.weight"),
        entry("encoder.layer.0.attention.self.key.weight", "[2,2]", 32, 48),
    ]))
    .expect("it opens");
    let model = block_on(PositionModel::open(&file, None, &choice)).expect("the table");
    let error = block_on(model.read_layer(&file, 0)).expect_err("no query");
    assert!(error.to_string().contains("zero_to_fp32.py"), "{error}");
    // Empty markers and integers mean nothing.
    let marker = entry("scaled_fp8", "[0]", 0, 0).replace("F32", "F8_E4M3");
    let integers = [
        empty("x").replace("F32", "I32"),
        empty("y").replace("F32", "I32"),
    ];
    let file = of(&[&integers[..], &[marker, entry("w", "[4]", 0, 16)]].concat());
    assert!(open(file).is_ok());
}

#[test]
fn nothing_is_asked_for_that_the_file_cannot_hold() {
    // The length of the header is false; it must not cost more than the first read.
    for (length, size) in [
        (99_999_999_u64, 1 << 20),
        (u64::MAX, u64::MAX),
        (50_000_000, 10_000_000),
    ] {
        let source = Sparse::new([&length.to_le_bytes()[..], b"{"].concat(), size);
        let error = block_on(Checkpoint::open(source.clone(), "liar")).expect_err("refused");
        assert!(source.largest_read() <= 64 << 10, "{error}");
    }
}

#[test]
fn bombs_do_not_go_off() {
    let deep = format!(r#"{{"x":{}"#, "[".repeat(5_000_000));
    let deep_elsewhere = format!(
        r#"{{"x":{{"dtype":"F32","shape":[0],"data_offsets":[0,0],"more":{}1{}}}}}"#,
        "[".repeat(1_000_000),
        "]".repeat(1_000_000)
    );
    let endless = format!(
        r#"{{"x":{{"dtype":"F32","shape":[{}1],"data_offsets":[0,4]}}}}"#,
        "1,".repeat(5_000_000)
    );
    let long_name = format!(r#"{{"{}":7}}"#, "n\\u0007".repeat(1_000_000));
    for bomb in [deep, deep_elsewhere, endless, long_name] {
        let begun = Instant::now();
        if let Err(error) = open(file(&bomb, &[0; 8])) {
            assert_is_sentence(&error.to_string());
        }
        assert!(begun.elapsed() < Duration::from_secs(20));
    }

    let many: Vec<_> = (0..200_000)
        .map(|i| format!(r#""t{i}":{}"#, tensor("F32", "[0,2]", 0, 0)))
        .collect();
    let begun = Instant::now();
    let checkpoint =
        open(file(&format!("{{{}}}", many.join(",")), &[])).expect("strange, but in order");
    assert_eq!(checkpoint.tensors().len(), 200_000);
    assert!(
        block_on(PositionModel::open(
            &checkpoint,
            None,
            &ModelOptions::default()
        ))
        .is_err()
    );
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[test]
fn control_characters_in_a_name_are_not_passed_on() {
    let header = format!(
        r#"{{"a\u001b[31m\u0000{}":{}}}"#,
        "w".repeat(9000),
        tensor("F32", "[9]", 0, 4)
    );
    let sentence = refusal(header_of(&header));
    assert!(sentence.contains("should take 36 bytes"), "{sentence}");
}

#[test]
fn a_source_that_gives_too_little_is_not_believed() {
    struct Short;
    impl diagonal::checkpoint::ByteSource for Short {
        fn size(&self) -> u64 {
            1000
        }
        async fn read(
            &self,
            _: std::ops::Range<u64>,
        ) -> Result<Vec<u8>, diagonal::checkpoint::SourceError> {
            Ok(file("{}", &[]))
        }
    }
    let error = block_on(Checkpoint::open(Short, "short")).expect_err("refused");
    assert!(
        matches!(
            error,
            CheckpointError::ShortRead {
                received_bytes: 10,
                ..
            }
        ),
        "{error}"
    );
    assert_is_sentence(&error.to_string());
}
