//! Every format reads back the numbers written to it: the same weights in one format and in another, and how little of
//! each is read.

use crate::support::root;
use diagonal::{
    checkpoint::{Checkpoint, MemorySource, Order, ShardIndex},
    model::{ModelOptions, PositionModel, SCALED_NUMBERS},
};
use pollster::block_on;

/// Reads a file of the test data.
pub(crate) fn data(path: &str) -> Vec<u8> {
    let path = root().join(format!("tests/data/{path}"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) fn open(path: &str) -> Checkpoint<MemorySource> {
    let opened = block_on(Checkpoint::open(MemorySource::from(data(path)), path));
    opened.unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Opens all shards of a folder.
fn open_shards(folder: &str, index: &str) -> Checkpoint<MemorySource> {
    let text = data(&format!("{folder}/{index}"));
    let text = String::from_utf8(text).expect("an index is text");
    let index = ShardIndex::parse(&text).expect("an index");
    let files: Vec<_> = index
        .files
        .iter()
        .map(|file| (file.clone(), data(&format!("{folder}/{file}")).into()))
        .collect();
    Checkpoint::from_shards(index, folder, files)
}

pub(crate) fn read<S: diagonal::checkpoint::ByteSource>(
    checkpoint: &Checkpoint<S>,
    name: &str,
) -> (Vec<u64>, Vec<f32>) {
    let tensor = block_on(checkpoint.locate(name)).unwrap_or_else(|error| panic!("{error}"));
    let numbers = block_on(checkpoint.read(&tensor)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(numbers.len() as u64, tensor.shape.iter().product::<u64>());
    (tensor.shape, numbers)
}

pub(crate) fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

/// Checks that every tensor of `ours` is in `theirs`, under another name: shapes, and numbers to the bit.
fn assert_same(
    ours: &Checkpoint<MemorySource>,
    theirs: &Checkpoint<MemorySource>,
    name: impl Fn(&str) -> String,
) {
    let mut compared = 0;
    for theirs_name in theirs.names() {
        let (shape, numbers) = read(ours, &name(theirs_name));
        let (expected_shape, expected) = read(theirs, theirs_name);
        assert_eq!(shape, expected_shape, "{theirs_name}");
        assert_eq!(bits(&numbers), bits(&expected), "{theirs_name}");
        compared += 1;
    }
    assert!(compared > 20, "only {compared} tensors were compared");
}

#[test]
fn a_pickle_holds_what_safetensors_hold() {
    let pickle = open("bert-pickle/pytorch_model.bin");
    assert_same(&pickle, &open("bert/model.safetensors"), str::to_owned);
    assert_same(
        &open_shards("bert-sharded", "model.safetensors.index.json"),
        &pickle,
        str::to_owned,
    );
}

#[test]
fn every_way_torch_saves_gives_the_same() {
    let legacy = open("torch-legacy/pytorch_model.bin");
    let zipped = open_shards("torch-sharded", "pytorch_model.bin.index.json");
    assert_same(&zipped, &legacy, str::to_owned);
    assert_same(&legacy, &zipped, str::to_owned);

    // bfloat16: each number is the 32-bit one without its last sixteen bits.
    let half = open("torch-bf16/pytorch_model.bin");
    assert_eq!(half.names().len(), legacy.names().len());
    for name in half.names() {
        let (rounded, exact) = (read(&half, name).1, read(&legacy, name).1);
        let near = |(a, b): (&f32, &f32)| (a - b).abs() <= b.abs() / 256.0;
        assert!(rounded.iter().zip(&exact).all(near), "{name}");
    }
}

#[test]
fn a_training_checkpoint_is_read_through_its_containers() {
    let training = open("torch-training/checkpoint.pt");
    let legacy = open("torch-legacy/pytorch_model.bin");
    assert_same(&training, &legacy, |name| format!("model.{name}"));
    // One of its matrices is stored transposed, two share a storage; the optimizer's state is there too.
    let orders: Vec<Order> = training.tensors().iter().map(|t| t.order).collect();
    assert!(orders.contains(&Order::ColumnMajor));
    assert!(
        training
            .names()
            .any(|name| name.starts_with("optimizer.state."))
    );
    let locate = |name: &str| block_on(training.locate(name)).expect("it is there");
    let (query, key) = (
        locate("model.encoder.layer.0.attention.self.query.weight"),
        locate("model.encoder.layer.0.attention.self.key.weight"),
    );
    assert_eq!(
        query.end.min(key.end),
        query.begin.max(key.begin),
        "they share a storage"
    );
}

#[test]
fn numpy_arrays_of_every_order_and_width_are_one_table() {
    let exact = read(&open("numpy/f8-c.npy"), "array").1;
    for (file, tolerance) in [
        ("f2-c", 1e-3),
        ("f2-fortran", 1e-3),
        ("f4-c", 1e-6),
        ("f4-fortran", 1e-6),
        ("f4-big-endian", 1e-6),
        ("f8-fortran", 0.0),
    ] {
        let (shape, table) = read(&open(&format!("numpy/{file}.npy")), "array");
        assert_eq!(shape, [40, 16]);
        let near = |(a, b): (&f32, &f32)| (a - b).abs() <= tolerance * b.abs().max(0.1);
        assert!(table.iter().zip(&exact).all(near), "{file}");
    }
}

/// An NPY file with these bytes and NumPy type.
fn npy(descr: &str, shape: &str, numbers: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let length = (text.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], text.as_bytes(), numbers].concat()
}

#[test]
fn big_endian_floats_are_the_numbers_that_were_saved() {
    let saved = [1.5_f64, -2.25, 0.0, 1024.0];
    let halves = [0x3e00_u16, 0xc080, 0, 0x6400]
        .map(u16::to_be_bytes)
        .concat();
    for (descr, bytes) in [
        (">f8", saved.map(f64::to_be_bytes).concat()),
        (
            ">f4",
            saved.map(|number| (number as f32).to_be_bytes()).concat(),
        ),
        (">f2", halves),
    ] {
        let file = crate::checkpoint::checkpoints::open(npy(descr, "(2, 2)", &bytes)).expect(descr);
        let numbers = block_on(file.read_exact(file.tensors()[0])).expect(descr);
        assert_eq!(numbers, saved, "{descr}");
    }
    // A table beyond the range of single precision is scaled.
    let table: Vec<u8> = (0..32)
        .flat_map(|at| (1e100 * f64::from(at * at % 7 - 3)).to_be_bytes())
        .collect();
    let file = crate::checkpoint::checkpoints::open(npy(">f8", "(8, 4)", &table)).expect("a table");
    let choice = ModelOptions {
        table: Some(file.tensors()[0].name.clone()),
        ..ModelOptions::default()
    };
    let model = block_on(PositionModel::open(&file, None, &choice)).expect("a table");
    assert!(model.notes.iter().any(|note| note.title == SCALED_NUMBERS));
    assert!(
        model
            .table()
            .expect("a table")
            .iter()
            .all(|number| number.abs() <= 4.0)
    );
    // Integers are not read as floats, in either byte order.
    let file =
        crate::checkpoint::checkpoints::open(npy(">i4", "(1,)", &[0, 0, 0, 1])).expect("an array");
    let error = block_on(file.read(file.tensors()[0])).expect_err("refused");
    assert!(error.to_string().contains(">i4"), "{error}");
}

#[test]
fn floats_of_eight_bits_are_exact() {
    let read = |dtype: &str, bytes: &[u8]| {
        let header = format!(
            r#"{{"x":{{"dtype":"{dtype}","shape":[{0}],"data_offsets":[0,{0}]}}}}"#,
            bytes.len()
        );
        let file = crate::checkpoint::checkpoints::open(crate::checkpoint::checkpoints::file(
            &header, bytes,
        ))
        .expect(dtype);
        block_on(file.read(file.tensors()[0])).expect(dtype)
    };
    // The examples of the defining papers: largest, smallest normal, smallest subnormal, one.
    let e4m3 = read("F8_E4M3", &[0x7e, 0x08, 0x01, 0x38, 0xb8, 0x00, 0x07]);
    assert_eq!(
        e4m3,
        [
            448.0,
            2_f32.powi(-6),
            2_f32.powi(-9),
            1.0,
            -1.0,
            0.0,
            7.0 * 2_f32.powi(-9)
        ]
    );
    let e5m2 = read("F8_E5M2", &[0x7b, 0x04, 0x01, 0x3c, 0xbc, 0x7c, 0xfc]);
    let infinite = [f32::INFINITY, f32::NEG_INFINITY];
    assert_eq!(
        e5m2[..5],
        [57344.0, 2_f32.powi(-14), 2_f32.powi(-16), 1.0, -1.0]
    );
    assert_eq!(e5m2[5..], infinite);
    let fnuz = read("F8_E4M3FNUZ", &[0x7f, 0x08, 0x01, 0x40, 0xc0]);
    assert_eq!(fnuz, [240.0, 2_f32.powi(-7), 2_f32.powi(-10), 1.0, -1.0]);
    let fnuz = read("F8_E5M2FNUZ", &[0x7f, 0x04, 0x01, 0x40, 0xc0]);
    assert_eq!(fnuz, [57344.0, 2_f32.powi(-15), 2_f32.powi(-17), 1.0, -1.0]);
    for (dtype, nan) in [
        ("F8_E4M3", 0x7f),
        ("F8_E4M3", 0xff),
        ("F8_E5M2", 0x7d),
        ("F8_E4M3FNUZ", 0x80),
        ("F8_E5M2FNUZ", 0x80),
    ] {
        assert!(read(dtype, &[nan])[0].is_nan(), "{dtype}");
    }
}

#[test]
fn archives_of_arrays_are_read_stored_and_compressed() {
    let (stored, compressed) = (open("numpy/stored.npz"), open("numpy/compressed.npz"));
    let names: Vec<&str> = stored.names().collect();
    assert!(
        names.len() >= 3 && names.iter().all(|name| !name.contains('.')),
        "{names:?}"
    );
    assert_eq!(names, compressed.names().collect::<Vec<_>>());
    for name in ["positions", "query", "key"] {
        let (a, b) = (read(&stored, name), read(&compressed, name));
        assert_eq!((a.0, bits(&a.1)), (b.0, bits(&b.1)), "{name}");
        let tensor = compressed.tensor(name).expect("listed");
        assert!(tensor.begin >= compressed.size(), "it lies behind the file");
        let rows = block_on(compressed.read_rows(tensor, 1..3)).expect("rows");
        let row = b.1.len() / tensor.shape[0] as usize;
        assert_eq!(bits(&rows), bits(&b.1[row..3 * row]), "{name}");
    }
}

#[test]
fn gguf_gives_its_floats_and_its_blocks() {
    let gguf = open("gguf/model.gguf");
    let legacy = open("torch-legacy/pytorch_model.bin");
    let (shape, words) = read(&gguf, "token_embd.weight");
    let (expected_shape, expected) = read(&legacy, "embeddings.word_embeddings.weight");
    assert_eq!(shape, expected_shape);
    let near = |(a, b): (&f32, &f32)| (a - b).abs() <= b.abs().max(0.01) / 256.0;
    assert!(words.iter().zip(&expected).all(near));
    assert_eq!(gguf.metadata()["general.architecture"], "bert");
    let tensors = gguf.tensors();
    let quantised: Vec<_> = tensors
        .iter()
        .filter(|t| t.dtype.name() == "Q8_0")
        .collect();
    let [quantised] = quantised[..] else {
        panic!("{} are quantised", quantised.len());
    };
    // 34 bytes for 32 numbers.
    let numbers: u64 = quantised.shape.iter().product();
    assert_eq!(quantised.bytes(), numbers / 32 * 34);
    let (shape, rounded) = read(&gguf, &quantised.name);
    let (expected_shape, expected) = read(&legacy, "encoder.layer.1.attention.self.query.weight");
    assert_eq!(shape, expected_shape);
    // A block's integers reach from −127 to 127. Numbers are BF16 before, and the factor is F16.
    for (rounded, expected) in rounded.chunks(32).zip(expected.chunks(32)) {
        let largest = expected
            .iter()
            .fold(0.0_f32, |most, number| most.max(number.abs()));
        let near = |(a, b): (&f32, &f32)| (a - b).abs() <= b.abs() / 256.0 + largest / 220.0;
        assert!(rounded.iter().zip(expected).all(near));
    }
}
