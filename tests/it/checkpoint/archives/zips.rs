//! Archives with false claims about their entries, and entries that are too large.

use super::{find, open, refusal, rfind, seed, with};
use crate::checkpoint::fuzz::zip_archive;

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
            "stated position is impossible",
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
            // Lets the last entry point to the header of the first.
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
            "format is not recognised",
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
            zip_archive(&[
                ("data.pkl", b"\x80\x02}.", None),
                ("data/0", b"a", None),
                ("data/0", b"b", None),
            ]),
            "two entries bear one name",
        ),
        (
            "nothing of use",
            zip_archive(&[("readme.txt", b"hello", None)]),
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
    // Claims a gigabyte from half a megabyte: more than deflate can give. Larger input could, but the result is too
    // large.
    let bytes = vec![0; 500_000];
    let sentence = refusal(zip_archive(&[("x.npy", &bytes, Some(1 << 30))]));
    assert!(sentence.contains("cannot give"), "{sentence}");
    let bytes = vec![0; 2_000_000];
    let sentence = refusal(zip_archive(&[("x.npy", &bytes, Some(1 << 30))]));
    assert!(sentence.contains("256 MiB"), "{sentence}");
    // Each is small, but their sum is not.
    let entry = vec![0; 2_000_000];
    let names: Vec<String> = (0..9).map(|at| format!("{at}.npy")).collect();
    let entries: Vec<_> = names
        .iter()
        .map(|name| (name.as_str(), &entry[..], Some(250 << 20)))
        .collect();
    let sentence = refusal(zip_archive(&entries));
    assert!(
        sentence.contains("256 MiB") || sentence.contains("inflate"),
        "{sentence}"
    );
    // Fewer or more bytes than claimed.
    let deflated = seed("deflate/dynamic");
    assert!(open(zip_archive(&[("x.npy", &deflated, Some(512))])).is_ok());
    for size in [0, 511, 513] {
        let sentence = refusal(zip_archive(&[("x.npy", &deflated, Some(size))]));
        assert!(
            sentence.contains("inflate") || sentence.contains("ends at byte"),
            "{sentence}"
        );
    }
}
