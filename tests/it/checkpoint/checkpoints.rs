//! Checkpoints read back unchanged: round trips with the `safetensors` crate as reference, and the amount of data read.

use std::{cell::RefCell, collections::BTreeMap, ops::Range, rc::Rc};

use diagonal::checkpoint::{
    ByteSource, Checkpoint, CheckpointError, Dtype, FileKind, MemorySource, Order, SourceError,
    TensorInfo, describe,
};
use half::{bf16, f16};
use pollster::block_on;
use proptest::{collection::vec, prelude::*, sample::select};
use safetensors::tensor::TensorView;

/// A safetensors file with this exact header and data.
pub(crate) fn file(header: &str, data: &[u8]) -> Vec<u8> {
    [
        &(header.len() as u64).to_le_bytes(),
        header.as_bytes(),
        data,
    ]
    .concat()
}

pub(crate) fn open(bytes: Vec<u8>) -> Result<Checkpoint<MemorySource>, CheckpointError> {
    block_on(Checkpoint::open(
        MemorySource::from(bytes),
        "test.safetensors",
    ))
}

/// A virtual file of any size: a given beginning, then numbers computed from their position.
#[derive(Clone)]
pub(crate) struct Sparse {
    pub(crate) beginning: Vec<u8>,
    pub(crate) size: u64,
    pub(crate) reads: Rc<RefCell<Vec<Range<u64>>>>,
}

impl Sparse {
    pub(crate) fn new(beginning: Vec<u8>, size: u64) -> Self {
        Self {
            beginning,
            size,
            reads: Rc::default(),
        }
    }

    /// The F32 at a position that is a multiple of four.
    pub(crate) fn number(position: u64) -> f32 {
        (position / 4 % 8191) as f32 / 64.0
    }

    pub(crate) fn largest_read(&self) -> u64 {
        self.reads
            .borrow()
            .iter()
            .map(|range| range.end - range.start)
            .max()
            .unwrap_or(0)
    }
}

impl ByteSource for Sparse {
    fn size(&self) -> u64 {
        self.size
    }

    async fn read(&self, range: Range<u64>) -> Result<Vec<u8>, SourceError> {
        assert!(
            range.start <= range.end && range.end <= self.size,
            "asked beyond the file: {range:?}"
        );
        self.reads.borrow_mut().push(range.clone());
        let byte = |position: u64| match self.beginning.get(position as usize) {
            Some(byte) => *byte,
            None => Self::number(position).to_le_bytes()[(position % 4) as usize],
        };
        Ok(range.map(byte).collect())
    }
}

/// A file that records every read.
#[derive(Clone, Debug)]
pub(crate) struct Counting {
    bytes: MemorySource,
    pub(crate) reads: Rc<RefCell<Vec<Range<u64>>>>,
}

impl Counting {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self {
            bytes: bytes.into(),
            reads: Rc::default(),
        }
    }

    pub(crate) fn bytes_read(&self) -> u64 {
        self.reads
            .borrow()
            .iter()
            .map(|range| range.end - range.start)
            .sum()
    }
}

impl ByteSource for Counting {
    fn size(&self) -> u64 {
        self.bytes.size()
    }

    async fn read(&self, range: Range<u64>) -> Result<Vec<u8>, SourceError> {
        self.reads.borrow_mut().push(range.clone());
        self.bytes.read(range).await
    }
}

const CRATE_DTYPES: [safetensors::Dtype; 22] = {
    use safetensors::Dtype as D;
    [
        D::BOOL,
        D::F4,
        D::F6_E2M3,
        D::F6_E3M2,
        D::U8,
        D::I8,
        D::F8_E5M2,
        D::F8_E4M3,
        D::F8_E8M0,
        D::F8_E4M3FNUZ,
        D::F8_E5M2FNUZ,
        D::I16,
        D::U16,
        D::F16,
        D::BF16,
        D::I32,
        D::U32,
        D::F32,
        D::C64,
        D::F64,
        D::I64,
        D::U64,
    ]
};

/// Bytes of a tensor of a shape and type; `None` if its bits do not fill whole bytes.
fn bytes_of(dtype: safetensors::Dtype, shape: &[usize]) -> Option<usize> {
    let bits = shape.iter().product::<usize>() * dtype.bitsize();
    bits.is_multiple_of(8).then_some(bits / 8)
}

prop_compose! {
    fn tensor()(dtype in select(&CRATE_DTYPES[..]), shape in vec(0_usize..6, 0..4))
        (
            bytes in vec(any::<u8>(), bytes_of(dtype, &shape).unwrap_or(0)),
            dtype in Just(dtype),
            shape in Just(shape),
        )
        -> Option<(safetensors::Dtype, Vec<usize>, Vec<u8>)> {
        bytes_of(dtype, &shape).map(|_| (dtype, shape, bytes))
    }
}

proptest! {
    #[test]
    fn whatever_the_crate_writes_is_read(
        tensors in prop::collection::btree_map("[a-zA-Zé0-9._\"\\\\ ]{1,12}", tensor(), 0..8),
        metadata in prop::option::of(prop::collection::hash_map("[a-z]{0,6}", ".{0,12}", 0..4)),
    ) {
        let tensors: Vec<_> = tensors.into_iter().filter_map(|(name, tensor)| Some((name, tensor?))).collect();
        // Without tensors and metadata, the crate writes the invalid `{}"__metadata__":{}}`.
        let metadata = metadata.filter(|metadata| !tensors.is_empty() || !metadata.is_empty());
        let views = tensors.iter().map(|(name, (dtype, shape, bytes))| {
            (name.as_str(), TensorView::new(*dtype, shape.clone(), bytes).expect("a fitting view"))
        });
        let written = safetensors::serialize(views, metadata.clone()).expect("the crate writes it");
        let checkpoint = open(written.clone()).expect("and it opens");

        let noted = metadata.unwrap_or_default();
        prop_assert_eq!(checkpoint.metadata().into_owned(), noted.into_iter().collect::<BTreeMap<_, _>>());
        prop_assert_eq!(checkpoint.tensors().len(), tensors.len());
        for (ours, (name, (dtype, shape, bytes))) in checkpoint.tensors().iter().zip(&tensors) {
            prop_assert_eq!(&ours.name, name);
            prop_assert_eq!(checkpoint.tensor(name), Some(*ours));
            prop_assert_eq!(ours.dtype.name(), dtype.to_string());
            prop_assert!(ours.shape.iter().map(|length| *length as usize).eq(shape.iter().copied()));
            prop_assert_eq!(&written[ours.begin as usize..ours.end as usize], &bytes[..]);
            let numbers = block_on(checkpoint.read(ours));
            match slow_numbers(&ours.dtype, bytes) {
                Some(expected) => prop_assert!(same(&numbers.expect("floats are read"), &expected)),
                None => prop_assert!(matches!(numbers, Err(CheckpointError::NotFloats { .. })), "{numbers:?}"),
            }
        }
    }

    #[test]
    fn rows_are_slices_of_the_whole(
        dtype in select(&[safetensors::Dtype::F64, safetensors::Dtype::F32, safetensors::Dtype::F16][..]),
        shape in vec(1_usize..7, 1..4),
        a in 0_u64..8,
        b in 0_u64..8,
    ) {
        let count = shape.iter().product::<usize>() * dtype.bitsize() / 8;
        let bytes: Vec<u8> = (0..count).map(|i| (i * 37 % 251) as u8).collect();
        let view = TensorView::new(dtype, shape.clone(), &bytes).expect("a fitting view");
        let checkpoint = open(safetensors::serialize([("x", view)], None).expect("written")).expect("opened");
        let tensor = checkpoint.tensor("x").expect("it is there");
        let rows = block_on(checkpoint.read_rows(tensor, a..b));
        if a <= b && b <= shape[0] as u64 {
            let whole = block_on(checkpoint.read(tensor)).expect("read");
            let row = whole.len() / shape[0];
            prop_assert!(same(&rows.expect("rows"), &whole[a as usize * row..b as usize * row]));
        } else {
            prop_assert!(matches!(rows, Err(CheckpointError::NoSuchRows { .. })), "{rows:?}");
        }
    }
}

/// An eight-bit float from its definition: sign, exponent, mantissa.
fn slow_eight_bits(byte: u8, exponent_bits: u32, bias: i32, is_nan: fn(u8) -> bool) -> f32 {
    if is_nan(byte) {
        return f32::NAN;
    }
    let sign = if byte >= 0x80 { -1.0 } else { 1.0 };
    let mantissa_bits = 7 - exponent_bits;
    let exponent = i32::from((byte & 0x7f) >> mantissa_bits);
    let mantissa = f32::from(byte & ((1 << mantissa_bits) - 1)) / (1 << mantissa_bits) as f32;
    // Only E5M2 has infinities, at its highest exponent.
    if (exponent_bits, bias, exponent) == (5, 15, 31) {
        return sign * f32::INFINITY;
    }
    match exponent {
        0 => sign * mantissa * 2.0_f32.powi(1 - bias),
        _ => sign * (1.0 + mantissa) * 2.0_f32.powi(exponent - bias),
    }
}

/// A tensor's numbers, element by element; `None` if the type has no floats.
fn slow_numbers(dtype: &Dtype, bytes: &[u8]) -> Option<Vec<f32>> {
    let number: fn(&[u8]) -> f32 = match dtype {
        Dtype::F64 => |b| f64::from_le_bytes(b.try_into().expect("8")) as f32,
        Dtype::F32 => |b| f32::from_bits(u32::from_le_bytes(b.try_into().expect("4"))),
        Dtype::F16 => |b| f16::from_bits(u16::from_le_bytes([b[0], b[1]])).to_f32(),
        Dtype::Bf16 => |b| bf16::from_bits(u16::from_le_bytes([b[0], b[1]])).to_f32(),
        Dtype::F8E4M3 => |b| slow_eight_bits(b[0], 4, 7, |byte| byte & 0x7f == 0x7f),
        Dtype::F8E5M2 => |b| slow_eight_bits(b[0], 5, 15, |byte| byte & 0x7f > 0x7c),
        Dtype::F8E4M3Fnuz => |b| slow_eight_bits(b[0], 4, 8, |byte| byte == 0x80),
        Dtype::F8E5M2Fnuz => |b| slow_eight_bits(b[0], 5, 16, |byte| byte == 0x80),
        Dtype::F8E8M0 => |b| match b[0] {
            255 => f32::NAN,
            exponent => 2.0_f64.powi(i32::from(exponent) - 127) as f32,
        },
        _ => return None,
    };
    Some(
        bytes
            .chunks_exact((dtype.bits()? / 8) as usize)
            .map(number)
            .collect(),
    )
}

/// Equality in which NaN equals NaN.
fn same(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len()
        && a.iter()
            .zip(b)
            .all(|(a, b)| a == b || (a.is_nan() && b.is_nan()))
}

#[test]
fn element_types_are_those_of_the_crate() {
    for theirs in CRATE_DTYPES {
        let ours = Dtype::from_name(&theirs.to_string());
        assert_eq!(ours.bits(), Some(theirs.bitsize() as u64), "{theirs}");
        assert_eq!(ours.name(), theirs.to_string());
    }
    assert_eq!(
        Dtype::from_name("F8_E9M9"),
        Dtype::Other("F8_E9M9".to_owned())
    );
}

#[test]
fn an_unknown_element_type_hides_no_other_tensor() {
    let header = r#"{"a":{"dtype":"Q3","shape":[5],"data_offsets":[0,2]},
        "b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}}"#;
    let checkpoint = open(file(header, &[0, 0, 0, 0, 0x80, 0x3f])).expect("it opens");
    let read = |name| block_on(checkpoint.read(checkpoint.tensor(name).expect("listed")));
    // The second tensor does not begin at a multiple of four.
    assert_eq!(read("b"), Ok(vec![1.0]));
    let refusal = read("a").expect_err("no floats").to_string();
    assert!(
        refusal.contains("“a”") && refusal.contains("Q3"),
        "{refusal}"
    );
}

#[test]
fn any_order_and_holes_are_accepted() {
    let header = r#"{"z":{"dtype":"F32","shape":[1],"data_offsets":[12,16]},
        "a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]},
        "e":{"dtype":"F32","shape":[0,9],"data_offsets":[6,6]}}  "#;
    let data: Vec<u8> = [9.0_f32, 1.0, 9.0, 2.0, 9.0]
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    let checkpoint = open(file(header, &data)).expect("it opens");
    let names: Vec<_> = checkpoint
        .tensors()
        .iter()
        .map(|tensor| tensor.name.as_str())
        .collect();
    assert_eq!(names, ["a", "e", "z"]);
    let read = |name| block_on(checkpoint.read(checkpoint.tensor(name).expect("listed")));
    assert_eq!(
        (read("a"), read("e"), read("z")),
        (Ok(vec![1.0]), Ok(vec![]), Ok(vec![2.0]))
    );
}

#[test]
fn metadata_may_be_missing_empty_or_null() {
    for header in ["{}", r#"{"__metadata__":{}}"#, r#"{"__metadata__":null}"#] {
        let checkpoint = open(file(header, &[])).expect(header);
        assert!(checkpoint.metadata().is_empty() && checkpoint.tensors().is_empty());
    }
}

#[test]
fn a_file_of_six_gigabytes_opens_by_its_header() {
    const SIZE: u64 = 6 << 30;
    let header = r#"{"words":{"dtype":"F32","shape":[1250000,1000],"data_offsets":[0,5000000000]},
        "positions":{"dtype":"F32","shape":[512,768],"data_offsets":[5000000000,5001572864]}}"#;
    // The virtual file's numbers lie at multiples of four.
    let header = format!("{header:width$}", width = header.len().next_multiple_of(4));
    let beginning = file(&header, &[]);
    let data = beginning.len() as u64;
    let source = Sparse::new(beginning, SIZE);
    let checkpoint = block_on(Checkpoint::open(source.clone(), "big")).expect("it opens");
    assert_eq!(checkpoint.bytes_read(), 64 << 10, "one read of 64 KiB");

    let positions = checkpoint.tensor("positions").expect("listed").clone();
    assert!(positions.begin > u64::from(u32::MAX));
    let row = block_on(checkpoint.read_rows(&positions, 511..512)).expect("read");
    let expected = |column: u64| Sparse::number(data + 5_000_000_000 + (511 * 768 + column) * 4);
    assert!(
        row.iter()
            .zip(0..768)
            .all(|(number, column)| *number == expected(column))
    );
    assert_eq!(checkpoint.bytes_read(), (64 << 10) + 768 * 4);
    assert_eq!(source.reads.borrow().len(), 2);

    // All five gigabytes at once are refused before reading.
    let words = checkpoint.tensor("words").expect("listed");
    assert!(matches!(
        block_on(checkpoint.read(words)),
        Err(CheckpointError::TooLarge { .. })
    ));
    assert_eq!(source.reads.borrow().len(), 2);
}

#[test]
fn a_long_header_takes_a_second_read() {
    let header = format!(r#"{{"__metadata__":{{"note":"{}"}}}}"#, "x".repeat(200_000));
    let source = Sparse::new(file(&header, &[]), 8 + header.len() as u64 + 1000);
    let checkpoint = block_on(Checkpoint::open(source.clone(), "long")).expect("it opens");
    assert_eq!(checkpoint.bytes_read(), 8 + header.len() as u64);
    assert_eq!(
        *source.reads.borrow(),
        [0..64 << 10, 64 << 10..8 + header.len() as u64]
    );
    assert_eq!(checkpoint.metadata()["note"].len(), 200_000);
}

#[test]
fn a_tensor_from_elsewhere_is_not_believed() {
    let checkpoint = open(file("{}", &[0; 64])).expect("it opens");
    let tensor = |shape: &[u64], begin, end| TensorInfo {
        name: "x".to_owned(),
        dtype: Dtype::F32,
        shape: shape.to_vec(),
        file: 0,
        begin,
        end,
        order: Order::RowMajor,
    };
    for tensor in [
        tensor(&[4], 66, 82),
        tensor(&[4], 20, 4),
        tensor(&[4], 0, u64::MAX),
        tensor(&[], 1, 0),
    ] {
        assert!(block_on(checkpoint.read(&tensor)).is_err(), "{tensor:?}");
        assert!(
            block_on(checkpoint.read_rows(&tensor, 0..4)).is_err(),
            "{tensor:?}"
        );
    }
    assert!(
        block_on(checkpoint.read_rows(&tensor(&[u64::MAX], 0, u64::MAX), 0..u64::MAX)).is_err()
    );
}

#[test]
fn files_are_known_by_their_content() {
    let zip = |entry: &str| {
        let mut bytes = b"PK\x03\x04".to_vec();
        bytes.resize(26, 0);
        bytes.extend((entry.len() as u16).to_le_bytes());
        bytes.extend([0, 0]);
        bytes.extend(entry.as_bytes());
        bytes
    };
    let pickle_like = [&640_u64.to_le_bytes()[..], b"{\"a\":"].concat();
    assert_eq!(
        pickle_like[..2],
        [0x80, 0x02],
        "a header's length may look like a pickle"
    );
    let cases: &[(&[u8], FileKind)] = &[
        (b"", FileKind::Empty),
        (&file("{}", &[]), FileKind::Safetensors),
        (&pickle_like, FileKind::Safetensors),
        (&zip("archive/data.pkl"), FileKind::PyTorch),
        (&zip("table.npy"), FileKind::Npz),
        (&zip("readme.txt"), FileKind::Zip),
        (b"PK\x03\x04", FileKind::Zip),
        (b"\x80\x02}q\x00(X\x04\x00\x00\x00", FileKind::Pickle),
        (b"\x93NUMPY\x01\x00v\x00{'descr': '<f4'", FileKind::Npy),
        (b"GGUF\x03\x00\x00\x00", FileKind::Gguf),
        (b"\x89HDF\r\n\x1a\n", FileKind::Hdf5),
        (b"\x1f\x8b\x08\x00", FileKind::Gzip),
        (b"{\n  \"model_type\": \"bert\"", FileKind::Json),
        (b"\xef\xbb\xbf [1, 2]", FileKind::Json),
        (b"<!DOCTYPE html><html>", FileKind::Html),
        (b"  <HTML lang=en>", FileKind::Html),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:53aa",
            FileKind::GitLfsPointer,
        ),
        (b"hello, world", FileKind::Text),
        (&[0; 64], FileKind::Unknown),
    ];
    for (bytes, kind) in cases {
        assert_eq!(describe(bytes), *kind, "{}", String::from_utf8_lossy(bytes));
    }
}
