//! Checks of a description before the library reads it, which would stop at such faults.

use serde_json::Value;

/// Longest piece of a vocabulary, in bytes. The library's search tree is as deep as the longest piece, and is dropped
/// by recursion.
const LONGEST_PIECE: usize = 4096;

/// Checks a description in the form of `tokenizer.json`. The error ends a sentence about its file.
pub(crate) fn check(json: &Value) -> Result<(), String> {
    if !json["model"].is_object() {
        return Err("it has no part “model”".to_owned());
    }
    check_pieces(&json["model"])
}

/// Checks the lengths of the pieces.
fn check_pieces(model: &Value) -> Result<(), String> {
    let is_long = |piece: &str| piece.len() > LONGEST_PIECE;
    let has_long = match &model["vocab"] {
        Value::Object(pieces) => pieces.keys().any(|piece| is_long(piece)),
        Value::Array(pieces) => pieces
            .iter()
            .any(|piece| piece[0].as_str().is_some_and(is_long)),
        _ => return Err("its model has no vocabulary".to_owned()),
    };
    if has_long {
        return Err(format!(
            "its vocabulary has a piece of more than {LONGEST_PIECE} bytes"
        ));
    }
    Ok(())
}
