//! Large archives open by a few small reads.

use std::{cell::RefCell, ops::Range, rc::Rc};

use diagonal::checkpoint::{ByteSource, Checkpoint, SourceError};
use pollster::block_on;

use super::seed;
use crate::checkpoint::{checkpoints::Counting, formats::data};

/// A file of zeros, except for a few pieces.
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
    // Laid out as PyTorch does: data at multiples of 64, a data descriptor after it, ZIP64 fields where needed.
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
    // The first storage claims 16 numbers; the archive has many more, which is allowed.
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
