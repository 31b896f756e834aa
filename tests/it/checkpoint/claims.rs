//! Small files with huge claims: 4 GB, 2⁶² numbers, more dimensions than memory. Each gives an error message, or its
//! actual content, quickly and in little memory. On a 32-bit target, such as the worker, a claim beyond 32 bits must
//! not be truncated either.

use std::time::{Duration, Instant};

use diagonal::{
    checkpoint::{Checkpoint, MemorySource},
    model::{ModelOptions, PositionModel, tables},
};
use pollster::block_on;

use super::{
    fuzz::{around, memory_of, zip_archive},
    hostile::assert_is_sentence,
    pickle_parts::text,
};

/// Numbers around which sizes overflow or are truncated.
const CLAIMS: [u64; 8] = [
    1 << 31,
    (1 << 32) - 1,
    1 << 32,
    (1 << 32) + 2,
    4_000_000_000,
    1 << 40,
    1 << 62,
    i64::MAX as u64,
];

/// Tensor names by which models are recognised.
const NAMES: [&str; 4] = [
    "embeddings.position_embeddings.weight",
    "wpe.weight",
    "layer.0.kernel_offsets",
    "table",
];

fn int(number: u64) -> Vec<u8> {
    [b"\x8a\x08", &number.to_le_bytes()[..]].concat()
}

fn tuple(numbers: &[u64]) -> Vec<u8> {
    let numbers: Vec<u8> = numbers.iter().flat_map(|number| int(*number)).collect();
    [b"(", &numbers[..], b"t"].concat()
}

/// A pickle with one 32-bit float tensor.
fn pickle(name: &str, count: u64, offset: u64, shape: &[u64], strides: &[u64]) -> Vec<u8> {
    [
        b"\x80\x02}".to_vec(),
        text(name),
        b"ctorch._utils\n_rebuild_tensor_v2\n((".to_vec(),
        text("storage"),
        b"ctorch\nFloatStorage\n".to_vec(),
        text("0"),
        text("cpu"),
        int(count),
        b"tQ".to_vec(),
        int(offset),
        tuple(shape),
        tuple(strides),
        b"\x89ccollections\nOrderedDict\n)RtRs.".to_vec(),
    ]
    .concat()
}

fn safetensors(name: &str, shape: &[u64], bytes: u64) -> Vec<u8> {
    let header = serde_json::json!({
        name: {"dtype": "F32", "shape": shape, "data_offsets": [0, bytes]}
    });
    let header = header.to_string();
    [
        &(header.len() as u64).to_le_bytes()[..],
        header.as_bytes(),
        &[0; 64],
    ]
    .concat()
}

fn npy(shape: &[u64], fortran: bool) -> Vec<u8> {
    let lengths: Vec<String> = shape.iter().map(u64::to_string).collect();
    let order = if fortran { "True" } else { "False" };
    let lengths = lengths.join(", ");
    let header = format!("{{'descr': '<f4', 'fortran_order': {order}, 'shape': ({lengths},), }}\n");
    let length = (header.len() as u16).to_le_bytes();
    [
        b"\x93NUMPY\x01\x00",
        &length[..],
        header.as_bytes(),
        &[0; 64],
    ]
    .concat()
}

fn gguf(name: &str, shape: &[u64], offset: u64) -> Vec<u8> {
    let mut bytes = [b"GGUF\x03\0\0\0", &1_u64.to_le_bytes()[..], &[0; 8]].concat();
    bytes.extend((name.len() as u64).to_le_bytes());
    bytes.extend(name.as_bytes());
    bytes.extend((shape.len() as u32).to_le_bytes());
    bytes.extend(shape.iter().rev().flat_map(|length| length.to_le_bytes()));
    bytes.extend([0; 4]);
    bytes.extend(offset.to_le_bytes());
    bytes.resize(bytes.len() + 256, 0);
    bytes
}

/// Opens a file and asks all the page's questions of it.
fn use_it(bytes: Vec<u8>) {
    let checkpoint = match block_on(Checkpoint::open(MemorySource::from(bytes), "claims")) {
        Ok(checkpoint) => checkpoint,
        Err(error) => return assert_is_sentence(&error.to_string()),
    };
    for tensor in checkpoint.tensors() {
        let height = tensor.shape.first().copied().unwrap_or(0);
        for rows in [
            0..height.min(2),
            height.saturating_sub(1)..height,
            0..height,
        ] {
            match block_on(checkpoint.read_rows(tensor, rows)) {
                Ok(numbers) => assert!(numbers.len() <= 64, "{tensor:?}"),
                Err(error) => assert_is_sentence(&error.to_string()),
            }
        }
        match block_on(checkpoint.read(tensor)) {
            Ok(numbers) => assert!(numbers.len() <= 64, "{tensor:?}"),
            Err(error) => assert_is_sentence(&error.to_string()),
        }
    }
    let mut choices = vec![
        ModelOptions::default(),
        ModelOptions {
            heads: Some(3),
            ..ModelOptions::default()
        },
    ];
    choices.extend(
        tables(checkpoint.tensors())
            .into_iter()
            .map(|tensor| ModelOptions {
                table: Some(tensor.name.clone()),
                ..ModelOptions::default()
            }),
    );
    for choice in choices {
        let model = match block_on(PositionModel::open(&checkpoint, None, &choice)) {
            Ok(model) => model,
            Err(error) => {
                assert_is_sentence(&error.to_string());
                continue;
            }
        };
        if let Err(error) = block_on(model.read_layer(&checkpoint, 0)) {
            assert_is_sentence(&error.to_string());
        }
    }
}

fn judge(case: &str, bytes: Vec<u8>) {
    let begun = Instant::now();
    let allowed = (4 << 20) + 64 * bytes.len();
    let memory = memory_of(|| use_it(bytes));
    assert!(begun.elapsed() < Duration::from_secs(5), "{case}");
    assert!(memory < allowed, "{case}: {memory} bytes");
}

#[test]
fn tensors_that_claim_more_than_there_is_cost_nothing() {
    for claim in CLAIMS {
        let shapes: [&[u64]; 9] = [
            &[claim],
            &[claim, 2],
            &[2, claim],
            &[claim, claim],
            &[claim, 0],
            &[0, claim],
            &[claim, claim, 0],
            &[claim, 8, 0, claim],
            &[4, 4],
        ];
        for shape in shapes {
            for name in NAMES {
                let case = format!("{name} {shape:?}");
                let ones = vec![1; shape.len()];
                let nothing = vec![0; shape.len()];
                let strides = [ones, nothing, vec![claim; shape.len()]];
                for strides in strides {
                    for (count, offset) in [(16, 0), (claim, 0), (16, claim)] {
                        let pickle = pickle(name, count, offset, shape, &strides);
                        judge(&case, around(&pickle));
                    }
                }
                judge(&case, safetensors(name, shape, 0));
                judge(&case, safetensors(name, shape, 64));
                judge(&case, gguf(name, shape, 0));
                judge(&case, gguf(name, &[4, 4], claim));
                for fortran in [false, true] {
                    judge(&case, npy(shape, fortran));
                    let entry = format!("{name}.npy");
                    let array = npy(shape, fortran);
                    judge(&case, zip_archive(&[(&entry, &array, None)]));
                }
            }
        }
    }
}

#[test]
fn instructions_of_a_pickle_that_claim_gigabytes_are_refused() {
    for claim in CLAIMS {
        let (short, long) = (claim as u32, claim);
        let four = |code: u8| [&[code][..], &short.to_le_bytes()].concat();
        let eight = |code: u8| [&[code][..], &long.to_le_bytes()].concat();
        for instruction in [
            four(b'X'),
            four(b'T'),
            four(b'B'),
            four(0x8b),
            four(b'j'),
            [b"}", &four(b'r')[..]].concat(),
            eight(0x8d),
            eight(0x8e),
            eight(0x96),
            eight(0x95),
        ] {
            let pickle = [b"\x80\x04", &instruction[..], b"N."].concat();
            judge(&format!("{instruction:?}"), around(&pickle));
        }
    }
}

#[test]
fn counts_of_a_gguf_file_that_claim_gigabytes_are_refused() {
    for claim in CLAIMS {
        let number = claim.to_le_bytes();
        let none = 0_u64.to_le_bytes();
        let one = 1_u64.to_le_bytes();
        let front = b"GGUF\x03\0\0\0";
        let note = |kind: u8, rest: &[u8]| {
            let key = [&one[..], b"k", &[kind, 0, 0, 0]].concat();
            [front, &none[..], &one, &key, rest].concat()
        };
        for bytes in [
            [front, &number[..], &none].concat(),
            [front, &none[..], &number].concat(),
            [front, &none[..], &one, &number].concat(),
            note(8, &number),
            note(9, &[&[10, 0, 0, 0], &number[..]].concat()),
            note(9, &[&[8, 0, 0, 0], &number[..]].concat()),
            note(9, &[&[9, 0, 0, 0], &number[..]].concat()),
        ] {
            judge("gguf", bytes);
        }
    }
}

#[test]
fn entries_of_an_archive_that_claim_gigabytes_are_refused() {
    for claim in [u32::MAX, u32::MAX - 1, 1 << 31, 1 << 20] {
        judge("deflated", zip_archive(&[("x.npy", &[3, 0], Some(claim))]));
        judge(
            "pickle",
            zip_archive(&[("m/data.pkl", &[3, 0], Some(claim))]),
        );
    }
}
