//! Parts of pickles, for tests of pickles that no program writes.

/// The instruction that pushes a text.
pub(crate) fn text(word: &str) -> Vec<u8> {
    [
        b"X",
        &(word.len() as u32).to_le_bytes()[..],
        word.as_bytes(),
    ]
    .concat()
}

/// The instructions that push a tensor: a view of storage `0`, which has 16 floats, with its offset, shape and strides.
pub(crate) fn view(offset: u8, shape: &[u8], strides: &[u8]) -> Vec<u8> {
    let tuple = |lengths: &[u8]| {
        let items: Vec<u8> = lengths.iter().flat_map(|length| [b'K', *length]).collect();
        [b"(", &items[..], b"t"].concat()
    };
    [
        b"ctorch._utils\n_rebuild_tensor_v2\n((",
        &text("storage")[..],
        b"ctorch\nFloatStorage\n",
        &text("0"),
        &text("cpu"),
        b"K\x10tQK",
        &[offset],
        &tuple(shape),
        &tuple(strides),
        b"\x89NtR",
    ]
    .concat()
}
