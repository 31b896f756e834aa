//! Blocks of GGUF and packed weights, against gguf-py, AutoAWQ, AutoGPTQ and bitsandbytes (`tests/data/make/quantised.py`).

use std::collections::BTreeMap;

use diagonal::checkpoint::{
    Checkpoint, Dtype, MemorySource, QuantisationSettings, ShardIndex, TensorInfo,
};
use pollster::block_on;

use super::{
    formats::{open, read},
    hostile::assert_is_sentence,
    quantised_damage::{tensors, write},
};

/// Bits of numbers, with one pattern for every NaN.
fn bits(numbers: &[f32]) -> Vec<u32> {
    let bits = |number: &f32| match number.is_nan() {
        true => u32::MAX,
        false => number.to_bits(),
    };
    numbers.iter().map(bits).collect()
}

/// Compares every way to read a tensor with its numbers.
fn is_read(file: &Checkpoint<MemorySource>, name: &str, expected: &[f32]) {
    let (shape, whole) = read(file, name);
    assert_eq!(bits(&whole), bits(expected), "{name}");
    let tensor = block_on(file.locate(name)).expect(name);
    let width = whole.len() / shape[0] as usize;
    let rows = shape[0];
    let mut ranges = vec![0..0, 0..rows, rows - 1..rows, rows..rows];
    ranges.extend((0..rows.min(40)).flat_map(|row| [row..row + 1, row / 2..row]));
    for rows in ranges {
        let cells = rows.start as usize * width..rows.end as usize * width;
        let part = block_on(file.read_rows(&tensor, rows.clone())).expect(name);
        assert_eq!(bits(&part), bits(&whole[cells]), "{name}, {rows:?}");
        let exact = block_on(file.read_exact_rows(&tensor, rows)).expect(name);
        assert!(
            exact
                .iter()
                .zip(&part)
                .all(|(a, b)| { *a == f64::from(*b) || a.is_nan() && b.is_nan() })
        );
        assert_eq!(exact.len(), part.len());
    }
    assert_eq!(
        block_on(file.read_exact(&tensor)).expect(name).len(),
        whole.len()
    );
    let sentence = block_on(file.read_rows(&tensor, 0..rows + 1)).expect_err("too many rows");
    assert_is_sentence(&sentence.to_string());
}

#[test]
fn every_type_of_blocks_is_decoded_as_by_gguf_py() {
    let golden = open("numbers/blocks-golden.safetensors");
    let file = open("numbers/blocks.gguf");
    let names: Vec<&str> = file.names().collect();
    assert_eq!(names, golden.names().collect::<Vec<_>>());
    assert_eq!(names.len(), 13);
    for name in names {
        let tensor = block_on(file.locate(name)).expect(name);
        let Dtype::Blocks(block) = tensor.dtype else {
            panic!("{name}: {:?}", tensor.dtype);
        };
        assert_eq!((block.name(), &tensor.shape[..]), (name, &[3, 512][..]));
        assert_eq!(tensor.bytes(), 3 * 512 / block.numbers() * block.bytes());
        is_read(&file, name, &read(&golden, name).1);
    }
}

#[test]
fn parts_of_tensors_of_blocks_are_read_alone() {
    let file = open("numbers/blocks.gguf");
    for name in file.names() {
        let (_, whole) = read(&file, name);
        let tensor = block_on(file.locate(name)).expect(name);
        let row = tensor.bytes() / 3;
        let part = TensorInfo {
            shape: vec![2, 512],
            begin: tensor.begin + row,
            ..tensor
        };
        let numbers = block_on(file.read(&part)).expect(name);
        assert_eq!(bits(&numbers), bits(&whole[512..]), "{name}");
        // A part of other sizes than its shape says is refused.
        let odd = TensorInfo {
            end: part.end - 1,
            ..part
        };
        let sentence = block_on(file.read(&odd))
            .expect_err("not whole")
            .to_string();
        assert_is_sentence(&sentence);
    }
}

#[test]
fn packed_weights_are_read_as_by_their_libraries() {
    let golden = open("numbers/packed-golden.safetensors");
    let file = open("numbers/packed.safetensors");
    let expected = [
        ("awq.large", "AWQ, 4 bits"),
        ("awq.small", "AWQ, 4 bits"),
        ("fp4.half", "bitsandbytes FP4"),
        ("gptq.eight", "GPTQ, 8 bits"),
        ("gptq.four", "GPTQ, 4 bits"),
        ("gptq.order", "GPTQ, 4 bits"),
        ("gptq.plain", "GPTQ, 4 bits"),
        ("gptq.single", "GPTQ, 4 bits"),
        ("gptq.two", "GPTQ, 2 bits"),
        ("nf4.bfloat", "bitsandbytes NF4"),
        ("nf4.half", "bitsandbytes NF4"),
        ("nf4.nested", "bitsandbytes NF4"),
        ("nf4.single", "bitsandbytes NF4"),
    ];
    assert_eq!(golden.names().len(), expected.len());
    for (stem, method) in expected {
        let name = format!("{stem}.weight");
        assert!(file.has(&name), "{name}");
        let (shape, numbers) = read(&golden, &name);
        let tensor = block_on(file.locate(&name)).expect(stem);
        assert_eq!((tensor.dtype.name(), &tensor.shape), (method, &shape));
        is_read(&file, &name, &numbers);
    }
    // Together with others, in any order.
    let names = [
        "nf4.nested.weight",
        "gptq.four.scales",
        "awq.small.weight",
        "gptq.four.weight",
    ];
    let tensors: Vec<_> = names
        .iter()
        .map(|name| block_on(file.locate(name)).expect(name))
        .collect();
    let together = block_on(file.read_many(&tensors.iter().collect::<Vec<_>>())).expect("numbers");
    for (name, numbers) in names.iter().zip(together) {
        assert_eq!(bits(&numbers), bits(&read(&file, name).1), "{name}");
    }
}

#[test]
fn parts_of_packed_weights_are_ranges_of_their_numbers() {
    let file = open("numbers/packed.safetensors");
    for name in [
        "nf4.single.weight",
        "nf4.nested.weight",
        "gptq.order.weight",
        "awq.large.weight",
    ] {
        let (shape, whole) = read(&file, name);
        let tensor = block_on(file.locate(name)).expect(name);
        let rows = 1..shape[0] - 1;
        let part = TensorInfo {
            shape: vec![rows.end - rows.start, shape[1]],
            begin: tensor.begin + rows.start * shape[1],
            end: tensor.begin + rows.end * shape[1],
            ..tensor.clone()
        };
        let cells = (rows.start * shape[1]) as usize..(rows.end * shape[1]) as usize;
        let expected = bits(&whole[cells]);
        assert_eq!(bits(&block_on(file.read(&part)).expect(name)), expected);
        let last = block_on(file.read_rows(&part, 1..2)).expect(name);
        assert_eq!(
            bits(&last),
            expected[shape[1] as usize..2 * shape[1] as usize]
        );
        // Numbers beyond the weight are refused.
        let beyond = TensorInfo {
            end: tensor.end + shape[1],
            ..tensor
        };
        assert_is_sentence(
            &block_on(file.read(&beyond))
                .expect_err("beyond")
                .to_string(),
        );
    }
}

#[test]
fn zero_points_are_whole_in_the_second_version_of_gptq() {
    let settings = QuantisationSettings {
        has_whole_zeros: true,
        ..QuantisationSettings::default()
    };
    let file = open("numbers/gptq-v2.safetensors");
    let (_, golden) = read(&file, "golden");
    assert_ne!(bits(&read(&file, "two.weight").1), bits(&golden));
    let file = file.with_quantisation(settings);
    is_read(&file, "two.weight", &golden);
}

#[test]
fn a_packed_weight_may_lie_in_several_shards() {
    let whole = tensors();
    let (mut first, mut second) = (whole.clone(), whole);
    first.retain(|name, _| !name.ends_with("scales") && !name.ends_with("absmax"));
    second.retain(|name, _| name.ends_with("scales") || name.ends_with("absmax"));
    let files = [("a.safetensors", first), ("b.safetensors", second)];
    let map: BTreeMap<&str, &str> = (files.iter())
        .flat_map(|(file, tensors)| tensors.keys().map(|name| (name.as_str(), *file)))
        .collect();
    let index = serde_json::json!({ "weight_map": map }).to_string();
    let index = ShardIndex::parse(&index).expect("an index");
    let sources =
        files.map(|(name, tensors)| (name.to_owned(), MemorySource::from(write(&tensors))));
    let [a, b] = sources;
    let file = Checkpoint::from_shards(index, "shards", [a]);
    assert!(file.has("gptq.four.weight"));
    let sentence = block_on(file.locate("gptq.four.weight"))
        .expect_err("no factors yet")
        .to_string();
    assert!(sentence.contains("b.safetensors"), "{sentence}");
    file.offer(&b.0, b.1).expect("a shard");
    let golden = open("numbers/packed-golden.safetensors");
    for name in ["gptq.four.weight", "nf4.nested.weight", "awq.small.weight"] {
        is_read(&file, name, &read(&golden, name).1);
    }
}
