//! A table that the user chose among the tensors of a checkpoint, with the chosen queries and keys.

use super::{
    Config, Cut, Detection, LayerTensors, Leading, LinearTensors, ModelError, ModelOptions,
    PositionTensors, SourceDescription,
};
use crate::checkpoint::Weights;

/// A tensor that the user chose as the table, with the chosen queries and keys, if any.
pub(super) fn detect_chosen_table<W: Weights>(
    table: &str,
    choice: &ModelOptions,
    checkpoint: &W,
) -> Result<Detection, ModelError> {
    if !checkpoint.has(table) {
        return Err(ModelError::NoSuchTensor {
            tensor: table.to_owned(),
        });
    }
    let place = PositionTensors::Table {
        tensor: table.to_owned(),
        leading_rows: Leading::None,
    };
    let mut source = SourceDescription::new(&Config::default(), "positions", "positions", place);
    let reason = if let Some((query, key)) = &choice.attention {
        source = source.layers(chosen_layers(query, key, choice.is_transposed, checkpoint)?);
        "Read as it is stored, one position per row, with the queries and keys that you chose."
    } else {
        "Read as it is stored, one position per row. Its use in the model is not known, so there are no heads unless you choose queries and keys."
    };
    Ok(Detection {
        reason: reason.to_owned(),
        sources: vec![source],
    })
}

/// Layers of the chosen queries and keys: the chosen one, and all whose names differ only in the first number.
fn chosen_layers<W: Weights>(
    query: &str,
    key: &str,
    transposed: bool,
    checkpoint: &W,
) -> Result<Vec<LayerTensors>, ModelError> {
    for name in [query, key] {
        if !checkpoint.has(name) {
            let tensor = name.to_owned();
            return Err(ModelError::NoSuchTensor { tensor });
        }
    }
    let (part, of) = (0, 1);
    let cut = if transposed {
        Cut::Columns { part, of }
    } else {
        Cut::Rows { part, of }
    };
    let map = |name: String, cut| {
        let bias = name
            .strip_suffix("weight")
            .map(|stem| format!("{stem}bias"));
        LinearTensors {
            bias: bias.filter(|bias| checkpoint.has(bias)),
            weight: name,
            cut,
        }
    };
    let layer = |query: String, key: String| {
        let exist = checkpoint.has(&query) && checkpoint.has(&key);
        // A single weight for both holds queries, keys and values.
        let (first, second) = match cut {
            _ if query != key => (cut, cut),
            Cut::Columns { .. } => (
                Cut::Columns { part: 0, of: 3 },
                Cut::Columns { part: 1, of: 3 },
            ),
            _ => (Cut::Rows { part: 0, of: 3 }, Cut::Rows { part: 1, of: 3 }),
        };
        exist.then(|| LayerTensors::new(map(query, first), map(key, second)))
    };
    let (query, key) = (split_at_number(query), split_at_number(key));
    let at = |number: usize| match (&query, &key) {
        (Ok([q, r]), Ok([k, l])) => layer(format!("{q}{number}{r}"), format!("{k}{number}{l}")),
        (Err(query), Err(key)) if number == 0 => layer((*query).to_owned(), (*key).to_owned()),
        _ => None,
    };
    // Some models count layers from 1.
    let from = usize::from(at(0).is_none());
    Ok((from..).map_while(at).collect())
}

/// The parts of a name before and after its first number, or the whole name if it has none.
fn split_at_number(name: &str) -> Result<[&str; 2], &str> {
    let digit = |c: char| c.is_ascii_digit();
    let mut start = 0;
    // A layer number is a whole part between dots; `h2o` is a name.
    for part in name.split('.') {
        if !part.is_empty() && part.chars().all(digit) {
            return Ok([&name[..start], &name[start + part.len()..]]);
        }
        start += part.len() + 1;
    }
    Err(name)
}
