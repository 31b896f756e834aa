//! Hostile and odd pickles of objects: circles, depth, sheer number, and names that are no names. Tensors beside them
//! are still listed.

use std::time::{Duration, Instant};

use diagonal::checkpoint::OMISSIONS;

use super::{open, refusal, seed};
use crate::checkpoint::{
    fuzz::{around, memory_of},
    hostile::assert_is_sentence,
    pickle_parts::{text, view},
};

/// A tensor of four numbers.
fn tensor() -> Vec<u8> {
    view(0, &[4], &[1])
}

/// A dictionary with a tensor under `x` and something else under `y`.
fn beside(other: &[u8]) -> Vec<u8> {
    [
        b"\x80\x02}",
        &text("x")[..],
        &tensor(),
        b"s",
        &text("y"),
        other,
        b"s.",
    ]
    .concat()
}

/// The names of the tensors in a pickle, and the sentence on what is passed over. Fails if reading takes long or much
/// memory.
fn names_and_omissions(pickle: &[u8]) -> (Vec<String>, String) {
    let file = around(pickle);
    let begun = Instant::now();
    let mut result = (Vec::new(), String::new());
    let size = file.len();
    let memory = memory_of(|| {
        let checkpoint = open(file).unwrap_or_else(|error| panic!("{error}"));
        let omissions = checkpoint.metadata().get(OMISSIONS).cloned();
        result = (
            checkpoint.names().map(str::to_owned).collect(),
            omissions.unwrap_or_default(),
        );
    });
    assert!(begun.elapsed() < Duration::from_secs(20));
    // The bytes are in memory twice: as the source and as what was read of it.
    assert!(memory <= (64 << 20) + 2 * size, "{memory} bytes for {size}");
    if !result.1.is_empty() {
        assert_is_sentence(&result.1);
    }
    result
}

#[test]
fn circles_of_objects_end() {
    let (names, _) = names_and_omissions(&seed("pickle/cycle"));
    assert!(names.is_empty());
    // Modules that contain themselves, and an object that is its own attribute.
    let (names, omissions) = names_and_omissions(&seed("pickle/module"));
    assert_eq!(names, ["a.weight", "b.weight", "scale"], "{omissions}");
    let itself = [b"cmy.model\nA\n)\x81q\0}", &text("me")[..], b"h\0sb"].concat();
    let (names, omissions) = names_and_omissions(&beside(&itself));
    assert_eq!(names, ["x"]);
    assert!(omissions.contains("“my.model.A”"), "{omissions}");
    // Ten thousand objects, each of which has all of them as its attributes, in a list.
    let mut all = b"]q\0(cmy.model\nA\nq\x01".to_vec();
    for _ in 0..10_000 {
        all.extend([&b"h\x01)\x81}"[..], &text("all"), b"h\0sb"].concat());
    }
    all.push(b'e');
    assert_eq!(names_and_omissions(&beside(&all)).0, ["x"]);
}

#[test]
fn depth_is_cut() {
    let chain = |levels: usize| {
        let module = [
            b"cm\nM\n)\x81}(",
            &text("_parameters")[..],
            b"}",
            &text("_modules"),
            b"}",
            &text("m"),
        ]
        .concat();
        [module.repeat(levels), tensor(), b"sub".repeat(levels)].concat()
    };
    let (names, omissions) = names_and_omissions(&beside(&chain(20)));
    assert_eq!(names, ["x".to_owned(), format!("y{}", ".m".repeat(20))]);
    assert!(omissions.is_empty(), "{omissions}");
    let (names, omissions) = names_and_omissions(&beside(&chain(20_000)));
    assert_eq!(names, ["x"]);
    assert!(omissions.contains("too deep"), "{omissions}");
    let alone = [b"\x80\x02".to_vec(), chain(20_000), b".".to_vec()].concat();
    assert!(refusal(around(&alone)).contains("64 deep"));
    // A list of objects, each an attribute of the one before.
    let object = [b"cm\nA\n)\x81}", &text("next")[..]].concat();
    let list = [object.repeat(50_000), tensor(), b"sb".repeat(50_000)].concat();
    let (names, omissions) = names_and_omissions(&beside(&list));
    assert_eq!(names, ["x"]);
    assert!(omissions.contains("too deep"), "{omissions}");
}

#[test]
fn calls_within_calls_are_not_made() {
    const LEVELS: usize = 50_000;
    // A function that makes an object, of the class of a function that calls another one: the first function again.
    let nested = [
        &b"ctorch._tensor\n_rebuild_from_type_v2\nq\x000ccopyreg\n__newobj__\nq\x01"[..],
        &b"(h\x00h\x01N".repeat(LEVELS),
        b"N",
        &b"Nt".repeat(LEVELS),
        b"R",
    ]
    .concat();
    assert_eq!(names_and_omissions(&beside(&nested)).0, ["x"]);
}

#[test]
fn a_tuple_that_contains_itself_is_read() {
    // As Python writes it in the oldest protocol: the last instruction `0` removes a mark.
    let tuple = b"((lp0\n(g0\ntp1\na00g1\n";
    assert_eq!(names_and_omissions(&beside(tuple)).0, ["x"]);
}

#[test]
fn long_keys_make_no_long_names() {
    let nested = |key: &[u8], inner: &[u8]| {
        let dictionaries = [b"}", key].concat().repeat(60);
        [&dictionaries[..], inner, &b"s".repeat(60)].concat()
    };
    // A megabyte of text as the key of every level.
    let key = [&text(&"k".repeat(1 << 20))[..], b"q\x050"].concat();
    let long = [key, nested(b"h\x05", &tensor())].concat();
    assert_eq!(names_and_omissions(&beside(&long)).0, ["x"]);
    // Many objects with attributes, each at a path of 60 kB.
    let objects = [&b"](cm\nA\nq\x010"[..], &b"h\x01)\x81".repeat(20_000), b"e"].concat();
    let (names, omissions) =
        names_and_omissions(&beside(&nested(&text(&"k".repeat(1000)), &objects)));
    assert_eq!(names, ["x"]);
    assert!(omissions.contains("too deep"), "{omissions}");
}

#[test]
fn containers_in_many_places_are_not_read_over_and_over() {
    const MANY: usize = 200_000;
    // A dictionary whose keys are no names, many times in a list.
    let dictionary = [
        &b"("[..],
        &b"N)".repeat(MANY),
        b"dq\x020](",
        &b"h\x02".repeat(MANY),
        b"e",
    ]
    .concat();
    assert!(refusal(around(&beside(&dictionary))).contains("over and over"));
    // A list from which many dictionaries would be made.
    let list = [
        &b"ccollections\nOrderedDict\nq\x010("[..],
        &b"N".repeat(MANY),
        b"l\x85q\x020](",
        &b"h\x01h\x02R".repeat(MANY),
        b"e",
    ]
    .concat();
    assert!(refusal(around(&beside(&list))).contains("four million"));
}

#[test]
fn numbers_of_objects_are_limited() {
    let many = |count: usize, begin: &[u8], item: &[u8], end: &[u8]| {
        [begin, &item.repeat(count), end].concat()
    };
    for (case, pickle) in [
        ("memory", many(5_000_000, b"\x80\x04", b"N\x940", b"N.")),
        ("marks", many(5_000_000, b"\x80\x02", b"(", b".")),
        (
            "objects",
            many(1_500_000, b"\x80\x02cm\nA\nq\x000(", b"h\0)\x81", b"l."),
        ),
        ("classes", many(5_000_000, b"\x80\x02", b"cm\nA\n0", b"N.")),
    ] {
        let sentence = refusal(around(&pickle));
        assert!(sentence.contains("four million"), "{case}: {sentence}");
    }
    // A vocabulary of half a million words, as a list, counted and numbered.
    let mut words = b"(](".to_vec();
    let count = 500_000_u32;
    for word in 0..count {
        words.extend([&text(&format!("w{word}"))[..], b"r", &word.to_le_bytes()].concat());
    }
    words.push(b'e');
    for _ in 0..2 {
        words.extend(b"}");
        for first in (0..count).step_by(1000) {
            words.extend(b"(");
            for word in first..first + 1000 {
                words.extend([&b"j"[..], &word.to_le_bytes(), b"J", &word.to_le_bytes()].concat());
            }
            words.extend(b"u");
        }
    }
    words.push(b't');
    assert_eq!(names_and_omissions(&beside(&words)).0, ["x"]);
}

#[test]
fn names_of_classes_are_cleaned_and_counted() {
    let mut classes = b"(".to_vec();
    for class in 0..40 {
        classes.extend(format!("cmy.mo\u{1b}[31m”del\nClass{class}\n").bytes());
    }
    classes.extend(
        [
            b"c",
            "w".repeat(9000).as_bytes(),
            b"\nA\n",
            b"c\xff\xfe\n\xff\nt",
        ]
        .concat(),
    );
    let (names, omissions) = names_and_omissions(&beside(&classes));
    assert_eq!(names, ["x"]);
    assert!(
        omissions.contains("“my.mo[31mdel.Class0”") && omissions.contains("and 36 more"),
        "{omissions}"
    );
    let alone = [b"\x80\x02c", "w".repeat(9000).as_bytes(), b"\nA\n)R."].concat();
    assert!(refusal(around(&alone)).len() < 500);
}

#[test]
fn configurations_are_bounded() {
    let config = |arguments: &[u8]| {
        let pickle = [
            b"\x80\x02}(",
            &text("x")[..],
            &tensor(),
            &text("args"),
            arguments,
            b"u.",
        ]
        .concat();
        let checkpoint = open(around(&pickle)).unwrap_or_else(|error| panic!("{error}"));
        checkpoint.metadata().get("config").cloned()
    };
    let dict = |entries: &[u8]| [b"}(", &text("n_head")[..], b"K\x02", entries, b"u"].concat();
    assert_eq!(config(&dict(b"")).as_deref(), Some(r#"{"n_head":2}"#));
    // Nothing that says a model's size.
    let other = [b"}", &text("lr")[..], b"K\x02s"].concat();
    assert_eq!(config(&other), None);
    // Deep, long, wide, and in a circle.
    let deep = [
        text("deep"),
        [b"}", &text("a")[..]].concat().repeat(30),
        b"K\x01".to_vec(),
        b"s".repeat(30),
    ]
    .concat();
    let deep = config(&dict(&deep)).expect("a configuration");
    assert!(deep.matches('{').count() <= 5, "{deep}");
    let mut wide = Vec::new();
    for entry in 0..100_000 {
        wide.extend([text(&format!("entry-{entry}")), text("\"quoted\"\n")].concat());
    }
    let wide = config(&dict(&wide)).expect("a configuration");
    assert!((1 << 10..=64 << 10).contains(&wide.len()), "{}", wide.len());
    let long = [
        text("list"),
        b"](".to_vec(),
        b"K\x01".repeat(9000),
        b"e".to_vec(),
    ]
    .concat();
    assert_eq!(config(&dict(&long)).as_deref(), Some(r#"{"n_head":2}"#));
    let circle = [
        b"}q\x09(",
        &text("n_head")[..],
        b"K\x02",
        &text("me"),
        b"h\x09u",
    ]
    .concat();
    let circle = config(&circle).expect("a configuration");
    assert!(circle.len() < 200, "{circle}");
    let seed = open(around(&seed("pickle/configuration"))).expect("it opens");
    let expected = r#"{"deep":{"a":[1]},"hidden_size":8}"#;
    assert_eq!(
        seed.metadata().get("config").map(String::as_str),
        Some(expected)
    );
}

#[test]
fn every_way_to_make_an_object_is_read() {
    let (names, omissions) = names_and_omissions(&seed("pickle/instances"));
    // The list's items: an object by its class's own way (its arguments are not read), then two with a tensor as their
    // argument, slots and attributes, a tensor, and again an argument.
    assert!(names.len() >= 4, "{names:?}: {omissions}");
    assert!(omissions.contains("_rebuild_sparse_tensor"), "{omissions}");
    assert!(omissions.contains("outside of the file"), "{omissions}");
    assert_eq!(names_and_omissions(&seed("pickle/wrapper")).0, ["w"]);
    assert_eq!(names_and_omissions(&seed("pickle/script")).0, ["l.0", "w"]);
    assert_eq!(
        names_and_omissions(&seed("pickle/deep-modules")).0,
        ["m.".repeat(39) + "m"]
    );
    let module = open(seed("legacy/module")).expect("it opens");
    assert_eq!(module.names().collect::<Vec<_>>(), ["w"]);
}
