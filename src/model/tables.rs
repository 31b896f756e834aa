//! Tensors that could be position tables, for the user to choose from.

use crate::checkpoint::TensorInfo;

/// Rows and columns of a table stored as `[n, d]`, `[1, n, d]`, `[n, 1, d]`, or `[1, h, w, d]` with h·w rows.
pub(super) fn rows_and_width(tensor: &TensorInfo) -> Option<(u64, u64)> {
    match tensor.shape.as_slice() {
        [rows, width] | [1, rows, width] | [rows, 1, width] => Some((*rows, *width)),
        [1, height, rows, width] => Some((height.checked_mul(*rows)?, *width)),
        _ => None,
    }
}

/// Rows and columns of the patches of a table stored as `[1, h, w, d]`.
pub(super) fn stored_grid(tensor: &TensorInfo) -> Option<(u32, u32)> {
    match tensor.shape[..] {
        [1, height, width, _] => Some((height.try_into().ok()?, width.try_into().ok()?)),
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

/// Tensors that could be the weight of a `LayerNorm`: vectors with a telling name, in the order of the file.
pub fn norms<'a>(tensors: impl IntoIterator<Item = &'a TensorInfo>) -> Vec<&'a TensorInfo> {
    let is_norm = |tensor: &&TensorInfo| {
        let name = tensor.name.to_ascii_lowercase();
        let (stem, end) = name.rsplit_once(['.', '/']).unwrap_or(("", &name));
        let says = ["norm", "ln"].iter().any(|word| stem.contains(word));
        tensor.shape.len() == 1
            && tensor.dtype.is_float()
            && says
            && matches!(end, "weight" | "gamma" | "scale")
    };
    tensors.into_iter().filter(is_norm).collect()
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
