//! Checks of a description before the library reads it: at such faults it would stop the program instead of refusing.

use crate::character_map;
use serde_json::Value;

/// Longest piece of a vocabulary, in bytes. The library's search tree is as deep as the longest piece, and is dropped
/// by recursion.
const LONGEST_PIECE: usize = 4096;

/// Most pieces of a template around a text. Published ones have at most five.
const MOST_TEMPLATE_PIECES: usize = 64;

/// Checks a description in the form of `tokenizer.json`. The error ends a sentence about its file.
pub(crate) fn check(json: &Value) -> Result<(), String> {
    let model = &json["model"];
    if !model.is_object() {
        return Err("it has no part “model”".to_owned());
    }
    check_pieces(model)?;
    check_merges(model)?;
    for normalizer in steps(&json["normalizer"], "normalizers") {
        check_normalizer(normalizer)?;
    }
    for pre_tokenizer in steps(&json["pre_tokenizer"], "pretokenizers") {
        if pre_tokenizer["type"] == "FixedLength" && pre_tokenizer["length"] == 0 {
            return Err("it splits text into words of length 0".to_owned());
        }
    }
    for processor in steps(&json["post_processor"], "processors") {
        if !processor["single"].is_null() {
            check_template(processor)?;
        }
    }
    Ok(())
}

/// The steps of a part, those of sequences within sequences as well.
fn steps<'a>(part: &'a Value, inner: &str) -> Vec<&'a Value> {
    let mut steps = Vec::new();
    let mut open = vec![part];
    while let Some(part) = open.pop() {
        match part[inner].as_array() {
            Some(parts) => open.extend(parts),
            None => steps.push(part),
        }
    }
    steps
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

/// Checks that each pair of pieces to merge forms a piece of the vocabulary, as far as their lengths and the sign of a
/// continued word say. The library looks up the piece itself.
fn check_merges(model: &Value) -> Result<(), String> {
    let (Some(pieces), Some(merges)) = (model["vocab"].as_object(), model["merges"].as_array())
    else {
        return Ok(());
    };
    let longest = pieces.keys().map(String::len).max().unwrap_or(0);
    let prefix = model["continuing_subword_prefix"].as_str().unwrap_or("");
    for merge in merges {
        let text = |at: usize| merge[at].as_str();
        let pair = match merge.as_str() {
            Some(pair) => pair.split_once(' '),
            None => text(0).zip(text(1)),
        };
        // Other faults are refused by the library.
        let Some((left, right)) = pair else {
            continue;
        };
        let rest = right.strip_prefix(prefix);
        if rest.is_none_or(|rest| left.len() + rest.len() > longest) {
            return Err("it merges pieces to none of its vocabulary".to_owned());
        }
    }
    Ok(())
}

/// Checks the map of characters, which the library trusts.
fn check_normalizer(normalizer: &Value) -> Result<(), String> {
    let map = &normalizer["precompiled_charsmap"];
    if normalizer["type"] != "Precompiled" && map.is_null() {
        return Ok(());
    }
    let map = map.as_str().and_then(|map| base64::decode(map).ok());
    let map = map.ok_or("its map of characters cannot be read")?;
    Ok(character_map::check(&map)?)
}

/// Checks that a template has the text once, and around it only tokens that it describes.
fn check_template(processor: &Value) -> Result<(), String> {
    let damaged = || "its template around a text is damaged".to_owned();
    let pieces = processor["single"].as_array().ok_or_else(damaged)?;
    let mut texts = 0;
    for piece in pieces {
        if !piece["Sequence"].is_null() {
            texts += usize::from(piece["Sequence"]["id"] == "A");
            continue;
        }
        let name = piece["SpecialToken"]["id"].as_str().ok_or_else(damaged)?;
        let token = &processor["special_tokens"][name];
        let (ids, tokens) = (token["ids"].as_array(), token["tokens"].as_array());
        let is_whole = ids
            .zip(tokens)
            .is_some_and(|(ids, tokens)| ids.len() == tokens.len());
        if !is_whole {
            return Err(damaged());
        }
    }
    let of_second_text = pieces.iter().any(|piece| piece["Sequence"]["id"] == "B");
    if texts != 1 || of_second_text || pieces.len() > MOST_TEMPLATE_PIECES {
        return Err(damaged());
    }
    Ok(())
}
