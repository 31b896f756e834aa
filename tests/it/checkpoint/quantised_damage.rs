//! Damaged packed weights and 8-bit floats: each fault gets a sentence.

use std::collections::BTreeMap;

use diagonal::checkpoint::QuantisationSettings;
use pollster::block_on;
use safetensors::tensor::{Dtype as StoredType, SafeTensors, TensorView};

use super::{
    checkpoints::open as open_bytes,
    formats::{data, read},
    hostile::assert_is_sentence,
};

pub(super) type Tensors = BTreeMap<String, (StoredType, Vec<usize>, Vec<u8>)>;

/// The packed weights of the test data.
pub(super) fn tensors() -> Tensors {
    let bytes = data("numbers/packed.safetensors");
    let file = SafeTensors::deserialize(&bytes).expect("tensors");
    let stored = |view: TensorView<'_>| (view.dtype(), view.shape().to_vec(), view.data().to_vec());
    let all = file.tensors().into_iter();
    all.map(|(name, view)| (name, stored(view))).collect()
}

pub(super) fn write(tensors: &Tensors) -> Vec<u8> {
    let views = tensors.iter().map(|(name, (dtype, shape, bytes))| {
        (
            name,
            TensorView::new(*dtype, shape.clone(), bytes).expect("a fitting view"),
        )
    });
    safetensors::serialize(views, None).expect("written")
}

/// The sentence about a weight of a file that was changed.
fn sentence_about(stem: &str, change: impl FnOnce(&mut Tensors)) -> String {
    let mut all = tensors();
    change(&mut all);
    let file = open_bytes(write(&all)).expect("it opens");
    let name = format!("{stem}.weight");
    let read = block_on(file.locate(&name)).and_then(|tensor| block_on(file.read(&tensor)));
    let sentence = read.expect_err(stem).to_string();
    assert_is_sentence(&sentence);
    assert!(sentence.contains(&name), "{sentence}");
    sentence
}

#[test]
fn missing_companions_are_named() {
    for (stem, companion) in [
        ("gptq.four", "gptq.four.qzeros"),
        ("gptq.four", "gptq.four.scales"),
        ("awq.small", "awq.small.qzeros"),
        ("nf4.half", "nf4.half.weight.absmax"),
        ("nf4.half", "nf4.half.weight.quant_map"),
        ("nf4.half", "nf4.half.weight.quant_state.bitsandbytes__nf4"),
        ("nf4.nested", "nf4.nested.weight.nested_absmax"),
        ("nf4.nested", "nf4.nested.weight.nested_quant_map"),
    ] {
        let sentence = sentence_about(stem, |all| drop(all.remove(companion)));
        assert!(sentence.contains(companion), "{companion}: {sentence}");
    }
}

#[test]
fn packed_tensors_that_do_not_fit_are_refused() {
    let set = |name: &'static str, dtype: StoredType, shape: &'static [usize]| {
        move |all: &mut Tensors| {
            let bits = dtype.bitsize() * shape.iter().product::<usize>();
            let tensor = (dtype, shape.to_vec(), vec![0; bits / 8]);
            assert!(all.insert(name.to_owned(), tensor).is_some(), "{name}");
        }
    };
    use StoredType::{F16, F32, I32, I64, U8};
    for (stem, name, dtype, shape, says) in [
        ("gptq.four", "gptq.four.qweight", I64, &[8, 24][..], "I64"),
        ("gptq.four", "gptq.four.qweight", I32, &[192], "do not fit"),
        (
            "gptq.four",
            "gptq.four.qweight",
            I32,
            &[8, 23],
            "do not fit",
        ),
        (
            "gptq.four",
            "gptq.four.qweight",
            I32,
            &[0, 24],
            "do not fit",
        ),
        ("gptq.four", "gptq.four.qzeros", I32, &[4, 0], "do not fit"),
        ("gptq.four", "gptq.four.qzeros", I32, &[4, 9], "12 bits"),
        ("gptq.two", "gptq.two.qzeros", I32, &[2, 2], "32 inputs"),
        ("gptq.four", "gptq.four.scales", F16, &[0, 24], "do not fit"),
        ("gptq.four", "gptq.four.scales", F16, &[4, 0], "do not fit"),
        ("gptq.four", "gptq.four.scales", I32, &[4, 24], "I32"),
        ("gptq.four", "gptq.four.g_idx", I32, &[63], "63"),
        ("gptq.four", "gptq.four.g_idx", I64, &[64], "I64"),
        (
            "awq.small",
            "awq.small.qweight",
            I32,
            &[32, 23],
            "do not fit",
        ),
        ("nf4.half", "nf4.half.weight", U8, &[239, 1], "239 bytes"),
        ("nf4.half", "nf4.half.weight", U8, &[248, 1], "248 bytes"),
        (
            "nf4.half",
            "nf4.half.weight.absmax",
            F32,
            &[7],
            "needs 8 of F32",
        ),
        (
            "nf4.half",
            "nf4.half.weight.quant_map",
            F32,
            &[15],
            "needs 16 of F32",
        ),
        (
            "nf4.nested",
            "nf4.nested.weight.nested_absmax",
            F32,
            &[0],
            "needs 2 of F32",
        ),
        (
            "nf4.nested",
            "nf4.nested.weight.nested_quant_map",
            F16,
            &[256],
            "needs 256 of F32",
        ),
    ] {
        let sentence = sentence_about(stem, set(name, dtype, shape));
        assert!(sentence.contains(says), "{name} {shape:?}: {sentence}");
    }
}

#[test]
fn packed_values_that_cannot_be_used_are_refused() {
    let replace = |name: &'static str, at: usize, bytes: Vec<u8>| {
        move |all: &mut Tensors| {
            let tensor = all.get_mut(name).expect(name);
            tensor.2[at..at + bytes.len()].copy_from_slice(&bytes);
        }
    };
    let int = |number: i32| number.to_le_bytes().to_vec();
    let float = |number: f32| number.to_le_bytes().to_vec();
    for (stem, name, at, bytes, says) in [
        (
            "gptq.four",
            "gptq.four.g_idx",
            8,
            int(4),
            "input 2 into group 4, and there are 4",
        ),
        (
            "gptq.four",
            "gptq.four.g_idx",
            0,
            int(-1),
            "input 0 into group -1",
        ),
        (
            "gptq.four",
            "gptq.four.scales",
            0,
            vec![0, 0x7c],
            "holds inf",
        ),
        (
            "nf4.half",
            "nf4.half.weight.absmax",
            4,
            float(f32::NAN),
            "holds NaN",
        ),
        (
            "nf4.half",
            "nf4.half.weight.quant_map",
            0,
            float(f32::INFINITY),
            "holds inf",
        ),
        (
            "nf4.nested",
            "nf4.nested.weight.nested_absmax",
            0,
            float(f32::NAN),
            "holds NaN",
        ),
    ] {
        let sentence = sentence_about(stem, replace(name, at, bytes));
        assert!(sentence.contains(says), "{name}: {sentence}");
    }
    // The state of bitsandbytes, key by key.
    let good = serde_json::json!({"quant_type": "nf4", "blocksize": 64, "dtype": "float16", "shape": [6, 80]});
    let state = "nf4.half.weight.quant_state.bitsandbytes__nf4";
    for (key, value, says) in [
        ("quant_type", serde_json::json!("int4"), "“int4”"),
        ("blocksize", serde_json::json!(0), "blocksize is 0"),
        ("blocksize", serde_json::json!(-64), "quant_state"),
        ("dtype", serde_json::json!("int8"), "int8"),
        ("shape", serde_json::json!([]), "0 dimensions"),
        ("shape", serde_json::json!([0, 80]), "0 × 80"),
        ("shape", serde_json::json!([6, u64::MAX]), "its shape is"),
        ("shape", serde_json::json!([6, 81]), "needs 243"),
        ("shape", serde_json::json!([1_u64 << 40, 80]), "at once"),
        ("shape", serde_json::json!("6, 80"), "quant_state"),
        (
            "nested_blocksize",
            serde_json::json!(1),
            "nested_blocksize is 1",
        ),
    ] {
        let mut changed = good.clone();
        changed[key] = value;
        let text = changed.to_string().into_bytes();
        let sentence = sentence_about("nf4.half", |all| {
            all.insert(state.to_owned(), (StoredType::U8, vec![text.len()], text));
        });
        assert!(sentence.contains(says), "{key}: {sentence}");
    }
    for text in [Vec::new(), b"{}".to_vec(), vec![0xff; 12], vec![b' '; 5000]] {
        sentence_about("nf4.half", |all| {
            all.insert(state.to_owned(), (StoredType::U8, vec![text.len()], text));
        });
    }
    // Without a nested offset.
    let text = serde_json::json!({"quant_type": "nf4", "blocksize": 64, "dtype": "bfloat16", "shape": [160, 128]});
    let text = text.to_string().into_bytes();
    let sentence = sentence_about("nf4.nested", |all| {
        let state = state.replace("half", "nested");
        all.insert(state, (StoredType::U8, vec![text.len()], text));
    });
    assert!(sentence.contains("nested_offset"), "{sentence}");
}

#[test]
fn groups_that_nothing_assigns_need_a_size_that_fits() {
    // 48 inputs in 5 groups.
    let change = |all: &mut Tensors| {
        for (name, shape, size) in [("scales", [5, 8], 2), ("qzeros", [5, 1], 4)] {
            let tensor = all.get_mut(&format!("gptq.plain.{name}")).expect(name);
            tensor.1 = shape.to_vec();
            tensor.2.resize(shape[0] * shape[1] * size, 0);
        }
    };
    let sentence = sentence_about("gptq.plain", change);
    assert!(sentence.contains("48 inputs are in 5 groups"), "{sentence}");
    let mut all = tensors();
    change(&mut all);
    for (size, fits) in [(10, true), (12, false), (0, false), (u32::MAX, false)] {
        let settings = QuantisationSettings {
            group_size: Some(size),
            ..QuantisationSettings::default()
        };
        let file = open_bytes(write(&all))
            .expect("it opens")
            .with_quantisation(settings);
        let located = block_on(file.locate("gptq.plain.weight"));
        assert_eq!(located.is_ok(), fits, "{size}: {located:?}");
    }
}

#[test]
fn a_weight_that_is_stored_as_it_is_counts_before_a_packed_one() {
    let mut all = tensors();
    let bytes = [1.0_f32, 2.0].map(f32::to_le_bytes).concat();
    all.insert(
        "gptq.four.weight".to_owned(),
        (StoredType::F32, vec![2], bytes),
    );
    let file = open_bytes(write(&all)).expect("it opens");
    assert_eq!(read(&file, "gptq.four.weight").1, [1.0, 2.0]);
}

#[test]
fn missing_scale_factors_are_named_where_there_should_be_some() {
    let weight = |name: &str| {
        let tensor = (StoredType::F8_E4M3, vec![2, 4], vec![0x38; 8]);
        (name.to_owned(), tensor)
    };
    let names = ["a.0.q.weight", "a.1.q.weight"];
    let plain: Tensors = names.map(weight).into();
    // A file of 8-bit floats alone is whole.
    let file = open_bytes(write(&plain)).expect("it opens");
    assert_eq!(read(&file, names[0]).1, [1.0; 8]);
    // Unless its configuration says otherwise.
    let file = open_bytes(write(&plain)).expect("it opens");
    let file = file.with_quantisation(QuantisationSettings {
        method: Some("fp8".to_owned()),
        ..QuantisationSettings::default()
    });
    // Or another layer has factors.
    let mut scaled = plain.clone();
    let factor = 0.5_f32.to_le_bytes().to_vec();
    scaled.insert(
        "a.1.q.weight_scale_inv".to_owned(),
        (StoredType::F32, vec![1], factor),
    );
    let other = open_bytes(write(&scaled)).expect("it opens");
    assert_eq!(read(&other, names[1]).1, [0.5; 8]);
    for file in [file, other] {
        let tensor = block_on(file.locate(names[0])).expect("listed");
        let sentence = block_on(file.read(&tensor))
            .expect_err("no factors")
            .to_string();
        assert_is_sentence(&sentence);
        assert!(sentence.contains("a.0.q.weight_scale_inv"), "{sentence}");
        assert!(sentence.contains("F8_E4M3"), "{sentence}");
    }
}
