//! Numbers of 8 bits: every code of every type, scale factors in all layouts, and blocks of GGUF, against torch,
//! ml_dtypes and gguf-py (`tests/data/make/eight_bits.py`).

use std::{collections::BTreeMap, ops::Range};

use diagonal::{
    checkpoint::{Checkpoint, MemorySource, QuantisationSettings, ShardIndex, TensorInfo, Weights},
    model::Config,
};
use pollster::block_on;

use super::{
    checkpoints::{Sparse, file, open as open_bytes},
    formats::{bits, data, open, read},
    hostile::assert_is_sentence,
};

#[test]
fn every_code_of_eight_bits_is_decoded_as_by_ml_dtypes() {
    let golden = data("numbers/eight-bits.json");
    let golden: BTreeMap<String, Vec<Option<u32>>> =
        serde_json::from_slice(&golden).expect("numbers");
    assert_eq!(golden.len(), 5);
    let codes: Vec<u8> = (0..=255).collect();
    for (dtype, expected) in golden {
        let header =
            format!(r#"{{"x":{{"dtype":"{dtype}","shape":[256],"data_offsets":[0,256]}}}}"#);
        let file = open_bytes(file(&header, &codes)).expect("it opens");
        let (_, numbers) = read(&file, "x");
        assert_eq!(expected.len(), 256);
        for ((number, expected), code) in numbers.iter().zip(expected).zip(codes.iter()) {
            let found = (!number.is_nan()).then(|| number.to_bits());
            assert_eq!(found, expected, "{dtype}, code {code:#x}");
        }
    }
}

/// Weights in all layouts, with the row of the golden numbers' first.
const LAYOUTS: [(&str, usize); 9] = [
    ("block.weight", 126),
    ("row.weight", 0),
    ("flat.weight", 0),
    ("tensor.weight", 0),
    ("comfy.weight", 0),
    ("original.weight", 0),
    ("group.weight", 0),
    ("experts.up", 0),
    ("plain.weight", 0),
];

#[test]
fn scale_factors_are_applied_in_every_layout() {
    let golden = open("numbers/scaled-golden.safetensors");
    let file = open("numbers/scaled.safetensors");
    for (name, first) in LAYOUTS {
        let (_, expected) = read(&golden, name);
        let (shape, whole) = read(&file, name);
        let width: usize = shape[1..].iter().map(|side| *side as usize).product();
        let part = first * width..first * width + expected.len();
        assert_eq!(bits(&whole[part]), bits(&expected), "{name}");
        let tensor = block_on(file.locate(name)).expect(name);
        // Every range of rows, in single and double precision.
        let rows = shape[0];
        let ranges = (0..rows).flat_map(|start| [start..start + 1, start..rows, 0..start]);
        for rows in ranges {
            let cells = rows.start as usize * width..rows.end as usize * width;
            let read = block_on(file.read_rows(&tensor, rows.clone())).expect(name);
            assert_eq!(bits(&read), bits(&whole[cells]), "{name}, {rows:?}");
            let exact = block_on(file.read_exact_rows(&tensor, rows)).expect(name);
            assert!(
                exact
                    .iter()
                    .zip(&read)
                    .all(|(a, b)| *a == f64::from(*b) && exact.len() == read.len())
            );
        }
        let exact = block_on(file.read_exact(&tensor)).expect(name);
        assert!(exact.iter().zip(&whole).all(|(a, b)| *a == f64::from(*b)));
        assert_eq!(exact.len(), whole.len());
    }
    let tensors: Vec<_> = LAYOUTS
        .iter()
        .map(|(name, _)| block_on(file.locate(name)).expect("listed"))
        .collect();
    let together = block_on(file.read_many(&tensors.iter().collect::<Vec<_>>()));
    for (tensor, numbers) in tensors.iter().zip(together.expect("numbers")) {
        assert_eq!(bits(&numbers), bits(&read(&file, &tensor.name).1));
    }
}

#[test]
fn blocks_of_factors_agree_with_a_slow_loop() {
    let file = open("numbers/scaled.safetensors");
    let (_, scaled) = read(&file, "block.weight");
    let (_, factors) = read(&file, "block.weight_scale_inv");
    // The same bytes under a name without factors.
    let tensor = block_on(file.locate("block.weight")).expect("listed");
    let bare = TensorInfo {
        name: "bare".to_owned(),
        ..tensor
    };
    let stored = block_on(file.read(&bare)).expect("numbers");
    for (at, (scaled, stored)) in scaled.iter().zip(&stored).enumerate() {
        let factor = factors[at / 140 / 128 * 2 + at % 140 / 128];
        assert_eq!(scaled.to_bits(), (stored * factor).to_bits(), "cell {at}");
    }
}

#[test]
fn parts_of_a_tensor_and_tensors_of_another_shape_find_their_factors() {
    let file = open("numbers/scaled.safetensors");
    for (name, rows) in [
        ("block.weight", 126..130_u64),
        ("row.weight", 2..4),
        ("flat.weight", 3..6),
        ("comfy.weight", 1..2),
        ("group.weight", 1..3),
    ] {
        let (shape, whole) = read(&file, name);
        let tensor = block_on(file.locate(name)).expect(name);
        let part = TensorInfo {
            shape: vec![rows.end - rows.start, shape[1]],
            begin: tensor.begin + rows.start * shape[1],
            end: tensor.begin + rows.end * shape[1],
            ..tensor.clone()
        };
        let cells = (rows.start * shape[1]) as usize..(rows.end * shape[1]) as usize;
        let expected = bits(&whole[cells]);
        assert_eq!(bits(&block_on(file.read(&part)).expect(name)), expected);
        let last = part.shape[0] - 1;
        let row = block_on(file.read_rows(&part, last..last + 1)).expect(name);
        assert_eq!(bits(&row), expected[expected.len() - row.len()..], "{name}");
        // A model reads a table of one leading dimension without it.
        let deep = TensorInfo {
            shape: vec![shape[0], 1, shape[1]],
            ..tensor
        };
        let deep = block_on(Weights::read(&file, &deep)).expect(name);
        assert_eq!(bits(&deep), bits(&whole), "{name}");
    }
}

/// A file of an 8-bit weight of 4 × 6 and one tensor beside it.
fn with_factors(name: &str, dtype: &str, shape: &str, bytes: &[u8]) -> Vec<u8> {
    let end = 24 + bytes.len();
    let header = format!(
        r#"{{"a.weight":{{"dtype":"F8_E4M3","shape":[4,6],"data_offsets":[0,24]}},
        "{name}":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[24,{end}]}}}}"#
    );
    file(&header, &[&[0x38; 24], bytes].concat())
}

#[test]
fn factors_that_cannot_be_used_are_refused() {
    let ones = |count: usize| 1.0_f32.to_le_bytes().repeat(count);
    let cases: Vec<(&str, &str, &str, Vec<u8>, &str)> = vec![
        ("a.weight_scale", "F32", "[3]", ones(3), "that one is 3,"),
        ("a.weight_scale", "F32", "[2,3]", ones(6), "2 × 3"),
        ("a.weight_scale", "F32", "[1,6]", ones(6), "1 × 6"),
        ("a.weight_scale", "F32", "[4,4]", ones(16), "4 × 4"),
        ("a.weight_scale", "F32", "[24]", ones(24), "4 rows"),
        ("a.weight_scale_inv", "F32", "[0]", vec![], "that one is 0,"),
        ("a.weight_scale", "F32", "[0,1]", vec![], "0 × 1"),
        ("a.weight_scale", "F32", "[4,0]", vec![], "4 × 0"),
        (
            "a.scale_weight",
            "F32",
            "[1]",
            f32::NAN.to_le_bytes().to_vec(),
            "holds NaN",
        ),
        (
            "a.scale",
            "F32",
            "[]",
            f32::INFINITY.to_le_bytes().to_vec(),
            "holds inf",
        ),
        (
            "a.weight_scale",
            "F8_E8M0",
            "[4,1]",
            vec![127, 127, 255, 127],
            "holds NaN",
        ),
        ("a.weight_scale", "I32", "[1]", vec![0; 4], "holds I32"),
    ];
    for (name, dtype, shape, bytes, says) in cases {
        let file = open_bytes(with_factors(name, dtype, shape, &bytes)).expect("it opens");
        let tensor = block_on(file.locate("a.weight")).expect("listed");
        let by_rows = block_on(file.read_rows(&tensor, 0..4));
        for error in [block_on(file.read(&tensor)), by_rows] {
            let sentence = error.expect_err(shape).to_string();
            assert_is_sentence(&sentence);
            assert!(sentence.contains(says), "{name} {shape}: {sentence}");
        }
    }
    // One row that is finite is read, although another one's factor is not.
    let bytes = [1.0, 1.0, f32::NAN, 1.0].map(f32::to_le_bytes).concat();
    let file = open_bytes(with_factors("a.weight_scale", "F32", "[4]", &bytes)).expect("it opens");
    let tensor = block_on(file.locate("a.weight")).expect("listed");
    assert!(block_on(file.read_rows(&tensor, 0..2)).is_ok());
    // A cut off file is refused when it is opened.
    let whole = with_factors("a.weight_scale", "F32", "[4]", &bytes);
    let error = open_bytes(whole[..whole.len() - 1].to_vec()).expect_err("cut off");
    assert_is_sentence(&error.to_string());
    // Other types are not multiplied.
    let header = r#"{"a.weight":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},
        "a.weight_scale":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}"#;
    let plain = open_bytes(super::checkpoints::file(
        header,
        &[3.0, 2.0].map(f32::to_le_bytes).concat(),
    ));
    assert_eq!(read(&plain.expect("it opens"), "a.weight").1, [3.0]);
}

#[test]
fn blocks_have_the_size_that_a_configuration_states() {
    let config = Config::parse(r#"{"quantization_config":{"weight_block_size":[2,4]}}"#);
    let quantisation = config.expect("a configuration").quantisation();
    assert_eq!(quantisation.scale_block, Some([2, 4]));
    let other = Config::parse(r#"{"quantization_config":{"weight_block_size":[2]}}"#);
    let other = other.expect("a configuration").quantisation();
    assert_eq!(other.scale_block, None);
    let factors = [1.0_f32, 2.0, 3.0, 4.0];
    let bytes = factors.map(f32::to_le_bytes).concat();
    let bytes = with_factors("a.weight_scale_inv", "F32", "[2,2]", &bytes);
    let file = open_bytes(bytes.clone()).expect("it opens");
    let tensor = block_on(file.locate("a.weight")).expect("listed");
    let sentence = block_on(file.read(&tensor)).expect_err("no such blocks");
    assert!(sentence.to_string().contains("128 × 128"), "{sentence}");
    let file = open_bytes(bytes).expect("it opens");
    let file = file.with_quantisation(quantisation);
    let (_, numbers) = read(&file, "a.weight");
    assert_eq!(numbers.len(), 24);
    for (at, number) in numbers.iter().enumerate() {
        let factor = factors[at / 6 / 2 * 2 + at % 6 / 4];
        assert_eq!(number.to_bits(), factor.to_bits(), "cell {at}");
    }
    // A side of 0 is none.
    let file = file.with_quantisation(QuantisationSettings {
        scale_block: Some([0, 0]),
        ..QuantisationSettings::default()
    });
    assert!(block_on(file.read(&tensor)).is_err());
}

#[test]
fn two_sets_of_factors_are_refused() {
    let header = r#"{"a.weight":{"dtype":"F8_E5M2","shape":[2],"data_offsets":[0,2]},
        "a.weight_scale":{"dtype":"F32","shape":[1],"data_offsets":[2,6]},
        "a.scale_weight":{"dtype":"F32","shape":[1],"data_offsets":[6,10]}}"#;
    let file = open_bytes(file(header, &[0; 10])).expect("it opens");
    let tensor = block_on(file.locate("a.weight")).expect("listed");
    let sentence = block_on(file.read(&tensor))
        .expect_err("which?")
        .to_string();
    assert_is_sentence(&sentence);
    assert!(
        sentence.contains("weight_scale") && sentence.contains("scale_weight"),
        "{sentence}"
    );
}

#[test]
fn factors_in_a_file_that_is_not_here_are_asked_for() {
    let index = r#"{"weight_map":{"a.weight":"1.safetensors","a.weight_scale":"2.safetensors"}}"#;
    let index = ShardIndex::parse(index).expect("an index");
    let header = r#"{"a.weight":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}}"#;
    let shard = MemorySource::from(file(header, &[0x38, 0xb8]));
    let checkpoint = Checkpoint::from_shards(index, "two", [("1.safetensors".to_owned(), shard)]);
    let tensor = block_on(checkpoint.locate("a.weight")).expect("listed");
    let error = block_on(checkpoint.read(&tensor)).expect_err("no factors");
    assert!(error.to_string().contains("2.safetensors"), "{error}");
    let header = r#"{"a.weight_scale":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}"#;
    let shard = MemorySource::from(file(header, &0.5_f32.to_le_bytes()));
    checkpoint.offer("2.safetensors", shard).expect("it lacks");
    assert_eq!(read(&checkpoint, "a.weight").1, [0.5, -0.5]);
}

#[test]
fn rows_of_a_large_table_take_only_their_factors() {
    const ROWS: u64 = 1 << 20;
    const WIDTH: u64 = 4096;
    let table = ROWS * WIDTH;
    let header = format!(
        r#"{{"w.weight":{{"dtype":"F8_E4M3","shape":[{ROWS},{WIDTH}],"data_offsets":[0,{table}]}},
        "w.weight_scale":{{"dtype":"F32","shape":[{ROWS},1],"data_offsets":[{table},{}]}}}}"#,
        table + 4 * ROWS
    );
    // The data begin at a multiple of four, so that factors are the source's numbers.
    let header = format!("{header:<256}");
    let beginning = file(&header, &[]);
    let data = beginning.len() as u64;
    let source = Sparse::new(beginning, data + table + 4 * ROWS);
    let file = block_on(Checkpoint::open(source.clone(), "large")).expect("it opens");
    let tensor = block_on(file.locate("w.weight")).expect("listed");
    let bare = TensorInfo {
        name: "bare".to_owned(),
        ..tensor.clone()
    };
    let before = file.bytes_read();
    let rows: Range<u64> = 900_000..900_002;
    let scaled = block_on(file.read_rows(&tensor, rows.clone())).expect("rows");
    assert_eq!(file.bytes_read() - before, 2 * WIDTH + 2 * 4);
    let stored = block_on(file.read_rows(&bare, rows.clone())).expect("rows");
    for (at, (scaled, stored)) in scaled.iter().zip(&stored).enumerate() {
        let row = rows.start + at as u64 / WIDTH;
        let factor = Sparse::number(data + table + 4 * row);
        let expected = stored * factor;
        assert!(*scaled == expected || scaled.is_nan() && expected.is_nan());
    }
}

#[test]
fn blocks_of_gguf_are_decoded_as_by_gguf_py() {
    let golden = open("numbers/q8_0-golden.safetensors");
    let file = open("numbers/q8_0.gguf");
    assert_eq!(read(&file, "after").1, [0.0, 1.0, 2.0]);
    for name in ["quantised", "anything", "vector"] {
        let (expected_shape, expected) = read(&golden, name);
        let (shape, numbers) = read(&file, name);
        assert_eq!(
            (shape, bits(&numbers)),
            (expected_shape.clone(), bits(&expected)),
            "{name}"
        );
        let tensor = block_on(file.locate(name)).expect(name);
        let width = numbers.len() / expected_shape[0] as usize;
        for row in 0..expected_shape[0] {
            let rows = block_on(file.read_rows(&tensor, row..row + 1)).expect(name);
            let cells = row as usize * width..(row as usize + 1) * width;
            assert_eq!(bits(&rows), bits(&expected[cells]), "{name}, row {row}");
        }
        let exact = block_on(file.read_exact(&tensor)).expect(name);
        assert!(
            exact
                .iter()
                .zip(&expected)
                .all(|(a, b)| *a == f64::from(*b))
        );
    }
}

/// A GGUF file without metadata of one tensor of `Q8_0` with these dimensions, the fastest first.
fn gguf(dimensions: &[u64], bytes: &[u8]) -> Vec<u8> {
    let mut file = [&b"GGUF"[..], &3_u32.to_le_bytes()].concat();
    file.extend([1_u64, 0].map(u64::to_le_bytes).concat());
    file.extend([&1_u64.to_le_bytes()[..], b"x"].concat());
    file.extend((dimensions.len() as u32).to_le_bytes());
    file.extend(dimensions.iter().flat_map(|side| side.to_le_bytes()));
    file.extend([8_u32.to_le_bytes().to_vec(), 0_u64.to_le_bytes().to_vec()].concat());
    file.resize(file.len().next_multiple_of(32), 0);
    file.extend(bytes);
    file
}

#[test]
fn blocks_that_rows_do_not_fill_are_refused() {
    let good = open_bytes(gguf(&[32, 2], &[1; 68])).expect("it opens");
    assert_eq!(read(&good, "x").1.len(), 64);
    for dimensions in [&[40, 2][..], &[16, 4], &[33], &[1, 64], &[]] {
        let file = open_bytes(gguf(dimensions, &[1; 102])).expect("it opens");
        let tensor = block_on(file.locate("x")).expect("listed");
        let sentence = block_on(file.read(&tensor)).expect_err("refused");
        assert_is_sentence(&sentence.to_string());
        assert!(sentence.to_string().contains("blocks of 32"), "{sentence}");
    }
    for (dimensions, bytes) in [(&[32_u64, 2][..], 67_usize), (&[32, u64::MAX], 68)] {
        let sentence = open_bytes(gguf(dimensions, &vec![1; bytes])).expect_err("too short");
        assert_is_sentence(&sentence.to_string());
    }
}
