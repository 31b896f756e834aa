//! Fuzz tests of every parser with randomly changed files: none panics, hangs, or takes more memory than a small
//! multiple of its input, and accepted files are consistent.
//!
//! Some thousand fixed cases per target run with the other tests. A million new ones per target take some minutes:
//!
//! ```sh
//! FUZZ_CASES=1000000 cargo test --test it fuzz:: -- --ignored --nocapture
//! ```
//!
//! A finding prints its seed file and writes its bytes to the temporary folder; once fixed, they become a seed in
//! `tests/data/fuzz/<target>`. The mutations are a few lines here: proptest makes values, not files, keeps no seeds,
//! and takes longer per case than the parsers; bolero needs an installed tool and, for coverage, a nightly compiler.

use crate::support::root;
use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use diagonal::{
    checkpoint::{Checkpoint, MemorySource, Order, ShardIndex},
    model::Config,
    performance_table::PerformanceTable,
    url_state::PERFORMANCES,
};
use fastrand::Rng;
use pollster::block_on;

use super::hostile::assert_is_sentence;

/// Cases per target in an ordinary run.
const FEW: usize = 4000;
/// Time limit of a case.
const LONGEST: Duration = Duration::from_secs(5);
/// Bytes that a parser may hold at once: a constant, and a factor of its input. Deflate alone makes 1032 bytes of one,
/// and its output is copied once.
const MEMORY: (usize, usize) = (1 << 20, 2200);

/// The system's allocator with a counter per thread.
struct Counted;

thread_local! {
    /// Bytes held now, and the peak since the last reset. May be negative: a thread may free memory of another.
    static HELD: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

fn count(bytes: isize) {
    // Ignore threads that are being destroyed.
    let _ = HELD.try_with(|held| {
        let (now, most) = held.get();
        held.set((now + bytes, most.max(now + bytes)));
    });
}

#[expect(
    unsafe_code,
    reason = "the trait is; each call is passed on as it came"
)]
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-layout.size().cast_signed());
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed());
        unsafe { System.alloc_zeroed(layout) }
    }
}

#[global_allocator]
static COUNTED: Counted = Counted;

/// Peak of bytes held while `run` runs.
pub(crate) fn memory_of(run: impl FnOnce()) -> usize {
    let before = HELD.get().0;
    HELD.set((before, before));
    run();
    (HELD.get().1 - before).unsigned_abs()
}

/// A parser and its input function.
struct Target {
    name: &'static str,
    feed: fn(&[u8]),
}

const TARGETS: [Target; 13] = [
    Target {
        name: "safetensors",
        feed: open,
    },
    Target {
        name: "zip",
        feed: open,
    },
    Target {
        name: "legacy",
        feed: open,
    },
    Target {
        name: "npy",
        feed: open,
    },
    Target {
        name: "npz",
        feed: open,
    },
    Target {
        name: "gguf",
        feed: open,
    },
    Target {
        name: "pickle",
        feed: |pickle| open(&around(pickle)),
    },
    Target {
        name: "deflate",
        feed: |deflated| open(&zip_archive(&[("x.npy", deflated, Some(512))])),
    },
    Target {
        name: "kernels-json",
        feed: open,
    },
    Target {
        name: "kernels-csv",
        feed: open,
    },
    Target {
        name: "performance",
        feed: performance,
    },
    Target {
        name: "index",
        feed: index,
    },
    Target {
        name: "config",
        feed: config,
    },
];

/// Opens a file, and reads its tensors.
fn open(bytes: &[u8]) {
    let checkpoint = match block_on(Checkpoint::open(MemorySource::new(bytes), "fuzz")) {
        Ok(checkpoint) => checkpoint,
        Err(error) => return assert_is_sentence(&error.to_string()),
    };
    let tensors = checkpoint.tensors();
    assert!(
        tensors.array_windows().all(|[a, b]| a.name < b.name),
        "names are sorted, each there once"
    );
    for tensor in tensors {
        assert!(tensor.begin <= tensor.end, "{tensor:?}");
        if tensor.begin < checkpoint.size() {
            assert!(tensor.end <= checkpoint.size(), "{tensor:?}");
        }
        let Some(bits) = tensor
            .dtype
            .bits()
            .filter(|_| tensor.order != Order::Scattered)
        else {
            continue;
        };
        let bits = tensor.shape.iter().fold(u128::from(bits), |bits, length| {
            bits.saturating_mul(u128::from(*length))
        });
        assert_eq!(bits.div_ceil(8), u128::from(tensor.bytes()), "{tensor:?}");
    }
    for tensor in checkpoint.tensors().into_iter().take(16) {
        match block_on(checkpoint.read(tensor)) {
            Ok(numbers) => assert_eq!(numbers.len() as u64, tensor.shape.iter().product::<u64>()),
            Err(error) => assert_is_sentence(&error.to_string()),
        }
    }
    // Packed weights have entries of their own.
    for name in checkpoint.names().take(16) {
        let located = block_on(checkpoint.locate(name));
        let read = located.and_then(|tensor| {
            let numbers = block_on(checkpoint.read(&tensor))?;
            assert_eq!(numbers.len() as u64, tensor.shape.iter().product::<u64>());
            let rows = tensor.shape.first().copied().unwrap_or(0).min(1);
            block_on(checkpoint.read_rows(&tensor, 0..rows))
        });
        if let Err(error) = read {
            assert_is_sentence(&error.to_string());
        }
    }
}

fn index(bytes: &[u8]) {
    match ShardIndex::parse(&String::from_utf8_lossy(bytes)) {
        Ok(index) => {
            assert!(index.files.array_windows().all(|[a, b]| a < b));
            assert!(index.tensors.array_windows().all(|[a, b]| a.0 < b.0));
            let plain = |file: &String| !file.contains(['/', '\\', ':']) && !file.starts_with('.');
            assert!(index.files.iter().all(plain), "{index:?}");
            assert!(
                index
                    .tensors
                    .iter()
                    .all(|(_, file)| (*file as usize) < index.files.len())
            );
        }
        Err(error) => assert_is_sentence(&error.to_string()),
    }
}

fn performance(bytes: &[u8]) {
    match PerformanceTable::parse(&String::from_utf8_lossy(bytes)) {
        Ok(table) => {
            assert!(table.scores.iter().all(|(name, score)| {
                !name.is_empty() && name.trim() == name && PERFORMANCES.contains(score)
            }));
            // Every name is assigned to a model of that name, and is unknown without one.
            let titles: Vec<&str> = table.scores.iter().map(|(name, _)| name.as_str()).collect();
            let assigned = table.assign(&titles);
            assert!(assigned.unknown.is_empty() && assigned.scores.iter().all(Option::is_some));
            assert_eq!(table.assign(&[]).unknown, titles);
        }
        Err(error) => assert_is_sentence(&error),
    }
}

fn config(bytes: &[u8]) {
    if let Err(error) = Config::parse(&String::from_utf8_lossy(bytes)) {
        assert_is_sentence(&error.to_string());
    }
}

/// An archive as `PyTorch` writes it, of a pickle and two storages of 16 floats.
pub(crate) fn around(pickle: &[u8]) -> Vec<u8> {
    zip_archive(&[
        ("m/data.pkl", pickle, None),
        ("m/data/0", &[1; 64], None),
        ("m/data/1", &[2; 64], None),
    ])
}

/// A zip archive of these entries; a deflated entry has its size.
pub(crate) fn zip_archive(entries: &[(&str, &[u8], Option<u32>)]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, data, inflated) in entries {
        let begin = (bytes.len() as u32).to_le_bytes();
        let method = if inflated.is_some() { 8_u16 } else { 0 };
        let stored = data.len() as u32;
        let facts = [
            &[20, 0, 0, 0][..],
            &method.to_le_bytes(),
            &[0; 8],
            &stored.to_le_bytes(),
            &inflated.unwrap_or(stored).to_le_bytes(),
            &(name.len() as u16).to_le_bytes(),
            &[0; 2],
        ]
        .concat();
        bytes.extend([b"PK\x03\x04", &facts[..], name.as_bytes(), data].concat());
        directory.extend(
            [
                b"PK\x01\x02\0\0",
                &facts[..],
                &[0; 10],
                &begin,
                name.as_bytes(),
            ]
            .concat(),
        );
    }
    let count = (entries.len() as u16).to_le_bytes();
    let (begin, length) = (bytes.len() as u32, directory.len() as u32);
    bytes.extend(directory);
    bytes.extend([b"PK\x05\x06\0\0\0\0", &count[..], &count].concat());
    bytes.extend([&length.to_le_bytes()[..], &begin.to_le_bytes(), &[0, 0]].concat());
    bytes
}

/// Mutates a file a few times, each in one of the ways in which files break or are forged.
fn change(bytes: &mut Vec<u8>, seeds: &[(String, Vec<u8>)], random: &mut Rng) {
    const NUMBERS: [u64; 12] = [
        0,
        1,
        0x7f,
        0xff,
        0xffff,
        0x7fff_ffff,
        0xffff_fffe,
        0xffff_ffff,
        1 << 32,
        1 << 62,
        u64::MAX - 7,
        u64::MAX,
    ];
    for _ in 0..random.usize(1..=6) {
        let length = bytes.len();
        if length == 0 {
            return bytes.push(random.u8(..));
        }
        let at = random.usize(..length);
        let some = at..(at + random.usize(1..=16)).min(length);
        match random.u8(..10) {
            0 => bytes[at] ^= 1 << random.u8(..8),
            1 => bytes[at] = random.u8(..),
            2 => bytes[at] = bytes[at].wrapping_add_signed(random.i8(-2..=2)),
            3 => {
                let number = NUMBERS[random.usize(..NUMBERS.len())].to_le_bytes();
                let width = 1 << random.u8(..4);
                for (byte, new) in bytes[at..].iter_mut().zip(&number[..width]) {
                    *byte = *new;
                }
            }
            4 => drop(bytes.drain(some)),
            5 => {
                let copy = bytes[some].to_vec();
                let at = random.usize(..=length);
                drop(bytes.splice(at..at, copy));
            }
            6 => {
                let (_, other) = &seeds[random.usize(..seeds.len())];
                let from = random.usize(..=other.len());
                let to = (from + random.usize(..=32)).min(other.len());
                drop(bytes.splice(some, other[from..to].iter().copied()));
            }
            7 if random.u8(..8) == 0 => bytes.truncate(at),
            // Digits and brackets, as in text formats, and instructions of pickles.
            7 | 8 => {
                const LETTERS: &[u8] =
                    b"0123456789{}[]\",:.-eE\\n()tQRbuoicsaPgp\x81\x86\x92\x93\x94";
                bytes[at] = LETTERS[random.usize(..LETTERS.len())];
            }
            _ => {
                let other = random.usize(..length);
                bytes.swap(at, other);
            }
        }
    }
}

fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = root().join(format!("tests/data/fuzz/{target}"));
    let files =
        std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut seeds: Vec<(String, Vec<u8>)> = files
        .map(|file| {
            let path = file.expect("a file").path();
            let bytes = std::fs::read(&path).expect("it can be read");
            (path.display().to_string(), bytes)
        })
        .collect();
    seeds.sort();
    assert!(!seeds.is_empty(), "{} holds no seeds", folder.display());
    seeds
}

/// Runs one case and checks time, memory and panics.
fn judge(target: &Target, from: &str, bytes: &[u8]) -> (Duration, usize) {
    let begun = Instant::now();
    let mut memory = 0;
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        memory = memory_of(|| (target.feed)(bytes));
    }));
    let took = begun.elapsed();
    let allowed = MEMORY.0 + MEMORY.1 * bytes.len();
    if outcome.is_err() || took > LONGEST || memory > allowed {
        let path = std::env::temp_dir().join(format!("fuzz-{}-{}", target.name, bytes.len()));
        let _ = std::fs::write(&path, bytes);
        panic!(
            "{}, changed from {from}: {took:?}, {memory} bytes of {allowed} allowed; kept as {}",
            target.name,
            path.display()
        );
    }
    (took, memory)
}

fn run(target: &Target, cases: usize, mut random: Rng) {
    let seeds = seeds(target.name);
    for (path, bytes) in &seeds {
        judge(target, path, bytes);
    }
    let begun = Instant::now();
    let mut worst = (Duration::ZERO, 0);
    for _ in 0..cases {
        let (path, bytes) = &seeds[random.usize(..seeds.len())];
        let mut bytes = bytes.clone();
        change(&mut bytes, &seeds, &mut random);
        let (took, memory) = judge(target, path, &bytes);
        worst = (worst.0.max(took), worst.1.max(memory));
    }
    println!(
        "{}: {cases} cases in {:.1?}, none longer than {:?} or with more than {} KiB",
        target.name,
        begun.elapsed(),
        worst.0,
        worst.1 >> 10
    );
}

#[test]
fn no_parser_stumbles_over_some_thousand_changed_files() {
    for target in &TARGETS {
        run(target, FEW, Rng::with_seed(7));
    }
}

#[test]
#[ignore = "a million cases a target take some minutes"]
fn no_parser_stumbles_over_a_million_changed_files() {
    let cases = std::env::var("FUZZ_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok());
    for target in &TARGETS {
        run(target, cases.unwrap_or(1_000_000), Rng::new());
    }
}

#[test]
fn memory_is_counted() {
    let held = memory_of(|| drop(std::hint::black_box(vec![0_u8; 3 << 20])));
    assert!((3 << 20..4 << 20).contains(&held), "{held}");
}
