//! Archives, pickles and headers that lie: each lie gets its own sentence, and nothing is read or inflated
//! for it. And those that are merely large open by a few small reads.

use std::{cell::RefCell, ops::Range, rc::Rc};

use diagonal::checkpoint::{
    ByteSource, Checkpoint, CheckpointError, MemorySource, Order, SourceError,
};
use pollster::block_on;

use crate::{
    checkpoints::Counting,
    formats::data,
    fuzz::{around, zipped},
    hostile::assert_is_sentence,
};

fn open(bytes: Vec<u8>) -> Result<Checkpoint<MemorySource>, CheckpointError> {
    block_on(Checkpoint::open(MemorySource::from(bytes), "test"))
}

fn refusal(bytes: Vec<u8>) -> String {
    let sentence = open(bytes).expect_err("it must be refused").to_string();
    assert_is_sentence(&sentence);
    sentence
}

fn seed(path: &str) -> Vec<u8> {
    data(&format!("fuzz/{path}"))
}

/// A file with one run of bytes replaced by another as long.
fn with(mut bytes: Vec<u8>, at: usize, new: &[u8]) -> Vec<u8> {
    bytes[at..at + new.len()].copy_from_slice(new);
    bytes
}

fn find(bytes: &[u8], what: &[u8]) -> usize {
    let mut windows = bytes.windows(what.len());
    windows
        .position(|window| window == what)
        .expect("it is there")
}

fn rfind(bytes: &[u8], what: &[u8]) -> usize {
    let mut windows = bytes.windows(what.len());
    windows
        .rposition(|window| window == what)
        .expect("it is there")
}

#[test]
fn archives_that_lie_are_refused() {
    let good = seed("zip/stored");
    let directory = find(&good, b"PK\x01\x02");
    let last = rfind(&good, b"PK\x01\x02");
    let end = rfind(&good, b"PK\x05\x06");
    assert!(open(good.clone()).is_ok());
    let header_of_first = find(&good, b"PK\x03\x04");
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        (
            "cut off",
            good[..good.len() - 1].to_vec(),
            "not at the end of the file",
        ),
        (
            "something behind it",
            [&good[..], b"x"].concat(),
            "not at the end of the file",
        ),
        (
            "encrypted",
            with(good.clone(), directory + 8, &[1]),
            "is encrypted",
        ),
        (
            "another compression",
            with(good.clone(), directory + 10, &[93]),
            "compressed in a way",
        ),
        (
            "on disk 1",
            with(good.clone(), end + 4, &[1]),
            "cut into several files",
        ),
        (
            "count",
            with(good.clone(), end + 10, &[9]),
            "should list 9 entries",
        ),
        (
            "directory of 4 GiB",
            with(good.clone(), end + 12, &[0xff; 4]),
            "longer than 64 MiB",
        ),
        (
            "directory elsewhere",
            with(good.clone(), end + 16, &[0xff; 4]),
            "lie where it cannot",
        ),
        (
            "directory of something else",
            with(good.clone(), directory, b"PK\x03\x04"),
            "does not begin like one",
        ),
        (
            "sizes that differ",
            with(good.clone(), last + 24, &[65]),
            "cannot give",
        ),
        (
            "more than is there",
            with(
                good.clone(),
                last + 20,
                &[0xff, 0xff, 0, 0, 0xff, 0xff, 0, 0],
            ),
            "reaches into",
        ),
        (
            "one entry inside another",
            // The last entry is said to begin where the first does.
            with(
                good.clone(),
                last + 42,
                &(header_of_first as u32).to_le_bytes(),
            ),
            "reaches into",
        ),
        (
            "a header that is none",
            with(good.clone(), header_of_first + 2, &[9]),
            "no file of a kind known",
        ),
        (
            "a header that takes it all",
            with(good.clone(), header_of_first + 28, &[0xff, 0xff]),
            "reaches into",
        ),
        (
            "a record of 64 bits that is none",
            {
                let zip64 = seed("zip/as-torch");
                let record = find(&zip64, b"PK\x06\x06");
                with(zip64, record, b"PK\x06\x05")
            },
            "64-bit record",
        ),
        (
            "two entries of a name",
            zipped(&[
                ("data.pkl", b"\x80\x02}.", None),
                ("data/0", b"a", None),
                ("data/0", b"b", None),
            ]),
            "two entries bear one name",
        ),
        (
            "nothing of use",
            zipped(&[("readme.txt", b"hello", None)]),
            "zip archive without tensors",
        ),
        (
            "nothing at all",
            b"PK\x03\x04PK\x05\x06".to_vec(),
            "not at the end of the file",
        ),
    ];
    for (case, bytes, says) in cases {
        let sentence = refusal(bytes);
        assert!(sentence.contains(says), "{case}: {sentence}");
    }
}

#[test]
fn nothing_is_inflated_that_is_too_much() {
    // Claims a gigabyte of half a megabyte: more than deflate can, and too much if it could.
    let bytes = vec![0; 500_000];
    let sentence = refusal(zipped(&[("x.npy", &bytes, Some(1 << 30))]));
    assert!(sentence.contains("cannot give"), "{sentence}");
    let bytes = vec![0; 2_000_000];
    let sentence = refusal(zipped(&[("x.npy", &bytes, Some(1 << 30))]));
    assert!(sentence.contains("256 MiB"), "{sentence}");
    // Each is small, all together are not.
    let entry = vec![0; 2_000_000];
    let names: Vec<String> = (0..9).map(|at| format!("{at}.npy")).collect();
    let entries: Vec<_> = names
        .iter()
        .map(|name| (name.as_str(), &entry[..], Some(250 << 20)))
        .collect();
    let sentence = refusal(zipped(&entries));
    assert!(
        sentence.contains("256 MiB") || sentence.contains("inflate"),
        "{sentence}"
    );
    // Fewer or more than it claims.
    let deflated = seed("deflate/dynamic");
    assert!(open(zipped(&[("x.npy", &deflated, Some(512))])).is_ok());
    for size in [0, 511, 513] {
        let sentence = refusal(zipped(&[("x.npy", &deflated, Some(size))]));
        assert!(
            sentence.contains("inflate") || sentence.contains("ends at byte"),
            "{sentence}"
        );
    }
}

fn text(word: &str) -> Vec<u8> {
    [
        b"X",
        &(word.len() as u32).to_le_bytes()[..],
        word.as_bytes(),
    ]
    .concat()
}

/// `{"x": tensor}` of storage `0`, which has 16 floats: offset, shape, strides as pickle writes small tuples.
fn tensor(offset: u8, shape: &[u8], strides: &[u8]) -> Vec<u8> {
    let tuple = |lengths: &[u8]| {
        let items: Vec<u8> = lengths.iter().flat_map(|length| [b'K', *length]).collect();
        [b"(", &items[..], b"t"].concat()
    };
    [
        b"\x80\x02}",
        &text("x")[..],
        b"ctorch._utils\n_rebuild_tensor_v2\n((",
        &text("storage"),
        b"ctorch\nFloatStorage\n",
        &text("0"),
        &text("cpu"),
        b"K\x10tQK",
        &[offset],
        &tuple(shape),
        &tuple(strides),
        b"\x89NtRs.",
    ]
    .concat()
}

#[test]
fn pickles_that_ask_for_more_than_tensors_are_refused() {
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
    // By the instruction of later versions, too.
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
            "an instruction to import",
            b"\x80\x02ios\nsystem\n.".to_vec(),
            "instruction 0x69",
        ),
        (
            "an extension",
            b"\x80\x02\x82\x01.".to_vec(),
            "instruction 0x82",
        ),
        ("deep lists", deep, "64 deep"),
        ("deep tuples", tuples, "64 deep"),
        ("itself", seed("pickle/cycle"), "64 deep"),
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
        ("below a mark", b"\x80\x02K\x01(0.".to_vec(), "too little"),
        (
            "a memory of leaps",
            b"\x80\x02Nr\xff\xff\xff\xff.".to_vec(),
            "leaps",
        ),
        ("no such memory", b"\x80\x02h\x07.".to_vec(), "never made"),
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
        ("a storage that is none", b"\x80\x02NQ.".to_vec(), "storage"),
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
        open(zipped(&[
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

#[test]
fn headers_that_lie_are_refused() {
    let npy = |header: &str| {
        let length = (header.len() as u16).to_le_bytes();
        [
            b"\x93NUMPY\x01\x00",
            &length[..],
            header.as_bytes(),
            &[0; 64],
        ]
        .concat()
    };
    let of = |descr: &str, order: &str, shape: &str| {
        npy(&format!(
            "{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"
        ))
    };
    assert!(open(of("'<f4'", "False", "(4, 4)")).is_ok());
    for (bytes, says) in [
        (of("'<f4'", "False", "(4, 5)"), "the file has"),
        (
            of("'<f4'", "False", "(4294967296, 4294967296)"),
            "more than any file",
        ),
        (
            of("'<f4'", "False", "(99999999999999999999,)"),
            "states no shape",
        ),
        (of("'<f4'", "False", "(-1,)"), "states no shape"),
        (of("'<f4'", "Maybe", "(1,)"), "states no order"),
        (npy("{'shape': (1,)}"), "states no type"),
        (
            b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec(),
            "longer than 64 KiB",
        ),
        (
            b"\x93NUMPY\x09\x00\xff\xff\xff\xff".to_vec(),
            "version is 9",
        ),
    ] {
        let sentence = refusal(bytes);
        assert!(sentence.contains(says), "{sentence}");
    }

    let gguf = seed("gguf/three");
    assert!(open(gguf.clone()).is_ok());
    let name = find(&gguf, b"token_embd.weight");
    let all = [0xff; 8];
    for (bytes, says) in [
        (with(gguf.clone(), 4, &[1]), "of a version that is not read"),
        (with(gguf.clone(), 8, &all), "more than a million tensors"),
        (with(gguf.clone(), 16, &all), "longer than 64 MiB"),
        (with(gguf.clone(), 24, &all), "longer than 64 MiB"),
        (
            with(gguf.clone(), name + 17, &[99]),
            "more than 8 dimensions",
        ),
        (with(gguf.clone(), name + 21, &all), "the file has"),
        (with(gguf.clone(), name + 41, &all), "the file has"),
        (gguf[..gguf.len() - 100].to_vec(), "the file has"),
    ] {
        let sentence = refusal(bytes);
        assert!(sentence.contains(says), "{sentence}");
    }
}

/// A file that is zero but for a few pieces.
#[derive(Clone)]
struct Holey {
    size: u64,
    pieces: Vec<(u64, Vec<u8>)>,
    reads: Rc<RefCell<Vec<Range<u64>>>>,
}

impl ByteSource for Holey {
    fn size(&self) -> u64 {
        self.size
    }

    async fn read(&self, range: Range<u64>) -> Result<Vec<u8>, SourceError> {
        self.reads.borrow_mut().push(range.clone());
        let mut bytes = vec![0; (range.end - range.start) as usize];
        for (begin, piece) in &self.pieces {
            for (at, byte) in (*begin..).zip(piece) {
                if range.contains(&at) {
                    bytes[(at - range.start) as usize] = *byte;
                }
            }
        }
        Ok(bytes)
    }
}

#[test]
fn a_pickle_of_six_gigabytes_opens_with_two_reads() {
    // As PyTorch writes it: data at multiples of 64, a descriptor behind, long numbers where needed.
    let pickle = seed("pickle/flat");
    let lengths = [pickle.len() as u64, 5 << 30, 64];
    let names = ["m/data.pkl", "m/data/0", "m/data/1"];
    let (mut at, mut pieces, mut directory, mut begins) =
        (0_u64, Vec::new(), Vec::new(), Vec::new());
    for (name, length) in names.iter().zip(lengths) {
        let long = length > u64::from(u32::MAX) || at > u64::from(u32::MAX);
        let begin =
            (at + 30 + name.len() as u64 + 4 + if long { 28 } else { 0 }).next_multiple_of(64);
        let extra = (begin - at - 30 - name.len() as u64) as u16;
        let name_length = (name.len() as u16).to_le_bytes();
        let header = [
            b"PK\x03\x04",
            &[0, 0, 8, 8][..],
            &[0; 18],
            &name_length,
            &extra.to_le_bytes(),
            name.as_bytes(),
        ];
        pieces.push((at, header.concat()));
        let field = [
            &[1, 0, 24, 0][..],
            &length.to_le_bytes(),
            &length.to_le_bytes(),
            &at.to_le_bytes(),
        ]
        .concat();
        directory.extend(
            [
                b"PK\x01\x02",
                &[0, 0, 0, 0, 8, 8][..],
                &[0; 10],
                &[0xff; 8],
                &name_length,
            ]
            .concat(),
        );
        directory.extend([&[28, 0][..], &[0; 10], &[0xff; 4], name.as_bytes(), &field].concat());
        begins.push(begin);
        at = begin + length + if long { 24 } else { 16 };
    }
    pieces.push((begins[0], pickle));
    let (count, length) = (3_u64.to_le_bytes(), directory.len() as u64);
    let end = at + length;
    let record = [
        b"PK\x06\x06",
        &44_u64.to_le_bytes()[..],
        &[0; 12],
        &count,
        &count,
        &length.to_le_bytes(),
        &at.to_le_bytes(),
    ];
    let locator = [
        b"PK\x06\x07",
        &[0; 4][..],
        &end.to_le_bytes(),
        &[1, 0, 0, 0],
    ];
    let short = [
        b"PK\x05\x06",
        &[0; 4][..],
        &[3, 0, 3, 0],
        &[0xff; 8],
        &[0, 0],
    ];
    let tail = [directory, record.concat(), locator.concat(), short.concat()].concat();
    let size = at + tail.len() as u64;
    pieces.push((at, tail));
    // The first storage claims 16 numbers; the archive has many more of them, which is no fault.
    let file = Holey {
        size,
        pieces,
        reads: Rc::default(),
    };
    let checkpoint =
        block_on(Checkpoint::open(file.clone(), "big")).unwrap_or_else(|e| panic!("{e}"));
    let places: Vec<_> = checkpoint
        .tensors()
        .iter()
        .map(|tensor| (&*tensor.name, tensor.begin))
        .collect();
    assert_eq!(
        places,
        [
            ("a.weight", begins[1]),
            ("t", begins[2]),
            ("tied", begins[1])
        ]
    );
    assert!(begins[2] > 5 << 30);
    assert_eq!(file.reads.borrow().len(), 2, "{:?}", file.reads.borrow());
    assert_eq!(checkpoint.bytes_read(), 128 << 10);
}

#[test]
fn few_reads_open_a_file() {
    for (path, most) in [
        ("bert-pickle/pytorch_model.bin", 2),
        ("torch-legacy/pytorch_model.bin", 1),
        ("torch-training/checkpoint.pt", 2),
        ("gguf/model.gguf", 1),
        ("numpy/stored.npz", 1),
    ] {
        let file = Counting::new(data(path));
        let checkpoint = block_on(Checkpoint::open(file.clone(), path));
        let checkpoint = checkpoint.unwrap_or_else(|error| panic!("{path}: {error}"));
        let reads = file.reads.borrow().len();
        assert!(reads <= most, "{path}: {:?}", file.reads.borrow());
        assert_eq!(checkpoint.bytes_read(), file.bytes_read(), "{path}");
    }
}
