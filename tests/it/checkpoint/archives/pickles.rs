//! Pickles that construct more than tensors, and views of storages.

use diagonal::checkpoint::{CheckpointError, Order};
use pollster::block_on;

use super::{find, open, refusal, seed, with};
use crate::checkpoint::{
    fuzz::{around, zip_archive},
    hostile::assert_is_sentence,
    pickle_parts::{text, view},
};

/// `{"x": tensor}`, where the tensor is a view of storage `0`, which has 16 floats.
fn tensor(offset: u8, shape: &[u8], strides: &[u8]) -> Vec<u8> {
    [
        b"\x80\x02}",
        &text("x")[..],
        &view(offset, shape, strides),
        b"s.",
    ]
    .concat()
}

#[test]
fn pickles_without_tensors_are_refused_by_what_makes_their_content() {
    let call = |module: &str, name: &str| {
        [
            b"\x80\x02c",
            module.as_bytes(),
            b"\n",
            name.as_bytes(),
            b"\n",
            &text("x"),
            b"\x85R.",
        ]
        .concat()
    };
    for (module, name) in [
        ("os", "system"),
        ("posix", "system"),
        ("builtins", "eval"),
        ("builtins", "getattr"),
        ("torch", "load"),
        ("torch.storage", "_load_from_bytes"),
        ("torch._utils", "_import_dotted_name"),
        ("numpy", "load"),
        ("my.model", "Net"),
    ] {
        let sentence = refusal(around(&call(module, name)));
        let named = format!("“{module}.{name}”");
        assert!(
            sentence.contains(&named) && sentence.contains("nothing"),
            "{sentence}"
        );
    }
    // Also by the opcode of later protocols.
    let stacked = [
        b"\x80\x04",
        &text("os")[..],
        &text("system"),
        b"\x93",
        &text("x"),
        b"\x85R.",
    ]
    .concat();
    assert!(refusal(around(&stacked)).contains("“os.system”"));

    let deep = [
        b"\x80\x02".to_vec(),
        b"]".repeat(100_000),
        b"a".repeat(99_999),
        b".".to_vec(),
    ]
    .concat();
    let tuples = [
        b"\x80\x02N".to_vec(),
        b"\x85".repeat(1_000_000),
        b".".to_vec(),
    ]
    .concat();
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        (
            "an instruction to make an object",
            b"\x80\x02(ios\nsystem\n.".to_vec(),
            "“os.system”",
        ),
        (
            "an extension",
            b"\x80\x02\x82\x01.".to_vec(),
            "instruction 0x82",
        ),
        ("deep lists", deep, "64 deep"),
        ("deep tuples", tuples, "64 deep"),
        (
            "a billion laughs",
            seed("pickle/billion-laughs"),
            "over and over",
        ),
        (
            "no end",
            b"\x80\x02}".to_vec(),
            "before all its tensors are listed",
        ),
        ("nothing", b"\x80\x02.".to_vec(), "too little"),
        ("below a mark", b"\x80\x02K\x01(.".to_vec(), "too little"),
        (
            "a memory of leaps",
            b"\x80\x02Nr\xff\xff\xff\xff.".to_vec(),
            "gaps",
        ),
        ("no such memory", b"\x80\x02h\x07.".to_vec(), "never stored"),
        (
            "a text without end",
            b"\x80\x02X\xff\xff\xff\xff.".to_vec(),
            "before all its tensors",
        ),
        (
            "a text of all the numbers",
            b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xff.".to_vec(),
            "before all its",
        ),
        (
            "a storage that is none",
            [b"\x80\x02", &text("storage")[..], b"N\x86Q."].concat(),
            "storage",
        ),
        (
            "a storage with a long name",
            [
                b"\x80\x02(",
                &text("storage")[..],
                b"ctorch\nFloatStorage\n",
                &text(&"0".repeat(300)),
                &text("cpu"),
                b"K\x10tQ.",
            ]
            .concat(),
            "names a storage that is not one",
        ),
        (
            "too long a view",
            tensor(0, &[17], &[1]),
            "beyond its storage",
        ),
        (
            "too late a view",
            tensor(15, &[2], &[1]),
            "beyond its storage",
        ),
        (
            "too wide a view",
            tensor(0, &[2, 2], &[15, 1]),
            "beyond its storage",
        ),
        (
            "strides that are too few",
            tensor(0, &[2, 2], &[1]),
            "as tensors are",
        ),
        (
            "no such storage",
            with(
                tensor(0, &[1], &[1]),
                find(&tensor(0, &[1], &[1]), b"\x01\0\0\x000") + 4,
                b"7",
            ),
            "not in it",
        ),
    ];
    for (case, pickle, says) in cases {
        let sentence = refusal(around(&pickle));
        assert!(sentence.contains(says), "{case}: {sentence}");
    }
    let million = [
        b"\x80\x02(".to_vec(),
        b"N".repeat(5_000_000),
        b"l.".to_vec(),
    ]
    .concat();
    assert!(refusal(around(&million)).contains("four million"));
    assert!(refusal(b"\x80\x02}q\x00.".to_vec()).contains("not one that torch.save wrote"));
}

#[test]
fn views_are_read_by_rows_by_columns_or_not_at_all() {
    let storage: Vec<u8> = (0_u8..16)
        .flat_map(|number| f32::from(number).to_le_bytes())
        .collect();
    let open = |pickle: Vec<u8>| {
        open(zip_archive(&[
            ("a/data.pkl", &pickle, None),
            ("a/data/0", &storage, None),
        ]))
        .expect("it opens")
    };
    let read = |pickle| {
        let checkpoint = open(pickle);
        let tensor = checkpoint.tensors()[0].clone();
        block_on(checkpoint.read(&tensor))
    };
    assert_eq!(
        read(tensor(2, &[2, 3], &[3, 1])),
        Ok(vec![2., 3., 4., 5., 6., 7.])
    );
    assert_eq!(
        read(tensor(2, &[2, 3], &[1, 2])),
        Ok(vec![2., 4., 6., 3., 5., 7.])
    );
    assert_eq!(
        read(tensor(5, &[1, 3], &[99, 1])),
        Ok(vec![5., 6., 7.]),
        "one row has no next"
    );
    assert_eq!(read(tensor(5, &[0, 3], &[1, 1])), Ok(vec![]));
    assert_eq!(read(tensor(7, &[], &[])), Ok(vec![7.]));
    for (shape, strides) in [([2, 3], [6, 2]), ([3, 3], [0, 1]), ([2, 2], [4, 1])] {
        let checkpoint = open(tensor(0, &shape, &strides));
        let scattered = checkpoint.tensors()[0].clone();
        assert_eq!(
            (scattered.order, &scattered.shape[..]),
            (Order::Scattered, &shape.map(u64::from)[..])
        );
        let error = block_on(checkpoint.read(&scattered)).expect_err("refused");
        assert!(
            matches!(error, CheckpointError::Scattered { .. }),
            "{error}"
        );
        assert_is_sentence(&error.to_string());
        assert!(block_on(checkpoint.read_rows(&scattered, 0..1)).is_err());
    }
}
