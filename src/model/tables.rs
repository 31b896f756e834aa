//! Tensors that could be position tables, for the user to choose from.

use crate::checkpoint::TensorInfo;

/// Rows and columns of a tensor without a leading dimension of 1: `[n, d]` and `[1, n, d]`.
pub(super) fn rows_and_width(tensor: &TensorInfo) -> Option<(u64, u64)> {
    match tensor.shape.as_slice() {
        [rows, width] | [1, rows, width] => Some((*rows, *width)),
        _ => None,
    }
}

/// Tensors with the shape of a position table, the most likely first: by name, then by size, since the position table
/// is shorter than other embedding tables.
pub fn tables<'a>(tensors: impl IntoIterator<Item = &'a TensorInfo>) -> Vec<&'a TensorInfo> {
    let mut tables: Vec<_> = tensors
        .into_iter()
        .filter(|tensor| could_be_table(tensor))
        .collect();
    tables.sort_by_cached_key(|tensor| (unlikeliness(&tensor.name), tensor.bytes()));
    tables
}

fn could_be_table(tensor: &TensorInfo) -> bool {
    tensor.dtype.is_float()
        && rows_and_width(tensor).is_some_and(|(rows, width)| rows >= 2 && width >= 2)
}

fn unlikeliness(name: &str) -> u8 {
    let name = name.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if says(&[
        "position",
        "pos_emb",
        "posemb",
        "wpe",
        "embed_pos",
        "pos_enc",
    ]) && !says(&["relative"])
    {
        0
    } else if says(&["pos"]) {
        1
    } else if says(&["emb"]) {
        2
    } else if says(&["layer", "block", "attn", "attention", "mlp"]) || name.starts_with("h.") {
        4
    } else {
        3
    }
}
