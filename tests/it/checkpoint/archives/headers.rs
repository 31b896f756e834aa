//! Other formats: headers with false claims.

use super::{find, open, refusal, seed, with};

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
